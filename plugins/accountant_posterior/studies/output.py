"""What a study of intervals says and writes: a table, an answer as plain data, a page and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from accountant.commands import Form, Plain, StudyGrid, new_folder, write_page, write_table
from accountant.report import Axis, Callout, Curves, Document, KeyFigure, KeyFigures, Paragraph, Section, Series, Table
from accountant_posterior.studies.intervals import PARAMETERS, IntervalOutcome, Tried

LABEL = "simulation of inference, not a statement about privacy"
_WHAT = (
    "Datasets were drawn from stated laws, mean and variance released with Laplace noise, and the posterior of each "
    "release integrated on grids. This says how often such intervals hold the truth, how long they are and how far off "
    "estimates are. It is not a statement about privacy."
)


@frozen
class IntervalStudy:
    """A grid and everything that was found."""

    grid: StudyGrid
    seed: int
    tried: tuple[Tried, ...]


def data_of(study: IntervalStudy) -> dict[str, Any]:
    """What was found, as plain data."""
    return {
        "label": LABEL,
        "title": study.grid.title,
        "seed": str(study.seed),
        "settings": [
            {
                "setting": {name: str(value) for name, value in one.setting.items()},
                **{name: _outcome(found) for name, found in zip(PARAMETERS, one.outcomes, strict=True)},
                "integration_error": f"{one.rough:.3g}",
            }
            for one in study.tried
        ],
    }


def _outcome(found: IntervalOutcome) -> dict[str, str]:
    return {name: f"{value:.8g}" for name, value in asdict(found).items()}


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, number = {"type": "string"}, {"$ref": "#/$defs/number"}
    outcome = _table(
        dict.fromkeys(("coverage", "coverage_error", "length", "length_error", "mode_error", "mean_error"), number)
    )
    setting = _table(
        {
            "setting": {"type": "object", "additionalProperties": text},
            **dict.fromkeys(PARAMETERS, outcome),
            "integration_error": number,
        }
    )
    settings = {"type": "array", "items": setting}
    return _table({"label": text, "title": text, "seed": text, "settings": settings, "output": text})


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def write_intervals(study: IntervalStudy, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    with new_folder(folder) as draft:
        write_table(_columns(study), draft / f"study-intervals.{form}", form)
        write_page("study", draft, {**data_of(study), "output": str(folder)}, document_of(study), figures_of(study))


def _columns(study: IntervalStudy) -> dict[str, Any]:
    """A row for each setting."""
    columns: dict[str, list[Any]] = {}
    for one in study.tried:
        row: Plain = dict(one.setting)
        for name, found in zip(PARAMETERS, one.outcomes, strict=True):
            row |= {f"{name}_{part}": value for part, value in asdict(found).items()}
        row |= {"integration_error": one.rough, "seed": str(study.seed)}
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns


def document_of(study: IntervalStudy) -> Document:
    """The page."""
    covers = [one.outcomes[0].coverage for one in study.tried]
    rough = max(one.rough for one in study.tried)
    datasets = sum(int(one.setting["datasets"]) for one in study.tried)
    said = (
        f"Random numbers come from seed {study.seed}, whatever the number of processes. Ends of intervals for the mean "
        f"moved by at most {100 * rough:.1f} % of the interval's length on grids twice as fine, as far as that was tried."
    )
    return Document(
        study.grid.title,
        (
            Callout("note", "What this is", (Paragraph(_WHAT),)),
            KeyFigures(
                (
                    KeyFigure(f"{len(study.tried):,}", f"settings, {datasets:,} datasets together"),
                    KeyFigure(f"{100 * min(covers):.1f} %", "is the smallest coverage of the mean"),
                    KeyFigure(f"{100 * max(covers):.1f} %", "is the largest one"),
                )
            ),
            Section("Results", (Paragraph(said), _results(study))),
            Section("Pictures", tuple(figures_of(study))),
        ),
        subtitle=LABEL,
        small_print=(_WHAT,),
    )


def _results(study: IntervalStudy) -> Table:
    varying = study.grid.varying or ("count",)
    rows = tuple(
        (
            *(str(one.setting[name]) for name in varying),
            f"{100 * one.outcomes[0].coverage:.1f} % ± {196 * one.outcomes[0].coverage_error:.1f}",
            f"{one.outcomes[0].length:.4g}",
            f"{one.outcomes[0].mode_error:.4g}",
            f"{one.outcomes[0].mean_error:.4g}",
            f"{100 * one.outcomes[1].coverage:.1f} %",
        )
        for one in study.tried
    )
    head = ("Coverage of the mean", "Length", "Error of the mode", "Error of the mean", "Coverage of the variance")
    return Table("What became of the intervals", (*(name.capitalize() for name in varying), *head), rows)


_Reading = Callable[[IntervalOutcome], tuple[float, float]]


def figures_of(study: IntervalStudy) -> list[Curves]:
    """Coverage, length and errors over the key with the most values, a curve for each of the other combinations."""
    wanted: tuple[tuple[int, str, bool, _Reading], ...] = (
        (0, "coverage of the mean", False, lambda one: (one.coverage, 2.0 * one.coverage_error)),
        (0, "length of intervals for the mean", True, lambda one: (one.length, 2.0 * one.length_error)),
        (0, "error of the mode of the mean", True, lambda one: (one.mode_error, 0.0)),
        (0, "error of the mean of the mean", True, lambda one: (one.mean_error, 0.0)),
        (1, "coverage of the variance", False, lambda one: (one.coverage, 2.0 * one.coverage_error)),
        (1, "length of intervals for the variance", True, lambda one: (one.length, 2.0 * one.length_error)),
        (1, "error of the mode of the variance", True, lambda one: (one.mode_error, 0.0)),
    )
    across = _axis_of(study.grid)
    return [_curves(study, across, *one) for one in wanted]


def _axis_of(grid: StudyGrid) -> str:
    """The number that takes the most values."""
    numbers = ("count", "epsilon", "datasets", "level")
    return max(numbers, key=lambda name: len({str(setting[name]) for setting in grid.settings}))


def _curves(study: IntervalStudy, across: str, place: int, word: str, logarithmic: bool, read: _Reading) -> Curves:
    others = [name for name in study.grid.varying if name != across]
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for one in study.tried:
        label = ", ".join(f"{name} {one.setting[name]}" for name in others) or "all"
        value, off = read(one.outcomes[place])
        lines.setdefault(label, []).append((_number(one.setting[across]), max(value - off, 1e-300), value + off))
    series = tuple(Series(label, tuple(sorted(points))) for label, points in lines.items())
    ends = [end for one in series for _, low, high in one.points for end in (low, high)]
    places = sorted({point[0] for one in series for point in one.points})
    if logarithmic:
        vertical, reference = Axis(word, "logarithmic", 0.9 * min(ends), 1.1 * max(ends)), None
    else:
        level = _number(study.tried[0].setting["level"])
        vertical = Axis(word, "share", min([*ends, 0.9]), 1.0)
        reference = Series(f"{100 * level:g} %", ((places[0], level, level), (places[-1], level, level)))
    end = places[-1] if len(places) > 1 else places[0] + 1.0
    rows = tuple((f"{at:g}", *(_middle(one, at) for one in series)) for at in _some(places))
    return Curves(
        f"SIMULATION: {word}, by {across}",
        f"Over {study.tried[0].setting['datasets']:,} datasets of each setting; bands reach two standard errors.",
        Axis(across, "logarithmic" if places[0] > 0 and places[-1] >= 8 * places[0] else "number", places[0], end),
        vertical,
        series,
        Table(word.capitalize(), (across, *(one.label for one in series)), rows),
        reference,
    )


def _middle(series: Series, place: float) -> str:
    """The value of a series at a place; nothing where it has none."""
    return next((f"{0.5 * (low + high):.4g}" for x, low, high in series.points if x == place), "")


def _some(places: Sequence[float]) -> Sequence[float]:
    return places[:: max(1, -(-len(places) // 8))]


def _number(value: Any) -> float:
    from accountant import fields

    return float(fields.exact(value))
