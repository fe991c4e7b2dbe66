"""Tables of people or of counts, read and checked as a whole: all that is wrong is said at once."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from accountant import Fault, InvalidValue, PlanError
from accountant.commands import visible
from accountant_posterior.attacks.cells.areas import CellCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHOWN = 3
_MOST_CELLS = 2**27
_MOST_DIGITS = 9
_UTF = "the text is not UTF-8, so save it as that: "


def read_cells(location: str, places: Sequence[str], columns: Sequence[str], counts: str | None) -> CellCounts:
    """The cells of a CSV or Parquet file with a row for each person, or for each cell with its count in a column."""
    path = Path(location)
    before = _state(path)
    table = _read(path, tuple(dict.fromkeys((*places, *columns, *((counts,) if counts else ())))))
    place = visible(str(path))
    if _state(path) != before:
        raise PlanError((Fault("changed while it was read; begin again", place),))
    faults = [*empty_cells(table, (*places, *columns), place)]
    numbers: NDArray[np.int64] | None = None
    if counts:
        numbers = _numbers(table, counts, place, faults)
    if not table.num_rows:
        faults.append(Fault("there are no rows", place))
    if faults:
        raise PlanError(tuple(faults))
    return cells_of(table, tuple(places), tuple(columns), numbers, place)


def _state(path: Path) -> tuple[int, int] | None:
    """What changes when a file does; nothing where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _read(path: Path, wanted: tuple[str, ...]) -> Any:
    try:
        import pyarrow
        from pyarrow import csv, parquet
    except ImportError as error:
        raise InvalidValue("tables of people need pyarrow: install 'privacy-accountant[tables]'") from error
    place = visible(str(path))
    suffix = path.suffix.lower()
    if path.is_dir():
        told = "it is a folder; name a .csv or a .parquet file in it, or count the people in all of them with --engine"
        raise PlanError((Fault(told, place),))
    if suffix not in (".csv", ".parquet"):
        raise PlanError((Fault("a table is a .csv or a .parquet file", place),))
    if not path.is_file():
        raise PlanError((Fault("there is no such file", place),))
    try:
        if suffix == ".parquet":
            found = parquet.read_schema(path)
        else:
            _check_encoding(path, place)
            with csv.open_csv(path) as opened:
                found = opened.schema
        check_names(found.names, wanted, place)
        _check_types(found, wanted, place)
        if suffix == ".parquet":
            table = parquet.read_table(path, columns=list(wanted))
        else:
            texts = dict.fromkeys(wanted, pyarrow.string())
            options = csv.ConvertOptions(
                include_columns=list(wanted), column_types=texts, null_values=[""], strings_can_be_null=True
            )
            table = csv.read_csv(path, convert_options=options)
        return _without_nan(table).cast(pyarrow.schema([(name, pyarrow.string()) for name in table.column_names]))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        why = visible(str(error).splitlines()[0])
        raise PlanError((Fault(f"cannot be read: {_UTF if 'invalid utf8' in why.lower() else ''}{why}", place),)) from error


def _check_encoding(path: Path, place: str) -> None:
    """Refuse text in two or four bytes a letter, which begins with one of two marks."""
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise PlanError((Fault(f"cannot be read: {_UTF}it begins like UTF-16", place),))


def _check_types(schema: Any, wanted: Sequence[str], place: str) -> None:
    from pyarrow import types

    faults = [
        Fault(f"column '{name}' is of {visible(str(schema.field(name).type))}; a cell is text or a number", place)
        for name in wanted
        if types.is_nested(schema.field(name).type)
    ]
    if faults:
        raise PlanError(tuple(faults))


def _without_nan(table: Any) -> Any:
    """The same with nothing where a number is not one: so tables of people are written where somebody's is missing."""
    import pyarrow
    import pyarrow.compute as pc

    for place, name in enumerate(table.column_names):
        column = table[name]
        if pyarrow.types.is_floating(column.type):
            nothing = pyarrow.scalar(None, column.type)
            table = table.set_column(place, name, pc.if_else(pc.is_nan(column), nothing, column))
    return table


def check_names(found: Sequence[str], wanted: Sequence[str], place: str) -> None:
    """PlanError with all columns that are not there, or there more than once."""
    known = ", ".join(visible(name) for name in found)
    faults = [
        *(Fault(f"there is no column '{name}'; the columns are {known}", place) for name in wanted if name not in found),
        *(
            Fault(f"there are {found.count(name)} columns '{name}'", place)
            for name in wanted
            if list(found).count(name) > 1
        ),
    ]
    if faults:
        raise PlanError(tuple(faults))


