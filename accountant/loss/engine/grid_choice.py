"""Where to put the grid and how far to tilt it. Nothing here can make a reading wrong, only imprecise or slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from accountant.loss.engine.convolution import Flat, Parts
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.engine.zoom_route import Zoom
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss

_MOST_STEPS = 2.0**16


def first_step(sides: Sequence[tuple[PrivacyLoss, int]]) -> Fraction:
    """A step that should do, made to hold all lattices exactly where they share one.

    A grid adds or takes up to a sixth of the squared step from the variance of each copy that it does not hold exactly;
    that should be a small part of the whole variance, and a spread of the sum should have a few hundred points.
    """
    widths = [8.0 * _deviation(loss) for loss, _ in sides]
    variance = sum(min(count, 2**100) * (width / 8.0) ** 2 for (_, count), width in zip(sides, widths, strict=True))
    spread = max(math.sqrt(variance), 1e-100) if variance else 1.0
    # Losses whose every copy together is lost in the spread need no grid of their own.
    felt = [part for part, width in zip(sides, widths, strict=True) if min(part[1], 2**100) * width > 5e-4 * spread]
    copies = sum(count for _, count in felt)
    lattices = sorted(((count, step) for loss, count in felt if (step := loss.step()) is not None), reverse=True)
    for held in (lattices, lattices[:1]):
        shared = common_step([step for _, step in held])
        loose = copies - sum(count for count, _ in held)
        if shared is not None and shared > spread / 2**16:
            if not loose:
                return shared
            return shared / max(1, math.ceil(shared / Fraction(_wanted(spread, loose))))
    # A quarter of a power of two is fine enough a choice, and keeps numbers short.
    wanted = _wanted(spread, copies)
    scale = math.floor(math.log2(wanted)) - 2
    return math.floor(wanted / 2.0**scale) * Fraction(2) ** scale


def shared_step(sides: Sequence[tuple[PrivacyLoss, int]]) -> Fraction | None:
    """A step of which all values of all losses are whole multiples, if a grid with it is short enough."""
    steps = [loss.lattice() for loss, _ in sides]
    known = [step for step in steps if step is not None]
    shared = common_step(known) if len(known) == len(steps) else None
    if shared is None:
        return None
    windows = [(loss.window(-8.0), min(count, 2**100)) for loss, count in sides]
    spread = math.sqrt(sum(count * (min(high - low, 1e100) / 8.0) ** 2 for (low, high), count in windows))
    return shared if spread < _MOST_STEPS * float(shared) else None


def _deviation(loss: PrivacyLoss) -> float:
    """About the standard deviation of one loss."""
    return math.sqrt(_mean_and_variance(loss)[1])


def _mean_and_variance(loss: PrivacyLoss) -> tuple[float, float]:
    """From a coarse grid; a skewed loss is much less spread than it reaches."""
    if len(loss.drawn_from()) > 1:
        known = [(float(chance), *_mean_and_variance(part)) for chance, part in loss.drawn_from()]
        centre = sum(chance * mean for chance, mean, _ in known)
        return centre, sum(chance * (variance + (mean - centre) ** 2) for chance, mean, variance in known)
    if loss.taken_apart() != ((loss, 1),):
        parts = [(min(count, 2**100), *_mean_and_variance(part)) for part, count in loss.taken_apart()]
        return sum(count * mean for count, mean, _ in parts), sum(count * variance for count, _, variance in parts)
    low, high = loss.window(-8.0)
    width = min(high - low, 1e100)
    if not 0.0 < width < 100.0:
        return 0.5 * (low + high), (width / 8.0) ** 2
    edges = low + width * np.linspace(0.0, 1.0, 129)
    masses = loss.cells(edges).p[1:-1]
    middles = 0.5 * (edges[1:] + edges[:-1])
    total = max(float(masses.sum()), 1e-300)
    mean = float(masses @ middles) / total
    return mean, min(width / 8.0, max(width / 64.0, math.sqrt(float(masses @ np.square(middles - mean)) / total))) ** 2


def _wanted(spread: float, loose: int) -> float:
    return max(spread / 2.0**16, min(spread / 16.0, 0.016 * spread / math.sqrt(min(max(loose, 1), 2**100))))


def aligned(loss: PrivacyLoss, step: Fraction) -> Fraction:
    """Where the grid of one loss starts to count, so that it holds the loss's lattice, or at least its anchor."""
    lattice = loss.step()
    if lattice is not None and (lattice / step).denominator == 1:
        return Fraction(0)
    low, high = loss.window(-30.0)
    if high - low < 0.5 * float(min(step, Fraction(2**60))):
        # A loss that fits between two edges stands right above one, where the lower end takes least from it.
        return Fraction(low - 2.0**-20 * (high - low)) % step
    return Fraction(loss.anchor()) % step


def common_step(known: Sequence[Fraction]) -> Fraction | None:
    """The largest step of which all given ones are whole multiples."""
    if not known:
        return None
    denominator = math.lcm(*(step.denominator for step in known))
    return Fraction(math.gcd(*(int(step * denominator) for step in known)), denominator)


def found_tilt(
    parts: Parts, step: float, more: Callable[[float, float, float], bool], epsilon: float
) -> tuple[float, float]:
    """The tilt at which a monotone condition on (log moment, its slope, tilt) stops asking for more.

    Beside it, the logarithm of the Chernoff bound on delta(epsilon) there. No further than where the tilted sum sits at its
    largest value: more tilt would only underflow.
    """
    # Masses that only stand for rounding would draw the tilt to places where nothing is.
    present = [np.flatnonzero(measure.masses > 1e-250) for measure, _ in parts]
    if not parts or not all(kept.size for kept in present):
        return 0.0, 0.0
    places: list[Floats] = [
        float(m.offset) + step * (m.start + kept).astype(np.float64) for (m, _), kept in zip(parts, present, strict=True)
    ]
    logs = np.log(np.concatenate([m.masses[kept] for (m, _), kept in zip(parts, present, strict=True)]))
    flat = Flat.of(places, [count for _, count in parts])
    limit = sum(count * float(place[-1]) for (_, count), place in zip(parts, places, strict=True)) - 0.25 * step

    def moment(tilt: float) -> tuple[float, float]:
        value, weights, totals = flat.tilted(logs, tilt)
        means = np.add.reduceat(weights * flat.places, flat.starts) / totals
        return value, float(flat.counts @ means)

    def wanted(tilt: float) -> bool:
        value, slope = moment(tilt)
        return slope < limit and more(value, slope, tilt)

    if not wanted(0.0):
        return 0.0, 0.0
    low, high = 0.0, 1.0
    while high < 2.0**60 and wanted(high):
        low, high = high, 2.0 * high
    for _ in range(8):
        middle = 0.5 * (low + high)
        if wanted(middle):
            low = middle
        else:
            high = middle
    return high, moment(high)[0] - high * epsilon


def solved(law: GridLaw | Zoom, log_target: float, guess: float) -> float:
    """About where a law's upper delta meets a target: a few secant steps along its logarithm."""

    def height(epsilon: float) -> float:
        value = law.delta_above(epsilon)
        return (math.log(value) if value > 0.0 else -800.0) - log_target

    here = max(law.peak, 0.0) if guess == 1.0 else guess
    value = height(here)
    other = max(0.0, here + value / max(law.tilt, 0.1))
    for _ in range(12):
        if abs(other - here) <= 1e-9 * abs(other):
            break
        at_other = height(other)
        slope = (at_other - value) / (other - here)
        here, value = other, at_other
        if not slope < 0.0:
            break
        other = max(0.0, here - value / slope)
    return other if other > 0.0 else max(here, 1e-9)
