"""Where a bound is passed: from both sides, whatever grows, and in few evaluations."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval
from accountant_posterior.risk.crossing import crossing

FINE = 2.0**-16
GROWING: dict[str, Callable[[float], float]] = {
    "straight": lambda place: 3.0 * place,
    "bent": lambda place: place**4,
    "a root": math.sqrt,
    "steep": lambda place: math.exp(min(20.0 * place, 700.0)) - 1.0,
    "steps": lambda place: float(math.floor(8.0 * place)),
    "all at once": lambda place: 0.0 if place < 0.7 else 9.0,
    "endless": lambda place: math.inf if place > 1.3 else place,
}


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(GROWING)), st.floats(0.1, 5.0), st.floats(0.0, 1e-2))
def test_the_lower_end_is_within_the_bound_and_the_upper_end_is_not(name: str, bound: float, doubt: float) -> None:
    def reached(place: float) -> Interval:
        value = GROWING[name](place)
        return Interval(value * (1.0 - doubt), value * (1.0 + doubt))

    admitted = Interval(bound, bound * (1.0 + doubt))
    found = crossing(reached, admitted, 0.0, 40.0, FINE)
    assert reached(found.lower).upper <= admitted.lower
    assert found.upper == math.inf or reached(found.upper).lower > admitted.upper
    # Little farther on either side it is otherwise.
    assert reached(found.lower * (1.0 + 2.0 * FINE) + 1e-12).upper > admitted.lower
    assert found.upper == math.inf or reached(found.upper * (1.0 - 2.0 * FINE)).lower <= admitted.upper


@pytest.mark.parametrize("name", ["straight", "bent", "a root"])
def test_smooth_growth_is_followed_in_half_as_many_evaluations_as_halving_takes(name: str) -> None:
    asked: list[float] = []

    def reached(place: float) -> Interval:
        asked.append(place)
        return Interval(GROWING[name](place), GROWING[name](place))

    crossing(reached, Interval(0.8, 0.8), 0.01, 2.0, FINE)
    assert len(asked) == len(set(asked)) <= 18


def test_what_never_passes_the_bound_is_admitted_as_far_as_is_asked() -> None:
    found = crossing(lambda place: Interval.of(0), Interval.of(1), 0.0, 4.0, FINE)
    assert 4.0 * (1.0 - 2.0 * FINE) <= found.lower <= 4.0
    assert found.upper == math.inf
