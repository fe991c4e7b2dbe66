"""Noise for answers on a wheel: the hour of a day, the day of a week, the direction of the wind.

The true place is published after a random ride around the wheel. Every further step away is `grip` times less likely.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import ShiftError, fields, finite, loss as losses
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl

if TYPE_CHECKING:
    from accountant.loss import FiniteLoss, PrivacyLoss

# Why should anyone believe the loss below? Every mechanism cites a theorem, and every derivation prints it.
TURNED_WHEEL = Theorem(
    name="carousel-loss",
    statement="When the answer moves, the chances of all places turn with it; the loss is that of both laws side by side.",
    key="accountant-carousel",
    locator="README.md",
    assumptions=("a fresh ride for every wheel",),
    assurance="proved-here",
)


# A mechanism is a frozen class. Its fields are its parameters: plans, schemas and error messages all come from them.
@frozen
class Carousel(Mechanism):
    """A place on a wheel, published after a random ride; each further step is `grip` times less likely."""

    kind: ClassVar[str] = "carousel"
    theorem: ClassVar[Theorem] = TURNED_WHEEL

    places: int = field(
        converter=fields.whole,
        validator=[fields.at_least(2), fields.at_most(1000)],
        metadata=fields.about("how many places the wheel has"),
    )
    grip: Fraction = field(
        converter=fields.exact,
        validator=fields.above(1),
        metadata=fields.about("how many times less likely each further step is"),
    )

    # The heart of it: what an attacker can learn when the answer moves by `shift`. What cannot be handled is refused.
    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None or any(move.denominator != 1 for move in shift.coordinates):
            raise ShiftError(f"'{self.kind}' turns by whole places, but the query moves {shift}; round the answers first")
        return losses.compose((self._wheel(abs(move.numerator)), 1) for move in shift.coordinates)

    def _wheel(self, farthest: int) -> FiniteLoss:
        """The exact loss of one wheel whose answer moves by at most `farthest` places."""
        chances = [1 / self.grip ** min(step, self.places - step) for step in range(self.places)]
        law = [chance / sum(chances) for chance in chances]
        # Going more than half way round is going less than half way the other way.
        turns = range(1, min(farthest, self.places // 2) + 1)
        return finite.dominating(finite.Pair(zip(law, law[-turn:] + law[:-turn], strict=True)) for turn in turns)


# Hooks hand everything to the registry. There is nothing else to wire up: the theorem comes with what cites it.
@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Carousel,)


# What the mechanism does to one answer, written down from its description and never from the code above. The laws draw
# wheels, grips and answers of their own, and hold what this says against what is claimed.
def _ride(wheel: Carousel, answer: Fraction) -> Mapping[Hashable, Fraction]:
    turned = {place: (place - int(answer)) % wheel.places for place in range(wheel.places)}
    weights = {place: wheel.grip ** -min(there, wheel.places - there) for place, there in turned.items()}
    return {place: weight / sum(weights.values()) for place, weight in weights.items()}


# Cases are single places that the laws are tried on as well. Their pairs (P, Q) come from pencil and paper: four places
# and a grip of 2 have the chances 4, 2, 1, 2 in 9, and those turn with the answer.
@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    wheel = Carousel(places=4, grip=2)
    step = losses.FiniteLoss([("4/9", "2/9"), ("2/9", "4/9"), ("1/9", "2/9"), ("2/9", "1/9")])
    half = losses.FiniteLoss([("4/9", "1/9"), ("2/9", "2/9"), ("1/9", "4/9"), ("2/9", "2/9")])
    yield MechanismCase("carousel one step", wheel, Shift.along([1]), (step,))
    yield MechanismCase("carousel half a turn", wheel, Shift.along([2]), (step, half))
    yield MechanismCase("carousel two wheels", wheel, Shift.along([1, 1]), (step.times(step),))
    yield MechanismOracle("carousel", law=_ride, answers=lambda wheel: range(wheel.places))
