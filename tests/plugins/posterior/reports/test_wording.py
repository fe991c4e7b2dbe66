"""Numbers in reports are rounded outward, and say neither none nor all unless it is so."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval
from accountant.plugin import joined
from accountant_posterior.reports.wording import between, frequency, number, of_100, percent

shares = st.floats(0.0, 1.0)


def value_of(text: str) -> Fraction:
    return Fraction(text.rstrip("%").replace(",", "")) / (100 if text.endswith("%") else 1)


@given(shares)
@settings(deadline=None, max_examples=200)
def test_percentages_enclose_what_they_stand_for(share: float) -> None:
    low, high = value_of(percent(share, up=False)), value_of(percent(share, up=True))
    assert low <= Fraction(share) <= high
    assert high - low <= Fraction(1, 1000)


@given(shares)
@settings(deadline=None, max_examples=200)
def test_natural_frequencies_are_never_too_few(share: float) -> None:
    value = Interval(share, share)
    assert Fraction(of_100(value), 100) >= Fraction(share)
    count, whole = (
        int(word.replace(",", "")) for word in re.fullmatch(r"([\d,]+)\sin\s([\d,]+)", frequency(value)).groups()
    )  # type: ignore[union-attr]
    assert Fraction(count, whole) >= Fraction(share)
    if share < 0.9999:
        assert count < whole


@pytest.mark.parametrize(
    ("share", "down", "up"),
    [("0.475016", "47.5%", "47.6%"), ("0.0249996", "2.4%", "2.5%"), ("0.99992", "99.9%", "99.992%"), ("1", "100%", "100%")],
)
def test_the_published_slips_are_not_repeated(share: str, down: str, up: str) -> None:
    """48 to 52 percent for 47.5 to 52.5, and 2 percent for 2.49996, were printed once: narrower than what holds."""
    assert (percent(Fraction(share), up=False), percent(Fraction(share), up=True)) == (down, up)


def test_exact_numbers_are_written_as_they_are() -> None:
    assert percent(Fraction(1, 10), up=True) == "10%"
    assert number(Fraction(1, 20)) == "0.05"
    assert number(float("inf")) == "infinite"
    assert between(Interval(0.2, 0.8)) == "20% to 80.1%"
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"
