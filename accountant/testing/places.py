"""Where laws read losses and definitions: words, levels, orders and epsilons, the most telling first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import attrs

from accountant.errors import AccountantError
from accountant.loss import PrivacyLoss
from accountant.promise.divergence import Divergence, Reading
from accountant.testing.parameters import edges

Places = Callable[[Divergence], Iterator[tuple[Reading, dict[str, Fraction]]]]
"""Readings of a definition, each with the words to read it at."""

LEVELS = tuple(Fraction(k, 4) for k in range(5))
ORDERS = (Fraction(11, 10), Fraction(2), Fraction(5), Fraction(32))
DELTAS = (Fraction(1, 10**6), Fraction(1, 10))

_EPSILONS = (Fraction(-1, 2), Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5))


def epsilons(loss: PrivacyLoss) -> tuple[Fraction, ...]:
    """Epsilons at which a loss is worth reading: round ones, and some on its own scale."""
    return tuple(sorted({*_EPSILONS, *_own(loss, (0.25, 0.6, 0.95))}))


def few_epsilons(loss: PrivacyLoss) -> tuple[Fraction, ...]:
    """Two epsilons for a loss that is slow to read: in its middle and towards its end."""
    return _own(loss, (0.25, 0.9)) or (Fraction(0),)


def last_epsilons(loss: PrivacyLoss) -> tuple[Fraction, ...]:
    """Where the last losses lie that are no rare ones: a promise at one epsilon binds there, and hardly elsewhere."""
    return _own(loss, (1.0,), digits=12)


def _own(loss: PrivacyLoss, shares: tuple[float, ...], digits: int = 2) -> tuple[Fraction, ...]:
    high = loss.window(-8.0)[1]
    return tuple(Fraction(f"{high * share:.{digits}g}") for share in shares) if 0.0 < high < 1e6 else ()


def points(definition: Divergence, most: int | None = None) -> Iterator[tuple[Reading, dict[str, Fraction]]]:
    """Every reading of a definition with words to read it at: at most so many places for each word."""
    for reading in definition.readings:
        choices: list[dict[str, Fraction]] = [{}]
        for word in reading.at:
            choices = [{**chosen, word: value} for chosen in choices for value in definition.word(word).places[:most]]
        for chosen in choices:
            yield reading, chosen


def far_points(definition: Divergence) -> Iterator[tuple[Reading, dict[str, Fraction]]]:
    """The first reading at places near the bounds of its words and far from them, as the parameter's fields say."""
    first = definition.primary
    members = {member.name: member for member in attrs.fields(definition.parameter)}
    choices = [edges(members[word]) if word in members else definition.word(word).places for word in first.at]
    for chosen in itertools.product(*choices):
        yield first, dict(zip(first.at, chosen, strict=True))


def far_parameters(definition: Divergence) -> Iterator[Any]:
    """Parameters near the bounds of their fields and far from them, without those that the definition does not take."""
    members = attrs.fields(definition.parameter)
    for chosen in itertools.product(*map(edges, members)):
        try:
            yield definition.parameter(**{member.name: value for member, value in zip(members, chosen, strict=True)})
        except AccountantError:
            continue