def empty_cells(table: Any, columns: Sequence[str], place: str, people: NDArray[np.int64] | None = None) -> list[Fault]:
    """The columns in which somebody has nothing; rows stand for so many people, in no order, where that is given."""
    import pyarrow.compute as pc

    found = []
    for name in columns:
        # There are few different values beside the rows.
        if not pc.any(_nothing(pc.unique(table[name]))).as_py():
            continue
        missing = _nothing(table[name])
        if rows := pc.sum(missing).as_py():
            where = f", the first being {_row(missing)}" if people is None else ""
            number = rows if people is None else int(people[np.asarray(missing)].sum())
            found.append(Fault(f"{_rows(number)} nothing in '{name}'{where}; say it", place))
    return found


def _nothing(texts: Any) -> Any:
    import pyarrow.compute as pc

    return pc.fill_null(pc.equal(pc.utf8_trim_whitespace(texts), ""), True)


def _numbers(table: Any, column: str, place: str, faults: list[Fault]) -> NDArray[np.int64] | None:
    import pyarrow.compute as pc

    wrong = pc.invert(pc.fill_null(pc.match_substring_regex(table[column], f"^[0-9]{{1,{_MOST_DIGITS}}}$"), False))
    if rows := pc.sum(wrong).as_py():
        shown = pc.unique(pc.filter(table[column], wrong)).to_pylist()[:_SHOWN]
        words = ", ".join("nothing" if cell is None else f"'{visible(cell)}'" for cell in shown)
        faults.append(
            Fault(
                f"{_rows(rows)} no whole number from 0 on in '{column}' but {words}, the first being {_row(wrong)}", place
            )
        )
        return None
    return np.asarray(pc.cast(table[column], "int64"))


def cells_of(
    table: Any, places: tuple[str, ...], columns: tuple[str, ...], numbers: NDArray[np.int64] | None, place: str
) -> CellCounts:
    """The cells of a table of texts, in the order of their names, with a row for each person or so many in each row."""
    codes, names = {}, {}
    for name in (*places, *columns):
        encoded = table[name].combine_chunks().dictionary_encode()
        found = encoded.dictionary.to_pylist()
        names[name] = tuple(sorted(found))
        ranks = {text: rank for rank, text in enumerate(names[name])}
        codes[name] = np.array([ranks[text] for text in found], dtype=np.int64)[np.asarray(encoded.indices)]
    parents, faults = [], []
    for inner, outer in itertools.pairwise(places):
        parent = np.full(len(names[inner]), -1, dtype=np.int64)
        parent[codes[inner]] = codes[outer]
        torn = np.unique(codes[inner][parent[codes[inner]] != codes[outer]])
        if torn.size:
            shown = ", ".join(f"'{visible(names[inner][k])}'" for k in torn[:_SHOWN])
            faults.append(
                Fault(
                    f"{torn.size:,} of '{inner}' lie in more than one '{outer}', such as {shown}; give each its own name",
                    place,
                )
            )
        parents.append(parent)
    kinds, number = np.zeros(table.num_rows, dtype=np.int64), 1
    for name in columns:
        kinds, number = _ranked(kinds * len(names[name]) + codes[name], number * len(names[name]))
    # Any row of a kind tells what its people are like.
    some = np.empty(number, dtype=np.int64)
    some[kinds] = np.arange(table.num_rows)
    size = len(names[places[0]]) * number
    if size > _MOST_CELLS:
        faults.append(
            Fault(f"{size:,} cells are too many for one attack (at most {_MOST_CELLS:,}); attack it in parts", place)
        )
    cell = codes[places[0]] * number + kinds
    if numbers is not None and not faults:
        again = cell.size - np.unique(cell).size
        if again:
            faults.append(
                Fault(f"{_rows(again)} a cell that stands in another row too; a table of counts has each once", place)
            )
    if faults:
        raise PlanError(tuple(faults))
    counts = (
        np.bincount(cell, weights=numbers, minlength=size) if numbers is not None else np.bincount(cell, minlength=size)
    )
    return CellCounts(
        places,
        tuple(names[name] for name in places),
        tuple(parents),
        columns,
        tuple(tuple(names[name][codes[name][row]] for name in columns) for row in some),
        counts.astype(np.int64).reshape(-1, number),
    )


def _ranked(codes: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], int]:
    """For each code below so many its rank among those that occur, and how many these are."""
    if most > 4 * len(codes) + 2**16:
        found, ranks = np.unique(codes, return_inverse=True)
        return ranks, len(found)
    ranks = np.cumsum(np.bincount(codes, minlength=most) > 0) - 1
    return ranks[codes], int(ranks[-1]) + 1


def _rows(number: int) -> str:
    return "1 row has" if number == 1 else f"{number:,} rows have"


def _row(wrong: Any) -> str:
    import pyarrow.compute as pc

    return f"row {pc.index(wrong, True).as_py() + 1:,}"
