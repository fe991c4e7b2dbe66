"""Curve: a value of a definition over one of its words, from both ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from attrs import frozen

from accountant.display.band import Band, Box
from accountant.display.brief import Rich
from accountant.display.card import Card, CardRows, Drawing
from accountant.display.drawing import drawn
from accountant.errors import InvalidValue, PluginError, ReadingError
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.interval import Interval
from accountant.plan.plan import Plan
from accountant.promise.cards import VACUOUS, between
from accountant.promise.divergence import Divergence, Reading, Word
from accountant.promise.guarantee import Guarantee
from accountant.promise.specification import Specification
from accountant.promise.words import ComparedPairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 101
"""So many places a curve has if nobody says which."""
_FACTOR = 1000.0
_SHOWN = 9
_DEEPEST = 1e-20
"""Values that are smaller than the largest by more than this are below every picture."""


@frozen
class Curve(Rich):
    """A value of a definition over one word, read at some places in increasing order.

    Guarantee: at each of `places` the value lies in the interval of the same number in `values`. Between them nothing was
    read; `spans` say what is known there.
    """

    _leading: ClassVar[tuple[str, ...]] = ("title", "divergence", "word", "name")

    title: str
    """What the account is called."""
    specification: Specification
    divergence: str
    word: str
    name: str
    places: tuple[Fraction, ...]
    values: tuple[Interval, ...]
    trend: Literal["falls", "grows"] | None = None
    """How the value changes with the word; None where the definition does not say."""
    logarithmic: bool = False
    """Whether places are best looked at on a logarithmic axis."""
    comparison: ComparedPairs | None = None
    """Which datasets are compared, and what the numbers rest on."""

    def __attrs_post_init__(self) -> None:
        for (left, before), (right, after) in pairwise(self._read) if self.trend else ():
            high, low = self._ends(before, after)
            if low.lower > high.upper:
                raise PluginError(
                    f"'{self.divergence}' says that {self.name} {self.trend} with {self.word}, and reads the opposite "
                    f"between {plain(left)} and {plain(right)}"
                )

    @property
    def _read(self) -> list[tuple[Fraction, Interval]]:
        return list(zip(self.places, self.values, strict=True))

    def _ends(self, before: Interval, after: Interval) -> tuple[Interval, Interval]:
        """Of the values at two places, the one that is not smaller and the one that is not larger."""
        return (before, after) if self.trend == "falls" else (after, before)

    @property
    def spans(self) -> tuple[tuple[Fraction, Fraction, Interval], ...]:
        """What is known from each place to the next: what falls is nowhere above what it was, nor below what it will be.

        Empty where it is not known whether the value falls or grows.
        """
        if self.trend is None:
            return ()
        found = []
        for (left, before), (right, after) in pairwise(self._read):
            high, low = self._ends(before, after)
            found.append((left, right, Interval(low.lower, high.upper)))
        return tuple(found)

    def columns(self) -> dict[str, list[float]]:
        """The curve as plain lists by name, for any library of data frames: the word, then both ends of the value.

        Places are the nearest doubles; exactly they are in `places`. An end that is not known is infinite.
        """
        return {
            self.word: [float(place) for place in self.places],
            f"{self.name}_lower": [value.lower for value in self.values],
            f"{self.name}_upper": [value.upper for value in self.values],
        }

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the band between both ends on axes of matplotlib, new ones where none are given; returns the axes.

        What is drawn is true everywhere: the upper edge stays up, and the lower one down, until the next place that was
        read. Several curves on the same axes lie over each other, each with its label.
        """
        from accountant.display.plotting import plotted

        return plotted(self._band(self._whose if label is None else label), ax)

    @property
    def vacuous(self) -> bool:
        """Whether no two datasets are compared, so that the numbers promise nothing."""
        return self.specification.universe.closest.vacuous

    @property
    def _whose(self) -> str:
        """The account, and between which neighbours its numbers hold."""
        neighbours = self.specification.neighbours
        whose = f"{self.title} ({neighbours.relation.name}, {neighbours.unit})"
        return f"{whose}: VACUOUS, nothing is promised" if self.vacuous else whose

    @property
    def _floor(self) -> float | None:
        """Where a logarithmic axis of values starts; None where they differ so little that a plain one shows them all."""
        highs = [value.upper for value in self.values if 0.0 < value.upper < math.inf]
        if len(highs) < len(self.values) or max(highs) <= _FACTOR * min(highs):
            return None
        lows = [value.lower for value in self.values if value.lower > 0.0]
        return max(max(highs) * _DEEPEST, min(lows, default=0.0))

    def _band(self, label: str) -> Band:
        points = ((float(place), value.lower, value.upper) for place, value in self._read)
        return Band(
            label,
            self.word,
            f"{self.name} ({self.divergence})",
            tuple(points),
            tuple(Box(float(left), float(right), known.lower, known.upper) for left, right, known in self.spans),
            self.logarithmic and self.places[0] > 0,
            self._floor,
        )

    def _card(self) -> Card:
        """The band, some of its places in numbers, and between which datasets it holds."""
        count, first, last = len(self.places), plain(self.places[0]), plain(self.places[-1])
        title = f"{self.name} over {self.word} from {first} to {last} ({self.divergence}) of '{self.title}'"
        read = "at 1 place" if count == 1 else f"at {count:,} places; {self._known_between}"
        every = max(1, -(-(count - 1) // (_SHOWN - 1)))
        chosen = sorted({*range(0, count, every), count - 1})
        rows = tuple((plain(self.places[index]), *self.values[index].rounded(6)) for index in chosen)
        drawing = drawn(self._band(self._whose))
        return Card(
            title,
            VACUOUS if self.vacuous else None,
            (("read", read), *between(self.specification, self.comparison)),
            (
                *(() if drawing is None else (Drawing(drawing, f"{title}: the band between both ends"),)),
                CardRows((self.word, f"{self.name} at least", "at most"), rows),
            ),
        )

    @property
    def _known_between(self) -> str:
        if self.trend is None:
            return "between places nothing is known"
        return f"between places {self.name} lies in the band, since it {self.trend} as {self.word} grows"


Measure = Callable[[str, Mapping[str, ExactLike]], Guarantee]
"""How an account is read."""


def curve_of(
    plan: Plan, definition: Divergence, measure: Measure, over: str | None, places: Iterable[ExactLike] | None
) -> Curve:
    """The curve of a plan in a definition, over one of its words, at given places or where the definition suggests."""
    reading = _reading(definition, over)
    (word,) = reading.at
    described = definition.word(word)
    chosen = _suggested(definition, word, described) if places is None else _given(places)
    return Curve(
        plan.title,
        plan.specification,
        definition.name,
        word,
        reading.value,
        chosen,
        tuple(measure(definition.name, {word: place}).value for place in chosen),
        reading.trend,
        described.logarithmic,
        plan.comparison,
    )


def _reading(definition: Divergence, over: str | None) -> Reading:
    """The reading whose only word a curve runs over: the first, or the one that is asked for."""
    known = [reading for reading in definition.readings if len(reading.at) == 1]
    for reading in known:
        if over is None or reading.at == (over,):
            return reading
    offers = " or ".join(f"'{reading.at[0]}'" for reading in known)
    if not known:
        raise ReadingError(f"'{definition.name}' has no curve: no reading of it is asked for at one word; use measure")
    raise ReadingError(f"'{definition.name}' has curves over {offers}, not over '{over}'")


def _given(places: Iterable[ExactLike]) -> tuple[Fraction, ...]:
    if isinstance(places, (str, bytes)) or not isinstance(places, Iterable):
        raise InvalidValue(f"expected a list of places, got {places!r}")
    chosen = tuple(sorted({exact(place) for place in places}))
    if not chosen:
        raise InvalidValue("a curve needs at least one place")
    return chosen


def _suggested(definition: Divergence, name: str, word: Word) -> tuple[Fraction, ...]:
    if word.span is None:
        raise ReadingError(
            f"'{definition.name}' does not say over which range of {name} a curve is worth reading; give places=[...]"
        )
    return tuple(spread(*word.span, logarithmic=word.logarithmic))


def spread(start: Fraction, end: Fraction, *, logarithmic: bool) -> Iterator[Fraction]:
    """Places from one end to the other, evenly on their axis, of few digits, both ends included."""
    yield start
    for number in range(1, _MANY - 1):
        share = number / (_MANY - 1)
        if logarithmic:
            inside = math.exp((1.0 - share) * math.log(start) + share * math.log(end))
        else:
            inside = float(start + (end - start) * Fraction(number, _MANY - 1))
        place = Fraction(f"{inside:.4g}")
        if start < place < end:
            yield place
    yield end
