"""Picture: curves in panels, each known from both sides, and in words what they speak of and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Literal

from attrs import frozen

from accountant import Account, Curve, Interval

Standing = Literal["guarantee", "comparison", "simulation", "demand"]
"""What a line is: a bound that holds, something else to compare it with, what one attacker sees, or what is asked for."""


@frozen
class DrawnLine:
    """A curve, what it is called, and whether it promises anything."""

    label: str
    curve: Curve
    standing: Standing = "guarantee"


@frozen
class Panel:
    """Lines over the same axes."""

    title: str
    across: str
    up: str
    lines: tuple[DrawnLine, ...]
    shares: bool = False
    """Whether values are shares, so that the axis runs from 0 to 1."""


@frozen
class Picture:
    """Panels side by side. `name` is what its files are called; `says` are sentences that belong under it."""

    name: str
    title: str
    says: tuple[str, ...]
    panels: tuple[Panel, ...]

    @property
    def standings(self) -> tuple[Standing, ...]:
        """What its lines are, each once."""
        return tuple(dict.fromkeys(line.standing for panel in self.panels for line in panel.lines))


def read(
    account: Account,
    divergence: str,
    words: tuple[str, str],
    places: Iterable[Fraction],
    value: Callable[[Fraction], Interval],
    trend: Literal["falls", "grows"] | None,
    *,
    logarithmic: bool = False,
) -> Curve:
    """A value over a word, each by its name, read at some places of what an account compares.

    Guarantee: as that of `Curve`. The caller vouches for the trend.
    """
    plan, chosen, (word, name) = account.plan, tuple(places), words
    values = tuple(map(value, chosen))
    return Curve(
        plan.title, plan.specification, divergence, word, name, chosen, values, trend, logarithmic, plan.comparison
    )
