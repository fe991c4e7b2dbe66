"""A Gibbs sampler for two levels: a check on the exact sums, with the same answers up to Monte Carlo error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from accountant import InvalidValue, fields
from accountant.loss import Floats
from accountant_posterior.attacks.evidence import expit
from accountant_posterior.semantics.odds import log_odds

if TYPE_CHECKING:
    from accountant_posterior.attacks.hierarchy import Hierarchy

_REACH = 128


@frozen(eq=False)
class CountDraws:
    """Draws of the target area's count and of its parent's: a row for each iteration, a column for each chain."""

    own: NDArray[np.int64]
    parent: NDArray[np.int64]


@frozen(eq=False)
class GibbsChain:
    """A simulated attack, not a guarantee: draws from the joint law of both counts, given what was released.

    Definition: the own count is drawn given the parent's among those of its two values that do not exceed it; the parent's
    is drawn given the own one among all values that are not below it. Both steps need the restriction: without it in the
    first one the chain is no Gibbs sampler and has another law.
    """

    parents: Floats
    chances: Floats
    """The chance of presence given each of the parent's counts."""
    cumulative: tuple[Floats, Floats]
    known: int

    @classmethod
    def of(cls, attack: Hierarchy, counts: Sequence[int], siblings: int) -> GibbsChain:
        """The chain of an attack on two levels."""
        if len(attack.levels) != 2:
            raise InvalidValue("the sampler is for two levels; use the exact sums of HierarchyAttack.belief")
        own, above = map(fields.whole, counts)
        low, scale = attack.known, attack.levels[1].scale
        reach = math.isqrt(math.floor(2 * _REACH * scale)) + 1
        parents = np.arange(low, max(low + 1, above + reach) + 1, dtype=np.float64)
        expected = attack.levels[0].siblings * (attack.known + attack.prior)
        joint = [
            -((own - low - step) ** 2) / (2.0 * float(attack.levels[0].scale))
            - (parents - above) ** 2 / (2.0 * float(scale))
            + attack.noises[0].log_weights(siblings - (parents - low - step))
            + attack.above.log_weights(low + step, parents, expected)
            for step in (0, 1)
        ]
        odds = 0.5 * (log_odds(attack.prior).lower + log_odds(attack.prior).upper)
        joint[1] = joint[1] + odds
        if any(logs.max() == -np.inf for logs in joint):
            raise InvalidValue("what was released contradicts itself too much to be sampled in double arithmetic")
        # Where neither hypothesis is possible given the parent, no draw ever leads there.
        absent, present = (np.maximum(logs, -1e300) for logs in joint)
        chances = expit(np.clip(present - absent, -800.0, 800.0))
        return cls(parents, chances, (_cumulative(absent), _cumulative(present)), low)

    def draw(self, generator: Generator, *, chains: int, iterations: int, burn: int = 20) -> CountDraws:
        """Draws of many chains at once, after `burn` iterations that are thrown away."""
        indices = generator.integers(0, len(self.parents), chains)
        own = np.empty((iterations, chains), dtype=np.int64)
        parent = np.empty((iterations, chains), dtype=np.int64)
        for iteration in range(-burn, iterations):
            present = generator.random(chains) < self.chances[indices]
            uniform = generator.random(chains)
            options = [np.searchsorted(cumulative, uniform, side="right") for cumulative in self.cumulative]
            indices = np.where(present, options[1], options[0])
            if iteration >= 0:
                own[iteration] = self.known + present
                parent[iteration] = self.parents[indices]
        return CountDraws(own, parent)


def _cumulative(logs: Floats) -> Floats:
    sums = np.cumsum(np.exp(logs - logs.max()))
    # The last one is exactly one, so that no draw falls beyond it.
    shares: Floats = sums / sums[-1]
    return shares
