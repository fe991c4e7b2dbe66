"""What a study writes: cells and areas as tables, the answer, the page, and its figures; all of it or nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from accountant import AccountantError, InvalidValue
from accountant.commands import visible
from accountant.numbers import plain
from accountant_posterior.attacks.cells.answer import data_of
from accountant_posterior.attacks.cells.page import document_of, figures_of
from accountant_posterior.attacks.cells.summary import by_area, risks

if TYPE_CHECKING:
    from accountant.report import Bars, Curves
    from accountant_posterior.attacks.cells.run import Attacked
    from accountant_posterior.attacks.cells.study import CellStudy

Form = Literal["csv", "parquet"]
_GUESSES = np.array(["absent", "present", "open"])


def write_study(study: CellStudy, folder: Path, form: Form, level: int) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    if folder.exists():
        raise InvalidValue(f"'{visible(str(folder))}' is there already; name a folder that is not")
    draft = folder.with_name(f".{folder.name}.draft")
    try:
        draft.mkdir(parents=True)
        _table(_cells(study), draft / f"simulated-attack-cells.{form}", form)
        _table(_areas(study, level), draft / f"simulated-attack-areas.{form}", form)
        answer = json.dumps(data_of(study, level), indent=2, ensure_ascii=False) + "\n"
        (draft / "simulated-attack.json").write_text(answer, encoding="utf-8")
        _page(study, draft, level)
        draft.rename(folder)
    except OSError as error:
        raise AccountantError(f"cannot write {visible(str(folder))}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _cells(study: CellStudy) -> dict[str, Any]:
    """A row for each cell and prior."""
    cells, parts = study.cells, []
    for item in study.followed:
        found = item.found
        lowest, highest = risks(found, item.attacker.prior)
        columns: dict[str, Any] = {}
        for level, place in enumerate(cells.places):
            columns[place] = _texts(cells.names[level])[cells.above[level][found.area]]
        for index, name in enumerate(cells.columns):
            columns[name] = _texts([kind[index] for kind in cells.kinds])[found.kind]
        columns |= {
            "true_count": found.count,
            "noisy_count": found.released,
            **_processed(study, found),
            "prior": np.full(len(found.area), plain(item.attacker.prior), dtype=object),
            "posterior_lower": found.lower,
            "posterior_upper": found.upper,
            "risk_lower": lowest,
            "risk_upper": highest,
            "guess": _GUESSES[found.guess],
            "simulated_attack": np.full(len(found.area), study.label, dtype=object),
        }
        parts.append(columns)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _processed(study: CellStudy, found: Attacked) -> dict[str, Any]:
    """The counts after post-processing; what they alone tell is not worked out."""
    if study.processed is None:
        return {}
    unknown = np.full(len(found.area), "unknown", dtype=object)
    groups = study.cells.grouped(study.tables.columns)[0]
    return {"processed_count": study.processed[found.area, groups[found.kind]], "posterior_of_processed": unknown}


def _texts(values: Sequence[str]) -> NDArray[np.object_]:
    found = np.empty(len(values), dtype=np.object_)
    found[:] = values
    return found


def _areas(study: CellStudy, level: int) -> dict[str, Any]:
    """A row for each area of a level and prior."""
    rows = [
        (
            name,
            plain(item.attacker.prior),
            told.cells,
            told.mean.lower,
            told.mean.upper,
            told.largest.lower,
            told.largest.upper,
            told.right.lower,
            told.right.upper,
            study.label,
        )
        for item in study.followed
        for name, told in by_area(item.found, study.cells, level, item.attacker.present)
    ]
    ends = [f"{word}_{end}" for word in ("mean", "largest", "right") for end in ("lower", "upper")]
    names = [study.cells.places[level], "prior", "cells", *ends, "simulated_attack"]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _table(columns: dict[str, Any], path: Path, form: Form) -> None:
    import pyarrow
    from pyarrow import csv, parquet

    table = pyarrow.table(columns)
    if form == "csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path)


def _page(study: CellStudy, folder: Path, level: int) -> None:
    from accountant.report import Curves, HtmlRenderer

    page = HtmlRenderer().render(document_of(study, level))
    (folder / "simulated-attack.html").write_text(page, encoding="utf-8")
    for number, figure in enumerate(figures_of(study, level), start=1):
        if isinstance(figure, Curves):
            _draw(figure, folder / f"simulated-attack-figure-{number}")
        else:
            _draw_bars(figure, folder / f"simulated-attack-figure-{number}")


def _draw(figure: Curves, path: Path) -> None:
    sheet, axes = _sheet(figure.title)
    for series in figure.series:
        across, low, high = np.array(series.points).T
        axes.plot(across, 0.5 * (low + high), label=series.label)
        axes.fill_between(across, low, high, alpha=0.25)
    if figure.horizontal.scale == "logarithmic":
        axes.set_xscale("log")
    axes.set_xlabel(figure.horizontal.label)
    axes.set_ylabel(figure.vertical.label)
    axes.set_ylim(figure.vertical.start, figure.vertical.end)
    axes.legend()
    _save(sheet, path)


def _draw_bars(figure: Bars, path: Path) -> None:
    sheet, axes = _sheet(figure.title)
    bars = figure.bars[::-1]
    axes.barh([bar.label for bar in bars], [bar.length for bar in bars])
    if figure.reference is not None:
        axes.axvline(figure.reference[0], linestyle="dotted", color="black", label=figure.reference[1])
        axes.legend(loc="lower left")
    axes.set_xlabel(figure.axis.label)
    _save(sheet, path)


def _sheet(title: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    sheet = Figure(figsize=(7.4, 4.6), layout="constrained")
    axes = sheet.add_subplot()
    axes.set_title(title, fontsize=10)
    return sheet, axes


def _save(sheet: Any, path: Path) -> None:
    sheet.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    sheet.savefig(path.with_suffix(".png"), dpi=120)
