"""What a risk profile admits in other definitions, and for each of several releases.

The profile admits a pure epsilon' for its attackers. Where it may be exceeded with a small probability, weaker definitions
keep it too: the largest of their parameters that do are found here, each with a lower end that is admissible. Proofs are in
docs/explanation/risk-profiles.md and docs/explanation/posterior-meaning.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from accountant import Interval, InvalidValue, fields
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball, down, up
from accountant.plugin import DIVERGENCES
from accountant_posterior.risk.bounds import WHOLE, one_direction, square_root
from accountant_posterior.risk.crossing import crossing
from accountant_posterior.risk.profile import Profile
from accountant_posterior.semantics.odds import exponential, probability, written
from accountant_posterior.semantics.probabilistic import approximate_epsilon, gaussian_epsilon

if TYPE_CHECKING:
    from accountant.numbers import ExactLike

_COARSE, _FINE = 2.0**-20, 2.0**-30
_TIMES = 256.0
"""More than what a handful of functions rounds, of which erfc is granted 16."""


@frozen
class PerRelease:
    """The largest epsilon of each of several equal releases, by theorems about their composition.

    `curve` is optimal composition without a delta that is fixed beforehand, where the profile may fail; 0 where it may not.
    """

    basic: Interval
    advanced: Interval
    optimal: Interval
    curve: Interval = field(factory=lambda: Interval.of(0))

    @property
    def best(self) -> Interval:
        """The largest: each of them is safe."""
        return max((self.basic, self.advanced, self.optimal, self.curve), key=lambda value: value.lower)


def admitted_epsilon(profile: Profile, delta: ExactLike = 0) -> Interval:
    """The largest epsilon of approximate differential privacy at `delta` that keeps the profile; 0 asks for the pure one.

    Definition: epsilon' for delta = 0. Otherwise, with t = delta/failure, epsilon' + log(1 - t (1 + e^-epsilon')) where
    one pair of hypotheses is compared, and log(2 (1 - t)/(t + sqrt(t^2 + 4 (1 - t) e^(-2 epsilon')))) for the independent
    attacker who also doubts membership, for whom two values are two steps apart.
    """
    slack, found = probability(delta, "delta"), profile.admits(profile.view).epsilon
    if not slack:
        return found
    _may_fail(profile, "approximate differential privacy with a delta")
    if math.isinf(found.lower):
        return found
    if profile.view is not WHOLE:
        return approximate_epsilon(found, slack, profile.failure)
    share = slack / profile.failure
    low, high = (_two_steps(end, share, side) for side, end in enumerate((found.lower, found.upper)))
    if low is None or high is None:
        raise InvalidValue(
            f"no epsilon is small enough at delta = {written(slack)} and failure probability {written(profile.failure)}; "
            "allow a larger failure probability or a smaller delta"
        )
    return Interval(low.lower, high.upper)


def _two_steps(epsilon: float, share: Fraction, side: int) -> Interval | None:
    if share >= 1:
        return None
    power = exponential(Interval(-2.0 * epsilon, -2.0 * epsilon))
    fall = Fraction((power.upper, power.lower)[side])
    root = square_root(share**2 + 4 * (1 - share) * fall)[1 - side]
    raised = 2 * (1 - share) / (share + root)
    return log_of(raised) if raised >= 1 else None


def admitted_rho(profile: Profile) -> Interval:
    """The largest rho of zero-concentrated differential privacy that keeps the profile.

    Definition: (sqrt(L + epsilon') - sqrt(L))^2 with L = log((1 + e^-epsilon')/failure), and for the independent attacker
    who also doubts membership (sqrt(L + epsilon') - sqrt(L))^2/2 with L = log(1/failure)/2.

    Guarantee: the lower end is admissible, for every mechanism with that rho. With the upper end Gaussian noise exceeds the
    tolerance more often than allowed; it is infinite where no such example is at hand.
    """
    _may_fail(profile, "zero-concentrated differential privacy")
    found = profile.admits(profile.view)
    epsilon = found.epsilon
    if math.isinf(epsilon.lower):
        return Interval.infinite()
    if profile.view is WHOLE:
        lower = _concentrated(epsilon.lower, log_of(1 / profile.failure).upper / 2.0) / 2
        sure = found.corner is not None and found.corner.membership == 1
        upper = _first(lambda rho: _doubled(rho, epsilon.upper, profile.failure)) if sure else math.inf
    else:
        nats = log_of((1 + Fraction(exponential(Interval(-epsilon.upper, -epsilon.lower)).upper)) / profile.failure)
        lower = _concentrated(epsilon.lower, nats.upper)
        upper = _first(lambda rho: gaussian_epsilon(rho, profile.failure).lower > epsilon.upper)
    return Interval(float_below(lower), max(float_below(lower), upper))


def _concentrated(epsilon: float, nats: float) -> Fraction:
    """(sqrt(L + e) - sqrt(L))^2, rounded down: e^2/(sqrt(L + e) + sqrt(L))^2."""
    inner = Fraction(nats)
    outer = square_root(inner + Fraction(epsilon))[1] + square_root(inner)[1]
    return (Fraction(epsilon) / outer) ** 2 if outer else Fraction(0)


def _doubled(rho: float, epsilon: float, failure: Fraction) -> bool:
    """Whether Gaussian noise on a sum exceeds 2 epsilon between opposite values of one record more often than allowed."""
    place = (epsilon - 2.0 * rho) / math.sqrt(2.0 * rho)
    farther = Ball.rounded(place / math.sqrt(2.0), _TIMES, 1.0 + abs(place)).upper
    return Ball.rounded(0.5 * math.erfc(farther), _TIMES).lower > failure


def per_release(profile: Profile, count: ExactLike, delta: ExactLike = 0, each: ExactLike = 0) -> PerRelease:
    """The largest epsilon of each of `count` releases with (epsilon, each) that keep the profile together.

    `delta` is the slack of all of them together, and `each` that of one.
    """
    split = split_epsilon(admitted_epsilon(profile, delta), count, delta, each)
    if not profile.failure:
        return split
    curve = _by_curve(profile, fields.whole(count), probability(each, "the delta of each release"), split.basic.lower)
    return evolve(split, curve=curve)


def split_epsilon(total: Interval, count: ExactLike, delta: ExactLike = 0, each: ExactLike = 0) -> PerRelease:
    """The largest epsilon of each of `count` releases with (epsilon, each) that satisfy (total, delta) together.

    Parameters are fixed beforehand; what is released may depend on earlier outputs.
    """
    releases, slack, one = fields.whole(count), probability(delta, "delta"), probability(each, "the delta of each release")
    if releases < 1:
        raise InvalidValue(f"the number of releases must be at least 1, got {releases}")
    if releases * one > slack:
        raise InvalidValue(
            f"{releases} releases with a delta of {written(one)} each need {written(releases * one)} in total, and "
            f"delta = {written(slack)}; give each less, or allow more in total"
        )
    if math.isinf(total.lower):
        return PerRelease(total, total, total)
    basic = Interval(down(total.lower / releases), up(total.upper / releases))
    if not slack:
        return PerRelease(basic, Interval.of(0), basic)
    return PerRelease(basic, _advanced(total, releases, slack - releases * one), _optimal(total, releases, slack, one))


def _advanced(total: Interval, count: int, rest: Fraction) -> Interval:
    if not rest:
        return Interval.of(0)
    nats = log_of(1 / rest)

    def reached(epsilon: float, log: float) -> Ball:
        # The hyperbolic tangent is granted 8 of itself; all else rounds less than 8 times.
        return Ball.rounded(count * epsilon * math.tanh(0.5 * epsilon) + epsilon * math.sqrt(2.0 * count * log), 16.0)

    low = _last(lambda epsilon: reached(epsilon, nats.upper).upper <= total.lower, total.lower)
    high = _first(lambda epsilon: reached(epsilon, nats.lower).lower > total.upper)
    return Interval(low, max(low, high))


def _optimal(total: Interval, count: int, delta: Fraction, each: Fraction) -> Interval:
    from accountant.loss import ResponseLoss, compose

    def slack(epsilon: float, place: float) -> Interval:
        return compose([(ResponseLoss(Fraction(epsilon), each), count)]).delta(place)

    floor, ceiling = down(total.lower / count), total.upper
    low = _last(lambda epsilon: slack(epsilon, total.lower).upper <= float_below(delta), ceiling, floor)
    high = _first(lambda epsilon: slack(epsilon, total.upper).lower > float_above(delta), low)
    return Interval(low, max(low, high))


def _by_curve(profile: Profile, count: int, each: Fraction, least: float) -> Interval:
    """The largest epsilon whose randomised responses together stay within the profile, but with the failure it allows.

    With a delta, a response loses everything with that chance; between two values, two steps apart, with 1 + e^epsilon
    times that. No release with (epsilon, delta) loses more.
    """
    from accountant import default_registry
    from accountant.loss import ResponseLoss, compose

    bounded = default_registry().find(DIVERGENCES, "pbdp")
    admitted, two_steps = profile.admits(profile.view).epsilon, profile.view is WHOLE
    if math.isinf(admitted.lower):
        return admitted
    steps = [1, 2] if two_steps else [1]
    chance = profile.failure if two_steps else one_direction(profile.failure, admitted)

    def reached(epsilon: float) -> Interval:
        """The loss that is exceeded with that chance, as a share of the steps that it is allowed."""
        found = []
        for step in steps:
            lost = each if step == 1 else each * (1 + Fraction(exponential(Interval(epsilon, epsilon)).upper))
            if lost >= 1:
                return Interval.infinite()
            together = compose([(ResponseLoss(Fraction(step * epsilon), lost), count)])
            found.append((bounded.measure(together, {"delta": chance}), step))
        return Interval(max(value.lower / step for value, step in found), max(value.upper / step for value, step in found))

    within = not each or reached(least).upper <= admitted.lower
    return crossing(reached, admitted, least if within else 0.0, admitted.upper, _COARSE)


def _may_fail(profile: Profile, what: str) -> None:
    if not profile.failure:
        raise InvalidValue(
            f"{what} bounds no posterior with certainty; say with which probability of failure the profile may be exceeded"
        )


def _last(holds: Callable[[float], bool], high: float, low: float = 0.0) -> float:
    """Close below where a condition stops to hold, a place where it does; `low` is one, or 0."""
    while low < (middle := 0.5 * (low + high)) < high and high - low > _FINE * high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _first(holds: Callable[[float], bool], low: float = 0.0) -> float:
    """Close above where a condition starts to hold, a place where it does; infinite where none is found."""
    high = max(2.0 * low, 2.0**-20)
    while not holds(high):
        low, high = high, 2.0 * high
        if high > 2.0**20:
            return math.inf
    while low < (middle := 0.5 * (low + high)) < high and high - low > _FINE * high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
