"""Laws of every sampling."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant.accounting.account import account
from accountant.errors import InvalidValue, PlanError, ShiftError
from accountant.loss import FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss
from accountant.numbers.exact import plain
from accountant.plan.plan import Plan
from accountant.plugin.oracles import SamplingOracle
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.specification import Specification
from accountant.promise.theorem import Theorem
from accountant.registry.registry import Registry
from accountant.release.query import Query, Records, Shift
from accountant.release.release import Mechanism, Release
from accountant.release.sampling import Sampling
from accountant.testing.counterexamples import broken, delta, method
from accountant.testing.exact_noise import ExactNoise
from accountant.testing.places import epsilons
from accountant.values.writing import in_words, kind_data

MOST_RECORDS = 3
"""Of how many records samples are drawn at most where all draws are tried."""
Draws = tuple[tuple[Fraction, frozenset[int]], ...]

_TRIED = Theorem("tried", "Each record moves the answer by one.", "accountant", "explanation/sampling", assurance="claimed")


@frozen
class _Records(Query):
    """A number that each record raises or lowers by one: a replaced record moves it twice as far as an absent one."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([max(added + removed for added, removed in neighbours.moves)])

    def records(self) -> Records:
        return Records(((Fraction(-1),), (Fraction(1),)), all_of_them=True)


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
            require_refusal(sampling, relation)
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


def require_refusal(sampling: Sampling, relation: Relation) -> None:
    """A plan is refused for its neighbours: a sampling that fails on parameters which it took itself says so nowhere."""
    try:
        sampling.loss(lambda between: GaussianLoss(1), Neighbours(relation))
    except InvalidValue as error:
        broken(
            f"'{sampling.kind}' must say what a sample loses, or refuse such neighbours by a ShiftError in 'check'",
            sampling=in_words(kind_data(sampling)),
            neighbours=relation.name,
            error=f"{type(error).__name__}: {error}",
            look_at=f"{method(sampling, 'loss')}, {method(sampling, 'check')}",
        )
    except ShiftError:
        return


def _lost(registry: Registry, relation: Relation, sampling: Sampling, mechanism: Mechanism, attacker: str) -> PrivacyLoss:
    promised = Specification(Neighbours(relation), attacker=attacker)
    release = Release("tried", mechanism, _Records(), sampling=sampling)
    return account(Plan("law", promised, (release,)), registry=registry).entries[0].loss


def _directions(loss: PrivacyLoss) -> Iterator[tuple[str, PrivacyLoss]]:
    yield "P to Q", loss
    yield "Q to P", loss.reverse()


def sampling_says_how_it_draws(kind: str, samplings: tuple[Sampling, ...], oracle: SamplingOracle | None) -> None:
    """All draws from some small dataset are known, from the sampling itself or from its oracle."""
    if not any(draws(sampling, oracle, size) for sampling in samplings for size in range(1, MOST_RECORDS + 1)):
        broken(
            f"nothing says which records the sampling '{kind}' takes, so what it loses cannot be tried",
            remedy=f'yield SamplingOracle("{kind}", chance=lambda sampling, taken, of: ...) from '
            "accountant_conformance_cases, or define the method 'draws'",
        )


def draws(sampling: Sampling, oracle: SamplingOracle | None, size: int) -> Draws:
    """Every choice out of so many records with its chance, by the author's oracle where there is one; empty if not said."""
    if oracle is None:
        return tuple((chance, frozenset(taken)) for chance, taken in sampling.draws(size) or ())
    chosen = (frozenset(taken) for count in range(size + 1) for taken in itertools.combinations(range(size), count))
    found = [(oracle.chance(sampling, taken, size), taken) for taken in chosen]
    return tuple((Fraction(chance), taken) for chance, taken in found if chance is not None)


def draws_are_chances(sampling: Sampling, oracle: SamplingOracle | None) -> None:
    """The chances of all draws sum to one, and the sampling says the same of them as its oracle."""
    for size in range(MOST_RECORDS + 1):
        known = draws(sampling, oracle, size)
        own = tuple((chance, frozenset(taken)) for chance, taken in sampling.draws(size) or ())
        likely = {taken: chance for chance, taken in known if chance}
        if known and (sum(likely.values()) != 1 or min(likely.values()) < 0):
            broken(
                f"the chances of what '{sampling.kind}' takes must sum to one",
                sampling=in_words(kind_data(sampling)),
                out_of=f"{size} records",
                chances=", ".join(f"{sorted(taken)}: {plain(chance)}" for taken, chance in likely.items()),
            )
        if oracle is not None and own and {taken: chance for chance, taken in own if chance} != likely:
            broken(
                f"'{sampling.kind}' must draw as its oracle says",
                sampling=in_words(kind_data(sampling)),
                out_of=f"{size} records",
                look_at="'draws'",
            )


