"""Bands on axes of matplotlib: what is drawn is true everywhere, also between the places that were read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from accountant.display.band import Band
from accountant.errors import AccountantError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def literal(text: str) -> str:
    """A text as matplotlib draws it letter by letter: what stands between two dollars would be set as a formula."""
    return text.replace("$", r"\$")


def plotted(band: Band, ax: Axes | None) -> Axes:
    """The axes with the band on them; new ones where none are given."""
    drawn = _new_axes() if ax is None else ax
    label = literal(_label(band, drawn))
    if not drawn.get_xlabel():
        drawn.set_xlabel(band.word)
    if not drawn.get_ylabel():
        drawn.set_ylabel(band.value)
    if band.boxes:
        _boxes(band, drawn, label)
    else:
        _points(band, drawn, label)
    if band.logarithmic:
        drawn.set_xscale("log")
    if band.floor is not None:
        drawn.set_yscale("log")
        drawn.set_ylim(bottom=max(drawn.get_ylim()[0], band.floor / 2.0))
    drawn.legend()
    return drawn


def _new_axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise AccountantError(
            f"a plot needs matplotlib, and '{error.name}' is not installed; install it with "
            "\"pip install 'privacy-accountant[reports]'\", or take the numbers with columns()"
        ) from error
    return pyplot.subplots(layout="constrained")[1]


def _label(band: Band, ax: Axes) -> str:
    """Whose band it is; and what it shows, where the axes are named after something else."""
    of_others = ax.get_ylabel() not in ("", band.value) or ax.get_xlabel() not in ("", band.word)
    return f"{band.value} over {band.word}: {band.label}" if of_others else band.label


def _boxes(band: Band, ax: Axes, label: str) -> None:
    """A step from each place to the next: nothing is drawn between them but what is known there."""
    xs = [place for box in band.boxes for place in (box.left, box.right)]
    lows = [end for box in band.boxes for end in [_finite(box.lower)] * 2]
    highs = [end for box in band.boxes for end in [_finite(box.upper)] * 2]
    (line,) = ax.plot(xs, highs, linewidth=1.2, label=label)
    colour = line.get_color()
    ax.fill_between(xs, lows, highs, color=colour, alpha=0.3, linewidth=0.0)
    for box in band.boxes:
        if math.isinf(box.upper):
            # Not known from above: the value may be anywhere.
            ax.axvspan(box.left, box.right, facecolor=colour, alpha=0.08, hatch="//", linewidth=0.0)


def _points(band: Band, ax: Axes, label: str) -> None:
    """Only what was read, each place with both ends, since nothing is known between them."""
    found = [point for point in band.points if math.isfinite(point[2])]
    middles = [(low + high) / 2.0 for _, low, high in found]
    halves = [middle - low for middle, (_, low, _) in zip(middles, found, strict=True)]
    ax.errorbar([place for place, _, _ in found], middles, yerr=halves, fmt=".", capsize=2.0, label=label)


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.nan
