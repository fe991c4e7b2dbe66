"""Two unknowns together: of draws in parts of as many each by the one, what the other is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from accountant.loss import Floats
from accountant.report import Axis, Curves, Series, Table
from accountant_posterior.inference.answer import SHARES, shown

_SLICES = 20
_EDGE = 81


def together(
    title: str,
    words: tuple[str, str],
    first: Floats,
    second: Floats,
    across: tuple[float, float] | None = None,
    largest: Callable[[Floats], Floats] | None = None,
) -> Curves:
    """Quantiles of the second of two unknowns in parts of their draws by the first, each called by its word.

    `across` is where the first can lie, and `largest` the most that the second can be there; left out, the picture is as
    wide and as high as the draws are.
    """
    first, second = first.ravel(), second.ravel()
    rows = _rows(first, second, largest)
    labels = [f"{100 * share:g} %" for share in SHARES]
    ends = [value for row in rows for value in row[1:]]
    left, right = (rows[0][0], max(rows[-1][0], rows[0][0] + 1e-9)) if across is None else across
    room = 0.05 * (max(ends) - min(ends) or 1.0)
    vertical = Axis(words[1], "number", min(ends) - room, max(ends) + room)
    edge = None
    said = ""
    if largest is not None:
        places = np.linspace(left, right, _EDGE)
        points = zip(places.tolist(), largest(places).tolist(), strict=True)
        edge = Series(f"largest possible {words[1]}", tuple((place, most, most) for place, most in points))
        vertical = Axis(words[1], "number", 0.0, 1.02 * max(most for _, most, _ in edge.points))
        said = " Nothing that is possible lies above the dotted curve."
    return Curves(
        title,
        f"Draws in {_SLICES} parts of as many each by {words[0]}: below each curve lies that share of {words[1]}.{said}",
        Axis(words[0], "number", left, right),
        vertical,
        tuple(
            Series(f"{label} of {words[1]}", tuple((row[0], row[column], row[column]) for row in rows))
            for column, label in enumerate(labels, start=1)
        ),
        Table(
            f"{words[1]} at each {words[0]}".capitalize(),
            (words[0], *labels),
            tuple(tuple(map(shown, row)) for row in rows[:: max(1, _SLICES // 5)]),
        ),
        edge,
    )


def _rows(first: Floats, second: Floats, largest: Callable[[Floats], Floats] | None) -> list[tuple[float, ...]]:
    edges = np.quantile(first, np.linspace(0.0, 1.0, _SLICES + 1))
    slices = np.clip(np.searchsorted(edges, first, side="right") - 1, 0, _SLICES - 1)
    # As shares of the most that is possible, so that parts of some width stay below it.
    shares = second if largest is None else second / np.maximum(largest(first), 1e-300)
    rows = []
    for number in range(_SLICES):
        inside = slices == number
        if inside.any():
            middle = float(first[inside].mean())
            most = 1.0 if largest is None else float(largest(np.array([middle]))[0])
            rows.append((middle, *(float(most * value) for value in np.quantile(shares[inside], SHARES))))
    return rows
