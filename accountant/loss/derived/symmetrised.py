"""The smallest symmetric loss above a pair and its exchange.

Where a record is replaced, both orders (P, Q) and (Q, P) count, and one release may be worst in one of them and the next in
the other. What composes is a single pair that dominates both: its delta is the larger of the two. Where that is P's against
Q at every epsilon >= 0, the pair has the losses above 0, their mirror images below, and nothing else that tells. See
docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import field, frozen

from accountant.loss.derived.replaced_gaussian import ExchangedGaussian
from accountant.loss.derived.sampled import SampledLoss
from accountant.loss.derived.sampled_atoms import mirrored_atoms
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.derived.sampled_integral import MIRRORED
from accountant.loss.derived.symmetrised_cells import mirrored_cells
from accountant.loss.derived.symmetrised_moments import Halves
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.loss.readings.renyi_supremum import certified_supremum
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1


@frozen
class MirroredLoss(PrivacyLoss):
    """The loss whose delta at every epsilon >= 0 is that of `base`, and which is its own reverse.

    Definition: a loss l > 0 of `base`, with masses p of P and q of Q, stays and gets a mirror image -l with masses q and p.
    What this leaves of each law has loss 0.

    `base` comes from a symmetric loss, so that it loses at least as much forward as backward at every epsilon >= 0.
    """

    base: SampledLoss | ExchangedGaussian
    _halves: list[Halves] = field(factory=list, init=False, eq=False, repr=False)
    _concentrations: list[Interval] = field(factory=list, init=False, eq=False, repr=False)

    def reverse(self) -> PrivacyLoss:
        return self

    def dominating(self) -> PrivacyLoss:
        return self._with(self.base.dominating())

    def dominated(self) -> PrivacyLoss:
        return self._with(self.base.dominated())

    def with_moments(self, *, upper: bool) -> PrivacyLoss:
        return self._with(self.base.with_moments(upper=upper))

    def _with(self, base: PrivacyLoss) -> PrivacyLoss:
        if base is self.base:
            return self
        return MirroredLoss(base) if isinstance(base, (SampledLoss, ExchangedGaussian)) else base

    def window(self, log_tail: float) -> tuple[float, float]:
        high = self.base.window(log_tail)[1]
        return min(0.0, self.base.reverse().window(log_tail)[0]), max(0.0, high)

    def anchor(self) -> float:
        """Just below 0, where much of the law may be: from there a lower end takes least."""
        return -1e-10 * self.base.window(-8.0)[1]

    # Readings ----------------------------------------------------------------------------------------------------------

    def delta_formula(self, epsilon: float) -> Interval:
        """Below 0 by exchanging the laws: 1 - e^epsilon (1 - delta(-epsilon))."""
        value = self.base.delta(abs(epsilon))
        if epsilon >= 0.0:
            return value
        place = Ball(max(epsilon, -800.0))
        return (exp(place) * Ball.of(value) - expm1(place)).interval(0.0, 1.0)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self.base._epsilon_at(target, least)

    def infinite_formula(self) -> Interval:
        return self.base.infinite()

    def supremum_formula(self) -> Interval:
        return self.base.supremum()

    def log_moment_formula(self, order: float) -> Interval:
        """At least that of the base, which this dominates, and at most that of the whole, which dominates this.

        A base that has no masses of its own is read from one that dominates it and has: from above only.
        """
        known = self.base.integrated(order, mirrored=True)
        if known is not None:
            return known
        with_masses = self.base.dominating()
        found = self._integrated(with_masses, order)
        upper = min(self.base.whole._log_moment_at(order).upper, found.upper)
        lower = found.lower if with_masses is self.base else self.base._log_moment_at(order).lower
        return Interval(min(lower, upper), upper)

    def _integrated(self, base: PrivacyLoss, order: float) -> Interval:
        """The log moment over masses of a base that has some."""
        if isinstance(base, SampledLoss):
            return base.integral(order, MIRRORED, None if base is self.base else self.base.whole)
        if not self._halves:
            self._halves.append(Halves.of(base))
        return self._halves[0].log_moment(order)

    def concentration_formula(self) -> Interval:
        if not self._concentrations:
            self._concentrations.append(self._find_concentration())
        return self._concentrations[0]

    def _find_concentration(self) -> Interval:
        low, high = self.base.concentration().lower, self.base.whole.concentration().upper
        if self.supremum().upper < math.inf:
            found = certified_supremum(self)
            low, high = max(low, found.lower), min(high, found.upper)
        return Interval(min(low, high), high)

    def analytic(self) -> type[Moments] | None:
        return self.base.analytic()

    def gaussian(self, log_tail: float) -> SampledGaussian:
        """The loss in doubles without its rarest outcomes, where the noise is Gaussian."""
        return self.base.gaussian(log_tail, mirrored=True)

    def finite_atoms(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite, each with what is not known of it."""
        assert isinstance(self.base, SampledLoss)
        assert self.base.atoms is not None
        return mirrored_atoms(self.base.atoms).given_finite()

    # Cells -------------------------------------------------------------------------------------------------------------

    def cells(self, edges: Floats) -> Cells:
        return mirrored_cells(self.base, edges)
