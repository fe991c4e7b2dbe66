"""The law of the evidence that noisy counts give when the target is there.

A count to which the target adds c, released with discrete Gaussian noise z of scale s, multiplies the odds by e^v with
v = (c^2 + 2 c z)/(2 s). The evidence of several counts adds up. All values lie on a common lattice where the scales have
a large enough common measure; otherwise every value is put on a grid, in three ways: down, up, and to both neighbours in
the proportion that keeps its mean. The first two bound chances. The third bounds the mean of the posterior more tightly:
its second derivative in the evidence is at most itself and at most 1/(6 sqrt 3), and every rounding adds an independent
error of mean zero and variance at most h^2/4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from attrs import evolve, frozen

from accountant import Interval
from accountant.loss import Floats
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.beliefs import sign
from accountant_posterior.attacks.transforms import fast_length
from accountant_posterior.attacks.whole_noise import NoiseMasses
from accountant_posterior.semantics.odds import log_odds

_MOST = 2**21
_GRID = 2**19
_SHARE = 1.0 / 16.0
"""What is left out of a sum at its ends costs at most this share of what rounding does."""
_STEEPEST = 1.0 / (6.0 * math.sqrt(3.0))

Count = tuple[Fraction, int]
"""Scale of the noise, and what the target adds to the count."""


@frozen(eq=False)
class Placed:
    """Masses on start, start + step, ...: each within 1 -+ `spread`, and `stray` bounds all other error in total."""

    start: Fraction
    step: Fraction
    masses: Floats
    spread: float
    stray: float

    def values(self) -> tuple[Floats, float]:
        """The places, and how far each may be off."""
        steps = np.arange(len(self.masses), dtype=np.float64)
        places = float(self.start) + float(self.step) * steps
        return places, Ball.rounded(0.0, 4.0, abs(float(self.start)) + float(self.step) * len(steps)).radius

    def above(self, prior: Fraction) -> Interval:
        """The chance that the odds end up above one, strictly."""
        low, high = 0, len(self.masses)
        while low < high:
            middle = (low + high) // 2
            if sign(prior, self.start + middle * self.step) > 0:
                high = middle
            else:
                low = middle + 1
        # The smaller side is summed, since it is known with the smaller error.
        above, below = math.fsum(self.masses[low:]), math.fsum(self.masses[:low])
        value = above if above <= below else 1.0 - below
        error = min(above, below) * self.spread + self.stray
        return Ball.rounded(value, 4.0, 1.0).widened(error).interval(0.0, 1.0)


@frozen(eq=False)
class CountEvidence:
    """The law of the evidence, or what encloses it: moved down, moved up, and spread without moving its mean."""

    below: Placed
    above: Placed
    spread: Placed
    roundings: int

    @classmethod
    def of(cls, counts: Iterable[Count]) -> CountEvidence:
        grouped = sorted(Counter(counts).items())
        noises = {scale: NoiseMasses.discrete_gaussian(scale) for scale in {scale for (scale, _), _ in grouped}}
        parts = [_Part(scale, abs(move), noises[scale], times) for (scale, move), times in grouped]
        width = sum((2 * part.times * part.noise.last * part.gap for part in parts), Fraction(0))
        gap = _common_measure([part.gap for part in parts])
        if width / gap < _MOST:
            law = _sum(parts, gap, "exactly")
            return cls(law, law, law, 0)
        step = width / _GRID
        down, up, both = (_sum(parts, step, way) for way in ("down", "up", "both"))
        return cls(down, up, both, sum(part.times for part in parts))

    def moved(self, offset: Fraction) -> CountEvidence:
        """The law of the evidence plus a constant: noise falls around other counts than the attacker takes for true."""
        if not offset:
            return self
        below = evolve(self.below, start=self.below.start + offset)
        if self.below is self.above:
            return CountEvidence(below, below, below, self.roundings)
        above, spread = (evolve(law, start=law.start + offset) for law in (self.above, self.spread))
        return CountEvidence(below, above, spread, self.roundings)

    def posterior(self, prior: Fraction) -> Interval:
        """The mean of the posterior probability."""
        odds = log_odds(prior)
        places, off = self.spread.values()
        centre = 0.5 * (odds.lower + odds.upper)
        arguments = centre + places
        posterior = expit(arguments)
        terms = posterior * self.spread.masses
        mean = math.fsum(terms)
        # The posterior changes by a factor of e^x at most where the log-odds change by x.
        rounded = Ball.rounded(0.0, 4.0, abs(centre) + float(np.abs(arguments).max()))
        off = rounded.widened(off + odds.width).radius
        # The logistic function rounds less than 20 times, then a product, a sum and this very number.
        relative = Ball.rounded(1.0, 32.0).widened(math.expm1(off) + self.spread.spread).radius
        step = float(self.spread.step)
        variance = 0.25 * self.roundings * step * step
        reached = mean * (1.0 + relative) * math.exp(min(2.0 * self.roundings * step, 700.0))
        curved = 0.5 * variance * min(_STEEPEST, reached)
        return Interval.around(mean, mean * relative + curved * 1.01 + self.spread.stray).clamp(0.0, 1.0)

    def correct(self, prior: Fraction) -> Interval:
        """The chance that the odds end up above one, strictly: a tie is no success."""
        if self.below is self.above:
            return self.below.above(prior)
        return Interval(self.below.above(prior).lower, self.above.above(prior).upper)


@frozen(eq=False)
class _Part:
    """Counts with the same noise to which the target adds the same."""

    scale: Fraction
    move: int
    noise: NoiseMasses
    times: int

    @property
    def gap(self) -> Fraction:
        """How far apart the values of the evidence of one count are."""
        return self.move / self.scale

    @property
    def first(self) -> Fraction:
        """The least evidence that the window holds."""
        return Fraction(self.move**2, 2) / self.scale - self.noise.last * self.gap

    def placed(self, step: Fraction, way: str) -> Floats:
        """The chances of one count's evidence on multiples of a step above the least."""
        ratio = self.gap / step
        indices = [divmod(k * ratio.numerator, ratio.denominator) for k in range(len(self.noise.masses))]
        whole = np.array([index for index, _ in indices])
        rests = np.array([rest / ratio.denominator for _, rest in indices])
        if way in ("down", "exactly"):
            rests = np.zeros(len(rests))
        elif way == "up":
            rests = (rests > 0.0).astype(np.float64)
        masses: Floats = np.zeros(int(whole[-1]) + 2)
        np.add.at(masses, whole, self.noise.masses * (1.0 - rests))
        np.add.at(masses, whole + 1, self.noise.masses * rests)
        return masses


