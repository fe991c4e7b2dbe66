"""What commands write: tables, an answer, a page and its figures, in a new folder; all of it or nothing."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from accountant.cli.output import visible
from accountant.errors import AccountantError, InvalidValue
from accountant.values.writing import listed

if TYPE_CHECKING:
    from accountant.report.document import Document
    from accountant.report.figure import Bars, Curves

Form = Literal["csv", "parquet"]

Command = TypeVar("Command", bound=Callable[..., Any])

_PACKAGES = ("jinja2", "matplotlib", "pyarrow")
_STYLES = ("solid", "dashed", "dotted", "dashdot")
_INSIDE = 3
"""So many curves have their legend among them; more have it beside the picture."""
_LETTERS = 90
"""How long a line of a title is."""
_NAME = 24
"""How long the name beside a bar is."""


def folder_option(words: str, *, required: bool = False) -> Callable[[Command], Command]:
    """The option --output of a command that writes a page, figures and tables into a folder that it makes.

    Whether that can be done is known before any work is: the folder is not there yet, and what draws and writes is.
    """
    path = click.Path(path_type=Path)
    return click.option("--output", "-o", required=required, metavar="FOLDER", type=path, callback=_ready, help=words)


def _ready(ctx: click.Context, _: click.Parameter, folder: Path | None) -> Path | None:
    if folder is None or ctx.resilient_parsing:
        return folder
    _check_new(folder)
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise AccountantError(
            f"what is written into a folder needs {listed(missing)}, which is not installed; install it with "
            "\"pip install 'privacy-accountant[reports,tables]'\", or leave --output out"
        )
    return folder


def _check_new(folder: Path) -> None:
    if folder.exists():
        raise InvalidValue(f"'{visible(str(folder))}' is there already; name a folder that is not")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into; nothing of it is there if anything fails."""
    _check_new(folder)
    draft = folder.with_name(f".{folder.name}.draft")
    try:
        draft.mkdir(parents=True)
        yield draft
        draft.rename(folder)
    except OSError as error:
        raise AccountantError(f"cannot write {visible(str(folder))}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_table(columns: Mapping[str, Any], path: Path, form: Form) -> None:
    """Columns as a table."""
    import pyarrow
    from pyarrow import csv, parquet

    table = pyarrow.table(dict(columns))
    if form == "csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path)


def write_page(name: str, folder: Path, answer: object, page: Document, figures: Sequence[Curves | Bars]) -> None:
    """An answer as JSON, its page as HTML, and the figures of the page as SVG and PNG."""
    from accountant.report.figure import Curves
    from accountant.report.kinds import HtmlRenderer

    (folder / f"{name}.json").write_text(json.dumps(answer, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / f"{name}.html").write_text(HtmlRenderer().render(page), encoding="utf-8")
    for number, figure in enumerate(figures, start=1):
        if isinstance(figure, Curves):
            _draw(figure, folder / f"{name}-figure-{number}")
        else:
            _draw_bars(figure, folder / f"{name}-figure-{number}")


def _draw(figure: Curves, path: Path) -> None:
    import numpy as np

    sheet, axes = _sheet(figure.title)
    for number, series in enumerate(figure.series):
        across, low, high = np.array(series.points).T
        style, marker, label = _STYLES[number // 10 % len(_STYLES)], _marker(across), _literal(series.label)
        (line,) = axes.plot(across, 0.5 * (low + high), label=label, linestyle=style, marker=marker)
        axes.fill_between(across, low, high, alpha=0.25)
        if len(across) == 1:
            axes.vlines(across, low, high, color=line.get_color(), alpha=0.25)
    if figure.reference is not None:
        across, low, _ = np.array(figure.reference.points).T
        label = _literal(figure.reference.label)
        axes.plot(across, low, linestyle="dotted", marker=_marker(across), color="black", label=label)
    axes.set_xlabel(_literal(figure.horizontal.label))
    axes.set_ylabel(_literal(figure.vertical.label))
    axes.set_ylim(figure.vertical.start, figure.vertical.end)
    if figure.horizontal.scale == "logarithmic":
        _mark_powers(axes, "x")
    elif all(float(place).is_integer() for series in figure.series for place, *_ in series.points):
        axes.xaxis.get_major_locator().set_params(integer=True)
    if figure.vertical.scale == "logarithmic":
        _mark_powers(axes, "y")
    if len(figure.series) > _INSIDE:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize="small")
    else:
        axes.legend()
    _save(sheet, path)


def _mark_powers(axes: Any, side: Literal["x", "y"]) -> None:
    """A logarithmic axis, with 2 and 5 between powers of ten where few of these are in sight."""
    from matplotlib.ticker import LogLocator, NullFormatter

    set_scale, axis = {"x": (axes.set_xscale, axes.xaxis), "y": (axes.set_yscale, axes.yaxis)}[side]
    set_scale("log")
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _marker(places: Sized) -> str | None:
    """A curve of one place is a dot."""
    return "o" if len(places) == 1 else None


def _draw_bars(figure: Bars, path: Path) -> None:
    sheet, axes = _sheet(figure.title)
    bars = figure.bars[::-1]
    # Each bar has its own place, since names that are shortened may be alike.
    axes.barh(range(len(bars)), [bar.length for bar in bars])
    axes.set_yticks(range(len(bars)), [_shortened(bar.label) for bar in bars])
    if figure.reference is not None:
        axes.axvline(figure.reference[0], linestyle="dotted", color="black", label=_literal(figure.reference[1]))
        axes.legend(loc="lower left")
    axes.set_xlabel(_literal(figure.axis.label))
    _save(sheet, path)


def _literal(text: str) -> str:
    from accountant.display.plotting import literal

    return literal(text)


def _shortened(label: str) -> str:
    """A name that leaves room for its bar; the page and the tables have it whole."""
    return _literal(label if len(label) <= _NAME else f"{label[: _NAME - 1]}…")


def _sheet(title: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    sheet = Figure(figsize=(7.4, 4.6), layout="constrained")
    axes = sheet.add_subplot()
    axes.set_title(_literal(textwrap.fill(title, _LETTERS)), fontsize=10)
    return sheet, axes


def _save(sheet: Any, path: Path) -> None:
    import warnings

    import matplotlib

    with warnings.catch_warnings(), matplotlib.rc_context({"svg.hashsalt": path.name}):
        # Names may be in any script, and the page has them all; a figure draws boxes for what its font lacks.
        warnings.filterwarnings("ignore", message="Glyph")
        sheet.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        sheet.savefig(path.with_suffix(".png"), dpi=120)
