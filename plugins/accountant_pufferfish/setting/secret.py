"""Secret: something about a dataset that is to stay open; Pair: two secrets that nobody should tell apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import text

ABSENT = None
"""What stands in a dataset in the place of somebody who is not in it."""


@frozen
class Secret:
    """A statement about a dataset that is true or not."""

    name: str = field(converter=text)
    holds: Callable[[Any], bool] = field(repr=False)

    def __call__(self, dataset: Any) -> bool:
        return bool(self.holds(dataset))

    def __str__(self) -> str:
        return self.name


@frozen
class SecretPair:
    """Two secrets that cannot both be true and that are to stay hard to tell apart."""

    first: Secret
    second: Secret

    def check_disjoint(self, datasets: Iterable[Any]) -> None:
        """Refuse a dataset in which both are true."""
        for dataset in datasets:
            if self.first(dataset) and self.second(dataset):
                raise InvalidValue(
                    f"'{self.first}' and '{self.second}' both hold for {dataset!r}; a pair needs secrets that exclude each "
                    "other"
                )

    def __str__(self) -> str:
        return f"{self.first} against {self.second}"


@frozen
class RecordIs:
    """Whether the record at a place, counted from 0, has a value."""

    place: int
    value: Hashable

    def __call__(self, dataset: Any) -> bool:
        try:
            return bool(dataset[self.place] == self.value)
        except (IndexError, TypeError):
            raise InvalidValue(
                f"there is no record {self.place + 1} in {dataset!r}; datasets are tuples of records"
            ) from None


def record_is(place: int, value: Hashable) -> Secret:
    """The secret that the record at a place, counted from 0, has a value; `ABSENT` that nobody is there."""
    words = "is not in the data" if value is ABSENT else f"is {value!r}"
    return Secret(f"record {place + 1} {words}", RecordIs(place, value))


def bounded_pairs(records: int, values: Iterable[Hashable]) -> tuple[SecretPair, ...]:
    """For every record, each value against each other one: everybody takes part, and what they say is the secret."""
    kinds = _values(values)
    return tuple(
        SecretPair(record_is(place, left), record_is(place, right))
        for place in range(_count(records))
        for left, right in itertools.combinations(kinds, 2)
    )


def unbounded_pairs(records: int, values: Iterable[Hashable]) -> tuple[SecretPair, ...]:
    """For every record, each value against not being in the data; datasets have `ABSENT` where somebody is not in them."""
    return tuple(
        SecretPair(record_is(place, value), record_is(place, ABSENT))
        for place in range(_count(records))
        for value in _values(values)
    )


def _values(values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    kinds = tuple(dict.fromkeys(values))
    if ABSENT in kinds:
        raise InvalidValue("None stands for a record that is not in the data, so it cannot be a value")
    return kinds


def _count(records: int) -> int:
    if records < 1:
        raise InvalidValue(f"expected at least one record, got {records}")
    return records
