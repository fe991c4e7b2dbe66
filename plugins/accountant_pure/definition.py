"""Pure differential privacy and how it adds up."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, Theorem, fields, loss as losses
from accountant.numbers import larger
from accountant.plugin import Adaptivity, Additive, Divergence, Properties, Reading

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

SUPREMUM = Theorem(
    "pure-is-the-supremum",
    "A mechanism satisfies pure differential privacy exactly with the essential supremum of its loss, both directions.",
    "dwork2006calibrating",
    "Definition 1",
)
RESPONSE = Theorem(
    "randomised-response-dominates",
    "Randomised response with parameter epsilon dominates every mechanism that satisfies epsilon.",
    "kairouz2015composition",
    "proof of Theorem 3.3",
)
SUM = Theorem(
    "pure-basic-composition",
    "Epsilons add up, also when each release and its budget are chosen after seeing the earlier outputs.",
    "rogers2016odometers",
    "Section 3",
    adaptivity="fully-adaptive",
)

GROUP = Theorem(
    "pure-group",
    "Where k units differ, epsilon grows to k epsilon.",
    "accountant",
    "explanation/curves-and-groups",
    assurance="proved-here",
)


@frozen
class PureParameter(fields.Brief):
    """The parameter of pure differential privacy."""

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the largest log likelihood ratio between neighbours"),
    )


@frozen
class Pure(Divergence):
    """Pure differential privacy."""

    name: ClassVar[str] = "pure"
    title: ClassVar[str] = "pure differential privacy"
    meaning: ClassVar[str] = "no output is more than e^epsilon times as likely {one} as {other}{either}"
    parameter: ClassVar[type[Any]] = PureParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "epsilon"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = SUPREMUM
    worst_case_theorem: ClassVar[Theorem] = RESPONSE

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        return larger(side.supremum() for side in {loss, loss.reverse()})

    def worst_case(self, parameter: PureParameter) -> PrivacyLoss:
        return losses.ResponseLoss(parameter.epsilon) if parameter.epsilon else losses.NO_LOSS

    def group(self, parameter: PureParameter, size: int) -> PureParameter:
        return PureParameter(size * parameter.epsilon)


@frozen
class PureSum(Additive):
    """Epsilons add up."""

    name: ClassVar[str] = "pure-sum"
    divergence: ClassVar[str] = "pure"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = SUM
    merges: ClassVar[bool] = False
