"""Grids of the explorer: values at nodes as texts, rounded outward, each text once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

from attrs import define, field

from accountant import Interval
from accountant.numbers import float_above
from accountant.report import Grid
from accountant_posterior.explorer.axes import GAINS, PRIORS, per_cent
from accountant_posterior.explorer.nodes import Nodes
from accountant_posterior.reports.wording import number, percent
from accountant_posterior.semantics.odds import updated

SUPPOSED = ("scenario", "releases", "noise", "dependence")
_Along = Literal["option", "grows", "falls", "found"]
_OPTIONS: tuple[_Along, ...] = tuple("option" for _ in SUPPOSED)
NO_LIMIT = "no limit"


@define
class _Texts:
    """Numbers by their texts, each kept once."""

    write: Callable[[Fraction, bool], str]
    known: dict[str, int] = field(factory=dict)
    values: list[float] = field(factory=list)

    def place(self, value: Fraction, up: bool) -> int:
        """The number of the text of an end, rounded outward."""
        text = self.write(value, up)
        if text not in self.known:
            self.known[text] = len(self.known)
            self.values.append(float(value))
        return self.known[text]


def _share(value: Fraction, up: bool) -> str:
    return str(percent(min(Fraction(1), max(Fraction(0), value)), up=up))


def _ends(value: Interval) -> tuple[Fraction, Fraction]:
    if value.exact is not None:
        return value.exact, value.exact
    return Fraction(value.lower), Fraction(value.upper)


def shares(name: str, found: Sequence[Interval], dials: tuple[str, ...], along: tuple[_Along, ...]) -> Grid:
    """A grid of shares over what is supposed, then over dials."""
    texts = _Texts(_share)
    ends = [_ends(value) for value in found]
    low, high = (tuple(texts.place(pair[up], bool(up)) for pair in ends) for up in (0, 1))
    return _grid(
        name, (*SUPPOSED, *dials), (*_OPTIONS, *along), low, high, texts, texts.known.get(_share(Fraction(1), True))
    )


def _grid(
    name: str,
    over: tuple[str, ...],
    along: tuple[_Along, ...],
    low: tuple[int, ...],
    high: tuple[int, ...],
    texts: _Texts,
    none: int | None,
) -> Grid:
    return Grid(name, over, along, low, high, tuple(texts.known), tuple(texts.values), none)


def epsilons(found: Sequence[Interval]) -> Grid:
    """Epsilon over what is supposed and over the failure, with which it falls."""
    texts: dict[str, int] = {}

    def place(value: float, up: bool) -> int:
        text = NO_LIMIT if math.isinf(value) else str(number(value, 5, up=up))
        return texts.setdefault(text, len(texts))

    low = tuple(place(value.lower, False) for value in found)
    high = tuple(place(value.upper, True) for value in found)
    return Grid(
        "epsilon",
        (*SUPPOSED, "failure"),
        (*_OPTIONS, "falls"),
        low,
        high,
        tuple(texts),
        (),
        texts.get(NO_LIMIT),
    )


def gains(found: Sequence[int]) -> Grid:
    """The bound on the log of a factor between odds, which falls as more is left to chance."""
    texts = (*(str(number(gain, 5)) for gain in GAINS), NO_LIMIT)
    zeros = (0,) * len(found)
    return Grid("gain", (*SUPPOSED, "failure"), (*_OPTIONS, "falls"), zeros, tuple(found), texts, (), len(GAINS))


def beliefs() -> Grid:
    """Between which ends a belief stays, over the prior and the bound on the odds: the same for every plan."""
    texts = _Texts(_share)
    low, high = [], []
    for node in PRIORS:
        prior = per_cent(node)
        for gain in (*GAINS, None):
            reach = math.inf if gain is None else float_above(gain)
            open_ends = gain is None and 0 < prior < 1
            held = Interval(0.0, 1.0) if open_ends else _moved(prior, reach)
            first, last = _ends(held)
            low.append(texts.place(first, False))
            high.append(texts.place(last, True))
    none = texts.known.get(_share(Fraction(1), True))
    return Grid(
        "belief",
        ("prior", "gain"),
        ("grows", "found"),
        tuple(low),
        tuple(high),
        tuple(texts.known),
        tuple(texts.values),
        none,
    )


def _moved(prior: Fraction, reach: float) -> Interval:
    if prior in (0, 1):
        return Interval.of(prior)
    down, up = updated(prior, Interval(-reach, -reach)), updated(prior, Interval(reach, reach))
    return Interval(down.lower, up.upper)


def all_grids(nodes: Sequence[Nodes]) -> tuple[Grid, ...]:
    """Every grid, from the values at the nodes in the order of what is supposed."""
    return (
        shares("guess", [each.guess for each in nodes], (), ()),
        shares("power", [value for each in nodes for value in each.power], ("level",), ("grows",)),
        epsilons([value for each in nodes for value in each.epsilon]),
        gains([value for each in nodes for value in each.gain]),
        beliefs(),
    )
