"""Mechanisms made of mechanisms: read and written, refused with exact places, accounted for and certified."""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from attrs import evolve, field, frozen
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator

from accountant import (
    InvalidValue,
    Invariant,
    Neighbours,
    Plan,
    PlanError,
    PrivacyLoss,
    Registry,
    Release,
    Scope,
    Specification,
    Theorem,
    account,
    calibrate,
    certify,
    default_registry,
    fields,
    read_plan,
    verify,
)
from accountant.finite import FiniteMechanism, FiniteSpecification, Pair, TableMechanism, delta_at_ratio, mix, relabel
from accountant.loss import MixtureLoss, ResponseLoss, compose
from accountant.plan.schema import plan_schema
from accountant.plugin import NEIGHBOURS, Mechanism, Shift, hookimpl
from accountant.report import Summary, TextRenderer
from accountant.testing import strategies
from accountant_builtin.combinators import Mixture, Part, PostProcessed
from accountant_builtin.steps import NonPrivate, NoOperation
from accountant_noise import Gaussian, Laplace

COUNT = {"kind": "count"}
LAPLACE = {"kind": "laplace", "scale": "2.0"}
ROUNDED = {"kind": "post-processed", "mechanism": LAPLACE, "by": "rounding to tens"}
EITHER = {
    "kind": "mixture",
    "parts": [
        {"chance": "1/3", "mechanism": ROUNDED},
        {"chance": "2/3", "mechanism": {"kind": "gaussian", "sigma": "3"}},
    ],
}
CLAIMED = {"kind": "post-processed", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}, "by": "sorting"}
SPECIFICATION = {"neighbours": "add-remove"}
VALIDATOR = Draft202012Validator(plan_schema(default_registry()))


def plan_of(*releases: dict[str, Any], **specification: Any) -> dict[str, Any]:
    named = [{"name": f"release {index}", **release} for index, release in enumerate(releases)]
    return {"specification": {**SPECIFICATION, **specification}, "release": named}


def test_tables_inside_tables_are_read_and_written() -> None:
    plan = read_plan(plan_of({"query": COUNT, "mechanism": EITHER}))
    mechanism = plan.releases[0].mechanism
    assert mechanism == Mixture([Part("1/3", PostProcessed(Laplace(2), "rounding to tens")), Part("2/3", Gaussian(3))])
    written = plan.as_data()["release"][0]["mechanism"]
    assert written["parts"][0]["mechanism"]["mechanism"] == {"kind": "laplace", "scale": "2"}
    assert read_plan(json.loads(json.dumps(plan.as_data()))) == plan


def test_the_digest_does_not_depend_on_the_spelling_of_what_is_inside() -> None:
    spelt = deepcopy(EITHER)
    spelt["parts"][0]["chance"] = "2/6"  # type: ignore[index]
    spelt["parts"][0]["mechanism"]["mechanism"]["scale"] = 2  # type: ignore[index]
    plans = [read_plan(plan_of({"query": COUNT, "mechanism": mechanism})) for mechanism in (EITHER, spelt)]
    assert plans[0].digest == plans[1].digest
    other = read_plan(plan_of({"query": COUNT, "mechanism": {**ROUNDED, "by": "rounding to fives"}}))
    assert other.digest != read_plan(plan_of({"query": COUNT, "mechanism": ROUNDED})).digest


def test_faults_inside_have_places_of_their_own_and_are_found_together() -> None:
    parts = [
        {"chance": "1/3", "mechanism": {"kind": "gaussian", "sigma": "0"}},
        {"chance": "0", "mechanism": {"kind": "post-processed", "mechanism": {"kind": "gausian"}}},
        "half",
        {"chance": "1/3", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "-1"}, "weight": 1},
    ]
    data = plan_of(
        {"query": COUNT, "mechanism": {**ROUNDED, "by": "", "mechanism": {"kind": "laplace", "scale": "-1", "b": 1}}},
        {"query": COUNT, "mechanism": {"kind": "mixture", "parts": parts}},
        {"query": COUNT, "mechanism": {"kind": "mixture", "parts": [{"chance": "1/3", "mechanism": LAPLACE}]}},
        {"mechanism": {"kind": "mixture", "parts": []}},
        {"mechanism": {"kind": "mixture", "parts": {"chance": 1}}},
        {"mechanism": {"kind": "post-processed", "mechanism": "laplace", "by": "rounding"}},
        {"mechanism": EITHER},
    )
    with pytest.raises(PlanError) as caught:
        read_plan(data)
    assert {(fault.place, fault.message.split(";")[0]) for fault in caught.value.faults} == {
        ("release[0].mechanism.mechanism", "unknown key 'b'"),
        ("release[0].mechanism.mechanism.scale", "must be above 0, got -1"),
        ("release[0].mechanism.by", "expected text, got an empty string"),
        ("release[1].mechanism.parts[0].mechanism.sigma", "must be above 0, got 0"),
        ("release[1].mechanism.parts[1].chance", "must be above 0, got 0"),
        ("release[1].mechanism.parts[1].mechanism", "missing 'by': what is done to the output, in words"),
        ("release[1].mechanism.parts[1].mechanism.mechanism", "unknown mechanism 'gausian'"),
        ("release[1].mechanism.parts[2]", "expected a table, got 'half'"),
        ("release[1].mechanism.parts[3]", "unknown key 'weight'"),
        ("release[1].mechanism.parts[3].mechanism.rho", "must be at least 0, got -1"),
        ("release[2].mechanism.parts", "the chances must sum to exactly 1, got 1/3"),
        ("release[3].mechanism.parts", "expected at least one"),
        ("release[4].mechanism.parts", "expected a list of tables"),
        ("release[5].mechanism.mechanism", "expected a table, got 'laplace'"),
        ("release[6]", "missing 'query': 'laplace' needs to know what it is applied to"),
    }


