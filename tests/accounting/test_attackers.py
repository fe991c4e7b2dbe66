"""Attackers who know who was sampled, and post-processing that reads the data again."""

from __future__ import annotations

import math
from typing import Any

import pytest

from accountant import PlanError, Verdict, account, certify, implies, read_plan, verify
from accountant.report.render.text import TextRenderer
from accountant.report.summary import Summary


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
