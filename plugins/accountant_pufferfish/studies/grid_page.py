"""What a study by enumeration says and writes: numbers of a kind over a grid, as a table, a page and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import frozen

from accountant import AccountantError, fields
from accountant.commands import Form, Plain, StudyGrid, new_folder, write_page, write_table
from accountant.report import Axis, Callout, Curves, Document, Paragraph, Section, Series, Table


@frozen
class Kind:
    """What the numbers of a study are: their label, the word for one and for what it is of, and the top of their axis."""

    label: str
    word: str
    of: str
    head: str
    says: str
    top: float | None = None


POWER = Kind(
    "power of tests by enumeration, not a statement about privacy",
    "power",
    "test",
    "Power of the most powerful test",
    "The chance that the most powerful test of the level says that the alternative holds, where it does.",
    1.0,
)
DISTANCE = Kind(
    "distances in exact numbers, from which noise is calibrated",
    "distance",
    "of",
    "How far it moves with one record",
    "The distance of order infinity between the laws given that a record is 0 and given that it is 1.",
)


@frozen
class GridStudy:
    """A grid, what was compared, in words, and a number for each at every setting."""

    kind: Kind
    grid: StudyGrid
    compared: tuple[str, ...]
    what: str
    found: tuple[Plain, ...]

    @property
    def across(self) -> str:
        """The number that takes the most values."""
        numbers = [
            name for name, value in self.grid.settings[0].items() if not isinstance(value, list) and _is_number(value)
        ]
        return max(numbers, key=lambda name: len({str(setting[name]) for setting in self.grid.settings}))


def _is_number(value: Any) -> bool:
    try:
        fields.exact(value)
    except AccountantError:
        return False
    return True


def data_of(study: GridStudy) -> dict[str, Any]:
    """What was found, as plain data."""
    kind = study.kind
    return {
        "label": kind.label,
        "title": study.grid.title,
        "settings": [
            {
                "setting": {name: _written(value) for name, value in setting.items()},
                kind.word: [{kind.of: name, kind.word: f"{found[name]:.9g}"} for name in study.compared],
                **_clamps(study, found),
            }
            for setting, found in zip(study.grid.settings, study.found, strict=True)
        ],
    }


def _clamps(study: GridStudy, found: Plain) -> Plain:
    if study.kind is not POWER:
        return {}
    named = {name: found.get(f"clamps, {name}") for name in study.compared}
    between = [(name, *ends) for name, ends in named.items() if ends is not None]
    return {"clamps": [{"test": name, "from": f"{low:.9g}", "to": f"{high:.9g}"} for name, low, high in between]}


def schema(kind: Kind) -> dict[str, Any]:
    """What the commands print with --json, as a JSON Schema."""
    text, number = {"type": "string"}, {"$ref": "#/$defs/number"}
    clamps = {"clamps": _many(_table({"test": text, "from": number, "to": number}))} if kind is POWER else {}
    setting = _table(
        {
            "setting": {"type": "object", "additionalProperties": text},
            kind.word: _many(_table({kind.of: text, kind.word: number})),
            **clamps,
        }
    )
    return _table({"label": text, "title": text, "settings": _many(setting), "output": text})


def _many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _written(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def write_study(study: GridStudy, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    columns: dict[str, list[Any]] = {}
    for setting, found in zip(study.grid.settings, study.found, strict=True):
        row = {name: _written(value) for name, value in setting.items()}
        for name in study.compared:
            row |= {f"{study.kind.word}_{name.replace(' ', '_')}": found[name]}
        for name in study.compared:
            low, high = found.get(f"clamps, {name}", (None, None))
            if low is not None:
                row |= {f"lower_clamp_{name.replace(' ', '_')}": low, f"upper_clamp_{name.replace(' ', '_')}": high}
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    with new_folder(folder) as draft:
        write_table(columns, draft / f"study-{study.kind.word}.{form}", form)
        figure = figure_of(study)
        page = Document(
            study.grid.title,
            (Callout("note", "What this is", (Paragraph(study.what),)), Section("Results", (_results(study), figure))),
            subtitle=study.kind.label,
            small_print=(study.what,),
        )
        write_page("study", draft, {**data_of(study), "output": str(folder)}, page, [figure])


def _results(study: GridStudy) -> Table:
    varying = study.grid.varying or (study.across,)
    rows = tuple(
        (*(_written(setting[name]) for name in varying), *(number(found[name]) for name in study.compared))
        for setting, found in zip(study.grid.settings, study.found, strict=True)
    )
    return Table(study.kind.head, (*varying, *study.compared), rows)


def number(value: float) -> str:
    """A number as it is shown: whole ones as they are."""
    return f"{value:d}" if isinstance(value, int) else f"{value:.4f}"


def figure_of(study: GridStudy) -> Curves:
    """The numbers over that of the grid with the most values, a curve for each of what is compared and other setting."""
    across, word, top = study.across, study.kind.word, study.kind.top
    others = [name for name in study.grid.varying if name != across]
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for setting, found in zip(study.grid.settings, study.found, strict=True):
        place = float(fields.exact(setting[across]))
        for name in study.compared:
            label = ", ".join((name, *(f"{other} {_written(setting[other])}" for other in others)))
            lines.setdefault(label, []).append((place, found[name], found[name]))
    series = tuple(Series(label, tuple(sorted(points))) for label, points in lines.items())
    places = sorted({point[0] for one in series for point in one.points})
    ends = [point[2] for one in series for point in one.points]
    rows = tuple(
        (f"{at:g}", *(next((number(y) for x, y, _ in one.points if x == at), "") for one in series)) for at in places[:12]
    )
    return Curves(
        f"{word.upper()}, by {across}",
        study.kind.says,
        Axis(across, "number", places[0], places[-1] if len(places) > 1 else places[0] + 1.0),
        Axis(word, "number" if study.kind.top is None else "share", 0.0, 1.02 * max(ends) if top is None else top),
        series,
        Table(study.kind.head, (across, *(one.label for one in series)), rows),
    )
