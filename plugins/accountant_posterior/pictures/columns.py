"""A picture in numbers: at every place both ends of each line, and what is known from there to the next place."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from accountant import Interval
from accountant.numbers import plain
from accountant_posterior.pictures.picture import DrawnLine, Picture

COLUMNS = ("panel", "line", "standing", "word", "place", "value", "lower", "upper", "lower_until_next", "upper_until_next")


def rows(picture: Picture) -> Iterator[tuple[str, ...]]:
    """A row for each place of each line. An end that is not known is inf; at the last place nothing comes next."""
    for panel in picture.panels:
        for line in panel.lines:
            yield from ((panel.title, line.label, line.standing, *row) for row in _places(line))


def _places(line: DrawnLine) -> Iterator[tuple[str, ...]]:
    curve = line.curve
    following = {left: _ends(known) for left, _, known in curve.spans}
    for place, value in zip(curve.places, curve.values, strict=True):
        yield (curve.word, plain(place), curve.name, *_ends(value), *following.get(place, ("", "")))


def _ends(value: Interval) -> tuple[str, str]:
    return repr(value.lower), repr(value.upper)


def write(name: str, columns: Iterable[str], lines: Iterable[Iterable[str]], folder: Path) -> str:
    """A CSV file; returns its name."""
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)
    return f"{name}.csv"
