"""The way back from beliefs to parameters, against exact finite pairs."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant.finite import Pair
from accountant.numbers import log_of
from accountant_posterior import Difference, from_differences

differences = st.fractions(Fraction(1, 50), Fraction(9, 10), max_denominator=50)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    size = draw(st.integers(2, 5))
    rows = [draw(st.lists(st.integers(1, 40), min_size=size, max_size=size)) for _ in range(2)]
    return Pair(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


def moved(pair: Pair, most: Fraction) -> Fraction:
    """The largest chance, over priors and both sides, that the posterior is farther than `most` from the prior.

    The set of answers that move it too far is constant between priors at which one of them moves it by exactly `most`:
    p (1 - p)(x - 1) = most (p (x - 1) + 1) for a ratio x. A prior on either side of each such place is looked at.
    """
    places = {Fraction(1, 2)}
    for p, q in pair.atoms:
        rise = float(p / q) - 1
        for sign in (1, -1):
            a, b, c = -rise, rise - sign * float(most) * rise, -sign * float(most)
            if rise and b * b - 4 * a * c > 0:
                roots = [(-b + way * math.sqrt(b * b - 4 * a * c)) / (2 * a) for way in (1, -1)]
                places |= {Fraction(root + step) for root in roots for step in (-1e-9, 1e-9) if 1e-6 < root < 1 - 1e-6}
    places |= {(one + two) / 2 for one in places for two in places}

    def chance(prior: Fraction, side: int) -> Fraction:
        far = [
            atom[side]
            for atom in pair.atoms
            if abs(prior * atom[0] / (prior * atom[0] + (1 - prior) * atom[1]) - prior) > most
        ]
        return sum(far, Fraction(0))

    return max(chance(prior, side) for prior in places for side in (0, 1))


def outside(pair: Pair, epsilon: float) -> Fraction:
    """The exact chance that the log likelihood ratio is surely farther than epsilon from 0, when the first law is true."""
    far = [p for p, q in pair.atoms if p and (log_of(p / q).lower > epsilon or log_of(p / q).upper < -epsilon)]
    return sum(far, Fraction(0))


@given(pairs(), differences)
@settings(max_examples=120, deadline=None)
def test_beliefs_that_rarely_move_far_come_from_private_mechanisms(pair: Pair, most: Fraction) -> None:
    failure = moved(pair, most)
    found = from_differences(most, failure)
    raised = ((1 + most) / (1 - most)) ** 2
    for side in (pair, pair.reverse()):
        assert side.delta(raised) <= failure
        assert outside(side, found.epsilon.upper) <= Fraction(found.outside.upper)
        assert outside(side, found.wider.upper) <= failure


@given(differences.filter(lambda most: most < Fraction(1, 2)), st.fractions(Fraction(1, 100), Fraction(1, 3)))
@settings(max_examples=40, deadline=None)
def test_an_answer_that_is_rarely_given_attains_the_chance_and_breaks_a_smaller_one(
    most: Fraction, failure: Fraction
) -> None:
    """Randomised response at the widest e that moves no even prior too far, run with probability d (1 + e^-e)."""
    odds = (1 + 2 * most) / (1 - 2 * most)
    pair = Pair([(failure, failure / odds), (failure / odds, failure), (*[1 - failure * (1 + 1 / odds)] * 2,)])
    assert moved(pair, most) == failure
    found = from_differences(most, failure)
    reached = outside(pair, found.epsilon.upper)
    assert reached == failure * (1 + 1 / odds)
    assert failure < reached <= Fraction(found.outside.upper)
    # It is nothing outside the wider range, whose end it reaches; and the deltas of print are no smaller.
    assert outside(pair, found.wider.upper) == 0
    assert found.wider.lower <= log_of(odds).upper
    assert found.outside.upper <= 2 * float(failure)


@given(differences.filter(lambda most: most < Fraction(1, 2)), st.fractions(Fraction(1, 100), Fraction(1, 3)))
@settings(max_examples=30, deadline=None)
def test_both_chances_are_reached(most: Fraction, failure: Fraction) -> None:
    """An answer that shows the true side has delta = d at every epsilon; one just beyond epsilon leaves it so often."""
    raised = ((1 + most) / (1 - most)) ** 2
    shown = Pair([(failure, 0), (0, failure), (1 - failure, 1 - failure)])
    assert shown.delta(raised) == failure
    odds = raised * Fraction(1001, 1000)
    rest = 1 - failure * (1 + 1 / odds)
    pair = Pair([(failure, failure / odds), (failure / odds, failure), (rest, rest)])
    found = from_differences(most, failure)
    if odds <= (1 + 2 * most) / (1 - 2 * most):
        assert moved(pair, most) == failure
        assert float(outside(pair, found.epsilon.upper)) == pytest.approx(found.outside.upper, rel=1e-3)


@given(differences)
@settings(max_examples=30, deadline=None)
def test_differences_that_never_fail_are_pure_privacy(most: Fraction) -> None:
    found = from_differences(most)
    assert found.epsilon.upper == pytest.approx(4 * math.atanh(most), rel=1e-12)
    assert (found.outside.upper, found.wider) == (0.0, found.epsilon)
    admitted = Difference(most, adversary="strong").recommend().epsilon
    assert admitted.upper == pytest.approx(found.epsilon.upper, rel=1e-12)


def test_the_published_parameter_at_the_same_failure() -> None:
    """log(3 e^(1/2) - 1) - log(3 - e^(1/2)) for the difference tanh(1/4) that an epsilon of 1 leaves."""
    half = math.exp(0.5)
    found = from_differences(Fraction(math.tanh(0.25)), "0.01")
    assert found.epsilon.upper == pytest.approx(1, abs=1e-12)
    assert found.wider.upper == pytest.approx(math.log(3 * half - 1) - math.log(3 - half), abs=1e-12)
    assert found.outside.upper == pytest.approx(0.01 * (1 + math.exp(-1)), abs=1e-12)
    assert from_differences("1/2", "0.01").wider.upper == math.inf


@pytest.mark.parametrize("most", ["1", "-0.1", "2"])
def test_what_is_no_difference_is_refused(most: str) -> None:
    with pytest.raises(InvalidValue, match="largest difference"):
        from_differences(most, "0.01")
