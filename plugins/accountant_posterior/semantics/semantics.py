"""Semantics: what an account means for the beliefs of an attacker."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from accountant import Interval, InvalidValue, Step, fields
from accountant.numbers import float_above, float_below
from accountant_posterior.semantics.actual import actual_losses, between_rows
from accountant_posterior.semantics.adversary import INDEPENDENT, STRONG, Adversary, guaranteed_against
from accountant_posterior.semantics.bound import PosteriorBound, Reading
from accountant_posterior.semantics.evidence import Gain, LossEvidence
from accountant_posterior.semantics.law import PosteriorLaw
from accountant_posterior.semantics.odds import (
    largest_difference,
    mixed_ratio,
    probability,
    ratio,
    updated,
    worst_prior,
    written,
)
from accountant_posterior.semantics.theorems import POSTERIOR, VALUE_AND_MEMBERSHIP

if TYPE_CHECKING:
    from accountant import Account, Guarantee
    from accountant.numbers import ExactLike
    from accountant.plugin import ComparedPairs


_READINGS = ("posterior", "ratio", "difference")
_MOST_RELEASES = 2**40
_MOST_LAWS = 10_000


@frozen
class Semantics:
    """The beliefs that attackers of one model may hold after all releases of an account.

    `dependence` is for attackers who do not know all other records: at most so many records, the target's among them,
    change with the secret in their model. An attacker who knows all others needs none. With `slack`, bounds that may fail
    are found as the literature does, from approximate differential privacy at that one delta; leaving it out is tighter.
    """

    account: Account
    adversary: Adversary = field(default=STRONG, converter=guaranteed_against)
    dependence: int = field(
        default=1,
        converter=fields.whole,
        validator=[fields.at_least(1), fields.at_most(10_000)],
        metadata=fields.about("how many records, the target's among them, change with the secret"),
    )
    slack: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("the one delta of approximate differential privacy to start from"),
    )
    _gains: dict[Fraction, Gain] = field(factory=dict, init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        specification = self.account.plan.specification
        self.adversary.secret(specification.neighbours)
        closest = self.account.closest
        if closest.least is None:
            raise InvalidValue(
                "what is published exactly leaves no two datasets to compare, so nothing is promised about any belief"
            )
        if closest.least > self._units:
            raise InvalidValue(
                f"datasets that agree on what is published exactly differ in at least {closest.least} units, so who knows "
                f"all other records knows the secret; ask with dependence={closest.least} or more for those who do not"
            )
        if self.adversary == INDEPENDENT and specification.invariants:
            raise InvalidValue(
                "what is published exactly ties records to each other, so none is independent of the others given it; ask "
                "for the 'strong' adversary"
            )

    @property
    def secret(self) -> str:
        """What the attacker wants to learn, in words."""
        neighbours = self.account.plan.specification.neighbours
        several = "" if neighbours.group == 1 else f", for up to {neighbours.group} units at once"
        return self.adversary.secret(neighbours) + several

    @property
    def who(self) -> str:
        """Who the attacker is, in words that follow "an attacker"."""
        return self.adversary.described(self.comparison, self.dependence, looks_elsewhere(self.account))

    @property
    def comparison(self) -> ComparedPairs:
        """Between which datasets the log likelihood ratio of the secret is bounded."""
        return self.account.plan.comparison

    @property
    def _units(self) -> int:
        return self.dependence * self.account.plan.specification.neighbours.group

    def against(self, attacker: str) -> Semantics:
        """The same for an attacker who knows who was sampled ('insider') or does not ('outsider').

        Sampling hides a record from outsiders only.
        """
        return evolve(self, account=self._evidence.of(self.account.plan.against(attacker)))

    # Bounds that hold whatever is made of the output ------------------------------------------------------------------

    def posterior(self, prior: ExactLike, failure: ExactLike = 0, *, membership: ExactLike | None = None) -> PosteriorBound:
        """Where the posterior probability of the secret lies, for an attacker with this prior."""
        belief, chance = probability(prior, "the prior"), probability(failure, "the failure probability")
        gain = self.gain(chance)
        member = self._membership(belief, membership)
        if member is None or not belief:
            ends = updated(belief, gain.widest)
        else:
            low, high = (Fraction(end) * belief for end in mixed_ratio(belief, member, *gain.ends))
            ends = Interval(float_below(low), float_above(high)).clamp(0.0, 1.0)
        return self._bound("posterior", ends.lower, ends.upper, chance, gain, belief, membership)

    def ratio(
        self, prior: ExactLike | None = None, failure: ExactLike = 0, *, membership: ExactLike | None = None
    ) -> PosteriorBound:
        """The posterior over the prior, at one prior or at whichever is worst: one that goes to 0."""
        chance = probability(failure, "the failure probability")
        gain = self.gain(chance)
        belief = Fraction(0) if prior is None else probability(prior, "the prior")
        member = self._membership(belief, membership)
        ends = ratio(belief, gain.widest) if member is None else Interval(*mixed_ratio(belief, member, *gain.ends))
        return self._bound("ratio", ends.lower, ends.upper, chance, gain, None if prior is None else belief, membership)

    def difference(
        self, prior: ExactLike | None = None, failure: ExactLike = 0, *, membership: ExactLike | None = None
    ) -> PosteriorBound:
        """The posterior less the prior, at one prior or at whichever is worst, which is then reported."""
        chance = probability(failure, "the failure probability")
        if prior is None:
            if membership is not None:
                raise InvalidValue("the worst prior is sought over all memberships too; give a prior, or leave both out")
            gain = self.gain(chance)
            most = largest_difference(Interval(0.0, gain.widest.upper)).upper
            found = self._bound("difference", -most, most, chance, gain, None, None)
            return evolve(found, worst_prior=worst_prior(gain.larger))
        inner = self.posterior(prior, chance, membership=membership)
        belief = probability(prior, "the prior")
        low, high = float_below(Fraction(inner.lower) - belief), float_above(Fraction(inner.upper) - belief)
        return evolve(inner, reading="difference", lower=low, upper=high)

    def _membership(self, belief: Fraction, membership: ExactLike | None) -> Fraction | None:
        """The prior probability that the target is a member; None where it is left open, and the worst counts."""
        if membership is None:
            return None
        chance = probability(membership, "the membership")
        if self.adversary != INDEPENDENT:
            raise InvalidValue(
                f"the {self.adversary.name} adversary has one prior, that of the secret; a membership beside it belongs to "
                "the 'independent' adversary"
            )
        if not self._removes and chance != 1:
            raise InvalidValue(
                "'replace-one' neighbours promise nothing about membership, so the target must be known to be a member: "
                "leave the membership out, or promise 'add-remove' neighbours"
            )
        if chance < belief:
            raise InvalidValue(
                f"the prior of being a member with the value, {written(belief)}, cannot exceed that of being a member, "
                f"{written(chance)}"
            )
        return chance

    def _bound(
        self,
        reading: Reading,
        lower: float,
        upper: float,
        failure: Fraction,
        gain: Gain,
        prior: Fraction | None,
        membership: ExactLike | None,
    ) -> PosteriorBound:
        theorem = VALUE_AND_MEMBERSHIP if self.adversary == INDEPENDENT else POSTERIOR
        words = f"the {reading}" + ("" if prior is None else f" at prior {written(prior)}")
        last = Step(words, theorem, (len(gain.derivation),), Interval(lower, upper))
        return PosteriorBound(
            reading,
            lower,
            upper,
            failure,
            self.adversary,
            self.secret,
            prior,
            None if membership is None else fields.exact(membership),
            None,
            gain.larger,
            theorem,
            (*gain.derivation, last),
            self.comparison,
            self.dependence,
            looks_elsewhere(self.account),
        )

    # How far evidence goes -------------------------------------------------------------------------------------------

    def gain(self, failure: ExactLike = 0) -> Gain:
        """How strongly the output may speak for or against the secret, except with a failure probability."""
        chance = probability(failure, "the failure probability")
        if chance not in self._gains:
            self._gains[chance] = self._gain(chance)
        return self._gains[chance]

    def _gain(self, chance: Fraction) -> Gain:
        evidence = self._evidence
        if self.adversary != INDEPENDENT or not self._removes:
            unit, steps = evidence.within(self.dependence, chance)
            return Gain(unit, unit, steps)
        if not chance:
            return self._always(evidence)
        # What else may be true is a mixture of absence and of other values, so one curve has to cover both.
        both, steps = evidence.within(2 * self.dependence, chance)
        rarely = Gain(both, both, steps)
        if self.slack is not None:
            return rarely
        return min(rarely, self.gain(0), key=lambda gain: gain.larger.upper)

    def _always(self, evidence: LossEvidence) -> Gain:
        """Without failures absence and other values may be told apart, and each costs what it costs."""
        unit, steps = evidence.within(self.dependence, Fraction(0))
        value, further = evidence.changed(self.dependence, Fraction(0))
        moved = tuple(evolve(step, uses=tuple(use + len(steps) for use in step.uses)) for step in further)
        return Gain(unit, value, (*steps, *moved))

    @property
    def _evidence(self) -> LossEvidence:
        return LossEvidence(self.account, self.slack)

    @property
    def _removes(self) -> bool:
        return self.adversary.removes_units(self.account.plan.specification.neighbours)

    # Beside the bounds -----------------------------------------------------------------------------------------------

    def law(self, prior: ExactLike, *, rows: tuple[int, int] | None = None) -> PosteriorLaw:
        """How the posterior is distributed for an attacker who sees the outputs themselves.

        Tighter than every bound, and no guarantee for data that were processed further. Where releases are tables, `rows`
        names those that are compared, that of the side in question first; readings enclose the laws of all otherwise. Where
        only a pair that dominates the releases is known, the law is that pair's and says so; claims are refused. Where
        releases have scopes, each case has a law of its own: ask for that of one of `account.whereabouts`.
        """
        if self.adversary == INDEPENDENT or self.dependence > 1:
            raise InvalidValue(
                "the law of a posterior is known where all other records are; ask for it with the 'strong' adversary and "
                "no dependence"
            )
        belief, loss = probability(prior, "the prior"), self.account.loss
        if rows is not None:
            return PosteriorLaw(between_rows(self.account, rows), belief, self.secret, ordered=True)
        actual = actual_losses(self.account)
        if actual is None:
            return PosteriorLaw(loss, belief, self.secret, dominating=True)
        return PosteriorLaw(actual[0], belief, self.secret, actual[1:])

    def power(self, level: ExactLike) -> Guarantee:
        """The largest power of any test about the secret at a level: what a frequentist would fear.

        Where releases have scopes, the secret is between two values, or one value and absence, not between sets.
        """
        if self.dependence == 1:
            return self.account.measure("fdp", level=level)
        whole = self._evidence.grouped(self.dependence)
        if whole is None:
            raise InvalidValue(
                f"some release does not say what it loses between datasets that differ in {self.dependence} units"
            )
        return whole.measure("fdp", level=level)

    def releases_until(
        self,
        threshold: ExactLike,
        prior: ExactLike | None = None,
        failure: ExactLike = 0,
        *,
        reading: Reading = "posterior",
    ) -> int | None:
        """How often all releases can be made, on the same data each time, until a bound exceeds a threshold; None if never.

        Guarantee: one time less stays within the threshold.
        """
        limit = fields.exact(threshold)
        if reading not in _READINGS:
            raise InvalidValue(f"no reading is called {reading!r}; known: {', '.join(_READINGS)}")

        def exceeded(count: int) -> bool:
            upper = getattr(self.times(count), reading)(prior, failure).upper
            return upper == math.inf or Fraction(upper) > limit

        return _first(exceeded)

    def releases_until_likely(self, threshold: ExactLike, prior: ExactLike, failure: ExactLike) -> int | None:
        """The same by the law itself: until the log odds move as far as to the threshold with more than a probability.

        Both directions count, and no further processing is allowed for. That chance does not grow steadily with the number,
        so each is looked at from where the bounds give out. Refused where the law of the releases is not known.
        """
        level, belief = probability(threshold, "the threshold"), probability(prior, "the prior")
        chance = probability(failure, "the failure probability")
        if not (0 < level < 1 and 0 < belief < 1):
            raise InvalidValue("threshold and prior must lie strictly between 0 and 1: certainty never moves")
        if self.law(belief).dominating:
            raise InvalidValue(
                "of these releases only a pair that dominates them is known, and not how their own outputs are "
                "distributed; ask for 'releases_until', by bounds that hold for all"
            )
        factor = level * (1 - belief) / ((1 - level) * belief)
        start = self.releases_until(level, belief, chance) if factor > 1 else 1
        for count in range(start, _MOST_LAWS) if start is not None else ():
            if self.times(count).law(belief).outside_ratio(max(factor, 1 / factor)).at_most(chance) is not True:
                return count
        return None

    def times(self, count: int) -> Semantics:
        """The same once all releases were made so many times, on the same data each time."""
        plan = self.account.plan
        releases = tuple(evolve(release, times=release.times * count) for release in plan.releases)
        return evolve(self, account=self._evidence.of(evolve(plan, releases=releases)))


def looks_elsewhere(account: Account) -> bool:
    """Whether a release depends, or may depend, on attributes that the promise does not speak of."""
    promised, involved = account.plan.specification.neighbours.attributes, account.plan.attributes
    return promised is not None and (involved is None or not involved <= promised)


def _first(exceeded: Callable[[int], bool]) -> int | None:
    """The first count from which on a condition holds."""
    low, high = 0, 1
    while not exceeded(high):
        low, high = high, 2 * high
        if high > _MOST_RELEASES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if exceeded(middle) else (middle, high)
    return high
