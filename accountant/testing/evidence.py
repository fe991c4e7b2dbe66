"""What laws are made of: where to read a loss, how to read it safely, and how to show a counterexample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NoReturn, ParamSpec

from accountant.errors import GridTooLarge
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.divergence import Divergence, Reading

P = ParamSpec("P")
LEVELS = tuple(Fraction(k, 4) for k in range(5))
ORDERS = (Fraction(11, 10), Fraction(2), Fraction(5), Fraction(32))
DELTAS = (Fraction(1, 10**6), Fraction(1, 10))

# Where each reading word of the plan language is tried, the most telling place first.
WORDS: Mapping[str, tuple[Fraction, ...]] = {
    "delta": DELTAS,
    "epsilon": (Fraction(1, 2), Fraction(0), Fraction(2)),
    "order": (Fraction(3, 2), Fraction(8)),
    "level": (Fraction(1, 10), Fraction(1, 2)),
}

# Where a word that is not of the plan language is tried: a chance, a share, a small amount.
_ANYWHERE = (Fraction(1, 2),)

# Values of which a larger one promises more privacy, not less.
PROTECTIVE = frozenset({"type_two_error"})

_EPSILONS = (Fraction(-1, 2), Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5))
_UNKNOWN = Interval(0.0, math.inf)


def broken(statement: str, **facts: object) -> NoReturn:
    """Raise the AssertionError of a law that does not hold: what is wrong, then the counterexample, one fact a line."""
    lines = [f"    {name.replace('_', ' ')}: {value}" for name, value in facts.items()]
    raise AssertionError("\n".join([statement, *lines]))


def show(loss: PrivacyLoss) -> str:
    """A loss in one line."""
    if isinstance(loss, FiniteLoss):
        atoms = ", ".join(f"({p}, {q})" for p, q in loss.atoms)
        words = f"the pair (P, Q) = [{atoms}]"
    else:
        words = repr(loss)
    return words if len(words) <= 300 else words[:300] + "..."


def read(loss: PrivacyLoss, reading: str, action: Callable[P, Interval], *arguments: P.args, **named: P.kwargs) -> Interval:
    """A reading of a loss. A refusal for want of memory is unknown; any other error is a counterexample."""
    try:
        value = action(*arguments, **named)
    except GridTooLarge:
        return _UNKNOWN
    except Exception as error:
        lines = f"{reading} cannot be read: {type(error).__name__}: {error}\n    loss: {show(loss)}"
        raise AssertionError(lines) from error
    return value


def delta(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The delta of a loss at an epsilon."""
    return read(loss, f"delta at epsilon = {plain(epsilon)}", loss.delta, epsilon)


def epsilons(loss: PrivacyLoss) -> tuple[Fraction, ...]:
    """Epsilons at which a loss is worth reading: round ones, and some on its own scale."""
    return tuple(sorted({*_EPSILONS, *_own(loss, (0.25, 0.6, 0.95))}))


def few_epsilons(loss: PrivacyLoss) -> tuple[Fraction, ...]:
    """Two epsilons for a loss that is slow to read: in its middle and towards its end."""
    return _own(loss, (0.25, 0.9)) or (Fraction(0),)


def _own(loss: PrivacyLoss, shares: tuple[float, ...]) -> tuple[Fraction, ...]:
    high = loss.window(-8.0)[1]
    return tuple(Fraction(f"{high * share:.2g}") for share in shares) if 0.0 < high < 1e6 else ()


def meet(left: Interval, right: Interval) -> bool:
    """Whether two intervals can contain the same value."""
    return left.lower <= right.upper and right.lower <= left.upper


def points(definition: Divergence, most: int | None = None) -> Iterator[tuple[Reading, dict[str, Fraction]]]:
    """Every reading of a definition with words to read it at: at most so many places for each word."""
    for reading in definition.readings:
        choices: list[dict[str, Fraction]] = [{}]
        for word in reading.at:
            choices = [{**chosen, word: value} for chosen in choices for value in WORDS.get(word, _ANYWHERE)[:most]]
        for chosen in choices:
            yield reading, chosen


def measured(definition: Divergence, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
    """The value of a definition on a loss."""
    return read(loss, f"'{definition.name}'{at_words(at)}", definition.measure, loss, at)


def at_words(at: Mapping[str, Fraction]) -> str:
    """Reading words in words."""
    return "".join(f" at {word} = {plain(value)}" for word, value in at.items())


def surely_worse(reading: Reading, left: Interval, right: Interval) -> bool:
    """Whether the left value certainly promises less than the right one."""
    return left.upper < right.lower if reading.value in PROTECTIVE else left.lower > right.upper


def safe(reading: Reading, value: Interval) -> Fraction | None:
    """The end of a value that certainly holds; None if there is none."""
    if value.exact is not None:
        return value.exact
    end = value.lower if reading.value in PROTECTIVE else value.upper
    return None if math.isinf(end) else Fraction(end)
