"""Specification: what is promised."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attrs import evolve, field, fields as attrs_fields, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import ExactLike, Instance, about, exact, instance, instances, names, text
from accountant.promise.divergence import Divergence, definition
from accountant.promise.domain import Domain, domain
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours
from accountant.promise.public_facts import Public
from accountant.promise.universe import Universe


@frozen
class Budget(Brief):
    """A divergence and the parameter that must not be exceeded."""

    divergence: Divergence = field(
        validator=instance(Divergence, 'give a budget by names: Budget.of("approx", epsilon="1", delta="1e-6")')
    )
    parameter: Any

    def __attrs_post_init__(self) -> None:
        wanted = self.divergence.parameter
        words = ", ".join(f"{member.name}=..." for member in attrs_fields(wanted))
        Instance(wanted, f'give it by names: Budget.of("{self.divergence.name}", {words})')(self, None, self.parameter)

    @classmethod
    def of(cls, divergence: str | Divergence, /, **parameter: ExactLike) -> Budget:
        """A budget by the name of its definition and the names of its parameters.

        `Budget.of("approx", epsilon="4", delta="1e-6")`. Numbers are exact: text, whole numbers, fractions.
        """
        kept = definition(divergence)
        return cls(kept, kept.stating(parameter))

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

    def __str__(self) -> str:
        return f"{self.divergence.title} with {self.divergence.describe(self.parameter)}"


@frozen
class Knowledge(Brief):
    """Public information, and the budgets to be kept relative to it."""

    public: Public = field(validator=instance(Public, "give a kind of public information, such as Independent"))
    budgets: tuple[Budget, ...] = field(
        validator=instances(Budget, 'give each as Budget.of("approx", epsilon="1", delta="1e-6")')
    )


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


@frozen
class Scenario(Brief):
    """What an attacker may try to learn about a unit: some of its attributes, all others being known or of no concern."""

    name: str = field(converter=text, metadata=about("what the scenario is called"))
    attributes: frozenset[str] = field(
        converter=names, metadata=about("the attributes of a unit that the attacker may try to learn")
    )

    def __attrs_post_init__(self) -> None:
        if not self.attributes:
            raise InvalidValue("a scenario is about at least one attribute")


ATTACKERS = ("outsider", "insider")


def _known_attacker(_: object, attribute: object, value: str) -> None:
    if value not in ATTACKERS:
        raise InvalidValue(f"must be one of {', '.join(ATTACKERS)}, got {value!r}")


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
        if faults:
            raise InvalidValue("; ".join(faults))

    def _contradictions(self) -> Iterator[str]:
        from accountant.promise.declared import contradictions

        found = self.neighbours
        parts = (found.entities.declared, found.unit, found.relation, found.attributes, self.invariants, self.domain)
        return (f"{place}: {message}" for place, message in contradictions(*parts))

    @property
    def universe(self) -> Universe:
        """Which datasets are compared."""
        return Universe(self.neighbours, self.invariants, self.domain.attributes, whole=self.domain.everything)

    def steps(self, units: int) -> int:
        """How many steps between neighbours lead to datasets that differ in so many units."""
        return -(-units // self.neighbours.group)
