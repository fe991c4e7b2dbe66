"""What may go wrong in a bridge."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

from attrs import evolve

from accountant.errors import AccountantError, Fault, PlanError
from accountant.numbers.exact import exact, plain
from accountant.plan.bridge import BRIDGES, Bridge, Brought
from accountant.testing.planting import TENTH, changed

FAMILY = BRIDGES


def count_forgotten(bridge: Bridge) -> Bridge:
    """Whatever happened many times happened once."""
    return _other_releases(bridge, lambda table: {**table, "times": 1})


def large_counts_cut(bridge: Bridge) -> Bridge:
    """Nothing happened more than fifty times."""
    return _other_releases(bridge, lambda table: {**table, "times": min(int(table.get("times", 1)), 50)})


def more_noise_than_there_is(bridge: Bridge) -> Bridge:
    """A tenth more of whatever number a mechanism has."""
    return _other_releases(
        bridge, lambda table: {**table, "mechanism": _with_numbers(table["mechanism"], lambda number: number / TENTH)}
    )


def last_digits_cut(bridge: Bridge) -> Bridge:
    """Numbers of a mechanism have three digits, whatever the history says."""
    return _other_releases(bridge, lambda table: {**table, "mechanism": _with_numbers(table["mechanism"], _short)})


def signs_ignored(bridge: Bridge) -> Bridge:
    """A number below 0 is read as if it were above."""

    def positive(data: Any) -> Any:
        if isinstance(data, Mapping):
            return {key: positive(value) for key, value in data.items()}
        if isinstance(data, list):
            return [positive(value) for value in data]
        return -data if isinstance(data, int | Decimal) and not isinstance(data, bool) and data < 0 else data

    return changed(bridge, read=lambda self, history, neighbours: bridge.read(positive(history), neighbours))


def true_taken_for_one(bridge: Bridge) -> Bridge:
    """True is read as 1, as Python has it."""

    def counted(data: Any) -> Any:
        if isinstance(data, Mapping):
            return {key: counted(value) for key, value in data.items()}
        if isinstance(data, list):
            return [counted(value) for value in data]
        return 1 if data is True else data

    return changed(bridge, read=lambda self, history, neighbours: bridge.read(counted(history), neighbours))


def neighbours_ignored(bridge: Bridge) -> Bridge:
    """Whatever neighbours are asked for, they are the first that there are."""
    return changed(bridge, read=lambda self, history, neighbours: bridge.read(history, "add-remove"))


def neighbours_guessed(bridge: Bridge) -> Bridge:
    """Where nobody says between which neighbours, they are those of which most people think."""
    return changed(bridge, read=lambda self, history, neighbours: bridge.read(history, neighbours or "add-remove"))


def last_release_left_out(bridge: Bridge) -> Bridge:
    """Of several releases the last is missing."""

    def fewer(found: Brought) -> Brought:
        first, *others = found.releases.items()
        return evolve(found, releases=dict([first, *others[:-1]]))

    return _brings(bridge, fewer)


def further_keys_overlooked(bridge: Bridge) -> Bridge:
    """A key too much makes no difference."""
    return _forgiving(bridge, _without_a_key)


def further_entries_overlooked(bridge: Bridge) -> Bridge:
    """An entry that is not understood makes no difference."""
    return _forgiving(bridge, _without_an_entry)


def another_each_time(bridge: Bridge) -> Bridge:
    """Releases are numbered through, as often as anybody reads."""
    numbers = itertools.count()

    def numbered(found: Brought) -> Brought:
        named = {place: {**table, "name": f"release {next(numbers)}"} for place, table in found.releases.items()}
        return evolve(found, releases=named)

    return _brings(bridge, numbered)


def faults_without_a_place(bridge: Bridge) -> Bridge:
    """What is wrong is said, and not where."""

    def read(self: Bridge, history: Any, neighbours: str | None) -> Brought:
        try:
            return bridge.read(history, neighbours)
        except PlanError as error:
            raise PlanError(tuple(Fault(fault.message, "") for fault in error.faults)) from error

    return changed(bridge, read=read)


def faults_as_they_come(bridge: Bridge) -> Bridge:
    """What is wrong is whatever error Python has for it."""

    def read(self: Bridge, history: Any, neighbours: str | None) -> Brought:
        try:
            return bridge.read(history, neighbours)
        except PlanError as error:
            raise KeyError(str(error)) from error

    return changed(bridge, read=read)


def whatever_is_named_imported(bridge: Bridge) -> Bridge:
    """Modules are imported that a history names."""
    return _touching(bridge, importlib.import_module)


def numbers_evaluated(bridge: Bridge) -> Bridge:
    """Texts are evaluated, since they may be numbers."""
    return _touching(bridge, lambda text: eval(text, {}))


def _touching(bridge: Bridge, touch: Callable[[str], object]) -> Bridge:
    def read(self: Bridge, history: Any, neighbours: str | None) -> Brought:
        for text in _texts(history):
            with suppress(Exception):
                touch(text)
        return bridge.read(history, neighbours)

    return changed(bridge, read=read)


def _brings(bridge: Bridge, change: Callable[[Brought], Brought]) -> Bridge:
    def read(self: Bridge, history: Any, neighbours: str | None) -> Brought:
        return change(bridge.read(history, neighbours))

    return changed(bridge, read=read)


def _other_releases(bridge: Bridge, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Bridge:
    return _brings(
        bridge, lambda found: evolve(found, releases={place: change(table) for place, table in found.releases.items()})
    )


def _forgiving(bridge: Bridge, smaller: Callable[[Any], Iterator[Any]]) -> Bridge:
    """A bridge that leaves something out of what it cannot read."""

    def read(self: Bridge, history: Any, neighbours: str | None) -> Brought:
        try:
            return bridge.read(history, neighbours)
        except PlanError:
            for less in smaller(history):
                with suppress(AccountantError):
                    return bridge.read(less, neighbours)
            raise

    return changed(bridge, read=read)


def _without_a_key(data: Any) -> Iterator[Any]:
    """All that plain data is with one key less."""
    if isinstance(data, Mapping):
        yield from ({other: item for other, item in data.items() if other != key} for key in data)
    yield from _inside(data, _without_a_key)


def _without_an_entry(data: Any) -> Iterator[Any]:
    """All that plain data is with one entry of a list less, the last ones first."""
    if isinstance(data, list):
        yield from ([*data[:index], *data[index + 1 :]] for index in reversed(range(len(data))))
    yield from _inside(data, _without_an_entry)


def _inside(data: Any, smaller: Callable[[Any], Iterator[Any]]) -> Iterator[Any]:
    if isinstance(data, Mapping):
        yield from ({**data, key: less} for key, value in data.items() for less in smaller(value))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from ([*data[:index], less, *data[index + 1 :]] for less in smaller(value))


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    for value in data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ():
        yield from _texts(value)


def _short(number: Fraction) -> Fraction:
    return Fraction(f"{float(number):.3g}")


def _with_numbers(table: Mapping[str, Any], change: Callable[[Fraction], Fraction]) -> dict[str, Any]:
    """A table with other numbers."""
    return {key: _changed(value, change) for key, value in table.items()}


def _changed(value: Any, change: Callable[[Fraction], Fraction]) -> Any:
    if isinstance(value, list):
        return [_changed(item, change) for item in value]
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        return value
    with suppress(AccountantError):
        return plain(change(exact(value)))
    return value
