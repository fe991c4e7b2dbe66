"""Plan: releases and the specification they must keep."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from attrs import evolve, field, frozen
from attrs.validators import optional

from accountant.display.brief import Rich
from accountant.display.card import Card
from accountant.errors import Fault, InvalidValue, PlanError, suggest
from accountant.fields import ExactLike, about, at_least, at_most, exact, expect, instance, instances, text
from accountant.loss.readings.precision import DEFAULT_PRECISION, FINEST_PRECISION
from accountant.plan import form
from accountant.plan.card import LONGEST_KIND, release_table
from accountant.plan.checks import public_fits, says_releases
from accountant.plan.form import BUDGET, PUBLIC, RELEASE, ROWS, SPECIFICATION, Asked, Key, KeyedTable, Many
from accountant.plan.grouped import GroupedTable
from accountant.plan.inferred import DECLARE, doubts, look_alike, misspelt, uncovered
from accountant.plan.origins import Origins
from accountant.plan.pieces import check_releases, compared, distinct, release_of, several
from accountant.plan.publication import Publication
from accountant.plan.statements import Statements
from accountant.plan.writer import entries
from accountant.promise.cards import between
from accountant.promise.domain import Domain
from accountant.promise.entities import Entity
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.risk import RISK_PROFILES, RiskProfile
from accountant.promise.specification import ATTACKERS, Budget, Knowledge, Question, Scenario, Specification
from accountant.promise.words import ComparedPairs
from accountant.release.claim import rests_on_claims
from accountant.release.release import Mechanism, Release
from accountant.values.places import told
from accountant.values.reading import Reader
from accountant.values.source import canonical
from accountant.values.writing import in_words, kind_data, listed

_READ = "make one with Plan.of, read plain data with read_plan, and a file with load_plan"
_PRECISION = exact(str(DEFAULT_PRECISION))


@frozen
class Plan(Rich):
    """What will be released, and what is promised about it."""

    title: str = field(converter=text)
    specification: Specification = field(validator=instance(Specification, _READ))
    releases: tuple[Release, ...] = field(validator=instances(Release, _READ))
    precision: Fraction = field(
        default=_PRECISION,
        converter=exact,
        validator=[at_least(exact(str(FINEST_PRECISION))), at_most(1)],
        metadata=about("the relative width that computed intervals shall have; at least the default is always aimed at"),
    )
    questions: tuple[Question, ...] = field(
        default=(), validator=instances(Question, 'ask each as Question.of("approx", delta="1e-6")')
    )
    scenarios: tuple[Scenario, ...] = field(
        default=(), validator=instances(Scenario, "give each as Scenario(name, attributes)")
    )
    knowledge: tuple[Knowledge, ...] = field(
        default=(), validator=instances(Knowledge, "give each as Knowledge(public, budgets)")
    )
    risks: tuple[RiskProfile, ...] = field(
        default=(), validator=instances(RiskProfile, "give a kind of risk profile, such as Constant")
    )
    publication: Publication | None = field(
        default=None, validator=optional(instance(Publication, "give it as Publication(publisher=...)"))
    )
    statements: Statements | None = field(
        default=None, validator=optional(instance(Statements, "give them as Statements(unit=...)"))
    )
    grouped: tuple[GroupedTable, ...] = field(
        default=(), validator=instances(GroupedTable, "give each as GroupedTable(file, rows, digest)")
    )
    """The tables whose rows stand among the releases as so many of a kind."""
    _origins: Origins | None = field(default=None, eq=False, repr=False)
    """Where the plan was read from, if it was: what it says does not depend on that."""

    @classmethod
    def of(
        cls,
        *releases: Release | Mechanism,
        neighbours: str | Relation | Neighbours,
        unit: str | None = None,
        attributes: Iterable[str] | None = None,
        group: int | None = None,
        entities: Iterable[Entity] | None = None,
        invariants: Iterable[Invariant | str] = (),
        domain: Domain | str | None = None,
        attacker: str = ATTACKERS[0],
        inside: bool = False,
        budgets: Iterable[Budget] = (),
        title: str = "Untitled plan",
        precision: ExactLike = _PRECISION,
        questions: Iterable[Question] = (),
        scenarios: Iterable[Scenario] = (),
        knowledge: Iterable[Knowledge] = (),
        risks: Iterable[RiskProfile] = (),
        publication: Publication | None = None,
        statements: Statements | None = None,
    ) -> Plan:
        """A plan from its releases; the rest is given by name.

        Releases without a name are called after what they are made of. Everything that does not fit is a PlanError here, as
        it is for a plan file.
        """
        promised = Specification(
            compared(neighbours, unit=unit, attributes=attributes, group=group, entities=entities),
            tuple(Invariant(known) if isinstance(known, str) else known for known in several(invariants, "invariants")),
            Domain() if domain is None else domain,
            several(budgets, "budgets"),
            attacker,
            inside,
        )
        named = distinct(map(release_of, releases))
        if not named:
            raise PlanError((Fault("a plan needs at least one release; give it one", "release"),))
        plan = cls(
            title,
            promised,
            named,
            precision,
            several(questions, "questions"),
            several(scenarios, "scenarios"),
            several(knowledge, "knowledge"),
            several(risks, "risks"),
            publication,
            statements,
        )
        plan.check()
        return plan

    def check(self) -> None:
        """Raise PlanError with everything that does not fit together, each with its place, as for a plan file."""
        reader = Reader()
        check_releases(reader, self.specification, self.releases)
        for index, scenario in enumerate(self.scenarios):
            self.check_scenario(reader, scenario, f"scenario[{index}]")
        for index, known in enumerate(self.knowledge):
            public_fits(reader, known, self.specification, f"public[{index}]")
        if reader.faults:
            raise PlanError(tuple(reader.faults))

    def check_scenario(self, reader: Reader, scenario: Scenario, place: str) -> None:
        """Note why the plan cannot be asked as a scenario does, at the key that has to change."""
        if reader.attempt(f"{place}.without", self.without, scenario.without) is not None:
            reader.attempt(f"{place}.attributes", self.within, scenario)

    def as_data(self) -> dict[str, Any]:
        """The plan as plain data, in the form that plan files have; reading it back gives an equal plan."""
        return entries(PLAN.keys, self)

    @property
    def attributes(self) -> frozenset[str] | None:
        """The attributes that some query depends on; None where a query may depend on anything."""
        involved = [None if release.query is None else release.query.attributes for release in self.releases]
        if any(item is None for item in involved):
            return None
        return frozenset().union(*(item for item in involved if item is not None))

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What is not wrong but may not be meant, each with its place: names that look amiss, units without a budget."""
        releases = {f"release[{index}]": release for index, release in enumerate(self.releases)}
        scenarios = {f"scenario[{index}]": scenario for index, scenario in enumerate(self.scenarios)}
        found = (
            *misspelt(self.specification, releases),
            *doubts(self.specification, releases, scenarios),
            *uncovered(self.specification, self.releases),
        )
        return tuple(map(self.located, found))

    def located(self, fault: Fault) -> Fault:
        """A fault with the file and the line that the plan was read from, where that is known."""
        items: dict[str, tuple[Release | Scenario, ...]] = {"release": self.releases, "scenario": self.scenarios}
        return fault if self._origins is None else self._origins.located(fault, items)

    @property
    def comparison(self) -> ComparedPairs:
        """Which datasets the numbers of the plan compare, and what they rest on."""
        promised, releases = self.specification, self.releases
        return ComparedPairs(
            promised.neighbours,
            promised.invariants,
            promised.attacker == "outsider" and any(release.sampling is not None for release in releases),
            tuple(release.name for release in releases if rests_on_claims(release.mechanism)),
        )

    @property
    def bare(self) -> Plan:
        """The same releases and specification, with nothing asked beside the budgets."""
        return evolve(self, questions=(), scenarios=(), knowledge=(), risks=())

    @property
    def inside(self) -> Plan:
        """The same plan, where queries count only what moves between datasets that agree on what is published exactly."""
        return evolve(self, specification=evolve(self.specification, inside=True))

    def against(self, attacker: str) -> Plan:
        """The same plan, promised against another attacker."""
        return evolve(self.bare, specification=evolve(self.specification, attacker=attacker))

    def within(self, scenario: Scenario) -> Plan:
        """The same plan as a scenario supposes it: with its releases, against its attacker, about its attributes."""
        expect(Scenario, scenario, "give one as Scenario(name, attributes)")
        neighbours = self.specification.neighbours
        known, promised = self.attributes, neighbours.attributes
        for attribute in sorted(scenario.attributes or ()):
            if promised is not None and attribute not in promised:
                compared = ", ".join(sorted(promised))
                raise InvalidValue(f"the specification compares units that differ in {compared} only, not in '{attribute}'")
            if known is not None and attribute not in known:
                # A word that the specification has is not the one that is misspelt.
                stated = attribute in (promised or ()) or attribute in (self.specification.attributes or ())
                hint = f"; releases read {listed(sorted(known))}" if stated and known else suggest(attribute, known)
                raise InvalidValue(f"no release depends on '{attribute}'{hint}")
            if known is None and (near := look_alike(attribute, self.specification, self.releases)) is not None:
                # What is claimed would answer for any word.
                raise InvalidValue(
                    f"nothing else names '{attribute}'; did you mean '{near}'? If records have both, {DECLARE}"
                )
        between = neighbours if scenario.attributes is None else evolve(neighbours, attributes=scenario.attributes)
        attacker = scenario.attacker or self.specification.attacker
        supposed = evolve(self.specification, neighbours=between, attacker=attacker)
        return evolve(self.without(scenario.without).bare, specification=supposed)

    def without(self, names: Iterable[str]) -> Plan:
        """The same plan without the releases that are called so; * stands for any text."""
        left, known = set[str](), [release.name for release in self.releases]
        for name in several(names, "names of releases"):
            found = {item for item in known if fnmatchcase(item, name.replace("[", "[[]").replace("?", "[?]"))}
            if not found:
                raise InvalidValue(f"no release is called '{name}'{suggest(name, known)}")
            left |= found
        kept = tuple(release for release in self.releases if release.name not in left)
        if not kept:
            raise InvalidValue("every release would be left out, and nothing would be released")
        return evolve(self, releases=kept)

    @property
    def digest(self) -> str:
        """A digest of what the plan means: layout, comments and spelling of numbers do not matter."""
        return "sha256:" + hashlib.sha256(canonical(self.as_data()).encode()).hexdigest()

    def _card(self) -> Card:
        """Its releases and budgets, between which datasets it promises, and what may not be meant."""
        promised = self.specification
        facts = (
            *(("check", told(warning)) for warning in self.warnings),
            *between(promised, self.comparison),
            *([] if promised.domain.everything else [("domain", promised.domain.described)]),
            *(tuple(("budget", str(budget)) for budget in promised.budgets) or (("budget", "none"),)),
            *([("scenarios", listed([scenario.name for scenario in self.scenarios]))] if self.scenarios else []),
            *([("relative to", listed([known.public.name for known in self.knowledge]))] if self.knowledge else []),
            *(("risk", in_words(kind_data(risk), LONGEST_KIND)) for risk in self.risks),
        )
        return Card(self._headline(), None, facts, (release_table(self.releases),))

    def _headline(self) -> str:
        count = "1 release" if len(self.releases) == 1 else f"{len(self.releases):,} releases"
        return f"'{self.title}', {count} between {self.specification.neighbours.relation.name} neighbours"


