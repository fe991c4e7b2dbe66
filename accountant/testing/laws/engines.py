"""Laws of engines: what they count is what a slow enumeration counts, to the last digit and the last character."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from accountant.engines.engine import Engine
from accountant.errors import AccountantError
from accountant.testing.counterexamples import broken

Row = tuple[str, str, int]
"""Who, what, how often."""

_ROWS, _CLASSES, _TAKEN = "law_rows", "law_classes", "law_taken"
_HEADER = ("who", "what", "often")
_THOUSANDS = 12_345


def engine_counts_what_is_there(engine: Engine, rows: Sequence[Row], classes: Mapping[str, str]) -> None:
    """Joins, sums of whole numbers and signatures are those of a slow enumeration, however large the numbers are."""
    with tempfile.TemporaryDirectory() as folder:
        _columns(engine, _written(folder, _HEADER, rows))
        engine.given(_CLASSES, {"what": list(classes), "class": list(classes.values())})
        often = "CAST(r.often AS DECIMAL(18, 0))"
        engine.keep(
            _TAKEN,
            f"SELECT r.who AS who, c.class AS class, SUM({often}) AS often, COUNT(*) AS stated FROM {_ROWS} r "
            f"JOIN {_CLASSES} c ON r.what = c.what GROUP BY r.who, c.class",
        )
        found = engine.rows(f"SELECT who, class, often, stated FROM {_TAKEN}")
        signed = engine.rows(
            "SELECT who, array_join(array_sort(collect_list(concat(class, ':', CAST(often AS STRING)))), ' ') AS signature "
            f"FROM {_TAKEN} WHERE NOT regexp_like(class, '[^a-z]') GROUP BY who"
        )
    known = [(who, classes[what], often) for who, what, often in rows if what in classes]
    pairs = {(who, name) for who, name, _ in known}
    sums = {pair: [often for who, name, often in known if (who, name) == pair] for pair in pairs}
    _same(
        "sums must be those of whole numbers",
        {(who, name, sum(each), len(each)) for (who, name), each in sums.items()},
        [(who, name, int(often), int(stated)) for who, name, often, stated in found],
        rows=str(list(rows)),
    )
    lettered = {(who, name) for who, name in pairs if name.isalpha()}
    signatures = {
        (who, " ".join(sorted(f"{name}:{sum(sums[other, name])}" for other, name in lettered if other == who)))
        for who, _ in lettered
    }
    _same("lists must be sorted and joined as texts", signatures, [tuple(row) for row in signed], rows=str(list(rows)))


def engine_gives_every_row(engine: Engine) -> None:
    """Of a table of thousands of rows all come back, and are counted: nothing is a first page."""
    rows = [(f"r{place}",) for place in range(_THOUSANDS)]
    with tempfile.TemporaryDirectory() as folder:
        _columns(engine, _written(folder, ("cell",), rows))
        found = [tuple(row) for row in engine.rows(f"SELECT cell FROM {_ROWS}")]
        counted = [int(number) for (number,) in engine.rows(f"SELECT COUNT(*) AS many FROM {_ROWS}")]
    if Counter(found) != Counter(rows) or counted != [_THOUSANDS]:
        broken(
            "all rows of a table must come back, and be counted",
            written=f"{_THOUSANDS:,} rows, all different",
            came_back=f"{len(found):,}, of which {len(set(found)):,} are different",
            counted=str(counted),
            look_at="'columns' and 'rows'",
        )


def engine_reads_cells_as_they_are_written(engine: Engine, rows: Sequence[tuple[str, str]]) -> None:
    """Every cell of a CSV file is text as it stands there, an empty one NULL; so it is in files that an engine wrote."""
    expected = [tuple(cell or None for cell in row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        for location in (_written(folder, ("first", "second"), rows), Path(folder) / "again"):
            if not location.exists():
                engine.write(f"SELECT first, second FROM {_ROWS}", location)
            _columns(engine, location)
            found = engine.rows(f"SELECT first, second FROM {_ROWS}")
            where = "a CSV file" if location.suffix else "files that the engine wrote"
            _same(f"cells of {where} must be read as they are written", expected, [tuple(row) for row in found])
        found = engine.rows(f"SELECT c1, c0 FROM {_ROWS} AS r(c0, c1)")
        turned = [(second, first) for first, second in expected]
        _same("columns must be called by their place where a query says so", turned, [tuple(row) for row in found])
        engine.keep(_TAKEN, f"SELECT second FROM {_ROWS}")
        engine.keep(_ROWS, f"SELECT second AS cell FROM {_TAKEN}")
        found = engine.rows(f"SELECT cell FROM {_ROWS}")
        _same("a name must stand for what was kept last", [row[1:] for row in expected], [tuple(row) for row in found])


def engine_leaves_nothing_half_done(engine: Engine) -> None:
    """What cannot be done is refused with an error of ours, and no folder is left that looks as if it were whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, ("cell",), [("1",), ("2",), ("x",)])
        engine.columns(_ROWS, str(path))
        asked = f"SELECT CAST(cell AS DECIMAL(18, 0)) AS cell FROM {_ROWS}"
        output = Path(folder) / "output"
        missing = f"SELECT nothing FROM {_ROWS}"
        for words, action in {
            "a file that is not there": lambda: engine.columns(_ROWS, f"{folder}/nothing.csv"),
            "a column that is not there": lambda: engine.rows(missing),
            "a text that is taken for a number": lambda: engine.rows(asked),
            "writing a text that is taken for a number": lambda: engine.write(asked, output),
        }.items():
            _refused(words, action)
        if output.exists():
            broken("a folder that could not be written whole must not be there", holds=str(sorted(output.iterdir())))
        engine.write(f"SELECT cell FROM {_ROWS}", output)
        _refused("a folder that is there already", lambda: engine.write(f"SELECT cell FROM {_ROWS}", output))


def engine_spreads_in_order(engine: Engine, items: Sequence[int]) -> None:
    """A function gives for every item what it gives in a list, in their order."""
    found, expected = list(engine.spread(_square, list(items))), [_square(item) for item in items]
    if found != expected:
        broken("a function must be spread over items in their order", items=str(list(items)), found=str(found))


def _square(item: int) -> int:
    return item * item


def _written(folder: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    path = Path(folder) / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    return path


def _columns(engine: Engine, location: Path) -> None:
    found = engine.columns(_ROWS, str(location))
    if not found:
        broken("an engine must say what the columns of a table are called", found=str(found))


def _same(statement: str, expected: Any, found: Sequence[Any], **facts: str) -> None:
    wanted, there = Counter(expected), Counter(found)
    if wanted != there:
        broken(
            statement,
            **facts,
            missing=str(sorted(map(str, wanted - there))),
            found_instead=str(sorted(map(str, there - wanted))),
        )


def _refused(words: str, action: Callable[[], object]) -> None:
    try:
        action()
    except AccountantError:
        return
    except Exception as error:
        broken(f"{words} must be refused with an error of ours", error=f"{type(error).__name__}: {error}")
    broken(f"{words} must be refused")
