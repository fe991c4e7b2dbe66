"""Weights of both hypotheses for many cells at once, in logarithms, with every error bounded.

All likelihoods are relative to those of no noise, so that no factor is above one. What is left out of a sum is then at most
the weight of the noise that it would need, and is carried along as one bound, `stray`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant.numbers.rounding import LEAST
from accountant_posterior.attacks.cells.noise import ROUND, CellNoise
from accountant_posterior.semantics.odds import log_odds

Places = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


SLOPE = 16.0 * ROUND
"""How far off the log of a weight may be, relative to it, beside what is known of the noise."""


@frozen(eq=False)
class Logs:
    """Logs of weights, a row for each setting, none of them above zero.

    Guarantee: each is within the error of its row, and `SLOPE` of itself; e^stray bounds what was left out of each.
    """

    values: Floats
    errors: Floats
    stray: Floats

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Logs:
        """Weights of one, exactly."""
        return cls(np.zeros(shape), np.zeros(shape[0]), np.full(shape, -np.inf))

    def times(self, other: Logs) -> Logs:
        """The product, place by place."""
        cross = np.logaddexp(self.values + other.stray, self.stray + np.logaddexp(other.values, other.stray))
        return Logs(self.values + other.values, self.errors + other.errors, cross)


def weighed(noise: CellNoise, places: Floats) -> Logs:
    """The weights of noise at places, a row for each setting."""
    values, doubt = noise.logs(places)
    return Logs(values, np.full(len(values), doubt), np.where(np.isneginf(values), noise.faint, -np.inf))


def total(terms: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """The logs of the sums over the last axis, and how far off they may be.

    A term e^v is off by its share of `errors` and a few `SLOPE` |v|. With t the largest exponent, |v| is at most
    |t| + (t - v), and (t - v) e^(v - t) is at most 1/e.
    """
    tops = terms.max(axis=-1)
    safe = np.where(np.isfinite(tops), tops, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        found = safe + np.log(np.exp(terms - safe[..., np.newaxis]).sum(axis=-1))
    return found, errors + 2.0 * SLOPE * (np.abs(safe) + terms.shape[-1] + 4.0)


@frozen(eq=False)
class Beliefs:
    """Log-odds of presence after what was released, between two ends, for every setting."""

    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, prior: Fraction, present: tuple[Floats, Floats], absent: tuple[Floats, Floats]) -> Beliefs:
        """From the logs of both weights, each between a lower and an upper end."""
        odds = log_odds(prior)
        ends = []
        for side, (top, bottom, before) in enumerate(
            ((present[0], absent[1], odds.lower), (present[1], absent[0], odds.upper))
        ):
            with np.errstate(invalid="ignore"):
                apart = top - bottom
            found = np.where(np.isnan(apart), (-np.inf, np.inf)[side], apart + before)
            slack = 4.0 * ROUND * (np.abs(np.where(np.isfinite(found), found, 0.0)) + abs(before) + 1.0)
            size = np.abs(np.where(np.isfinite(top), top, 0.0)) * 2.0 * ROUND
            ends.append(found - slack - size if side == 0 else found + slack + size)
        return cls(ends[0], ends[1])

    def posterior(self) -> tuple[Floats, Floats]:
        """Both ends of the posterior, rounded outward."""
        low, high = _expit(self.lower), _expit(self.upper)
        return np.maximum(low * (1.0 - 8.0 * ROUND) - 2.0 * LEAST, 0.0), np.minimum(
            high * (1.0 + 8.0 * ROUND) + 2.0 * LEAST, 1.0
        )

    def guesses(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
        """1 where presence is the likelier one, strictly, 0 where it is not, -1 where this stays open."""
        return np.where(self.lower > 0.0, 1, np.where(self.upper <= 0.0, 0, -1)).astype(np.int8)


def _expit(values: Floats) -> Floats:
    tails = np.exp(-np.abs(values))
    return np.where(values >= 0.0, 1.0, tails) / (1.0 + tails)


@frozen
class Missed:
    """How many others of the area the attacker does not know, and the chance that each is counted.

    Definition: of `number` such people each is counted with probability `share`, independently.
    """

    number: int = 0
    share: Fraction = Fraction(1, 2)

    @property
    def chances(self) -> list[Fraction]:
        """The chances that 0, 1, ... of them are counted."""
        return [
            math.comb(self.number, j) * self.share**j * (1 - self.share) ** (self.number - j)
            for j in range(self.number + 1)
        ]

    def logs(self) -> tuple[Floats, float]:
        """The logs of these chances, and how far off they may be."""
        chances = self.chances
        logs = np.array([math.log(c.numerator) - math.log(c.denominator) if c else -math.inf for c in chances])
        return logs, 4.0 * ROUND * max(math.log(c.numerator) + math.log(c.denominator) + 1.0 for c in chances if c)


def believed(prior: Fraction, own: Logs, above: Logs, missed: Missed) -> Beliefs:
    """The beliefs in presence, from weights of the counts that the area may have beyond those who are known.

    The columns of both are 0, 1, ..., one more than are missed: with the target there they are one further on.
    """
    both = own.times(above)
    chances, doubt = missed.logs()
    ends = []
    for step in (0, 1):
        columns = slice(step, step + missed.number + 1)
        found, off = total(both.values[:, columns] + chances, both.errors + doubt)
        left_out = total(both.stray[:, columns] + chances, off)[0] + 1e-9
        ends.append((found - off, np.logaddexp(found + off, left_out)))
    return Beliefs.of(prior, ends[1], ends[0])
