"""What is known of a mechanism by the power of tests: never beaten by a mechanism that keeps it, and attained."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from accountant import InvalidValue
from accountant.loss import NO_LOSS, TOTAL_LOSS, BracketLoss, FiniteLoss, PrivacyLoss, power_bounded, power_curve

SHARES = st.fractions(min_value=Fraction(1, 40), max_value=Fraction(39, 40), max_denominator=40)
EPSILONS = [Fraction(k, 8) for k in range(-24, 25)]


@st.composite
def points(draw: st.DrawFn) -> tuple[Fraction, Fraction]:
    level, power = sorted((draw(SHARES), draw(SHARES)))
    return level, power


@st.composite
def pairs(draw: st.DrawFn) -> FiniteLoss:
    size = draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(0, 30), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


def power(loss: PrivacyLoss, level: Fraction) -> Fraction:
    missed = loss.tradeoff(level).exact
    assert missed is not None
    return 1 - missed


def largest(loss: PrivacyLoss, level: Fraction) -> Fraction:
    return max(power(loss, level), power(loss.reverse(), level))


def ends(loss: PrivacyLoss) -> tuple[PrivacyLoss, PrivacyLoss]:
    return (loss.above, loss.below) if isinstance(loss, BracketLoss) else (loss, loss)


def yes_or_no(p: Fraction, q: Fraction) -> FiniteLoss:
    return FiniteLoss([(p, q), (1 - p, 1 - q)])


@pytest.mark.slow
@given(pairs(), st.lists(SHARES, min_size=1, max_size=4))
def test_no_mechanism_beats_the_loss_of_its_own_powers(pair: FiniteLoss, levels: list[Fraction]) -> None:
    above, _ = ends(power_bounded([(level, largest(pair, level)) for level in levels]))
    for epsilon in EPSILONS:
        assert pair.delta(epsilon).lower <= above.delta(epsilon).upper
        assert pair.reverse().delta(epsilon).lower <= above.delta(epsilon).upper


@given(st.lists(points(), min_size=1, max_size=3))
def test_some_mechanism_with_two_outcomes_attains_delta_at_every_epsilon(known: list[tuple[Fraction, Fraction]]) -> None:
    """Corners of the hull are found again by trying every mechanism with two outcomes that keeps the points."""
    above, _ = ends(power_bounded(known))
    assert isinstance(above, FiniteLoss)
    corners = [(Fraction(0), Fraction(0))]
    for p, q in above.atoms:
        corners.append((corners[-1][0] + q, corners[-1][1] + p))
    for level, reached in corners[1:-1]:
        if level < 1:
            mechanism = yes_or_no(reached, level)
            assert all(largest(mechanism, place) <= value for place, value in known)


@given(st.lists(points(), min_size=1, max_size=3), SHARES, SHARES)
def test_mechanisms_with_two_outcomes_that_keep_the_points_stay_below(
    known: list[tuple[Fraction, Fraction]], p: Fraction, q: Fraction
) -> None:
    mechanism = yes_or_no(p, q)
    if all(largest(mechanism, level) <= value for level, value in known):
        above, _ = ends(power_bounded(known))
        assert all(power(mechanism, level) <= power(above, level) for level in (q, 1 - q, p, Fraction(1, 3)))


@given(st.lists(points(), min_size=1, max_size=4))
def test_the_loss_below_keeps_every_point(known: list[tuple[Fraction, Fraction]]) -> None:
    _, below = ends(power_bounded(known))
    assert all(largest(below, level) <= value for level, value in known)


@given(points())
def test_the_loss_below_attains_a_single_point(point: tuple[Fraction, Fraction]) -> None:
    _, below = ends(power_bounded([point]))
    assert largest(below, point[0]) == point[1]


@given(pairs())
def test_a_whole_curve_comes_back_at_its_corners(pair: FiniteLoss) -> None:
    """Both directions of a finite mechanism, put together, are their own worst case."""
    corners = []
    for side in (pair, pair.reverse()):
        assert isinstance(side, FiniteLoss)
        level = reached = Fraction(0)
        for p, q in side.atoms:
            level, reached = level + q, reached + p
            corners.append((level, reached))
    curve = power_curve(corners)
    assert all(power(curve, level) == largest(curve, level) for level, _ in corners)
    again = power_curve([(level, power(curve, level)) for level, _ in corners])
    assert again == curve
    assert all(power(curve, level) >= largest(pair, level) for level, _ in corners)


def test_lines_between_known_powers_do_not_bound_what_lies_between() -> None:
    """Joining the points is right for a whole curve and wrong for points: a mechanism that keeps the point beats it."""
    point = (Fraction(1, 20), Fraction(1, 5))
    mechanism = yes_or_no(Fraction(1, 2), Fraction(1, 8))
    assert largest(mechanism, point[0]) == point[1]
    assert power(mechanism, Fraction(1, 8)) > power(power_curve([point]), Fraction(1, 8))
    assert power(mechanism, Fraction(1, 8)) <= power(ends(power_bounded([point]))[0], Fraction(1, 8))


def test_power_as_small_as_the_level_means_no_loss() -> None:
    assert power_bounded([(Fraction(1, 20), Fraction(1, 20))]) == NO_LOSS


@pytest.mark.parametrize("point", [(Fraction(1, 2), Fraction(1)), (Fraction(0), Fraction(1, 2))])
def test_a_point_that_says_nothing_permits_everything(point: tuple[Fraction, Fraction]) -> None:
    assert power_bounded([point]) == TOTAL_LOSS


def test_a_power_below_the_level_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"got 0\.1 at level 0\.2"):
        power_bounded([(Fraction(1, 5), Fraction(1, 10))])
