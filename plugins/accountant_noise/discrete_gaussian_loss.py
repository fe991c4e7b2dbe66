"""The loss of discrete Gaussian noise on one coordinate: an exact lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from attrs import field, frozen

from accountant import GridTooLarge, Interval, PrivacyLoss, fields
from accountant.loss import NO_LOSS, TOTAL_LOSS, Cells, Complexes, Floats, Moments, atom_cells
from accountant.numbers.rounding import TINY, Ball, Balls, dot
from accountant_noise import discrete_gaussian_moments as series
from accountant_noise.theta import log_normaliser, log_ratio

# Beyond these, doubles run out: the loss is enclosed by nothing and everything.
_LEAST, _MOST = Fraction(1, 10**200), Fraction(10**200)
_SHORT = 660
"""Bits of whole numbers that are all below 10^200."""
_MOST_ATOMS, _FEW = 2**23, 2**11
_NEGLIGIBLE = 60.0
"""Natural logarithm of how much less likely than the atoms in question the first atom is that is only bounded."""
_UNDERFLOW = 750.0
_NOTHING = Interval.of(0)


@frozen(cache_hash=True)
class DiscreteGaussianLoss(PrivacyLoss):
    """The loss of discrete Gaussian noise when a whole answer moves by `move`.

    Definition: (move^2 - 2 k move)/(2 variance), where k is whole and has mass proportional to e^(-k^2/(2 variance)). The
    pair is symmetric, as k and move - k have the same chances under exchanged laws.
    """

    variance: Fraction = field(converter=fields.exact, validator=fields.above(0), eq=Fraction.as_integer_ratio)
    move: int = field(converter=fields.whole, validator=fields.at_least(1))

    def reverse(self) -> PrivacyLoss:
        return self

    def dominating(self) -> PrivacyLoss:
        return self if self._held else TOTAL_LOSS

    def dominated(self) -> PrivacyLoss:
        return self if self._held else NO_LOSS

    @cached_property
    def _held(self) -> bool:
        """Whether doubles hold the loss; far inside their range the lengths of numbers say so at once."""
        lengths = self.variance.numerator.bit_length(), self.variance.denominator.bit_length(), self.move.bit_length()
        return max(lengths) < _SHORT or (_LEAST <= self.variance <= _MOST and self.move <= _MOST)

    def step(self) -> Fraction:
        """Losses are move (move - 2 k)/(2 variance): odd multiples of the half distance where the move is odd."""
        return Fraction(self.move * (1 + (self.move + 1) % 2)) / (2 * self.variance)

    def lattice(self) -> Fraction:
        return self.step()

    def anchor(self) -> float:
        return float(self.move**2 / (2 * self.variance))

    def window(self, log_tail: float) -> tuple[float, float]:
        move, variance = float(self.move), float(self.variance)
        centre, distance = move * move / (2.0 * variance), move / variance
        reach = distance * (math.sqrt(2.0 * variance * max(1.0, -log_tail)) + 1.0)
        return centre - reach, centre + reach

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def concentration_formula(self) -> Interval:
        """Renyi(a)/a is move^2/(2 variance) plus something not positive that vanishes at a = 2."""
        return Interval.of(self.move**2 / (2 * self.variance))

    def log_moment_formula(self, order: float) -> Interval:
        """t (t + 1) move^2/(2 variance) + log(theta(t move)/theta(0)), by completing the square."""
        number = Fraction(order)
        whole = Interval.of(number * (number + 1) * self.move**2 / (2 * self.variance))
        if not self._held:
            return Interval(0.0, whole.upper)
        return (whole + log_ratio(self.variance, number * self.move)).clamp(0.0, math.inf)

    def analytic(self) -> type[Moments] | None:
        return DiscreteGaussianMoments if self._held else None

    def delta_formula(self, epsilon: float) -> Interval:
        """The sum over k < x = move/2 - epsilon variance/move of the mass of k times 1 - e^(-(x - k) move/variance)."""
        if not self._held:
            return Interval(self.dominated().delta(epsilon).lower, self.dominating().delta(epsilon).upper)
        end = self._place(epsilon)
        last = min(math.ceil(end) - 1, self._farthest)
        if last < -self._farthest:
            return Interval(0.0, TINY)
        first = -self._around(Fraction(min(last, 0)))
        # The distance is exact at one end, so that every gain is relatively exact, also where it is next to nothing.
        places = _whole(first, last)
        gains = -np.expm1(-self._fall * (float(end - last) + (last - places)))
        # e^x - 1 is granted 8, and below 0 moves by no more than x, which rounds 4 times.
        found = dot(self._between(first, last), Balls.rounded(gains, 12.0))
        lost = self._beyond(first) + (self._beyond(last) if last == self._farthest else 0.0)
        return Interval(found.lower, found.widened(lost).upper).clamp(0.0, 1.0)

    def cells(self, edges: Floats) -> Cells:
        low, high = self._place(float(edges[-1])), self._place(float(edges[0]))
        first, last = -self._around(min(low, Fraction(0))), self._around(max(high, Fraction(0)))
        places = _whole(first, last)
        masses = self._masses(places)
        losses = float(self.move / (2 * self.variance)) * (float(self.move) - 2.0 * places)
        cells = atom_cells(edges, losses, masses.middle, masses.radii, Interval.of(0))
        # Atoms that are farther out than those above are beyond the edges, and hardly there.
        above, below = self._beyond(first), self._beyond(last)
        for array, place, lost in (
            (cells.p_error, -1, above),
            (cells.q_error, -1, above),
            (cells.gap_error, -1, above),
            (cells.p_error, 0, below),
        ):
            if array is not None:
                array[place] += lost
        return cells

    @cached_property
    def _farthest(self) -> int:
        """From here on no mass is above what doubles hold."""
        return math.ceil(math.sqrt(2.0 * _UNDERFLOW * float(self.variance))) + 1

    @cached_property
    def _fall(self) -> float:
        """By how much the loss falls from one whole number to the next."""
        return float(self.move / self.variance)

    @cached_property
    def _table(self) -> Balls | None:
        """The masses of all whole numbers that doubles reach, where these are few: delta is read at many epsilons."""
        return self._masses(_whole(-self._farthest, self._farthest)) if self._farthest < _FEW else None

    def _place(self, loss: float) -> Fraction:
        """Where between whole numbers the noise would lose so much; smaller places lose more."""
        return Fraction(self.move, 2) - Fraction(loss) * self.variance / self.move

    def _around(self, end: Fraction) -> int:
        """So far from 0 that the mass there is negligible beside that of `end`, but no farther than doubles reach."""
        farthest = self._farthest
        size = float(min(abs(end), Fraction(farthest)))
        return min(farthest, math.ceil(math.hypot(size, math.sqrt(2.0 * _NEGLIGIBLE * float(self.variance)))) + 1)

    def _between(self, first: int, last: int) -> Balls:
        """The masses of all whole numbers from one to another."""
        if self._table is None or max(-first, last) > self._farthest:
            return self._masses(_whole(first, last))
        return self._table[first + self._farthest : last + self._farthest + 1]

    def _masses(self, places: Floats) -> Balls:
        """The masses of whole places."""
        exponents = np.square(places) * float(1 / (2 * self.variance))
        normaliser = log_normaliser(self.variance)
        masses = np.exp(-exponents - normaliser.lower)
        # e^x is granted 8, and both parts of the exponent round less than 8 times.
        times = 16.0 + 8.0 * exponents + 8.0 * abs(normaliser.lower)
        found = Balls.rounded(masses, 1.0, masses * times)
        return found.widened(masses * (2.0 * normaliser.width) + TINY / (1.0 + places.size))

    def _beyond(self, place: int) -> float:
        """A bound on the mass farther from 0 than a place, by a geometric series: its terms fall faster than that."""
        mass = self._between(place, place).entry(0).widened(TINY)
        # e^x - 1 is granted 4, and its argument rounds once.
        fall = Ball.rounded(-math.expm1(-float((2 * abs(place) + 1) / (2 * self.variance))), 8.0)
        return (mass / fall).upper


def _whole(first: int, last: int) -> Floats:
    if last - first >= _MOST_ATOMS:
        raise GridTooLarge(
            f"discrete Gaussian noise of this variance needs {last - first + 1:,} atoms (at most {_MOST_ATOMS:,}); "
            "use 'gaussian', or read a definition that adds up, such as 'zcdp'"
        )
    return np.arange(first, last + 1, dtype=np.float64)


@frozen(eq=False)
class DiscreteGaussianMoments(Moments):
    """Log moments of discrete Gaussian losses, wide ones and narrow ones by a series each."""

    variances: Floats
    moves: Floats

    @classmethod
    def of(cls, losses: Sequence[DiscreteGaussianLoss]) -> Self:
        return cls(np.array([float(loss.variance) for loss in losses]), np.array([float(loss.move) for loss in losses]))

    @property
    def work(self) -> int:
        return 4 * self.variances.size

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        return series.log_moments(self.variances, self.moves, points)

    def deviations(self, tilt: float) -> Floats:
        return series.deviations(self.variances, self.moves)

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of a lattice's transform returns to 1."""
        return np.zeros(self.variances.size)
