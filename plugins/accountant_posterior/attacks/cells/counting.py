"""People who are counted into cells by an engine: in this process, or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from accountant import PlanError
from accountant.commands import visible
from accountant.engines import Engine, files_of, refused
from accountant_posterior.attacks.cells.areas import CellCounts
from accountant_posterior.attacks.cells.table import cells_of, check_names, empty_cells

_VIEW, _COUNTED = "attacked_people", "attacked_cells"
_MOST_KINDS = 2**22


def count_cells(engine: Engine, location: str, places: Sequence[str], columns: Sequence[str]) -> CellCounts:
    """The cells of CSV or Parquet files with a row for each person, as `read_cells` has them."""
    import pyarrow

    place = visible(location)
    before = files_of(location).state
    named = engine.columns(_VIEW, location)
    wanted = tuple(dict.fromkeys((*places, *columns)))
    check_names(named, wanted, place)
    # Columns are called by their place, so that no name has to be quoted as one engine or the other does.
    every = ", ".join(f"c{number}" for number in range(len(named)))
    chosen = ", ".join(f"c{named.index(name)}" for name in wanted)
    query = f"SELECT {chosen}, COUNT(*) AS people FROM {_VIEW} AS p({every}) GROUP BY {chosen}"
    engine.keep(_COUNTED, query)
    ((different,),) = engine.rows(f"SELECT COUNT(*) FROM {_COUNTED}")
    if different > _MOST_KINDS:
        raise refused(
            f"{different:,} cells with people are too many to take from an engine (at most {_MOST_KINDS:,}); attack it in "
            "parts, or leave --engine out",
            place,
        )
    rows = engine.rows(f"SELECT {chosen}, people FROM {_COUNTED}")
    if files_of(location).state != before:
        raise refused("changed while it was read; begin again", place)
    if not rows:
        raise refused("there are no rows", place)
    *texts, numbers = zip(*rows, strict=True)
    people = np.array(numbers, dtype=np.int64)
    table = pyarrow.table({name: pyarrow.array(cells, pyarrow.string()) for name, cells in zip(wanted, texts, strict=True)})
    if faults := empty_cells(table, wanted, place, people):
        raise PlanError(tuple(faults))
    return cells_of(table, tuple(places), tuple(columns), people, place)
