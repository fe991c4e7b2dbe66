"""Curves drawn as SVG that takes its colours and letters from the page it stands in."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sized
from html import escape
from typing import TYPE_CHECKING, Any

from attrs import frozen

from accountant.report import Axis, Curves, Series, spoken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# matplotlib wants colours it knows: each of these stands for a variable of the page and is replaced by it.
_INK, _FAINT, _REFERENCE = "#010203", "#010204", "#010205"
_SERIES = tuple(f"#0102{number:02x}" for number in range(0x10, 0x16))
_VARIABLES = {
    _INK: "var(--muted)",
    _FAINT: "var(--grid)",
    _REFERENCE: "var(--muted)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES, start=1)},
}
# Lengths of dashes and gaps: curves differ in more than their colours, and only what they are compared with is dotted.
DASHES = ("", "8 3", "10 3 2.5 3", "4 1.5", "10 3 2.5 3 2.5 3", "15 4")
_FAMILY = re.compile(r"'DejaVu Sans'[^;\"]*")
_OF_ITS_OWN = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL)
_LEAST_BAND = 0.004
_LEFT, _RIGHT, _BELOW, _ABOVE = 0.72, 0.22, 0.55, 0.12
"""Room around the axes, in inches, for labels and for ticks of up to six letters."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@frozen
class Width:
    """How wide a drawing is and how high, in inches, and how many ticks there is room for."""

    name: str
    across: float
    up: float
    ticks: int


WIDE = Width("wide", 7.4, 3.9, 6)
NARROW = Width("narrow", 3.7, 3.5, 4)


def draw(figure: Curves, width: Width, identity: str) -> str:
    """The curves as one SVG element. `identity` keeps its parts apart from those of other drawings."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Sheet

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": identity,
        "font.family": "DejaVu Sans",
        "font.size": 10.0,
        "text.color": _INK,
        "axes.labelcolor": _INK,
        "axes.edgecolor": _FAINT,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "lines.solid_capstyle": "round",
        "path.simplify": False,
        # Names are drawn as they are written, dollars among them.
        "text.parse_math": False,
    }
    with matplotlib.rc_context(settings):
        sheet = Sheet(figsize=(width.across, width.up))
        FigureCanvasSVG(sheet)
        axes = sheet.add_axes(_place(width))
        _prepare(axes, figure, width)
        if figure.reference is not None:
            xs, lows, _ = zip(*figure.reference.points, strict=True)
            axes.plot(xs, lows, color=_REFERENCE, linewidth=1.0, dashes=(1.5, 2.5), zorder=2, **_dot(xs))
        for number, series in enumerate(figure.series):
            _curve(axes, series, number, figure.vertical)
        output = io.StringIO()
        sheet.savefig(output, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None})
    return _adopted(output.getvalue(), identity, figure.title, figure.description)


def _place(width: Width) -> tuple[float, float, float, float]:
    """Where the axes stand: what is written beside them has the same room on every page, so that nothing is measured."""
    across, up = _LEFT / width.across, _BELOW / width.up
    return across, up, 1.0 - across - _RIGHT / width.across, 1.0 - up - _ABOVE / width.up


def _prepare(axes: Axes, figure: Curves, width: Width) -> None:
    axes.set_xlabel(figure.horizontal.label, labelpad=6)
    axes.set_ylabel(figure.vertical.label, labelpad=6)
    axes.grid(color=_FAINT, linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    for axis, side in ((figure.horizontal, "x"), (figure.vertical, "y")):
        _scale(axes, axis, side, width)


def _scale(axes: Axes, axis: Axis, side: str, width: Width) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    marks = axes.xaxis if side == "x" else axes.yaxis
    limit = axes.set_xlim if side == "x" else axes.set_ylim
    if axis.scale == "logarithmic":
        (axes.set_xscale if side == "x" else axes.set_yscale)("log")
        marks.set_major_locator(LogLocator(numticks=width.ticks + 1))
        marks.set_minor_locator(NullLocator())
        marks.set_minor_formatter(NullFormatter())
        marks.set_major_formatter(FuncFormatter(lambda value, _: _power(value)))
    else:
        marks.set_major_locator(MaxNLocator(width.ticks, steps=[1, 2, 2.5, 5, 10]))
        share = axis.scale == "share"
        marks.set_major_formatter(FuncFormatter(lambda value, _: _share(value) if share else _number(value)))
    limit(axis.start, axis.end)


def _share(value: float) -> str:
    """A share at a tick."""
    return spoken().percent(f"{100 * value:.6g}")


def _number(value: float) -> str:
    """A number at a tick, which is where the axis has it up to the rounding of the sums that led there."""
    return spoken().number(f"{value:.6g}")


def _power(value: float) -> str:
    """A power of ten as people write it."""
    exponent = round(math.log10(value))
    return spoken().number(str(10**exponent)) if 0 <= exponent <= 3 else f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def _curve(axes: Axes, series: Series, number: int, vertical: Axis) -> None:
    # The seventh curve has the first colour again, and other dashes.
    colour, dash = _SERIES[number % len(_SERIES)], DASHES[(number + number // len(_SERIES)) % len(DASHES)]
    style: dict[str, Any] = {"color": colour, "linewidth": 2.0, "zorder": 4}
    if dash:
        style["dashes"] = tuple(float(length) / style["linewidth"] for length in dash.split())
    drawn = [point for point in series.points if all(map(math.isfinite, point))]
    if not drawn:
        return
    xs, lows, highs = zip(*drawn, strict=True)
    style |= _dot(xs)
    span = (vertical.end or max(highs)) - (vertical.start or 0.0)
    if max(high - low for low, high in zip(lows, highs, strict=True)) > _LEAST_BAND * span:
        axes.fill_between(xs, lows, highs, color=colour, alpha=0.1, linewidth=0.0, zorder=3)
        axes.plot(xs, lows, **style)
    axes.plot(xs, highs, **style)


def _dot(places: Sized) -> dict[str, Any]:
    """How a curve of one place is drawn: as a dot, which may lie on the edge."""
    return {"marker": "o", "markersize": 5.0, "clip_on": False} if len(places) == 1 else {}


def _adopted(svg: str, identity: str, title: str, description: str) -> str:
    """The drawing as a part of a page: no prologue, names of its own, colours and letters of the page."""
    svg = svg[svg.index("<svg") :].rstrip()
    svg = _OF_ITS_OWN.sub("", svg)
    svg = re.sub(r'\bid="', f'id="{identity}-', svg)
    svg = re.sub(r'url\(#|href="#', lambda found: f"{found[0]}{identity}-", svg)
    svg = _FAMILY.sub("var(--sans)", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    box = re.search(r'viewBox="[^"]*"', svg)
    opening = (
        f'<svg {box[0] if box else ""} role="img" aria-labelledby="{identity}-title {identity}-text">'
        f'<title id="{identity}-title">{escape(title)}</title><desc id="{identity}-text">{escape(description)}</desc>'
    )
    return opening + svg[svg.index(">") + 1 :]
