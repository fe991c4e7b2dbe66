"""Many copies of a loss whose values are equally far apart are read from all of their sums."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given, settings, strategies as st

from accountant.loss import FiniteLoss, GaussianLoss, PrivacyLoss, compose
from accountant.loss.engine.power_route import AtomPower, _joined
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls

TWO = FiniteLoss([("51/100", "48/100"), ("49/100", "52/100")])
THREE = FiniteLoss([("51/100", "48/100"), ("1/100", "1/100"), ("48/100", "51/100")])
UNEVEN = FiniteLoss([("1/2", "1/4"), ("1/4", "1/4"), ("1/4", "1/2")]).times(TWO)


def exactly(loss: FiniteLoss, count: int) -> FiniteLoss:
    whole = loss
    for _ in range(count - 1):
        whole = whole.times(loss)
    return whole


def meets(computed: Interval, truth: Interval) -> bool:
    return computed.lower <= truth.upper and truth.lower <= computed.upper


@settings(max_examples=20, deadline=None)
@given(
    st.fractions("1/50", "49/50", max_denominator=99), st.fractions("1/50", "49/50", max_denominator=99), st.integers(2, 9)
)
def test_copies_of_two_outcomes_are_their_exact_product(p: Fraction, q: Fraction, count: int) -> None:
    pair = FiniteLoss([(p, q), (1 - p, 1 - q)])
    assume(len(pair.atoms) == 2)
    power, truth = AtomPower.of([(pair, count)]), exactly(pair, count)
    assert power is not None
    for epsilon in ("-1/2", "0", "1/3", "2"):
        assert meets(power.delta(epsilon), truth.delta(epsilon))
        assert power.delta(epsilon).width < 1e-12
        assert meets(power.reverse().delta(epsilon), truth.reverse().delta(epsilon))
    for level in ("1/100", "1/2"):
        assert meets(power.tradeoff(level), truth.tradeoff(level))


@pytest.mark.parametrize("count", [2, 7, 40])
def test_copies_of_values_equally_far_apart_are_their_exact_product(count: int) -> None:
    power, truth = AtomPower.of([(THREE, count)]), exactly(THREE, count)
    assert power is not None
    assert power.atoms.losses.size == 2 * count + 1
    for epsilon in ("0", "1/3", "3/2"):
        assert meets(power.delta(epsilon), truth.delta(epsilon))


@pytest.mark.parametrize("loss", [TWO, THREE])
def test_thousands_of_copies_are_known_as_sharply_as_few(loss: FiniteLoss) -> None:
    found = compose([(loss, 2000)])
    assert found.delta("8").width <= 1e-10 * found.delta("8").upper
    assert found.epsilon("1e-12").width <= 1e-10


def test_other_losses_are_left_to_other_routes() -> None:
    parts: list[list[tuple[PrivacyLoss, int]]] = [
        [(UNEVEN, 3)],
        [(TWO, 10**6)],
        [(TWO, 3), (THREE, 3)],
        [(GaussianLoss(1), 3)],
        [(FiniteLoss([("1/2", "1/4"), ("1/4", "3/4"), ("1/4", "0")]), 3)],
        [(FiniteLoss([("1/2", "1/4"), ("1/2", "1/2"), ("0", "1/4")]), 3)],
    ]
    assert [AtomPower.of(some) for some in parts] == [None] * len(parts)


def test_a_planted_power_of_one_copy_less_or_of_other_chances_is_caught() -> None:
    power, truth = AtomPower.of([(TWO, 5)]), exactly(TWO, 5).delta("1/10")
    assert power is not None
    planted = [evolve(power, count=4), evolve(power, chances=power.chances[::-1]), evolve(power, ends=power.ends[::-1])]
    assert meets(power.delta("1/10"), truth)
    assert not any(meets(wrong.delta("1/10"), truth) for wrong in planted)


def test_joined_laws_answer_for_chances_that_are_off() -> None:
    """Chances off by far more than rounding move every joined chance by no more than its radius says."""
    draw, off = np.random.default_rng(5), 2.0**-20
    left, right = draw.uniform(0.1, 1.0, 9), draw.uniform(0.1, 1.0, 6)
    known = _joined(Balls(left, off * left), Balls(right, off * right))
    for signs in draw.choice([-1.0, 1.0], (20, 15)):
        moved = np.convolve(left * (1.0 + off * signs[:9]), right * (1.0 + off * signs[9:]))
        assert np.all(np.abs(moved - known.middle) <= known.radii)
    largest = np.convolve(left * (1.0 + off), right * (1.0 + off))
    assert np.all(largest - known.middle >= 0.999 * known.radii)
