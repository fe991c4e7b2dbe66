"""The loss of Gaussian noise on a Poisson sample when one record is replaced by another.

Let x be standard normal where the record is not taken, moved up by u where the first one is, and down by v where the
second is. Beside the density of x the laws have a = 1 - rate + rate e^(u x - u^2/2) and b = 1 - rate + rate e^(-v x -
v^2/2), and the loss log(a/b) grows with x. Where it is above its value at t, so is x above t. Of any cell from t on,
with a chance N where the record is not taken, the first law has a(t) N and `rate` times what the law moved by u has
there beyond e^(u t - u^2/2) N; the second has b(t) N less `rate` times what the law moved by -v lacks to e^(-v t -
v^2/2) N. Both differences Gaussian noise knows.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant.fields import above, at_least, below, exact
from accountant.loss.derived.masses import Masses, mixed
from accountant.loss.derived.sampled_gaussian import SampledGaussian, SampledMoments, whole_log_moment
from accountant.loss.derived.sampled_rule import AtOutcomes, Densities
from accountant.loss.families.gaussian import GaussianLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, joined, where

_FARTHEST = 50.0
"""Standard deviations beyond which doubles see nothing."""
_ROUNDS = 80
_CLOSE = 2.0**-51
"""A step from which on an outcome is found, beside the outcome and 1."""
LEAST, MOST = Fraction(1, 10**10), Fraction(100)
"""Between which squares the quantities here stay within doubles."""


@frozen
class ExchangedGaussian(PrivacyLoss):
    """The loss of (1 - rate) N(0, 1) + rate N(u, 1) against (1 - rate) N(0, 1) + rate N(-v, 1).

    Known by u^2 and (u + v)^2: what the noise loses where a record is absent, and where it is replaced. `swapped` exchanges
    the two laws.
    """

    apart: Fraction = field(converter=exact, validator=at_least(LEAST))
    replaced: Fraction = field(converter=exact)
    rate: Fraction = field(converter=exact, validator=[above(0), below(1)])
    swapped: bool = False
    _gaussians: dict[tuple[float, bool], SampledGaussian] = field(factory=dict, init=False, eq=False, repr=False)
    _reverse: list[ExchangedGaussian] = field(factory=list, init=False, eq=False, repr=False)

    @classmethod
    def holds(cls, apart: Fraction, replaced: Fraction, rate: Fraction) -> bool:
        """Whether doubles hold such a loss."""
        return LEAST <= apart < replaced <= min(4 * apart, MOST) and min(rate, 1 - rate) >= LEAST

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the two laws changes nothing."""
        return self.replaced == 4 * self.apart

    @property
    def whole(self) -> PrivacyLoss:
        """What the loss would be if every record were taken, which dominates it."""
        return GaussianLoss(self.replaced)

    def reverse(self) -> PrivacyLoss:
        if self.symmetric:
            return self
        if not self._reverse:
            back = ExchangedGaussian(self.apart, self.replaced, self.rate, not self.swapped)
            back._reverse.append(self)
            self._reverse.append(back)
        return self._reverse[0]

    @property
    def _moves(self) -> tuple[float, float]:
        up = math.sqrt(float(self.apart))
        down = up if self.symmetric else float(self.replaced - self.apart) / (math.sqrt(float(self.replaced)) + up)
        return (down, up) if self.swapped else (up, down)

    @property
    def _laws(self) -> Densities:
        return Densities(*self._moves, float(self.rate), float(1 - self.rate))

    # Outcomes ----------------------------------------------------------------------------------------------------------

    def _losses(self, x: Floats) -> Floats:
        return self._laws.at(x).losses

    def _outcomes(self, losses: Floats) -> Floats:
        """The x with these losses; at most so far out that nothing lies beyond."""
        laws, (up, down) = self._laws, self._moves
        low, high = np.full(losses.shape, -_FARTHEST - down), np.full(losses.shape, _FARTHEST + up)
        x = 0.5 * (low + high)
        for _ in range(_ROUNDS):
            at = laws.at(x)
            lack = losses - at.losses
            low, high = np.where(lack >= 0.0, x, low), np.where(lack <= 0.0, x, high)
            ahead = x + lack / (up * at.share_a + down * at.share_b)
            inside = (ahead > low) & (ahead < high)
            step = np.where(inside, ahead, 0.5 * (low + high)) - x
            x = x + step
            if float(np.max(np.abs(step) / (1.0 + np.abs(x)), initial=0.0)) < _CLOSE:
                break
        found: Floats = x
        return found

    def window(self, log_tail: float) -> tuple[float, float]:
        reach = math.sqrt(2.0 * max(1.0, -log_tail))
        low, high = self._losses(np.array([-reach, reach + self._moves[0]])).tolist()
        return low, high

    # Readings ----------------------------------------------------------------------------------------------------------

    def delta_formula(self, epsilon: float) -> Interval:
        cells = self.cells(np.array([epsilon]))
        assert cells.gap is not None
        assert cells.gap_error is not None
        moved = cells.slack * Ball(float(cells.p[1]), float(cells.p_error[1])).most
        return Ball(float(cells.gap[1]), float(cells.gap_error[1])).widened(moved).interval(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        return Interval.of(0)

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def analytic(self) -> type[Moments] | None:
        return SampledMoments

    def gaussian(self, log_tail: float, *, mirrored: bool = False) -> SampledGaussian:
        """The loss in doubles without its rarest outcomes; or its mirrored loss, the same where this is symmetric."""
        key = (log_tail, mirrored or self.symmetric)
        if key not in self._gaussians:
            laws = self._laws
            reach = math.sqrt(-2.0 * log_tail)
            self._gaussians[key] = SampledGaussian(laws.up, laws.down, laws.rate, laws.rest, reach, key[1])
        return self._gaussians[key]

    def integrated(self, order: float, *, mirrored: bool = False) -> Interval | None:
        """The log moment by quadrature, where doubles reach; or that of its mirrored loss."""
        laws = self._laws
        mirrored = mirrored or self.symmetric
        return whole_log_moment((laws.up, laws.down), (laws.rate, laws.rest), order, mirrored=mirrored)

    def log_moment_formula(self, order: float) -> Interval:
        known = self.integrated(order)
        return Interval(0.0, self.whole._log_moment_at(order).upper) if known is None else known

    def concentration_formula(self) -> Interval:
        """At most that of the whole, and at least what is found at some orders."""
        most = self.whole.concentration().upper
        orders = [2.0**k for k in range(-2, 20)]
        ratios = [(Ball(self._log_moment_at(order).lower) / (order * (order + 1.0))).lower for order in orders]
        return Interval(min(max(0.0, *ratios), most), most)

    # Cells -------------------------------------------------------------------------------------------------------------

    def cells(self, edges: Floats) -> Cells:
        laws, (up, down), t = self._laws, self._moves, self._outcomes(edges)
        at = laws.at(t)
        first = Masses.of(GaussianLoss(Fraction(up) ** 2).cells(up * t - 0.5 * up * up))
        second = Masses.of(GaussianLoss(Fraction(down) ** 2).cells(down * t + 0.5 * down * down))
        p = mixed(second.p, laws.rest, first.p, laws.rate)
        # Densities are off by so many roundoffs, and so are masses between edges that come from the same exponents.
        doubt = 8.0 * (np.add(*laws.doubts(t, at)) + 16.0)
        # In units of the first law's density at the left edge: gap = rate gap_1 + a share_b gap_2.
        weight, one, other = np.exp(at.log_a) * at.share_b, first.gap[1:], second.gap[1:]
        size = laws.rate * np.abs(one.middle) + weight * np.abs(other.middle)
        moved = laws.rate * one.radii + weight * other.radii + self._apart(t) * laws.rate * first.q.upper[1:]
        gap = Balls.rounded(laws.rate * one.middle + weight * other.middle, 1.0, doubt * size).widened(moved + TINY)
        # No loss is as low as an edge that no outcome has: from there on the masses are those of all outcomes.
        unseen = (t < -_FARTHEST) & (at.losses > edges)
        ratio = np.exp(np.where(unseen, np.minimum(edges, 0.0), at.losses))
        back = laws.rate * np.exp(-down * t - 0.5 * down * down)
        second_p, second_q = second.p[1:], second.q[1:]
        scaled_q = ratio * (laws.rest * second_p.middle + back * second_q.middle)
        moved = ratio * (laws.rest * second_p.radii + back * second_q.radii)
        q = Balls.rounded(scaled_q, 1.0, doubt * scaled_q).widened(moved + TINY)
        gap = where(unseen, p[1:] - q, gap) if np.any(unseen) else gap
        masses = Masses(p, joined([Ball(0.0), q]), joined([p[:1], gap]))
        return masses.cells(Interval.of(0), self._displaced(edges, t, at))

    def _apart(self, t: Floats) -> Floats:
        """By how much of itself a mass between outcomes may differ, where either end is off by 32 roundoffs."""
        off = Balls.rounded(t, 32.0, 1.0 + np.abs(t) + sum(self._moves)).radii
        width = np.append(np.diff(t), np.inf)
        with np.errstate(divide="ignore"):
            rise = np.where(width > 0.0, 1.0 / width, 0.0) + np.abs(t) + np.append(np.abs(t[1:]), 0.0) + 1.0
        share: Floats = 4.0 * (off + np.append(off[1:], 0.0)) * rise
        return share

    def _displaced(self, edges: Floats, t: Floats, at: AtOutcomes) -> float:
        """How far the edges are from the losses of the outcomes that were found; it counts three times, as for samples.

        Beyond the farthest outcomes there is nothing to displace.
        """
        seen = np.abs(t) < _FARTHEST
        scale = sum(self._laws.doubts(t, at)) + np.abs(edges)
        off = np.abs(at.losses - edges) + Balls.rounded(at.losses, 8.0, scale).radii
        return 3.0 * float(np.max(off[seen], initial=0.0))
