"""Attacks on a count with the help of the counts of the areas around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval, InvalidValue, fields
from accountant_posterior.attacks.beliefs import posterior
from accountant_posterior.attacks.counts import Belief, CountAttack, NoisyCount, Outlook
from accountant_posterior.attacks.hierarchy import Hierarchy
from accountant_posterior.attacks.parents import Known

if TYPE_CHECKING:
    from accountant_posterior.attacks.messages import Weighed


@frozen
class HierarchyAttack(Hierarchy):
    """A simulated attack, not a guarantee: a count attack that also looks at the counts of siblings and of areas above.

    Definition: a `Hierarchy` says what is believed and what is released. X1 has two values and the other counts are summed
    over, level by level from the top.

    Guarantee: intervals contain the exact numbers of this model. Where `approximated` is true the model takes the noise
    of a sum for discrete Gaussian, and `total_variation` says how far that is from the truth.
    """

    def belief(self, counts: Sequence[int], siblings: Sequence[int]) -> Belief:
        """What the attacker believes, given the noisy counts of all levels and the sums of the siblings' below the top."""
        own, others = self._checked(counts, siblings)
        if self._counted is not None:
            return self._counted.belief(own[0], others[0])
        weighed = self._weigh(own, others)
        odds = weighed.log_odds
        likelier: bool | None = odds.lower > 0.0
        if odds.lower <= 0.0 < odds.upper:
            from accountant_posterior.attacks.ties import decided

            likelier = decided(self, own[0], own[1], others[0])
        if likelier is None:
            raise InvalidValue("the two hypotheses are too close for the arithmetic to tell which one is likelier")
        return Belief(Interval.of(self.prior), posterior(odds), likelier)

    def parent(self, counts: Sequence[int], siblings: Sequence[int]) -> Mapping[int, Interval]:
        """The law of the parent's count given all that was released; values less likely than 1e-12 are left out."""
        own, others = self._checked(counts, siblings)
        return self._weigh(own, others).parent()

    def outlook(self, parent: int, *further: int, present: bool = True) -> Outlook:
        """What the attacker ends up with on average when the areas above hold so many, with the target or without.

        The attacker may be wrong about the parent: a count that is taken for `Known` need not be the true one. For three
        levels and more all outcomes of noise are followed one by one, and refused where they are too many.
        """
        true = tuple(map(fields.whole, (parent, *further)))
        if len(true) != len(self.levels) - 1:
            raise InvalidValue(f"{len(self.levels) - 1} levels lie above the smallest, got counts of {len(true)}")
        own = self.known + int(present)
        if true[0] < own:
            raise InvalidValue(f"the area alone holds {own}, so its parent cannot hold {parent}")
        if list(true) != sorted(true):
            raise InvalidValue(f"an area holds no more than the one above it, got {', '.join(map(str, true))}")
        if self._counted is not None:
            assert isinstance(self.above, Known)
            # Without the target the siblings hold what is left of the parent, which the attacker takes for another count.
            believed, held = self.above.count - int(present), parent - int(present)
            return self._counted.outlook(present=present, errors=(0, held - believed))
        if len(true) > 1 or not present or (isinstance(self.above, Known) and self.above.count != parent):
            from accountant_posterior.attacks.outcomes import forecast_all

            return forecast_all(self, true, present=present)
        from accountant_posterior.attacks.forecast import forecast

        return forecast(self, parent)

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
