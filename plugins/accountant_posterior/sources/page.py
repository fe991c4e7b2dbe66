"""What is shown of the sources, as a table, a page and figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from attrs import frozen
from numpy.random import PCG64, Generator, SeedSequence

from accountant import InvalidValue
from accountant.commands import Form, new_folder, write_page, write_table
from accountant.progress import steps
from accountant.report import Callout, Document, Paragraph, Section, Table
from accountant_posterior.sources import censuses, chapter_five, chapter_four, chapter_two
from accountant_posterior.sources.shown import Drawn, Shown

LABEL = "figures and tables of the sources beside what is printed, not a statement about your plan"
ALL: dict[str, Drawn] = {**chapter_two.DRAWN, **chapter_four.DRAWN, **chapter_five.DRAWN, **censuses.DRAWN}
"""By the names of figures and tables of Kazan's thesis, and one table of others."""
_WHAT = (
    "Figures and tables of Zeki Kazan's thesis that no other command draws, and the table of decennial censuses of Bailie, "
    "Gong, Meng and Drechsler, computed again. Where the print is wrong, the reason stands beside the number. Attacks are "
    "simulated, and are no guarantees."
)


@frozen
class Sources:
    """What was drawn, and with which seed."""

    seed: int
    shown: tuple[Shown, ...]


def sources_of(names: Sequence[str], seed: int) -> Sources:
    """Draw what is named, or everything; each has a stream of random numbers of its own, whatever else is drawn."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        raise InvalidValue(f"there is no '{unknown[0]}'; there are {', '.join(ALL)}")
    found = []
    for name in steps([name for name in ALL if not names or name in names]):
        stream = SeedSequence([seed, list(ALL).index(name)])
        found.append(ALL[name](Generator(PCG64(stream))))
    return Sources(seed, tuple(found))


def data_of(sources: Sources) -> dict[str, Any]:
    """What was found, as plain data, with the names of the files of each figure."""
    number = count(1)
    return {
        "label": LABEL,
        "seed": str(sources.seed),
        "shown": [
            {
                "name": item.name,
                "title": item.title,
                "figures": [f"sources-figure-{next(number)}" for _ in item.figures],
                "numbers": [
                    {"what": one.what, "printed": one.printed, "here": one.here, "corrected": one.corrected, "why": one.why}
                    for one in item.numbers
                ],
            }
            for item in sources.shown
        ],
    }


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, flag = {"type": "string"}, {"type": "boolean"}
    number = _table({"what": text, "printed": text, "here": text, "corrected": flag, "why": text})
    figures = {"type": "array", "items": text}
    shown = _table({"name": text, "title": text, "figures": figures, "numbers": {"type": "array", "items": number}})
    return _table({"label": text, "seed": text, "shown": {"type": "array", "items": shown}, "output": text})


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def write_sources(sources: Sources, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    columns: dict[str, list[str]] = {"name": [], "what": [], "printed": [], "here": [], "why": []}
    for item in sources.shown:
        for one in item.numbers:
            row = (item.name, one.what, one.printed, one.here, one.why)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    figures = [figure for item in sources.shown for figure in item.figures]
    page = Document(
        "Figures and tables of the sources",
        (
            Callout("note", "What this is", (Paragraph(_WHAT),)),
            *(Section(f"{item.name}: {item.title}", (_numbers(item), *item.figures)) for item in sources.shown),
        ),
        subtitle=LABEL,
        small_print=(_WHAT, f"Samplers drew with seed {sources.seed}."),
    )
    with new_folder(folder) as draft:
        write_table(columns, draft / f"sources.{form}", form)
        write_page("sources", draft, {**data_of(sources), "output": str(folder)}, page, figures)


def _numbers(item: Shown) -> Table:
    rows = tuple((one.what, one.printed, one.here, one.why or "as printed") for one in item.numbers)
    return Table("Printed, and here", ("What", "Printed", "Here", "Why it differs"), rows)
