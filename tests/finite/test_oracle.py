"""A pair of laws is read rightly: compared with every event, every likelihood ratio and fifty digits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, strategies as st

from accountant.errors import InvalidValue, ReadingError
from accountant.finite import Pair
from accountant.finite.exponentials import exponential
from tests.finite.strategies import check, levels, pairs, ratios

RESPONSE = Pair([("3/5", "2/5"), ("2/5", "3/5")])


@pytest.fixture(scope="module", autouse=True)
def digits() -> Iterator[None]:
    """Exponentials are compared to 55 places."""
    with mpmath.workdps(200):
        yield


def events(pair: Pair) -> list[tuple[Fraction, Fraction]]:
    """(P(S), Q(S)) of every set of outcomes."""
    return [
        (sum((p for p, _ in chosen), Fraction(0)), sum((q for _, q in chosen), Fraction(0)))
        for size in range(len(pair.atoms) + 1)
        for chosen in itertools.combinations(pair.atoms, size)
    ]


def test_delta_is_the_best_event() -> None:
    def law(pair: Pair, ratio: Fraction) -> None:
        assert pair.delta(ratio) == max(p - ratio * q for p, q in events(pair))

    check(law, pair=pairs(), ratio=ratios)


def test_likelihood_ratio_bounds_every_event_and_is_attained() -> None:
    def law(pair: Pair) -> None:
        ratio = pair.likelihood_ratio()
        if ratio is None:
            assert any(p and not q for p, q in events(pair))
        else:
            assert all(p <= ratio * q for p, q in events(pair))
            assert any(p == ratio * q for p, q in events(pair) if q)

    check(law, pair=pairs())


def dual(pair: Pair, level: Fraction) -> Fraction:
    """sup over likelihood ratios x of 1 - delta(x) - x level: the trade-off curve from its other side."""
    slopes = [Fraction(0)] + [p / q for p, q in pair.atoms if q]
    return max(1 - pair.delta(slope) - slope * level for slope in slopes)


def test_tradeoff_is_the_conjugate_of_delta() -> None:
    def law(pair: Pair, level: Fraction) -> None:
        infinite = sum((p for p, q in pair.atoms if not q), Fraction(0))
        if level:
            assert pair.tradeoff(level) == dual(pair, level)
        else:
            assert pair.tradeoff(level) == 1 - infinite

    check(law, pair=pairs(), level=levels)


def convexity(tradeoff):
    def law(pair: Pair, left: Fraction, right: Fraction) -> None:
        middle = (left + right) / 2
        assert 2 * tradeoff(pair, middle) <= tradeoff(pair, left) + tradeoff(pair, right)
        assert 0 <= tradeoff(pair, left) <= 1 - left

    check(law, pair=pairs(), left=levels, right=levels)


def test_tradeoff_is_convex() -> None:
    convexity(Pair.tradeoff)


def test_convexity_catches_tests_that_may_not_toss_a_coin() -> None:
    with pytest.raises(AssertionError):
        convexity(lambda pair, level: 1 - max(power for size, power in pair.corners() if size <= level))


def duality_of_directions(reverse):
    def law(pair: Pair, ratio: Fraction) -> None:
        # delta_(Q,P)(x) = x delta_(P,Q)(1/x) + 1 - x
        assert reverse(pair).delta(ratio) == ratio * pair.delta(1 / ratio) + 1 - ratio

    check(law, pair=pairs(), ratio=ratios.filter(bool))


def test_the_other_direction_follows_from_this_one() -> None:
    duality_of_directions(Pair.reverse)


def test_directions_catch_a_reverse_that_does_nothing() -> None:
    with pytest.raises(AssertionError):
        duality_of_directions(lambda pair: pair)


@given(pairs(smallest=1), st.fractions(min_value=Fraction(11, 10), max_value=9, max_denominator=10))
def test_renyi_contains_the_value_to_fifty_digits(pair: Pair, order: Fraction) -> None:
    power = mpmath.mpf(order.numerator) / order.denominator - 1
    moment = mpmath.fsum(
        (mpmath.mpf(p.numerator) / p.denominator) * (mpmath.mpf((p / q).numerator) / (p / q).denominator) ** power
        for p, q in pair.atoms
    )
    truth, found = mpmath.log(moment) / power, pair.renyi(order)
    assert found.lower - mpmath.mpf(10) ** -45 <= truth <= found.upper + mpmath.mpf(10) ** -45
    assert found.upper - found.lower < 1e-12 * (1 + float(truth)) / float(power)


def test_renyi_of_whole_orders_is_the_logarithm_of_an_exact_moment() -> None:
    # 0.6^2 / 0.4 + 0.4^2 / 0.6
    assert RESPONSE.moment(2) == Fraction(9, 10) + Fraction(4, 15)
    assert RESPONSE.renyi(2).lower <= mpmath.log(mpmath.mpf(7) / 6) <= RESPONSE.renyi(2).upper
    assert Pair([(1, 0), (0, 1)]).moment(2) is None
    assert Pair([(1, 1)]).renyi(2).exact == Pair([(1, 1)]).renyi("3/2").exact == 0


@given(st.fractions(min_value=-40, max_value=40, max_denominator=1000))
def test_exponential_contains_the_value_to_fifty_digits(power: Fraction) -> None:
    low, high = exponential(power)
    truth = mpmath.exp(mpmath.mpf(power.numerator) / power.denominator)
    slack = truth * mpmath.mpf(10) ** -55
    assert mpmath.mpf(low.numerator) / low.denominator <= truth + slack
    assert mpmath.mpf(high.numerator) / high.denominator >= truth - slack
    assert high - low <= high / 10**20


def test_one_point_of_posterior_bounded_privacy_does_not_survive_a_mixture() -> None:
    """Two mechanisms with power at most delta at level delta / e^epsilon, and a fair mixture with more.

    The counterexample is stated with e and e^1.01; here with rationals that are nearly so.
    """
    exponent, delta = Fraction(11, 4), Fraction(2, 100)
    strength = Fraction(27, 10)
    response = [
        (strength / (1 + strength), 1 / (1 + strength)),
        (1 / (1 + strength), strength / (1 + strength)),
    ]
    rare = [(Fraction(1, 100), Fraction(0)), (Fraction(99, 100), Fraction(1))]
    mixture = Pair([(p / 2, q / 2) for p, q in response + rare])
    level = delta / exponent
    for pair in (Pair(response), Pair(rare)):
        assert 1 - pair.tradeoff(level) <= delta
        assert 1 - pair.reverse().tradeoff(level) <= delta
    assert 1 - mixture.tradeoff(level) > delta
    # The test that finds it: always on the rare output, one time in twenty on the response.
    test_level = response[0][1] / 2 / 20
    test_power = rare[0][0] / 2 + response[0][0] / 2 / 20
    assert test_level < level
    assert test_power > delta
    assert 1 - mixture.tradeoff(test_level) >= test_power


def test_readings_refuse_points_without_meaning() -> None:
    with pytest.raises(ReadingError, match="between 0 and 1"):
        RESPONSE.tradeoff(2)
    with pytest.raises(ReadingError, match="above 1"):
        RESPONSE.renyi(1)
    with pytest.raises(ReadingError, match="negative"):
        RESPONSE.delta(-1)
    with pytest.raises(ReadingError, match="only for x up to"):
        exponential(Fraction(10**9))
    with pytest.raises(InvalidValue, match=r"of Q must sum to 1, got 0\.9"):
        Pair([(1, "0.9")])
    with pytest.raises(InvalidValue, match="of P is negative"):
        Pair([(2, 1), (-1, 0)])
