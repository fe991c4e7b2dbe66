"""Cohort: the units that a budget is about, where it is not about all.

The fifth block of a specification, how much, is a function: of who a unit is, or of the universe that its dataset is in.
See docs/explanation/budgets-by-cohort.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import about, at_least, names, whole
from accountant.promise.domain import Domain
from accountant.promise.invariant import Invariant


def _attributes(value: str | Iterable[str]) -> frozenset[str]:
    found = names([value] if isinstance(value, str) else value)
    if not found:
        raise InvalidValue("a cohort is told by at least one attribute; leave 'cohort' out for a budget of all units")
    return found


def _values(value: str | Iterable[str] | None) -> frozenset[str] | None:
    found = names([value] if isinstance(value, str) else value)
    if found is not None and not found:
        raise InvalidValue("a cohort has at least one value; leave 'cohort' out for a budget of all units")
    return found


def _number(value: int | None) -> int | None:
    return None if value is None else whole(value)


_SOMEBODY = at_least(1)
_NAMES = {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": r"\S"}}
_ONE_OR_MORE = {"oneOf": [{"type": "string", "pattern": r"\S"}, _NAMES]}


@frozen
class Cohort(Brief):
    """Units with some values of an attribute, or those that share their values of some attributes with so many.

    Definition: a universe and a cohort give a set of combinations of the attributes `by`. With `values` it is these in
    every universe; with `at_least` and `at_most` it is the cells of an exact table that have so many units, which all
    datasets of the universe agree on. A budget of the cohort bounds datasets of one universe that are connected by steps
    between neighbours, each of which changes units that are in such a cell before and after it.
    """

    by: frozenset[str] = field(
        converter=_attributes, metadata=about("the attribute, or attributes, that tell who is meant", _ONE_OR_MORE)
    )
    values: frozenset[str] | None = field(
        default=None,
        converter=_values,
        metadata=about("the values of that attribute that units of the cohort have", _ONE_OR_MORE),
    )
    at_least: int | None = field(
        default=None,
        converter=_number,
        validator=_SOMEBODY,
        metadata=about("the fewest units that share these attributes, in a table that is published exactly"),
    )
    at_most: int | None = field(
        default=None,
        converter=_number,
        validator=_SOMEBODY,
        metadata=about("the most units that share these attributes, in a table that is published exactly"),
    )

    def __attrs_post_init__(self) -> None:
        sized = self.at_least is not None or self.at_most is not None
        if sized == (self.values is not None):
            raise InvalidValue("a cohort is told by 'values', or by how many share them: 'at_least', 'at_most' or both")
        if self.values is not None and len(self.by) > 1:
            raise InvalidValue(f"'values' are those of one attribute, and 'by' names {len(self.by)}; name one")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise InvalidValue(f"at least {self.at_least:,} and at most {self.at_most:,} units is nobody")

    @property
    def fixed(self) -> str | None:
        """The attribute in which units of the cohort are all alike, if it is told by one value."""
        return next(iter(self.by)) if self.values is not None and len(self.values) == 1 else None

    @property
    def named(self) -> frozenset[str]:
        """The values that it names, if it is told by such."""
        return self.values or frozenset()

    def holds(self, size: int) -> bool:
        """Whether a cell of so many units is one of the cohort; of one that is told by values that is not asked."""
        return (self.at_least is None or size >= self.at_least) and (self.at_most is None or size <= self.at_most)

    def covers(self, other: Cohort | None) -> bool:
        """Whether every unit of another cohort is in this one, in every universe; None stands for all units."""
        if other is None or self.by != other.by or (self.values is None) != (other.values is None):
            return False
        if self.values is not None and other.values is not None:
            return other.values <= self.values
        low, high = (self.at_least or 1) <= (other.at_least or 1), self.at_most is None
        return low and (high or (other.at_most is not None and other.at_most <= (self.at_most or 0)))

    def faults(self, invariants: Sequence[Invariant | None], domain: Domain, unit: str) -> Iterator[tuple[str, str]]:
        """What keeps a specification from speaking of the cohort, each with the key that it is about."""
        undeclared = list(domain.undeclared(self.by))
        yield from (("by", message) for message in undeclared)
        tables = [known.counts_by for known in invariants if known is not None and known.of in (None, unit)]
        if self.values is None and not undeclared and not any(table and self.by <= table for table in tables):
            yield (
                "by",
                f"no table that is published exactly fixes how many units share {self._attributes}, so that datasets that "
                "are compared may differ in it; declare an invariant that counts by them, or give 'values'",
            )

    @property
    def whose(self) -> str:
        """The cohort in words that follow what its units are called."""
        if self.values is not None:
            one_of = "" if len(self.values) == 1 else "one of "
            return f"whose {self._attributes} is {one_of}{', '.join(sorted(self.values))}"
        return f"of which {self.size} share the same {self._attributes}"

    @property
    def size(self) -> str:
        """How many share these attributes, in words."""
        if self.at_most is None:
            return f"at least {self.at_least or 1:,}"
        return f"at most {self.at_most:,}" if self.at_least is None else f"{self.at_least:,} to {self.at_most:,}"

    @property
    def _attributes(self) -> str:
        return ", ".join(sorted(self.by))

    def __str__(self) -> str:
        return f"units {self.whose}"
