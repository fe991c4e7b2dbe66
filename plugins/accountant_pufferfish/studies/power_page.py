"""What a study of tests says and writes: the power of each test over a grid, as a table, a page and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import frozen

from accountant import AccountantError, fields
from accountant.commands import Form, Grid, Plain, new_folder, write_page, write_table
from accountant.report import Axis, Callout, Curves, Document, Paragraph, Section, Series, Table

LABEL = "power of tests by enumeration, not a statement about privacy"


@frozen
class PowerStudy:
    """A grid, the tests that were compared, what they are, and the power of each at every setting."""

    grid: Grid
    tests: tuple[str, ...]
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


def data_of(study: PowerStudy) -> dict[str, Any]:
    """What was found, as plain data."""
    return {
        "label": LABEL,
        "title": study.grid.title,
        "settings": [
            {
                "setting": {name: _written(value) for name, value in setting.items()},
                "power": [{"test": name, "power": f"{found[name]:.9g}"} for name in study.tests],
                "clamps": [
                    {"test": name, "from": f"{found[f'clamps, {name}'][0]:.9g}", "to": f"{found[f'clamps, {name}'][1]:.9g}"}
                    for name in study.tests
                    if f"clamps, {name}" in found
                ],
            }
            for setting, found in zip(study.grid.settings, study.found, strict=True)
        ],
    }


def schema() -> dict[str, Any]:
    """What the commands print with --json, as a JSON Schema."""
    text, number = {"type": "string"}, {"$ref": "#/$defs/number"}
    setting = _table(
        {
            "setting": {"type": "object", "additionalProperties": text},
            "power": _many(_table({"test": text, "power": number})),
            "clamps": _many(_table({"test": text, "from": number, "to": number})),
        }
    )
    return _table({"label": text, "title": text, "settings": _many(setting), "output": text})


def _many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _written(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def write_power(study: PowerStudy, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    columns: dict[str, list[Any]] = {}
    for setting, found in zip(study.grid.settings, study.found, strict=True):
        row = {name: _written(value) for name, value in setting.items()}
        for name in study.tests:
            row |= {f"power_{name.replace(' ', '_')}": found[name]}
        for name in study.tests:
            low, high = found.get(f"clamps, {name}", (None, None))
            if low is not None:
                row |= {f"lower_clamp_{name.replace(' ', '_')}": low, f"upper_clamp_{name.replace(' ', '_')}": high}
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    with new_folder(folder) as draft:
        write_table(columns, draft / f"study-power.{form}", form)
        figure = figure_of(study)
        page = Document(
            study.grid.title,
            (Callout("note", "What this is", (Paragraph(study.what),)), Section("Results", (_results(study), figure))),
            subtitle=LABEL,
            small_print=(study.what,),
        )
        write_page("study", draft, {**data_of(study), "output": str(folder)}, page, [figure])


def _results(study: PowerStudy) -> Table:
    varying = study.grid.varying or (study.across,)
    rows = tuple(
        (*(_written(setting[name]) for name in varying), *(f"{found[name]:.4f}" for name in study.tests))
        for setting, found in zip(study.grid.settings, study.found, strict=True)
    )
    return Table("Power of the most powerful test", (*varying, *study.tests), rows)


def figure_of(study: PowerStudy) -> Curves:
    """Power over the number with the most values, a curve for each test and other setting."""
    across = study.across
    others = [name for name in study.grid.varying if name != across]
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for setting, found in zip(study.grid.settings, study.found, strict=True):
        place = float(fields.exact(setting[across]))
        for name in study.tests:
            label = ", ".join((name, *(_written(setting[other]) for other in others)))
            lines.setdefault(label, []).append((place, found[name], found[name]))
    series = tuple(Series(label, tuple(sorted(points))) for label, points in lines.items())
    places = sorted({point[0] for one in series for point in one.points})
    rows = tuple(
        (f"{at:g}", *(next((f"{y:.4f}" for x, y, _ in one.points if x == at), "") for one in series)) for at in places[:12]
    )
    return Curves(
        f"POWER of tests, by {across}",
        "The chance that the most powerful test of the level says that the alternative holds, where it does.",
        Axis(across, "number", places[0], places[-1] if len(places) > 1 else places[0] + 1.0),
        Axis("power", "share", 0.0, 1.0),
        series,
        Table("Power", (across, *(one.label for one in series)), rows),
    )
