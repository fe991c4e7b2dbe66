"""Where a curve meets a target: the ends are those of plain bisection, which need not ask everywhere."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from accountant.loss import GaussianLoss, PrivacyLoss, SampledLoss
from accountant.loss.readings import inversion
from accountant.loss.readings.inversion import smallest_epsilon
from accountant.numbers.interval import Interval, float_below
from accountant_noise.laplace_loss import LaplaceLoss

LOSSES = [
    GaussianLoss("1e-8"),
    GaussianLoss("0.3"),
    GaussianLoss(400),
    LaplaceLoss(3),
    SampledLoss(GaussianLoss(2), "0.01"),
]
DELTAS = ["0.4", "1e-3", "1e-9", "1e-30"]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_what_is_foreseen_changes_no_digit(loss: PrivacyLoss, delta: str) -> None:
    target = Fraction(delta)
    found = smallest_epsilon(loss._delta_at, target)
    if loss._delta_at(0.0).upper <= float_below(target):
        assert found == Interval.of(0)
        return
    _, upper = inversion._bracket(lambda epsilon: loss._delta_at(epsilon).upper <= float_below(target), 1.0, 2.0**-50)
    lower, _ = inversion._bracket(lambda epsilon: Fraction(loss._delta_at(epsilon).lower) <= target, upper, 2.0**-50)
    assert found == Interval(min(lower, upper), upper)


def test_few_places_are_asked() -> None:
    asked: list[float] = []

    def curve(epsilon: float) -> Interval:
        asked.append(epsilon)
        return Interval.around(math.exp(-3.0 * epsilon), 1e-18)

    found = smallest_epsilon(curve, Fraction(1, 10**6))
    assert found.lower <= math.log(1e6) / 3.0 * (1.0 + 1e-12)
    assert found.width < 1e-11
    assert len(asked) == len(set(asked)) <= 50


@pytest.mark.parametrize("dent", [1.5, 2.0, 2.25, 2.302585092994, 2.302585092994046, 2.5])
def test_a_curve_that_is_not_monotone_is_still_seen_at_both_ends(dent: float) -> None:
    """Rounding may let a curve rise a little: the ends are places where it was evaluated, not where it was foreseen."""
    seen: dict[float, Interval] = {}

    def curve(epsilon: float) -> Interval:
        value = math.exp(-epsilon) * (3.0 if dent <= epsilon < dent * (1.0 + 2.0**-8) else 1.0)
        seen[epsilon] = Interval(value, value)
        return seen[epsilon]

    target = Fraction(1, 10)
    found = smallest_epsilon(curve, target)
    assert Fraction(seen[found.upper].upper) <= target
    assert Fraction(seen[found.lower].lower) > target


def test_a_target_below_all_doubles_is_never_met() -> None:
    assert smallest_epsilon(lambda epsilon: Interval(1e-300, 1e-300), Fraction(1, 10**400)).upper == math.inf
