"""Guarantee: a statement that holds, with its derivation. Never a bare float."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import ClassVar, Literal, NoReturn

from attrs import frozen

from accountant.display.brief import Brief, Rich
from accountant.display.card import Card, Folded
from accountant.errors import ReadingError
from accountant.numbers.interval import Interval
from accountant.promise.cards import VACUOUS, between, derivation_title, verdict_label
from accountant.promise.cohort import Cohort
from accountant.promise.specification import Specification
from accountant.promise.theorem import CLAIM, Theorem
from accountant.promise.words import ComparedPairs
from accountant.values.writing import at_words


class _Coloured:
    """What is shown in its colour; an enumeration keeps names such as this one's method to itself."""

    value: str

    def _repr_html_(self) -> str:
        """The verdict in a notebook."""
        from accountant.display.html import page_part

        return page_part(Card("", verdict_label(self.value)))


class Verdict(_Coloured, Enum):
    """Whether a promise is kept."""

    IMPLIED = "implied"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"

    @classmethod
    def of(cls, within: bool | None) -> Verdict:
        """The verdict of a comparison that may be undecided."""
        return cls.UNKNOWN if within is None else cls.IMPLIED if within else cls.REFUTED

    def __str__(self) -> str:
        return self.value


@frozen
class Step(Brief):
    """One line of a derivation: what is stated, by which theorem, from which earlier lines (counted from 1)."""

    _leading: ClassVar[tuple[str, ...]] = ("statement", "value")

    statement: str
    theorem: Theorem
    uses: tuple[int, ...] = ()
    value: Interval | None = None


def folded(steps: Sequence[Step]) -> tuple[Folded, ...]:
    """A derivation for whoever asks for it: each line with what it rests on."""
    return (Folded(derivation_title(len(steps)), tuple(map(_line, steps))),) if steps else ()


def _line(step: Step) -> str:
    value = "" if step.value is None else f" = {step.value}"
    uses = f" (from {', '.join(map(str, step.uses))})" if step.uses else ""
    return f"{step.statement}{value}{uses} [{step.theorem.name}: {step.theorem.key}, {step.theorem.locator}]"


_KNOWN = {"exact": "exactly", "two-sided": "enclosed from both sides", "upper": "an upper bound"}
_ATTACKERS = {"outsider": "someone who does not know who was sampled", "insider": "someone who knows who was sampled"}


@frozen
class Guarantee(Rich):
    """A value of one reading of one definition that holds under a specification.

    `evidence` names the route that gave the upper end. The last step of the derivation states the value itself.
    """

    specification: Specification
    divergence: str
    at: Mapping[str, Fraction]
    name: str
    value: Interval
    evidence: str
    derivation: tuple[Step, ...]
    may_fail: bool = False
    """Whether the word delta is the chance that the promise fails, and not a slack."""
    remark: str | None = None
    """What a reader should know about the width of the interval."""
    cohort: Cohort | None = None
    """The units that it is about, where it is not about all."""
    compared: bool = True
    """Whether neighbours that lose as much as the lower end are known to be there, and to agree on what is exact."""

    def __add__(self, other: object) -> NoReturn:
        """Guarantees do not add up; losses do."""
        if isinstance(other, Guarantee) and other.divergence != self.divergence:
            why = f"{self.name} of '{self.divergence}' and {other.name} of '{other.divergence}' mean different things"
        else:
            why = "one value says less than the loss it was read from"
        raise ReadingError(f"guarantees do not add up: {why}; put the releases into one plan, or use Account.adding")

    __radd__ = __add__

    @property
    def at_words(self) -> str:
        """Where the definition is read, in words that follow its name: ` at delta = 1e-6`."""
        return at_words(self.at)

    @property
    def failure_probability(self) -> Fraction:
        """The chance with which the promise may fail, for definitions that speak of one."""
        if not self.may_fail:
            raise ReadingError(
                f"'{self.divergence}' has no probability of failure: what it allows may happen every time; read 'pbdp', "
                "whose delta is one"
            )
        return self.at["delta"]

    @property
    def bound(self) -> Literal["exact", "two-sided", "upper"]:
        """What the value is: exact, enclosed from both sides, or bounded from above only."""
        if self.value.exact is not None or self.value.lower == self.value.upper:
            return "exact"
        return "upper" if self.value.lower <= 0.0 else "two-sided"

    @property
    def known(self) -> str:
        """How the value is known, in words, and by which route."""
        by = f"by the {self.evidence}"
        if any(step.theorem == CLAIM for step in self.derivation):
            return f"an upper bound, as far as claims are true, {by}"
        if self.bound == "upper" or self.compared:
            return f"{_KNOWN[self.bound]}, {by}"
        return f"{_KNOWN[self.bound]}, {by}, if neighbours that lose so much are there and compared; else an upper bound"

    def _card(self) -> Card:
        """The value first, then how it is known and between which datasets, and the derivation for whoever asks."""
        promised = self.specification
        theorems = list(dict.fromkeys(step.theorem for step in self.derivation))
        facts = (
            ("definition", self.divergence),
            ("known", self.known),
            *(("on trust", item.statement) for item in theorems if item.assurance == "claimed"),
            *between(promised, ComparedPairs(promised.neighbours, promised.invariants, cohort=self.cohort)),
            ("against", _ATTACKERS[promised.attacker]),
            *([] if self.remark is None else [("width", self.remark)]),
        )
        label = VACUOUS if promised.universe.closest.vacuous else None
        return Card(self.said, label, facts, folded(self.derivation))

    @property
    def said(self) -> str:
        """The value with its name and where it is read: `epsilon = 1.2 to 1.3 at delta = 1e-6`."""
        whom = "" if self.cohort is None else f" for {self.cohort}"
        return f"{self.name} = {self.value}{self.at_words}{whom}"
