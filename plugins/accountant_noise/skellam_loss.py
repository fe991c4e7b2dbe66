"""The loss of Skellam noise on one coordinate."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant import GridTooLarge, Interval, PrivacyLoss, fields
from accountant.loss import NO_LOSS, TOTAL_LOSS, AtomicLoss, Cells, Floats, Moments
from accountant.numbers.rounding import TINY, Ball, Balls, log1p, up
from accountant_noise import skellam_bounds as bounds
from accountant_noise.bessel import Falls, depth
from accountant_noise.skellam_moments import MOST_ATOMS, RareAtoms, SkellamMoments, log_moment_of_atoms

# Beyond these, doubles run out: the loss is enclosed by nothing and everything.
_LEAST, _MOST = Fraction(1, 10**200), Fraction(10**100)
_MOST_PLACES = 2**21
_UNDERFLOW = 720.0
"""Noise that is e^-720 times as likely as 0 is so rare that it has, with all beyond it, a chance below TINY."""
_NOTHING = Interval.of(0)


@frozen(cache_hash=True)
class SkellamLoss(AtomicLoss):
    """The loss of Skellam noise when a whole answer moves by `move`.

    Definition: log(I_|k|(v)/I_|k - move|(v)), where k is whole and has mass e^-v I_|k|(v), v the variance. It falls as k
    rises, since the masses are log-concave, and the pair is symmetric: k and move - k have the same chances under exchanged
    laws. Its atoms are those of places that doubles reach; what lies beyond has a chance below TINY and counts as lost.
    """

    symmetric: ClassVar[bool] = True

    variance: Fraction = field(converter=fields.exact, validator=fields.above(0))
    move: int = field(converter=fields.whole, validator=fields.at_least(1))
    _moments: dict[float, Interval] = field(factory=dict, init=False, eq=False, repr=False)

    # What doubles hold -------------------------------------------------------------------------------------------------

    def dominating(self) -> PrivacyLoss:
        """More variance, which is further noise, loses less."""
        if self.variance > _MOST:
            return SkellamLoss(_MOST, self.move)
        return self if self._held() else TOTAL_LOSS

    def dominated(self) -> PrivacyLoss:
        """So does a smaller move."""
        if self._held():
            return self
        if self.variance > _MOST:
            return NO_LOSS
        return SkellamLoss(max(self.variance, _LEAST), min(self.move, self._farthest_move)).dominated()

    def _doubles(self) -> bool:
        return _LEAST <= self.variance <= _MOST

    def _held(self) -> bool:
        return self._doubles() and self.move <= self._farthest_move

    def _enclosed(self, reading: Callable[[PrivacyLoss], Interval]) -> Interval:
        """A reading from both sides."""
        low, high = reading(self.dominated()), reading(self.dominating())
        return Interval(min(low.lower, high.upper), high.upper)

    @property
    def _size(self) -> int:
        """From this place on there is less than TINY of the noise."""
        return depth(float(max(self.variance, _LEAST)), _UNDERFLOW)

    @property
    def _farthest_move(self) -> int:
        """After such a move no outcome that doubles reach under one law is left under the other."""
        return 4 * self._size

    # Atoms -------------------------------------------------------------------------------------------------------------

    def find_atoms(self) -> RareAtoms:
        size = self._size
        if size > _MOST_PLACES:
            raise GridTooLarge(
                f"Skellam noise of this variance needs about {2 * size:.2g} atoms (at most {2 * _MOST_PLACES:,}); use "
                "'gaussian', or read a definition that adds up, such as 'zcdp'"
            )
        falls = Falls.of(self.variance, size + self.move)
        places = np.arange(size, -size - 1, -1, dtype=np.int64)
        heights = falls.between(np.zeros_like(places), np.abs(places))
        log_masses = -heights - math.log(float(np.exp(-heights).sum()))
        masses = np.exp(np.maximum(log_masses, -744.0))
        # Heights are right to 8 roundoffs, and their sum and both exponentials to less than 64 and 8 of them.
        errors = Balls.rounded(masses, 1.0, masses * (64.0 + 16.0 * heights)).widened(bounds.LOST).radii
        losses = falls.between(np.abs(places), np.abs(places - self.move))
        return RareAtoms(losses, masses, errors, Interval(0.0, TINY), grain=0.0, log_masses=log_masses)

    def window(self, log_tail: float) -> tuple[float, float]:
        variance, move = self._doubled
        reach = depth(variance, min(max(-log_tail, 1.0), _UNDERFLOW))
        return -move * math.asinh(reach / variance), move * math.asinh((reach + move) / variance)

    def anchor(self) -> float:
        return super().anchor() if self._held() else 0.0

    def cells(self, edges: Floats) -> Cells:
        if not self._held():
            return self.dominating().cells(edges)
        cells = super().cells(edges)
        cells.p_error[0] = up(float(cells.p_error[0]) + TINY)
        return cells

    def delta_formula(self, epsilon: float) -> Interval:
        if not self._held():
            return self._enclosed(lambda loss: loss.delta(epsilon))
        return super().delta_formula(epsilon)

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    # Moments -----------------------------------------------------------------------------------------------------------

    def analytic(self) -> type[Moments] | None:
        return SkellamMoments if self._held() and self._size <= MOST_ATOMS else None

    def log_moment_formula(self, order: float) -> Interval:
        """From the atoms where they suffice, and in closed form otherwise."""
        if order not in self._moments:
            self._moments[order] = self._moment(order)
        return self._moments[order]

    def _moment(self, order: float) -> Interval:
        if not self._doubles():
            return self._enclosed(lambda loss: loss._log_moment_at(order))
        found = Interval(0.0, math.inf)
        if self._size <= _MOST_PLACES:
            found = self._by_atoms(order) if self._held() else self._enclosed(lambda loss: loss._log_moment_at(order))
        most = bounds.log_moment_above(*self._doubled, order)
        least = bounds.log_moment_below(*self._doubled, order)
        upper = min(most, found.upper)
        return Interval(min(max(found.lower, least), upper), upper)

    @property
    def _doubled(self) -> tuple[float, float]:
        return float(min(max(self.variance, _LEAST), _MOST)), float(min(Fraction(self.move), _MOST))

    def _by_atoms(self, order: float) -> Interval:
        size, atoms = self._size, self.atoms
        assert isinstance(atoms, RareAtoms)
        # The chances of places and the losses of neighbours beyond the last grow by at most this from one to the next.
        fall = Ball.rounded(float(Falls.of(self.variance, size + self.move).steps[size]), 4.0)
        return log_moment_of_atoms(atoms, order, order * log1p(Ball.of(self.move) / (size + 1.0)) - fall)

    def concentration_formula(self) -> Interval | None:
        """In closed form where the noise is wide; the supremum is searched for otherwise."""
        if not self._doubles():
            return self._enclosed(lambda loss: loss.concentration())
        above = bounds.concentration_above(*self._doubled)
        if above is None:
            return None
        below = [bounds.concentration_below(*self._doubled)]
        if self._size <= _MOST_PLACES:
            below += [
                (Ball(self._log_moment_at(order).lower) / (Ball(order) * (order + 1.0))).lower
                for order in (2.0**-20, 2.0**-10)
            ]
        return Interval(min(max(below), above), above)

    def concentration_beyond(self, order: float) -> float:
        return bounds.concentration_beyond(*self._doubled, order) if self.variance >= _LEAST else math.inf
