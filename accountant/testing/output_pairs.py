"""Pairs of output laws whose chances are known between two ends, and what they lose at least and at most."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache

from attrs import frozen

from accountant.finite import exponential
from accountant.numbers.interval import Interval, float_above
from accountant.numbers.logarithm import log_of

_JUST_BELOW, _RARE = 1 - 2.0**-20, Fraction(1, 2**20)
_BITS, _PLACES = 192, 2048
_LARGEST = 90_000
_SHORT = 10**9
"""A ratio with a denominator below this is taken at its word; longer ones are likely rounded somewhere."""
_DOUBLE, _DECIMAL, _RATIO = Fraction(2**12), Fraction(10**6), Fraction(1, 10**20)
"""How many of their last places doubles and decimals are granted; and other ratios, as a share of themselves."""

_SIZEABLE = Fraction(1, 20)
_LAST = 2**64 - 1
"""The last places of a number, which tell most numbers from a power of five."""

Ends = tuple[Fraction, Fraction]


def ends(chance: Fraction | Interval | float, floor: Fraction = Fraction(0)) -> Ends:
    """Two ends between which a chance lies.

    An interval says so itself. A long ratio is granted what the arithmetic it seems to come from may have lost: some of its
    last places where it is a double or a decimal, whether it is small or the complement of something small; otherwise
    hardly anything. A short one may be what rounding made of it where its company is rounded: `floor` says how far.
    """
    if isinstance(chance, Interval):
        known = chance.exact
        return (Fraction(chance.lower), Fraction(chance.upper)) if known is None else (known, known)
    value = Fraction(chance)
    # Shortened first: an exact power has millions of digits, and sums of such never end.
    low, high = _short(value, up=False), _short(value, up=True)
    error = granted(chance) or floor
    return (_short(max(low - error, Fraction(0)), up=False), _short(high + error, up=True)) if error else (low, high)


def granted(chance: Fraction | Interval | float) -> Fraction:
    """How far a chance may be off by the arithmetic that it seems to come from."""
    if isinstance(chance, Interval):
        return Fraction(0)
    value = Fraction(chance)
    if value.denominator <= _SHORT:
        return Fraction(0)
    twos = (value.denominator & -value.denominator).bit_length() - 1
    rest = value.denominator >> twos
    fives = round(math.log(rest, 5))
    if rest & _LAST != pow(5, fives, _LAST + 1) or rest != 5**fives:
        return _short(value, up=True) * _RATIO
    return _DECIMAL / Fraction(10 ** max(twos, fives)) if fives else _DOUBLE / Fraction(2**twos)


def floor_of(chances: Iterable[Fraction | Interval | float]) -> Fraction:
    """How far short chances in such company may be off: as far as long ones of their size."""
    rounded = [chance for chance in chances if not isinstance(chance, Interval) and chance > _SIZEABLE]
    return max((granted(chance) for chance in rounded), default=Fraction(0))


def _short(value: Fraction, *, up: bool) -> Fraction:
    """The value with few digits, rounded up or down: products of long ones would never end."""
    size = value.denominator.bit_length() - value.numerator.bit_length() + _BITS
    if value.denominator.bit_length() <= _BITS or size <= 0:
        return value
    whole = (value.numerator << size) // value.denominator
    return Fraction(whole + 1 if up else whole, 1 << size)


def _fixed(value: Fraction, *, up: bool) -> int:
    """The value in units of the last place."""
    top = value.numerator << _PLACES
    return -(-top // value.denominator) if up else top // value.denominator


@lru_cache(maxsize=1024)
def _power(epsilon: Fraction) -> Ends:
    """e^epsilon from both sides, with few digits."""
    low, high = exponential(epsilon)
    return _short(low, up=False), _short(high, up=True)


@frozen
class Outcome:
    """An outcome, or several together, with its chance under either law."""

    first: Ends
    second: Ends

    @cached_property
    def slope(self) -> float:
        """About the logarithm of the likelihood ratio."""
        p, q = (low + high for low, high in (self.first, self.second))
        if not p or not q:
            return math.inf if p else -math.inf
        return math.log(p.numerator * q.denominator) - math.log(p.denominator * q.numerator)


@frozen
class OutputPair:
    """Two laws of the output of a mechanism, outcome by outcome. Several outcomes may be taken together."""

    outcomes: tuple[Outcome, ...]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> OutputPair:
        """The outcomes that can happen, the most telling for the first law first."""
        kept = (item for item in outcomes if item.first[1] or item.second[1])
        return cls(tuple(sorted(kept, key=lambda item: -item.slope)))

    def exchanged(self) -> OutputPair:
        """The same in the other order."""
        return OutputPair(tuple(Outcome(item.second, item.first) for item in reversed(self.outcomes)))

    def times(self, other: OutputPair) -> OutputPair:
        """Both together, independently."""
        return OutputPair.of(
            Outcome(_product(left.first, right.first), _product(left.second, right.second))
            for left, right in itertools.product(self.outcomes, other.outcomes)
        )

    def merged(self, most: int) -> OutputPair:
        """The pair after merging outcomes of similar ratios: a post-processing that keeps its products small."""
        if len(self.outcomes) <= most:
            return self
        weights = [float(item.first[0] + item.second[0]) for item in self.outcomes]
        total, reached, groups = sum(weights), 0.0, dict[int, list[Outcome]]()
        for item, weight in zip(self.outcomes, weights, strict=True):
            groups.setdefault(min(int(reached / total * most), most - 1), []).append(item)
            reached += weight
        return OutputPair(tuple(_joined(group) for group in groups.values()))

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """A delta that the two laws lose at least: that of the best event."""
        if epsilon > _LARGEST:
            return sum((item.first[0] for item in self.outcomes if not item.second[1]), Fraction(0))
        factor = _fixed(_power(epsilon)[1], up=True)
        # Outcomes come in the order of their ratios: well beyond those as telling as epsilon nothing is gained.
        last = float(epsilon) - 1.0
        telling = itertools.takewhile(lambda each: each[0].slope >= last, zip(self.outcomes, self._rounded, strict=True))
        gains = ((p << _PLACES) - factor * q for _, (p, _, _, q) in telling)
        return Fraction(sum(gain for gain in gains if gain > 0), 1 << 2 * _PLACES)

    def most_delta(self, epsilon: Fraction) -> Fraction:
        """A delta that the two laws do not exceed, where all outcomes are listed each on its own."""
        factor = 0 if epsilon < -_LARGEST else _fixed(_power(min(epsilon, Fraction(_LARGEST)))[0], up=False)
        gains = ((p << _PLACES) - factor * q for _, p, q, _ in self._rounded)
        return Fraction(sum(gain for gain in gains if gain > 0), 1 << 2 * _PLACES)

    def most_renyi(self, order: int) -> float:
        """A Renyi divergence of a whole order that the two laws do not exceed, where all outcomes are listed each."""
        moment = Fraction(0)
        for item in self.outcomes:
            if item.first[1] and not item.second[0]:
                return math.inf
            moment += item.first[1] ** order / item.second[0] ** (order - 1) if item.first[1] else 0
        return math.inf if moment <= 0 else float_above(Fraction(log_of(moment).upper) / (order - 1))

    @cached_property
    def _rounded(self) -> list[tuple[int, int, int, int]]:
        """Both ends of both chances as whole numbers of the last place, rounded outward: much faster than fractions."""
        return [
            (
                _fixed(item.first[0], up=False),
                _fixed(item.first[1], up=True),
                _fixed(item.second[0], up=False),
                _fixed(item.second[1], up=True),
            )
            for item in self.outcomes
        ]

    def epsilons(self) -> tuple[Fraction, ...]:
        """Epsilons at which the pair tells much: 0, and in front of the likelihood ratios of ever rarer outcomes."""
        points, reached, shares = {Fraction(0)}, 0.0, [2.0**-90, 2.0**-40, 2.0**-20, 2.0**-8, 2.0**-3, 0.3]
        last = likely = 0.0
        for item in self.outcomes:
            reached += float(item.first[0])
            if math.isinf(item.slope):
                continue
            last = max(last, item.slope)
            likely = max(likely, item.slope if item.first[0] > _RARE else 0.0)
            if item.slope > 0.0 and shares and reached >= shares[0]:
                points.update(_decimal(item.slope * share) for share in (0.5, 0.98))
                shares = [share for share in shares if share > reached]
        if self.outcomes and self.outcomes[0].slope == math.inf:
            points.add(_decimal(2.0 * last + 1.0))
        if 0.0 < last == likely:
            # A claim that ends too early does so just before the largest loss, where that is no rare one.
            points.add(Fraction(f"{last * _JUST_BELOW:.9g}"))
        return tuple(sorted(point for point in points if point < _LARGEST))

    def __str__(self) -> str:
        shown = ", ".join(f"({_few(item.first)}, {_few(item.second)})" for item in self.outcomes[:6])
        rest = "" if len(self.outcomes) <= 6 else f", and {len(self.outcomes) - 6} more"
        return f"the pair (P, Q) = [{shown}{rest}]"


def _product(left: Ends, right: Ends) -> Ends:
    return _short(left[0] * right[0], up=False), _short(left[1] * right[1], up=True)


def _joined(group: list[Outcome]) -> Outcome:
    return Outcome(_sum(item.first for item in group), _sum(item.second for item in group))


def _sum(several: Iterable[Ends]) -> Ends:
    known = list(several)
    return sum((low for low, _ in known), Fraction(0)), sum((high for _, high in known), Fraction(0))


def _decimal(value: float) -> Fraction:
    return Fraction(f"{value:.3g}")


def _few(chance: Ends) -> str:
    low, high = chance
    return str(low) if low == high and len(str(low)) <= 14 else f"{float(low):.6g}"
