"""The loss of a mechanism that sees each record with some chance only: Poisson sampling.

Let (P, Q) be the pair of the mechanism, with and without a record, and R = (1 - rate) Q + rate P. The loss of (R, Q) is
lift(L) = log(1 - rate + rate e^L), L that of (P, Q). Everything is read from the base at losses that are lifted back.
See docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import field, frozen

from accountant.fields import above, at_most
from accountant.loss.derived.discretised import flat_above, flat_below
from accountant.loss.derived.sampled_atoms import DerivedAtoms, lifted_atoms, lifted_back
from accountant.loss.derived.sampled_cells import absent_cells, present_cells
from accountant.loss.derived.sampled_gaussian import SampledGaussian, SampledMoments, whole_log_moment
from accountant.loss.derived.sampled_halves import ATOMIC
from accountant.loss.derived.sampled_integral import BACKWARD, FORWARD, Piece, SampledIntegral
from accountant.loss.derived.sampled_moments import absent_moment, present_moment, rough_moment, whole_moment
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.families.alternatives import OneOf
from accountant.loss.families.atomic_moments import AtomMoments
from accountant.loss.families.finite import NO_LOSS, FiniteLoss
from accountant.loss.families.gaussian import GaussianLoss, GaussianMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.loss.readings.renyi_supremum import LAST_ORDER, certified_supremum
from accountant.numbers.exact import ExactLike, exact
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.logarithm import log_of
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, log1p

# Rates that are closer to 0 or to 1 are read from the nearest ones that doubles can hold.
_LEAST = Fraction(1, 10**290)
_CLOSE = 1e-9
_NARROW = 1e-6
"""Relative widths from which on nothing else is tried: for what is found at once, and for what took some work."""


@frozen
class SampledLoss(PrivacyLoss):
    """The loss of (1 - rate) Q + rate P against Q, where (P, Q) is the pair of `base`: a record is there or not.

    Definition: with L the loss of `base`, the new one is log(1 - rate + rate e^L). `swapped` exchanges the two laws, so
    that the record is absent under the first.
    """

    base: PrivacyLoss
    rate: Fraction = field(converter=exact, validator=[above(0), at_most(1)])
    swapped: bool = False
    _whole: dict[int, Interval] = field(factory=dict, init=False, eq=False, repr=False)
    _gaussians: dict[tuple[float, bool], SampledGaussian] = field(factory=dict, init=False, eq=False, repr=False)
    _atoms: list[DerivedAtoms | None] = field(factory=list, init=False, eq=False, repr=False)
    _reverse: list[SampledLoss] = field(factory=list, init=False, eq=False, repr=False)
    _sides: dict[bool, PrivacyLoss] = field(factory=dict, init=False, eq=False, repr=False)
    _integrals: dict[bool, SampledIntegral] = field(factory=dict, init=False, eq=False, repr=False)
    _concentrations: list[Interval] = field(factory=list, init=False, eq=False, repr=False)
    _balls: list[tuple[Ball, Ball]] = field(factory=list, init=False, eq=False, repr=False)

    @classmethod
    def of(cls, base: PrivacyLoss, rate: ExactLike) -> PrivacyLoss:
        """The loss of a mechanism with loss `base` on a sample, in the simplest family that holds it exactly."""
        chance = exact(rate)
        if isinstance(base, SampledLoss) and not base.swapped:
            return cls.of(base.base, chance * base.rate)
        if base == NO_LOSS or chance == 1:
            return base
        if chance == 0:
            return NO_LOSS
        if isinstance(base, FiniteLoss):
            return FiniteLoss(((1 - chance) * q + chance * p, q) for p, q in base.atoms)
        if isinstance(base, OneOf):
            # Delta of a sample is that of the release at another place, times a factor: the largest stays so.
            return base.each(lambda loss: cls.of(loss, chance))
        from accountant.loss.derived.mixture import MixtureLoss

        if isinstance(base, MixtureLoss):
            return MixtureLoss.of((share, cls.of(part, chance)) for share, part in base.parts)
        return cls(base, chance)

    def reverse(self) -> PrivacyLoss:
        if not self._reverse:
            back = SampledLoss(self.base, self.rate, not self.swapped)
            back._reverse.append(self)
            self._reverse.append(back)
        return self._reverse[0]

    def dominating(self) -> PrivacyLoss:
        """A higher rate dominates: throwing a sampled output away with some chance, for a fresh one of Q, lowers it."""
        return self._enclosing(self._held(1 - self._held(1 - self.rate, up=False), up=True), upper=True)

    def dominated(self) -> PrivacyLoss:
        return self._enclosing(self._held(1 - self._held(1 - self.rate, up=True), up=False), upper=False)

    def _enclosing(self, rate: Fraction, *, upper: bool) -> PrivacyLoss:
        """The same with a rate that doubles hold and a base that has masses, both on one side of the given ones."""
        if upper not in self._sides:
            base = self.base.dominating() if upper else self.base.dominated()
            if isinstance(base, ComposedLoss):
                base = flat_above(base) if upper else flat_below(base)
            same = base is self.base and rate == self.rate
            self._sides[upper] = self if same else SampledLoss(base, rate, self.swapped) if rate else NO_LOSS
        return self._sides[upper]

    def with_moments(self, *, upper: bool) -> PrivacyLoss:
        side = self.dominating() if upper else self.dominated()
        if not isinstance(side, SampledLoss) or side.analytic() is not None or isinstance(side.base, ATOMIC):
            return side
        flat = flat_above(side.base) if upper else flat_below(side.base)
        return SampledLoss(flat, side.rate, side.swapped)

    @staticmethod
    def _held(chance: Fraction, *, up: bool) -> Fraction:
        """A chance that doubles can hold, on one side of the given one."""
        return chance if chance == 0 or chance >= _LEAST else _LEAST if up else Fraction(0)

    @property
    def _side(self) -> PrivacyLoss:
        """What is left at a rate of 1."""
        return self.base.reverse() if self.swapped else self.base

    def unsampled(self) -> PrivacyLoss:
        return self._side

    @property
    def whole(self) -> PrivacyLoss:
        """What the loss would be if every record were taken, which dominates it."""
        return self.base

    @property
    def _held_chances(self) -> tuple[Ball, Ball]:
        """The rate and what it lacks to 1, neither beyond what is held."""
        if not self._balls:
            self._balls.append((Ball.of(max(self.rate, _LEAST)), Ball.of(max(1 - self.rate, _LEAST))))
        return self._balls[0]

    @property
    def _chances(self) -> tuple[float, float]:
        """The same, each rounded once."""
        rate, rest = self._held_chances
        return rate.middle, rest.middle

    def _extreme(self) -> bool:
        """Whether the rate is beyond doubles."""
        return self.rate < _LEAST or 0 < 1 - self.rate < _LEAST

    # Lifting -----------------------------------------------------------------------------------------------------------

    def _lift(self, loss: float) -> Interval:
        """log(1 - rate + rate e^loss)."""
        rate, rest = self._held_chances
        if loss == math.inf:
            return Interval.infinite()
        if loss > 700.0:
            return (log(rate) + loss + log1p(rest / rate * exp(Ball(-loss)))).interval()
        if loss < 0.0 and rate.middle > 0.5:
            # Both terms are positive, so the sum is relatively exact.
            return log(rest + rate * exp(Ball(max(loss, -745.0)))).interval()
        # The argument is positive or at least -1/2.
        return log1p(rate * expm1(Ball(loss))).interval()

    def _unlift(self, loss: float) -> Interval:
        """log((e^loss - 1 + rate)/rate); -infinity where no loss of the base is lifted as low as that."""
        if loss > 30.0:
            rate, rest = self._held_chances
            return (loss - log(rate) + log1p(-rest * exp(Ball(-loss)))).interval()
        # Away from 0 the exponential itself is sharper than what it is more than 1.
        far = loss < -0.5
        found, lack = (exp(Ball(max(loss, -800.0))), self.rate - 1) if far else (expm1(Ball(loss)), self.rate)
        low, high = ((Fraction(end) + lack) / self.rate for end in (found.lower, found.upper))
        return Interval(_log_end(low, -1.0), _log_end(high, 1.0))

    def window(self, log_tail: float) -> tuple[float, float]:
        back = self.base.reverse().window(log_tail)
        low = self._lift(-back[1]).lower
        if not self.swapped:
            return low, self._lift(self.base.window(log_tail)[1]).upper
        return -self._lift(-back[0]).upper, -low

    def anchor(self) -> float:
        """That of the base; or, for a record that is hardly ever taken, just below where nearly all of the law is."""
        rare = self.rate < Fraction(1, 10)
        if self.swapped:
            back = self.base.reverse()
            return -self._lift(-(back.window(-8.0)[0] if rare else back.anchor())).upper * (1.0 + _CLOSE * rare)
        return self._lift(-math.inf if rare else self.base.anchor()).lower * (1.0 + _CLOSE * rare)

    # Readings ----------------------------------------------------------------------------------------------------------

    def delta_formula(self, epsilon: float) -> Interval:
        """A multiple of the base's delta at a shifted epsilon: for every event the two differences are proportional.

        R(A) - e^epsilon Q(A) = rate (P(A) - e^b Q(A)) with b = unlift(epsilon). The other way round,
        Q(A) - e^epsilon R(A) = k (Q(A) - e^-c P(A)) with c = unlift(-epsilon) and k = 1 - e^epsilon (1 - rate).
        """
        if self.rate == 1:
            return self._side.delta(epsilon)
        if self._extreme():
            return Interval(self.dominated().delta(epsilon).lower, self.dominating().delta(epsilon).upper)
        if not self.swapped:
            point = self._unlift(epsilon)
            if point.lower > -math.inf:
                return _scaled(self.base, self.rate, self.rate, point)
            # No event is worth less than e^epsilon of Q, or hardly: all of them together are best.
            whole = (-expm1(Ball(epsilon))).interval(0.0, 1.0)
            return whole if point.upper == -math.inf else whole.hull(_scaled(self.base, self.rate, self.rate, point))
        if epsilon > 700.0:
            return Interval.of(0)  # the loss is at most -log(1 - rate)
        point = self._unlift(-epsilon)
        if point.upper == -math.inf:
            return Interval.of(0)
        growth = expm1(Ball(epsilon))
        ends = (self.rate - (1 - self.rate) * Fraction(end) for end in (growth.upper, growth.lower))
        low, high = (max(Fraction(0), end) for end in ends)
        return _scaled(self.base.reverse(), low, high, Interval(-point.upper, -point.lower))

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """With the record in the first law, what the base needs for target/rate, lifted."""
        if self.rate == 1 or self._extreme():
            return super()._epsilon_at(target, least)
        if not self.swapped:
            if target >= self.rate:
                return Interval.of(0)
            found = self.base.epsilon(target / self.rate)
            return Interval(self._lift(found.lower).lower, self._lift(found.upper).upper).clamp(0.0, math.inf)
        if least > 0.0 and self.delta_formula(least).at_most(target):
            return Interval(0.0, least)
        return super()._epsilon_at(target, least)

    def supremum_formula(self) -> Interval:
        top = self._side.supremum()
        if self.rate == 1:
            return top
        if self._extreme():
            return Interval(max(0.0, self.dominated().supremum().lower), self.dominating().supremum().upper)
        if not self.swapped:
            return Interval(self._lift(top.lower).lower, self._lift(top.upper).upper).clamp(0.0, math.inf)
        return Interval(-self._lift(-top.lower).upper, -self._lift(-top.upper).lower).clamp(0.0, math.inf)

    def infinite_formula(self) -> Interval:
        if self.swapped and self.rate < 1:
            return Interval.of(0)
        mass = self._side.infinite()
        if mass.exact is not None:
            return Interval.of(mass.exact * self.rate)
        return Interval(float_below(Fraction(mass.lower) * self.rate), float_above(Fraction(mass.upper) * self.rate))

    def analytic(self) -> type[Moments] | None:
        if self.rate == 1 or self._extreme():
            return None
        if self.base.analytic() is GaussianMoments:
            return SampledMoments
        return None if self.atoms is None or self.atoms.infinite.upper > 0.5 else AtomMoments

    @property
    def atoms(self) -> DerivedAtoms | None:
        """The values of the loss, where its base is known by few enough of them."""
        if not self._atoms:
            self._atoms.append(self._find_atoms())
        return self._atoms[0]

    def _find_atoms(self) -> DerivedAtoms | None:
        side = self._side
        if not isinstance(side, ATOMIC) or self.rate == 1 or self._extreme():
            return None
        return (lifted_back if self.swapped else lifted_atoms)(side.atoms, *self._held_chances)

    def finite_atoms(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite, each with what is not known of it."""
        assert self.atoms is not None
        return self.atoms.given_finite()

    def moves(self) -> tuple[float, float] | None:
        """How far a Gaussian answer moves up under the first law and down under the second, where the base is Gaussian."""
        if not isinstance(self.base, GaussianLoss) or self.base.analytic() is None:
            return None
        mu = math.sqrt(float(self.base.mu_squared))
        return (0.0, mu) if self.swapped else (mu, 0.0)

    def gaussian(self, log_tail: float, *, mirrored: bool = False) -> SampledGaussian:
        """The loss in doubles without its rarest outcomes, where the base is Gaussian; or its mirrored loss."""
        key, moves = (log_tail, mirrored), self.moves()
        if key not in self._gaussians:
            assert moves is not None
            self._gaussians[key] = SampledGaussian(*moves, *self._chances, math.sqrt(-2.0 * log_tail), mirrored)
        return self._gaussians[key]

    def integrated(self, order: float, *, mirrored: bool = False) -> Interval | None:
        """The log moment by quadrature, where the base is Gaussian and doubles reach; or that of its mirrored loss."""
        moves = self.moves()
        return None if moves is None else whole_log_moment(moves, self._chances, order, mirrored=mirrored)

    def log_moment_formula(self, order: float) -> Interval:
        if self.rate == 1:
            return self._side._log_moment_at(order)
        if self._extreme():
            return Interval(0.0, self.dominating()._log_moment_at(order).upper)
        known = self.integrated(order)
        if known is not None:
            return known
        exact = self.base.dominated() is self.base
        if exact and not self.swapped:
            summed = whole_moment(self.base, self._held_chances, order, self._whole)
            if summed is None:
                summed = rough_moment(self.base, self._held_chances, order, self._lift)
            if summed.width <= _CLOSE * summed.lower < math.inf:
                return summed
        pieces, above = BACKWARD if self.swapped else FORWARD, self.dominating()
        high, low = (
            self.integral(order, pieces) if side is self else side._log_moment_at(order)
            for side in (above, self.dominated())
        )
        if high.upper == math.inf and above is not self and isinstance(above, SampledLoss):
            high = above.integral(order, pieces, self.base)
        if high.upper - low.lower <= _NARROW * low.lower:
            return Interval(low.lower, max(low.lower, high.upper))
        if self.swapped:
            rough = absent_moment(self.base, self._held_chances, order, self._lift)
        else:
            rough = present_moment(self.base, self._held_chances, order, self._lift, self._whole)
        # Moments of a base that is known from both sides may each be attained by another mechanism.
        least = rough.lower if exact else 0.0
        upper = min(rough.upper, high.upper)
        return Interval(min(max(least, low.lower), upper), upper)

    def integral(self, order: float, pieces: tuple[Piece, ...], source: PrivacyLoss | None = None) -> Interval:
        """The log moment as an integral over masses of the base, which has some; or that of the mirrored loss.

        With a `source` that the base stands above, the upper end is that of samples of the source.
        """
        forward = self.reverse() if self.swapped else self
        assert isinstance(forward, SampledLoss)
        known, alone = forward._integrals, source is None
        if alone not in known:
            known[alone] = SampledIntegral(self.base, self._chances, self.base if source is None else source)
        return known[alone].log_moment(order, pieces)

    def concentration_formula(self) -> Interval:
        if not self._concentrations:
            self._concentrations.append(self._find_concentration())
        return self._concentrations[0]

    def _find_concentration(self) -> Interval:
        """At most the base's: the sampled pair is the base's after throwing outputs away."""
        most = self._side.concentration()
        if self.rate == 1:
            return most
        if self.concentration_beyond(LAST_ORDER) < math.inf:
            return certified_supremum(self, most.upper)
        best = 0.0
        for power in range(39, -3, -1):
            order = 2.0**power
            moment = self._log_moment_at(order).lower
            best = max(best, (moment / (Ball(order) * (order + 1.0))).lower if moment < math.inf else moment)
            if best >= most.upper * (1.0 - _CLOSE):
                break
        return Interval(min(best, most.upper), most.upper)

    def concentration_beyond(self, order: float) -> float:
        return min(super().concentration_beyond(order), self._side.concentration_beyond(order))

    # Cells -------------------------------------------------------------------------------------------------------------

    def cells(self, edges: Floats) -> Cells:
        if self.rate == 1:
            return self._side.cells(edges)
        if self._extreme():
            return self.dominating().cells(edges)
        if self.swapped:
            return absent_cells(self.base.reverse(), *self._held_chances, edges)
        return present_cells(self.base, *self._held_chances, edges, self.infinite_formula())


def _log_end(value: Fraction, direction: float) -> float:
    """The logarithm of an exact number, rounded outward; -infinity if there is none."""
    if value <= 0:
        return -math.inf
    span = log_of(value)
    return span.upper if direction > 0.0 else span.lower


def _scaled(loss: PrivacyLoss, low: Fraction, high: Fraction, point: Interval) -> Interval:
    """A factor between two bounds times the delta of a loss at an epsilon between two bounds."""
    most = 1.0 if point.lower == -math.inf else loss.delta(point.lower).upper
    least = loss.infinite().lower if point.upper == math.inf else loss.delta(point.upper).lower
    lower, upper = float_below(low * Fraction(least)), float_above(high * Fraction(most))
    return Interval(min(lower, upper), upper).clamp(0.0, 1.0)
