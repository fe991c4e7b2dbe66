"""Counterexamples: how laws read a loss safely, compare what they read, and show what does not hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NoReturn, ParamSpec

from accountant.display.brief import full
from accountant.errors import GridTooLarge
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.divergence import Divergence
from accountant.testing.once import Once
from accountant.values.writing import at_words

P = ParamSpec("P")

_RATIO = re.compile(r"Fraction\((-?\d+), (\d+)\)")
_LONG = 10**9
"""Above which a denominator tells a reader nothing."""
_UNKNOWN = Interval(0.0, math.inf)
_READ = Once(most=64)


def broken(statement: str, **facts: object) -> NoReturn:
    """Raise the AssertionError of a law that does not hold: what is wrong, then the counterexample, one fact a line."""
    lines = [f"    {name.replace('_', ' ')}: {value}" for name, value in facts.items()]
    raise AssertionError("\n".join([statement, *lines]))


def show(loss: PrivacyLoss) -> str:
    """A loss in one line: by its atoms, or by the class that an author can look for and its parameters."""
    if type(loss) is FiniteLoss:
        atoms = ", ".join(f"({p}, {q})" for p, q in loss.atoms)
        words = f"the pair (P, Q) = [{atoms}]"
    else:
        words = _RATIO.sub(lambda found: plain(Fraction(int(found[1]), int(found[2]))), full(loss))
    return words if len(words) <= 300 else words[:300] + "..."


def described(definition: Divergence, parameter: Any) -> str:
    """A parameter in one line, its long numbers about."""
    values = definition.values(parameter)
    long = any(value.denominator > _LONG for value in values.values() if isinstance(value, Fraction))
    if not long:
        return definition.describe(parameter)
    return ", ".join(f"{name} = {_about(value)}" for name, value in values.items())


def _about(value: Any) -> str:
    return f"about {float(value):.9g}" if isinstance(value, Fraction) and value.denominator > _LONG else plain(value)


def method(owner: object, name: str) -> str:
    """A method as an author looks for it: the class that defines it, and its name."""
    for cls in type(owner).__mro__:
        if name in vars(cls):
            return f"{cls.__name__}.{name}"
    return f"{type(owner).__name__}.{name}"


def read(loss: PrivacyLoss, reading: str, action: Callable[P, Interval], *arguments: P.args, **named: P.kwargs) -> Interval:
    """A reading of a loss. A refusal for want of memory is unknown; any other error is a counterexample.

    What the loss itself answers is asked of it once.
    """
    try:
        if getattr(action, "__self__", None) is loss and not named:
            return _READ.find(loss, (action.__name__, arguments), lambda: action(*arguments, **named))
        value = action(*arguments, **named)
    except GridTooLarge:
        return _UNKNOWN
    except Exception as error:
        lines = f"{reading} cannot be read: {type(error).__name__}: {error}\n    loss: {show(loss)}"
        raise AssertionError(lines) from error
    return value


def delta(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The delta of a loss at an epsilon. What is unknown for want of memory is certainly a probability."""
    found = read(loss, f"delta at epsilon = {plain(epsilon)}", loss.delta, epsilon)
    return Interval(0.0, 1.0) if found is _UNKNOWN else found


def reverse_of(loss: PrivacyLoss) -> PrivacyLoss:
    """The other direction of a loss, the same one for all who ask."""
    return _READ.find(loss, "reverse", loss.reverse)


def has_formula(loss: PrivacyLoss) -> bool:
    """Whether a loss knows its delta itself, so that it is quick to read."""
    try:
        return loss.delta_formula(0.0) is not None
    except GridTooLarge:
        return False


def meet(left: Interval, right: Interval) -> bool:
    """Whether two intervals can contain the same value."""
    return left.lower <= right.upper and right.lower <= left.upper


def measured(definition: Divergence, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
    """The value of a definition on a loss."""
    return read(loss, f"'{definition.name}'{at_words(at)}", definition.measure, loss, at)


def surely_worse(left: Interval, right: Interval) -> bool:
    """Whether the left value certainly promises less than the right one: a smaller value promises more."""
    return left.lower > right.upper


def safe(value: Interval) -> Fraction | None:
    """The end of a value that certainly holds; None if there is none."""
    if value.exact is not None:
        return value.exact
    return None if math.isinf(value.upper) else Fraction(value.upper)
