"""A band between two ends over an axis, as SVG that takes its letters and its grey from the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from attrs import frozen

from accountant.display.band import Band, Box

_WIDTH, _HEIGHT = 480.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 14.0, 10.0, 44.0
_TICKS = 5
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@frozen
class Scale:
    """What an axis measures, between which numbers, and whether equal steps are equal factors."""

    label: str
    start: float
    end: float
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """How far a number is from the start to the end of the axis; outside it, the nearest end."""
        place, low, high = (self._on_axis(number) for number in (value, self.start, self.end))
        return min(1.0, max(0.0, (place - low) / (high - low))) if high > low else 0.5

    def _on_axis(self, value: float) -> float:
        if not self.logarithmic:
            return value
        return math.log(value) if value > 0.0 else -math.inf

    def ticks(self) -> list[float]:
        """Round numbers on the axis."""
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.start) - 1e-9), math.floor(math.log10(self.end) + 1e-9)
            every = max(1, -(-(last - first) // _TICKS))
            return [10.0**power for power in range(first, last + 1, every)]
        raw = (self.end - self.start) / _TICKS
        power = 10.0 ** math.floor(math.log10(raw)) if raw > 0.0 else 1.0
        step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw * (1.0 - 1e-9))
        first, last = math.ceil(self.start / step - 1e-9), math.floor(self.end / step + 1e-9)
        return [number * step for number in range(first, last + 1)]

    def shown(self, value: float) -> str:
        """A number of the axis as people write it."""
        if self.logarithmic:
            power = round(math.log10(value))
            return f"{10**power:,}" if 0 <= power <= 3 else f"10{str(power).translate(_SUPERSCRIPTS)}"
        return f"{value:.6g}"


def drawn(band: Band) -> str | None:
    """A band as a picture; none where there are no boxes, or nothing finite to scale them by."""
    ends = [end for _, low, high in band.points for end in (low, high) if math.isfinite(end)]
    if not band.boxes or not ends or max(ends) <= 0.0:
        return None
    across = Scale(band.word, band.points[0][0], band.points[-1][0], band.logarithmic)
    start = min(0.0, *ends) if band.floor is None else band.floor
    return _picture(across, Scale(band.value, start, max(ends), band.floor is not None), band.boxes)


def _picture(horizontal: Scale, vertical: Scale, boxes: Sequence[Box]) -> str:
    """Boxes side by side, each from a place to the next and from the lower end to the upper one, and a line above them."""
    shapes = []
    for box in boxes:
        x, y = _x(horizontal, box.left), _y(vertical, box.upper)
        # What is thinner than a hair is drawn as one.
        width, height = max(0.6, _x(horizontal, box.right) - x), max(0.6, _y(vertical, box.lower) - y)
        shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>')
    edge = " ".join(
        f"{_x(horizontal, place):.1f},{_y(vertical, box.upper):.1f}" for box in boxes for place in (box.left, box.right)
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" aria-hidden="true">'
        f'{_grid(horizontal, vertical)}<g class="accountant-band">'
        f'<g fill="currentColor" fill-opacity=".35">{"".join(shapes)}</g>'
        f'<polyline points="{edge}" fill="none" stroke="currentColor" stroke-width="1.6"/></g></svg>'
    )


def _x(axis: Scale, value: float) -> float:
    return _LEFT + axis.share(value) * (_WIDTH - _LEFT - _RIGHT)


def _y(axis: Scale, value: float) -> float:
    return _HEIGHT - _BOTTOM - axis.share(value) * (_HEIGHT - _TOP - _BOTTOM)


def _grid(horizontal: Scale, vertical: Scale) -> str:
    floor, middle = _HEIGHT - _BOTTOM, (_TOP + _HEIGHT - _BOTTOM) / 2.0
    lines = [_line(_LEFT, floor, _WIDTH - _RIGHT, floor, ".8")]
    for value in horizontal.ticks():
        x = _x(horizontal, value)
        lines += [_line(x, _TOP, x, floor, ".3"), _text(x, floor + 16.0, horizontal.shown(value), "middle")]
    for value in vertical.ticks():
        y = _y(vertical, value)
        lines += [_line(_LEFT, y, _WIDTH - _RIGHT, y, ".3"), _text(_LEFT - 6.0, y + 4.0, vertical.shown(value), "end")]
    lines.append(_text((_LEFT + _WIDTH - _RIGHT) / 2.0, _HEIGHT - 8.0, horizontal.label, "middle"))
    turned = f'transform="rotate(-90 14 {middle:.0f})"'
    lines.append(f'<text x="14" y="{middle:.0f}" text-anchor="middle" {turned}>{escape(vertical.label)}</text>')
    return "".join(lines)


def _line(x1: float, y1: float, x2: float, y2: float, opacity: str) -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="currentColor" stroke-opacity="{opacity}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
