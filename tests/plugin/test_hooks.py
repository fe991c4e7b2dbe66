"""Every hook carries what a plugin returns to where it is used; a hook without a test here fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any, ClassVar

import click
import pytest
from attrs import frozen

import accountant
from accountant import Account, Interval, InvalidValue, PrivacyLoss, Registry, Theorem, Verdict
from accountant.engines import engine_at
from accountant.loss import FiniteLoss
from accountant.plugin import (
    CASES,
    CONVERSIONS,
    DIVERGENCES,
    RENDERERS,
    REPORTS,
    RISK_PROFILES,
    Bridge,
    Brought,
    Conversion,
    Engine,
    EngineKind,
    MechanismCase,
    Policy,
    Record,
    Relation,
    Shift,
    hookspecs,
)
from accountant.plugin.families import FAMILIES
from accountant.plugin.hookspecs import hookimpl
from accountant.promise.neighbours import Neighbours
from accountant.promise.public_facts import Public, Reach
from accountant.promise.risk import Assessment, Recommendation, RiskProfile
from accountant.release.release import Mechanism
from accountant.release.sampling import Sampling
from accountant.report import Document, Renderer, Report
from accountant_builtin.queries import Count
from accountant_pure import Pure, PureSum

LEMMA = Theorem("everything-lemma", "It holds.", "accountant", "explanation/one-loss", assurance="claimed")
COIN = FiniteLoss([("2/3", "1/3"), ("1/3", "2/3")])


@frozen
class EverythingQuery(Count):
    """A count by another name."""

    kind: ClassVar[str] = "everything-count"


@frozen
class EverythingMechanism(Mechanism):
    """A coin."""

    kind: ClassVar[str] = "everything-coin"
    theorem: ClassVar[Theorem] = LEMMA

    def loss(self, shift: Shift) -> PrivacyLoss:
        return COIN


@frozen
class EverythingDivergence(Pure):
    """Pure privacy by another name."""

    name: ClassVar[str] = "everything-pure"


@frozen
class EverythingRule(PureSum):
    """The same sum for it."""

    name: ClassVar[str] = "everything-sum"
    divergence: ClassVar[str] = "everything-pure"


@frozen
class EverythingConversion(Conversion):
    """Pure privacy under its other name."""

    name: ClassVar[str] = "everything-to-pure"
    source: ClassVar[str] = "everything-pure"
    target: ClassVar[str] = "pure"
    theorem: ClassVar[Theorem] = LEMMA

    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.epsilon)


@frozen
class EverythingProfile(RiskProfile):
    """Tolerates a doubling everywhere."""

    kind: ClassVar[str] = "everything-constant"

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        return Interval.of(2)

    def recommend(self) -> Recommendation:
        return Recommendation(Interval(0.34, 0.35), Fraction(1), None, LEMMA)

    def assess(self, account: Account) -> Assessment:
        found = account.measure("pure")
        admitted = self.recommend().epsilon
        verdict = Verdict.of(found.value.upper <= admitted.lower)
        return Assessment(verdict, "anyone", admitted, found, "No belief doubles.", found.derivation)


@frozen
class EverythingPublic(Public):
    """Lets any three records depend on each other."""

    kind: ClassVar[str] = "everything-known"
    theorem: ClassVar[Theorem] = LEMMA
    value: ClassVar[str] = "anything"  # type: ignore[assignment]
    scenarios: ClassVar[str] = "all laws in which at most three records depend on each other"  # type: ignore[assignment]
    pairs: ClassVar[str] = "a record is one thing or another"  # type: ignore[assignment]

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(3)


@frozen
class EverythingSampling(Sampling):
    """Looks at everything."""

    kind: ClassVar[str] = "everything-sample"
    theorem: ClassVar[Theorem] = LEMMA

    def check(self, neighbours: Neighbours) -> None:
        """Nothing to refuse."""

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return between(neighbours.relation)


@frozen
class EverythingBridge(Bridge):
    """Whatever it is, nothing happened but one coin."""

    name: ClassVar[str] = "everything-bridge"
    meaning: ClassVar[str] = "anything"

    def read(self, history: Any, neighbours: str | None) -> Brought:
        release = {"query": {"kind": "everything-count"}, "mechanism": {"kind": "everything-coin"}}
        return Brought({"all": release}, neighbours or "add-remove")


@frozen
class EverythingReport(Report):
    """A title."""

    name: ClassVar[str] = "everything-report"
    meaning: ClassVar[str] = "a title"

    def build(self, certificate: Any, account: Any) -> Document:
        return Document("everything", ())


@frozen
class EverythingRenderer(Renderer):
    """A title, shouted."""

    name: ClassVar[str] = "everything-renderer"

    def render(self, document: Document) -> str:
        return document.title.upper()


@frozen
class EverythingEngine(EngineKind):
    """No engine at all."""

    name: ClassVar[str] = "everything-engine"
    meaning: ClassVar[str] = "nothing"
    begins: ClassVar[tuple[str, ...]] = ("everything://",)
    alone: ClassVar[str] = "everything-engine"

    def at(self, address: str) -> Engine:
        raise InvalidValue(f"nothing is at {address}")


@frozen
class EverythingPolicy(Policy):
    """Nobody but the first."""

    kind: ClassVar[str] = "everything-policy"

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        return ((1, 1),)

    @property
    def meaning(self) -> str:
        return "the first record is another"

    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        return len(gone) == len(come) == 1


RETURNED: Mapping[str, tuple[Any, ...]] = {
    "accountant_neighbours": (Relation("everything-swap", frozenset({(2, 2)}), edits=True, meaning="two records change"),),
    "accountant_policies": (EverythingPolicy,),
    "accountant_divergences": (EverythingDivergence(),),
    "accountant_composition_rules": (EverythingRule(),),
    "accountant_conversions": (EverythingConversion(),),
    "accountant_risk_profiles": (EverythingProfile,),
    "accountant_public": (EverythingPublic,),
    "accountant_queries": (EverythingQuery,),
    "accountant_mechanisms": (EverythingMechanism,),
    "accountant_samplings": (EverythingSampling,),
    "accountant_theorems": (LEMMA,),
    "accountant_conformance_cases": (MechanismCase("everything coin", EverythingMechanism(), Shift.along([1]), (COIN,)),),
    "accountant_bridges": (EverythingBridge(),),
    "accountant_reports": (EverythingReport(),),
    "accountant_renderers": (EverythingRenderer(),),
    "accountant_engines": (EverythingEngine(),),
    "accountant_commands": (click.Command("everything-command"),),
}


@pytest.fixture(scope="module")
def registry() -> Registry:
    module = ModuleType("everything")
    for hook, items in RETURNED.items():

        def answer(items: tuple[Any, ...] = items) -> tuple[Any, ...]:
            return items

        answer.__name__ = hook
        answer.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
        setattr(module, hook, hookimpl(answer))
    return Registry.load(extra=[module])


def test_every_hook_has_a_family() -> None:
    assert {family.hook for family in (*FAMILIES, CASES)} == set(RETURNED)


def test_every_hook_is_tried_here() -> None:
    hooks = {name for name, _ in inspect.getmembers(hookspecs, inspect.isfunction) if name.startswith("accountant_")}
    assert hooks == set(RETURNED)


@pytest.mark.parametrize("hook", sorted(set(RETURNED) - {"accountant_conformance_cases"}))
def test_what_a_hook_returns_is_found_by_name_and_owner(registry: Registry, hook: str) -> None:
    family = next(known for known in FAMILIES if known.hook == hook)
    (item,) = RETURNED[hook]
    name = getattr(item, "kind", None) or item.name
    assert registry.find(family, name) == item
    assert registry.owner(family, name).name == "everything"
    assert name in registry.plugins["everything"].registers[family.name]


def test_conformance_cases_are_made_on_demand(registry: Registry) -> None:
    assert list(registry.offered(CASES, "everything")) == ["everything coin"]


def test_a_plan_uses_what_the_hooks_brought(registry: Registry) -> None:
    plan = accountant.read_plan(
        {
            "title": "everything",
            "specification": {"neighbours": "everything-swap"},
            "budget": [{"divergence": "everything-pure", "epsilon": "2"}],
            "release": [
                {
                    "name": "coins",
                    "query": {"kind": "everything-count"},
                    "mechanism": {"kind": "everything-coin"},
                    "sampling": {"kind": "everything-sample"},
                    "times": 2,
                }
            ],
        },
        registry=registry,
    )
    certificate = accountant.certify(plan, registry=registry)
    assert certificate.kept
    assert "everything" in {plugin["name"] for plugin in certificate.data["plugins"]}
    document = registry[REPORTS]["everything-report"].build(certificate, accountant.account(plan, registry=registry))
    assert registry[RENDERERS]["everything-renderer"].render(document) == "EVERYTHING"


def test_a_risk_profile_states_what_it_admits(registry: Registry) -> None:
    profile = registry[RISK_PROFILES]["everything-constant"]()
    assert profile.tolerance(Fraction(1, 2), Fraction(1, 10)).exact == 2
    assert profile.recommend().epsilon.lower == 0.34


def test_a_conversion_leads_from_one_definition_to_another(registry: Registry) -> None:
    conversion = registry[CONVERSIONS]["everything-to-pure"]
    source, target = (registry[DIVERGENCES][name] for name in (conversion.source, conversion.target))
    parameter = source.parameter("1/2")
    assert conversion.convert(parameter, {}) == target.measure(source.worst_case(parameter), {})


def test_a_history_is_read_by_the_bridge_that_is_named(registry: Registry) -> None:
    found = accountant.read_history("everything-bridge", {"coins": 1}, registry=registry)
    assert [release.name for release in found.plan.releases] == ["all"]
    assert found.plan.releases[0].mechanism == EverythingMechanism()


def test_an_engine_is_found_by_its_address(registry: Registry) -> None:
    with pytest.raises(InvalidValue, match="nothing is at everything://here"):
        engine_at("everything://here", registry)
    with pytest.raises(InvalidValue, match=r"'nowhere' is no engine; addresses begin with duckdb, .*, everything://$"):
        engine_at("nowhere", registry)


def test_an_address_that_two_plugins_claim_is_refused(registry: Registry) -> None:
    other = ModuleType("other")
    kind = frozen(type("Other", (EverythingEngine,), {"__doc__": "Another.", "name": "other-engine"}))()
    other.accountant_engines = hookimpl(lambda: (kind,), specname="accountant_engines")  # type: ignore[attr-defined]
    with pytest.raises(InvalidValue, match="may mean the engine 'everything-engine' or 'other-engine'"):
        engine_at("everything://here", registry.adding(other))