def test_wrong_values_from_python_are_refused() -> None:
    with pytest.raises(InvalidValue, match="expected a mechanism, got 'laplace'"):
        PostProcessed("laplace", "rounding")
    with pytest.raises(InvalidValue, match="expected a list of Part"):
        Mixture([Laplace(1)])
    with pytest.raises(InvalidValue, match="expected a list, got 'half'"):
        Mixture("half")
    with pytest.raises(InvalidValue, match="sum to exactly 1, got 2/3"):
        Mixture([Part("1/3", Laplace(1)), Part("1/3", Laplace(2))])


def test_the_schema_follows_mechanisms_inside_mechanisms() -> None:
    good = plan_of({"query": COUNT, "mechanism": EITHER}, {"mechanism": CLAIMED})
    assert not list(VALIDATOR.iter_errors(good))
    deep = deepcopy(good)
    deep["release"][0]["mechanism"]["parts"][0]["mechanism"]["mechanism"]["scale"] = -1
    missing = deepcopy(good)
    del missing["release"][0]["mechanism"]["parts"][1]["chance"]
    for bad in (deep, missing, plan_of({"mechanism": {"kind": "mixture", "parts": []}})):
        assert not VALIDATOR.is_valid(bad)


def test_needing_a_query_follows_what_is_inside() -> None:
    assert PostProcessed(Laplace(1), "rounding").asks_query
    assert not PostProcessed(NoOperation(), "rounding").asks_query
    assert Mixture([Part("1/2", NonPrivate()), Part("1/2", PostProcessed(Gaussian(1), "clamping"))]).asks_query
    read_plan(plan_of({"mechanism": {"kind": "post-processed", "mechanism": {"kind": "non-private"}, "by": "sorting"}}))


def test_post_processing_costs_what_the_mechanism_costs() -> None:
    plain = account(read_plan(plan_of({"query": COUNT, "mechanism": LAPLACE, "times": 4})))
    rounded = account(read_plan(plan_of({"query": COUNT, "mechanism": ROUNDED, "times": 4})))
    assert plain.loss == rounded.loss
    for name, at in (("pure", {}), ("approx", {"delta": "1e-6"}), ("zcdp", {})):
        assert plain.measure(name, at).value == rounded.measure(name, at).value


def test_a_mixture_has_the_mixture_of_the_losses() -> None:
    whole = account(read_plan(plan_of({"query": COUNT, "mechanism": EITHER, "times": 5})))
    each = MixtureLoss.of([("1/3", Laplace(2).loss(Shift.along([1]))), ("2/3", Gaussian(3).loss(Shift.along([1])))])
    assert whole.loss == compose([(each, 5)])


TABLES = st.lists(strategies.priors(3, 0), min_size=3, max_size=3).map(
    lambda rows: FiniteMechanism({index: dict(enumerate(row)) for index, row in enumerate(rows)})
)
ALL = FiniteSpecification.neighbours(range(3), lambda left, right: True)


