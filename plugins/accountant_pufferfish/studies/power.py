"""Power of tests from a noisy count and what is public, against tests from the projected count: by enumeration.

Of `people` each is counted with the same chance. A test asks whether that is at most `null`, and its power is read at
`alternative`. Noise is on whole numbers. Public is nothing, whether the count reaches a number, or its total with the
count of a second group of the same size, whose chance is `null`. The projected count is the whole number closest to the
noisy one among those that agree with what is public.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from accountant import AccountantError, InvalidValue, fields
from accountant.commands import GridKey, Plain
from accountant.loss import Floats
from accountant.numbers import plain

SEEN = ("the data", "noisy and public", "noisy alone", "projected")
_FAINT = -46.0
"""Noise less likely than e^-46 of the likeliest is left out: 1e-20 of it."""
_WIDEST = 400


def _chance(value: Any) -> str:
    number = fields.exact(value)
    if not 0 < number < 1:
        raise InvalidValue(f"expected a chance strictly between 0 and 1, got {plain(number)}")
    return plain(number)


def _people(value: Any) -> int:
    number = fields.whole(value)
    if not 1 <= number <= 200:
        raise InvalidValue(f"expected from 1 to 200 people, since all outcomes are enumerated; got {number:,}")
    return number


def _noise(value: Any) -> str:
    word, _, size = str(value).partition(":")
    try:
        number = fields.exact(size)
    except AccountantError:
        number = fields.exact(0)
    if word not in ("geometric", "discrete-gaussian") or number <= 0:
        raise InvalidValue(f"noise is geometric:SCALE or discrete-gaussian:VARIANCE, got '{value}'")
    if len(masses(str(value))) > 2 * _WIDEST + 1:
        raise InvalidValue(f"the noise '{value}' is too wide to be enumerated; take a smaller one")
    return str(value)


def _public(value: Any) -> str:
    word, _, number = str(value).partition(":")
    if str(value) in ("nothing", "total") or (word == "reaches" and number.isdecimal() and len(number) < 10):
        return str(value)
    raise InvalidValue(f"public is nothing, total or reaches:COUNT, got '{value}'")


KEYS = {
    "people": GridKey(_people),
    "noise": GridKey(_noise),
    "public": GridKey(_public, ["total"]),
    "null": GridKey(_chance, "0.5"),
    "alternative": GridKey(_chance),
    "level": GridKey(_chance, "0.05"),
}


def checked(setting: Plain) -> None:
    """Refuse a setting that is no test."""
    if fields.exact(setting["alternative"]) <= fields.exact(setting["null"]):
        raise InvalidValue(f"the alternative {setting['alternative']} must be above the null {setting['null']}")
    word, _, number = setting["public"].partition(":")
    if word == "reaches" and not 1 <= int(number) <= setting["people"]:
        raise InvalidValue(
            f"'{setting['public']}' is known of every count of {setting['people']}; give one that may be reached"
        )


def done(setting: Plain) -> Plain:
    """The power of the most powerful tests of the level, by what they may look at."""
    null, alternative, level = (float(fields.exact(setting[name])) for name in ("null", "alternative", "level"))
    seen = [list(_seen(setting, chance, null)) for chance in (null, alternative)]
    return {
        name: power(np.concatenate(first), np.concatenate(second), level)
        for name, first, second in zip(SEEN, zip(*seen[0], strict=True), zip(*seen[1], strict=True), strict=True)
    }


def power(null: Floats, alternative: Floats, level: float) -> float:
    """The power of the most powerful test of this level between two laws on the same outcomes, which may be randomised.

    Definition: outcomes are rejected in the order of their likelihood ratio until the level is spent, the last in part.
    """
    order = np.argsort(-(alternative / np.maximum(null, 1e-300)), kind="stable")
    spent = np.cumsum(null[order])
    whole = int(np.searchsorted(spent, level, side="right"))
    gained = float(alternative[order[:whole]].sum())
    if whole < len(order):
        left = level - (float(spent[whole - 1]) if whole else 0.0)
        gained += float(alternative[order[whole]]) * max(left, 0.0) / max(float(null[order[whole]]), 1e-300)
    return min(gained, 1.0)


def _seen(setting: Plain, chance: float, base: float) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """For each value of what is public, the laws of all that may be looked at; summed up over outcomes that look alike.

    What does not show the public value is given with the first of its values only, for all of them together.
    """
    people, noise = setting["people"], masses(setting["noise"])
    counts = np.arange(people + 1)
    law = _binomial(people, chance)
    if setting["public"] == "total":
        yield from _with_total(people, law, _binomial(people, base), noise)
        return
    word, _, number = setting["public"].partition(":")
    bounds = [(0, int(number) - 1), (int(number), people)] if word == "reaches" else [(0, people)]
    released = _convolved(law, noise)
    for place, (low, high) in enumerate(bounds):
        own = np.where((counts >= low) & (counts <= high), law, 0.0)
        noisy = _convolved(own, noise)
        alone = released if place == 0 else np.zeros(0)
        yield own, noisy, alone, _clamped(noisy, len(noise) // 2, low, high)


def _with_total(people: int, law: Floats, other: Floats, noise: Floats) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """Two groups whose counts add up to a public total; both are released with noise."""
    reach = len(noise) // 2
    places = np.arange(-reach, people + reach + 1)
    kernel = _kernel(people, noise)
    both = np.outer(kernel.T @ law, kernel.T @ other)
    for total in range(2 * people + 1):
        low, high = max(0, total - people), min(people, total)
        first = np.arange(low, high + 1)
        own = law[first] * other[total - first]
        noisy = kernel[first].T @ (own[:, np.newaxis] * kernel[total - first])
        # Least squares on the line of the total; halves go down, and counts stay between their bounds.
        nearest = np.clip((places[:, np.newaxis] - places[np.newaxis, :] + total) // 2, low, high)
        projected = np.bincount((nearest - low).ravel(), noisy.ravel(), minlength=high - low + 1).astype(np.float64)
        yield own, noisy.ravel(), both.ravel() if total == 0 else np.zeros(0), projected


def masses(noise: str) -> Floats:
    """The law of the noise, symmetric about its middle."""
    word, _, size = noise.partition(":")
    number = float(fields.exact(size))
    reach = math.ceil(-_FAINT * number) if word == "geometric" else math.ceil(math.sqrt(-2.0 * _FAINT * number))
    places = np.abs(np.arange(-reach, reach + 1))
    logs = -places / number if word == "geometric" else -(places**2) / (2.0 * number)
    found: Floats = np.exp(logs)
    scaled: Floats = found / found.sum()
    return scaled


def _binomial(people: int, chance: float) -> Floats:
    counts = np.arange(people + 1)
    ways = special.gammaln(people + 1) - special.gammaln(counts + 1) - special.gammaln(people - counts + 1)
    found: Floats = np.exp(ways + counts * math.log(chance) + (people - counts) * math.log1p(-chance))
    return found


def _kernel(people: int, noise: Floats) -> Floats:
    """In each row the law of a noisy count."""
    found = np.zeros((people + 1, people + len(noise)))
    for count in range(people + 1):
        found[count, count : count + len(noise)] = noise
    return found


def _convolved(law: Floats, noise: Floats) -> Floats:
    return np.convolve(law, noise)


def _clamped(noisy: Floats, reach: int, low: int, high: int) -> Floats:
    """A noisy count moved to the nearest of two bounds where it lies outside."""
    places = np.clip(np.arange(len(noisy)) - reach, low, high) - low
    found: Floats = np.bincount(places, noisy, minlength=high - low + 1).astype(np.float64)
    return found
