"""Guarantee: a statement that holds, with its derivation. Never a bare float."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Literal, NoReturn

from attrs import frozen

from accountant.errors import ReadingError
from accountant.numbers.interval import Interval
from accountant.promise.specification import Specification
from accountant.promise.theorem import Theorem
from accountant.values.writing import at_words


class Verdict(Enum):
    """Whether a promise is kept."""

    IMPLIED = "implied"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"

    @classmethod
    def of(cls, within: bool | None) -> Verdict:
        """The verdict of a comparison that may be undecided."""
        return cls.UNKNOWN if within is None else cls.IMPLIED if within else cls.REFUTED


@frozen
class Step:
    """One line of a derivation: what is stated, by which theorem, from which earlier lines (counted from 1)."""

    statement: str
    theorem: Theorem
    uses: tuple[int, ...] = ()
    value: Interval | None = None


@frozen
class Guarantee:
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