@given(TABLES, TABLES, strategies.exact_numbers(0, 1).filter(lambda chance: 0 < chance < 1), st.sampled_from([1, 2, 5]))
@settings(max_examples=40, deadline=None)
def test_no_table_beats_what_is_said_of_it(first: Any, second: Any, chance: Fraction, ratio: int) -> None:
    """Exact enumeration over all pairs of answers: hidden or published, the mixture keeps to its account."""
    parts = [Part(chance, TableMechanism.of(first)), Part(1 - chance, TableMechanism.of(second))]
    said = account(_plan(Mixture(parts))).loss
    published = max(
        chance * first.pair(a, b).delta(ratio) + (1 - chance) * second.pair(a, b).delta(ratio)
        for a in range(3)
        for b in range(3)
    )
    hidden = delta_at_ratio(mix(first, second, chance), ALL, ratio).value.exact
    allowed = Pair(said.dominating().atoms).delta(ratio)  # type: ignore[attr-defined]
    assert hidden <= published == allowed


FEW = FiniteMechanism({0: {0: "3/4", 1: "1/4"}, 1: {0: "1/3", 1: "2/3"}})


@given(TABLES, strategies.exact_numbers(0, 1).filter(lambda chance: 0 < chance < 1), st.sampled_from([1, 2, 5]))
@settings(max_examples=20, deadline=None)
def test_lower_ends_of_tables_that_are_drawn_belong_to_two_answers(table: Any, chance: Fraction, ratio: int) -> None:
    """Beside other tables, other mechanisms and tables with other answers, at any depth."""
    from accountant.numbers import log_of

    inner = Mixture([Part("1/2", PostProcessed(TableMechanism.of(table), "sorting")), Part("1/2", TableMechanism.of(FEW))])
    said = account(_plan(Mixture([Part(chance, inner), Part(1 - chance, NonPrivate())]))).loss
    everywhere = max(table.pair(a, b).delta(ratio) for a in range(3) for b in range(3))
    attained = max(table.pair(a, b).delta(ratio) + FEW.pair(a, b).delta(ratio) for a in range(2) for b in range(2))
    either = max(FEW.pair(a, b).delta(ratio) for a in range(2) for b in range(2))
    value = said.delta(log_of(Fraction(ratio)).exact or Fraction(log_of(Fraction(ratio)).upper))
    # Where answers have both tables' worst rows at once, nobody loses more; and some two answers of one of them exist.
    assert value.upper >= 1 - chance + chance * attained / 2 - Fraction(1, 10**12)
    assert value.lower <= 1 - chance + chance * max(attained, everywhere, either) / 2 + Fraction(1, 10**12)


