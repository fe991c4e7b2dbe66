"""Groups: what has been counted of the rows of a table so far, by the cells of some columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from attrs import field, frozen

from accountant.errors import Fault, PlanError, suggest
from accountant.values.columns import MOST_ROWS

_MOST_TEXT = 256 * 2**20

Cells = tuple[str, ...]


@frozen
class Group:
    """Cells that some rows have in common, how many rows these are, and the first of them with its line."""

    cells: Cells
    count: int
    row: int
    line: int | None


@frozen(eq=False)
class Found:
    """What has been counted of a file so far."""

    path: Path
    place: str
    wanted: tuple[str, ...]
    _counts: Counter[Cells] = field(factory=Counter)
    _first: dict[Cells, tuple[int, int | None]] = field(factory=dict)
    _sizes: list[int] = field(factory=lambda: [0, 0])

    @property
    def rows(self) -> int:
        """How many rows there were."""
        return self._sizes[0]

    def asked(self, columns: Sequence[str]) -> list[str]:
        """The columns to look at, of those that there are."""
        missing = [column for column in self.wanted if column not in columns]
        if missing:
            table = self.place.removesuffix(".file")
            messages = (f"'{self.path.name}' has no column '{column}'{suggest(column, columns)}" for column in missing)
            raise PlanError(tuple(Fault(message, table) for message in messages))
        return list(self.wanted)

    def add(self, rows: int, groups: Iterable[tuple[Cells, int, int]], line: Callable[[int], int | None]) -> None:
        """Further rows: their number, and cells with a count and the first place, counted from 0, whose line is known."""
        # Cells that differ in spaces are one: the first of them counts, in whatever order they come.
        for cells, count, place in sorted(groups, key=itemgetter(2)):
            said = tuple(cell.strip() for cell in cells)
            if said not in self._first:
                self._first[said] = self.rows + place + 1, line(place)
                self._sizes[1] += sum(map(len, said))
                if len(self._first) > MOST_ROWS or self._sizes[1] > _MOST_TEXT:
                    raise PlanError((Fault(_TOO_MANY.format(self.path.name, MOST_ROWS), self.place),))
            self._counts[said] += count
        self._sizes[0] += rows

    def groups(self) -> Iterator[Group]:
        """The groups, in the order of their first rows."""
        for cells, (row, line) in sorted(self._first.items(), key=lambda item: item[1][0]):
            yield Group(cells, self._counts[cells], row, line)


_TOO_MANY = (
    "'{}' has more than {:,} different rows, as far as the template says what they are; leave columns out of it that only "
    "tell rows apart, such as one that names each"
)
