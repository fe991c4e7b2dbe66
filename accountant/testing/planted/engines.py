"""What may go wrong in an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from accountant.engines.engine import Engine
from accountant.engines.kinds import ENGINES, EngineKind
from accountant.testing.planting import changed

FAMILY = ENGINES


class _Planted(Engine):
    """An engine that asks another one for everything."""

    def __init__(self, honest: Engine) -> None:
        self.honest = honest

    @property
    def name(self) -> str:
        return self.honest.name

    def columns(self, name: str, location: str) -> tuple[str, ...]:
        return self.honest.columns(name, location)

    def given(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        self.honest.given(name, columns)

    def keep(self, name: str, query: str) -> None:
        self.honest.keep(name, query)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.honest.rows(query)

    def put(self, query: str, folder: Path) -> None:
        self.honest.put(query, folder)

    def spread(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        return self.honest.spread(function, items)

    def close(self) -> None:
        self.honest.close()


def doubles_added(kind: EngineKind) -> EngineKind:
    """Sums are of doubles, which lose the last digits of large numbers."""

    class Doubles(_Planted):
        def keep(self, name: str, query: str) -> None:
            self.honest.keep(name, query.replace("DECIMAL(18, 0)", "DOUBLE"))

    return _opening(kind, Doubles)


def equal_rows_counted_once(kind: EngineKind) -> EngineKind:
    """Rows that are alike are taken for one."""

    class Once(_Planted):
        def columns(self, name: str, location: str) -> tuple[str, ...]:
            found = self.honest.columns(f"{name}_all", location)
            self.honest.keep(name, f"SELECT DISTINCT * FROM {name}_all")
            return found

    return _opening(kind, Once)


def columns_in_another_order(kind: EngineKind) -> EngineKind:
    """The columns of a table are in another order than the engine says, so that they cannot be called by their place."""

    class Turned(_Planted):
        def columns(self, name: str, location: str) -> tuple[str, ...]:
            found = self.honest.columns(f"{name}_all", location)
            self.honest.keep(name, f"SELECT {', '.join(reversed(found))} FROM {name}_all")
            return found

    return _opening(kind, Turned)


def first_rows_given(kind: EngineKind) -> EngineKind:
    """Of many rows the first thousand come back."""

    class Few(_Planted):
        def rows(self, query: str) -> list[tuple[Any, ...]]:
            return self.honest.rows(query)[:1000]

    return _opening(kind, Few)


def lists_left_as_they_come(kind: EngineKind) -> EngineKind:
    """Lists are not sorted, so that units with the same releases have different signatures."""

    class Unsorted(_Planted):
        def rows(self, query: str) -> list[tuple[Any, ...]]:
            found = self.honest.rows(query)
            if "array_sort" not in query:
                return found
            return [(who, " ".join(reversed(str(signature).split()))) for who, signature in found]

    return _opening(kind, Unsorted)


def numbers_guessed(kind: EngineKind) -> EngineKind:
    """Cells that look like numbers are read as numbers, so that zeros before them are lost."""
    return _showing(kind, lambda cell: str(int(cell)) if cell.isdecimal() and cell.isascii() else cell)


def spaces_taken_away(kind: EngineKind) -> EngineKind:
    """Spaces around a cell are taken away, so that an empty one and a space are the same."""
    return _showing(kind, lambda cell: cell.strip() or None)


def words_taken_for_nothing(kind: EngineKind) -> EngineKind:
    """A cell that says NULL is taken for an empty one."""
    return _showing(kind, lambda cell: None if cell == "NULL" else cell)


def errors_of_its_own(kind: EngineKind) -> EngineKind:
    """What goes wrong is told in errors that no command knows."""

    class Raw(_Planted):
        def rows(self, query: str) -> list[tuple[Any, ...]]:
            try:
                return self.honest.rows(query)
            except Exception as error:
                raise RuntimeError(str(error)) from error

    return _opening(kind, Raw)


def half_written_kept(kind: EngineKind) -> EngineKind:
    """A table that could not be written is left as far as it came, and nobody is told."""

    class Half(_Planted):
        def put(self, query: str, folder: Path) -> None:
            try:
                self.honest.put(query, folder)
            except Exception:
                folder.mkdir(exist_ok=True)

    return _opening(kind, Half)


def order_lost(kind: EngineKind) -> EngineKind:
    """Answers come in the order in which they are ready."""

    class Unordered(_Planted):
        def spread(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
            yield from reversed(list(self.honest.spread(function, items)))

    return _opening(kind, Unordered)


def items_answered_once(kind: EngineKind) -> EngineKind:
    """Items that are alike are answered once."""

    class Once(_Planted):
        def spread(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
            return self.honest.spread(function, list(dict.fromkeys(items)))

    return _opening(kind, Once)


def _opening(kind: EngineKind, planted: Callable[[Engine], Engine]) -> EngineKind:
    return changed(kind, at=lambda self, address: planted(kind.at(address)))


def _showing(kind: EngineKind, change: Callable[[str], str | None]) -> EngineKind:
    """Texts of answers are changed."""

    class Changed(_Planted):
        def rows(self, query: str) -> list[tuple[Any, ...]]:
            found = self.honest.rows(query)
            return [tuple(change(cell) if isinstance(cell, str) else cell for cell in row) for row in found]

    return _opening(kind, Changed)
