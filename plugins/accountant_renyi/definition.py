"""Renyi differential privacy, at one order or several, and how it adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import evolve, field, frozen

from accountant import Interval, Theorem, fields, loss as losses
from accountant.numbers import larger
from accountant.plugin import Adaptivity, Additive, Divergence, Properties, Reading, Word

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

RENYI = Theorem(
    "renyi-is-a-moment",
    "A mechanism satisfies gamma at an order exactly with the Renyi divergence of that order, both directions.",
    "mironov2017renyi",
    "Definition 4",
)
BINARY_ENVELOPE = Theorem(
    "renyi-binary-envelope",
    "Every test of a mechanism with gamma at an order has error rates at which a yes-or-no mechanism satisfies it; "
    "tangents to those inequalities bound what any test can gain. A Gaussian mechanism attains gamma.",
    "accountant",
    "explanation/zcdp-envelope",
    assurance="proved-here",
)
SUM = Theorem(
    "renyi-composition",
    "Gammas at one order add up, also when each release and its gamma are chosen after seeing the earlier outputs.",
    "feldman2021individual",
    "Section 3",
    adaptivity="fully-adaptive",
)
GROUP = Theorem(
    "renyi-group",
    "Where up to 2^c units differ, gamma grows by the factor 3^c while the order, at least 2^(c + 1), falls by the factor "
    "2^c.",
    "mironov2017renyi",
    "Proposition 2",
)


@frozen
class RenyiParameter(fields.Brief):
    """The parameters of Renyi differential privacy."""

    order: Fraction = field(
        converter=fields.exact, validator=fields.above(1), metadata=fields.about("the order of the divergence")
    )
    gamma: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the largest Renyi divergence of that order between neighbours"),
    )


@frozen
class Renyi(Divergence):
    """Renyi differential privacy, read as gamma at an order."""

    name: ClassVar[str] = "renyi"
    elsewhere: ClassVar[tuple[str, ...]] = ("rdp",)
    title: ClassVar[str] = "Renyi differential privacy"
    meaning: ClassVar[str] = (
        "the ratio of how likely an output is {one} to how likely it is {other} has a moment, of the order less 1, of at "
        "most e^(gamma (order - 1)){either}"
    )
    parameter: ClassVar[type[Any]] = RenyiParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading(("order",), "gamma", "grows"),)
    words: ClassVar[Mapping[str, Word]] = {"order": Word("Renyi order", ("3/2", 8), ("9/8", 64), logarithmic=True)}
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=False)
    measure_theorem: ClassVar[Theorem] = RENYI
    worst_case_theorem: ClassVar[Theorem] = BINARY_ENVELOPE

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        return larger(side.renyi(at["order"]) for side in {loss, loss.reverse()})

    def worst_case(self, parameter: RenyiParameter) -> PrivacyLoss:
        return self.worst_case_of([parameter])

    def worst_case_of(self, points: Sequence[RenyiParameter]) -> PrivacyLoss:
        """Guarantee: as for `worst_case`; the lower side is the Gaussian mechanism that satisfies every point."""
        if not all(point.gamma for point in points):
            return losses.NO_LOSS
        from accountant_renyi.envelope import envelope

        attained = losses.GaussianLoss(min(2 * point.gamma / point.order for point in points))
        return losses.BracketLoss(envelope(tuple((point.order, point.gamma) for point in points)), attained)

    def stated(self, parameter: RenyiParameter, at: Mapping[str, Fraction]) -> Interval | None:
        """Renyi divergences do not fall with the order: gamma bounds those of every smaller one."""
        if "order" in at and at["order"] < parameter.order:
            return Interval(0.0, Interval.of(parameter.gamma).upper)
        return super().stated(parameter, at)

    def group(self, parameter: RenyiParameter, size: int) -> RenyiParameter | None:
        """Mironov's rule for the next power of two; None where the order is too small for it."""
        doublings = (size - 1).bit_length()
        if doublings and parameter.order < 2 ** (doublings + 1):
            return None
        return evolve(parameter, order=parameter.order / 2**doublings, gamma=parameter.gamma * 3**doublings)


@frozen
class RenyiSum(Additive):
    """Gammas at one order add up."""

    name: ClassVar[str] = "renyi-sum"
    divergence: ClassVar[str] = "renyi"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = SUM
    merges: ClassVar[bool] = False
    places: ClassVar[tuple[Mapping[str, Fraction], ...]] = tuple(
        {"order": Fraction(order)} for order in ("5/4", "3/2", 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
    )