def _plan(*, specification: Specification, budgets: tuple[Budget, ...], **others: Any) -> Plan:
    return Plan(specification=evolve(specification, budgets=budgets), **others)


PLAN = KeyedTable(
    "What will be released, and what is promised about it.",
    (
        form.field(Plan, "title", about="what the plan is called", required=False, default="Untitled plan"),
        form.field(Plan, "precision"),
        Key("publication", Publication, "who publishes it, when, whom to ask and where it is found; for reports"),
        Key("statements", Statements, "what the curator states and no computation can check; absent is never fine"),
        Key("specification", SPECIFICATION, "what is promised, and between which datasets", required=True),
        Key("budget", Many(BUDGET), "what must not be exceeded", at="specification.budgets", always=True),
        Key("release", Many(RELEASE, least=1), "what is released", at="releases", always=True),
        Key("table", Many(ROWS), "releases in the rows of files", at=None, check=says_releases),
        Key("grouped", Many(GroupedTable), "tables whose rows stand among the releases as so many of a kind", at="grouped"),
        Key("reading", Many(Asked()), "what else a certificate shall say", at="questions"),
        Key("scenario", Many(Scenario), "what an attacker may try to learn", at="scenarios"),
        Key("public", Many(PUBLIC), "public information, and the budgets to keep relative to it", at="knowledge"),
        Key("risk", Many(RISK_PROFILES, alone=True), "how much posterior risk is tolerated", at="risks"),
    ),
    _plan,
    first=("title", "precision", "budget"),
)
