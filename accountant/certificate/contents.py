"""Contents: what a certificate says, part by part.

A part that is about something in the plan knows it `in_plan`: the table that a plan file has for it. What was found stands
beside it. Numbers are text, the decimals that everybody reads: rounded outward, an infinite end being `inf`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

import attrs
from attrs import field, frozen

from accountant.certificate.data import LEFT_OUT_IF_EMPTY, THE_REST, write
from accountant.display.brief import Brief
from accountant.plan.statements import Statements
from accountant.promise.cohort import Cohort
from accountant.promise.guarantee import Verdict
from accountant.promise.public_facts import Reach
from accountant.promise.theorem import Theorem
from accountant.promise.universe import Closest

_AMONG = {THE_REST: True}
_PLAN_KEY = "plan key"


def _about(key: str) -> dict[str, object]:
    """The mark of what is about something in the plan: about what the plan has under a key."""
    return {_PLAN_KEY: key}


def _if_any(key: str) -> dict[str, object]:
    return {**_about(key), LEFT_OUT_IF_EMPTY: True}


@frozen
class Enclosure(Brief):
    """A certified number: two decimals between which it lies, and the number itself where it is known exactly."""

    lower: str
    upper: str
    exact: str | None


@frozen
class CertifiedValue(Enclosure):
    """A certified number with the name that its definition gives it."""

    name: str
    lower: str
    upper: str
    exact: str | None


@frozen
class CertifiedFormula(Enclosure):
    """What a formula from the literature makes of the same releases: its name, and what it is a formula of."""

    conversion: str
    of: str
    lower: str
    upper: str
    exact: str | None
    theorem: Theorem


@frozen
class CertifiedDistance(Enclosure):
    """What holds in a definition between the closest datasets that are comparable."""

    divergence: str
    lower: str
    upper: str
    exact: str | None


@frozen
class CertifiedStep(Brief):
    """One line of a derivation, by its number."""

    _leading: ClassVar[tuple[str, ...]] = ("step", "statement", "value")

    step: int
    statement: str
    theorem: Theorem
    uses: tuple[int, ...]
    value: Enclosure | None


@frozen
class CertifiedCohort(Brief):
    """The units that a number is about, as the plan tells them."""

    stated: Mapping[str, Any] = field(metadata=_AMONG)

    @cached_property
    def cohort(self) -> Cohort:
        """The cohort itself."""
        return Cohort(**self.stated)

    def __str__(self) -> str:
        return str(self.cohort)


@frozen
class CertifiedReading(Brief):
    """A value of a definition that holds, and the route that gave it."""

    divergence: str
    at: Mapping[str, str]
    value: CertifiedValue
    bound: Literal["exact", "two-sided", "upper"]
    evidence: str
    cohort: CertifiedCohort | None = field(default=None, kw_only=True)
    """The units that it is about, where it is not about all."""

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The reading as a plan asks for it."""
        return {"divergence": self.divergence, **self.at}


@frozen
class CertifiedGuarantee(CertifiedReading):
    """A value of a definition that holds, with its derivation."""

    derivation: tuple[CertifiedStep, ...]
    remark: str | None


@frozen
class CertifiedRelease(Brief):
    """A release, and what it costs alone in the definition of each budget; None where there are too many to say."""

    name: str
    further: Mapping[str, Any] = field(metadata=_AMONG)
    costs: tuple[CertifiedValue, ...] | None

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The release."""
        return {"name": self.name, **self.further}


@frozen
class CertifiedTable(Brief):
    """A table whose rows were grouped into releases: the file, how many rows it had, and its digest."""

    file: str
    rows: int
    digest: str

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The table as plans say where releases come from."""
        return {"file": self.file, "rows": self.rows, "digest": self.digest}


