"""A picture on paper: steps that promise nothing between places but what is known there, and its words below."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from accountant import AccountantError
from accountant_posterior.pictures.picture import Panel, Picture, Standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ACROSS, _UP, _MOST = 4.6, 3.3, 3
"""How wide and how high a panel is, in inches, and how many stand in a row."""
_LINE, _LETTERS = 0.165, 17.6
"""How high a line of words is, and how many letters go into an inch of it."""
_INK, _MUTED = "#1d2329", "#55606b"
_COLOURS = ("#0b62a0", "#c14f00", "#0a7a5a", "#a3417b", "#6b5bb0", "#8a6a00")
_DASHES: dict[Standing, Literal["solid", "dashed", "dotted"]] = {
    "guarantee": "solid",
    "comparison": "dashed",
    "simulation": "dotted",
    "demand": "solid",
}
_MARKS: dict[Standing, str] = {
    "guarantee": "GUARANTEE (solid lines)",
    "comparison": "for comparison (dashed), which promises nothing about these releases",
    "simulation": "SIMULATED ATTACKER (dotted), which is no guarantee",
    "demand": "WHAT IS ASKED FOR, which says nothing about whether these releases keep it",
}
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": _INK,
    "axes.labelcolor": _MUTED,
    "axes.edgecolor": "#d3d8dc",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e9ec",
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "legend.frameon": False,
}


def write(picture: Picture, folder: Path) -> tuple[str, ...]:
    """The picture as SVG and as PNG; returns the names of the files."""
    try:
        import matplotlib
    except ImportError as error:
        raise AccountantError(
            f"figures need matplotlib, and '{error.name}' is not installed; install it with "
            "\"pip install 'privacy-accountant[reports]'\""
        ) from error
    with matplotlib.rc_context({**_SETTINGS, "svg.hashsalt": picture.name}):
        sheet = _sheet(picture)
        words = {"Title": picture.title, "Description": " ".join((marked(picture), *picture.says))}
        sheet.savefig(folder / f"{picture.name}.svg", metadata={"Date": None, **words})
        sheet.savefig(folder / f"{picture.name}.png", dpi=130, metadata={"Software": None, **words})
    return f"{picture.name}.svg", f"{picture.name}.png"


def marked(picture: Picture) -> str:
    """Which lines promise something, and which do not."""
    return f"{'; '.join(_MARKS[standing] for standing in picture.standings)}."


def _sheet(picture: Picture) -> Figure:
    from matplotlib.figure import Figure

    columns = min(_MOST, len(picture.panels))
    rows = -(-len(picture.panels) // columns)
    across = max(_ACROSS * columns, 1.6 * _ACROSS)
    caption = _wrapped((marked(picture), *picture.says), across)
    labels = list(dict.fromkeys(line.label for panel in picture.panels for line in panel.lines))
    under = _LINE * (len(caption) + 1)
    above = 0.45 + _LINE * 1.25 * len(labels)
    height = rows * _UP + under + above
    sheet = Figure(figsize=(across, height))
    axes = sheet.subplots(rows, columns, squeeze=False)
    sheet.subplots_adjust(
        left=0.75 / across,
        right=1.0 - 0.2 / across,
        bottom=(under + 0.55) / height,
        top=1.0 - (above + 0.32) / height,
        wspace=1.05 / _ACROSS,
        hspace=0.95 / _UP,
    )
    drawn: dict[str, Any] = {}
    for number, place in enumerate(axes.flat):
        if number < len(picture.panels):
            drawn.update(_panel(picture.panels[number], place, labels))
        else:
            place.set_visible(False)
    sheet.text(0.2 / across, 1.0 - 0.12 / height, _literal(picture.title), va="top", fontsize=13, fontweight="bold")
    anchor = (0.12 / across, 1.0 - 0.36 / height)
    sheet.legend(
        [drawn[label] for label in labels],
        list(map(_literal, labels)),
        loc="upper left",
        bbox_to_anchor=anchor,
        fontsize=8.5,
    )
    sheet.text(
        0.2 / across, (under - 0.5 * _LINE) / height, _literal("\n".join(caption)), va="top", fontsize=8, color=_MUTED
    )
    return sheet


def _literal(text: str) -> str:
    """A text that is drawn letter by letter: what stands between two dollars would be set as a formula."""
    return text.replace("$", r"\$")


def _wrapped(sentences: tuple[str, ...], across: float) -> list[str]:
    return textwrap.wrap(" ".join(sentences), width=int(_LETTERS * (across - 0.4)))


def _panel(panel: Panel, axes: Axes, labels: list[str]) -> dict[str, Any]:
    """Draw the lines of a panel; returns what stands for each in the legend."""
    handles: dict[str, Any] = {}
    for line in panel.lines:
        place = labels.index(line.label)
        colour = _COLOURS[place % len(_COLOURS)]
        before = len(axes.get_lines())
        line.curve.plot(axes, label=line.label)
        for drawn in axes.get_lines()[before:]:
            drawn.set(color=colour, linewidth=1.5)
            if line.curve.trend is not None:
                # Where it is not known what lies between places, nothing joins them.
                drawn.set_linestyle(_DASHES[line.standing])
        for band in axes.collections[-1:]:
            band.set(facecolor=colour, alpha=0.16)
        handles[line.label] = axes.get_lines()[before]
    if (own := axes.get_legend()) is not None:
        own.remove()
    axes.set(xlabel=_literal(panel.across), ylabel=_literal(panel.up))
    axes.set_title(_literal(panel.title), fontsize=9.5, loc="left")
    if panel.shares:
        axes.set_yscale("linear")
        axes.set_ylim(0.0, 1.02)
    elif axes.get_yscale() == "log":
        axes.set_ylim(max(axes.get_ylim()[0], 1e-12), min(2.0, axes.get_ylim()[1]))
    else:
        highs = [value.upper for line in panel.lines for value in line.curve.values if math.isfinite(value.upper)]
        axes.set_ylim(0.0, 1.05 * max(highs, default=1.0) or 1.0)
    return handles
