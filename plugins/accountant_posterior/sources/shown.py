"""What a source shows, drawn again: its numbers beside the printed ones, and its figures."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen
from numpy.random import Generator

from accountant.report import Bars, Curves


@frozen
class Number:
    """A printed number, what comes out here, and where they differ why the print is not right."""

    what: str
    printed: str
    here: str
    why: str = ""

    @property
    def corrected(self) -> bool:
        """Whether the print is wrong."""
        return bool(self.why)


def agrees(printed: str, value: float) -> bool:
    """Whether a number rounds to a printed one, in the digits that are printed."""
    digits = len(printed.partition(".")[2])
    return abs(float(printed) - value) <= 0.5000001 * 10.0**-digits


@frozen
class Shown:
    """A figure or a table of a source."""

    name: str
    title: str
    numbers: tuple[Number, ...]
    figures: tuple[Curves | Bars, ...] = ()


Drawn = Callable[[Generator], Shown]
"""What draws it; chance is needed by samplers only."""
