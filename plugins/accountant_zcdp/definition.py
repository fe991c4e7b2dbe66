"""Zero-concentrated differential privacy and how it adds up."""

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

CONCENTRATION = Theorem(
    "zcdp-is-the-concentration",
    "A mechanism satisfies rho exactly with the largest ratio of Renyi divergence to order, over all orders above 1, both "
    "directions.",
    "bun2016concentrated",
    "Definition 1.1",
)
BINARY_ENVELOPE = Theorem(
    "zcdp-binary-envelope",
    "Every test of a mechanism with parameter rho has error rates at which a yes-or-no mechanism satisfies rho; tangents "
    "to those inequalities bound what any test can gain. A Gaussian mechanism attains rho.",
    "accountant",
    "explanation/zcdp-envelope",
    assurance="proved-here",
)
SUM = Theorem(
    "zcdp-composition",
    "Rhos add up, also when each release and its budget are chosen after seeing the earlier outputs.",
    "feldman2021individual",
    "Section 3",
    adaptivity="fully-adaptive",
)

GROUP = Theorem(
    "zcdp-group",
    "Where k units differ, rho grows to k^2 rho.",
    "bun2016concentrated",
    "Proposition 1.9",
)


@frozen
class ZcdpParameter(fields.Brief):
    """The parameter of zero-concentrated differential privacy."""

    rho: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the largest ratio of Renyi divergence to order"),
    )


@frozen
class ZeroConcentrated(Divergence):
    """Zero-concentrated differential privacy."""

    name: ClassVar[str] = "zcdp"
    title: ClassVar[str] = "zero-concentrated differential privacy"
    meaning: ClassVar[str] = (
        "comparing outputs {one} to outputs {other}, the loss is spread no more than that of Gaussian noise with variance "
        "1/(2 rho) on a unit shift"
    )
    parameter: ClassVar[type[Any]] = ZcdpParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "rho"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=False)
    measure_theorem: ClassVar[Theorem] = CONCENTRATION
    worst_case_theorem: ClassVar[Theorem] = BINARY_ENVELOPE

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        return larger(side.concentration() for side in {loss, loss.reverse()})

    def worst_case(self, parameter: ZcdpParameter) -> PrivacyLoss:
        if not parameter.rho:
            return losses.NO_LOSS
        from accountant_zcdp.envelope import envelope
        from accountant_zcdp.two_outcomes import ClaimedConcentration

        return ClaimedConcentration(envelope(parameter.rho), losses.GaussianLoss(2 * parameter.rho), parameter.rho)

    def group(self, parameter: ZcdpParameter, size: int) -> ZcdpParameter:
        return ZcdpParameter(size**2 * parameter.rho)


@frozen
class ZcdpSum(Additive):
    """Rhos add up."""

    name: ClassVar[str] = "zcdp-sum"
    divergence: ClassVar[str] = "zcdp"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = SUM
    merges: ClassVar[bool] = True
    usual: ClassVar[bool] = True