def some_samples_are_tried(kind: str, tried: Iterable[bool]) -> None:
    """Some two small datasets are compared: who refuses all neighbours, or all small datasets, would pass untried."""
    if not any(tried):
        broken(
            f"nothing is claimed of any sample by '{kind}' of {MOST_RECORDS} records or fewer, so that nothing was tried",
            look_at=f"'check' and 'loss', which refuse neighbours; 'least_records', where it is more than {MOST_RECORDS}",
            remedy="accept neighbours of some relation; or give a SamplingOracle with 'instances' of few records",
        )


def samples_lose_no_more_than_claimed(
    registry: Registry, relation: Relation, oracle: SamplingOracle | None, sampling: Sampling
) -> bool:
    """What a sample loses is at least what any two small datasets lose by all draws, and exact noise on what is drawn.

    Where a sampling covers several units that differ at once, so it is between groups of two. Whether any were compared.
    """
    groups = (1, 2) if sampling.covers_groups else (1,)
    compared = [_require_claimed(registry, Neighbours(relation, group=group), oracle, sampling) for group in groups]
    return any(compared)


def _require_claimed(registry: Registry, neighbours: Neighbours, oracle: SamplingOracle | None, sampling: Sampling) -> bool:
    noise, relation = ExactNoise("1/2"), neighbours.relation
    release = Release("tried", noise, _Records(), sampling=sampling)
    try:
        plan = Plan("law", Specification(neighbours), (release,))
        claimed = account(plan, registry=registry).entries[0].loss
    except PlanError:
        require_refusal(sampling, relation)
        return False
    compared = False
    for with_it, instead in _small_neighbours(neighbours):
        drawn = [draws(sampling, oracle, len(records)) for records in (with_it, instead)]
        most = max(len(with_it), len(instead))
        if not all(drawn) or most < sampling.least_records:
            continue
        compared = True
        laws = [_law(noise, found, records, most) for found, records in zip(drawn, (with_it, instead), strict=True)]
        pair = FiniteLoss(zip(*laws, strict=True))
        for (direction, above), (_, below) in zip(_directions(claimed), _directions(pair), strict=True):
            for point in epsilons(below):
                allowed, found = delta(above, point), delta(below, point)
                if found.lower > allowed.upper:
                    broken(
                        f"a sample by '{sampling.kind}' must not lose more than is claimed",
                        sampling=in_words(kind_data(sampling)),
                        neighbours=relation.name + (f", groups of {neighbours.group}" if neighbours.group > 1 else ""),
                        first=f"{list(with_it)}, whose sum is published",
                        second=str(list(instead)),
                        noise="on the sum of what is taken, each further step half as likely",
                        direction=direction,
                        at_epsilon=plain(point),
                        delta_of_all_draws=found,
                        delta_that_is_claimed=allowed,
                        look_at="'loss'",
                    )
    return compared


def _small_neighbours(neighbours: Neighbours) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Datasets of ones, up and down, that a move leads from one to the other, that with more records first."""
    for appear, gone in sorted(neighbours.moves):
        if gone < appear:
            continue
        for size in range(MOST_RECORDS + 1 - gone):
            for others in itertools.combinations_with_replacement((-1, 1), size):
                for own in itertools.product((-1, 1), repeat=gone):
                    for new in itertools.product((-1, 1), repeat=appear):
                        yield (*others, *own), (*others, *new)


def _law(noise: ExactNoise, drawn: Draws, records: tuple[int, ...], most: int) -> list[Fraction]:
    """The law of the noisy sum over all draws, kept within what it may be."""
    ratio = noise.ratio
    outputs = range(-most, most + 1)
    total = dict.fromkeys(outputs, Fraction(0))
    for chance, taken in drawn:
        answer = sum(records[place] for place in taken)
        for output in outputs:
            # Beyond the ends likelihood ratios are constant, so that nothing is lost by taking those outputs together.
            share = 1 if abs(output) == most else 1 - ratio
            total[output] += chance * share * ratio ** abs(output - answer) / (1 + ratio)
    return list(total.values())
