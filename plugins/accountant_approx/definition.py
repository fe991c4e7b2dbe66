"""Approximate differential privacy, at one point or along a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, Theorem, fields, loss as losses
from accountant.numbers import float_above, larger
from accountant.plugin import Divergence, Properties, Reading, Word

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

HOCKEY_STICK = Theorem(
    "approx-is-the-hockey-stick",
    "A mechanism satisfies (epsilon, delta) exactly when the hockey-stick divergence of its loss at epsilon is at most "
    "delta, both directions.",
    "balle2018gaussian",
    "Theorem 5",
)
LEAKY_RESPONSE = Theorem(
    "leaky-response-dominates",
    "Randomised response that reveals everything with probability delta dominates every mechanism that satisfies "
    "(epsilon, delta).",
    "kairouz2015composition",
    "proof of Theorem 3.3",
)

CURVE = Theorem(
    "approx-curve-dominates",
    "The pair whose curve is the lower hull of some points dominates every mechanism that satisfies them all, and "
    "satisfies them itself.",
    "accountant",
    "explanation/curves-and-groups",
    assurance="proved-here",
)
GROUP = Theorem(
    "approx-group",
    "Where k units differ, epsilon grows to k epsilon and delta by the factor 1 + e^epsilon + ... + e^((k - 1) epsilon).",
    "accountant",
    "explanation/curves-and-groups",
    assurance="proved-here",
)


@frozen
class ApproxParameter(fields.Brief):
    """The parameters of approximate differential privacy."""

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the log likelihood ratio, up to delta"),
    )
    delta: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("the slack in probability; use 'pure' for none"),
    )


@frozen
class Approx(Divergence):
    """Approximate differential privacy, read as epsilon at delta or as delta at epsilon."""

    name: ClassVar[str] = "approx"
    title: ClassVar[str] = "approximate differential privacy"
    meaning: ClassVar[str] = "no event is more than e^epsilon times as likely, plus delta, {one} as {other}{either}"
    parameter: ClassVar[type[Any]] = ApproxParameter
    readings: ClassVar[tuple[Reading, ...]] = (
        Reading(("delta",), "epsilon", "falls"),
        Reading(("epsilon",), "delta", "falls"),
    )
    words: ClassVar[Mapping[str, Word]] = {
        "delta": Word("delta", ("1e-6", "1/10"), ("1e-12", "1/10"), logarithmic=True),
        "epsilon": Word("epsilon", ("1/2", 0, 2), (0, 10)),
    }
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = HOCKEY_STICK
    worst_case_theorem: ClassVar[Theorem] = LEAKY_RESPONSE
    usual: ClassVar[bool] = True
    leak: ClassVar[str | None] = "delta"

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        back = loss.reverse()
        if self.reading(at).value == "delta":
            return larger(side.delta(at["epsilon"]) for side in {loss, back})
        value = loss.epsilon(at["delta"])
        return value if back is loss else larger((value, back.epsilon(at["delta"], least=value.lower)))

    def worst_case(self, parameter: ApproxParameter) -> PrivacyLoss:
        return losses.ResponseLoss(parameter.epsilon, parameter.delta)

    def without_leak(self, parameter: ApproxParameter) -> PrivacyLoss:
        return losses.ResponseLoss(parameter.epsilon) if parameter.epsilon else losses.NO_LOSS

    def worst_case_of(self, points: Sequence[ApproxParameter]) -> PrivacyLoss:
        if len(points) == 1:
            return self.worst_case(points[0])
        from accountant_approx.curve import worst_of

        return worst_of([(point.epsilon, point.delta) for point in points])

    def group(self, parameter: ApproxParameter, size: int) -> ApproxParameter | None:
        """Guarantee: delta is rounded up; None where it would reach 1, or where doubles cannot tell."""
        if size * parameter.epsilon > _FARTHEST:
            return None
        delta = parameter.delta * _growth(parameter.epsilon, size)
        return ApproxParameter(size * parameter.epsilon, delta) if delta < 1 else None


_FARTHEST = 700


def _growth(epsilon: Fraction, size: int) -> Fraction:
    """1 + e^epsilon + ... + e^((size - 1) epsilon), rounded up; it grows with epsilon."""
    if not epsilon or size == 1:
        return Fraction(size)
    from accountant.numbers.rounding import Ball, expm1

    step = Ball(max(float_above(epsilon), 2.0**-500))
    return Fraction((expm1(step * size) / expm1(step)).upper)
