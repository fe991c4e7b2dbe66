"""Sums of many grid losses: one tilted transform, with every error bounded.

The masses are tilted by e^(tilt L) and normalised, so that the part of the law that a reading asks about stands in the
middle and the transform's absolute error becomes a relative one there. The window comes from Chernoff bounds on the
tilted masses themselves: for any x > 0, the mass of sums from b on is at most e^(M(x) - x b), M the log moment of
the sum. What wraps around the window, what lies beyond it, and what the transform rounds are bounded from the numbers
at hand and charged to both ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.errors import GridTooLarge
from accountant.loss.engine.grid import Measure
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import (
    TINY,
    Ball,
    Balls,
    backward_transform,
    dot,
    exp,
    expm1,
    forward_transform,
    log,
    log1p,
    raised,
)

Parts = Sequence[tuple[Measure, int]]

LARGEST_GRID = 2**22
_LOG_TAIL = 32.0
_LONG = 2**16
"""From here on what a transform of few atoms takes is felt."""


@frozen(eq=False)
class Tilted:
    """One part after tilting: probabilities on offsets from an integer centre.

    `spread` bounds the relative error of each probability times e^log_total, `stray` all that underflowed, also
    in part.
    """

    offsets: Floats
    masses: Floats
    centre: int
    count: int
    log_total: float
    spread: float
    stray: float

    @classmethod
    def of(cls, measure: Measure, count: int, step: float, tilt: float) -> Tilted:
        kept = np.flatnonzero(measure.masses > 0.0)
        offset = float(measure.offset)
        losses = offset + step * (measure.start + kept.astype(np.float64))
        logs = np.log(measure.masses[kept])
        terms = logs + tilt * losses
        top = float(terms.max())
        weights = np.exp(terms - top)
        total = float(weights.sum())
        masses = weights / total
        # Where the result is far below the top it is lost anyway. The logarithm is granted 8 roundings. Losses are off by
        # those of their offset, of their step, product and sum, and by that of the product with the tilt. Then the sum and
        # the difference to the top round, the exponential by up to 8, and the quotient.
        alive = masses > 0.0
        exponents = 8.0 * np.abs(logs) + 5.0 * tilt * np.abs(losses) + 2.0 * np.abs(terms)
        times = float(exponents[alive].max()) + 3.0 * tilt * abs(offset) + abs(top) + 9.0
        log_total = log(Ball(total)) + top
        doubt = Ball.rounded(log_total.radius, times, 1.0)
        positions = measure.start + kept[alive]
        centre = round(float(np.sum(masses[alive] * positions)) / float(masses[alive].sum()))
        return cls(
            (positions - centre).astype(np.float64),
            masses[alive],
            centre,
            count,
            log_total.middle,
            expm1(Ball(doubt.upper)).upper,
            TINY * kept.size,
        )


@frozen(eq=False)
class Flat:
    """All parts in one row, so that a moment of the sum costs one pass."""

    places: Floats
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    counts: Floats

    @classmethod
    def of(cls, places: Sequence[Floats], counts: Sequence[int]) -> Flat:
        sizes = np.array([place.size for place in places], dtype=np.intp)
        return cls(np.concatenate(places), np.cumsum(sizes) - sizes, sizes, np.array(counts, dtype=np.float64))

    def tilted(self, logs: Floats, exponent: float) -> tuple[float, Floats, Floats]:
        """sum over parts of count log sum e^(logs + exponent places), the tilted weights, and their total in each part."""
        value, _, _, weights, totals = self._tilted(logs, exponent)
        return value, weights, totals

    def moment(self, logs: Floats, exponent: float) -> tuple[float, float]:
        """The same sum, and a bound on its error."""
        value, terms, tops, _, totals = self._tilted(logs, exponent)
        # Given logarithms are granted 8 roundings. What is added to them and their difference to the top round by no more
        # than they are large, their exponentials by 8, the sum of these by its length, its logarithm by 8 of itself.
        within = np.maximum.reduceat(9.0 * np.abs(logs) + 3.0 * np.abs(terms), self.starts) + (self.sizes + 9.0)
        # All parts together are added up in any order, each of them after a sum and a product.
        times = dot(self.counts, within + (np.abs(tops) + np.log(totals)) * (10.0 + self.counts.size))
        return value, Ball.rounded(0.0, times.upper, 1.0).radius

    def _tilted(self, logs: Floats, exponent: float) -> tuple[float, Floats, Floats, Floats, Floats]:
        terms = logs + exponent * self.places
        tops = np.maximum.reduceat(terms, self.starts)
        weights = np.exp(terms - (tops if tops.size == 1 else np.repeat(tops, self.sizes)))
        totals = np.add.reduceat(weights, self.starts)
        return float(self.counts @ (tops + np.log(totals))), terms, tops, weights, totals


def convolve(parts: Parts, step: Fraction, tilt: float) -> GridLaw:
    """The law of the sum of all parts, each taken `count` times."""
    size = float(step)
    infinite_lower, infinite_upper = infinite_mass(parts)
    if not parts or any(not np.any(measure.masses > 0.0) for measure, _ in parts):
        return _trivial(parts, size, infinite_lower, infinite_upper)
    tilted = [Tilted.of(measure, count, size, tilt) for measure, count in parts]
    low, below = _reach(tilted, -1.0)
    high, beyond = _reach(tilted, 1.0)
    length = fast_length(high - low + 1)
    if length > LARGEST_GRID:
        raise GridTooLarge(
            f"composing these losses with a step of {size:.3g} needs a grid of {length:,} points (at most "
            f"{LARGEST_GRID:,}); ask for less precision or read a definition that adds up, such as 'zcdp'"
        )
    masses, error = _power(tilted, length)
    origin = low + sum(part.centre * part.count for part in tilted)
    base = float(origin * step + sum((measure.offset * count for measure, count in parts), Fraction(0)))
    scales = [part.count * part.log_total for part in tilted]
    return GridLaw(
        base=base,
        step=size,
        tilt=tilt,
        log_scale=math.fsum(scales),
        # Each product rounds once, and their sum.
        log_doubt=Ball.rounded(0.0, 2.0, math.fsum(map(abs, scales))).radius,
        masses=np.roll(masses, -low),
        error=error,
        spread=expm1(sum((Ball(part.spread) * part.count for part in tilted), Ball(0.0)).at_most(700.0)).upper,
        beyond=beyond,
        wrapped=below + beyond,
        stray=2.0 * math.fsum(part.count * part.stray for part in tilted),
        infinite_lower=infinite_lower,
        infinite_upper=infinite_upper,
        slack=displaced(parts, abs(base) + length * size),
    )


def displaced(parts: Parts, reach: float) -> float:
    """How far losses may be from where a grid of such reach has them.

    The base, the step, their multiple, the point that is read and their differences round, each by no more than the reach.
    """
    slack = sum((Ball(measure.slack) * count for measure, count in parts), Ball.rounded(0.0, 16.0, reach))
    return slack.upper


def collected(parts: Parts, step: Fraction, upper: bool) -> Measure:
    """The law of the sum as masses on the same grid again, none too small or none too large. No part has an offset."""
    law = convolve(parts, step, 0.0)
    losses, masses, infinite = law.atoms(upper=upper)
    return Measure(round(float(losses[0]) / float(step)), masses, infinite, law.slack)


def _trivial(parts: Parts, step: float, infinite_lower: float, infinite_upper: float) -> GridLaw:
    """The law of no parts at all, or of parts of which one leaves no mass on finite losses."""
    masses = np.array([0.0 if parts else 1.0, 0.0])
    return GridLaw(0.0, step, 0.0, 0.0, 0.0, masses, 0.0, 0.0, 0.0, 0.0, 0.0, infinite_lower, infinite_upper, 0.0)


def infinite_mass(parts: Parts) -> tuple[float, float]:
    """Bounds on the chance that any part loses everything."""
    log_escape = Ball(0.0)
    for measure, count in parts:
        if measure.infinite >= 1.0 and count:
            return 1.0, 1.0
        if measure.infinite > 0.0:
            log_escape = log_escape + log1p(Ball(-measure.infinite)) * count
    value = -expm1(log_escape)
    return max(0.0, value.lower), min(1.0, value.upper)


def _reach(parts: Sequence[Tilted], side: float) -> tuple[int, float]:
    """The farthest sum on one side that the grid must hold, and a bound on the mass beyond it.

    Any exponent gives a valid bound; one whose log moment is too uncertain to tell is left out.
    """
    farthest = sum(part.count * int(np.max(side * part.offsets)) for part in parts)
    flat = Flat.of([side * part.offsets for part in parts], [part.count for part in parts])
    logs = np.log(np.concatenate([part.masses for part in parts]))

    def bound(log_exponent: float) -> float:
        exponent = math.exp(log_exponent)
        moment, doubt = flat.moment(logs, exponent)
        return (moment + _LOG_TAIL) / exponent if doubt <= 0.5 else math.inf

    # (M(x) + tail)/x falls, then rises: a golden section over all exponents that could help.
    low, high = math.log(_LOG_TAIL / max(2.0 * abs(farthest), 1.0)), math.log(2.0 * _LOG_TAIL)
    left, right = low + 0.382 * (high - low), high - 0.382 * (high - low)
    at_left, at_right = bound(left), bound(right)
    for _ in range(14):
        if at_left <= at_right < math.inf or at_left < at_right:
            high, right, at_right = right, left, at_left
            left = low + 0.382 * (high - low)
            at_left = bound(left)
        elif at_right == math.inf:
            high, right = right, low + 0.618 * (right - low)
            left = low + 0.382 * (high - low)
            at_left, at_right = bound(left), bound(right)
        else:
            low, left, at_left = left, right, at_right
            right = high - 0.382 * (high - low)
            at_right = bound(right)
    least = min(at_left, at_right)
    if least >= farthest:
        return int(side * farthest), 0.0
    # Moments are known up to 1/2.
    return int(side * math.ceil(least)), exp(Ball(1.0 - _LOG_TAIL)).upper


def fast_length(least: int) -> int:
    """The smallest even product of powers of 2, 3 and 5 (few of the latter) that is at least `least`."""
    best = 1 << max(1, (least - 1).bit_length())
    for fives in range(3):
        for threes in range(4):
            base = 5**fives * 3**threes
            twos = max(1, (-(-least // base) - 1).bit_length())
            best = min(best, base << twos)
    return best


def _power(parts: Sequence[Tilted], length: int) -> tuple[Floats, float]:
    """The circular convolution of all parts, and a bound on the error of each entry.

    Errors of the spectrum come back as their mean over all frequencies. Frequencies whose phase is lost are set to zero and
    charged in full.
    """
    half = length // 2 + 1
    log_sizes, log_most, angle, doubt = np.zeros(half), np.zeros(half), np.zeros(half), np.zeros(half)
    for part in parts:
        spectrum, error = transformed(part, length)
        size = np.abs(spectrum)
        turn = np.angle(spectrum)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(size)
            # |log(1 + e)| <= 2 |e| up to 1/2. The logarithm is granted 8 roundings, the size 2, and the angle, with its
            # product, 10 of itself, which is at most pi.
            rounding = Balls.rounded(logs, 8.0, np.abs(logs) + 5.0).radius
            relative = np.where(size > 2 * error, 2 * error / size + rounding, 1.0)
            log_sizes += part.count * logs
            angle += part.count * turn
            # Sums round as well, and sizes are at most 1, so that no product is larger than the sum that it is part of.
            sums = np.abs(angle) + np.where(size > 0, np.abs(log_sizes), 0.0)
            doubt += part.count * relative + Balls.rounded(sums, 3.0).radius
        log_most += part.count * log_size(spectrum, error)
    doubt = raised(doubt, 4.0 + len(parts))
    certain = doubt < 0.5
    found = exp(Balls(log_sizes[certain] + 1j * angle[certain], doubt[certain]))
    middle = np.zeros(half, dtype=np.complex128)
    middle[certain] = found.middle
    errors = sizes_of(log_most, len(parts))
    errors[certain] = found.radii
    law = backward_transform(Balls(middle, errors), length)
    return law.middle, float(law.radius)


def log_size(spectrum: NDArray[np.complex128], error: float) -> Floats:
    """Bounds on the logarithm of the size of each entry of a transform with such an error, up to one more rounding."""
    # A function that is granted 8 roundings, the size and a sum.
    most = np.log(np.abs(spectrum) + error)
    bound: Floats = most + Balls.rounded(most, 8.0, np.abs(most) + 0.5).radius
    return bound


def sizes_of(log_most: Floats, parts: int) -> Floats:
    """What has at most such a logarithm, added up of bounds for so many parts.

    Below e^-750 it is nothing but `TINY`. Above, every bound, product and sum rounds by no more than 750 roundoffs.
    """
    return raised(np.exp(np.minimum(log_most, 700.0)), 8.0 + 2250.0 * parts) + TINY


def transformed(part: Tilted, length: int) -> tuple[NDArray[np.complex128], float]:
    """The transform of one part, and a bound on the error of each entry.

    Few atoms taken very often are summed one by one where the bound of the fast transform would be felt.
    """
    position = np.mod(part.offsets, length).astype(np.int64)
    binned = np.bincount(position, part.masses, length)
    whole = float(part.masses.sum())
    # Folding the offsets into the window adds up to so many masses in one bin.
    folds = 2.0 + part.offsets.size / length + float(np.ptp(part.offsets)) / length
    found = forward_transform(Balls(binned), length).widened(Ball.rounded(0.0, folds, whole).radius)
    error = float(found.radius)
    if part.masses.size > 16 or part.count * error * length < 1e-12:
        return found.middle, error
    return _by_rows(part, position, length, whole) if length > _LONG else _one_by_one(part, position, length, whole)


def _one_by_one(
    part: Tilted, position: NDArray[np.int64], length: int, whole: float
) -> tuple[NDArray[np.complex128], float]:
    """The transform of few atoms, each with its own turns."""
    roots = np.exp((-2j * math.pi / length) * np.arange(length))
    index = np.arange(length // 2 + 1, dtype=np.int64)
    spectrum = np.zeros(index.size, dtype=np.complex128)
    for place, mass in zip(position.tolist(), part.masses.tolist(), strict=True):
        spectrum += mass * roots[index * place % length]
    # A turn is rounded three times, which moves a root by up to 6 pi roundoffs. Its exponential is granted 16, its product
    # with a mass rounds, and takes part in no more additions than there are masses.
    return spectrum, Ball.rounded(0.0, 40.0 + part.masses.size, whole).radius


def _by_rows(part: Tilted, position: NDArray[np.int64], length: int, whole: float) -> tuple[NDArray[np.complex128], float]:
    """The same from the turns of one row of frequencies and of the first of each row: far fewer, each a little blunter."""
    half = length // 2 + 1
    row = math.isqrt(half) + 1
    within, between = (
        np.exp((-2j * math.pi / length) * (np.outer(places, position) % length))
        for places in (np.arange(row, dtype=np.int64), row * np.arange(-(-half // row), dtype=np.int64))
    )
    spectrum = ((between * part.masses) @ within.T).ravel()[:half]
    # Two turns, as above, and a product with the mass. Products and sums of complex numbers round twice as often.
    return spectrum, Ball.rounded(0.0, 80.0 + 4.0 * part.masses.size, whole).radius
