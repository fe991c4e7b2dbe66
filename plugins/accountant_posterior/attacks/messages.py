"""Sums over the counts of a hierarchy, level by level from the top, in logarithms and with every error bounded.

The weight of counts k1 <= k2 <= ... is the product of e^(-(x - k)^2/(2 s)) over the levels, of the chances of the
siblings' noise, and of the prior. The counts of a level run over a window around what was released there. What lies
outside is at most the sum of the first factor there times that of all the other levels everywhere, since chances are at
most one; the windows grow until this is negligible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant import Interval, InvalidValue
from accountant.loss import Floats
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.noise_sums import FAINT
from accountant_posterior.semantics.odds import log_odds

if TYPE_CHECKING:
    from accountant_posterior.attacks.hierarchy import Hierarchy

_NEGLIGIBLE = -45.0
_FIRST, _LAST = 128, 2**20
_LARGEST = 2**24
_FAINTEST = 1e-12


@frozen(eq=False)
class Weighed:
    """The logs of the weights of the parent's counts, for the target absent and present, with the prior."""

    prior: Fraction
    own: tuple[Fraction, Fraction]
    """The exponents of the target area's own count."""
    parents: Floats
    absent: Floats
    present: Floats
    error: float
    missing: float

    @property
    def log_odds(self) -> Interval:
        """The log-odds of presence."""
        low, high = [], []
        for weights in (self.absent, self.present):
            total = log_sum(weights)
            # Exponents round once, the exponential and the logarithm are granted 8 and 4, and the sum rounds once.
            sure = Ball.rounded(total, 16.0, 1.0 + abs(total) + len(weights)).widened(self.error)
            low.append(sure.lower)
            with_missing = float(np.logaddexp(sure.upper, self.missing))
            high.append(Ball.rounded(with_missing, 16.0, 1.0 + abs(with_missing)).upper)
        own = Interval.of(self.own[1] - self.own[0])
        apart = Interval(low[1], high[1]) - Interval(low[0], high[0])
        return log_odds(self.prior) + own + apart

    def parent(self) -> Mapping[int, Interval]:
        """The law of the parent's count."""
        odds = log_odds(self.prior)
        shift = float(self.own[1] - self.own[0]) + 0.5 * (odds.lower + odds.upper)
        joint = np.logaddexp(self.absent, self.present + shift)
        total = log_sum(joint)
        rounded = Ball.rounded(total, 16.0, 1.0 + abs(total) + abs(shift) + len(joint))
        off = rounded.widened(self.error + odds.width).radius
        # What lies outside the windows, beside all that lies inside.
        stray = math.exp(min(0.0, self.missing + max(0.0, shift) - total + off + 1.0))
        chances = np.exp(joint - total)
        found = {}
        for count, chance in zip(self.parents, chances, strict=True):
            if chance > _FAINTEST:
                # The exponential is granted 8 and its exponent rounds once.
                known = Ball.rounded(float(chance), 16.0).widened(float(chance) * math.expm1(2.0 * off) + 2.0 * stray)
                found[int(count)] = known.interval(0.0, 1.0)
        return found


def log_sum(logs: Floats) -> float:
    """The log of a sum, given the logs of its terms."""
    top = float(logs.max())
    return top + math.log(math.fsum(np.exp(logs - top))) if top > -math.inf else top


def weigh(attack: Hierarchy, counts: tuple[int, ...], siblings: tuple[int, ...]) -> Weighed:
    """The weights of the parent's counts, with windows wide enough that what they leave out is negligible."""
    reach = _FIRST
    while reach <= _LAST:
        found = _within(attack, counts, siblings, reach)
        lightest = min(log_sum(found.absent), log_sum(found.present))
        if found.missing - lightest < _NEGLIGIBLE:
            return found
        reach *= 4
    raise InvalidValue("what was released contradicts itself too much for the attack to be followed in double arithmetic")


def _within(attack: Hierarchy, counts: tuple[int, ...], siblings: tuple[int, ...], reach: int) -> Weighed:
    levels, low = attack.levels, attack.known
    windows = []
    for level, count in zip(levels[1:], counts[1:], strict=True):
        last = math.isqrt(math.floor(2 * reach * level.scale)) + 1
        windows.append(np.arange(max(low, count - last), max(low, count + last) + 1, dtype=np.float64))
    areas = [np.array([low, low + 1.0]), *windows]
    if max(len(inner) * len(outer) for inner, outer in pairwise(areas)) > _LARGEST:
        raise InvalidValue("the noise is too wide, or what was released too contradictory, for sums over all counts")
    expected = [attack.known + attack.prior]
    for level in levels[:-1]:
        expected.append(expected[-1] * (1 + level.siblings))
    message, error = np.zeros(len(areas[-1])), 0.0
    terms = np.empty((0, 0))
    for place in reversed(range(len(levels) - 1)):
        inner, outer = areas[place][:, np.newaxis], areas[place + 1][np.newaxis, :]
        upper = levels[place + 1]
        noise = attack.noises[place]
        own = -((outer - counts[place + 1]) ** 2) / (2.0 * float(upper.scale))
        others = noise.log_weights(siblings[place] - (outer - inner))
        believed = attack.above.log_weights(inner, outer, levels[place].siblings * expected[place])
        terms = own + others + believed + message[np.newaxis, :]
        largest = max(_largest(part) for part in (own, others, believed, message))
        # Four terms of several roundings each are added up, then as many exponentials as there are outer counts.
        error += Ball.rounded(0.0, 8.0, 4.0 * largest + terms.shape[1] + 4.0).widened(noise.log_error).radius
        if place:
            tops = np.maximum(terms.max(axis=1), -1e300)
            with np.errstate(divide="ignore"):
                message = tops + np.log(np.exp(terms - tops[:, np.newaxis]).sum(axis=1))
    missing = _missing(attack, reach)
    first = levels[0]
    exponents = tuple(-Fraction((counts[0] - low - step) ** 2) / (2 * first.scale) for step in (0, 1))
    return Weighed(attack.prior, (exponents[0], exponents[1]), areas[1], terms[0], terms[1], error, missing)


def _largest(logs: Floats) -> float:
    finite = logs[np.isfinite(logs)]
    return float(np.abs(finite).max()) if finite.size else 0.0


def _missing(attack: Hierarchy, reach: int) -> float:
    """The log of a bound on the weight of all counts outside the windows, and of sums whose chances are too faint."""
    # The sum of e^(-k^2/(2 s)) over all whole k is at most 1 + sqrt(2 pi s), and from sqrt(2 reach s) on it is at most
    # twice e^-reach times the same.
    sizes = [math.log1p(math.sqrt(2.0 * math.pi * float(level.scale))) for level in attack.levels[1:]]
    exact = any(not noise.approximated and noise.number > 1 for noise in attack.noises)
    faint = FAINT + math.log(len(attack.noises)) if exact else -math.inf
    outside = math.log(2.0 * len(sizes)) - reach
    return float(np.logaddexp(outside, faint)) + sum(sizes) + 1e-9
