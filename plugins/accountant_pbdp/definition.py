"""Probabilistically bounded differential privacy, at one point or along a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Theorem, fields, loss as losses
from accountant.numbers import larger
from accountant.plugin import Divergence, Properties, Reading, Word

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss
    from accountant.numbers.rounding import Ball

SLOPE = Theorem(
    "pbdp-is-the-slope-of-the-power",
    "A mechanism satisfies (epsilon, delta) exactly when tests of power delta have a level of at least e^-epsilon delta, "
    "both directions.",
    "kifer2022bayesian",
    "Definition 5.5 and Theorems 5.4 and 5.7",
)
BOUNDED_POWER = Theorem(
    "pbdp-bounds-the-power-at-one-level",
    "A mechanism with (epsilon, delta) is one whose tests of level e^-epsilon delta have at most power delta; those with "
    "two outcomes reach the most at every other level, and the concave hull of what they reach dominates all.",
    "accountant",
    "explanation/tests-and-tails",
    assurance="proved-here",
)
MOMENTS = Theorem(
    "pbdp-from-moments",
    "With a Renyi divergence of at most g at order a, delta is at most e^((a - 1)(g - epsilon)) for epsilon above g; with "
    "rho of zero-concentrated differential privacy at most e^(-(epsilon - rho)^2/(4 rho)) for epsilon above rho.",
    "kifer2022bayesian",
    "Section 5.3",
)

GROUP = Theorem(
    "pbdp-group",
    "Where k units differ, (epsilon, delta) grows to (k epsilon, e^((k - 1) epsilon) delta).",
    "accountant",
    "explanation/curves-and-groups",
    assurance="proved-here",
)

_FARTHEST = 694


@frozen
class BoundedParameter(fields.Brief):
    """The parameters of probabilistically bounded differential privacy."""

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the log likelihood ratio that an analysis of the output exceeds only rarely"),
    )
    delta: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("how often it may: a probability of failure; use 'pure' for never"),
    )


@frozen
class Bounded(Divergence):
    """Probabilistically bounded differential privacy, read as epsilon at delta or as delta at epsilon.

    One point is not convex, so its worst case is an envelope that no single mechanism attains; a curve is.
    """

    name: ClassVar[str] = "pbdp"
    title: ClassVar[str] = "probabilistically bounded differential privacy"
    meaning: ClassVar[str] = (
        "whatever is computed from the output, the probability that it is more than e^epsilon times as likely {one} as "
        "{other} is at most delta{either}; this speaks about one pair (epsilon, delta), and choosing by a coin between two "
        "mechanisms that satisfy it may not satisfy it"
    )
    parameter: ClassVar[type[Any]] = BoundedParameter
    readings: ClassVar[tuple[Reading, ...]] = (
        Reading(("delta",), "epsilon", "falls"),
        Reading(("epsilon",), "delta", "falls"),
    )
    words: ClassVar[Mapping[str, Word]] = {
        "delta": Word("delta", ("1e-6", "1/10"), ("1e-12", "1/10"), logarithmic=True),
        "epsilon": Word("epsilon", ("1/2", 0, 2), (0, 10)),
    }
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=False, round_trip=False, failure=True)
    measure_theorem: ClassVar[Theorem] = SLOPE
    worst_case_theorem: ClassVar[Theorem] = BOUNDED_POWER

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        from accountant_pbdp.curve import delta_at, epsilon_at

        if self.reading(at).value == "delta":
            if at["epsilon"] < 0:
                raise InvalidValue(f"epsilon must not be negative, got {at['epsilon']}")
            return larger(delta_at(side, at["epsilon"]) for side in losses.directions(loss))
        if not 0 < at["delta"] < 1:
            raise InvalidValue(f"delta must lie strictly between 0 and 1, got {at['delta']}; use 'pure' for delta = 0")
        return larger(epsilon_at(side, at["delta"]) for side in losses.directions(loss))

    def worst_case(self, parameter: BoundedParameter) -> PrivacyLoss:
        return self.worst_case_of((parameter,))

    def worst_case_of(self, points: Sequence[BoundedParameter]) -> PrivacyLoss:
        levels = [_level(point) for point in points]
        low, high = ([(span[end], point.delta) for span, point in zip(levels, points, strict=True)] for end in (0, 1))
        return losses.power_bounded(low, high)

    def group(self, parameter: BoundedParameter, size: int) -> BoundedParameter | None:
        """Guarantee: delta is rounded up; None where it would reach 1, or where doubles cannot tell."""
        exponent = (size - 1) * parameter.epsilon
        if exponent > _FARTHEST:
            return None
        delta = parameter.delta * Fraction(_exponential(exponent).upper) if exponent else parameter.delta
        return BoundedParameter(size * parameter.epsilon, delta) if delta < 1 else None


def _level(point: BoundedParameter) -> tuple[Fraction, Fraction]:
    """Bounds on e^-epsilon delta. A smaller level permits more, a larger one less."""
    if point.epsilon > _FARTHEST:
        return Fraction(0), Fraction(2.0**-1000) * point.delta
    factor = _exponential(-point.epsilon)
    return Fraction(factor.lower) * point.delta, Fraction(min(1.0, factor.upper)) * point.delta


def _exponential(exponent: Fraction) -> Ball:
    from accountant.numbers.rounding import Ball, exp

    return exp(Ball.of(exponent))
