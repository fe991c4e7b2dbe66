"""Engine: what counts tables that are too large for lists of Python.

All that is asked of an engine is written once, in the SQL that engines share (`DIALECT` says which functions that is).
Sums are of whole numbers, so that no answer depends on the order in which an engine adds.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, final

from accountant.errors import Fault, PlanError

T = TypeVar("T")
S = TypeVar("S")

DIALECT = ("array_join", "array_sort", "collect_list", "concat", "regexp_like")
"""The functions beyond standard SQL that an engine must know, as Spark calls them."""

_UNFINISHED = ".unfinished"


class Engine(ABC):
    """Tables by name, queries over them, and functions over many items.

    An engine is closed when its `with` block ends. A plugin's engine implements the abstract methods; results must not
    depend on which engine it is, which laws try. What it cannot do it refuses as `refused` does.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name}>"

    @property
    @abstractmethod
    def name(self) -> str:
        """What the engine is called in answers."""

    @abstractmethod
    def columns(self, name: str, location: str) -> tuple[str, ...]:
        """Make a CSV or Parquet file, or a folder of such, a view of this name, and say what its columns are called.

        Every cell is text: as it is written in CSV, as a cast to text gives it in Parquet. An empty cell is NULL.
        """

    @abstractmethod
    def given(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        """Make a small table of texts a view of this name."""

    @abstractmethod
    def keep(self, name: str, query: str) -> None:
        """Compute a query once, and make the answer a view of this name."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The answer of a query whose answer is small."""

    @final
    def write(self, query: str, folder: Path) -> None:
        """Write the answer of a query as Parquet files into a folder that is not there yet.

        Guarantee: the folder is there with the whole answer in it, or not at all. What a writer that was killed left
        beside it is taken away.
        """
        if folder.exists():
            raise refused(f"'{folder}' is there already", "output")
        draft = folder.with_name(f"{folder.name}{_UNFINISHED}")
        shutil.rmtree(draft, ignore_errors=True)
        try:
            self.put(query, draft)
            draft.rename(folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    @abstractmethod
    def put(self, query: str, folder: Path) -> None:
        """Make a folder, and put the answer of a query into it as Parquet files; `write` takes away what is not whole."""

    @abstractmethod
    def spread(self, function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
        """What a function gives for every item, in their order, computed wherever the engine has room.

        The function and the items are pickled.
        """

    @abstractmethod
    def close(self) -> None:
        """End everything that the engine started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def refused(message: str, place: str) -> PlanError:
    """One fault of what an engine was given."""
    return PlanError((Fault(message, place),))


def quoted(name: str) -> str:
    """A text as SQL has it, in the way that all engines read: no character of it ends the text or escapes another."""
    if "\\" in name:
        raise refused(f"'{name}' has a backslash in it, which engines read in different ways", "engine")
    return "'" + name.replace("'", "''") + "'"
