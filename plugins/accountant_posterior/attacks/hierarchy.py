"""Counts of areas inside areas, as an attacker sees them."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant import Interval, InvalidValue, fields
from accountant_posterior.attacks.beliefs import belief
from accountant_posterior.attacks.parents import Exchangeable, Known, ParentPrior
from accountant_posterior.attacks.scenario import ATTRIBUTE, AttackScenario

if TYPE_CHECKING:
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
class Hierarchy:
    """What an attacker knows before noisy counts of the target's area, its siblings and the areas above are released.

    Definition: the target's area holds X1 = `known` + 1 people with probability `prior` and `known` otherwise. An area
    above holds at least as many as the one below it, with the law that `above` gives. Released are a noisy count at each
    level, and of each level but the top the sum of the noisy counts of the siblings, which together hold the difference.
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
