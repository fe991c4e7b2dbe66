"""A plan's readings know of each other: what one decides is not left open by another."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest

from accountant import Account, Interval, Verdict, account, read_plan
from accountant.accounting.width import remark_on

_SUM = {"kind": "sum", "lower": "0", "upper": "2"}


def release(kind: str, *, query: Any = None, times: int = 1, rate: str | None = None, **parameters: str) -> dict[str, Any]:
    sampling = {} if rate is None else {"sampling": {"kind": "poisson", "rate": rate}}
    return {"query": query or {"kind": "count"}, "mechanism": {"kind": kind, **parameters}, "times": times, **sampling}


def plan_of(*releases: dict[str, Any], neighbours: str = "add-remove", budgets: Any = ()) -> Account:
    named = [{"name": f"release {index}", **item} for index, item in enumerate(releases)]
    return account(read_plan({"specification": {"neighbours": neighbours}, "budget": list(budgets), "release": named}))


def approx(epsilon: str, delta: str) -> dict[str, str]:
    return {"divergence": "approx", "epsilon": epsilon, "delta": delta}


def verdicts(whole: Account) -> list[Verdict]:
    return [whole.check(budget)[1] for budget in whole.plan.specification.budgets]


def test_a_budget_at_the_largest_loss_is_kept() -> None:
    budgets = [approx("1", "1e-6"), {"divergence": "pure", "epsilon": "1"}]
    histogram = release("laplace", query={"kind": "histogram", "attributes": ["age"]}, scale="2")
    assert verdicts(plan_of(histogram, neighbours="replace-one", budgets=budgets)) == [Verdict.IMPLIED] * 2
    thrice = plan_of(release("laplace", scale="0.001", times=3), budgets=[approx("3000", "1e-6")])
    assert verdicts(thrice) == [Verdict.IMPLIED]
    assert thrice.measure("approx", delta="1e-6").value.upper <= thrice.measure("pure").value.upper


def test_a_budget_at_a_largest_loss_that_doubles_cannot_hold_is_kept_at_any_delta() -> None:
    whole = plan_of(release("laplace", scale="30", times=3), budgets=[approx("0.1", "1e-30")])
    assert whole.measure("pure").value == Interval.of(Fraction(1, 10))
    (budget,) = whole.plan.specification.budgets
    guarantee, verdict = whole.check(budget)
    assert verdict is Verdict.IMPLIED
    assert guarantee.derivation[-1].value == guarantee.value


def test_delta_is_never_above_what_it_is_at_zero() -> None:
    whole = plan_of(release("gaussian", sigma="5.32165", rate="0.01", times=2))
    least = whole.measure("approx", epsilon=0).value.upper
    # By quadrature in 60 digits it is 1.7e-41.
    found = whole.measure("approx", epsilon="0.1")
    assert 1e-45 < found.value.upper < 1e-6 * least


def test_what_needs_no_epsilon_is_said_to_need_none() -> None:
    response = [
        release("randomised-response", epsilon="0.00155", times=2),
        release("randomised-response", epsilon="0.01", rate="0.5"),
        release("randomised-response", epsilon="1", rate="0.01"),
    ]
    whole = plan_of(*response, neighbours="replace-one")
    assert whole.measure("approx", epsilon=0).value.upper < 0.01
    assert whole.measure("approx", delta="1e-2").value == Interval.of(0)


@pytest.mark.slow
def test_moments_give_an_epsilon_where_the_grid_gives_none() -> None:
    whole = plan_of(release("discrete-gaussian", query=_SUM, variance="116.218", times=10_000))
    rho = whole.measure("zcdp").value.exact
    assert rho is not None
    # rho + 2 sqrt(rho log(1/delta)), by Bun and Steinke.
    published = float(rho) + 2.0 * math.sqrt(float(rho) * 300.0 * math.log(10.0))
    assert 0.9 * published < whole.measure("approx", delta="1e-300").value.lower
    assert whole.measure("approx", delta="1e-300").value.upper <= published


def test_mu_of_sampled_gaussian_noise_is_that_of_the_whole_data() -> None:
    value = plan_of(release("gaussian", sigma="1", rate="0.01", times=1000)).measure("gdp").value
    assert value.contains(Fraction(math.sqrt(1000.0)))
    assert value.width < 1e-6 * value.upper


def test_renyi_divergences_near_order_one_are_not_nothing() -> None:
    plans = [
        plan_of(release("laplace", scale="1", rate="0.1", times=3)),
        plan_of(release("geometric", scale="2", rate="0.1", times=10)),
        plan_of(release("discrete-gaussian", variance="4", rate="0.05", times=20)),
        plan_of(release("randomised-response", epsilon="1", rate="0.01"), neighbours="replace-one"),
    ]
    for whole in plans:
        values = [whole.measure("renyi", order=order).value for order in ("1.01", "1.3", "1.5", "2")]
        assert all(value.lower > 0.0 for value in values)


def random_plan(draw: random.Random) -> Account:
    kinds = [
        lambda: release("laplace", scale=str(draw.choice([2, 5, 10]))),
        lambda: release("geometric", scale=str(draw.choice([2, 5]))),
        lambda: release("gaussian", sigma=str(draw.choice([2, 5]))),
        lambda: release("randomised-response", epsilon=draw.choice(["0.1", "1"])),
        lambda: release("laplace", scale="2", rate=draw.choice(["0.1", "0.5"])),
        lambda: release("gaussian", sigma="2", rate=draw.choice(["0.01", "0.2", "0.5"])),
    ]
    releases = [{**draw.choice(kinds)(), "times": draw.randint(1, 3)} for _ in range(draw.randint(1, 2))]
    local = any(item["mechanism"]["kind"] == "randomised-response" for item in releases)
    whole = plan_of(*releases, neighbours="replace-one" if local else "add-remove")
    delta = draw.choice(["1e-2", "1e-4", "1e-9"])
    value = whole.measure("approx", delta=delta).value
    # Limits that are hard to tell from the value, above all those that it meets.
    limits = {Fraction(value.upper), Fraction(value.lower), whole.measure("pure").value.exact or Fraction(1)}
    budgets = [approx(str(limit), delta) for limit in limits if limit]
    return plan_of(*releases, neighbours="replace-one" if local else "add-remove", budgets=budgets)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_open_is_decided_by_no_other_reading(seed: int) -> None:
    whole = random_plan(random.Random(seed))
    for budget in whole.plan.specification.budgets:
        _, verdict = whole.check(budget)
        limit, delta = budget.limit, budget.at["delta"]
        by_delta = whole.measure("approx", epsilon=limit).value.at_most(delta)
        by_supremum = whole.measure("pure").value.at_most(limit)
        by_origin = whole.measure("approx", epsilon=0).value.at_most(delta)
        if verdict is Verdict.UNKNOWN:
            assert by_delta is None
            assert not by_supremum
            assert not by_origin
        else:
            assert by_delta in (None, verdict is Verdict.IMPLIED)


@pytest.mark.parametrize("seed", range(8))
def test_delta_falls_in_both_of_its_ends(seed: int) -> None:
    whole = random_plan(random.Random(100 + seed))
    values = [whole.measure("approx", epsilon=epsilon).value for epsilon in ("0", "0.1", "0.3", "1", "2")]
    for earlier, later in itertools.pairwise(values):
        assert later.lower <= earlier.lower
        assert later.upper <= earlier.upper


@pytest.mark.parametrize(
    ("reading", "word"),
    [(("renyi", {"order": "2"}), "bounds"), (("zcdp", {}), "bounds"), (("pure", {}), None)],
)
def test_wide_readings_say_why(reading: tuple[str, dict[str, str]], word: str | None) -> None:
    whole = plan_of(release("laplace", scale="1", rate="0.1", times=3))
    guarantee = whole.measure(reading[0], reading[1])
    wide = guarantee.value.width > 1e-4 * guarantee.value.upper
    assert (guarantee.remark is not None) == wide
    if wide:
        assert word is not None
        assert word in str(guarantee.remark)


def test_a_little_wider_than_was_asked_for_is_wide() -> None:
    picks = {"mechanism": {"kind": "exponential", "epsilon": "1/10"}, "times": 100}
    guarantee = plan_of(picks).measure("approx", delta="1e-6")
    assert 1e-4 < guarantee.value.width / guarantee.value.upper < 1e-3
    assert "'release 0' may lose is known from two sides" in str(guarantee.remark)


@pytest.mark.parametrize(
    ("upper", "asked", "told"),
    [
        (1.0001, Fraction(1, 10**4), None),
        (1.0005, Fraction(1, 10**4), "a relative width of 1e-04 was asked for, and 5.0e-04 reached"),
        (1.0005, Fraction(1, 10**3), None),
        (1.002, Fraction(1, 10**3), "a relative width of 1e-03 was asked for, and 2.0e-03 reached"),
        (1.0005, None, "no formula gives the value itself"),
    ],
)
def test_numbers_are_to_blame_where_less_was_reached_than_asked_for(
    upper: float, asked: Fraction | None, told: str | None
) -> None:
    whole = plan_of(release("laplace", scale="1", times=3))
    remark = remark_on(whole.composed, Interval(1.0, upper), "product pair", asked)
    assert remark is None if told is None else str(remark).startswith(told)


def test_claims_and_two_sides_are_named_as_causes() -> None:
    claim = {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}}
    claimed = plan_of(claim, release("gaussian", sigma="5")).measure("approx", delta="1e-6")
    assert "what is claimed of 'release 0' says no more" in str(claimed.remark)
    histogram = release("gaussian", query={"kind": "histogram", "attributes": ["age"]}, times=1000, sigma="1")
    sampled = {**histogram, "sampling": {"kind": "without-replacement", "sample": 10, "population": 1000}}
    bracketed = plan_of(sampled, neighbours="replace-one").measure("approx", delta="1e-6")
    assert bracketed.value.width > 1e-2 * bracketed.value.upper
    assert "'release 0' may lose is known from two sides" in str(bracketed.remark)


def test_tight_readings_have_no_remark() -> None:
    whole = plan_of(release("gaussian", sigma="2", times=3))
    assert all(
        whole.measure(name, at).remark is None
        for name, at in [("approx", {"delta": "1e-6"}), ("zcdp", {}), ("renyi", {"order": "3"}), ("gdp", {})]
    )
