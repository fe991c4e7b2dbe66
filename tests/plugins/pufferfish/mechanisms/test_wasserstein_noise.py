"""Noise calibrated to how far a statistic moves when a secret changes."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval, InvalidValue
from accountant_pufferfish import (
    DEPENDENT_COUNTS,
    Ballwise,
    Certified,
    CompositionError,
    Law,
    NothingLive,
    PublicVariable,
    Scenarios,
    SecretPair,
    Setting,
    Statistic,
    WassersteinNoise,
    bounded_pairs,
    compose,
    counts_distance,
    counts_radius,
    line_distance,
    noise_leak,
    record_is,
)
from tests.plugins.pufferfish.transport_references import counted, kolmogorov, laws, wasserstein_one

COUNT = Statistic("the count", sum)
FIRST = (SecretPair(record_is(0, 0), record_is(0, 1)),)
few = settings(deadline=None, max_examples=40)


def dependent(records: int, given_none: Fraction, given_one: Fraction) -> Law:
    """A fair first record, and others that are 1 with one of two chances."""
    sides = [
        Law.records([{first: 1}, *[{1: chance, 0: 1 - chance}] * (records - 1)])
        for first, chance in ((0, given_none), (1, given_one))
    ]
    return Law.mixture((Fraction(1, 2), side) for side in sides)


def in_setting(*chances: tuple[Fraction, Fraction], records: int = 5) -> Setting:
    return Setting(Scenarios.listed({str(pair): dependent(records, *pair) for pair in chances}), FIRST)


def tail(records: int, none: Fraction, one: Fraction, rate: Fraction) -> Any:
    """The log likelihood ratio far above all counts, in closed form."""
    with mpmath.workdps(40):
        k = mpmath.mpf(rate.numerator) / rate.denominator
        sides = [1 - mpmath.mpf(c.numerator) / c.denominator * (1 - mpmath.exp(k)) for c in (one, none)]
        return k + (records - 1) * mpmath.log(sides[0] / sides[1])


def enumerated(first: Any, second: Any, scale: Fraction, places: Any) -> Any:
    """The largest |log ratio| at some places, in forty digits."""
    with mpmath.workdps(40):
        spread = mpmath.mpf(scale.numerator) / scale.denominator

        def density(law: Any, y: Any) -> Any:
            # In the order of values: of equal laws the sums are equal to the last digit then.
            return sum(
                mpmath.mpf(mass.numerator) / mass.denominator * mpmath.exp(-abs(mpmath.mpf(y) - int(value)) / spread)
                for value, mass in sorted(law.items())
            )

        return max(abs(mpmath.log(density(first, y) / density(second, y))) for y in places)


@pytest.mark.parametrize(("delta", "leak"), [(3, 0.928055), (1, 2.668383)])
def test_what_geometric_noise_on_a_count_of_ten_really_loses(delta: int, leak: float) -> None:
    none, one = Fraction(2, 5), Fraction(3, 5)
    first, second = counted(10, none, one)
    found = noise_leak(first, second, delta)
    assert found.lower <= tail(10, none, one, Fraction(1, delta)) <= found.upper
    assert found.lower <= enumerated(first, second, Fraction(delta), range(-60, 80)) <= found.upper
    assert round(found.upper, 6) == leak
    assert found.width < 1e-14


@few
@given(laws(st.integers(-4, 4)), laws(st.integers(-4, 4)), st.sampled_from(["1/3", "1", "5/2"]))
def test_nothing_is_lost_between_or_beyond_the_values(first: Any, second: Any, scale: str) -> None:
    found = noise_leak(first, second, scale)
    between = [place / mpmath.mpf(3) for place in range(-30, 31)]
    assert enumerated(first, second, Fraction(scale), between) <= found.upper
    assert found.lower <= enumerated(first, second, Fraction(scale), range(-4, 5)) + mpmath.mpf(10) ** -30


@few
@given(laws(st.integers(-4, 4)), laws(st.integers(-4, 4)), st.sampled_from(["1/2", "1", "3"]))
def test_noise_of_the_distance_over_epsilon_never_loses_more_than_epsilon(first: Any, second: Any, epsilon: str) -> None:
    distance = line_distance(first, second)
    if distance:
        assert noise_leak(first, second, distance / Fraction(epsilon)).lower <= Fraction(epsilon)


@pytest.mark.parametrize("wrong", [wasserstein_one, kolmogorov])
def test_noise_for_a_smaller_distance_is_caught(wrong: Any) -> None:
    """Mass that is unlikely to move far still gives itself away when it does."""
    first, second = {0: Fraction(99, 100), 9: Fraction(1, 100)}, {0: Fraction(1)}
    assert noise_leak(first, second, line_distance(first, second)).upper <= 1
    assert noise_leak(first, second, wrong(first, second)).lower > 1


def test_a_setting_is_calibrated_to_the_worst_of_its_scenarios() -> None:
    mild, strong = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 5), Fraction(4, 5))
    noise = WassersteinNoise(in_setting(mild, strong), COUNT, "1/2")
    assert noise.radius == counts_distance(5, *strong) == 4
    assert noise.scale == 8
    first, second = counted(5, *strong)
    leak = noise.leak()
    assert isinstance(leak, Interval)
    assert leak == noise_leak(first, second, 8)
    assert leak.upper <= 0.5
    promise = noise.guarantee()
    assert promise.epsilon == Interval(0.0, 0.5)
    assert promise.evidence == Ballwise(COUNT.metric, 4)
    assert promise.derivation[0].theorem == noise.theorem


def test_promises_for_one_statistic_add_up_and_others_do_not() -> None:
    setting = in_setting((Fraction(1, 5), Fraction(4, 5)), records=3)
    one, two = (WassersteinNoise(setting, COUNT, epsilon).guarantee() for epsilon in ("1/2", "1/4"))
    both = compose(one, two).epsilon
    assert both is not None
    assert both.upper == 0.75
    parity = WassersteinNoise(setting, Statistic("parity", lambda data: sum(data) % 2), "1").guarantee()
    with pytest.raises(CompositionError, match="one metric"):
        compose(one, parity)


def test_two_releases_together_lose_what_they_add_up_to() -> None:
    """Both outputs at once, over a window beyond which the ratio is constant in either coordinate."""
    first, second = counted(4, Fraction(1, 5), Fraction(4, 5))
    scales = [line_distance(first, second) / Fraction(epsilon) for epsilon in ("1/2", "1/4")]
    with mpmath.workdps(30):

        def joint(law: Any, place: Any) -> Any:
            return sum(
                mpmath.mpf(mass.numerator)
                / mass.denominator
                * mpmath.exp(
                    -sum(
                        abs(y - value) * s.denominator / mpmath.mpf(s.numerator) for y, s in zip(place, scales, strict=True)
                    )
                )
                for value, mass in law.items()
            )

        places = itertools.product(range(5), repeat=2)
        worst = max(abs(mpmath.log(joint(first, place) / joint(second, place))) for place in places)
    assert 0.5 < worst <= 0.75


def test_a_statistic_that_secrets_do_not_move_is_released_as_it_is() -> None:
    """Two records that always differ: their sum says nothing about either."""
    setting = Setting(Scenarios.listed({"opposite": {(0, 1): "1/2", (1, 0): "1/2"}}), bounded_pairs(2, (0, 1)))
    noise = WassersteinNoise(setting, COUNT, "1")
    assert (noise.radius, noise.scale, noise.leak()) == (0, 0, Interval.of(0))
    assert noise.guarantee().epsilon == Interval(0.0, 0.0)


def test_without_noise_what_differs_is_lost() -> None:
    assert noise_leak({0: 1}, {0: "1/2", 1: "1/2"}, 0) == Interval.infinite()


def test_a_negative_scale_is_refused() -> None:
    with pytest.raises(InvalidValue, match="cannot be negative"):
        noise_leak({0: 1}, {1: 1}, -1)


def test_irrational_laws_are_never_called_equal() -> None:
    """Two laws between the same bounds may still differ: only rational ones are known to agree."""
    same = noise_leak({0: "1/2", 3: "1/2"}, {0: "1/2", 3: "1/2"}, 1)
    assert same.lower == 0.0 < same.upper < 1e-40


def test_a_setting_in_which_everything_is_public_promises_nothing() -> None:
    known = PublicVariable("all records", lambda data: data)
    setting = Setting(Scenarios.listed({"any": dependent(3, Fraction(1, 5), Fraction(4, 5))}), FIRST, known)
    noise = WassersteinNoise(setting, COUNT, "1")
    assert isinstance(noise.leak(), NothingLive)
    assert noise.guarantee().vacuous


def test_samples_of_a_family_calibrate_nothing_and_a_proof_does() -> None:
    family = Scenarios.sampled("chances up to 1/5 from even", {"one of them": dependent(5, Fraction(2, 5), Fraction(3, 5))})
    with pytest.raises(InvalidValue, match="only some laws are known"):
        WassersteinNoise(Setting(family, FIRST), COUNT, "1").guarantee()
    ranges = ("3/10", "7/10")
    proof = Certified(COUNT.metric, counts_radius(5, ranges, ranges), DEPENDENT_COUNTS)
    noise = WassersteinNoise(Setting(family, FIRST, certified=proof), COUNT, "1")
    assert noise.radius == counts_distance(5, "3/10", "7/10") == 3
    leak = noise.leak()
    assert isinstance(leak, Interval)
    assert leak.lower == noise_leak(*counted(5, Fraction(2, 5), Fraction(3, 5)), 3).lower
    assert leak.upper == 1.0


chances = st.integers(0, 6).map(lambda k: Fraction(k, 6))


@few
@given(st.lists(chances, min_size=2, max_size=2), st.lists(chances, min_size=2, max_size=2), st.data())
def test_no_law_with_chances_in_two_ranges_is_farther_apart(none: list[Fraction], one: list[Fraction], data: Any) -> None:
    ends = sorted(none), sorted(one)
    most = counts_radius(5, (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]))
    sides = []
    for low, high in ends:
        inside = st.integers(0, 4).map(lambda k, low=low, high=high: low + (high - low) * Fraction(k, 4))
        others = data.draw(st.lists(inside, min_size=4, max_size=4))
        sides.append(Law.records([{1: c, 0: 1 - c} for c in others]).mapped(sum))
    assert line_distance(sides[0], sides[1].mapped(lambda count: count + 1)) <= most


def test_ranges_that_run_backwards_are_refused() -> None:
    with pytest.raises(InvalidValue, match="from its lower"):
        counts_radius(5, ("1/2", "1/3"), (0, 1))
