"""One hundred dots, some of them marked."""

from __future__ import annotations

_ACROSS, _RADIUS = 10, 3.6


def dots(count: int, usual: int) -> tuple[str, str, str]:
    """Outlines of the dots that are marked in any case, of those marked beyond that, and of the rest; row by row."""
    first = min(usual, count)
    return _outline(0, first), _outline(first, count), _outline(count, 100)


def _outline(start: int, stop: int) -> str:
    circle = f"a{_RADIUS} {_RADIUS} 0 1 0 {2 * _RADIUS} 0a{_RADIUS} {_RADIUS} 0 1 0 {-2 * _RADIUS} 0"
    places = ((number % _ACROSS, number // _ACROSS) for number in range(start, stop))
    return "".join(f"M{10 * column + 5 - _RADIUS:g} {10 * row + 5}{circle}" for column, row in places)