@frozen
class CertifiedBudget(Brief):
    """A budget, whether it is kept, by which guarantee, and what formulas from the literature say."""

    divergence: str
    parameter: Mapping[str, Any] = field(metadata=_AMONG)
    verdict: Verdict
    guarantee: CertifiedGuarantee
    published: tuple[CertifiedFormula, ...]

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The budget."""
        return {"divergence": self.divergence, **self.parameter}

    @property
    def limit(self) -> str:
        """What the guarantee must not exceed."""
        return str(self.parameter[self.guarantee.value.name])


@frozen
class CertifiedUniverse(Brief):
    """Between whom nothing is promised, how far apart all others are, and what holds so far apart if that is far."""

    unprotected: tuple[str, ...]
    closest: Closest
    apart: tuple[CertifiedDistance, ...] | None
    exposed: tuple[str, ...] = field(metadata={LEFT_OUT_IF_EMPTY: True})
    """The attributes that who knows all other units reads off what is published exactly."""
    undeclared: tuple[str, ...] = field(metadata={LEFT_OUT_IF_EMPTY: True})
    """What is published exactly and may change with a unit in ways that nobody declares."""
    coupled: tuple[str, ...] = field(metadata={LEFT_OUT_IF_EMPTY: True})
    """What is published exactly of other entities and, by what is declared, may change with a unit."""


@frozen
class CertifiedScenario(Brief):
    """A scenario, and what holds in it between the closest datasets that are compared; nothing where none are."""

    name: str
    attributes: tuple[str, ...] = field(metadata={LEFT_OUT_IF_EMPTY: True})
    """What is asked about; nothing where it is all of a record."""
    guarantees: tuple[CertifiedReading, ...]
    closest: Closest | None
    """How far apart those are, where they are farther apart than neighbours or that is not known."""
    exposed: tuple[str, ...] = field(metadata={LEFT_OUT_IF_EMPTY: True})
    """Its attributes that who knows all other units reads off what is published exactly."""
    without: tuple[str, ...] = field(metadata={LEFT_OUT_IF_EMPTY: True})
    """The releases that are supposed to be left out."""
    attacker: str | None
    """Who asks, where that is not whom the promise is made against."""
    records: int | None
    """How many records change with what is asked, where that is not one."""

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The scenario."""
        lists = {"attributes": list(self.attributes), "without": list(self.without)}
        said = {**lists, "attacker": self.attacker, "records": self.records}
        return {"name": self.name, **{key: value for key, value in said.items() if value}}


@frozen
class CertifiedSecret(Brief):
    """What public information says of a secret by itself: its probability before and given that information."""

    secret: str
    scenario: str
    before: Enclosure
    given: Enclosure


@frozen
class NoBound(Brief):
    """Why there is no bound."""

    remark: str


@frozen
class RelativeBudget(Brief):
    """A budget relative to public information, whether it is kept, and by which bound."""

    divergence: str
    parameter: Mapping[str, Any] = field(metadata=_AMONG)
    verdict: Verdict
    relative: CertifiedGuarantee | NoBound

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The budget."""
        return {"divergence": self.divergence, **self.parameter}

    @property
    def guarantee(self) -> CertifiedGuarantee | None:
        """The bound, where there is one."""
        return None if isinstance(self.relative, NoBound) else self.relative


@frozen
class StatedPublic(Brief):
    """Public information as the plan states it, without its budgets."""

    kind: str
    name: str
    parameters: Mapping[str, Any] = field(metadata=_AMONG)


@frozen
class CertifiedPublic(Brief):
    """Public information, what it says by itself, and what is promised relative to it."""

    stated: StatedPublic
    value: str
    scenarios: str
    pairs: str
    apart: Reach
    revealed: tuple[CertifiedSecret, ...]
    budgets: tuple[RelativeBudget, ...]

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The public information with its budgets."""
        return {**write(self.stated), "budget": [budget.in_plan for budget in self.budgets]}


@frozen
class StatedRisk(Brief):
    """A risk profile as the plan states it."""

    kind: str
    parameters: Mapping[str, Any] = field(metadata=_AMONG)


@frozen
class CertifiedRisk(Brief):
    """A risk profile, whether it is kept, and against whom."""

    stated: StatedRisk
    verdict: Verdict
    adversary: str
    statement: str
    admissible: Enclosure
    found: CertifiedGuarantee
    derivation: tuple[CertifiedStep, ...]

    @property
    def in_plan(self) -> Mapping[str, Any]:
        """The profile."""
        return {"kind": self.stated.kind, **self.stated.parameters}


