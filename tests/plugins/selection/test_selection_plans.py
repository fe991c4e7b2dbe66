"""Selections in plans: what is read, what is refused and why, and what releases cost together."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from accountant import InvalidValue, Plan, PlanError, ShiftError, account, calibrate, read_plan
from accountant.loss import FiniteLoss, SampledLoss
from accountant.plugin import Shift
from accountant_selection import Exponential, PermuteAndFlip, ReportNoisyMax, SparseVector
from accountant_selection.range_loss import RangeLoss

COUNT = {"kind": "count"}


def plan(mechanism: dict[str, Any], *, query: dict[str, Any] | None = None, times: int = 1, **others: Any) -> Plan:
    release = {"name": "pick", "mechanism": mechanism, "times": times}
    if query is not None:
        release["query"] = query
    specification = {"neighbours": others.pop("neighbours", "add-remove")}
    return read_plan({"title": "Picks", "specification": specification, "release": [{**release, **others}]})


def fault(mechanism: dict[str, Any], **others: Any) -> tuple[str, str]:
    with pytest.raises(PlanError) as caught:
        account(plan(mechanism, **others))
    (found,) = caught.value.faults
    return found.place, found.message


def measured(mechanism: dict[str, Any], divergence: str, times: int = 1, **words: str) -> Any:
    query = None if mechanism["kind"] in ("exponential", "permute-and-flip") else COUNT
    return account(plan(mechanism, query=query, times=times)).measure(divergence, **words).value


NOISY_MAX = {"kind": "report-noisy-max", "noise": "gumbel", "scale": "2"}
SPARSE = {"kind": "sparse-vector", "threshold_scale": "1", "query_scale": "2", "cutoff": 1}


@pytest.mark.parametrize("mechanism", [NOISY_MAX, SPARSE])
def test_monotone_scores_between_replaced_records_are_refused_with_the_reason(mechanism: dict[str, Any]) -> None:
    place, message = fault({**mechanism, "monotone": True}, query=COUNT, neighbours="replace-one")
    assert place == "release[0].mechanism"
    assert "one record appears and another disappears, so one score may rise and another fall" in message
    assert "leave 'monotone' out, or promise 'add-remove'" in message
    account(plan(mechanism, query=COUNT, neighbours="replace-one"))
    account(plan({**mechanism, "monotone": True}, query=COUNT, neighbours="add-remove"))


def test_a_query_that_moves_both_ways_is_refused_as_monotone() -> None:
    query = {"kind": "vector", "shift": ["1", "-1"]}
    place, message = fault({**NOISY_MAX, "monotone": True}, query=query)
    assert place == "release[0].mechanism"
    assert "needs all scores to move one way, but the query moves by (1, -1)" in message


def test_a_histogram_counts_by_its_largest_move() -> None:
    """Replacing a record moves two cells by one each, in opposite directions: the scores move apart by 2."""
    value = account(plan(NOISY_MAX, query={"kind": "histogram"}, neighbours="replace-one")).measure("pure").value
    assert value.exact == 1


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        ({**NOISY_MAX, "noise": "gaussian"}, "expected one of exponential, gumbel, laplace, got 'gaussian'"),
        ({**NOISY_MAX, "noise": ["gumbel"]}, "expected one of exponential, gumbel, laplace, got ['gumbel']"),
        ({**NOISY_MAX, "scale": "0"}, "must be above 0, got 0"),
        ({**NOISY_MAX, "monotone": "yes"}, "expected true or false, got 'yes'"),
        ({**SPARSE, "cutoff": 0}, "must be at least 1, got 0"),
        ({**SPARSE, "cutoff": "1.5"}, "expected a whole number, got 1.5"),
        ({**SPARSE, "query_scale": "-1"}, "must be above 0, got -1"),
        ({"kind": "exponential", "epsilon": "0"}, "must be above 0, got 0"),
        ({"kind": "permute-and-flip", "epsilon": "-2"}, "must be above 0, got -2"),
    ],
)
def test_bad_parameters_get_one_clear_error(mechanism: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as caught:
        plan(mechanism, query=COUNT)
    (found,) = caught.value.faults
    assert message in found.message
    assert found.place.startswith("release[0].mechanism.")


@pytest.mark.parametrize("mechanism", [NOISY_MAX, SPARSE])
def test_scores_must_be_said_to_move(mechanism: dict[str, Any]) -> None:
    place, message = fault(mechanism)
    assert place == "release[0]"
    assert "needs to know what it is applied to" in message


def test_python_callers_get_the_same_errors() -> None:
    with pytest.raises(InvalidValue, match="true or false"):
        ReportNoisyMax("gumbel", 1, monotone=1)  # type: ignore[arg-type]
    with pytest.raises(ShiftError, match="move one way"):
        SparseVector(1, 1, 1, monotone=True).loss(Shift.along([1, -2]))


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_epsilon_is_for_one_step_and_grows_with_each_further_one(kind: type[Exponential] | type[PermuteAndFlip]) -> None:
    """A move by 5/2 is three steps; by less than 1 still one, since epsilon may be for it; three units are three."""
    mechanism = kind("0.5")
    for moves, steps in ((["1/10"], 1), (["1"], 1), (["5/2"], 3), (["7"], 7), (["1", "1", "1"], 3), (["1", "-1"], 2)):
        assert mechanism.loss(Shift.along(moves)).supremum().exact == Fraction(steps, 2)


@pytest.mark.parametrize("divergence", ["pure", "zcdp"])
def test_ten_times_cost_ten_times_as_much(divergence: str) -> None:
    """And not as much as once, as in a peer that forgot the count of this mechanism."""
    mechanism = {"kind": "exponential", "epsilon": "0.5"}
    one, ten = measured(mechanism, divergence), measured(mechanism, divergence, times=10)
    assert ten.upper == pytest.approx(10 * one.upper, rel=1e-9)
    assert ten.lower == pytest.approx(10 * one.lower, rel=1e-9)


def test_bounded_range_is_better_than_an_eighth_of_the_square() -> None:
    value = measured({"kind": "exponential", "epsilon": "2"}, "zcdp")
    assert value.upper == pytest.approx(math.log(math.expm1(2.0) / 2.0) + 2.0 / math.expm1(2.0) - 1.0, rel=1e-12)
    assert value.upper < 2.0**2 / 8
    assert value.upper < 0.6 * measured({"kind": "permute-and-flip", "epsilon": "2"}, "zcdp").lower


def test_definitions_agree_on_many_selections() -> None:
    """The account takes the tightest route: never above what concentration alone gives."""
    mechanism = {"kind": "exponential", "epsilon": "0.1"}
    direct = measured(mechanism, "approx", times=100, delta="1e-6")
    claim = {"kind": "claim", "divergence": "zcdp", "rho": str(Fraction(100, 800))}
    claimed = account(plan(claim)).measure("approx", delta="1e-6").value
    assert 2.2 < direct.lower < direct.upper < claimed.upper


def test_a_budget_decides_the_scale_of_the_noise() -> None:
    data = {
        "title": "Calibrated",
        "specification": {"neighbours": "add-remove"},
        "budget": [{"divergence": "pure", "epsilon": "1"}],
        "release": [
            {"name": "pick", "query": COUNT, "mechanism": NOISY_MAX},
            {"name": "stream", "query": COUNT, "mechanism": SPARSE},
            {"name": "other", "mechanism": {"kind": "permute-and-flip", "epsilon": "1"}},
            {"name": "best", "mechanism": {"kind": "exponential", "epsilon": "2"}},
        ],
    }
    found = calibrate(read_plan(data))
    total = account(found.plan).measure("pure").value
    assert total.upper <= 1.0
    assert total.upper >= 0.999


def test_the_derivation_names_the_theorem_that_is_proved_here() -> None:
    guarantee = account(plan({"kind": "exponential", "epsilon": "1"}, times=3)).measure("pure")
    theorems = {step.theorem.name: step.theorem.assurance for step in guarantee.derivation}
    assert theorems["bounded-range-selection"] == "proved-here"


def test_a_sample_costs_less_and_its_moments_are_attained_by_one_selection() -> None:
    sampled = SampledLoss.of(RangeLoss(2), "1/10")
    assert sampled.delta("0.1").upper < RangeLoss(2).delta("0.1").upper
    found = sampled.renyi(3)
    best = 0.0
    for place in range(1, 200):
        t = 2.0 * place / 200
        p = Fraction(math.expm1(t - 2.0) / math.expm1(-2.0))
        q = Fraction(float(p) * math.exp(-t))
        pair = FiniteLoss([(p, q), (1 - p, 1 - q)])
        best = max(best, SampledLoss.of(pair, "1/10").renyi(3).upper)
    assert found.lower <= best * (1.0 + 1e-9)
    assert best <= found.upper * (1.0 + 1e-9)


def test_poisson_sampling_is_accepted_in_a_plan() -> None:
    sampling = {"kind": "poisson", "rate": "0.1"}
    whole = account(plan({"kind": "exponential", "epsilon": "1"}, times=5)).measure("approx", delta="1e-6").value
    part = account(plan({"kind": "exponential", "epsilon": "1"}, times=5, sampling=sampling))
    assert part.measure("approx", delta="1e-6").value.upper < 0.5 * whole.upper
