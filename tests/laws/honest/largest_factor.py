"""Pure differential privacy in odds: by what factor any output may be likelier on one side; and factors multiply.

The factor is e to the largest loss. Randomised response with these odds dominates every mechanism with the factor.
Likelihood ratios of several releases multiply, whatever the later ones are chosen by, and so do those of several units.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import FiniteLoss
from accountant.numbers import larger
from accountant.plugin import (
    Adaptivity,
    CompositionRule,
    ConformanceCase,
    Divergence,
    ParameterCase,
    Properties,
    Reading,
    Theorem,
    hookimpl,
)
from tests.laws.honest import proved

READ = Theorem(**proved(__name__, "factor-is-the-largest-odds", "The factor is e to the largest loss, both directions."))
WORST = Theorem(**proved(__name__, "factor-worst-case", "Randomised response with these odds is the worst."))
PRODUCT = Theorem(
    **proved(__name__, "factors-multiply", "Factors multiply, also where releases are chosen on the way."),
    adaptivity="fully-adaptive",
)


@frozen
class Factor:
    """The parameter of the largest factor."""

    factor: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(1),
        metadata=fields.about("how many times as likely an output may be on one side"),
    )


@frozen
class LargestFactor(Divergence):
    """The largest factor between neighbours."""

    name: ClassVar[str] = "largest-factor"
    title: ClassVar[str] = "largest factor"
    meaning: ClassVar[str] = "no output is more than the factor times as likely {one} as {other}{either}"
    parameter: ClassVar[type[Any]] = Factor
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "factor"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = READ
    worst_case_theorem: ClassVar[Theorem] = WORST

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        most = larger(side.supremum() for side in (loss, loss.reverse()))
        return Interval(max(1.0, _below(_power(most.lower))), _above(_power(most.upper)))

    def worst_case(self, parameter: Factor) -> PrivacyLoss:
        kept = parameter.factor / (1 + parameter.factor)
        return FiniteLoss([(kept, 1 - kept), (1 - kept, kept)])

    def group(self, parameter: Factor, size: int) -> Factor:
        return Factor(parameter.factor**size)


@frozen
class FactorsMultiply(CompositionRule):
    """Factors multiply."""

    name: ClassVar[str] = "factors-multiply"
    divergence: ClassVar[str] = "largest-factor"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = PRODUCT
    merges: ClassVar[bool] = False
    title: ClassVar[str | None] = "factors multiply"

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        lower = upper = 1.0
        for value, count in parts:
            for _ in range(count):
                lower, upper = max(1.0, _below(lower * value.lower)), _above(upper * value.upper)
        return Interval(min(lower, upper), upper)


def _power(loss: float) -> float:
    return math.exp(loss) if loss < 700.0 else math.inf


def _below(value: float) -> float:
    return math.nextafter(min(value, 1e308), 0.0)


def _above(value: float) -> float:
    return math.nextafter(value, math.inf)


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (LargestFactor(),)


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (FactorsMultiply(),)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for factor in ("1", "1.1", "3", "20"):
        yield ParameterCase(f"largest factor {factor}", "largest-factor", Factor(factor))
