"""Laws of risk profiles: what a profile recommends and calls kept is held against an attack that really happens.

The attack: everybody but a target with the sensitive value looks the same, and a release keeps pure differential privacy
with epsilon. Some output is then e^epsilon times as likely for such a target as for anybody else, whichever neighbours are
promised. Somebody who holds it likely with probability p before holds it likely with p/(p + (1 - p) e^-epsilon) after.
Where promises are about who is there, a target with another value is two steps away: the output is e^epsilon times as
likely for whoever has the value as without the target, and that again e^epsilon times as likely as for another value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs
from attrs import field, frozen

from accountant import fields
from accountant.accounting.account import account
from accountant.errors import AccountantError
from accountant.loss import NO_LOSS, BracketLoss, FiniteLoss, PrivacyLoss, ResponseLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball
from accountant.plan.plan import Plan
from accountant.promise.guarantee import Verdict
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import ADD_REMOVE, NEIGHBOURS, Neighbours, Relation
from accountant.promise.risk import Recommendation, RiskProfile
from accountant.promise.specification import Specification
from accountant.promise.theorem import Theorem
from accountant.registry.registry import Registry
from accountant.release.query import Shift
from accountant.release.release import Mechanism, Release
from accountant.release.stated import Vector
from accountant.testing.counterexamples import broken
from accountant.values.writing import in_words, kind_data

_BELIEFS = tuple(Fraction(*share) for share in ((1, 1000), (1, 20), (1, 4), (1, 2), (3, 4), (19, 20), (1, 1)))
_MOST_OWN, _MORE = 6, 1.01
_EPSILONS = tuple(Fraction(*epsilon) for epsilon in ((1, 100), (1, 10), (1, 2), (1, 1), (2, 1), (5, 1)))
_CHANCES = (Fraction(1, 10**9), Fraction(1, 10**4), Fraction(1, 100))
_TRIED = Theorem("tried", "Its loss is as large as epsilon allows.", "tried", "-", assurance="claimed")


@frozen
class _Telling(Mechanism):
    """The worst that pure differential privacy permits."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    epsilon: Fraction = field(converter=fields.exact)
    settled: bool = True
    """Whether it is known to be that bad, or may as well lose nothing."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        worst = ResponseLoss(self.epsilon * shift.l1)
        return worst if self.settled else BracketLoss(worst, NO_LOSS)


@frozen
class _Leaking(Mechanism):
    """Nothing is told, but for a chance that everything is."""

    kind: ClassVar[str] = "leaking"
    theorem: ClassVar[Theorem] = _TRIED

    chance: Fraction = field(converter=fields.exact)

    def loss(self, shift: Shift) -> PrivacyLoss:
        return FiniteLoss([(1 - self.chance,) * 2, (self.chance, 0), (0, self.chance)])


@frozen
class _Belief:
    """What an attacker believes beforehand, of whom a profile speaks, and what it tolerates of such."""

    membership: Fraction
    disclosure: Fraction
    tolerated: Interval

    def gained(self, epsilon: float, steps: int) -> float:
        """How many times as likely the attack makes what was believed, another value so many steps away; rounded down."""
        # e^-x is granted 4, and moves by no more than x, which rounds once.
        falls = [Ball.rounded(math.exp(-far * epsilon), 8.0).upper for far in (1, steps)]
        absent, other = (Fraction(0 if epsilon == math.inf else fall) for fall in falls)
        member, value = self.membership, self.disclosure
        left = member * value + (1 - member) * absent + member * (1 - value) * other
        return Ball.rounded(float(1 / left), 2.0).lower


def _require_ratios(profile: RiskProfile, beliefs: Sequence[_Belief]) -> None:
    """What is tolerated is at least that nothing changes, for every belief beforehand."""
    for belief in beliefs:
        if belief.tolerated.upper < 1.0:
            broken(
                f"'{profile.kind}' must tolerate that nothing is learned",
                profile=in_words(kind_data(profile)),
                membership=plain(belief.membership),
                disclosure=plain(belief.disclosure),
                tolerated_ratio=belief.tolerated,
                look_at="'tolerance'",
            )


def recommendations_are_admissible(profile: RiskProfile) -> None:
    """Under the epsilon that is recommended no attacker learns more than is tolerated, whatever was believed before.

    Where beliefs are said to decide it, a hundredth more would be too much for an attacker who holds these.
    """
    found, beliefs = profile.recommend(), _beliefs(profile)
    _require_ratios(profile, beliefs)
    statement = f"'{profile.kind}' must not recommend an epsilon under which more is learned"
    _require_tolerated(profile, beliefs, found.epsilon.lower, statement, "'recommend'")
    _require_decided(profile, found)


def some_beliefs_are_asked_about(kind: str, profiles: Iterable[RiskProfile]) -> None:
    """A profile tolerates something of somebody, and not everything of everybody: else nothing could be wrong."""
    if not any(belief.tolerated.upper < math.inf for profile in profiles for belief in _beliefs(profile)):
        broken(
            f"'{kind}' tolerates everything of all attackers that are tried, so that nothing was",
            beliefs="a few, those among the parameters, and those that decide what is recommended",
            look_at="'asks' and 'tolerance'",
            remedy="let 'recommend' name the beliefs that decide, or give a RiskProfileOracle",
        )


def _require_decided(profile: RiskProfile, found: Recommendation) -> None:
    if found.membership is None or found.disclosure is None or math.isinf(found.epsilon.upper):
        return
    belief = _Belief(found.membership, found.disclosure, profile.tolerance(found.membership, found.disclosure))
    gained = belief.gained(found.epsilon.upper * _MORE, 2)
    if gained < belief.tolerated.lower:
        broken(
            f"'{profile.kind}' must name the beliefs that decide what it recommends, or none",
            profile=in_words(kind_data(profile)),
            recommended_epsilon=found.epsilon,
            membership=plain(found.membership),
            disclosure=plain(found.disclosure),
            tolerated_ratio=belief.tolerated,
            ratio_of_an_attack_under_a_hundredth_more=f"{gained:.6g}",
            look_at="'recommend'",
        )


def assessments_are_admissible(profile: RiskProfile, registry: Registry) -> None:
    """Where an account is said to stay within a profile, no attacker learns more than is tolerated.

    And it is not said to exceed the profile where it may lose nothing, or no more than is recommended; nor to stay within
    it between neighbours that the theorems of the profile do not cover.
    """
    admitted, beliefs = profile.recommend().epsilon.lower, _beliefs(profile)
    for relation in registry[NEIGHBOURS].values():
        _require_covered(profile, relation, registry)
    _require_doubt_beside_counts(profile, beliefs, registry)
    for mechanism, epsilon, chance in _attacked():
        plan = Plan("law", Specification(Neighbours(ADD_REMOVE)), (Release("tried", mechanism, Vector(shift=[1])),))
        try:
            found = profile.assess(account(plan, registry=registry))
        except AccountantError:
            continue
        if found.verdict is Verdict.IMPLIED and profile.failure < chance:
            statement = f"'{profile.kind}' must not call kept what is exceeded"
            _require_tolerated(profile, beliefs, epsilon, statement, "'assess'", steps=2)
        if found.verdict is Verdict.REFUTED and isinstance(mechanism, _Telling):
            _require_exceeded(profile, mechanism, admitted)


def _require_covered(profile: RiskProfile, relation: Relation, registry: Registry) -> None:
    """Between neighbours of another kind than its theorems speak of nothing is said to be kept."""
    plan = Plan("law", Specification(Neighbours(relation)), (Release("tried", _Telling(_EPSILONS[0]), Vector(shift=[1])),))
    try:
        found = profile.assess(account(plan, registry=registry))
    except AccountantError:
        return
    own = (profile.recommend().theorem, *(step.theorem for step in found.derivation[-1:]))
    for theorem in own if found.verdict is Verdict.IMPLIED else ():
        if theorem.relations is not None and relation.name not in theorem.relations:
            broken(
                f"'{profile.kind}' must not call kept what its theorem '{theorem.name}' does not cover",
                profile=in_words(kind_data(profile)),
                theorem_covers=f"{', '.join(theorem.relations)} neighbours",
                called_kept_between=f"{relation.name} neighbours",
                look_at="'assess'",
                remedy="refuse other neighbours with an InvalidValue",
            )


def _require_doubt_beside_counts(profile: RiskProfile, beliefs: Sequence[_Belief], registry: Registry) -> None:
    """Beside a statistic that is published exactly nothing is called kept of attackers whom it may tell who is there.

    A number of all records that have the target's value tells whoever knows everybody else.
    """
    exact = Specification(Neighbours(ADD_REMOVE), invariants=(Invariant("how many have the value"),))
    plan = Plan("law", exact, (Release("tried", _Telling(_EPSILONS[0]), Vector(shift=[1])),))
    try:
        found = profile.assess(account(plan, registry=registry))
    except AccountantError:
        return
    if found.verdict is Verdict.IMPLIED:
        _require_tolerated(
            profile,
            beliefs,
            math.inf,
            f"'{profile.kind}' must not call kept what an exact number beside the releases may tell",
            "'assess', where 'account.plan.specification.invariants' has some,",
            steps=1,
        )


def _require_exceeded(profile: RiskProfile, mechanism: _Telling, admitted: float) -> None:
    """What is called exceeded is known to lose something, and more than what is recommended."""
    if mechanism.settled and mechanism.epsilon > admitted:
        return
    broken(
        f"'{profile.kind}' must not call exceeded what may be kept",
        profile=in_words(kind_data(profile)),
        recommended_epsilon=f"{admitted:.6g}",
        epsilon_of_the_account=plain(mechanism.epsilon) if mechanism.settled else f"from 0 to {plain(mechanism.epsilon)}",
        look_at="'assess'",
        remedy="where it is not known to be exceeded, the verdict is Verdict.UNKNOWN",
    )


def _attacked() -> Iterator[tuple[Mechanism, float, Fraction]]:
    """Mechanisms, what each may lose, and the chance with which the attack sees something that tells it.

    Some are known to lose so much, of some it cannot be ruled out, and some tell everything now and then.
    """
    for epsilon in _EPSILONS:
        for settled in (True, False):
            yield _Telling(epsilon, settled), float(epsilon), Fraction(math.exp(-epsilon) / (1.0 + math.exp(epsilon)))
    for chance in _CHANCES:
        yield _Leaking(chance), math.inf, chance


def _require_tolerated(
    profile: RiskProfile, beliefs: Sequence[_Belief], epsilon: float, statement: str, method: str, steps: int = 1
) -> None:
    for belief in beliefs:
        gained = belief.gained(epsilon, steps)
        if gained > belief.tolerated.upper:
            broken(
                statement,
                profile=in_words(kind_data(profile)),
                epsilon=f"{epsilon:.6g}",
                membership=plain(belief.membership),
                disclosure=plain(belief.disclosure),
                tolerated_ratio=belief.tolerated,
                ratio_of_an_attack=f"{gained:.6g}",
                look_at=f"{method} and 'tolerance'",
            )


def _beliefs(profile: RiskProfile) -> list[_Belief]:
    """What attackers may believe beforehand, of whom the profile speaks: a few beliefs, and those that it names itself."""
    found = profile.recommend()
    own = {chance for chance in _chances(attrs.astuple(profile)) if 0 < chance < 1}
    each = {*_BELIEFS, *sorted(own)[:_MOST_OWN]}
    pairs = {*itertools.product(each, repeat=2)}
    if found.membership is not None and found.disclosure is not None:
        pairs.add((Fraction(found.membership), Fraction(found.disclosure)))
    return [_Belief(one, other, profile.tolerance(one, other)) for one, other in sorted(pairs) if profile.asks(one, other)]


def _chances(value: Any) -> Iterator[Fraction]:
    """The numbers of a profile that may be beliefs: chances, and one out of so many."""
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        yield Fraction(value) if value <= 1 else 1 / Fraction(value)
    elif isinstance(value, Mapping):
        yield from _chances((*value, *value.values()))
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for item in value:
            yield from _chances(item)
