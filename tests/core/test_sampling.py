"""Sampling in a plan: read, refused with a place and a remedy, accounted for, shown and certified."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from attrs import frozen
from jsonschema import Draft202012Validator

from accountant import (
    Neighbours,
    Plan,
    PlanError,
    PluginError,
    PrivacyLoss,
    Registry,
    Relation,
    Release,
    Sampling,
    Specification,
    Theorem,
    account,
    certify,
    default_registry,
    hookimpl,
    read_plan,
    verify,
)
from accountant.builtin.mechanisms import Claim
from accountant.builtin.samplings import Poisson
from accountant.builtin.summary import Summary
from accountant.builtin.text import TextRenderer
from accountant.builtin.theorems import POISSON
from accountant.loss import TOTAL_LOSS, GaussianLoss, SampledLoss, compose, sampled_gaussian
from accountant.schema import plan_schema

TRAINING: dict[str, Any] = {
    "title": "Training",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "approx", "epsilon": "2", "delta": "1e-5"}],
    "release": [
        {
            "name": "steps",
            "query": {"kind": "vector", "shift": ["1"]},
            "mechanism": {"kind": "gaussian", "sigma": "1"},
            "sampling": {"kind": "poisson", "rate": "0.01"},
            "times": 1000,
        }
    ],
}


def changed(**release: Any) -> dict[str, Any]:
    plan = deepcopy(TRAINING)
    plan["release"][0] |= release
    return plan


def test_a_sampled_plan_is_read_and_written() -> None:
    plan = read_plan(TRAINING)
    assert plan.releases[0].sampling == Poisson("0.01")
    assert read_plan(plan.as_data()) == plan
    assert plan.as_data()["release"][0]["sampling"] == {"kind": "poisson", "rate": "0.01"}
    plain = changed()
    del plain["release"][0]["sampling"]
    assert read_plan(plain).digest != plan.digest
    assert not list(Draft202012Validator(plan_schema(default_registry())).iter_errors(TRAINING))


@pytest.mark.parametrize(
    ("sampling", "message", "place"),
    [
        ({"kind": "poisson", "rate": "0"}, "must be above 0, got 0", "release[0].sampling.rate"),
        ({"kind": "poisson", "rate": "1.5"}, "must be at most 1, got 1.5", "release[0].sampling.rate"),
        ({"kind": "poisson"}, "missing 'rate': the chance that a record is taken", "release[0].sampling"),
        ({"kind": "poison", "rate": "0.1"}, "unknown sampling 'poison'; did you mean 'poisson'?", "release[0].sampling"),
        ({"rate": "0.1"}, "missing 'kind'; known: poisson", "release[0].sampling"),
        ({"kind": "poisson", "rate": "0.1", "seed": 1}, "unknown key 'seed'", "release[0].sampling"),
        ("poisson", "expected a table, got 'poisson'", "release[0].sampling"),
    ],
)
def test_faults_have_a_place(sampling: Any, message: str, place: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan(changed(sampling=sampling))
    assert [fault.place for fault in caught.value.faults] == [place]
    assert message in caught.value.faults[0].message


def test_sampling_between_replaced_records_is_refused_with_the_remedy() -> None:
    plan = changed()
    plan["specification"] = {"neighbours": "replace-one"}
    with pytest.raises(PlanError, match=r"not accounted for yet; promise 'add-remove'.* @ release\[0\]\.sampling"):
        read_plan(plan)
    neighbours = Neighbours(default_registry().neighbours["replace-one"])
    built = Plan("built", Specification(neighbours), read_plan(TRAINING).releases)
    with pytest.raises(PlanError, match=r"promise 'add-remove'.* @ release\[0\]\.sampling"):
        account(built)


def test_a_sampled_claim_is_refused_because_it_says_nothing_about_the_pair() -> None:
    claim = {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}
    with pytest.raises(PlanError, match=r"does not say which laws.* @ release\[0\]\.sampling"):
        read_plan(changed(mechanism=claim))
    zcdp = default_registry().divergences["zcdp"]
    release = Release("bought", Claim(zcdp, zcdp.parameter("0.1")), sampling=Poisson("0.1"))
    built = Plan("built", read_plan(TRAINING).specification, (release,))
    with pytest.raises(PlanError, match=r"does not say which laws.* @ release\[0\]\.sampling"):
        account(built)


def test_the_loss_is_that_of_the_mixed_pair_in_both_directions() -> None:
    whole = account(read_plan(TRAINING))
    assert whole.loss == compose([(SampledLoss(GaussianLoss(1), "0.01"), 1000)])
    value = whole.measure("approx", delta="1e-5").value
    assert value.lower <= 1.828236667 <= value.upper
    back = account(read_plan(TRAINING)).loss.reverse().epsilon("1e-5")
    assert back.upper < value.lower


def test_what_reads_nothing_is_not_changed_by_sampling() -> None:
    nothing = account(read_plan(changed(mechanism={"kind": "no-op"})))
    assert nothing.measure("pure").value.exact == 0
    still = deepcopy(TRAINING)
    still["release"][0]["query"] = {"kind": "vector", "shift": ["0"]}
    guarantee = account(read_plan(still)).measure("pure")
    assert guarantee.value.exact == 0
    assert POISSON not in [step.theorem for step in guarantee.derivation]


def test_a_sample_of_exact_records_loses_everything_with_the_rate() -> None:
    plan = changed(mechanism={"kind": "non-private"}, times=1)
    guarantee = account(read_plan(plan)).measure("approx", epsilon="50")
    assert guarantee.value.contains(Fraction(1, 100))
    assert SampledLoss.of(TOTAL_LOSS, 1) == TOTAL_LOSS


def test_the_derivation_names_the_sampling_and_its_theorem() -> None:
    steps = account(read_plan(TRAINING)).measure("approx", delta="1e-5").derivation
    mechanism, sampling = next((a, b) for a, b in pairwise(steps) if b.theorem == POISSON)
    assert mechanism.statement == "'steps' has the loss of gaussian(sigma = 1) on the records that it sees"
    assert sampling.statement == "'steps' sees a sample by poisson(rate = 0.01), 1,000 times"
    assert (POISSON.key, POISSON.locator) == ("zhu2022optimal", "Theorem 11")
    assert sampling.uses == (steps.index(mechanism) + 1,)


def test_the_certificate_and_the_summary_show_it() -> None:
    plan = read_plan(TRAINING)
    certificate = certify(plan)
    assert certificate.holds
    assert certificate.data["releases"][0]["sampling"] == {"kind": "poisson", "rate": "0.01"}
    shown = TextRenderer().render(Summary().build(certificate))
    assert "poisson" in shown
    assert "rate" in shown
    assert verify(certificate, plan).verdict.value == "implied"
    other = read_plan(changed(sampling={"kind": "poisson", "rate": "0.02"}))
    assert verify(certificate, other).verdict.value == "refuted"


def test_sampling_at_rate_one_is_no_sampling() -> None:
    sampled = account(read_plan(changed(sampling={"kind": "poisson", "rate": 1})))
    plan = deepcopy(TRAINING)
    del plan["release"][0]["sampling"]
    assert sampled.loss == account(read_plan(plan)).loss


def test_sampling_never_costs_more() -> None:
    plain, sampled = (
        account(read_plan(changed(times=3, sampling={"kind": "poisson", "rate": rate}))) for rate in ("1", "0.3")
    )
    for name, words in (("approx", {"delta": "1e-6"}), ("zcdp", {})):
        assert sampled.measure(name, words).value.lower <= plain.measure(name, words).value.upper


# A sampling of one's own -------------------------------------------------------------------------------------------------


TWICE = Theorem("twice", "Twice is twice.", "accountant", "explanation/one-loss", assurance="proved-here")


@frozen
class Twice(Sampling):
    """Every record is looked at twice."""

    kind: ClassVar[str] = "twice"
    theorem: ClassVar[Theorem] = TWICE

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return compose([(between(neighbours.relation), 2)])


class Plugin:
    """A plugin of one sampling."""

    __name__ = "twice_plugin"

    def __init__(self, *theorems: Theorem) -> None:
        self.theorems = theorems

    @hookimpl
    def accountant_samplings(self) -> tuple[type[Sampling], ...]:
        return (Twice,)

    @hookimpl
    def accountant_theorems(self) -> tuple[Theorem, ...]:
        return self.theorems


def test_a_plugin_may_add_a_sampling() -> None:
    registry = Registry.load(extra=[Plugin(TWICE)])  # type: ignore[list-item]
    plan = read_plan(changed(sampling={"kind": "twice"}), registry=registry)
    assert account(plan, registry=registry).loss == GaussianLoss(2000)
    assert registry.samplings.keys() == {"poisson", "twice"}


def test_a_sampling_must_cite_a_registered_theorem() -> None:
    with pytest.raises(PluginError, match="cites the theorem 'twice' for its sampling 'twice' but nobody registers it"):
        Registry.load(extra=[Plugin()])  # type: ignore[list-item]


def test_adding_a_release_does_not_compute_the_others_again(monkeypatch: pytest.MonkeyPatch) -> None:
    quadratures = []
    compute = sampled_gaussian.SampledGaussian._log_moments
    monkeypatch.setattr(
        sampled_gaussian.SampledGaussian,
        "_log_moments",
        lambda self, points: quadratures.append(points.size) or compute(self, points),
    )

    def release(number: int) -> dict[str, object]:
        return {
            "name": f"round {number}",
            "query": {"kind": "count"},
            "mechanism": {"kind": "gaussian", "sigma": f"{100 + number}/100"},
            "sampling": {"kind": "poisson", "rate": f"{41 - number}/4000"},
            "times": 100,
        }

    stated = [release(number) for number in range(40)]
    whole = account(read_plan({"specification": {"neighbours": "add-remove"}, "release": stated[:-1]}))
    whole.measure("approx", delta="1e-6")
    fresh = len(quadratures)
    plan = read_plan({"specification": {"neighbours": "add-remove"}, "release": stated})
    more = whole.adding(plan.releases[-1])
    value = more.measure("approx", delta="1e-6").value
    assert len(quadratures) - fresh < fresh / 5
    assert value == account(plan).measure("approx", delta="1e-6").value
    with pytest.raises(PlanError, match=r"'round 3' already @ release\[40\]\.name"):
        more.adding(plan.releases[3])
