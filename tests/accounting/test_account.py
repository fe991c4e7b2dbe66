"""Accounts give the known answers, take the tightest valid route, and say which."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest

from accountant import Interval, Verdict, account, load_plan, read_plan
from accountant.errors import PlanError, ReadingError, UnknownName


def plan_of(*releases: dict[str, Any], neighbours: str = "replace-one", **specification: Any) -> Any:
    return read_plan(
        {
            "title": "test",
            "specification": {"neighbours": neighbours, **specification},
            "release": [{"name": f"release {k}", **release} for k, release in enumerate(releases)],
        }
    )


HISTOGRAM = {"kind": "histogram", "attributes": ["age"]}
COUNT = {"kind": "count", "attributes": ["smoking"]}


def test_three_gaussian_histograms_have_the_exact_rho() -> None:
    plan = plan_of({"query": HISTOGRAM, "mechanism": {"kind": "gaussian", "sigma": "8"}, "times": 3})
    value = account(plan).measure("zcdp").value
    assert value.exact == Fraction(3, 64)
    assert (value.lower, value.upper) == (3 / 64, 3 / 64)


def test_the_same_histograms_cost_half_when_records_come_and_go() -> None:
    release = {"query": HISTOGRAM, "mechanism": {"kind": "gaussian", "sigma": "8"}, "times": 3}
    assert account(plan_of(release, neighbours="add-remove")).measure("zcdp").value.exact == Fraction(3, 128)


def test_a_laplace_count_has_the_exact_epsilon() -> None:
    plan = plan_of({"query": COUNT, "mechanism": {"kind": "laplace", "scale": "2"}})
    assert account(plan).measure("pure").value.exact == Fraction(1, 2)


def binomial_delta(count: int, epsilon: str, at: str) -> mpmath.mpf:
    """The closed form of n-fold randomised response, at 50 digits."""
    with mpmath.workdps(50):
        eps, point = mpmath.mpf(epsilon), mpmath.mpf(at)
        kept = mpmath.exp(eps) / (1 + mpmath.exp(eps))
        total = mpmath.mpf(0)
        for k in range(count + 1):
            loss = (2 * k - count) * eps
            if loss > point:
                weight = mpmath.binomial(count, k) * kept**k * (1 - kept) ** (count - k)
                total += weight * (1 - mpmath.exp(point - loss))
        return total


@pytest.mark.parametrize(
    ("count", "epsilon", "at"),
    [(1, "1", "0.5"), (10, "0.5", "1"), (10, "0.5", "4.9"), (100, "0.1", "2"), (1000, "0.05", "3")],
)
def test_repeated_randomised_response_is_the_binomial_closed_form(count: int, epsilon: str, at: str) -> None:
    plan = plan_of({"mechanism": {"kind": "randomised-response", "epsilon": epsilon}, "times": count})
    value = account(plan).measure("approx", epsilon=at).value
    truth = binomial_delta(count, epsilon, at)
    assert mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper)
    assert value.width <= 1e-9 * value.upper


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "4", "12"])
def test_a_pure_claim_reads_as_zcdp_through_the_lens(epsilon: str) -> None:
    plan = plan_of({"mechanism": {"kind": "claim", "divergence": "pure", "epsilon": epsilon}})
    value = account(plan).measure("zcdp").value
    truth = mpmath.mpf(epsilon) * mpmath.tanh(mpmath.mpf(epsilon) / 2)
    assert mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper)
    assert value.width <= 1e-12 * value.upper


def test_claims_in_one_definition_add_up_exactly() -> None:
    claim = {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}, "times": 3}
    guarantee = account(plan_of(claim, claim)).measure("zcdp")
    assert guarantee.value.exact == Fraction(6, 10)
    assert guarantee.evidence == "sum of rho"


def test_claims_that_merge_are_not_worse_than_one_claim_of_their_sum() -> None:
    many = {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.01"}, "times": 10}
    one = {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}}
    assert (
        account(plan_of(many)).measure("approx", delta="1e-6").value
        == account(plan_of(one)).measure("approx", delta="1e-6").value
    )


def test_pure_claims_use_the_product_pair_not_the_sum() -> None:
    claim = {"mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "0.1"}, "times": 200}
    guarantee = account(plan_of(claim)).measure("approx", delta="1e-6")
    assert guarantee.evidence == "product pair"
    assert guarantee.value.upper < 10 < 20


def test_a_count_too_large_for_a_grid_is_answered_by_a_sum() -> None:
    release = {"mechanism": {"kind": "randomised-response", "epsilon": "1e-9"}, "times": 10**18}
    whole = account(plan_of(release))
    assert whole.measure("pure").value.exact == 10**9
    assert whole.measure("approx", delta="1e-6").value.upper < 10**9


def test_gaussians_of_any_count_stay_exact() -> None:
    release = {"query": COUNT, "mechanism": {"kind": "gaussian", "sigma": "1e9"}, "times": 10**18}
    assert account(plan_of(release)).measure("zcdp").value.exact == Fraction(1, 2)


def test_what_hides_nothing_loses_everything() -> None:
    whole = account(plan_of({"mechanism": {"kind": "non-private"}}))
    assert whole.measure("pure").value == Interval.infinite()
    assert whole.measure("zcdp").value == Interval.infinite()
    assert whole.measure("approx", delta="0.5").value == Interval.infinite()
    assert whole.measure("approx", epsilon="100").value.lower == 1.0


def test_what_reads_nothing_loses_nothing() -> None:
    whole = account(plan_of({"mechanism": {"kind": "no-op"}, "times": 5}))
    for name, at in (("pure", {}), ("zcdp", {}), ("approx", {"delta": "1e-6"}), ("approx", {"epsilon": "0"})):
        assert whole.measure(name, at).value.exact == 0


def test_a_query_of_attributes_that_may_not_differ_costs_nothing() -> None:
    release = {"query": HISTOGRAM, "mechanism": {"kind": "non-private"}}
    guarantee = account(plan_of(release, attributes=["race"])).measure("pure")
    assert guarantee.value.exact == 0
    assert "unmoved-query" in {step.theorem.name for step in guarantee.derivation}


def test_every_step_rests_on_earlier_ones() -> None:
    guarantee = account(load_plan("examples/survey.toml")).measure("approx", delta="1e-6")
    for number, step in enumerate(guarantee.derivation, start=1):
        assert all(1 <= use < number for use in step.uses)
    assert guarantee.derivation[-1].value == guarantee.value


def test_the_survey_is_enclosed_between_its_gaussian_and_its_basic_reading() -> None:
    value = account(load_plan("examples/survey.toml")).measure("approx", delta="1e-6").value
    assert 2.3 < value.lower <= value.upper < 2.6


def test_a_budget_that_is_met_exactly_is_kept() -> None:
    data = plan_of({"query": HISTOGRAM, "mechanism": {"kind": "gaussian", "sigma": "8"}, "times": 3}).as_data()
    for rho, verdict in (("3/64", Verdict.IMPLIED), ("0.046874", Verdict.REFUTED)):
        plan = read_plan({**data, "budget": [{"divergence": "zcdp", "rho": rho}]})
        assert account(plan).check(plan.specification.budgets[0])[1] is verdict


def test_a_promise_about_no_pair_is_vacuous() -> None:
    data = plan_of({"query": COUNT, "mechanism": {"kind": "laplace", "scale": "2"}}, attributes=[]).as_data()
    plan = read_plan({**data, "budget": [{"divergence": "pure", "epsilon": "1"}]})
    assert account(plan).check(plan.specification.budgets[0])[1] is Verdict.VACUOUS


def test_a_budget_between_the_bounds_is_unknown() -> None:
    data = plan_of({"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.5"}}).as_data()
    reading = account(read_plan(data)).measure("approx", delta="1e-6").value
    between = (reading.lower + reading.upper) / 2
    plan = read_plan({**data, "budget": [{"divergence": "approx", "epsilon": between, "delta": "1e-6"}]})
    assert account(plan).check(plan.specification.budgets[0])[1] is Verdict.UNKNOWN


def test_a_mechanism_that_cannot_serve_its_query_is_named() -> None:
    release = {"query": {"kind": "sum", "lower": 0, "upper": 5}, "mechanism": {"kind": "randomised-response", "epsilon": 1}}
    with pytest.raises(PlanError, match=r"moves by \(5\).*@ release\[0\].mechanism"):
        account(plan_of(release))


def test_wrong_readings_say_what_is_on_offer() -> None:
    whole = account(plan_of({"mechanism": {"kind": "no-op"}}))
    with pytest.raises(ReadingError, match="epsilon at delta or delta at epsilon"):
        whole.measure("approx")
    with pytest.raises(UnknownName, match="did you mean 'approx'"):
        whole.measure("aprox", delta="1e-6")
    for delta in (0, 1, 2, -1):
        with pytest.raises(ReadingError, match="strictly between 0 and 1"):
            whole.measure("approx", delta=delta)


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
def test_many_releases_that_are_alike_cost_what_one_costs_so_often(name: str) -> None:
    """Beyond a hundred, releases that only differ in their names are taken together."""
    noise = {"gaussian": {"kind": "gaussian", "sigma": "50"}, "laplace": {"kind": "laplace", "scale": "50"}}[name]
    release = {"query": {"kind": "count", "attributes": ["age"]}, "mechanism": noise}
    other = {"query": {"kind": "count", "attributes": ["sex"]}, "mechanism": {"kind": "laplace", "scale": "9"}}
    specification = {"neighbours": "add-remove"}
    many = [{"name": f"count {k}", **release} for k in range(150)]
    apart = account(read_plan({"specification": specification, "release": [*many, {"name": "other", **other}]}))
    once = [{"name": "count", "times": 150, **release}, {"name": "other", **other}]
    together = account(read_plan({"specification": specification, "release": once}))
    assert [entry.release.times for entry in apart.distinct] == [150, 1]
    for definition, words in (("approx", {"delta": "1e-6"}), ("zcdp", {}), ("pure", {})):
        assert apart.measure(definition, words).value == together.measure(definition, words).value
    assert any("count 0 (and 149 like it)" in step.statement for step in apart.measure("zcdp").derivation)
