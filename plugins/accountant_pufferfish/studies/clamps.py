"""Tests from the clamped log-likelihood ratio with Laplace noise, and the clamps that serve them best.

Of two laws P and Q of one record, `people` records come from one. Released is the sum of log(Q/P), each clamped to [a, b],
with Laplace noise of scale (b - a)/epsilon, which is epsilon-differentially private for records that are replaced. Tests of
a level may be any function of what is released, randomised or not.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from attrs import frozen
from scipy import special

from accountant import AccountantError, InvalidValue, fields
from accountant.commands import GridKey, Plain
from accountant.loss import Floats
from accountant.numbers import plain
from accountant_pufferfish.studies.power import KEYS as TESTS, power

METHODS = ("without noise", "not clamped", "between -epsilon/2 and epsilon/2", "best of width epsilon", "best of all")
_TRIED = 25
_MOST = 200_000


def _law(value: Any) -> list[str]:
    parts = [value] if not isinstance(value, str) else value.split()
    try:
        chances = [fields.exact(part) for part in parts]
    except AccountantError:
        chances = []
    if not 2 <= len(chances) <= 5 or sum(chances) != 1 or min(chances) <= 0:
        raise InvalidValue(
            f"a law is written as two to five chances above 0 that sum to 1, such as '1/2 1/4 1/4', got '{value}'"
        )
    return [plain(chance) for chance in chances]


def _above_zero(value: Any) -> str:
    number = fields.exact(value)
    if number <= 0:
        raise InvalidValue(f"expected a number above 0, got {plain(number)}")
    return plain(number)


KEYS = {
    "people": TESTS["people"],
    "epsilon": GridKey(_above_zero),
    "null": GridKey(_law),
    "alternative": GridKey(_law),
    "level": TESTS["level"],
}


def checked(setting: Plain) -> None:
    """Refuse a setting that is no test, or too large."""
    if len(setting["null"]) != len(setting["alternative"]):
        raise InvalidValue("both laws must be on the same outcomes: as many chances for one as for the other")
    if setting["null"] == setting["alternative"]:
        raise InvalidValue("the two laws are the same: there is nothing to tell apart")
    ways = math.comb(setting["people"] + len(setting["null"]) - 1, setting["people"])
    if ways > _MOST:
        raise InvalidValue(f"{setting['people']} records fall out in {ways:,} ways; at most {_MOST:,} are enumerated")


def done(setting: Plain) -> Plain:
    """The power of the most powerful tests, by how the ratio is clamped, and the clamps that were found."""
    pair = SampledPair.of(setting)
    found: dict[str, Any] = {"without noise": power(pair.chances[0], pair.chances[1], pair.level)}
    low, high = float(pair.ratios.min()), float(pair.ratios.max())
    half = 0.5 * pair.epsilon
    narrow = np.linspace(low - pair.epsilon, high, _TRIED)
    ends = np.linspace(low, high, _TRIED)
    tried = {
        "not clamped": [(low, high)],
        "between -epsilon/2 and epsilon/2": [(-half, half)],
        "best of width epsilon": [(float(a), float(a) + pair.epsilon) for a in narrow],
        "best of all": [(float(a), float(b)) for at, a in enumerate(ends) for b in ends[at + 1 :]],
    }
    for name, clamps in tried.items():
        # Powers that differ by rounding only are alike: the first of them is taken.
        best = max(clamps, key=lambda clamp: round(pair.power(*clamp), 9))
        found[name] = pair.power(*best)
        found[f"clamps, {name}"] = list(best)
    return found


@frozen(eq=False)
class SampledPair:
    """Two laws of a sample: how often each outcome comes in each way that the sample falls out, and how likely that is."""

    ratios: Floats
    ways: Floats
    chances: tuple[Floats, Floats]
    epsilon: float
    level: float

    @classmethod
    def of(cls, setting: Plain) -> SampledPair:
        laws = [np.array([float(fields.exact(chance)) for chance in setting[name]]) for name in ("null", "alternative")]
        outcomes, people = len(laws[0]), setting["people"]
        ways = np.array(
            [np.bincount(way, minlength=outcomes) for way in combinations_with_replacement(range(outcomes), people)],
            dtype=np.float64,
        )
        orders = special.gammaln(people + 1) - special.gammaln(ways + 1.0).sum(axis=1)
        first, second = (np.exp(orders + ways @ np.log(law)) for law in laws)
        ratios: Floats = np.log(laws[1] / laws[0])
        return cls(ratios, ways, (first, second), *(float(fields.exact(setting[name])) for name in ("epsilon", "level")))

    def power(self, low: float, high: float) -> float:
        """The power of the most powerful test of what is released with these clamps."""
        sums, places = np.unique(np.round(self.ways @ np.clip(self.ratios, low, high), 12), return_inverse=True)
        if len(sums) == 1:
            return self.level
        masses = [np.bincount(places, chances, minlength=len(sums)).astype(np.float64) for chances in self.chances]
        return laplace_power(sums, masses[0], masses[1], (high - low) / self.epsilon, self.level)


def laplace_power(sums: Floats, null: Floats, alternative: Floats, scale: float, level: float) -> float:
    """The power of the most powerful test between two laws of a sum that is seen with Laplace noise.

    Between neighbouring sums both densities are A e^(-y) + B e^y in units of the scale, so that their ratio rises or falls
    all the way: where it exceeds a number is an interval there, found in closed form. That number is searched by bisection.
    """
    pieces = _Pieces.of(sums / scale, null, alternative)
    low, high = -750.0, 750.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        if pieces.beyond(math.exp(min(middle, 700.0)))[0] > level:
            low = middle
        else:
            high = middle
    spent, gained = pieces.beyond(math.exp(min(high, 700.0)))
    # What is left of the level is spent where the ratio is that number: on a tail, say, where it does not change.
    return min(1.0, gained + math.exp(high) * (level - spent))


@frozen(eq=False)
class _Pieces:
    """Both densities between neighbouring sums, and in the two tails: the factors of e^(-(y - left)) and e^(y - right)."""

    left: Floats
    right: Floats
    falling: tuple[Floats, Floats]
    rising: tuple[Floats, Floats]

    @classmethod
    def of(cls, sums: Floats, *laws: Floats) -> _Pieces:
        left = np.concatenate([[-np.inf], sums])
        right = np.concatenate([sums, [np.inf]])
        falling, rising = [], []
        for law in laws:
            down = np.zeros(len(sums) + 1)
            up = np.zeros(len(sums) + 1)
            for place in range(len(sums)):
                step = math.exp(-(sums[place] - sums[place - 1])) if place else 0.0
                down[place + 1] = down[place] * step + 0.5 * law[place]
            for place in range(len(sums) - 1, -1, -1):
                step = math.exp(-(sums[place + 1] - sums[place])) if place + 1 < len(sums) else 0.0
                up[place] = up[place + 1] * step + 0.5 * law[place]
            falling.append(down)
            rising.append(up)
        return cls(left, right, (falling[0], falling[1]), (rising[0], rising[1]))

    def beyond(self, ratio: float) -> tuple[float, float]:
        """The mass of where the second density exceeds so many times the first: under the first, and under the second."""
        down = self.falling[1] - ratio * self.falling[0]
        up = self.rising[1] - ratio * self.rising[0]
        width = self.right - self.left
        # down e^(-t) + up e^(t - width) > 0, t from the left; the sign changes where e^(2 t - width) is -down/up.
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = np.clip(0.5 * (width + np.log(-down / up)), 0.0, width)
        same = (down > 0.0) == (up > 0.0)
        start = np.where(same, 0.0, np.where(up > 0.0, cut, 0.0))
        end = np.where(same, np.where(down > 0.0, width, 0.0), np.where(up > 0.0, width, cut))
        # In the tails one factor only counts.
        start[0], end[0] = 0.0, np.inf if up[0] > 0.0 else 0.0
        start[-1], end[-1] = 0.0, np.inf if down[-1] > 0.0 else 0.0
        found = []
        for a, b in zip(self.falling, self.rising, strict=True):
            inner = slice(1, -1)
            mass = a[inner] * (np.exp(-start[inner]) - np.exp(-end[inner]))
            mass = mass + b[inner] * (np.exp(end[inner] - width[inner]) - np.exp(start[inner] - width[inner]))
            tails = (b[0] if end[0] else 0.0) + (a[-1] if end[-1] else 0.0)
            found.append(float(mass.sum() + tails))
        return found[0], found[1]
