"""What a two-level attack finds on average over all noise, when the target is there.

Given the parent's noisy count and the siblings' noisy sum, the log-odds are rational in the target area's own noisy count
up to a constant. So the mean runs over the first two, and over the third only the posterior is summed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from accountant import Interval
from accountant.loss import Floats
from accountant.numbers.rounding import Ball, Balls
from accountant_posterior.attacks.counts import Outlook
from accountant_posterior.attacks.evidence import expit
from accountant_posterior.attacks.ties import decided
from accountant_posterior.attacks.whole_noise import NoiseMasses
from accountant_posterior.semantics.odds import log_odds

if TYPE_CHECKING:
    from accountant_posterior.attacks.hierarchy import Hierarchy
    from accountant_posterior.attacks.noise_sums import NoiseSum

_REACH = 30
"""Noise whose chance is below e^-30 of the largest one is left out and charged."""


def forecast(attack: Hierarchy, parent: int) -> Outlook:
    """The mean posterior and the chance of a right guess, each with all that was left out charged."""
    low = attack.known
    own = NoiseMasses.discrete_gaussian(attack.levels[0].scale, _REACH)
    above = NoiseMasses.discrete_gaussian(attack.levels[1].scale, _REACH)
    sums, beside_masses, faint, beside_spread = felt(attack.noises[0], _REACH)
    sums = sums + (parent - low - 1)
    counts = parent + np.arange(-above.last, above.last + 1, dtype=np.float64)

    posterior_low = posterior_high = correct_low = correct_high = 0.0
    tails = np.concatenate([np.cumsum(own.masses[::-1])[::-1], [0.0]])
    noise = np.arange(-own.last, own.last + 1, dtype=np.float64)
    odds = log_odds(attack.prior)
    centre = 0.5 * (odds.lower + odds.upper)
    gap = 1.0 / float(attack.levels[0].scale)
    for count, mass in zip(counts, above.masses, strict=True):
        shift, off = _shift(attack, count, sums)
        # The evidence of the own count is gap (noise + 1/2).
        base = centre + shift + 0.5 * gap
        off = Balls.rounded(base, 16.0, np.abs(base) + gap * own.last).widened(off + odds.width).radii
        weights = mass * beside_masses
        posterior = expit(base[:, np.newaxis] + gap * noise[np.newaxis, :]) @ own.masses
        posterior_low += float(weights @ (posterior * np.exp(-off)))
        posterior_high += float(weights @ (posterior * np.exp(off)))
        late, early = (first_above(base + side * off, gap, own.last) for side in (-1.0, 1.0))
        for place in np.flatnonzero(late == early + 1):
            # One noise leaves the odds next to even: more digits say whether it is among those that count.
            likelier = decided(attack, int(early[place]) - own.last + low + 1, int(count), int(sums[place]))
            if likelier is not None:
                late[place] = early[place] = early[place] + (not likelier)
        correct_low += float(weights @ tails[late])
        correct_high += float(weights @ tails[early])
    # Sums over all three one after another, of products of a few functions.
    rounded = Ball.rounded(1.0, 64.0 * (len(counts) + len(sums) + len(noise)))
    relative = rounded.widened(own.spread + above.spread + beside_spread).radius
    missing = own.missing + above.missing + faint
    return Outlook(
        attack.prior,
        between(posterior_low, posterior_high, relative, missing),
        between(correct_low, correct_high, relative, missing),
    )


def felt(noise: NoiseSum, reach: int) -> tuple[Floats, Floats, float, float]:
    """The noise of a sum that is likelier than e^-reach of the likeliest, its chances, what is left out, their error."""
    law = noise.law
    kept = np.flatnonzero(law.masses > math.exp(-reach) * law.masses.max())
    chances = law.masses[kept]
    left_out = law.missing + max(0.0, 1.0 - math.fsum(chances)) + law.spread
    return (kept - law.last).astype(np.float64), chances, left_out, law.spread


def first_above(base: Floats, gap: float, last: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The index of the least noise with which the log-odds are above zero, strictly."""
    places = np.floor(-base / gap) + 1.0
    return np.clip(places + last, 0, 2 * last + 1).astype(np.int64)


def _shift(attack: Hierarchy, count: float, sums: Floats) -> tuple[Floats, Floats]:
    """What the parent's noisy count and the siblings' noisy sums add to the log-odds, and how far off that may be."""
    scale = float(attack.levels[1].scale)
    noise = attack.noises[0]
    low = attack.known
    expected = attack.levels[0].siblings * (attack.known + attack.prior)
    reach = math.isqrt(math.floor(600 * attack.levels[1].scale)) + 2
    last = int(max(count, sums.max() + low + 1, low + 1)) + reach
    parents = np.arange(low, last + 1, dtype=np.float64)
    own = -((parents - count) ** 2) / (2.0 * scale)
    totals, largest = [], 0.0
    for step in (0, 1):
        others = noise.log_weights(sums[:, np.newaxis] - (parents - low - step)[np.newaxis, :])
        believed = attack.above.log_weights(low + step, parents, expected)
        terms = others + (own + believed)[np.newaxis, :]
        tops = terms.max(axis=1)
        totals.append(tops + np.log(np.exp(terms - tops[:, np.newaxis]).sum(axis=1)))
        largest = max(largest, float(np.abs(terms[np.isfinite(terms)]).max()))
    # Beyond the last parent every factor falls and the first is below e^-300, while at the true parent the first two are
    # above e^-30 each: what is left out is nothing beside what is kept.
    off = Ball.rounded(0.0, 16.0, 2.0 * largest + len(parents) + 1.0).widened(2.0 * noise.log_error).radius
    shift: Floats = totals[1] - totals[0]
    return shift, np.full(len(sums), off)


def between(low: float, high: float, relative: float, missing: float) -> Interval:
    """What lies between two sums, each with its relative error, and of which at most so much is missing."""
    lower, upper = Ball(low).widened(low * relative).lower, Ball(high).widened(high * relative + missing).upper
    return Interval(max(0.0, lower), upper).clamp(0.0, 1.0)
