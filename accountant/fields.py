"""How a value class declares its parameters: converters, constraints and descriptions that the codec, the schema and the
documentation all read from one place."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

from attrs import Attribute, frozen

from accountant.display.brief import Brief
from accountant.errors import AccountantError, InvalidValue
from accountant.numbers.exact import ExactLike, exact, plain, whole

__all__ = [
    "Brief",
    "ExactLike",
    "about",
    "above",
    "at_least",
    "at_most",
    "below",
    "each",
    "exact",
    "exact_list",
    "exact_table",
    "expect",
    "instance",
    "instances",
    "mechanism",
    "names",
    "optional_exact",
    "optional_text",
    "plain",
    "several",
    "shown",
    "text",
    "validators",
    "whole",
]


T = TypeVar("T")
_ROWS = 'give rows such as [["2", "1/3"], ["1/3", "2"]]'


def about(description: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """Metadata of a field: what the parameter is, in words, and its JSON Schema where the converter is not one of these."""
    return {"about": description, "schema": schema}


def text(value: str) -> str:
    """A non-empty line of text."""
    if not isinstance(value, str):
        raise InvalidValue(f"expected text, got {value!r}")
    if not value.strip():
        raise InvalidValue("expected text, got an empty string")
    return value


def optional_text(value: str | None) -> str | None:
    """A line of text, or None when it was left out."""
    return None if value is None else text(value)


def names(value: Iterable[str] | None) -> frozenset[str] | None:
    """A set of names, or None when it was left open."""
    if value is None:
        return None
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list of names, got {value!r}")
    return frozenset(text(item) for item in value)


def optional_exact(value: ExactLike | None) -> Fraction | None:
    """An exact number, or None when it was left out."""
    return None if value is None else exact(value)


def exact_list(value: Iterable[ExactLike] | None) -> tuple[Fraction, ...] | None:
    """A list of exact numbers, or None when it was left open."""
    if value is None:
        return None
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list of numbers, got {value!r}")
    return tuple(exact(item) for item in value)


def exact_table(value: Iterable[Iterable[ExactLike]] | None) -> tuple[tuple[Fraction, ...], ...] | None:
    """A list of rows of exact numbers, of any lengths, or None when it was left out; faults name row and entry."""
    if value is None:
        return None
    if not _is_list(value):
        raise InvalidValue(f"expected a list of rows, got {value!r}; {_ROWS}")
    return tuple(_row(row, index) for index, row in enumerate(value, start=1))


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _row(row: Iterable[ExactLike], index: int) -> tuple[Fraction, ...]:
    if not _is_list(row):
        raise InvalidValue(f"row {index}: expected a list of numbers, got {row!r}; {_ROWS}")
    numbers = []
    for place, entry in enumerate(row, start=1):
        try:
            numbers.append(exact(entry))
        except AccountantError as error:
            raise InvalidValue(f"row {index}, entry {place}: {error}") from None
    return tuple(numbers)


def mechanism(value: Any) -> Any:
    """A mechanism that another one is made of; a plan writes it as a table with its kind."""
    if not hasattr(value, "kind") or not callable(getattr(value, "loss", None)):
        raise InvalidValue(f"expected a mechanism, got {value!r}")
    return value


def several(value: Iterable[Any]) -> tuple[Any, ...]:
    """A list of at least one value; `each` says of which class."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list, got {value!r}")
    items = tuple(value)
    if not items:
        raise InvalidValue("expected at least one")
    return items


@frozen
class Each:
    """What every value in a list must be; a plan writes each as a table."""

    cls: type[Any]

    def __call__(self, instance: object, attribute: Attribute[Any] | None, value: Iterable[Any]) -> None:
        for item in value:
            if not isinstance(item, self.cls):
                raise InvalidValue(f"expected a list of {self.cls.__name__}, got {item!r}")


def each(cls: type[Any]) -> Each:
    """Every value in a list is one of an attrs class."""
    return Each(cls)


_COMPARISONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


@frozen
class Constraint:
    """A comparison that every value of a field must pass; None passes, since optional fields may be left out."""

    words: str
    sign: str
    bound: Fraction

    def __call__(self, instance: object, attribute: Attribute[Any] | None, value: Any) -> None:
        if value is None:
            return
        if value.__class__ is Fraction or value.__class__ is int:
            # Crosswise, which is faster than to compare fractions.
            (over, under), (top, bottom) = value.as_integer_ratio(), self._ratio
            kept = _COMPARISONS[self.sign](over * bottom, top * under)
        else:
            kept = _COMPARISONS[self.sign](value, self.bound)
        if not kept:
            raise InvalidValue(f"must be {self.words} {plain(self.bound)}, got {plain(Fraction(value))}")

    @cached_property
    def _ratio(self) -> tuple[int, int]:
        return self.bound.as_integer_ratio()


def above(bound: ExactLike) -> Constraint:
    """Strictly greater than a bound."""
    return Constraint("above", ">", exact(bound))


def at_least(bound: ExactLike) -> Constraint:
    """Greater than or equal to a bound."""
    return Constraint("at least", ">=", exact(bound))


def below(bound: ExactLike) -> Constraint:
    """Strictly less than a bound."""
    return Constraint("below", "<", exact(bound))


def at_most(bound: ExactLike) -> Constraint:
    """Less than or equal to a bound."""
    return Constraint("at most", "<=", exact(bound))


@frozen
class Instance:
    """What a value that is made in Python must be, and what to do where it is something else."""

    cls: type[Any]
    remedy: str

    def __call__(self, instance: object, attribute: Attribute[Any] | None, value: object) -> None:
        if not isinstance(value, self.cls):
            raise InvalidValue(f"expected {_article(self.cls)}, got {shown(value)}; {self.remedy}")


def instance(cls: type[Any], remedy: str) -> Instance:
    """A value of a class; plans are read with other means."""
    return Instance(cls, remedy)


def expect(cls: type[Any], value: object, remedy: str) -> None:
    """Raise InvalidValue, with the remedy, for what is not a value of a class."""
    Instance(cls, remedy)(None, None, value)


@frozen
class Instances:
    """What every value in a tuple that is made in Python must be."""

    cls: type[Any]
    remedy: str

    def __call__(self, instance: object, attribute: Attribute[Any] | None, value: object) -> None:
        if not isinstance(value, tuple):
            raise InvalidValue(f"expected a tuple of {self.cls.__name__}, got {shown(value)}; {self.remedy}")
        for item in value:
            Instance(self.cls, self.remedy)(instance, attribute, item)


def instances(cls: type[Any], remedy: str) -> Instances:
    """A tuple of values of a class; plans are read with other means."""
    return Instances(cls, remedy)


def _article(cls: type[Any]) -> str:
    return f"{'an' if cls.__name__[0] in 'AEIOU' else 'a'} {cls.__name__}"


def shown(value: object) -> str:
    """A value as Python writes it; of a long one its type."""
    written = repr(value)
    return written if len(written) <= 60 else f"a value of type {type(value).__name__}"


def validators(member: Attribute[Any], kind: type[T]) -> list[T]:
    """The validators of one kind that a field has."""
    several = getattr(member.validator, "_validators", (member.validator,))
    return [item for item in several if isinstance(item, kind)]
