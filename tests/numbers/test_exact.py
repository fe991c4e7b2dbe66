"""Numbers enter exactly or not at all."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from accountant.errors import InvalidValue
from accountant.numbers.exact import exact, plain, whole


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("5/2", Fraction(5, 2)),
        ("1e-10", Fraction(1, 10**10)),
        (" 3 ", Fraction(3)),
        ("-.5", Fraction(-1, 2)),
        (7, Fraction(7)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_a_number_means_what_is_written(written: object, value: Fraction) -> None:
    assert exact(written) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "nonsense",
    [
        True,
        False,
        None,
        [],
        {},
        "",
        ".",
        "e5",
        "nan",
        "inf",
        "-Infinity",
        "1/0",
        "1.5/2",
        "0x10",
        "1_000",
        "one",
        "1e999999999",
        "9" * 500,
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        10**1000,
        "١",
    ],
)
def test_what_is_no_finite_number_is_refused(nonsense: object) -> None:
    with pytest.raises(InvalidValue):
        exact(nonsense)  # type: ignore[arg-type]


@given(st.fractions())
def test_writing_and_reading_gives_the_same_number(value: Fraction) -> None:
    assert exact(plain(value)) == value


@given(st.integers(-(10**12), 10**12), st.integers(-300, 300))
def test_decimals_of_any_size_survive_writing(digits: int, exponent: int) -> None:
    value = Fraction(digits) * Fraction(10) ** exponent
    assert exact(plain(value)) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("1e-6", "1e-6"),
        ("0.05", "0.05"),
        ("4", "4"),
        ("2.50", "2.5"),
        ("1/3", "1/3"),
        ("0", "0"),
        ("1200000", "1200000"),
        ("1e30", "1e30"),
        ("-0.25", "-0.25"),
    ],
)
def test_numbers_are_written_the_usual_way(value: str, written: str) -> None:
    assert plain(exact(value)) == written


def test_a_whole_number_has_no_fraction() -> None:
    assert whole("1e3") == 1000
    with pytest.raises(InvalidValue, match=r"whole number, got 2\.5"):
        whole(2.5)
