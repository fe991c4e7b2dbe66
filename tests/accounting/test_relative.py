"""Promises relative to public information follow from the account between datasets as far apart as a secret moves them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any, ClassVar

import pytest
from attrs import field, frozen
from jsonschema import Draft202012Validator

import accountant
from accountant import (
    Account,
    Assessment,
    Interval,
    Neighbours,
    PlanError,
    Reach,
    Recommendation,
    Registry,
    Revealed,
    Theorem,
    Verdict,
)
from accountant.accounting.relative import relative
from accountant.errors import CertificateError
from accountant.fields import exact, whole
from accountant.ledger.terms import read_terms
from accountant.plan.schema import plan_schema
from accountant.plugin import RENDERERS, REPORTS, Public, RiskProfile, hookimpl

LEMMA = Theorem("stated-distance", "It is so far.", "accountant", "explanation/one-loss", assurance="claimed")


@frozen
class StatedDistance(Public):
    """Says how far apart the data are; a negative number stands for no bound."""

    kind: ClassVar[str] = "stated-distance"
    theorem: ClassVar[Theorem] = LEMMA
    value: ClassVar[str] = "12"  # type: ignore[assignment]
    scenarios: ClassVar[str] = "whatever is stated"  # type: ignore[assignment]
    pairs: ClassVar[str] = "a record is one thing or another"  # type: ignore[assignment]
    units: int = field(default=1, converter=whole)
    live: int = 7

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(self.units if self.units >= 0 else None, self.live)

    def revealed(self) -> tuple[Revealed, ...]:
        return (Revealed("the first record is one", "fair coins", Interval.of("1/2"), Interval.of("1/3")),)


@frozen
class AtMost(RiskProfile):
    """Tolerates an epsilon."""

    kind: ClassVar[str] = "at-most"
    epsilon: Fraction = field(converter=exact)

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        return Interval.infinite()

    def recommend(self) -> Recommendation:
        return Recommendation(Interval.of(self.epsilon), None, None, LEMMA)

    def assess(self, account: Account) -> Assessment:
        found = account.measure("pure")
        verdict = Verdict.of(found.value.at_most(self.epsilon))
        return Assessment(verdict, "anyone", Interval.of(self.epsilon), found, "As stated.", found.derivation)


@pytest.fixture(scope="module")
def registry() -> Registry:
    module = ModuleType("stated")
    offered: Mapping[str, tuple[Any, ...]] = {
        "accountant_public": (StatedDistance,),
        "accountant_risk_profiles": (AtMost,),
        "accountant_theorems": (LEMMA,),
    }
    for hook, items in offered.items():
        setattr(module, hook, hookimpl(lambda items=items: items))
        getattr(module, hook).__name__ = hook
    return Registry.load(extra=[module])


LAPLACE = {"name": "count", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}
CLAIM = {"name": "claim", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}}


def read(registry: Registry, *releases: Mapping[str, Any], known: Mapping[str, Any], **parts: Any) -> accountant.Plan:
    data = {
        "title": "relative",
        "specification": {"neighbours": "replace-one"},
        "release": list(releases),
        "public": [{"kind": "stated-distance", "name": "total", **known}],
        **parts,
    }
    return accountant.read_plan(data, registry=registry)


def pure(epsilon: str) -> list[dict[str, str]]:
    return [{"divergence": "pure", "epsilon": epsilon}]


@pytest.mark.parametrize(("epsilon", "verdict"), [("1.5", Verdict.IMPLIED), ("1.4999", Verdict.UNKNOWN)])
def test_three_units_cost_three_times_as_much_and_no_budget_is_refuted(
    registry: Registry, epsilon: str, verdict: Verdict
) -> None:
    plan = read(registry, LAPLACE, known={"units": 3, "budget": pure(epsilon)})
    (known,) = plan.knowledge
    found = relative(accountant.account(plan, registry=registry), known.public, known.budgets[0])
    assert found.verdict is verdict
    assert found.between is not None
    assert found.between.value.exact == Fraction(3, 2)
    assert found.value.lower == 0.0
    assert [step.theorem.name for step in found.between.derivation][-2:] == ["stated-distance", "coupled-mixtures"]


def test_a_zcdp_claim_grows_with_the_square_of_the_distance(registry: Registry) -> None:
    plan = read(registry, CLAIM, known={"units": 2, "budget": [{"divergence": "zcdp", "rho": "0.4"}]})
    (known,) = plan.knowledge
    found = relative(accountant.account(plan, registry=registry), known.public, known.budgets[0])
    assert found.verdict is Verdict.IMPLIED
    assert found.value.upper == pytest.approx(0.4, rel=1e-12)


def test_at_distance_zero_nothing_is_told(registry: Registry) -> None:
    budget = [{"divergence": "approx", "epsilon": "0", "delta": "1e-9"}]
    plan = read(registry, LAPLACE, known={"units": 0, "budget": budget})
    certificate = accountant.certify(plan, registry=registry)
    assert certificate.kept
    assert certificate.data["public"][0]["budgets"][0]["relative"]["value"]["upper"] == "0"


def test_without_a_bound_on_the_distance_nothing_is_known(registry: Registry) -> None:
    certificate = accountant.certify(read(registry, LAPLACE, known={"units": -1, "budget": pure("100")}), registry=registry)
    assert certificate.verdicts == (Verdict.UNKNOWN,)
    assert "arbitrarily far apart" in certificate.data["public"][0]["budgets"][0]["relative"]["remark"]


def test_a_distance_beyond_what_is_compared_at_once_is_not_known(registry: Registry) -> None:
    plan = read(registry, LAPLACE, known={"units": 10_001, "budget": pure("100000")})
    found = relative(accountant.account(plan, registry=registry), plan.knowledge[0].public, plan.knowledge[0].budgets[0])
    assert found.verdict is Verdict.UNKNOWN
    assert "a secret can move 10,001 units" in str(found.remark)
    most = read(registry, LAPLACE, known={"units": 10_000, "budget": pure("5000")})
    assert accountant.certify(most, registry=registry).kept


def test_without_a_live_pair_the_promise_is_vacuous_and_does_not_hold(registry: Registry) -> None:
    plan = read(registry, LAPLACE, known={"live": 0, "budget": pure("100")})
    certificate = accountant.certify(plan, registry=registry)
    assert certificate.verdicts == (Verdict.VACUOUS,)
    assert not certificate.kept


def test_a_claim_under_invariants_says_nothing_two_steps_away(registry: Registry) -> None:
    budget = [{"divergence": "zcdp", "rho": "100"}]
    specification = {"neighbours": "replace-one", "invariants": ["total"]}
    far = {"units": 2, "determines": ["total"], "budget": budget}
    certificate = accountant.certify(read(registry, CLAIM, known=far, specification=specification), registry=registry)
    assert certificate.verdicts == (Verdict.UNKNOWN,)
    near = {**far, "units": 1}
    assert accountant.certify(read(registry, CLAIM, known=near, specification=specification), registry=registry).kept


VECTOR = {
    "name": "vector",
    "query": {"kind": "vector", "shift": [0]},
    "mechanism": {"kind": "geometric", "scale": "1"},
}
PICK = {"name": "pick", "mechanism": {"kind": "exponential", "epsilon": "1"}}


@pytest.mark.parametrize(("release", "remedy"), [(VECTOR, "'count' or 'sum'"), (PICK, "give 'exponential' a query")])
def test_what_is_stated_under_invariants_says_nothing_two_steps_away(
    registry: Registry, release: Mapping[str, Any], remedy: str
) -> None:
    """With a known total no two neighbours are comparable, so that anything may be stated of them: also a shift of 0."""
    specification = {"neighbours": "replace-one", "invariants": ["total"]}
    far = {"units": 2, "determines": ["total"], "budget": pure("100")}
    plan = read(registry, release, known=far, specification=specification)
    found = relative(accountant.account(plan, registry=registry), plan.knowledge[0].public, plan.knowledge[0].budgets[0])
    assert found.verdict is Verdict.UNKNOWN
    assert found.value.upper == float("inf")
    assert remedy in str(found.remark)
    derived = {**release, "query": {"kind": "count"}}
    for other in (
        read(registry, release, known={**far, "units": 1}, specification=specification),
        read(registry, release, known={**far, "determines": []}),
        read(registry, derived, known=far, specification=specification),
    ):
        assert accountant.certify(other, registry=registry).kept


def powers(first: list[float], second: list[float]) -> list[tuple[float, float]]:
    """The corners of the curve of level against power, by the most powerful tests."""
    corners = [(0.0, 0.0)]
    for p, q in sorted(zip(first, second, strict=True), key=lambda masses: -masses[0] / masses[1]):
        corners.append((corners[-1][0] + q, corners[-1][1] + p))
    return corners


def power(corners: list[tuple[float, float]], level: float) -> float:
    for (left, low), (right, high) in itertools.pairwise(corners):
        if right >= level:
            return low + (level - left) * (high - low) / (right - left)
    return 1.0


@pytest.mark.slow
def test_a_unit_that_comes_or_goes_depending_on_others_is_easier_to_tell(registry: Registry) -> None:
    """Under one secret the unit is there if many others are and not otherwise, under the other secret the other way round.

    The number of others shows in a second release, so that a test can use one level where the unit comes and another one
    where it goes. A single level in either direction says less.
    """
    outputs = range(-60, 61)
    without = [math.exp(-4 * abs(y)) * math.tanh(2) for y in outputs]
    sampled = [(there + not_there) / 2 for there, not_there in zip([0.0, *without], without, strict=False)]
    comes, goes = powers(sampled, without), powers(without, sampled)
    truth = (power(comes, 0.17) + power(goes, 0.5)) / 2
    assert max(power(comes, 0.335), power(goes, 0.335)) < truth - 0.1
    seen = {
        "name": "unit",
        "query": {"kind": "count"},
        "mechanism": {"kind": "geometric", "scale": "1/4"},
        "sampling": {"kind": "poisson", "rate": "1/2"},
    }
    others = {"name": "others", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "1e6"}}
    for name, budget in (
        ("fdp", {"level": "0.335", "power": "1"}),
        ("pbdp", {"epsilon": "20", "delta": str(truth)}),
    ):
        known = {"units": 1, "budget": [{"divergence": name, **budget}]}
        plan = read(registry, seen, others, known=known, specification={"neighbours": "add-remove"})
        found = relative(
            accountant.account(plan, registry=registry), plan.knowledge[0].public, plan.knowledge[0].budgets[0]
        )
        assert found.value.upper >= (truth if name == "fdp" else math.log(truth / 0.335))


def test_a_point_that_does_not_survive_mixing_is_not_read_case_by_case(registry: Registry) -> None:
    releases = [{**LAPLACE, "name": part, "scope": {"partition": "town", "part": part}} for part in ("Bern", "Thun")]
    releases[1]["mechanism"] = {"kind": "gaussian", "sigma": "2"}
    known = {"units": 1, "budget": [{"divergence": "fdp", "level": "0.1", "power": "0.9"}]}
    plan = read(registry, *releases, known=known, specification={"neighbours": "add-remove"})
    (verdict,) = accountant.certify(plan, registry=registry).verdicts
    assert verdict is Verdict.UNKNOWN
    known["budget"] = [{"divergence": "approx", "epsilon": "5", "delta": "1e-2"}]
    plan = read(registry, *releases, known=known, specification={"neighbours": "add-remove"})
    assert accountant.certify(plan, registry=registry).kept


@pytest.mark.parametrize(
    ("specification", "known", "message"),
    [
        ({"invariants": ["total"]}, {}, "may differ between datasets that agree on 'total'"),
        ({}, {"determines": ["weather"]}, "no invariant of the specification"),
        ({"group": 2}, {}, "secrets are about one unit"),
        ({"attributes": ["age"]}, {}, "secrets are about one unit"),
        ({}, {"budget": []}, "missing 'budget'"),
        ({}, {"units": "many"}, "public[0].units"),
        ({}, {"kind": "rumour"}, "unknown public information 'rumour'"),
    ],
)
def test_what_keeps_a_relative_promise_from_meaning_anything_is_a_fault(
    registry: Registry, specification: Mapping[str, Any], known: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(PlanError) as raised:
        read(
            registry,
            LAPLACE,
            known={"budget": pure("1"), **known},
            specification={"neighbours": "replace-one", **specification},
        )
    assert message in str(raised.value)


def test_a_certificate_says_what_the_number_rests_on_and_gives_back_its_plan(registry: Registry) -> None:
    plan = read(
        registry,
        LAPLACE,
        known={"units": 2, "budget": pure("1")},
        budget=pure("0.5"),
        risk={"kind": "at-most", "epsilon": "0.5"},
        precision="1e-4",
        reading=[{"divergence": "approx", "delta": "1e-6"}],
    )
    certificate = accountant.certify(plan, registry=registry)
    assert certificate.kept
    said = certificate.data["public"][0]
    assert (said["value"], said["apart"]) == ("12", {"units": 2, "live": 7})
    assert said["revealed"][0]["given"]["exact"] == "1/3"
    assert "stated" in {plugin["name"] for plugin in certificate.data["plugins"]}
    assert accountant.Certificate.parse(certificate.to_json()).plan(registry=registry) == plan
    assert accountant.verify(certificate, plan, registry=registry).verdict is Verdict.IMPLIED
    document = registry[RENDERERS]["text"].render(
        registry[REPORTS]["summary"].build(certificate, accountant.account(plan, registry=registry))
    )
    for words in ("Relative to 'total' (12)", "outside every budget", "Risk 'at-most': tolerated"):
        assert words in document


def test_a_certificate_with_another_number_gives_no_plan(registry: Registry) -> None:
    plan = read(registry, LAPLACE, known={"units": 2, "budget": pure("1")})
    text = accountant.certify(plan, registry=registry).to_json()
    changed = json.loads(text)
    changed["public"][0]["stated"]["units"] = 1
    with pytest.raises(CertificateError, match="digest differs"):
        accountant.Certificate(changed).plan(registry=registry)
    with pytest.raises(CertificateError, match="does not say which plan"):
        accountant.Certificate({"format": changed["format"]}).plan(registry=registry)


def test_a_risk_that_is_not_tolerated_keeps_the_certificate_from_holding(registry: Registry) -> None:
    plan = read(registry, LAPLACE, known={"budget": pure("1")}, risk=[{"kind": "at-most", "epsilon": "0.4"}])
    assert accountant.certify(plan, registry=registry).verdicts == (Verdict.IMPLIED, Verdict.REFUTED)


def test_calibration_keeps_relative_budgets_and_risks(registry: Registry) -> None:
    known = {"units": 4, "budget": pure("1")}
    found = accountant.calibrate(read(registry, LAPLACE, known=known), registry=registry)
    assert float(found.factor) == pytest.approx(2.0, rel=2e-4)
    risk = {"kind": "at-most", "epsilon": "0.125"}
    found = accountant.calibrate(read(registry, LAPLACE, known=known, risk=risk), registry=registry)
    assert float(found.factor) == pytest.approx(4.0, rel=2e-4)


def test_a_plan_with_both_is_valid_by_the_schema(registry: Registry) -> None:
    plan = read(registry, LAPLACE, known={"budget": pure("1")}, risk={"kind": "at-most", "epsilon": "1"})
    checker = Draft202012Validator(plan_schema(registry))
    assert not list(checker.iter_errors(plan.as_data()))
    assert list(checker.iter_errors({**plan.as_data(), "risk": {"kind": "unheard of"}}))


def test_a_ledger_refuses_promises_that_it_would_not_keep(registry: Registry) -> None:
    terms = {
        "specification": {"neighbours": "replace-one"},
        "budget": pure("1"),
        "public": [{"kind": "stated-distance", "name": "total", "budget": pure("1")}],
        "risk": {"kind": "at-most", "epsilon": "1"},
    }
    with pytest.raises(PlanError) as raised:
        read_terms(terms, registry=registry)
    assert {fault.place for fault in raised.value.faults} == {"public", "risk"}


def test_a_profile_that_cannot_be_asked_of_the_plan_is_a_fault_of_the_plan(registry: Registry) -> None:
    plan = read(
        registry,
        LAPLACE,
        known={"budget": pure("1")},
        risk=[{"kind": "at-most", "epsilon": "1"}, {"kind": "constant", "ratio": "3"}],
    )
    with pytest.raises(PlanError, match=r"meant for 'add-remove' neighbours.*@ risk\[1\]"):
        accountant.certify(plan, registry=registry)


def test_a_claim_says_nothing_between_the_closest_datasets_where_these_are_two_steps_apart() -> None:
    """With race by county published, no two neighbours are comparable: a claim about such holds whatever is released."""
    specification = {
        "neighbours": "replace-one",
        "attributes": ["race"],
        "invariants": [{"name": "race by county", "counts_by": ["race", "county"]}],
    }
    counted = {"name": "count", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}
    claim = {"name": "claim", "mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "1"}}
    for release, known in ((claim, False), (VECTOR, False), ({**counted, "query": {"kind": "histogram"}}, True)):
        plan = accountant.read_plan(
            {"title": "closest", "specification": specification, "budget": pure("9"), "release": [release]}
        )
        certificate = accountant.certify(plan)
        assert certificate.data["universe"]["closest"]["least"] == 2
        (value,) = certificate.data["universe"]["apart"]
        assert (value["upper"] != "inf") is known
