"""f-differential privacy: what tests can reach, at one level or along a curve."""

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

POWER = Theorem(
    "fdp-is-the-power-of-tests",
    "The largest power of a test at a level is 1 minus the trade-off function there, the larger of both directions.",
    "dong2022gaussian",
    "Definitions 2.1 and 2.3 of the preprint",
)
TWO_OUTCOMES = Theorem(
    "two-outcomes-reach-every-bound-on-power",
    "Among mechanisms whose tests have at most the given powers at the given levels, those with two outcomes reach the "
    "most at every other level; the concave hull of what they reach dominates all of them.",
    "accountant",
    "explanation/tests-and-tails",
    assurance="proved-here",
)
GROUPED_TESTS = Theorem(
    "power-is-iterated-over-a-group",
    "If no test of any level x between neighbours has more power than g(x), none between datasets that differ in k units "
    "has more than g(g(...g(x)...)), g taken k times.",
    "dong2022gaussian",
    "the section on group privacy",
)
COMPOUND = Theorem(
    "compound-tests-gain-nothing",
    "The same curve of level against power bounds tests about one record when all other records are drawn from any law.",
    "kifer2022bayesian",
    "Theorems 6.4 and 6.5",
    assumptions=("the definition is symmetric, convex, invariant and transparent, as a whole curve is and a point is not",),
)


@frozen
class PowerParameter(fields.Brief):
    """The largest power that tests have at a level."""

    level: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("how often a test may say yes wrongly"),
    )
    power: Fraction = field(
        converter=fields.exact,
        validator=fields.at_most(1),
        metadata=fields.about("how often such a test says yes rightly, at most; at least the level"),
    )

    def __attrs_post_init__(self) -> None:
        if self.power < self.level:
            raise InvalidValue("the power must be at least the level: a test that ignores the data has that power")


@frozen
class PowerOfTests(Divergence):
    """f-differential privacy, read as the largest power at a level."""

    name: ClassVar[str] = "fdp"
    title: ClassVar[str] = "differential privacy by the power of tests (f-DP)"
    meaning: ClassVar[str] = (
        "a test that says yes with probability level {one} says yes with at most probability power {other}{either}"
    )
    parameter: ClassVar[type[Any]] = PowerParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading(("level",), "power", "grows"),)
    words: ClassVar[Mapping[str, Word]] = {"level": Word("level of a test", ("1/10", "1/2"), ("1/1000", "999/1000"))}
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=False, round_trip=False)
    measure_theorem: ClassVar[Theorem] = POWER
    worst_case_theorem: ClassVar[Theorem] = TWO_OUTCOMES

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        from accountant_fdp.power import largest_power

        self.reading(at)
        return larger(largest_power(side, at["level"]) for side in losses.directions(loss))

    def worst_case(self, parameter: PowerParameter) -> PrivacyLoss:
        return self.worst_case_of((parameter,))

    def worst_case_of(self, points: Sequence[PowerParameter]) -> PrivacyLoss:
        return losses.power_bounded((point.level, point.power) for point in points)

    def group(self, parameter: PowerParameter, size: int) -> PowerParameter:
        """The power at the same level that is possible after `size` steps of which each keeps the parameter."""
        return self.group_of((parameter,), size)[0]

    def group_of(self, points: Sequence[PowerParameter], size: int) -> tuple[PowerParameter, ...]:
        """The same where each step keeps all points, read at their levels."""
        from accountant_fdp.iterated import iterated

        known = [(point.level, point.power) for point in points]
        return tuple(PowerParameter(level, iterated(known, level, size)) for level, _ in known)
