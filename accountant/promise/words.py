"""ComparedPairs: which datasets a number compares, as phrases that sentences about it are made of.

Every sentence about a promise says two things: between which datasets it holds, and against whom. Both are said here and
nowhere else, so that a sentence cannot speak of other datasets than its number does.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from accountant.display.brief import Brief
from accountant.promise.cohort import Cohort
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours


@frozen
class ComparedPairs(Brief):
    """Which datasets a number compares, and what it rests on.

    `one` and `other` are the two sides, in words that follow what is compared: "as likely {one} as {other}". Where they
    cannot be exchanged, `either` adds that both orders are meant.
    """

    neighbours: Neighbours
    invariants: tuple[Invariant, ...] = ()
    hidden_sample: bool = False
    """Whether the number only holds against those who do not know who was sampled."""
    claimed: tuple[str, ...] = ()
    """The releases of which nobody knows more than what is claimed."""
    cohort: Cohort | None = None
    """The units that the number is about, where it is not about all."""

    @property
    def one(self) -> str:
        """The first side."""
        compared = self.neighbours
        if compared.relation.by_presence:
            return f"with {self._whom} in the data"
        if not compared.relation.by_value:
            return "with one of two neighbouring datasets"
        if compared.group > 1:
            return f"with some values of {self.what} of {self._whom}"
        return f"with one value of a {compared.unit}’s {self.what.removeprefix('the ')}"

    @property
    def other(self) -> str:
        """The second side."""
        relation, several = self.neighbours.relation, self.neighbours.group > 1
        if relation.by_presence:
            return "without them" if several else "without"
        if not relation.by_value:
            return "with the other"
        return "with others" if several else "with another"

    @property
    def either(self) -> str:
        """That both orders are meant, where the sides differ in kind."""
        return "" if self.neighbours.relation.by_value else ", or the other way round"

    @property
    def what(self) -> str:
        """What may differ between two values of a unit."""
        attributes = self.neighbours.attributes
        if attributes is None:
            return "the records" if self.neighbours.group > 1 else "the record"
        return f"the {joined(sorted(attributes))}" if attributes else "none of the attributes"

    @property
    def datasets(self) -> str:
        """The pairs of datasets that are compared, without the conditions."""
        compared = self.neighbours
        whose = "" if self.cohort is None else f" {self.cohort.whose}"
        whom = (f"one {compared.unit}" if compared.group == 1 else self._whom) + whose
        if compared.relation.by_presence:
            return f"datasets with and without {whom}"
        if compared.relation.by_value:
            return f"datasets that differ in {self.what} of {whom}"
        several = "" if compared.group == 1 else f", up to {compared.group:,} times"
        only = f", of {plural(compared.unit)}{whose}" if whose else ""
        return f"datasets where {compared.relation.meaning}{several}{only}"

    @property
    def between(self) -> str:
        """The pairs of datasets, with the name of the relation, and that they agree on what is exact."""
        agreeing = ", alike in what is published exactly" if self.invariants else ""
        return f"{self.datasets}{agreeing} ({self.neighbours.relation.name})"

    @property
    def agreeing(self) -> str:
        """Of whom it speaks, and that both sides agree on what is exact, in words that start a sentence."""
        whom = "" if self.cohort is None else f"for {plural(self.neighbours.unit)} {self.cohort.whose}, "
        return whom + ("where both agree on what is published exactly, " if self.invariants else "")

    @property
    def exact(self) -> tuple[str, ...]:
        """The names of what is published exactly."""
        return tuple(invariant.name for invariant in self.invariants)

    @property
    def conditions(self) -> tuple[str, ...]:
        """What a reader could otherwise take to be promised, one sentence each; none where nothing is left out."""
        return tuple(sentence for sentence in (*self._said, self.sampled, self.trusted) if sentence)

    @property
    def _said(self) -> tuple[str, ...]:
        return self.unprotected, self.limited, self.declared, self.published

    @property
    def unprotected(self) -> str:
        """Which attributes the number says nothing about, and which values of one."""
        compared, policy = self.neighbours, self.neighbours.relation.policy
        others = f"Other attributes of a {compared.unit} are not protected by this number."
        left = "" if policy is None else policy.leaves_open
        return " ".join(filter(None, ("" if compared.attributes is None else others, left)))

    @property
    def limited(self) -> str:
        """Which units the number says nothing about."""
        return "" if self.cohort is None else f"Other {plural(self.neighbours.unit)} are not protected by this number."

    @property
    def entities(self) -> tuple[str, ...]:
        """The names of what is declared to contain, or to be contained."""
        return tuple(entity.name for entity in self.neighbours.entities.declared)

    @property
    def declared(self) -> str:
        """That it rests on who is said to contain whom."""
        if not self.entities:
            return ""
        return f"It rests on what is declared of {joined(self.entities)}: who contains whom, how many, and what may change."

    @property
    def published(self) -> str:
        """Between which datasets nothing is promised, since what is published exactly tells them apart."""
        if not self.invariants:
            return ""
        return f"Published exactly: {joined(self.exact)}. Nothing is promised between datasets that differ in that."

    @property
    def sampled(self) -> str:
        """Who is not protected by sampling."""
        if not self.hidden_sample:
            return ""
        return "It holds against those who do not know who was sampled; others may learn more."

    @property
    def trusted(self) -> str:
        """What is only claimed."""
        if not self.claimed:
            return ""
        few = [f"'{name}'" for name in self.claimed[:3]]
        more = len(self.claimed) - len(few)
        return f"What is claimed of {joined([*few, f'{more:,} more'] if more else few)} is taken on trust."

    @property
    def _whom(self) -> str:
        group, unit = self.neighbours.group, self.neighbours.unit
        return f"the {unit}" if group == 1 else f"up to {group:,} {plural(unit)}"


def joined(words: Iterable[str], last: str = "and") -> str:
    """Words in a row: a, b and c."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def plural(unit: str) -> str:
    """Several of a unit."""
    if unit.endswith("person"):
        return f"{unit.removesuffix('person')}people"
    if unit.endswith(("s", "x", "z", "ch", "sh")):
        return f"{unit}es"
    if unit.endswith("y") and unit[-2:-1] not in "aeiou":
        return f"{unit[:-1]}ies"
    return f"{unit}s"
