"""Functions asked again where one of those that they ask is off by one in a thousand, and says so.

What a function is handed is moved by `coarse_operands`. What it finds by asking others is moved here: of each function that
it was seen to ask, the results are off while the function is asked again.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import evolve, has

from accountant.loss import Cells
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls
from tests.loss.coarse import remembered_no_more
from tests.loss.coarse_operands import OFF, ROOM, moved

_NAME = "results_that_are_off"
_MOST = 12
"""Ways in which the result of one function is off that are tried."""


def off(given: Any) -> Iterator[Any]:
    """A result, off by one in a thousand in one part each time; nothing where it has no error."""
    match given:
        case (np.ndarray() as values, np.ndarray() as errors) if np.iscomplexobj(values) and not np.iscomplexobj(errors):
            for row in moved(Balls(values, errors)):
                yield row.middle, row.radii
        case _:
            yield from moved(given)


def displaced(function: Callable[..., Any], arguments: tuple[Any, ...], given: Any) -> Iterator[Any]:
    """Masses between edges that lie elsewhere than was asked, which says so."""
    if isinstance(given, Cells) and len(arguments) == 2:
        holder, edges = arguments
        for by in (OFF, -OFF):
            found = function(holder, edges + by)
            yield evolve(found, slack=found.slack + OFF * ROOM)


class Way:
    """One of the ways in which results are off, and whether there was a result for it."""

    def __init__(self, number: int) -> None:
        self.number, self.taken = number, False

    def of(self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What a function gives, off in this way where it can be."""
        given = function(*arguments, **named)
        ways = itertools.chain(displaced(function, arguments, given), off(given))
        for other in itertools.islice(ways, self.number, self.number + 1):
            self.taken = True
            return other
        return given


def can_be_off(function: types.FunctionType, given: Any) -> bool:
    """Whether the results of a function can be moved: they have an error, and its code needs nothing from around it."""
    return not function.__code__.co_freevars and any(True for _ in off(given))


def where_off(function: types.FunctionType, ask: Callable[[], Any]) -> Iterator[Any]:
    """What is found while the results of a function are off, in each of the ways in which they can be."""
    for number in range(_MOST):
        way = Way(number)
        with _replaced(function, way):
            found = ask()
        if not way.taken:
            return
        yield found


@contextlib.contextmanager
def _replaced(function: types.FunctionType, way: Way) -> Iterator[None]:
    kept = function.__code__
    itself = types.FunctionType(kept, function.__globals__, function.__name__, function.__defaults__)
    itself.__kwdefaults__ = function.__kwdefaults__
    held = vars(sys.modules[function.__module__])

    def moved_result(*arguments: Any, **named: Any) -> Any:
        return way.of(itself, arguments, named)

    remembered_no_more()
    try:
        held[_NAME] = moved_result
        function.__code__ = _handing_on.__code__.replace(co_name=kept.co_name, co_qualname=kept.co_qualname)
        yield
    finally:
        function.__code__ = kept
        del held[_NAME]
        remembered_no_more()


def _handing_on(*arguments: Any, **named: Any) -> Any:
    return results_that_are_off(*arguments, **named)  # type: ignore[name-defined]  # noqa: F821


def anew(value: Any) -> Any:
    """The same, without what it remembers of earlier questions. What may change is no memory, and is kept."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return evolve(value) if has(type(value)) and _frozen(type(value)) else value


def _frozen(kind: type) -> bool:
    """Whether nothing of an object can be set once it is made, as of an interval."""
    return kind.__setattr__ is Interval.__setattr__
