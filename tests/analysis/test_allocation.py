"""Budgets are shared out so that everything is kept and the stated error is about as small as can be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import pytest

from accountant import Allocation, InvalidValue, PlanError, calibrate, certify, read_plan, reallocate
from accountant.analysis import allocation
from accountant.analysis.scaling import scaled

TWO_SIDED = NormalDist().inv_cdf(0.975)


def release(name: str, mechanism: Mapping[str, str], most: str = "1", times: int = 1) -> dict[str, Any]:
    query = {"kind": "sum", "lower": "0", "upper": most}
    return {"name": name, "query": query, "mechanism": dict(mechanism), "times": times}


def gaussian(sigma: str) -> dict[str, str]:
    return {"kind": "gaussian", "sigma": sigma}


def plan(*releases: dict[str, Any], **budget: str) -> dict[str, Any]:
    return {"specification": {"neighbours": "add-remove"}, "budget": [budget], "release": list(releases)}


SUMS = plan(
    release("a", gaussian("2")),
    release("b", gaussian("9"), times=4),
    release("c", gaussian("9"), most="10"),
    divergence="zcdp",
    rho="1",
)
COSTS = {"a": 0.5, "b": 2.0, "c": 50.0}
"""What each costs with a deviation of 1: times, square of the largest move, half."""


def least_squares(costs: Mapping[str, float], weights: Mapping[str, float], rho: float) -> float:
    """By Cauchy and Schwarz: the least sum of w s^2 with c/s^2 adding up to rho is (sum of sqrt(w c))^2 / rho."""
    roots = sum(math.sqrt(weights[name] * cost) for name, cost in costs.items())
    return TWO_SIDED * roots / math.sqrt(rho * sum(weights.values()))


@pytest.mark.parametrize("weights", [{"a": 1, "b": 1, "c": 1}, {"a": 100, "b": 1, "c": 5}])
def test_gaussian_noise_on_sums_comes_to_the_least_squares(weights: dict[str, int]) -> None:
    found = reallocate(SUMS, weights=weights)
    best = least_squares(COSTS, {name: float(weight) for name, weight in weights.items()}, 1.0)
    assert best <= found.error.upper <= 1.001 * best
    assert certify(found.plan).kept


def test_a_search_that_does_not_look_at_errors_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same test sees factors that follow costs alone."""
    rates = allocation._Search._rates

    def careless(self: Any, factors: Mapping[str, Fraction]) -> dict[str, float]:
        errors = {name: (float(factors[name]) * self.alone[name].upper) ** 2 for name in factors}
        return {name: rate * errors[name] for name, rate in rates(self, factors).items()}

    monkeypatch.setattr(allocation._Search, "_rates", careless)
    best = least_squares(COSTS, dict.fromkeys(COSTS, 1.0), 1.0)
    assert reallocate(SUMS).error.upper > 1.01 * best


def test_the_largest_error_is_least_where_all_are_equal() -> None:
    found = reallocate(SUMS, minimise="largest")
    best = TWO_SIDED * math.sqrt(sum(COSTS.values()))
    assert best <= found.error.upper <= 1.01 * best
    distances = [item.after.upper for item in found.allotments if item.after is not None]
    assert max(distances) <= 1.01 * min(distances)
    heavy = reallocate(SUMS, minimise="largest", weights={"a": "3"})
    after = {item.name: item.after.upper for item in heavy.allotments if item.after is not None}
    assert 3 * after["a"] == pytest.approx(after["b"], rel=0.01)


@pytest.mark.parametrize(
    ("mechanisms", "budget"),
    [
        ((gaussian("5"), {"kind": "laplace", "scale": "1"}), {"divergence": "approx", "epsilon": "1", "delta": "1e-6"}),
        (({"kind": "laplace", "scale": "1"}, {"kind": "laplace", "scale": "30"}), {"divergence": "pure", "epsilon": "2"}),
        (({"kind": "geometric", "scale": "4"}, gaussian("3")), {"divergence": "zcdp", "rho": "0.3"}),
    ],
    ids=["Gaussian and Laplace", "Laplace", "whole and Gaussian"],
)
def test_no_other_ratio_of_noises_does_much_better(mechanisms: tuple[dict[str, str], ...], budget: dict[str, str]) -> None:
    """Ratios all over, each with just enough noise."""
    first, second = mechanisms
    given = read_plan(plan(release("one", first, times=3), release("two", second), **budget))
    found = reallocate(given)
    assert certify(found.plan).kept
    wanted = allocation._Wanted.of(given, (), {}, "squares", "0.95")
    for power in range(-8, 9):
        tried = calibrate(scaled(given, {"one": Fraction(math.exp(power / 2))}), tolerance="1e-2").plan
        other = wanted.total(wanted.errors(tried, ["one", "two"]))
        assert found.error.lower <= other.upper * 1.02


def test_what_is_left_out_is_shared_by_the_others() -> None:
    found, fewer = reallocate(SUMS), reallocate(SUMS, without=["c"])
    assert [item.name for item in fewer.allotments] == ["a", "b"]
    assert {release.name for release in fewer.plan.releases} == {"a", "b"}
    after = {item.name: item.after.upper for item in found.allotments if item.after is not None}
    assert all(item.after is not None and item.after.upper < after[item.name] for item in fewer.allotments)
    assert certify(fewer.plan).kept


def test_what_has_no_noise_of_a_known_law_stays_as_it_is() -> None:
    claim = {"name": "told", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "1/2"}}
    found = reallocate({**SUMS, "release": [*SUMS["release"], claim]})
    told = next(item for item in found.allotments if item.name == "told")
    assert (told.factor, told.before, told.after) == (None, None, None)
    assert certify(found.plan).kept
    best = least_squares(COSTS, dict.fromkeys(COSTS, 1.0), 0.5)
    assert best <= found.error.upper <= 1.001 * best


def test_alike_releases_get_alike_noise() -> None:
    many = plan(*(release(f"r{n}", gaussian("3")) for n in range(6)), divergence="zcdp", rho="1")
    found = reallocate(many)
    assert len({item.factor for item in found.allotments}) == 1


def test_every_limit_is_kept_and_not_only_the_tightest() -> None:
    both = {**SUMS, "budget": [*SUMS["budget"], {"divergence": "approx", "epsilon": "2", "delta": "1e-6"}]}
    found = reallocate(both)
    assert found.labels == ("zcdp", "approx")
    assert certify(found.plan).kept
    assert found.error.upper <= found.common.upper


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(PlanError) as told:
        reallocate(SUMS, without=["x", "a"], weights={"y": 1, "b": 0, "a": 2}, share="1")
    words = [fault.message for fault in told.value.faults]
    assert len(words) == 5
    assert any("'x'" in word for word in words)
    assert any("'y'" in word for word in words)
    assert any("above 0" in word for word in words)
    assert any("left out" in word for word in words)
    assert any("probability" in word for word in words)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (SUMS, {"without": ["a", "b", "c"]}, "every release is left out"),
        ({**SUMS, "budget": []}, {}, "at least one budget"),
        (SUMS, {"minimise": "both"}, "'squares' or 'largest'"),
    ],
    ids=["nothing left", "no budget", "another error"],
)
def test_what_cannot_be_shared_out_is_refused(given: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises((PlanError, InvalidValue), match=words):
        reallocate(given, **options)


def test_the_card_says_what_each_release_gets() -> None:
    found = reallocate(SUMS)
    assert isinstance(found, Allocation)
    shown = str(found)
    assert "with a common factor" in shown
    assert all(name in shown for name in ("a ", "b ", "c "))