def _sum(parts: list[_Part], step: Fraction, way: str) -> Placed:
    start = sum((part.times * part.first for part in parts), Fraction(0))
    spread = sum(part.times * Ball.rounded(1.0, 8.0).widened(part.noise.spread).radius for part in parts)
    missing = sum(part.times * part.noise.missing for part in parts)
    laws = [part.placed(step, way) for part in parts]
    number = sum(part.times for part in parts)
    if number == 1:
        return Placed(start, step, laws[0], spread, missing)
    length = sum((len(law) - 1) * part.times for law, part in zip(laws, parts, strict=True)) + 1
    size = fast_length(length)
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for law, part in zip(laws, parts, strict=True):
        product *= np.fft.rfft(law, size) ** part.times
    masses = np.maximum(np.fft.irfft(product, size)[:length], 0.0)
    # Each transform rounds by 8 roundoffs per level in the mean square, and no factor exceeds one by more than rounding;
    # over all places together that is at most the square root of their number larger.
    rounded = Ball.rounded(0.0, 8.0 * (math.log2(size) + 2.0), math.sqrt(size) * (number + 1)).radius
    # Windows add up to far more places than the sum is felt at. What is left out at both ends is charged in full.
    faint = _SHARE * rounded / length
    felt = np.flatnonzero(masses > faint)
    first, last = int(felt[0]), int(felt[-1]) + 1
    stray = missing + rounded + (length - (last - first)) * faint
    return Placed(start + first * step, step, masses[first:last], spread, Ball.rounded(stray, 4.0).upper)


def _common_measure(values: list[Fraction]) -> Fraction:
    """The largest number of which all are whole multiples."""
    bottom = math.lcm(*(value.denominator for value in values))
    return Fraction(math.gcd(*(value.numerator * (bottom // value.denominator) for value in values)), bottom)


def expit(values: Floats) -> Floats:
    """1/(1 + e^-t), place by place."""
    tails = np.exp(-np.abs(values))
    return np.where(values >= 0.0, 1.0, tails) / (1.0 + tails)
