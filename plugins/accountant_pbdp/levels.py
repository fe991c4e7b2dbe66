"""How many times its level the power of a test may be, and the power from which on no test has more than a factor.

With delta the hockey-stick curve of a loss, a test of power b has at least the level (b - delta(log y))/y for every y > 0,
and the largest of these bounds is the smallest level at which power b is reached. In terms of u = 1/y the bound is
concave, so its largest value is enclosed from both sides. Logarithms of levels are kept: the level itself may be far below
what doubles hold. Where power and level are nearly the same, what the level lacks to the power is looked for instead,

    the smallest b (1 - u) + u delta(-log u),

a sum of what is positive, which loses nothing however small it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from accountant import Interval
from accountant.loss import FiniteLoss, PrivacyLoss, lowest_value
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball, exp, expm1, log, log1p

_FARTHEST = 700.0
_SMALL = 0.5
_FINEST = 2.0**-20
_PLACE = 10.0
"""So much less precisely a function is known where it only says at which place it is lowest."""
HINT = 1e-2
"""How precisely an epsilon is read that only says where to look."""
_UNKNOWN = Interval(0.0, math.inf)


def exact_level(loss: FiniteLoss, power: Fraction) -> Fraction:
    """The smallest level at which tests of a finite pair reach a power: outcomes in order of falling likelihood ratio."""
    level, left = Fraction(0), power
    for p, q in loss.atoms:
        share = min(Fraction(1), left / p) if p else Fraction(0)
        level, left = level + share * q, left - share * p
    return level


def log_factor(loss: PrivacyLoss, power: Fraction, *, least: float = 0.0) -> Interval:
    """The logarithm of the largest factor by which a test of the given power exceeds its level, in this direction.

    The search is shorter for whoever knows about the `least` epsilon at which delta is the power.
    """
    infinite = loss.infinite()
    if infinite.lower >= float_above(power) or infinite.exact == power:
        return Interval.infinite()
    start = _start(loss, power, infinite)
    if start is None:
        return _UNKNOWN
    best, peak = _best(start, least) if start > 0.0 else (0.0, min(1.0, 4.0 * loss.delta(0).upper))
    # Points so far apart leave an error of about the square of that.
    finest = _finest(loss) * min(1.0, peak)
    search = _by_gain if best <= _SMALL else _by_level
    return search(loss, power, start, best, finest, max(0.5 * peak, 2.0 * finest)).clamp(0.0, math.inf)


def _finest(loss: PrivacyLoss) -> float:
    return _FINEST if loss.precision is None else math.sqrt(loss.precision) / 3.5


def _start(loss: PrivacyLoss, power: Fraction, infinite: Interval) -> float | None:
    """A place where delta is surely below the power, near the best one."""
    if Fraction(infinite.upper) >= power:
        return None
    found = loss.roughly(HINT).epsilon((power + Fraction(infinite.upper)) / 2).upper
    return None if math.isinf(found) else found


def _best(start: float, least: float) -> tuple[float, float]:
    """About where a test of the power gains most and how wide that peak is, if delta falls on like an exponential.

    From the power to a half of it, it falls between the two epsilons; it is best where it is 1/(1 + fall) of the power.
    """
    fall = max(math.log(2.0) / max(start - least, 1e-6 * start), 1.0)
    return start + math.log(0.5 * (1.0 + fall)) / fall, 1.0 / fall


def _by_level(loss: PrivacyLoss, power: Fraction, start: float, best: float, finest: float, reach: float) -> Interval:
    low, high, top = float_below(power), float_above(power), loss.supremum().upper

    def bound(log_u: float, of: PrivacyLoss = loss) -> Interval:
        """Minus (power - delta) u, as a share of what u is at the start."""
        delta = of.delta(-log_u) if -log_u < top else Interval.of(0)
        share = exp((Ball(log_u) + start).at_most(_FARTHEST))
        lower, upper = ((Ball(delta.lower) - high) * share).lower, ((Ball(delta.upper) - low) * share).upper
        return Interval(lower, upper if log_u + start < _FARTHEST else math.inf)

    value = lowest_value(bound, [-best], finest, reach, _about(bound, loss))
    if value.lower >= 0.0:
        return Interval.infinite()
    lower = (log(Ball(-value.upper)) - start).lower if value.upper < 0.0 else -math.inf
    upper = (log(Ball(-value.lower)) - start).upper if value.lower > -math.inf else math.inf
    return log_of(power) + Interval(-upper, -lower)


def _by_gain(loss: PrivacyLoss, power: Fraction, start: float, best: float, finest: float, reach: float) -> Interval:
    height, top = Ball.of(power), loss.supremum().upper

    def lack(log_u: float, of: PrivacyLoss = loss) -> Interval:
        """What a level of power times u lacks, and what is left of delta there."""
        if log_u > _FARTHEST:
            return _UNKNOWN
        delta = of.delta(-log_u) if -log_u < top else Interval.of(0)
        lost, share = height * -expm1(Ball(log_u)), exp(Ball(log_u))
        return Interval(max(0.0, (lost + share * delta.lower).lower), (lost + share * delta.upper).upper)

    value = lowest_value(lack, [-best], finest, reach, _about(lack, loss))
    return Interval(_of_lack(max(0.0, value.lower), height).lower, _of_lack(value.upper, height).upper)


def _of_lack(lack: float, power: Ball) -> Ball:
    """The logarithm of power/(power - lack)."""
    share = Ball(lack) / power
    return -log1p(-share) if share.upper < 1.0 else Ball(math.inf)


def crossing_power(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The power from which on no test has more than e^epsilon times its level.

    A test of level x whose power is at least e^epsilon x has a power of at most delta(e)/(1 - e^(e - epsilon)), for every
    e below epsilon: its power is at most delta(e) + e^e x, and x at most power times e^-epsilon. The smallest of these
    bounds is reached. In terms of u = 1/(e^(epsilon - e) - 1) the bound is (1 + u) delta(epsilon - log(1 + 1/u)), which is
    convex, since delta is convex in e^e and this is its perspective.
    """

    def power(log_u: float, of: PrivacyLoss = loss) -> Interval:
        if log_u > _FARTHEST:
            return _UNKNOWN
        place = Ball.of(epsilon) - log1p(exp(Ball(-log_u).at_most(_FARTHEST)))
        factor = exp(Ball(log_u)) + 1.0
        return Interval((factor * of.delta(place.upper).lower).lower, (factor * of.delta(place.lower).upper).upper)

    starts = [_log_u(distance) for distance in ((0.0,) if loss.precision is not None else range(-4, 5))]
    found = lowest_value(power, starts, _finest(loss), about=_about(power, loss))
    return found.clamp(0.0, 1.0)


def _about(curve: Callable[[float, PrivacyLoss], Interval], loss: PrivacyLoss) -> Callable[[float], Interval] | None:
    """A function of a loss that takes long to read, as it is known where only a place is looked for."""
    rough = loss if loss.precision is None else loss.roughly(_PLACE * loss.precision)
    return None if rough is loss else lambda place: curve(place, rough)


def _log_u(log_distance: float) -> float:
    """Where epsilon - e is e^log_distance."""
    return -math.log(math.expm1(math.exp(log_distance)))
