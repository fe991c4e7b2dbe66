"""How far ahead of a coin somebody gets who guesses, from the output, which of two datasets was used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, fields, loss as losses
from accountant.numbers import larger
from accountant.plugin import ConformanceCase, Divergence, ParameterCase, Properties, Reading, Theorem, hookimpl

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

# A definition has two maps, from losses to its numbers and back. Each cites why it is right.
DISTANCE = Theorem(
    name="headstart-is-delta-at-zero",
    statement="The best guess is right with probability 1/2 + lead/2, where lead is delta at epsilon 0, both directions.",
    key="accountant-headstart",
    locator="README.md",
    assurance="proved-here",
)
GIVEN_AWAY = Theorem(
    name="headstart-worst-case",
    statement="Giving everything away with chance lead, and nothing otherwise, dominates every mechanism with that lead.",
    key="accountant-headstart",
    locator="README.md",
    assurance="proved-here",
)


# The fields of the parameter are what a budget says in a plan.
@frozen
class HeadstartParameter:
    """How far ahead of a coin a guess may get."""

    lead: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("by how much the probability of any event may differ between neighbours"),
    )


# A definition is a lens: `measure` looks at a loss, `worst_case` says what may be behind a number.
@frozen
class Headstart(Divergence):
    """The total variation distance between the outputs for neighbours."""

    name: ClassVar[str] = "headstart"
    title: ClassVar[str] = "privacy by the lead of a guess"
    meaning: ClassVar[str] = "no event is more likely {one} than {other} by more than lead{either}"
    parameter: ClassVar[type[Any]] = HeadstartParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "lead"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = DISTANCE
    worst_case_theorem: ClassVar[Theorem] = GIVEN_AWAY

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        return larger(side.delta(0) for side in losses.directions(loss))

    # No mechanism with this parameter may tell more than this loss, at any level of any test; and one must tell as much.
    def worst_case(self, parameter: HeadstartParameter) -> PrivacyLoss:
        lead = parameter.lead
        return losses.FiniteLoss([(1 - lead, 1 - lead), (lead, 0), (0, lead)]) if lead else losses.NO_LOSS

    # What holds where several units differ instead of one.
    def group(self, parameter: HeadstartParameter, size: int) -> HeadstartParameter:
        return HeadstartParameter(min(Fraction(1), size * parameter.lead))


# Hooks hand everything to the registry. Theorems come with what cites them.
@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (Headstart(),)


# Parameters that the laws are tried on, the ends among them.
@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for lead in ("0", "1e-6", "1/4", "9/10", "1"):
        yield ParameterCase(f"headstart {lead}", "headstart", HeadstartParameter(lead))