@frozen
class CertifiedPlugin(Brief):
    """A plugin that some part of the plan or of a derivation comes from, as it was installed.

    `laws` says which laws of the conformance kit its author states that it passed; left out where nothing is stated.
    """

    name: str
    distribution: str
    version: str
    digest: str
    laws: str | None = None


@frozen
class CertifiedDistribution(Brief):
    """A distribution whose plugins were loaded when the certificate was written, whether anything rests on them or not.

    Code that is loaded can change what other code does: whoever looks for the cause of a number begins with this list.
    """

    distribution: str
    version: str
    plugins: tuple[str, ...]
    digests: tuple[str, ...]
    """Of what was installed behind the plugins, each once."""


@frozen
class CertifiedLayer(Brief):
    """A layer that a promise stands on, and on whose word: proved here, stated by the curator, or said by nobody."""

    layer: str
    standing: Literal["proved", "stated", "not said"]
    on_trust: tuple[str, ...] = field(default=(), metadata={LEFT_OUT_IF_EMPTY: True})
    """The releases of which the plan only says what they lose or how far they move: a proof supposes it."""


@frozen(kw_only=True)
class Contents(Brief):
    """All that a certificate says."""

    _leading: ClassVar[tuple[str, ...]] = ("title", "plan_digest")

    title: str = field(metadata=_about("title"))
    plan_digest: str
    precision: str | None = field(metadata=_about("precision"))
    publication: Mapping[str, Any] | None = field(default=None, metadata=_about("publication"))
    statements: Statements | None = field(default=None, metadata=_about("statements"))
    layers: tuple[CertifiedLayer, ...]
    """What is proved, what the curator states and what nobody has said: every layer, in the order of what it stands on."""
    specification: Mapping[str, Any] = field(metadata=_about("specification"))
    releases: tuple[CertifiedRelease, ...] = field(metadata=_about("release"))
    grouped: tuple[CertifiedTable, ...] = field(default=(), metadata=_if_any("grouped"))
    """The tables whose rows stand among the releases as so many of a kind."""
    budgets: tuple[CertifiedBudget, ...] = field(metadata=_about("budget"))
    readings: tuple[CertifiedGuarantee, ...] = field(metadata=_if_any("reading"))
    insider: tuple[CertifiedReading, ...] | None
    """What holds against someone who knows who was sampled, where that makes a difference."""
    universe: CertifiedUniverse | None
    scenarios: tuple[CertifiedScenario, ...] = field(metadata=_if_any("scenario"))
    public: tuple[CertifiedPublic, ...] = field(metadata=_if_any("public"))
    risks: tuple[CertifiedRisk, ...] = field(metadata=_if_any("risk"))
    plugins: tuple[CertifiedPlugin, ...]
    """The plugins that some part of the plan or of a derivation comes from."""
    loaded: tuple[CertifiedDistribution, ...]
    """All plugins that were loaded, by distribution."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts in the order of the plan: of its budgets, of those relative to public information, of its risks."""
        relative = (budget.verdict for known in self.public for budget in known.budgets)
        return (*(budget.verdict for budget in self.budgets), *relative, *(risk.verdict for risk in self.risks))

    @property
    def guarantees(self) -> tuple[CertifiedGuarantee, ...]:
        """Every guarantee that comes with a derivation."""
        relative = (budget.guarantee for known in self.public for budget in known.budgets)
        return (
            *(budget.guarantee for budget in self.budgets),
            *self.readings,
            *(guarantee for guarantee in relative if guarantee is not None),
            *(risk.found for risk in self.risks),
        )

    @property
    def steps(self) -> tuple[CertifiedStep, ...]:
        """The lines of every derivation."""
        return (
            *(step for guarantee in self.guarantees for step in guarantee.derivation),
            *(step for risk in self.risks for step in risk.derivation),
        )

    def plan_data(self) -> dict[str, Any]:
        """The plan that all this is about, in the form that plan files have."""
        stated: dict[str, Any] = {}
        for member in attrs.fields(Contents):
            item = getattr(self, member.name)
            if _PLAN_KEY in member.metadata and item not in (None, ()):
                key = member.metadata[_PLAN_KEY]
                stated[key] = [part.in_plan for part in item] if isinstance(item, tuple) else write(item)
        return stated
