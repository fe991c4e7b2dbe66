"""Every law of losses catches an error planted in a loss, and holds for the honest one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve, frozen

from accountant import Interval, PrivacyLoss
from accountant.loss import Cells, FiniteLoss, Floats, GaussianLoss
from accountant.testing.laws import LOSS_LAWS
from accountant.testing.laws.masses import moments_agree_with_cells, moments_agree_with_delta
from tests.laws.planted import COIN, SKEWED, STRONG


@frozen
class RisingDelta(FiniteLoss):
    """Delta grows with epsilon."""

    def delta_formula(self, epsilon: float) -> Interval:
        return super().delta_formula(epsilon) if epsilon < 0.0 else Interval.of("1/4" if epsilon < 1.0 else "1/2")


@frozen
class DeltaAboveOne(FiniteLoss):
    """Masses that were never divided by their sum."""

    def delta_formula(self, epsilon: float) -> Interval:
        return super().delta_formula(epsilon) if epsilon < 0.0 else Interval.of("3/2" if epsilon < 1.0 else "0")


@frozen
class AboveTheCoinToss(FiniteLoss):
    """A trade-off that no test could be bad enough for."""

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return Interval.of(1 - level**2)


@frozen
class RisingTradeoff(FiniteLoss):
    """A test of a higher level that misses more."""

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return Interval.of(level * (1 - level))


@frozen
class ConcaveTradeoff(FiniteLoss):
    """Two tests that cannot be mixed."""

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return Interval.of(min(Fraction(1, 2), 1 - level))


@frozen
class FallingRenyi(FiniteLoss):
    """A moment that does not grow with the order."""

    def log_moment_formula(self, order: float) -> Interval:
        return Interval.of(1)


@frozen
class NegativeMoment(FiniteLoss):
    """A moment below that of a loss of nothing."""

    def log_moment_formula(self, order: float) -> Interval:
        return Interval.of(-1)


@frozen
class EndsExchanged(FiniteLoss):
    """Ends in the wrong order."""

    def supremum_formula(self) -> Interval:
        return Interval(2.0, 1.0)


@frozen
class ExactOutsideItsEnds(FiniteLoss):
    """An exact value that its own ends do not contain."""

    def concentration_formula(self) -> Interval:
        return Interval(0.0, 1.0, Fraction(5))


@frozen
class CrashingReading(FiniteLoss):
    """A formula that fails on part of its domain."""

    def log_moment_formula(self, order: float) -> Interval:
        return Interval.of(Fraction(1, int(order)))


@frozen
class ForgetsItsReverse(FiniteLoss):
    """A reverse that belongs to another loss."""

    def reverse(self) -> PrivacyLoss:
        return STRONG


@frozen
class PretendsToBeSymmetric(FiniteLoss):
    """A pair that is not symmetric but says so."""

    def reverse(self) -> PrivacyLoss:
        return self


@frozen
class CellsOfAnother(FiniteLoss):
    """Masses for composition that do not belong to the formulas."""

    def cells(self, edges: Floats) -> Cells:
        return SKEWED.cells(edges)


@frozen
class EpsilonTooSmall(FiniteLoss):
    """An epsilon that does not suffice."""

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return Interval.of("1/10")


@frozen
class EpsilonTooLarge(FiniteLoss):
    """An epsilon whose lower end is not needed."""

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        needed = super()._epsilon_at(target, least).upper
        return Interval(needed + 1e-7, needed + 1e-7)


@frozen
class SupremumTooSmall(FiniteLoss):
    """A largest loss that is exceeded."""

    def supremum_formula(self) -> Interval:
        return Interval.of("1/2")


@frozen
class SupremumTooLarge(FiniteLoss):
    """A largest loss that does not happen."""

    def supremum_formula(self) -> Interval:
        return Interval.of(3)


@frozen
class RenyiTooSmall(FiniteLoss):
    """A moment that forgets its heavy end."""

    def log_moment_formula(self, order: float) -> Interval:
        return Interval.of(Fraction(order) / 100)


@frozen
class ConcentrationTooSmall(FiniteLoss):
    """A ratio of Renyi divergence to order that some order exceeds."""

    def concentration_formula(self) -> Interval:
        return Interval.of("1/100")


@frozen
class TradeoffTooSmall(FiniteLoss):
    """Tests that are said to be perfect."""

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return Interval.of(0)


@frozen
class TradeoffTooLarge(FiniteLoss):
    """Tests that are said to miss more than they do."""

    def _tradeoff_at(self, level: Fraction) -> Interval:
        missed = super()._tradeoff_at(level).exact
        assert missed is not None
        return Interval.of((missed + 1 - level) / 2)


@frozen
class LosesSomeMass(FiniteLoss):
    """One outcome in ten million that no cell holds."""

    def cells(self, edges: Floats) -> Cells:
        found = super().cells(edges)
        return evolve(found, p=found.p * (1 - 1e-7), q=found.q * (1 - 1e-7))


@frozen
class ForgetsWhatIsInfinite(FiniteLoss):
    """A formula that says nothing is lost outright."""

    def infinite_formula(self) -> Interval:
        return Interval.of(0)


@frozen
class ForgetsTheEdge(FiniteLoss):
    """Masses of Q that are not multiplied by e to the left edge."""

    def cells(self, edges: Floats) -> Cells:
        found = super().cells(edges)
        return evolve(found, q=np.append(0.0, found.q[1:] * np.exp(-edges)))


@frozen
class CellsOfALittleLess(FiniteLoss):
    """Masses of another pair, which is a little better."""

    def cells(self, edges: Floats) -> Cells:
        return FiniteLoss([("0.749999", "0.250001"), ("0.250001", "0.749999")]).cells(edges)


@frozen
class MomentsTooLow(FiniteLoss):
    """Moments that are fifteen per cent too low, which delta may still be bounded by."""

    def log_moment_formula(self, order: float) -> Interval:
        found = super().log_moment_formula(order)
        return Interval(found.lower * 0.85, found.upper * 0.85)


@frozen
class MomentsTooHigh(FiniteLoss):
    """Moments that are fifteen per cent too high."""

    def log_moment_formula(self, order: float) -> Interval:
        found = super().log_moment_formula(order)
        return Interval(found.lower * 1.15, found.upper * 1.15)


@frozen
class WholeValues(FiniteLoss):
    """A step of which no value is a multiple."""

    def step(self) -> Fraction | None:
        return Fraction(1)

    def lattice(self) -> Fraction | None:
        return Fraction(1)


WIDE = GaussianLoss(4)
LEAKY = FiniteLoss([("1/10", 0), ("9/10", "9/10"), (0, "1/10")])


@frozen
class GaussianMomentsTooLow(GaussianLoss):
    """Moments of a Gaussian with an eighth less of its variance."""

    def log_moment_formula(self, order: float) -> Interval:
        return GaussianLoss(Fraction(7, 2)).log_moment_formula(order)


PLANTS = [
    ("readings keep their shape", RisingDelta, COIN, "must not increase in epsilon"),
    ("readings keep their shape", DeltaAboveOne, COIN, "between 0 and 1"),
    ("readings keep their shape", AboveTheCoinToss, COIN, "at most 1 - x"),
    ("readings keep their shape", RisingTradeoff, COIN, "must not increase"),
    ("readings keep their shape", ConcaveTradeoff, COIN, "must be convex"),
    ("readings keep their shape", FallingRenyi, COIN, "must not decrease in the order"),
    ("readings keep their shape", NegativeMoment, COIN, "cannot be negative"),
    ("readings keep their shape", EndsExchanged, COIN, "lower end 2.0 above upper end 1.0"),
    ("readings keep their shape", ExactOutsideItsEnds, COIN, "an interval around the value"),
    ("readings keep their shape", CrashingReading, COIN, "cannot be read: ZeroDivisionError"),
    ("both directions are one pair", ForgetsItsReverse, COIN, "must change nothing"),
    ("both directions are one pair", PretendsToBeSymmetric, SKEWED, "must belong to one pair"),
    ("cells agree with formulas", CellsOfAnother, COIN, "the same delta as the formula"),
    ("epsilon inverts delta", EpsilonTooSmall, COIN, "epsilon is too small"),
    ("epsilon inverts delta", EpsilonTooLarge, COIN, "epsilon is too large"),
    ("delta ends at the supremum", SupremumTooSmall, COIN, "must vanish at the supremum"),
    ("delta ends at the supremum", SupremumTooLarge, COIN, "must not vanish below the supremum"),
    ("renyi bounds delta", RenyiTooSmall, COIN, "exceeds what the Renyi divergence allows"),
    ("renyi bounds delta", ConcentrationTooSmall, COIN, "exceeds the concentration"),
    ("trade-off bounds delta", TradeoffTooSmall, COIN, "below what delta allows"),
    ("trade-off reaches delta", TradeoffTooLarge, COIN, "above what delta allows"),
    ("cells hold all of the mass", LosesSomeMass, COIN, "must hold all of its mass"),
    ("cells hold all of the mass", ForgetsTheEdge, COIN, "in a cell P must not be"),
    ("cells hold all of the mass", ForgetsWhatIsInfinite, LEAKY, "the mass that is infinite"),
    ("cells tell the delta of the formula", CellsOfALittleLess, COIN, "must tell the delta of the formula"),
    ("renyi bounds delta", MomentsTooLow, COIN, "a log moment is too small"),
    ("all values lie on the lattice", WholeValues, COIN, "must be multiples of its step"),
]


@pytest.mark.parametrize(("law", "planted", "honest", "words"), PLANTS, ids=lambda x: getattr(x, "__name__", None))
def test_a_planted_error_is_caught(law: str, planted: type[FiniteLoss], honest: FiniteLoss, words: str) -> None:
    LOSS_LAWS[law](honest)
    with pytest.raises(AssertionError, match=words) as caught:
        LOSS_LAWS[law](planted(honest.atoms))
    assert len(str(caught.value)) < 800, "a counterexample must be small"


def test_every_law_of_losses_has_a_planted_error() -> None:
    assert {law for law, *_ in PLANTS} == set(LOSS_LAWS)


@pytest.mark.parametrize("law", [moments_agree_with_cells, moments_agree_with_delta])
def test_moments_that_are_an_eighth_too_low_are_seen_where_losses_are_not_bounded(law: Callable[..., None]) -> None:
    law(WIDE)
    with pytest.raises(AssertionError, match="a log moment is too small"):
        law(GaussianMomentsTooLow(4))


@pytest.mark.parametrize("law", [moments_agree_with_cells, moments_agree_with_delta])
@pytest.mark.parametrize("planted", [MomentsTooLow, MomentsTooHigh])
def test_cells_and_delta_each_tell_what_moments_are(law: Callable[..., None], planted: type[FiniteLoss]) -> None:
    law(COIN)
    with pytest.raises(AssertionError, match="a log moment is too"):
        law(planted(COIN.atoms))


def test_cells_that_lose_a_little_pass_every_law_but_those_of_cells() -> None:
    planted = LosesSomeMass(COIN.atoms)
    caught = []
    for name, law in LOSS_LAWS.items():
        try:
            law(planted)
        except AssertionError:
            caught.append(name)
    assert caught[0] == "cells hold all of the mass"
    assert all("cells" in name for name in caught)
