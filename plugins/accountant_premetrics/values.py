"""Neighbours by the values of one attribute: those that a graph joins, or those that are near each other."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from attrs import Attribute, field, frozen

from accountant import InvalidValue
from accountant.fields import about, above, exact, plain, text
from accountant.plugin import ADD_REMOVE, Policy, Record, Relation, joined
from accountant_premetrics.value_graph import MOST_VALUES, ValueGraph
from accountant_premetrics.zero_out import ZeroOut

_TEXTS = {"type": "array", "minItems": 2, "items": {"type": "string", "minLength": 1}}
_FEW = 3


@frozen
class OneValue(Policy):
    """One record has another value of an attribute in one dataset than in the other, and all else is alike."""

    edits: ClassVar[bool] = True

    attribute: str = field(converter=text, metadata=about("the attribute whose values are protected from each other"))

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        return ((1, 1),)

    @property
    def differing(self) -> frozenset[str]:
        return frozenset({self.attribute})

    @abstractmethod
    def near(self, one: Any, other: Any) -> bool:
        """Whether two different values are one step apart."""

    @abstractmethod
    def apart(self, one: Any, other: Any) -> int | None:
        """How many steps lead from one value to another; None where none do."""

    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        if len(gone) != 1 or len(come) != 1:
            return False
        values = self._values_of(gone[0], come[0])
        return values is not None and self.near(*values)

    def reaches(self, before: Record, after: Record, steps: int) -> bool:
        values = self._values_of(before, after)
        apart = None if values is None else self.apart(*values)
        return apart is not None and apart <= steps

    def _values_of(self, before: Record, after: Record) -> tuple[Any, Any] | None:
        """The values of the attribute of two records that are alike in all else."""
        if before is None or after is None or self.attribute not in before or self.attribute not in after:
            return None
        rest, other = dict(before), dict(after)
        values = rest.pop(self.attribute), other.pop(self.attribute)
        return values if rest == other else None

    def steps_in(self, other: Relation) -> int | None:
        if other.policy is None:
            # To change a value is to replace the record, or to remove it and add another.
            return 1 if (1, 1) in other.moves else 2 if ADD_REMOVE.moves <= other.moves else None
        if isinstance(other.policy, ZeroOut):
            return 2
        same = isinstance(other.policy, OneValue) and other.policy.attribute == self.attribute
        return self._steps_by(other.policy) if same else None

    def _steps_by(self, other: Policy) -> int | None:
        """At most how many steps of another policy about the same attribute lie between values that are near."""
        return 1 if other == self else None


def _values(value: Iterable[str]) -> tuple[str, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidValue(f'expected a list of values such as ["none", "flu"], got {value!r}')
    return tuple(map(text, value))


def _lists(value: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidValue(f'expected a list of lists such as [["none", "flu"], ["flu", "measles"]], got {value!r}')
    return tuple(map(_values, value))


def _different(_: object, attribute: Attribute[Any] | None, value: tuple[str, ...]) -> None:
    if len(value) > MOST_VALUES:
        raise InvalidValue(f"at most {MOST_VALUES:,} values, got {len(value):,}")
    twice = sorted({item for item in value if value.count(item) > 1})
    if len(value) < 2 or twice:
        told = f"; twice: {', '.join(twice)}" if twice else ""
        raise InvalidValue(f"expected at least two values, each once{told}")


@frozen
class Blowfish(OneValue):
    """One unit has another value of an attribute, one that a graph of its values joins to the first.

    Definition: two datasets are neighbours if they are alike but for one record, and that differs only in the attribute, in
    two values that stand in one of the lists. They are k units apart where k edges lead from one to the other, over all
    records. Values that no edges connect are at no distance, and nothing is promised between them.
    """

    kind: ClassVar[str] = "blowfish"
    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(("graph", "joins", "secrets", "policy"), "did you mean 'edges'?")

    values: tuple[str, ...] = field(
        converter=_values, validator=_different, metadata=about("all values that the attribute has", _TEXTS)
    )
    edges: tuple[tuple[str, ...], ...] = field(
        converter=_lists,
        metadata=about(
            "lists of two or more values, each protected from all others of its list", {"type": "array", "items": _TEXTS}
        ),
    )

    def __attrs_post_init__(self) -> None:
        try:
            self.graph.check()
        except InvalidValue as error:
            raise InvalidValue(f"edges of '{self.attribute}': {error}") from None

    @cached_property
    def graph(self) -> ValueGraph:
        """The graph of the values."""
        return ValueGraph(self.values, self.edges)

    @property
    def meaning(self) -> str:
        return f"one unit has another value of {self.attribute}, one that the policy joins to the first"

    @property
    def leaves_open(self) -> str:
        farther = self.graph.diameter
        said = [f"Only values of {self.attribute} that the policy joins are one unit apart."]
        if farther > 1:
            said.append(
                f"Those that several edges connect are up to {farther} units apart: the farther, the less is promised."
            )
        if len(self.graph.parts) > 1:
            said.append(f"Nothing is promised between {self._parts}: everybody may learn which of these a value is in.")
        return " ".join(said)

    @property
    def _parts(self) -> str:
        """The parts that no edges connect, few of them and few values of each."""
        told = [_set(part) for part in self.graph.parts[:_FEW]]
        more = len(self.graph.parts) - len(told)
        return joined([*told, f"{more:,} more"] if more else told)

    def near(self, one: Any, other: Any) -> bool:
        return self.graph.joins(one, other)

    def apart(self, one: Any, other: Any) -> int | None:
        return self.graph.distances(one).get(other) if one in self.values else None

    @cached_property
    def numbers(self) -> dict[str, Fraction] | None:
        """The values as numbers; None where one of them is none."""
        try:
            return {value: exact(value) for value in self.values}
        except InvalidValue:
            return None

    def _steps_by(self, other: Policy) -> int | None:
        if isinstance(other, Metric):
            numbers = self.numbers
            if numbers is None:
                return None
            return max(other.steps(numbers[one], numbers[two]) for one, two in self.graph.edges())
        if not isinstance(other, Blowfish) or not set(self.values) <= set(other.values):
            return None
        reached = {value: other.graph.distances(value) for value in {one for one, _ in self.graph.edges()}}
        steps = [reached[one].get(two) for one, two in self.graph.edges()]
        return None if None in steps else max(step for step in steps if step is not None)

    def told_apart(self, other: Relation) -> tuple[str, str, str] | None:
        part = {value: place for place, values in enumerate(self.graph.parts) for value in values}
        if other.policy is None:
            pairs = [(values[0], self.values[0]) for values in self.graph.parts if other.by_value]
        elif isinstance(other.policy, Blowfish) and other.policy.attribute == self.attribute:
            pairs = [(one, two) for one, two in other.policy.graph.edges() if one in part and two in part]
        else:
            pairs = []
        for one, two in pairs:
            if part[one] != part[two]:
                return f"which of {self._parts} each {self.attribute} is in", f"'{two}'", f"'{one}'"
        return None


def _set(values: Sequence[str]) -> str:
    more = len(values) - _FEW
    return "{" + ", ".join([*values[:_FEW], *([f"{more:,} more"] if more > 0 else [])]) + "}"


@frozen
class Metric(OneValue):
    """One unit has another value of a numeric attribute, which is no farther from the first than a step.

    Definition: two datasets are neighbours if they are alike but for one record, and that differs only in the attribute, by
    at most `step`. All numbers between two values are values. So a record whose value moves by d is d / step units away,
    rounded up, and budgets are per unit: the loss grows with the distance, by the rule that the definition has for groups.
    """

    kind: ClassVar[str] = "metric"
    instead: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("distance", "unit", "scale", "radius", "threshold"), "did you mean 'step'?")
    }

    step: Fraction = field(
        default=Fraction(1),
        converter=exact,
        validator=above(0),
        metadata=about("how far apart values are that are one unit apart"),
    )

    @property
    def meaning(self) -> str:
        return f"one unit has another {self.attribute}, at most {plain(self.step)} away from the first"

    @property
    def leaves_open(self) -> str:
        return (
            f"Values of {self.attribute} are one unit apart for every {plain(self.step)} between them, or part of it: the "
            "farther apart, the less is promised."
        )

    def steps(self, one: Fraction, other: Fraction) -> int:
        """How many steps lead from one value to the other."""
        return math.ceil(abs(one - other) / self.step)

    def apart(self, one: Any, other: Any) -> int | None:
        return self.steps(exact(one), exact(other))

    def near(self, one: Any, other: Any) -> bool:
        return 0 < abs(exact(one) - exact(other)) <= self.step

    def _steps_by(self, other: Policy) -> int | None:
        return other.steps(Fraction(0), self.step) if isinstance(other, Metric) else None
