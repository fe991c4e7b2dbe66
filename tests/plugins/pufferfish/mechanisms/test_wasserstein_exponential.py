"""The exponential mechanism relative to what is public, with the factor of two that its normalising sum costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval, InvalidValue
from accountant_pufferfish import (
    HAMMING,
    Ballwise,
    Law,
    Metric,
    Scenarios,
    Secret,
    SecretPair,
    Setting,
    Statistic,
    WassersteinExponential,
    bounded_pairs,
    dirichlet_multinomial,
    with_total,
)
from accountant_pufferfish.mechanisms.enclosed import largest_log_ratio
from accountant_pufferfish.mechanisms.wasserstein_exponential import exponential_law, mixture_leak
from tests.plugins.pufferfish.transport_references import laws

VALUE = Statistic("the value", int)
SMALL = Secret("at most 1", lambda data: data <= 1)
LARGE = Secret("at least 2", lambda data: data >= 2)


def apart(data: int, output: int) -> int:
    return abs(data - output)


def on_numbers(
    law: Mapping[int, Any], size: int, base: Mapping[Any, Any], cost: Any, epsilon: Any
) -> WassersteinExponential:
    setting = Setting(Scenarios.listed({"law": law}), [SecretPair(SMALL, LARGE)])
    return WassersteinExponential(setting, VALUE.metric, range(size), base, cost, epsilon)


def reference(base: Mapping[int, Fraction], cost: Any, rate: Fraction, left: int, right: int) -> Any:
    """The largest |log ratio| between two datasets, in forty digits."""
    with mpmath.workdps(40):
        speed = mpmath.mpf(rate.numerator) / rate.denominator

        def chances(data: int) -> list[Any]:
            weights = [int(w) * mpmath.exp(-speed * int(cost(data, y))) for y, w in base.items()]
            return [weight / sum(weights) for weight in weights]

        return max(abs(mpmath.log(p / q)) for p, q in zip(chances(left), chances(right), strict=True))


@pytest.mark.parametrize(("rate", "leak"), [(Fraction(1), 1.206081), (Fraction(1, 2), 0.696525)])
def test_the_printed_scale_loses_more_than_it_says_and_half_of_it_less(rate: Fraction, leak: float) -> None:
    base = dict.fromkeys(range(6), Fraction(1))
    rows = {x: exponential_law(base, {y: Fraction(apart(x, y)) for y in base}, rate) for x in range(6)}
    found = [largest_log_ratio(rows[x], rows[x + 1]) for x in range(5)]
    assert round(max(item.upper for item in found), 6) == leak
    for x, item in enumerate(found):
        assert item.lower <= reference(base, apart, rate, x, x + 1) <= item.upper


def test_the_rate_is_halved_where_the_normalising_sum_depends_on_the_data() -> None:
    mechanism = on_numbers({1: "1/2", 2: "1/2"}, 6, dict.fromkeys(range(6), 1), apart, 1)
    assert (mechanism.radius, mechanism.spread, mechanism.balanced) == (1, 1, False)
    assert mechanism.rate == Fraction(1, 2)
    leak = mechanism.leak()
    assert isinstance(leak, Interval)
    assert leak.lower <= reference(mechanism.base, apart, Fraction(1, 2), 1, 2) <= leak.upper  # type: ignore[arg-type]
    promise = mechanism.guarantee()
    assert promise.epsilon == Interval(0.0, 1.0)
    assert promise.evidence == Ballwise(VALUE.metric, 1)


def around(data: int, output: int) -> int:
    return min((data - output) % 5, (output - data) % 5)


def test_the_whole_rate_is_used_on_a_circle() -> None:
    """Every place sees the same distances, so the normalising sum is constant and all of epsilon can be lost."""
    mechanism = on_numbers({1: "1/2", 2: "1/2"}, 5, dict.fromkeys(range(5), 1), around, "3/2")
    assert mechanism.balanced
    assert mechanism.rate == Fraction(3, 2)
    leak = mechanism.leak()
    assert isinstance(leak, Interval)
    assert leak.lower <= 1.5 <= leak.upper
    assert leak.width < 1e-14


def test_a_base_measure_that_prefers_one_place_breaks_the_symmetry() -> None:
    base = {0: 2, 1: 1, 2: 1, 3: 1, 4: 1}
    assert not on_numbers({1: "1/2", 2: "1/2"}, 5, base, around, 1).balanced


weights = st.dictionaries(st.integers(0, 3), st.sampled_from([1, 2, 50, 10**6]), min_size=2)
tables = st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=4, max_size=4)
numbers = laws(st.integers(0, 3), 4).filter(lambda law: any(map(SMALL, law)) and any(map(LARGE, law)))


def losses(mechanism: WassersteinExponential, rate: Fraction | None) -> list[Interval]:
    """What is lost at a rate between the secrets, and between any two datasets within the radius."""
    costs = {x: {y: Fraction(mechanism.cost(x, y)) for y in mechanism.base} for x in mechanism.datasets}
    rows = {x: exponential_law(mechanism.base, row, rate) for x, row in costs.items()}
    near = [
        (x, y)
        for x, y in itertools.combinations(mechanism.datasets, 2)
        if abs(x - y) <= mechanism.radius  # type: ignore[operator]
    ]
    return [
        *(mixture_leak(rows, pair.first, pair.second) for pair in mechanism.setting.comparisons()),
        *(largest_log_ratio(rows[x], rows[y]) for x, y in near),
    ]


@settings(deadline=None, max_examples=80)
@given(numbers, weights, tables, st.sampled_from(["1/2", "2"]))
def test_no_base_cost_or_law_of_the_data_makes_it_lose_more_than_epsilon(
    law: Any, base: Any, table: list[list[int]], epsilon: str
) -> None:
    mechanism = on_numbers(law, 4, base, lambda x, y: table[x][y], epsilon)
    assert all(item.lower <= Fraction(epsilon) for item in losses(mechanism, mechanism.rate))


def test_the_same_check_catches_the_printed_scale() -> None:
    """Two outputs, one of them almost certain beforehand: nearly twice epsilon is lost."""
    mechanism = on_numbers({1: "1/2", 2: "1/2"}, 4, {1: 1, 2: 10**4}, apart, 2)
    assert all(item.lower <= 2 for item in losses(mechanism, mechanism.rate))
    printed = losses(mechanism, 2 * (mechanism.rate or 0))
    assert max(item.lower for item in printed) > 3.997


def test_the_printed_scale_on_an_interval_that_ends() -> None:
    """At the end of a long fine lattice half of the outputs are missing: 1 + log(1 + (1 - 1/e)/e^step), up to 1.4899."""
    base = {Fraction(place, 16): Fraction(1) for place in range(16 * 40)}
    rows = [exponential_law(base, {y: abs(y - x) for y in base}, Fraction(1)) for x in (0, 1)]
    found = largest_log_ratio(*rows)
    expected = 1 + math.log1p((1 - math.exp(-1)) * math.exp(-1 / 16))
    assert found.lower == pytest.approx(expected, rel=1e-12)
    assert 1.46 < expected < 1 + math.log(2 - math.exp(-1)) == pytest.approx(1.4899, abs=5e-5)


def test_costs_that_do_not_move_cost_nothing() -> None:
    mechanism = on_numbers({1: "1/2", 2: "1/2"}, 4, {0: 1, 1: 2, 3: 1}, lambda x, y: 1 if y == 3 else 0, 1)
    assert (mechanism.spread, mechanism.rate) == (0, None)
    assert mechanism.laws()[2] == {0: (Fraction(1, 3),) * 2, 1: (Fraction(2, 3),) * 2}
    assert mechanism.leak() == Interval.of(0)
    assert mechanism.guarantee().epsilon == Interval(0.0, 0.0)


TABLES = Metric("counts that move", lambda left, right: Fraction(sum(map(apart, left, right)), 2))


def test_congenial_outputs_keep_a_public_total() -> None:
    """Cases in three counties, with their total and last month's cases public."""
    total, previous = 4, (1, 2, 4)
    people = [Law.uniform(range(3))] * total
    by_county = Law.records(people)
    setting = Setting(Scenarios.listed({"anybody anywhere": by_county}), bounded_pairs(total, range(3)))

    def cost(data: tuple[int, ...], output: tuple[int, ...]) -> int:
        return sum(abs(data.count(county) - output[county]) for county in range(3))

    datasets = list(by_county)
    for base in (dict.fromkeys(with_total(3, total), 1), dirichlet_multinomial(total, previous, "1/2")):
        mechanism = WassersteinExponential(setting, HAMMING, datasets, base, cost, "1")
        assert (mechanism.radius, mechanism.spread, mechanism.balanced) == (1, 2, False)
        assert all(sum(output) == total for law in mechanism.laws().values() for output in law)
        leak = mechanism.leak()
        assert isinstance(leak, Interval)
        assert 0 < leak.lower <= leak.upper <= 1


def test_datasets_that_a_scenario_allows_must_be_listed() -> None:
    with pytest.raises(InvalidValue, match="allows the dataset 3"):
        on_numbers({1: "1/2", 3: "1/2"}, 3, {0: 1}, apart, 1)


def test_data_that_may_be_infinitely_far_apart_are_refused() -> None:
    law = Scenarios.listed({"either": {(0,): "1/2", (1, 1): "1/2"}})
    alone = SecretPair(Secret("alone", lambda data: len(data) == 1), Secret("two", lambda data: len(data) == 2))
    mechanism = WassersteinExponential(Setting(law, [alone]), HAMMING, [(0,), (1, 1)], {0: 1, 1: 1}, lambda x, y: 0, 1)
    with pytest.raises(InvalidValue, match="infinitely far apart"):
        mechanism.rate  # noqa: B018


@pytest.mark.parametrize("base", [{}, {0: 0}, {0: 1, 1: -1}])
def test_what_is_no_base_measure_is_refused(base: Any) -> None:
    with pytest.raises(InvalidValue, match="base measure"):
        on_numbers({1: "1/2", 2: "1/2"}, 4, base, apart, 1)
