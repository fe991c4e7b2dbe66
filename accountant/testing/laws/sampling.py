"""Laws of every sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen

from accountant.accounting.account import account
from accountant.errors import PlanError
from accountant.loss import GaussianLoss, PrivacyLoss, ResponseLoss
from accountant.numbers.exact import plain
from accountant.plan.plan import Plan
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.specification import Specification
from accountant.promise.theorem import Theorem
from accountant.registry.registry import Registry
from accountant.release.mechanism import Mechanism
from accountant.release.query import Query, Shift
from accountant.release.release import Release
from accountant.release.sampling import Sampling
from accountant.testing.counterexamples import broken, delta
from accountant.testing.places import epsilons
from accountant.values.writing import in_words, kind_data

_TRIED = Theorem("tried", "Each record moves the answer by one.", "accountant", "explanation/sampling", assurance="claimed")


@frozen
class _Records(Query):
    """A number that each record raises or lowers by one: a replaced record moves it twice as far as an absent one."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([max(added + removed for added, removed in neighbours.moves)])


@frozen
class _Normal(Mechanism):
    """Normal noise of variance one."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    def loss(self, shift: Shift) -> PrivacyLoss:
        return GaussianLoss(shift.l2_squared)


@frozen
class _Response(Mechanism):
    """The worst that pure differential privacy permits, one for each record."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(shift.l1, 0)


def insiders_know_no_less(registry: Registry, relation: Relation, sampling: Sampling) -> None:
    """Against somebody who knows who was sampled nothing smaller is promised than against somebody who does not.

    Where a sampling is refused between such neighbours, or does not say what an insider compares, nothing is promised.
    """
    for mechanism in (_Normal(), _Response()):
        try:
            outside, inside = (_lost(registry, relation, sampling, mechanism, who) for who in ("outsider", "insider"))
        except PlanError:
            continue
        for (_, hidden), (direction, known) in zip(_directions(outside), _directions(inside), strict=True):
            for point in epsilons(hidden):
                unknowing, knowing = delta(hidden, point), delta(known, point)
                if knowing.upper < unknowing.lower:
                    broken(
                        "an insider's number must not be below an outsider's",
                        sampling=in_words(kind_data(sampling)),
                        neighbours=relation.name,
                        mechanism=type(mechanism).__doc__,
                        direction=direction,
                        at_epsilon=plain(point),
                        delta_against_outsiders=unknowing,
                        delta_against_insiders=knowing,
                        remedy="say in 'between_samples' how two samples differ that are drawn alike from two neighbours",
                    )


def _lost(registry: Registry, relation: Relation, sampling: Sampling, mechanism: Mechanism, attacker: str) -> PrivacyLoss:
    promised = Specification(Neighbours(relation), attacker=attacker)
    release = Release("tried", mechanism, _Records(), sampling=sampling)
    return account(Plan("law", promised, (release,)), registry=registry).entries[0].loss


def _directions(loss: PrivacyLoss) -> Iterator[tuple[str, PrivacyLoss]]:
    yield "P to Q", loss
    yield "Q to P", loss.reverse()
