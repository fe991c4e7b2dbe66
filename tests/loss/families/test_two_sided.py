"""Losses known from both sides, and losses that know what several of them make together, in compositions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

from accountant.loss import BracketLoss, Cells, ComposedLoss, Floats, GaussianLoss, PrivacyLoss, ResponseLoss, compose
from accountant.numbers.interval import Interval


def test_each_end_is_that_of_its_own_side() -> None:
    """Also where the sides are so far apart that no one grid would serve both."""
    bracket = BracketLoss(ResponseLoss(1), ResponseLoss(Fraction(1, 3)))
    whole = compose([(bracket, 3), (GaussianLoss(Fraction(1, 4)), 1)])
    above, below = (compose([(ResponseLoss(e), 3), (GaussianLoss(Fraction(1, 4)), 1)]) for e in (1, Fraction(1, 3)))
    for reading in (
        lambda loss: loss.epsilon("1e-6"),
        lambda loss: loss.delta(Fraction(1, 2)),
    ):
        value = reading(whole)
        assert value.upper == pytest.approx(reading(above).upper, rel=1e-9)
        assert value.lower == pytest.approx(reading(below).lower, rel=1e-9)
        assert value.lower > 0.0
    level = whole.tradeoff("0.1")
    assert level.lower == pytest.approx(above.tradeoff("0.1").lower, rel=1e-9)
    assert level.upper == pytest.approx(below.tradeoff("0.1").upper, rel=1e-9)


@frozen
class Cheap(PrivacyLoss):
    """A response of which so many together lose no more than four times what one loses."""

    count: int = 1

    def reverse(self) -> PrivacyLoss:
        return self

    def repeated(self, count: int) -> PrivacyLoss:
        return Cheap(self.count * count)

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        return ((self, 1),) if self.count == 1 else ((Cheap(), self.count),)

    def window(self, log_tail: float) -> tuple[float, float]:
        return -4.0, 4.0

    def cells(self, edges: Floats) -> Cells:
        return ResponseLoss(min(self.count, 4)).cells(edges)

    def delta_formula(self, epsilon: float) -> Interval:
        return ResponseLoss(min(self.count, 4)).delta_formula(epsilon)


def test_a_loss_that_knows_its_repetitions_is_asked() -> None:
    ten = compose([(Cheap(), 10)])
    assert ten == Cheap(10) == compose([(compose([(Cheap(), 3)]), 3), (Cheap(), 1)])
    assert ten.delta(2).upper == pytest.approx(ResponseLoss(4).delta(2).upper, rel=1e-12)
    both = compose([(GaussianLoss(1), 1), (Cheap(), 2), (Cheap(), 5)])
    assert isinstance(both, ComposedLoss)
    assert both.parts == ((GaussianLoss(1), 1), (Cheap(7), 1))


def test_a_stretch_is_read_from_both_sides_and_holds_all_over_it() -> None:
    bracket = BracketLoss(ResponseLoss(1), ResponseLoss(Fraction(1, 3)))
    whole = compose([(bracket, 3), (GaussianLoss(Fraction(1, 4)), 1)])
    for loss in (bracket, whole._bracket if isinstance(whole, ComposedLoss) else None):
        assert loss is not None
        stretch = loss.delta_within(0.125, 0.25)
        for place in (0.125, 0.2, 0.25):
            there = loss.delta(place)
            assert stretch.lower <= there.lower
            assert there.upper <= stretch.upper
        assert not loss.delta(0.25).upper >= stretch.upper
        assert not loss.delta(0.125).lower <= stretch.lower


def test_sides_are_read_once_each_between_two_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    bracket = BracketLoss(ResponseLoss(1), ResponseLoss(Fraction(1, 3)))
    whole = compose([(bracket, 300), (GaussianLoss(Fraction(1, 4)), 1)])
    read = []
    formula = ComposedLoss._enclosed

    def counted(loss: ComposedLoss, *ways: Any) -> Interval:
        read.append(loss)
        return formula(loss, *ways)

    monkeypatch.setattr(ComposedLoss, "_enclosed", counted)
    assert whole.delta(Fraction(1, 3)).lower > 0.0
    assert len(read) == 2
