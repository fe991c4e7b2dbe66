"""Attacks on a count with the help of the counts of the areas around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant import Interval, InvalidValue, fields
from accountant_posterior.attacks.counts import Belief, CountAttack, NoisyCount, Outlook
from accountant_posterior.attacks.odds import belief, probability
from accountant_posterior.attacks.parents import Exchangeable, Known, ParentPrior
from accountant_posterior.attacks.scenario import ATTRIBUTE, AttackScenario

if TYPE_CHECKING:
    from accountant_posterior.attacks.messages import Weighed
    from accountant_posterior.attacks.noise_sums import NoiseSum


@frozen
class Level:
    """One level of geography: the noise of its counts, and how many siblings the target's area has there."""

    scale: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the scale of the noise of every count of this level"),
    )
    siblings: int = field(
        default=0,
        converter=fields.whole,
        validator=fields.at_least(0),
        metadata=fields.about("how many other areas of this level lie in the same parent; none at the top"),
    )


@frozen
class HierarchyAttack:
    """A simulated attack, not a guarantee: a count attack that also looks at the counts of siblings and of areas above.

    Definition: the target's area holds X1 = `known` + 1 people with probability `prior` and `known` otherwise. An area
    above holds at least as many as the one below it, with the law that `above` gives. Released are a noisy count at each
    level, and of each level but the top the sum of the noisy counts of the siblings, which together hold the difference.
    X1 has two values and the other counts are summed over, level by level from the top.

    Guarantee: intervals contain the exact numbers of this model. Where `approximated` is true the model takes the noise
    of a sum for discrete Gaussian, and `total_variation` says how far that is from the truth.
    """

    prior: Fraction = field(
        converter=belief, metadata=fields.about("the attacker's probability that the target is counted, before any release")
    )
    levels: tuple[Level, ...] = field(
        converter=fields.several,
        validator=fields.each(Level),
        metadata=fields.about("the levels of geography, the smallest areas first"),
    )
    above: ParentPrior = field(
        factory=Exchangeable, metadata=fields.about("what is believed about an area, given the one inside it")
    )
    known: int = field(
        default=0,
        converter=fields.whole,
        validator=fields.at_least(0),
        metadata=fields.about("how many others in the target's area are counted, which the attacker knows"),
    )
    scenario: AttackScenario = field(default=ATTRIBUTE, metadata=fields.about("what the probability is about"))

    def __attrs_post_init__(self) -> None:
        if len(self.levels) < 2:
            raise InvalidValue("a hierarchy has at least two levels; for one level use CountAttack")
        for number, level in enumerate(self.levels[:-1], start=1):
            if level.siblings == 0:
                raise InvalidValue(f"level {number} needs at least one sibling; without any it is the level above")
        if self.levels[-1].siblings:
            raise InvalidValue("the counts of siblings at the top level say nothing about the target; leave them out")
        if isinstance(self.above, Known) and len(self.levels) > 2:
            raise InvalidValue("a known count stands for the parent and so needs exactly two levels")
        largest = self.above.largest_count
        if largest is not None and largest <= self.known:
            raise InvalidValue(
                f"a parent that holds at most {largest} leaves no room for the target beside {self.known} known others: "
                "there is nothing left to find out"
            )

    def belief(self, counts: Sequence[int], siblings: Sequence[int]) -> Belief:
        """What the attacker believes, given the noisy counts of all levels and the sums of the siblings' below the top."""
        own, others = self._checked(counts, siblings)
        if self._counted is not None:
            return self._counted.belief(own[0], others[0])
        weighed = self._weigh(own, others)
        odds = weighed.log_odds
        if odds.lower <= 0.0 < odds.upper:
            raise InvalidValue("the two hypotheses are too close for double arithmetic to tell which one is likelier")
        return Belief(Interval.of(self.prior), probability(odds), odds.lower > 0.0)

    def parent(self, counts: Sequence[int], siblings: Sequence[int]) -> Mapping[int, Interval]:
        """The law of the parent's count given all that was released; values less likely than 1e-12 are left out."""
        own, others = self._checked(counts, siblings)
        return self._weigh(own, others).parent()

    def outlook(self, parent: int) -> Outlook:
        """What the attacker ends up with on average when the target is there and the parent holds so many; two levels."""
        if len(self.levels) != 2:
            raise InvalidValue("an outlook is worked out for two levels only; ask for beliefs instead")
        if fields.whole(parent) < self.known + 1:
            raise InvalidValue(f"with the target the area alone holds {self.known + 1}, so its parent cannot hold {parent}")
        if isinstance(self.above, Known) and self.above.count != parent:
            raise InvalidValue("where the attacker is wrong about the parent there is no outlook; ask for beliefs")
        if self._counted is not None:
            return self._counted.outlook()
        from accountant_posterior.attacks.forecast import forecast

        return forecast(self, parent)

    @property
    def approximated(self) -> bool:
        """Whether the noise of some sum over siblings is taken for discrete Gaussian."""
        return any(noise.approximated for noise in self.noises)

    @property
    def total_variation(self) -> Interval:
        """How far, in total variation, what is assumed of the noise of the sums is from the truth, over all of them."""
        apart = [noise.total_variation for noise in self.noises if noise.approximated]
        return sum(apart, Interval.of(0))

    @cached_property
    def noises(self) -> tuple[NoiseSum, ...]:
        """The noise of the sum over the siblings, at each level but the top."""
        from accountant_posterior.attacks.noise_sums import NoiseSum

        return tuple(NoiseSum(level.scale, level.siblings) for level in self.levels[:-1])

    @cached_property
    def _counted(self) -> CountAttack | None:
        """With a known parent and discrete Gaussian sums, the siblings' sum is a count from which the target is missing.

        Then the log-odds are rational up to those of the prior, and ties are exact.
        """
        level, noise = self.levels[0], self.noises[0]
        if not isinstance(self.above, Known) or not (noise.approximated or noise.number == 1):
            return None
        rest = NoisyCount(level.scale * level.siblings, self.above.count - self.known, -1)
        return CountAttack(self.prior, (NoisyCount(level.scale, self.known), rest), self.scenario)

    def _weigh(self, own: tuple[int, ...], others: tuple[int, ...]) -> Weighed:
        from accountant_posterior.attacks.messages import weigh

        return weigh(self, own, others)

    def _checked(self, counts: Sequence[int], siblings: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        number = len(self.levels)
        if len(counts) != number or len(siblings) != number - 1:
            raise InvalidValue(
                f"{number} levels release {number} counts and {number - 1} sums over siblings, got {len(counts)} and "
                f"{len(siblings)}"
            )
        return tuple(map(fields.whole, counts)), tuple(map(fields.whole, siblings))
