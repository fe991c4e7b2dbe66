"""Attacks on cells by plain sums in 40 digits, written from the model and not from the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import comb
from typing import Any

import mpmath as mp
import numpy as np

from accountant import default_registry
from accountant.plugin import MECHANISMS, Mechanism
from accountant_posterior.attacks import Exchangeable, ParentPrior, Uniform
from accountant_posterior.attacks.cells.areas import CellCounts
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.released import Released
from tests.plugins.posterior.attacks.references import real

Density = Callable[[mp.mpf], mp.mpf]


def mechanism(kind: str, **parameters: str) -> Mechanism:
    made: Any = default_registry()[MECHANISMS][kind]
    found: Mechanism = made(**parameters)
    return found


def density(made: Mechanism, number: int = 1, reach: int = 60) -> Density:
    """The chance or the density of a sum of so much independent noise, up to a factor; whole noise is added up so far."""
    given: Any = made
    if made.kind == "gaussian":
        return lambda x: mp.exp(-(x**2) / (2 * number * real(given.sigma) ** 2))
    if made.kind == "laplace":
        return lambda x: _laplace(abs(x) / real(given.scale), number)
    weights = {
        "discrete-gaussian": lambda k: mp.exp(-(mp.mpf(k) ** 2) / (2 * real(given.variance))),
        "geometric": lambda k: mp.exp(-abs(k) / real(given.scale)),
        "skellam": lambda k: mp.besseli(abs(k), real(given.variance)),
    }[made.kind]
    one = [weights(k) for k in range(-reach, reach + 1)]
    law = one
    for _ in range(number - 1):
        law = [
            mp.fsum(law[i] * one[k - i] for i in range(max(0, k - 2 * reach), min(len(law), k + 1)))
            for k in range(len(law) + 2 * reach)
        ]
    middle = len(law) // 2
    return lambda x: law[middle + int(x)] if abs(x) <= middle else mp.mpf(0)


def _laplace(t: mp.mpf, number: int) -> mp.mpf:
    """Densities of sums of one, two and three, worked out by hand."""
    return mp.exp(-t) * {1: 1, 2: 1 + t, 3: 3 + 3 * t + t**2}[number]


def parent_weight(prior: ParentPrior, below: int, above: int, expected: mp.mpf) -> mp.mpf:
    """The weight of the parent's count, from the definitions of the priors."""
    if above < below:
        return mp.mpf(0)
    if isinstance(prior, Uniform):
        return mp.mpf(1)
    assert isinstance(prior, Exchangeable)
    mean = expected if prior.mean is None else real(prior.mean)
    return (mean / (1 + mean)) ** (above - below) / (1 + mean)


class World:
    """Cells, what was released of them, and the mechanism of every level."""

    def __init__(
        self, cells: CellCounts, released: Released, mechanisms: list[Mechanism], reach: int = 60, room: int = 26
    ) -> None:
        self.cells, self.released, self.room = cells, released, room
        self.noise = [density(made, 1, reach) for made in mechanisms]
        self.sums = [{n: density(made, n, reach) for n in (1, 2, 3)} for made in mechanisms]

    def seen(self, level: int, area: int, kind: int) -> mp.mpf:
        return mp.mpf(float(self.released.noisy(level)[area, kind]))

    def posterior(self, attacker: Attacker, area: int, kind: int, base: int, missed: int) -> mp.mpf:
        """The posterior of a target beside `base` known others, by sums over everything that is unknown."""
        p, q = real(attacker.prior), real(attacker.chance)
        weights = []
        for step in (0, 1):
            terms = []
            for found in range(missed + 1):
                chance = comb(missed, found) * q**found * (1 - q) ** (missed - found)
                terms.append(chance * self.likelihood(attacker, area, kind, base, found + step))
            weights.append(mp.fsum(terms))
        return p * weights[1] / (p * weights[1] + (1 - p) * weights[0])

    def likelihood(self, attacker: Attacker, area: int, kind: int, base: int, more: int) -> mp.mpf:
        cells = self.cells
        count = base + more
        own = self.noise[0](self.seen(0, area, kind) - count)
        if attacker.knows == "levels":
            for level in range(1, len(cells.places)):
                above = int(cells.above[level][area])
                others = int(cells.levels[level][above, kind]) - int(cells.counts[area, kind])
                own *= self.noise[level](self.seen(level, above, kind) - others - count)
        if attacker.knows != "hierarchy":
            return own
        expected = base + real(attacker.prior) + attacker.missing * real(attacker.chance)
        return own * self.above(attacker, 0, area, kind, count, expected)

    def above(self, attacker: Attacker, level: int, area: int, kind: int, count: int, expected: mp.mpf) -> mp.mpf:
        """The weight of all that is seen around and above an area that holds so many."""
        if level == len(self.cells.places) - 1:
            return mp.mpf(1)
        parents = self.cells.parents[level]
        parent = int(parents[area])
        beside = [other for other in np.flatnonzero(parents == parent) if other != area]
        seen = mp.fsum(self.seen(level, int(other), kind) for other in beside)
        d = len(beside)
        terms = []
        for outer in range(count, count + self.room) if d else [count]:
            weight = (
                parent_weight(attacker.above, count, outer, d * expected) * self.sums[level][d](seen - (outer - count))
                if d
                else 1
            )
            own = self.noise[level + 1](self.seen(level + 1, parent, kind) - outer)
            terms.append(weight * own * self.above(attacker, level + 1, parent, kind, outer, expected * (d + 1)))
        return mp.fsum(terms)


def tree(sizes: Iterable[int]) -> tuple[np.ndarray[Any, Any], int]:
    """Which parent each area lies in, if parents hold so many."""
    parents = np.concatenate([np.full(size, place) for place, size in enumerate(sizes)]).astype(np.int64)
    return parents, len(set(parents.tolist()))


def fraction(generator: np.random.Generator) -> Fraction:
    return Fraction(int(generator.integers(1, 20)), 20)
