"""What a study writes: cells and areas as tables, the answer, the page, and its figures; all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from accountant.commands import Form, new_folder, write_page, write_table
from accountant.numbers import plain
from accountant_posterior.attacks.cells.answer import data_of
from accountant_posterior.attacks.cells.page import document_of, figures_of
from accountant_posterior.attacks.cells.summary import by_area, risks

if TYPE_CHECKING:
    from accountant_posterior.attacks.cells.run import Attacked
    from accountant_posterior.attacks.cells.study import CellStudy

_GUESSES = np.array(["absent", "present", "open"])


def write_study(study: CellStudy, folder: Path, form: Form, level: int) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    with new_folder(folder) as draft:
        write_table(_cells(study), draft / f"simulated-attack-cells.{form}", form)
        write_table(_areas(study, level), draft / f"simulated-attack-areas.{form}", form)
        write_page("simulated-attack", draft, data_of(study, level), document_of(study, level), figures_of(study, level))


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
