"""Specification: what is promised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from attrs import evolve, field, fields as attrs_fields, frozen
from attrs.validators import optional

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import ExactLike, Instance, about, at_least, exact, instance, instances, names, text, whole
from accountant.promise.cohort import Cohort
from accountant.promise.declared import contradictions, no_attribute
from accountant.promise.divergence import Divergence, definition
from accountant.promise.domain import Domain, domain
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours
from accountant.promise.public_facts import Public
from accountant.promise.universe import Universe


@frozen
class Budget(Brief):
    """A divergence and the parameter that must not be exceeded: for all units, or for those of a cohort."""

    divergence: Divergence = field(
        validator=instance(Divergence, 'give a budget by names: Budget.of("approx", epsilon="1", delta="1e-6")')
    )
    parameter: Any
    cohort: Cohort | None = field(
        default=None, validator=optional(instance(Cohort, 'give it as Cohort("tier", values=["gold"])'))
    )

    def __attrs_post_init__(self) -> None:
        wanted = self.divergence.parameter
        words = ", ".join(f"{member.name}=..." for member in attrs_fields(wanted))
        Instance(wanted, f'give it by names: Budget.of("{self.divergence.name}", {words})')(self, None, self.parameter)

    @classmethod
    def of(cls, divergence: str | Divergence, /, *, cohort: Cohort | None = None, **parameter: ExactLike) -> Budget:
        """A budget by the name of its definition and the names of its parameters.

        `Budget.of("approx", epsilon="4", delta="1e-6")`. Numbers are exact: text, whole numbers, fractions. A budget of
        some units only names their `cohort`.
        """
        kept = definition(divergence)
        return cls(kept, kept.stating(parameter), cohort)

    @property
    def of_everybody(self) -> Budget:
        """The same for all units."""
        return evolve(self, cohort=None)

    def covers(self, cohort: Cohort | None) -> bool:
        """Whether the budget bounds what happens to every unit of a cohort, or to all where that is None."""
        return self.cohort is None or self.cohort.covers(cohort)

    @property
    def at(self) -> dict[str, Fraction]:
        """The words at which the definition is read to check the budget."""
        values = self.divergence.values(self.parameter)
        return {word: values[word] for word in self.divergence.primary.at}

    def after(self, steps: int) -> Budget | None:
        """What the budget allows between datasets so many steps apart, by its definition's own rule.

        None where it allows everything, or has no rule.
        """
        if steps == 1:
            return self
        parameter = self.divergence.group(self.parameter, steps)
        return None if parameter is None else evolve(self, parameter=parameter)

    @property
    def limit(self) -> Fraction:
        """What the value at those words must not exceed."""
        return self.divergence.values(self.parameter)[self.divergence.primary.value]

    @property
    def how_much(self) -> str:
        """The parameter, and the units that it is for where these are not all."""
        return self.divergence.describe(self.parameter) + ("" if self.cohort is None else f" for {self.cohort}")

    def __str__(self) -> str:
        return f"{self.divergence.title} with {self.how_much}"


@frozen
class Knowledge(Brief):
    """Public information, and the budgets to be kept relative to it."""

    public: Public = field(validator=instance(Public, "give a kind of public information, such as Independent"))
    budgets: tuple[Budget, ...] = field(
        validator=instances(Budget, 'give each as Budget.of("approx", epsilon="1", delta="1e-6")')
    )

    def __attrs_post_init__(self) -> None:
        if any(budget.cohort is not None for budget in self.budgets):
            raise InvalidValue("relative to public information a budget is for all units; leave its 'cohort' out")


@frozen
class Question(Brief):
    """A reading that a plan asks for beside its budgets: a definition, and the words of one of its readings."""

    divergence: Divergence = field(validator=instance(Divergence, 'ask by names: Question.of("approx", delta="1e-6")'))
    words: tuple[tuple[str, Fraction], ...]

    def __attrs_post_init__(self) -> None:
        self.divergence.reading(self.at)

    @classmethod
    def of(cls, divergence: str | Divergence, /, **words: ExactLike) -> Question:
        """A question by the name of a definition and the words to read it at: `Question.of("approx", delta="1e-6")`."""
        return cls(definition(divergence), tuple((word, exact(value)) for word, value in words.items()))

    @property
    def at(self) -> dict[str, Fraction]:
        """The words with their values."""
        return dict(self.words)


ATTACKERS = ("outsider", "insider")


def _known_attacker(_: object, attribute: object, value: str) -> None:
    if value not in ATTACKERS:
        raise InvalidValue(f"must be one of {', '.join(ATTACKERS)}, got {value!r}")


def _patterns(value: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names([value] if isinstance(value, str) else value) or ()))


@frozen
class Scenario(Brief):
    """A question about a plan: what somebody may try to learn, who that is, and which releases are supposed to be left out.

    Definition: the plan without the releases whose names are like those in `without`, against the attacker, between units
    that differ in `attributes` only, all others being known or of no concern; and between datasets that differ in as many
    `records` as change together with what is asked.
    """

    name: str = field(converter=text, metadata=about("what the scenario is called"))
    attributes: frozenset[str] | None = field(
        default=None,
        converter=names,
        metadata=about("the attributes of a unit that the attacker may try to learn; all where it is left out"),
    )
    without: tuple[str, ...] = field(
        default=(),
        converter=_patterns,
        metadata=about(
            "the names of releases that are supposed to be left out; * stands for any text",
            {"type": "array", "items": {"type": "string", "pattern": r"\S"}},
        ),
    )
    attacker: str | None = field(
        default=None,
        validator=optional(_known_attacker),
        metadata=about(
            "who asks, where that is not whom the promise is made against: an 'outsider' or an 'insider'",
            {"enum": list(ATTACKERS)},
        ),
    )
    records: int = field(
        default=1,
        converter=whole,
        validator=at_least(1),
        metadata=about("how many records change with what is asked: dependent ones, or all that the attacker misses"),
    )

    def __attrs_post_init__(self) -> None:
        if self.attributes is not None and not self.attributes:
            raise InvalidValue("a scenario is about at least one attribute; leave 'attributes' out for all of them")
        if self.attributes is None and not self.without and self.attacker is None and self.records == 1:
            raise InvalidValue("a scenario asks something: give 'attributes', 'without', 'attacker' or 'records'")

    @property
    def question(self) -> str:
        """What is asked about, and what else is supposed, in words."""
        parts = [", ".join(sorted(self.attributes)) if self.attributes is not None else "everything"]
        if self.without:
            parts.append(f"without {', '.join(map(repr, self.without))}")
        if self.attacker is not None:
            parts.append(f"against an {self.attacker}")
        if self.records > 1:
            parts.append(f"{self.records:,} records that change together")
        return "; ".join(parts)

    @property
    def plain(self) -> bool:
        """Whether it is about some attributes and supposes nothing else."""
        return self == Scenario(self.name, self.attributes) if self.attributes is not None else False


def _yes_or_no(_: object, attribute: object, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidValue(f"expected true or false, got {value!r}")


@frozen
class Specification(Brief):
    """What a set of releases promises: domain, invariants, neighbours, divergence and budget.

    The divergences and their budgets come in pairs, since one plan may have to meet several.

    Definition: for any two datasets of the domain that agree on all invariants and are k steps between neighbours apart,
    the divergence is at most what the budget allows after k steps. The steps stay in the domain, and may leave the
    universe of datasets that agree on the invariants.
    """

    neighbours: Neighbours = field(
        validator=instance(Neighbours, "say which datasets are compared: Neighbours.of('add-remove')")
    )
    invariants: tuple[Invariant, ...] = field(default=(), validator=instances(Invariant, "give each as Invariant(name)"))
    domain: Domain = field(
        default=Domain(),
        converter=domain,
        metadata=about("which datasets the promise speaks about: its name, or a table that says what records have"),
    )
    budgets: tuple[Budget, ...] = field(
        default=(), validator=instances(Budget, 'give each as Budget.of("approx", epsilon="1", delta="1e-6")')
    )
    attacker: str = field(
        default=ATTACKERS[0],
        validator=_known_attacker,
        metadata=about(
            "whom the promise is made against: an 'outsider' does not know who was sampled, an 'insider' does",
            {"enum": list(ATTACKERS)},
        ),
    )
    inside: bool = field(
        default=False,
        validator=_yes_or_no,
        metadata=about(
            "whether queries count only what moves between datasets that agree on what is published exactly",
            {"type": "boolean"},
        ),
    )

    def __attrs_post_init__(self) -> None:
        named = [self.neighbours.attributes, *(known.counts_by for known in self.invariants if known.of is None)]
        faults = dict.fromkeys(fault for attributes in named for fault in self.domain.undeclared(attributes))
        if self.neighbours.entities:
            faults |= dict.fromkeys(self._contradictions())
        faults |= {f"{place}: {message}": None for place, message in self.faults_of_cohorts()}
        if faults:
            raise InvalidValue("; ".join(faults))

    def _contradictions(self) -> Iterator[str]:
        found = self.neighbours
        parts = (found.entities.declared, found.unit, found.relation, found.attributes, self.invariants, self.domain)
        return (f"{place}: {message}" for place, message in contradictions(*parts))

    def faults_of_cohorts(self, budgets: Iterable[Budget | None] | None = None) -> Iterator[tuple[str, str]]:
        """What keeps it from speaking of the cohorts of budgets, its own where none are given, each with its place."""
        for index, budget in enumerate(self.budgets if budgets is None else budgets):
            if budget is not None and budget.cohort is not None:
                for key, message in budget.cohort.faults(self.invariants, self.domain, self.neighbours.unit):
                    yield f"budget[{index}].cohort.{key}", message

    @property
    def uncovered(self) -> str | None:
        """Of whom no budget speaks, in words; None where one is for all units, or there is none."""
        cohorts = list(dict.fromkeys(budget.cohort for budget in self.budgets))
        if not cohorts or None in cohorts:
            return None
        return (
            f"no budget speaks of anybody but {'; '.join(map(str, cohorts))}, nor of a unit that changes from one cohort "
            "to another; a budget without 'cohort' would be for all"
        )

    @property
    def everything(self) -> bool:
        """Whether it speaks about all datasets of such records: what is the same in all of a domain leaves some out."""
        return self.domain.everything and not any(known.fixed for known in self.invariants)

    @property
    def universe(self) -> Universe:
        """Which datasets are compared."""
        return Universe(self.neighbours, self.invariants, self.attributes, whole=self.everything)

    @property
    def attributes(self) -> frozenset[str] | None:
        """All that a record of a unit has: as the domain says it, or else the entities; None where neither does."""
        entities, unit = self.neighbours.entities, self.neighbours.unit
        if self.domain.attributes is not None or unit not in entities:
            return self.domain.attributes
        return entities.record(unit)

    def undeclared(self, attributes: Iterable[str] | None) -> Iterator[str]:
        """What is wrong with each attribute that no record of a unit has, and which may be meant."""
        if self.domain.attributes is not None or self.attributes is None:
            return self.domain.undeclared(attributes)
        return no_attribute(self.neighbours.entities, self.neighbours.unit, attributes)

    def steps(self, units: int) -> int:
        """How many steps between neighbours lead to datasets that differ in so many units."""
        return -(-units // self.neighbours.group)
