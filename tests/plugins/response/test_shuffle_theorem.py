"""What is claimed of shuffled reports, against enumeration of all histograms in exact rationals."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from accountant.testing.strategies import priors
from tests.plugins.response.enumeration import (
    Law,
    Pair,
    bits,
    categories,
    delta,
    dominates,
    hidden,
    largest_ratio,
    pair,
    shuffled,
    subsets,
)


def claimed(odds: Fraction, reports: int) -> Pair:
    """The pair that is claimed to dominate: each other report is a clone of either kind with chance 1/(e^epsilon + 1)."""
    return hidden(odds, reports, 1 / (odds + 1))


def published(odds: Fraction, reports: int) -> Pair:
    """The pair of Feldman, McMillan and Talwar 2021: clones of either kind with chance e^-epsilon/2."""
    return hidden(odds, reports, 1 / (2 * odds))


def comparisons(rows: Sequence[Law], reports: int) -> list[Pair]:
    """One answer changed in any dataset."""
    found = []
    for others in itertools.combinations_with_replacement(rows, reports - 1):
        crowd = [shuffled([row, *others]) for row in rows]
        found += [pair(left, right) for left, right in itertools.permutations(crowd, 2)]
    return found


@st.composite
def randomisers(draw: st.DrawFn, answers: int, outcomes: int) -> list[Law]:
    return [dict(enumerate(draw(priors(outcomes, 1)))) for _ in range(answers)]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(randomisers(3, 3), st.integers(2, 3))
def test_shuffled_reports_of_any_randomiser_are_dominated(rows: list[Law], reports: int) -> None:
    odds = largest_ratio(rows)
    if odds > 1:
        above, wider = claimed(odds, reports), published(odds, reports)
        for found in comparisons(rows, reports):
            assert dominates(above, found)
            assert dominates(wider, found)


@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("reports", [2, 4])
def test_shuffled_reports_of_the_usual_randomisers_are_dominated(odds: Fraction, reports: int) -> None:
    above = claimed(odds, reports)
    for rows in (categories(2, odds), categories(3, odds), subsets(3, 2, odds), bits(2, Fraction(1, 2), 1 / (odds + 1))):
        for found in comparisons(rows, reports):
            assert dominates(above, found)


@settings(max_examples=30, deadline=None)
@given(st.fractions(Fraction(11, 10), 30, max_denominator=10), st.fractions(0, 1, max_denominator=10), st.integers(2, 5))
def test_a_neutral_outcome_never_helps_the_attacker(odds: Fraction, weight: Fraction, reports: int) -> None:
    """The extreme case of the proof: a report is neutral with chance 1 - weight, others with at least 1/odds of that."""
    rows = [
        {0: weight * up / (odds + 1), 1: weight * down / (odds + 1), "neutral": 1 - weight}
        for up, down in ((odds, 1), (1, odds))
    ]
    least = {seen: max(row[seen] for row in rows) / odds for seen in rows[0]}
    other = {**least, "other": 1 - sum(least.values())}
    found = [_counted([row] + [other] * (reports - 1)) for row in rows]
    assert dominates(claimed(odds, reports), pair(*found))


def _counted(laws: list[Law]) -> Law:
    return shuffled([{str(seen): chance for seen, chance in law.items()} for law in laws])


# The lower ends --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(5)])
@pytest.mark.parametrize("reports", [1, 2, 4])
def test_three_categories_attain_a_hidden_report_that_may_be_silent(odds: Fraction, reports: int) -> None:
    rows = categories(3, odds)
    laws = [shuffled([row] + [rows[2]] * (reports - 1)) for row in rows[:2]]
    clone = 1 / (odds + 2)
    same = hidden(odds, reports, clone, silent=clone)
    assert dominates(pair(*laws), same)
    assert dominates(same, pair(*laws))


@pytest.mark.parametrize("reports", [1, 2, 5])
def test_counted_answers_have_the_ratio_that_is_stated(reports: int) -> None:
    odds = Fraction(7, 2)
    yes, no = categories(2, odds)
    laws = [shuffled([row] + [no] * (reports - 1)) for row in (yes, no)]
    for seen in laws[1]:
        yeses = seen.count(0)  # type: ignore[attr-defined]
        ratio = laws[0][seen] / laws[1][seen]
        assert ratio == (yeses * odds + (reports - yeses) / odds) / reports


def test_one_report_is_not_hidden() -> None:
    odds = Fraction(4)
    response = pair(*categories(2, odds))
    assert dominates(claimed(odds, 1), response)
    assert dominates(response, claimed(odds, 1))


# What would not hold ---------------------------------------------------------------------------------------------------


def test_the_claim_is_smaller_than_the_first_published_one() -> None:
    for reports in (2, 5):
        odds = Fraction(3)
        assert dominates(published(odds, reports), claimed(odds, reports))
        assert not dominates(claimed(odds, reports), published(odds, reports))


@pytest.mark.parametrize("more", [Fraction(11, 10), Fraction(3, 2)])
def test_more_clones_than_claimed_would_be_refuted(more: Fraction) -> None:
    odds = Fraction(3)
    rows = categories(2, odds)
    planted = hidden(odds, 4, more / (odds + 1))
    assert not all(dominates(planted, found) for found in comparisons(rows, 4))


def test_a_smaller_epsilon_than_that_of_the_reports_would_be_refuted() -> None:
    rows = categories(2, Fraction(3))
    assert not all(dominates(claimed(Fraction(29, 10), 3), found) for found in comparisons(rows, 3))


def test_a_published_refinement_for_three_categories_is_refuted() -> None:
    """A pair that holds where all others are of the third category, and is said to hold whatever they are."""
    odds = Fraction(3)
    rows = categories(3, odds)
    clone = 1 / (odds + 2)
    refined = hidden(odds, 2, clone, silent=clone)
    third, first = (pair(*(shuffled([row, other]) for row in rows[:2])) for other in (rows[2], rows[0]))
    assert dominates(refined, third)
    assert not dominates(refined, first)
    ratio = Fraction(5, 2)
    assert (delta(refined, ratio), delta(first, ratio)) == (Fraction(1, 50), Fraction(3, 50))
    assert dominates(claimed(odds, 2), first)
