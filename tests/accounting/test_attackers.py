"""Attackers who know who was sampled, and post-processing that reads the data again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from attrs import frozen

from accountant import (
    Neighbours,
    PlanError,
    PrivacyLoss,
    Registry,
    Theorem,
    Verdict,
    account,
    certify,
    implies,
    read_plan,
    verify,
)
from accountant.loss import SampledLoss
from accountant.plugin import Relation, Sampling, hookimpl
from accountant.report import Summary, TextRenderer


def sampled(**specification: Any) -> dict[str, Any]:
    return {
        "specification": {"neighbours": "add-remove", **specification},
        "budget": [{"divergence": "pure", "epsilon": "1/5"}],
        "release": [
            {
                "name": "smokers",
                "query": {"kind": "count"},
                "mechanism": {"kind": "laplace", "scale": "1"},
                "sampling": {"kind": "poisson", "rate": "1/10"},
            }
        ],
    }


def test_sampling_helps_against_outsiders_only() -> None:
    """log(1 + f(e^eps - 1)) with f = 1/10 and eps = 1 is 0.1586; whoever knows the sample faces 1."""
    outside, inside = (account(read_plan(sampled(attacker=who))) for who in ("outsider", "insider"))
    assert outside.measure("pure").value.upper == pytest.approx(math.log1p(0.1 * math.expm1(1.0)), rel=1e-9)
    assert inside.measure("pure").value.exact == 1


def test_a_certificate_says_what_holds_against_an_insider() -> None:
    plan = read_plan(sampled())
    certificate = certify(plan)
    assert certificate.verdicts == (Verdict.IMPLIED,)
    assert certificate.data["insider"][0]["value"]["exact"] == "1"
    assert verify(certificate, plan).differences == ()
    text = TextRenderer().render(Summary().build(certificate, account(plan)))
    assert "Against someone who knows who was sampled: pure epsilon 1." in text
    declared = certify(read_plan(sampled(attacker="insider")))
    assert declared.verdicts == (Verdict.REFUTED,)
    assert "insider" not in declared.data


def test_a_promise_to_insiders_is_the_stronger_one() -> None:
    outside, inside = (read_plan(sampled(attacker=who)).specification for who in ("outsider", "insider"))
    assert implies(inside, outside).verdict is Verdict.IMPLIED
    assert implies(outside, inside).verdict is Verdict.UNKNOWN


def test_an_attacker_is_written_and_checked() -> None:
    plan = read_plan(sampled(attacker="insider"))
    assert read_plan(plan.as_data()) == plan
    with pytest.raises(PlanError, match="must be one of outsider, insider, got 'neighbour'"):
        read_plan(sampled(attacker="neighbour"))


def adjusted(*invariants: Any) -> dict[str, Any]:
    noise = {"kind": "gaussian", "sigma": "4"}
    adjusting = {"kind": "post-processed", "by": "adjusting", "reads": ["state populations"], "mechanism": noise}
    return {
        "specification": {"neighbours": "replace-one", "invariants": list(invariants)},
        "release": [{"name": "counts", "query": {"kind": "histogram"}, "mechanism": adjusting}],
    }


def test_post_processing_that_reads_the_data_again_moves_the_promise() -> None:
    table = {"name": "state populations", "counts_by": ["state"]}
    for declared in ("state populations", table):
        plan = read_plan(adjusted(declared))
        assert account(plan).measure("zcdp").value.exact is not None
        assert read_plan(plan.as_data()) == plan
    with pytest.raises(PlanError) as caught:
        read_plan(adjusted("housing units"))
    (fault,) = caught.value.faults
    assert fault.place.startswith("release[0].mechanism")
    assert "state populations" in fault.message


# Samples of a fixed size -------------------------------------------------------------------------------------------------


FIXED = {"kind": "without-replacement", "sample": 4, "population": 5}
SUM = {"kind": "sum", "lower": "-1", "upper": "1"}


def drawn(attacker: str, query: dict[str, Any], sampling: Any = FIXED, **changes: Any) -> dict[str, Any]:
    """Laplace noise of scale one on a sample."""
    noise = {"kind": "laplace", "scale": "1"}
    release = {"name": "answer", "query": query, "mechanism": noise, "sampling": sampling, **changes}
    return {"specification": {"neighbours": "add-remove", "attacker": attacker}, "release": [release]}


@pytest.mark.parametrize(("query", "epsilon"), [({"kind": "histogram"}, 2), (SUM, 2), ({"kind": "count"}, 1)])
def test_an_insider_compares_samples_in_which_a_record_is_replaced(query: dict[str, Any], epsilon: int) -> None:
    """Four of five: two cells move by one, a value goes from -1 to 1, a smoker becomes none."""
    outside, inside = (account(read_plan(drawn(who, query))).measure("pure") for who in ("outsider", "insider"))
    assert inside.value.exact == epsilon
    assert outside.value.upper == pytest.approx(math.log1p(0.8 * math.expm1(epsilon)), rel=1e-9)
    statements = [step.statement for step in inside.derivation]
    assert any("between samples that are 'replace-one' neighbours" in statement for statement in statements)


@pytest.mark.parametrize(
    "sampling", [{"kind": "poisson", "rate": "0"}, {"kind": "without-replacement", "sample": 0, "population": 5}]
)
def test_nobody_learns_from_a_sample_of_nobody(sampling: dict[str, Any]) -> None:
    found = account(read_plan(drawn("insider", {"kind": "histogram"}, sampling))).measure("pure")
    assert found.value.exact == 0
    assert "moves not at all between samples that never differ" in found.derivation[0].statement


def test_between_replaced_records_an_insider_compares_what_the_plan_compares() -> None:
    """Only the attributes that may differ do, in the sample as in the data: 'sex' alone moves no count of ages."""
    for attributes, epsilon in ((["age"], 2), (["sex"], 0)):
        stated = drawn("insider", {"kind": "histogram", "attributes": ["age"]})
        stated["specification"] |= {"neighbours": "replace-one", "attributes": attributes}
        assert account(read_plan(stated)).measure("pure").value.exact == epsilon


def test_a_certificate_never_shows_an_insider_less_than_an_outsider() -> None:
    plan = read_plan({**drawn("outsider", {"kind": "histogram"}), "budget": [{"divergence": "pure", "epsilon": "1"}]})
    certificate = certify(plan)
    assert certificate.verdicts == (Verdict.REFUTED,)
    assert certificate.data["insider"][0]["value"]["exact"] == "2"
    assert verify(certificate, plan).differences == ()


def test_what_is_stated_of_the_data_says_nothing_about_samples_of_a_fixed_size() -> None:
    for who in ("outsider", "insider"):
        with pytest.raises(PlanError, match="the shift is stated between the plan's own neighbours only"):
            account(read_plan(drawn(who, {"kind": "vector", "shift": ["1"]})))
        monotone = {"kind": "report-noisy-max", "scale": "1", "noise": "gumbel", "monotone": True}
        with pytest.raises(PlanError, match="monotone = true is not accounted for between 'replace-one' neighbours"):
            account(read_plan(drawn(who, {"kind": "histogram"}, mechanism=monotone)))


def test_more_units_on_a_sample_of_a_fixed_size_are_more_replaced_records() -> None:
    plan = read_plan({**drawn("insider", SUM), "budget": [{"divergence": "pure", "epsilon": "9"}]})
    assert account(plan).between(3, plan.specification.budgets[0]).exact == 6


def test_a_unit_that_leaves_a_part_leaves_room_for_another_in_its_sample() -> None:
    """Somebody who moves between parts is replaced in the samples of both."""
    stated = drawn("insider", SUM, scope={"partition": "region", "part": "north"})
    stated["specification"]["neighbours"] = "replace-one"
    alone = account(read_plan(stated)).measure("pure").value
    stated["release"].append({**stated["release"][0], "name": "other", "scope": {"partition": "region", "part": "south"}})
    assert (alone.exact, account(read_plan(stated)).measure("pure").value.exact) == (2, 4)


HALF = Theorem("half", "One half of the records is looked at.", "accountant", "tests", assurance="claimed")


@frozen
class EverySecond(Sampling):
    """A sampling whose author did not think of insiders."""

    kind: ClassVar[str] = "every-second"
    theorem: ClassVar[Theorem] = HALF

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return SampledLoss.of(between(neighbours.relation), "1/2")


class Plugin:
    """A plugin of that sampling."""

    __name__ = "every_second_plugin"

    @hookimpl
    def accountant_samplings(self) -> tuple[type[Sampling], ...]:
        return (EverySecond,)


def test_a_sampling_that_does_not_say_what_an_insider_compares_promises_nothing_to_one() -> None:
    registry = Registry.load(extra=[Plugin()])  # type: ignore[list-item]
    stated = drawn("insider", {"kind": "count"}, {"kind": "every-second"})
    with pytest.raises(PlanError, match="'every-second' sampling does not say how samples of 'add-remove' neighbours"):
        account(read_plan(stated, registry=registry), registry=registry)
    stated["specification"]["attacker"] = "outsider"
    stated["budget"] = [{"divergence": "pure", "epsilon": "1"}]
    plan = read_plan(stated, registry=registry)
    certificate = certify(plan, registry=registry)
    assert certificate.verdicts == (Verdict.IMPLIED,)
    value = certificate.data["insider"][0]["value"]
    assert (value["lower"], value["upper"]) == ("0", "inf")
    text = TextRenderer().render(Summary().build(certificate, account(plan, registry=registry)))
    assert "Against someone who knows who was sampled: pure epsilon not known." in text