@given(TABLES, st.sampled_from([1, 2, 5]))
@settings(max_examples=20, deadline=None)
def test_merging_outputs_never_costs_more(table: Any, ratio: int) -> None:
    said = account(_plan(PostProcessed(TableMechanism.of(table), "merging outputs"))).loss
    merged = relabel(table, lambda output: output // 2)
    allowed = Pair(said.dominating().atoms).delta(ratio)  # type: ignore[attr-defined]
    assert delta_at_ratio(merged, ALL, ratio).value.exact <= allowed


def _plan(mechanism: Mechanism) -> Any:
    from accountant.values.writing import kind_data

    return read_plan(plan_of({"mechanism": kind_data(mechanism)}))


def test_a_post_processed_claim_is_still_the_claim() -> None:
    inner = CLAIMED["mechanism"]
    bare, processed = (account(read_plan(plan_of({"mechanism": m, "times": 3}))) for m in (inner, CLAIMED))
    for name, at in (("zcdp", {}), ("approx", {"delta": "1e-6"})):
        assert bare.measure(name, at).value == processed.measure(name, at).value
    guarantee = processed.measure("zcdp")
    assert guarantee.value.exact == Fraction(3, 10)
    assert guarantee.evidence == "sum of rho"
    names = [step.theorem.name for step in guarantee.derivation]
    assert {"claimed-parameter", "zcdp-binary-envelope", "data-processing"} <= set(names)


def test_a_claim_inside_a_mixture_is_used_by_its_worst_case() -> None:
    parts = [{"chance": "1/2", "mechanism": CLAIMED["mechanism"]}, {"chance": "1/2", "mechanism": {"kind": "no-op"}}]
    whole = account(read_plan(plan_of({"mechanism": {"kind": "mixture", "parts": parts}})))
    value = whole.measure("approx", epsilon="1/2").value
    alone = account(read_plan(plan_of({"mechanism": CLAIMED["mechanism"]}))).measure("approx", epsilon="1/2").value
    assert value.upper == pytest.approx(alone.upper / 2, rel=1e-12)
    assert value.lower == pytest.approx(alone.lower / 2, rel=1e-12)
    rho = whole.measure("zcdp").value
    assert 0 < rho.lower <= rho.upper <= 0.1


def test_a_claim_inside_cannot_be_sampled() -> None:
    sampled = {"mechanism": CLAIMED, "sampling": {"kind": "poisson", "rate": "0.1"}}
    with pytest.raises(PlanError, match=r"does not say which laws.* @ release\[0\]\.sampling"):
        read_plan(plan_of(sampled))


def test_claims_inside_grow_with_the_group() -> None:
    """Three units: rho grows to nine times itself, in every claim that a mechanism is made of."""
    whole = account(read_plan(plan_of({"mechanism": CLAIMED}, group=3)))
    guarantee = whole.measure("zcdp")
    assert guarantee.value.exact == Fraction(9, 10)
    assert any("between datasets that differ in up to 3 units" in step.statement for step in guarantee.derivation)
    parts = [{"chance": "1/2", "mechanism": CLAIMED}, {"chance": "1/2", "mechanism": {"kind": "no-op"}}]
    mixed = {"mechanism": {"kind": "mixture", "parts": parts}}
    grown = [{"chance": "1/2", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.9"}}, parts[1]]
    three = account(read_plan(plan_of(mixed, group=3))).measure("approx", epsilon="1").value
    assert (
        three
        == account(read_plan(plan_of({"mechanism": {**mixed["mechanism"], "parts": grown}})))
        .measure("approx", epsilon="1")
        .value
    )
    low_order = {"divergence": "renyi", "order": "2", "gamma": "0.2"}
    inside = {"kind": "post-processed", "mechanism": {"kind": "claim", **low_order}, "by": "sorting"}
    with pytest.raises(PlanError, match=r"a claim of 'renyi' says nothing about groups of 3.* @ release\[0\]\.mechanism"):
        account(read_plan(plan_of({"mechanism": inside}, group=3)))


def test_noise_inside_sees_the_whole_group_move() -> None:
    alone, three = (account(read_plan(plan_of({"query": COUNT, "mechanism": ROUNDED}, group=group))) for group in (1, 3))
    assert (alone.measure("pure").value.exact, three.measure("pure").value.exact) == (Fraction(1, 2), Fraction(3, 2))


def test_a_claim_inside_a_part_that_records_may_leave_is_refused() -> None:
    scope = {"partition": "state", "part": "Ohio"}
    with pytest.raises(
        PlanError, match=r"what is claimed holds between the plan's own neighbours only.* @ release\[0\]\.scope"
    ):
        account(read_plan(plan_of({"mechanism": CLAIMED, "scope": scope}, neighbours="replace-one")))
    fixed = plan_of({"mechanism": CLAIMED, "scope": scope}, neighbours="replace-one", attributes=["age"])
    assert account(read_plan(fixed)).measure("zcdp").value.exact == Fraction(1, 10)


@frozen
class Ages(NoOperation):
    """A mechanism that also shows exactly how many records have each age."""

    kind: ClassVar[str] = "ages"

    def publishes(self) -> tuple[Invariant, ...]:
        return (Invariant("ages", counts_by=["age"]),)


def test_what_something_inside_publishes_exactly_is_declared_and_not_of_a_part() -> None:
    neighbours, hidden = Neighbours(default_registry()[NEIGHBOURS]["replace-one"]), PostProcessed(Ages(), "sorting")
    release = Release("ages", Mixture([Part("1/2", hidden), Part("1/2", NoOperation())]))
    declared = Specification(neighbours, Ages().publishes())
    assert account(Plan("exact", declared, (release,))).measure("pure").value.exact == 0
    with pytest.raises(PlanError, match=r"'ages' publishes 'ages' exactly, but the specification does not declare it"):
        account(Plan("exact", Specification(neighbours), (release,)))
    with pytest.raises(PlanError, match=r"publishes counts of the records that it sees exactly.* @ release\[0\]\.scope"):
        account(Plan("exact", declared, (evolve(release, scope=Scope("state", "Ohio")),)))


def test_parts_that_release_the_same_mixture_are_one_case() -> None:
    parts = [
        {"query": COUNT, "mechanism": EITHER, "scope": {"partition": "state", "part": name}} for name in ("Ohio", "Utah")
    ]
    whole = account(read_plan(plan_of(*parts)))
    assert len(whole.whereabouts) == 1
    assert whole.loss == account(read_plan(plan_of({"query": COUNT, "mechanism": EITHER}))).loss


def test_a_sampled_mixture_is_accounted_for() -> None:
    release = {"query": COUNT, "mechanism": EITHER, "sampling": {"kind": "poisson", "rate": "0.1"}}
    sampled = account(read_plan(plan_of(release))).measure("approx", epsilon="0.1").value
    whole = account(read_plan(plan_of({"query": COUNT, "mechanism": EITHER}))).measure("approx", epsilon="0.1").value
    assert 0 < sampled.upper < whole.lower


def test_derivations_and_certificates_name_all_that_is_inside() -> None:
    data = plan_of({"query": COUNT, "mechanism": EITHER}, {"mechanism": CLAIMED})
    data["budget"] = [{"divergence": "approx", "epsilon": "3", "delta": "1e-6"}]
    plan = read_plan(data)
    certificate = certify(plan)
    names = [step["theorem"]["name"] for step in certificate.data["budgets"][0]["guarantee"]["derivation"]]
    assert {"laplace-privacy-loss", "data-processing", "gaussian-privacy-loss", "mixture-of-mechanisms"} <= set(names)
    assert [plugin["name"] for plugin in certificate.data["plugins"]] == ["approx", "builtin", "noise", "zcdp"]
    assert not verify(certificate, plan).differences
    shown = " ".join(TextRenderer().render(Summary().build(certificate, account(plan))).split())
    assert "post-processed" in shown
    assert "{" not in shown


def test_noise_inside_is_scaled() -> None:
    assert Mixture([Part("1/2", PostProcessed(Laplace(2), "rounding")), Part("1/2", NoOperation())]).scaled(
        Fraction(3)
    ) == Mixture([Part("1/2", PostProcessed(Laplace(6), "rounding")), Part("1/2", NoOperation())])
    assert PostProcessed(NoOperation(), "rounding").scaled(Fraction(2)) is None
    assert Mixture([Part("1", NonPrivate())]).scaled(Fraction(2)) is None
    data = plan_of({"query": COUNT, "mechanism": ROUNDED})
    data["budget"] = [{"divergence": "pure", "epsilon": "1/4"}]
    found = calibrate(read_plan(data), tolerance="1e-3")
    assert 2 <= found.factor <= Fraction("2.003")


LOCAL = Theorem("local-pair", "Two answers are given.", "accountant", "tests", assurance="claimed")


@frozen
class Answer(Mechanism):
    """An answer that everyone gives for themselves."""

    kind: ClassVar[str] = "answer"
    theorem: ClassVar[Theorem] = LOCAL
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(1)


@frozen
class Twice(Mechanism):
    """Two mechanisms, one after the other."""

    kind: ClassVar[str] = "one-then-other"
    theorem: ClassVar[Theorem] = LOCAL
    needs_query: ClassVar[bool] = False

    first: Mechanism = field(converter=fields.mechanism, metadata=fields.about("the first mechanism"))
    then: Mechanism = field(converter=fields.mechanism, alias="second", metadata=fields.about("the second mechanism"))

    def loss(self, shift: Shift) -> PrivacyLoss:
        return compose([(self.first.loss(shift), 1), (self.then.loss(shift), 1)])


class Plugin:
    """A plugin of two mechanisms."""

    __name__ = "pair_plugin"

    @hookimpl
    def accountant_mechanisms(self) -> tuple[type[Mechanism], ...]:
        return Answer, Twice

    @hookimpl
    def accountant_theorems(self) -> tuple[Theorem, ...]:
        return (LOCAL,)


def test_a_plugin_declares_mechanisms_among_its_fields_and_needs_no_more() -> None:
    registry = Registry.load(extra=[Plugin()])
    mechanism = {"kind": "one-then-other", "first": {"kind": "answer"}, "second": ROUNDED}
    data = plan_of({"query": COUNT, "mechanism": mechanism}, neighbours="replace-one")
    plan = read_plan(data, registry=registry)
    assert read_plan(plan.as_data(), registry=registry) == plan
    assert account(plan, registry=registry).measure("pure").value.exact == Fraction(3, 2)
    schema = plan_schema(registry)
    assert not list(Draft202012Validator(schema).iter_errors(data))
    (known,) = [
        kind for kind in schema["$defs"]["mechanism"]["oneOf"] if kind["properties"]["kind"]["const"] == mechanism["kind"]
    ]
    assert known["properties"]["second"] == {"$ref": "#/$defs/mechanism", "description": "the second mechanism"}


def test_neighbours_that_something_inside_does_not_cover_are_refused_where_it_stands() -> None:
    registry = Registry.load(extra=[Plugin()])
    inner = {"kind": "post-processed", "mechanism": {"kind": "answer"}, "by": "sorting"}
    mechanism = {"kind": "one-then-other", "first": {"kind": "answer"}, "second": inner}
    with pytest.raises(PlanError) as caught:
        read_plan(plan_of({"mechanism": mechanism}), registry=registry)
    places = [fault.place for fault in caught.value.faults]
    assert places == ["release[0].mechanism.first", "release[0].mechanism.second.mechanism"]
    assert "'answer' is accounted for between 'replace-one' neighbours only" in caught.value.faults[0].message
