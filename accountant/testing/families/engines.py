"""What is tried of a kind of engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from accountant.engines.kinds import ENGINES, EngineKind
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = ENGINES

_LARGEST = 10**18 - 1
_CLASSES = {"one": "a", "uno": "a", "two": "b", "three": "c", "four": "0d"}
_EXAMPLES = 6

_awkward = st.sampled_from(
    [
        "",
        " ",
        "007",
        "1.50",
        "NULL",
        "null",
        "\\N",
        "nan",
        "true",
        "2024-01-02",
        'a "word"',
        "it's",
        "a,b",
        "été",
        "a\nb",
        "\\",
    ]
)
_cells = _awkward | st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=4)
_rows = st.tuples(
    st.sampled_from(["x", "y", " x", "X", "été"]),
    st.sampled_from([*_CLASSES, "five"]),
    st.integers(0, 3) | st.integers(_LARGEST - 3, _LARGEST),
)


def trials(kit: Kit, name: str, kind: EngineKind) -> Iterator[Trial]:
    """What it counts, reads, writes and spreads, at the address where it needs nothing beside it."""
    subject = f"engine {name}"
    for law, beside, check, drawn in (
        (
            "engines count what is there",
            "",
            partial(laws.engine_counts_what_is_there, classes=_CLASSES),
            {"rows": _many(_rows)},
        ),
        ("engines count what is there", ", many rows", laws.engine_gives_every_row, {}),
        (
            "engines read cells as they are written",
            "",
            laws.engine_reads_cells_as_they_are_written,
            {"rows": _many(st.tuples(_cells, _cells))},
        ),
        ("engines leave nothing half done", "", laws.engine_leaves_nothing_half_done, {}),
        ("engines spread functions in order", "", laws.engine_spreads_in_order, {"items": _many(st.integers(-9, 9))}),
    ):
        yield Trial(law, kit.plugin, f"{subject}{beside}", partial(_tried, kit, kind, check, drawn), subject)


def _many(item: SearchStrategy[Any]) -> SearchStrategy[list[Any]]:
    return st.lists(item, min_size=1, max_size=12)


def _tried(kit: Kit, kind: EngineKind, law: Callable[..., None], drawn: dict[str, SearchStrategy[Any]]) -> None:
    with kind.at(kind.alone) as engine:
        if drawn:
            kit.searched(law, engine, examples=_EXAMPLES, **drawn)()
        else:
            law(engine)
