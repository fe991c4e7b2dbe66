"""How far a belief can rise under pure differential privacy, and the epsilon that keeps it below a ratio.

The target is in the data with probability p, and has a sensitive value with probability q if so. Let f be the law of the
output if both hold, g if the target is in the data with another value, and h if the target is not in the data. Bayes' rule
gives posterior over prior = 1/(p q + p (1 - q) g/f + (1 - p) h/f), and the likelihood ratios are bounded by epsilon.
Proofs are in docs/explanation/risk-profiles.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import frozen

from accountant import Interval, InvalidValue, fields
from accountant.numbers import float_above, float_below, log_of
from accountant_posterior.semantics.odds import exponential, written

_BITS = 120


@frozen
class Attackers:
    """Which attackers are asked about: the priors that they may hold, and how far apart a member's values are.

    `steps` counts how many epsilons part two values of a member: two between datasets that add or remove a record, since
    a replacement is two such steps, and one where epsilon holds for replacements as well. `membership` and `disclosure`
    are 1 where the attacker is sure of them.
    """

    name: str
    steps: int
    membership: Fraction | None = None
    disclosure: Fraction | None = None

    def sees(self, membership: Fraction, disclosure: Fraction) -> bool:
        """Whether attackers with these priors are among those asked about."""
        return membership == (self.membership or membership) and disclosure == (self.disclosure or disclosure)


WHOLE = Attackers("value and membership", 2)
NEAR = Attackers("value and membership, replacements included", 1)
MEMBERS = Attackers("membership", 1, disclosure=Fraction(1))
VALUES = Attackers("value", 1, membership=Fraction(1))


def largest_rise(
    membership: Fraction, disclosure: Fraction, epsilon: Interval, replaced: Interval | None = None
) -> Interval:
    """The largest ratio of posterior to prior probability that the target is in the data with a sensitive value.

    Definition: 1/(p q + p (1 - q) e^-e + (1 - p) e^-epsilon), where epsilon holds between datasets with and without the
    target and e between datasets in which the target has different values: 2 epsilon unless `replaced` says less.

    Guarantee: no attacker whose beliefs about the target are independent of all others exceeds the upper end.
    """
    apart = epsilon.times(2) if replaced is None else replaced
    return _ratio(membership, disclosure, (-apart.upper, -apart.lower), (-epsilon.upper, -epsilon.lower))


def largest_fall(
    membership: Fraction, disclosure: Fraction, epsilon: Interval, replaced: Interval | None = None
) -> Interval:
    """The smallest ratio of posterior to prior: the same with the signs of the exponents exchanged."""
    apart = epsilon.times(2) if replaced is None else replaced
    return _ratio(membership, disclosure, (apart.lower, apart.upper), (epsilon.lower, epsilon.upper))


def _ratio(p: Fraction, q: Fraction, value: tuple[float, float], absence: tuple[float, float]) -> Interval:
    """1/(p q + p (1 - q) e^value + (1 - p) e^absence), for exponents between two ends each."""
    _probabilities(p, q)
    shares = [(p * (1 - q), exponential(Interval(*value))), (1 - p, exponential(Interval(*absence)))]
    present = [(share, power) for share, power in shares if share]
    least = p * q + sum((share * Fraction(power.lower) for share, power in present), Fraction(0))
    upper = float_above(1 / least) if least else math.inf
    if any(math.isinf(power.upper) for _, power in present):
        return Interval(0.0, upper)
    most = p * q + sum((share * Fraction(power.upper) for share, power in present), Fraction(0))
    return Interval(float_below(1 / most), upper)


def _probabilities(*values: Fraction) -> None:
    for value in values:
        if not 0 <= value <= 1:
            raise InvalidValue(f"a probability lies between 0 and 1, got {written(value)}")


def largest_epsilon(membership: Fraction, disclosure: Fraction, ratio: Fraction, steps: int = 2) -> Interval:
    """The epsilon at which `largest_rise` reaches a ratio; infinite where no posterior can reach it.

    Definition: with A = p (1 - q), B = 1 - p and C = 1/r - p q, minus the logarithm of the positive x with A x^2 + B x = C,
    that is log((B + sqrt(B^2 + 4 A C))/(2 C)); with one step, log((A + B)/C). Nothing cancels: C is exact.

    Guarantee: the lower end is admissible. Priors of 0 stand for the limit.
    """
    _probabilities(membership, disclosure)
    if ratio < 1:
        raise InvalidValue(
            f"a posterior of at most {written(ratio)} times the prior would have to fall whatever is released; tolerate at "
            "least 1"
        )
    inside, outside = membership * (1 - disclosure), 1 - membership
    rest = 1 / ratio - membership * disclosure
    if rest <= 0:
        return Interval.infinite()
    if steps == 1:
        return _not_negative(log_of((inside + outside) / rest))
    low, high = (log_of((outside + end) / (2 * rest)) for end in square_root(outside**2 + 4 * inside * rest))
    return _not_negative(low if low == high else Interval(low.lower, high.upper))


def _not_negative(epsilon: Interval) -> Interval:
    """An epsilon of at least 0, also where rounding outward goes below."""
    return epsilon if epsilon.lower >= 0.0 else Interval(0.0, max(0.0, epsilon.upper))


def one_direction(failure: Fraction, epsilon: Interval) -> Fraction:
    """How often the loss may exceed epsilon in each direction so that it exceeds it in either with `failure` at most.

    Definition: failure/(1 + e^-epsilon), rounded down to six figures.
    """
    back = exponential(Interval(-epsilon.lower, -epsilon.lower)).upper
    return fields.exact(Interval.of(failure / (1 + Fraction(back))).rounded(6)[0])


def square_root(value: Fraction) -> tuple[Fraction, Fraction]:
    """Rational bounds on the square root of a number that is not negative; equal where it is rational."""
    if not value:
        return Fraction(0), Fraction(0)
    scale = max(0, _BITS - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    shifted = value * 4**scale
    floor = math.isqrt(shifted.numerator // shifted.denominator)
    exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    if exact**2 == value:
        return exact, exact
    return Fraction(floor, 2**scale), Fraction(floor + 1, 2**scale)
