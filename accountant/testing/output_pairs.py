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

_JUST_BELOW = 1 - Fraction(1, 2**20), 1 - Fraction(1, 2**40)
_BITS, _PLACES = 192, 2048
ONE = 1 << _PLACES
"""Certainty: chances are whole numbers of this many parts, which are much faster than fractions."""
_RARE = ONE >> 20
_LARGEST = 90_000
_SHORT = 10**9
"""A ratio with a denominator below this is taken at its word; longer ones are likely rounded somewhere."""
_DOUBLE, _DECIMAL, _RATIO = 2**12, 10**6, 10**20
"""How many of their last places doubles and decimals are granted; and other ratios, as a share of themselves."""

_SIZEABLE = Fraction(1, 20)
_LAST = 2**64 - 1
"""The last places of a number, which tell most numbers from a power of five."""

Ends = tuple[int, int]
"""Two ends between which a chance lies, in parts of ONE."""


def ends(chance: Fraction | Interval | float, floor: int = 0) -> Ends:
    """Two ends between which a chance lies.

    An interval says so itself. A long ratio is granted what the arithmetic it seems to come from may have lost: some of its
    last places where it is a double or a decimal, whether it is small or the complement of something small; otherwise
    hardly anything. A short one may be what rounding made of it where its company is rounded: `floor` says how far.
    """
    if isinstance(chance, Interval):
        known = chance.exact
        low, high = (chance.lower, chance.upper) if known is None else (known, known)
        return parts(Fraction(low), up=False), parts(Fraction(high), up=True)
    value = Fraction(chance)
    low, high = parts(value, up=False), parts(value, up=True)
    error = granted(value) or floor
    return (max(low - error, 0), high + error) if error else (low, high)


def granted(chance: Fraction | Interval | float) -> int:
    """How far a chance may be off by the arithmetic that it seems to come from."""
    if isinstance(chance, Interval):
        return 0
    value = Fraction(chance)
    if value.denominator <= _SHORT:
        return 0
    twos = (value.denominator & -value.denominator).bit_length() - 1
    rest = value.denominator >> twos
    fives = round(math.log(rest, 5))
    if rest & _LAST != pow(5, fives, _LAST + 1) or rest != 5**fives:
        return parts(value, up=True) // _RATIO + 1
    return parts(Fraction(_DECIMAL, 10 ** max(twos, fives)) if fives else Fraction(_DOUBLE, 2**twos), up=True)


def floor_of(chances: Iterable[Fraction | Interval | float]) -> int:
    """How far short chances in such company may be off: as far as long ones of their size."""
    rounded = [chance for chance in chances if not isinstance(chance, Interval) and chance > _SIZEABLE]
    return max((granted(chance) for chance in rounded), default=0)


def parts(value: Fraction, places: int = _PLACES, *, up: bool) -> int:
    """The value in parts of a power of two, that of ONE unless said otherwise."""
    top = value.numerator << places
    return -(-top // value.denominator) if up else top // value.denominator


def chances(known: Ends) -> tuple[Fraction, Fraction]:
    """Both ends as fractions."""
    return Fraction(known[0], ONE), Fraction(known[1], ONE)


@lru_cache(maxsize=1024)
def _power(epsilon: Fraction, up: bool) -> tuple[int, int]:
    """e^epsilon from one side with few digits: a whole number of parts, and of which power of two these are."""
    value = exponential(epsilon)[up]
    places = max(value.denominator.bit_length() - value.numerator.bit_length() + _BITS, 0)
    return parts(value, places, up=up), places


@frozen
class Outcome:
    """An outcome, or several together, with its chance under either law."""

    first: Ends
    second: Ends

    @cached_property
    def slope(self) -> float:
        """About the logarithm of the likelihood ratio."""
        p, q = sum(self.first), sum(self.second)
        if not p or not q:
            return math.inf if p else -math.inf
        return math.log(p) - math.log(q)


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
        weights = [(item.first[0] + item.second[0]) / ONE for item in self.outcomes]
        total, reached, groups = sum(weights), 0.0, dict[int, list[Outcome]]()
        for item, weight in zip(self.outcomes, weights, strict=True):
            groups.setdefault(min(int(reached / total * most), most - 1), []).append(item)
            reached += weight
        return OutputPair(tuple(_joined(group) for group in groups.values()))

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """A delta that the two laws lose at least: that of the best event."""
        if epsilon > _LARGEST:
            return Fraction(sum(item.first[0] for item in self.outcomes if not item.second[1]), ONE)
        factor, places = _power(epsilon, up=True)
        # Outcomes come in the order of their ratios: well beyond those as telling as epsilon nothing is gained.
        last = float(epsilon) - 1.0
        telling = itertools.takewhile(lambda item: item.slope >= last, self.outcomes)
        gains = ((item.first[0] << places) - factor * item.second[1] for item in telling)
        return Fraction(sum(gain for gain in gains if gain > 0), ONE << places)

    def most_delta(self, epsilon: Fraction) -> Fraction:
        """A delta that the two laws do not exceed, where all outcomes are listed each on its own."""
        factor, places = (0, 0) if epsilon < -_LARGEST else _power(min(epsilon, Fraction(_LARGEST)), up=False)
        gains = ((item.first[1] << places) - factor * item.second[0] for item in self.outcomes)
        return Fraction(sum(gain for gain in gains if gain > 0), ONE << places)

    def most_renyi(self, order: int) -> float:
        """A Renyi divergence of a whole order that the two laws do not exceed, where all outcomes are listed each."""
        moment = Fraction(0)
        for item in self.outcomes:
            if item.first[1] and not item.second[0]:
                return math.inf
            moment += Fraction(item.first[1] ** order, item.second[0] ** (order - 1) * ONE) if item.first[1] else 0
        return math.inf if moment <= 0 else float_above(Fraction(log_of(moment).upper) / (order - 1))

    def epsilons(self) -> tuple[Fraction, ...]:
        """Epsilons at which the pair tells much: 0, and in front of the likelihood ratios of ever rarer outcomes."""
        points, reached, shares = {Fraction(0)}, 0.0, [2.0**-90, 2.0**-40, 2.0**-20, 2.0**-8, 2.0**-3, 0.3]
        last = likely = 0.0
        for item in self.outcomes:
            reached += item.first[0] / ONE
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
            points.update(Fraction(f"{last * share:.15g}") for share in _JUST_BELOW)
        return tuple(sorted(point for point in points if point < _LARGEST))

    def __str__(self) -> str:
        shown = ", ".join(f"({_few(item.first)}, {_few(item.second)})" for item in self.outcomes[:6])
        rest = "" if len(self.outcomes) <= 6 else f", and {len(self.outcomes) - 6} more"
        return f"the pair (P, Q) = [{shown}{rest}]"


def _product(left: Ends, right: Ends) -> Ends:
    return left[0] * right[0] >> _PLACES, -(-left[1] * right[1] >> _PLACES)


def _joined(group: list[Outcome]) -> Outcome:
    return Outcome(_sum(item.first for item in group), _sum(item.second for item in group))


def _sum(several: Iterable[Ends]) -> Ends:
    known = list(several)
    return sum(low for low, _ in known), sum(high for _, high in known)


def _decimal(value: float) -> Fraction:
    return Fraction(f"{value:.3g}")


def _few(chance: Ends) -> str:
    low, high = chances(chance)
    likely = low.limit_denominator(_SHORT)
    return str(likely) if low <= likely <= high and len(str(likely)) <= 14 else f"{float(low):.6g}"
