"""Figures as data: what is drawn, what it says in words, and the table behind it."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from accountant.report.table import Table


@frozen
class Axis:
    """What an axis measures, its scale, and where it starts and ends; shares are shown as percentages."""

    label: str
    scale: Literal["number", "share", "logarithmic"] = "number"
    start: float | None = None
    end: float | None = None


@frozen
class Series:
    """A curve known from both sides: at each place the lower and the upper end. A wide one is a band."""

    label: str
    points: tuple[tuple[float, float, float], ...]


@frozen
class Curves:
    """Several curves over one axis. `reference` is a curve to compare with, such as knowing nothing new."""

    title: str
    description: str
    horizontal: Axis
    vertical: Axis
    series: tuple[Series, ...]
    table: Table
    reference: Series | None = None


@frozen
class Bar:
    """One bar: what it stands for, how long it is, and the number as it is written."""

    label: str
    length: float
    shown: str


@frozen
class Bars:
    """Bars side by side. `reference` is a length to compare with, what bars are up to there, and what they are beyond."""

    title: str
    description: str
    axis: Axis
    bars: tuple[Bar, ...]
    table: Table
    reference: tuple[float, str, str] | None = None


@frozen
class Frequency:
    """Of one hundred people, to how many something happens at most."""

    label: str
    count: int


@frozen
class Frequencies:
    """Natural frequencies: for each label one hundred dots, some of them marked.

    So many dots as `usual` are marked in any case; those marked beyond that are what is to be seen.
    """

    title: str
    description: str
    frequencies: tuple[Frequency, ...]
    usual: int
    legend: tuple[str, str, str]
    table: Table
