"""Explorer: numbers that a reader moves through, each enclosed at the nodes of a grid and between them.

What is shown at any setting is looked up, never computed: a reading takes the nodes around where a dial stands, and since
its value grows or falls along the dial it lies between the outer ends of both. `read` and `said` are what a page does too,
so that a page can be held against them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from attrs import field, frozen

from accountant.report.table import Table

_SLOT = re.compile(r"\{(\w+)(?:\.(low|high|value))?\}")
State = Mapping[str, int | str]
"""Where every control stands: a choice by the number of its option, a dial by a decimal."""
Along = Literal["option", "grows", "falls", "found"]
"""How a grid runs along an axis: by an option, with a dial, against it, or at what another grid finds."""


@frozen
class Choice:
    """A control with options. `said` are words for each that sentences put in."""

    name: str
    label: str
    options: tuple[str, ...]
    said: tuple[str, ...]
    start: int = 0
    hint: str = ""


@frozen
class Dial:
    """A control that takes any number from its first node to its last. Nodes are decimals in increasing order.

    `said` is how sentences put it in, with `{value}` in it; `none` how they do at 0.
    """

    name: str
    label: str
    nodes: tuple[str, ...]
    start: str
    unit: str = "%"
    said: str = "{value}%"
    none: str | None = None
    hint: str = ""

    def cell(self, value: str) -> tuple[int, int]:
        """The nodes around a number; twice the same where it is one."""
        places = [Fraction(node) for node in self.nodes]
        number = min(max(Fraction(value), places[0]), places[-1])
        right = bisect_left(places, number)
        return (right, right) if places[right] == number else (right - 1, right)

    def words(self, value: str) -> str:
        """A number as sentences say it."""
        return self.none if self.none is not None and Fraction(value) == 0 else self.said.format(value=value)


@frozen
class Grid:
    """Both ends of a value at every node, as numbers of `texts`, the last axis fastest.

    Guarantee: at a node the value lies between its ends. Along a dial it grows or falls as `along` says. `values` are the
    texts as numbers, to draw them; `open` is the text that stands for no limit, if there is one.
    """

    name: str
    over: tuple[str, ...]
    along: tuple[Along, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    texts: tuple[str, ...]
    values: tuple[float, ...]
    open: int | None = None


@frozen
class Sentence:
    """What is said at each option of some choices, with `{dial}`, `{dial.value}`, `{choice}` and `{grid.high}` put in.

    Where the upper end of `grid` is no limit, `unlimited` is said instead.
    """

    name: str
    title: str
    over: tuple[str, ...]
    texts: tuple[str, ...]
    grid: str | None = None
    unlimited: tuple[str, ...] = ()


@frozen
class Chart:
    """A grid along one dial, everything else standing where it stands. `level` draws where nothing would be learned."""

    title: str
    dial: str
    grid: str
    across: str
    up: str


@frozen
class Wish:
    """A risk profile to be drawn: for beliefs up to each of `priors`, one of `tolerances` that must not be exceeded.

    `epsilon` has for each prior and tolerance, the latter fastest, the text of an epsilon that keeps it; `reach` the
    largest node of the grid `gain` that does, -1 where none does. Both fall from one prior to the next, so that a tolerance
    for all beliefs up to a prior is decided by that prior.
    """

    priors: tuple[str, ...]
    tolerances: tuple[str, ...]
    start: tuple[int, ...]
    epsilon: tuple[int, ...]
    reach: tuple[int, ...]
    texts: tuple[str, ...]
    gain: str
    words: Mapping[str, str] = field(factory=dict)


@frozen
class Explorer:
    """Controls, what is said wherever they stand, and a table for those who cannot move them."""

    title: str
    description: str
    choices: tuple[Choice, ...]
    dials: tuple[Dial, ...]
    grids: tuple[Grid, ...]
    sentences: tuple[Sentence, ...]
    charts: tuple[Chart, ...]
    wish: Wish | None
    table: Table

    @property
    def start(self) -> dict[str, int | str]:
        """Where controls stand at first."""
        return {
            **{choice.name: choice.start for choice in self.choices},
            **{dial.name: dial.start for dial in self.dials},
        }

    def read(self, name: str, state: State) -> tuple[int, int]:
        """The texts of both ends of a grid's value at a setting, by their numbers."""
        grid = next(grid for grid in self.grids if grid.name == name)
        lower = upper = 0
        for axis, along in zip(grid.over, grid.along, strict=True):
            size, below, above = self._axis(axis, along, state)
            lower, upper = lower * size + below, upper * size + above
        return grid.low[lower], grid.high[upper]

    def _axis(self, axis: str, along: Along, state: State) -> tuple[int, int, int]:
        """How many nodes an axis has, that of the lower end and that of the upper one."""
        if along == "option":
            place = int(state[axis])
            return len(next(choice for choice in self.choices if choice.name == axis).options), place, place
        if along == "found":
            place = self.read(axis, state)[1]
            return len(next(grid for grid in self.grids if grid.name == axis).texts), place, place
        dial = next(dial for dial in self.dials if dial.name == axis)
        left, right = dial.cell(str(state[axis]))
        return (len(dial.nodes), left, right) if along == "grows" else (len(dial.nodes), right, left)

    def said(self, sentence: Sentence, state: State) -> str:
        """A sentence at a setting."""
        place = 0
        for axis in sentence.over:
            place = place * len(next(item for item in self.choices if item.name == axis).options) + int(state[axis])
        texts = sentence.texts
        if sentence.grid is not None:
            grid = next(grid for grid in self.grids if grid.name == sentence.grid)
            if self.read(grid.name, state)[1] == grid.open:
                texts = sentence.unlimited
        return self._filled(texts[place], state)

    def _filled(self, text: str, state: State) -> str:
        """A text with its slots filled, in one pass: what is put in is not read again."""

        def put(slot: re.Match[str]) -> str:
            name, end = slot[1], slot[2]
            if end == "value":
                return f"{state[name]}{next(dial for dial in self.dials if dial.name == name).unit}"
            if end:
                grid = next(grid for grid in self.grids if grid.name == name)
                return grid.texts[self.read(name, state)[end == "high"]]
            for choice in self.choices:
                if choice.name == name:
                    return choice.said[int(state[name])]
            return next(dial for dial in self.dials if dial.name == name).words(str(state[name]))

        return _SLOT.sub(put, text)
