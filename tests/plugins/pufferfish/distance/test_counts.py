"""How far a count of dependent records moves when one record is known."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from accountant import InvalidValue
from accountant_pufferfish.distance.counts import counts_distance
from accountant_pufferfish.distance.wasserstein import line_distance, transport
from tests.plugins.pufferfish.transport_references import counted, in_floats, levels, one_sided, quantile

TWENTIETHS = [Fraction(k, 20) for k in range(1, 20)]
TENTHS = [Fraction(k, 10) for k in range(11)]


@pytest.mark.parametrize(
    ("given_none", "given_one", "distance"),
    [("0.5", "0.5", 1), ("0.4", "0.6", 3), ("0.2", "0.8", 7), ("0.1", "0.9", 9), ("0.8", "0.2", 5)],
)
def test_ten_records(given_none: str, given_one: str, distance: int) -> None:
    assert counts_distance(10, given_none, given_one) == distance


def test_negative_dependence_can_hide_a_record_entirely() -> None:
    assert counts_distance(2, 1, 0) == 0


def test_tails_beyond_doubles_decide() -> None:
    none, one = counted(100, Fraction(1, 20), Fraction(1, 10))
    assert counts_distance(100, "0.05", "0.1") == line_distance(none, one) == 15
    assert in_floats(100, 0.05, 0.1) == 12
    # The level at which the gap of 15 opens differs from 1 by less than a double can tell.
    opened = [level for level in levels(none) if quantile(one, level) - quantile(none, level) == 15]
    assert opened
    assert 1 - min(opened) < Fraction(1, 2**53)


@pytest.mark.parametrize("given_none", [Fraction(0), *TWENTIETHS, Fraction(1)], ids=str)
def test_every_cell_of_the_table_agrees_with_transport(given_none: Fraction) -> None:
    for given_one in (Fraction(0), *TWENTIETHS, Fraction(1)):
        first, second = counted(10, given_none, given_one)
        found = transport(first, second, lambda left, right: abs(left - right)).distance
        assert counts_distance(10, given_none, given_one) == found


@pytest.mark.slow
def test_levels_of_one_law_alone_are_too_few() -> None:
    """The printed recipe looks at the distribution function of one law only."""
    wrong = {True: 0, False: 0}
    for records, none, one in itertools.product((5, 10, 20), TWENTIETHS, TWENTIETHS):
        missed = counts_distance(records, none, one) - one_sided(*counted(records, none, one))
        assert missed in (0, 1)
        wrong[one < none] += missed == 1
    assert wrong == {True: 330, False: 0}


def test_other_records_as_likely_either_way_move_the_count_by_one() -> None:
    assert {counts_distance(records, chance, chance) for records in (1, 2, 7) for chance in TENTHS} == {1}


def test_thousands_of_records_are_exact() -> None:
    distances = [counts_distance(records, "0.3", "0.4") for records in (1000, 2000)]
    assert distances[0] < distances[1] < 2000
    assert counts_distance(2000, 0, 1) == 2000


@pytest.mark.parametrize("chance", ["-0.1", "1.1"])
def test_what_is_no_probability_is_refused(chance: str) -> None:
    with pytest.raises(InvalidValue, match="between 0 and 1"):
        counts_distance(3, chance, "0.5")


def test_no_records_are_refused() -> None:
    with pytest.raises(InvalidValue, match="at least one record"):
        counts_distance(0, "0.5", "0.5")
