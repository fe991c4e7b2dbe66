"""Precision: more is inside less, what is asked for is delivered, and what cannot be is said."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from accountant import Guarantee, Plan, account, certify, read_plan, verify
from accountant.errors import InvalidValue, PlanError
from accountant.numbers.exact import exact
from accountant.plan.schema import plan_schema
from accountant.registry.registry import default_registry

COUNT = {"kind": "count"}
POISSON = {"kind": "poisson", "rate": "0.01"}


def noise(kind: str, size: str, **more: Any) -> dict[str, Any]:
    return {"query": COUNT, "mechanism": {"kind": kind, ("scale" if kind == "laplace" else "sigma"): size}, **more}


RESPONSE = {"mechanism": {"kind": "randomised-response", "epsilon": "0.5"}}
PLANS = {
    "sampled": [noise("gaussian", "1", sampling=POISSON, times=1000)],
    "sampled often": [noise("gaussian", "1", sampling=POISSON, times=10_000)],
    "mixed": [noise("gaussian", "8", times=3), noise("laplace", "20", times=2)],
    "sampled and mixed": [
        noise("gaussian", "1", sampling=POISSON, times=500),
        noise("laplace", "10"),
        noise("discrete-gaussian", "20"),
    ],
    "discrete": [noise("discrete-gaussian", "2", times=10)],
    "discrete once": [noise("discrete-gaussian", "5")],
    "discrete and mixed": [noise("discrete-gaussian", "4", times=5), {**RESPONSE, "times": 3}],
}
SAMPLED_LAPLACE = [noise("laplace", "1", sampling=POISSON, times=300)]
PLACES = [{"delta": "1e-6"}, {"epsilon": "1"}]
BUDGET = {"divergence": "approx", "epsilon": "9", "delta": "1e-6"}


def plan_of(releases: list[dict[str, Any]], **more: Any) -> Plan:
    return read_plan(
        {
            "specification": {"neighbours": "add-remove"},
            "release": [{"name": f"release {k}", **release} for k, release in enumerate(releases)],
            **more,
        }
    )


@cache
def measured(name: str, precision: str, *at: tuple[str, str]) -> Guarantee:
    """What an account says that was asked nothing else, computed once for all tests."""
    return account(plan_of(PLANS.get(name, SAMPLED_LAPLACE), precision=precision)).measure("approx", dict(at))


# In plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["1e-8", 1e-8, "1/100000000", "0.00000001"])
def test_a_precision_is_read_and_written_back(written: Any) -> None:
    plan = plan_of(PLANS["discrete"], precision=written)
    if isinstance(written, str):
        assert plan.precision == exact("1e-8")
        assert plan.as_data()["precision"] == "1e-8"
    assert read_plan(plan.as_data()) == plan


@pytest.mark.parametrize("limit", ["1e-15", "1", 1])
def test_the_limits_of_a_precision_are_allowed(limit: Any) -> None:
    assert plan_of(PLANS["discrete"], precision=limit).precision == exact(limit)


@pytest.mark.parametrize("value", [0, -1, "0", "1e-16", "9.99e-16", "1.001", 2, "-1e-4"])
def test_a_precision_out_of_range_is_refused_where_it_stands(value: Any) -> None:
    with pytest.raises(PlanError) as caught:
        plan_of(PLANS["discrete"], precision=value)
    (fault,) = caught.value.faults
    assert fault.message.startswith(("must be at least 1e-15, got ", "must be at most 1, got "))
    assert fault.place in ("precision", "plan.precision")


@pytest.mark.parametrize("value", ["nan", "inf", "fine", "", True, None, ["1e-8"], {"relative": 1}])
def test_a_precision_that_is_no_number_is_refused_where_it_stands(value: Any) -> None:
    with pytest.raises(PlanError, match=r"precision$"):
        plan_of(PLANS["discrete"], precision=value)


def test_a_precision_is_also_refused_from_python() -> None:
    plan = plan_of(PLANS["discrete"])
    for value in (0, "1e-16", 2):
        with pytest.raises(InvalidValue):
            Plan(plan.title, plan.specification, plan.releases, value)


def test_the_digest_knows_a_precision_unless_it_is_the_default() -> None:
    silent = plan_of(PLANS["discrete"])
    assert "precision" not in silent.as_data()
    for default in ("1e-4", "0.0001", "1/10000"):
        assert plan_of(PLANS["discrete"], precision=default).digest == silent.digest
    digests = {plan_of(PLANS["discrete"], precision=value).digest for value in ("1", "1e-3", "1e-5", "1e-15")}
    assert len(digests | {silent.digest}) == 5


def test_the_schema_has_the_precision() -> None:
    schema = plan_schema(default_registry())
    assert "precision" in schema["properties"]
    assert "precision" not in schema["required"]
    assert schema["properties"]["precision"]["description"]
    validator = Draft202012Validator(schema)
    data = plan_of(PLANS["discrete"], precision="1e-9").as_data()
    validator.validate(data)
    validator.validate({**data, "precision": 0.001})
    for value in (True, [], {}, None, "fine", 0, 2):
        assert not validator.is_valid({**data, "precision": value})


# In intervals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", PLACES, ids=lambda at: next(iter(at)))
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        *((name, ["1", "1e-2", "1e-4", "1e-5", "1e-7", "1e-10"]) for name in PLANS),
        pytest.param("sampled Laplace", ["1", "1e-2", "1e-4"], marks=pytest.mark.slow),
        pytest.param("sampled Laplace", ["1", "1e-4", "1e-7"], marks=pytest.mark.sweep),
    ],
)
def test_finer_lies_inside_coarser(name: str, asked: list[str], at: dict[str, str]) -> None:
    values = [measured(name, precision, *at.items()).value for precision in asked]
    for coarse, fine in pairwise(values):
        assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper


@pytest.mark.parametrize("precision", ["1e-4", "1e-5", "1e-6", "1e-7"])
@pytest.mark.parametrize("at", PLACES, ids=lambda at: next(iter(at)))
@pytest.mark.parametrize("name", PLANS)
def test_the_width_is_at_most_what_is_asked_for(name: str, at: dict[str, str], precision: str) -> None:
    guarantee = measured(name, precision, *at.items())
    assert guarantee.value.width <= exact(precision) * exact(guarantee.value.upper)
    assert guarantee.remark is None


def test_the_default_is_aimed_at_even_where_less_is_asked_for() -> None:
    coarse, usual = (
        account(plan_of(PLANS["sampled"], **more)).measure("approx", delta="1e-6").value
        for more in ({"precision": "1"}, {})
    )
    assert coarse == usual


def test_a_known_value_stays_inside_at_every_precision() -> None:
    release = noise("gaussian", "1", sampling=POISSON, times=1000)
    for precision in ("1e-2", "1e-4", "1e-6", "1e-8"):
        value = account(plan_of([release], precision=precision)).measure("approx", delta="1e-5").value
        # Known to this many digits.
        assert value.lower <= 1.828236667 + 5e-10
        assert value.upper >= 1.828236667 - 5e-10


# Where more is asked for than doubles can hold -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sampled", "discrete", "discrete and mixed"])
def test_a_width_that_cannot_be_had_is_remarked_on(name: str) -> None:
    usual = account(plan_of(PLANS[name])).measure("approx", delta="1e-6")
    guarantee = account(plan_of(PLANS[name], precision="1e-14")).measure("approx", delta="1e-6")
    assert usual.remark is None
    assert guarantee.remark is not None
    assert guarantee.remark.startswith("a relative width of 1e-14 was asked for, and ")
    width = float(guarantee.remark.removeprefix("a relative width of 1e-14 was asked for, and ").partition(" ")[0])
    assert width == pytest.approx(guarantee.value.width / guarantee.value.upper, rel=0.1)
    assert width > 1e-14
    assert usual.value.lower <= guarantee.value.lower <= guarantee.value.upper <= usual.value.upper


def test_exact_values_need_no_remark() -> None:
    whole = account(plan_of([noise("gaussian", "8"), noise("laplace", "2")], precision="1e-15"))
    assert whole.measure("pure").remark is None
    assert account(plan_of([noise("gaussian", "8")], precision="1e-15")).measure("zcdp").remark is None


def test_the_width_of_a_claim_is_not_blamed_on_doubles() -> None:
    claim = {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.05"}}
    guarantee = account(plan_of([noise("gaussian", "8"), claim])).measure("approx", delta="1e-6")
    assert guarantee.value.width > 1e-4 * guarantee.value.upper
    assert "what is claimed of 'release 1' says no more" in str(guarantee.remark)
    assert "cost too much" not in str(guarantee.remark)


@pytest.mark.slow
def test_a_certificate_carries_the_remark_and_verifies() -> None:
    plan = plan_of(PLANS["discrete"], budget=[BUDGET], precision="1e-14")
    certificate = certify(plan)
    assert certificate.kept
    assert "was asked for" in certificate.data["budgets"][0]["guarantee"]["remark"]
    assert verify(certificate, plan).differences == ()
    usual = plan_of(PLANS["discrete"], budget=[BUDGET])
    assert "remark" not in certify(usual).data["budgets"][0]["guarantee"]
    places = {fault.place for fault in verify(certificate, usual).differences}
    assert {"certificate.plan_digest", "certificate.budgets[0].guarantee.remark"} <= places
