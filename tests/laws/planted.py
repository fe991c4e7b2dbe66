"""Small honest things, and the means to plant errors among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any, ClassVar

from attrs import evolve, field, frozen

from accountant import Interval, Registry, ShiftError, Theorem, fields
from accountant.loss import Cells, FiniteLoss, Floats, PrivacyLoss, ResponseLoss
from accountant.numbers import larger
from accountant.numbers.rounding import Balls
from accountant.plugin import (
    Adaptivity,
    CompositionRule,
    Divergence,
    Mechanism,
    MechanismCase,
    Properties,
    Reading,
    Shift,
    hookimpl,
)

ONE, TWO = Shift.along([1]), Shift.along([1, 1])
COIN = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
SKEWED = FiniteLoss([("1/2", "1/4"), ("1/2", "3/4")])
STRONG = FiniteLoss([("9/10", "1/10"), ("1/10", "9/10")])
PLANTED = Theorem("planted", "It holds because a test says so.", "planted", "tests", assurance="claimed")
ADDED = evolve(PLANTED, name="planted-sum", adaptivity="fully-adaptive")


@frozen
class Coin(Mechanism):
    """An answer that is kept with some chance, honestly accounted for."""

    kind: ClassVar[str] = "coin"
    theorem: ClassVar[Theorem] = PLANTED

    kept: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("the chance that an answer is kept"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            raise ShiftError("how many answers change is not known")
        product = pair = self.pair()
        for _ in range(len(shift.coordinates) - 1):
            product = product.times(pair)
        return product

    def pair(self) -> FiniteLoss:
        """The exact pair of one answer."""
        return FiniteLoss([(self.kept, 1 - self.kept), (1 - self.kept, self.kept)])


def case(mechanism: Mechanism, shift: Shift = ONE, *pairs: FiniteLoss) -> MechanismCase:
    """A conformance case of a planted mechanism."""
    return MechanismCase("planted", mechanism, shift, pairs)


@frozen
class EpsilonParameter:
    """One number."""

    epsilon: Fraction = field(converter=fields.exact, metadata=fields.about("the largest loss"))


@frozen
class Worst(Divergence):
    """Pure differential privacy once more, honestly."""

    name: ClassVar[str] = "worst"
    title: ClassVar[str] = "worst loss"
    meaning: ClassVar[str] = "no output is more than e^epsilon times as likely {one} as {other}{either}"
    parameter: ClassVar[type[Any]] = EpsilonParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "epsilon"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = PLANTED
    worst_case_theorem: ClassVar[Theorem] = PLANTED

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return larger(side.supremum() for side in (loss, loss.reverse()))

    def worst_case(self, parameter: EpsilonParameter) -> PrivacyLoss:
        return ResponseLoss(parameter.epsilon)


@frozen
class ShrinkingLoss(ResponseLoss):
    """A loss that is honest alone and forgets most of its mass in company."""

    def cells(self, edges: Floats) -> Cells:
        return ResponseLoss("1/5").cells(edges)

    def finite_atoms(self) -> tuple[Balls, Balls]:
        return ResponseLoss("1/5").finite_atoms()


@frozen
class ShrinksInCompany(Coin):
    """A mechanism whose loss cannot be trusted in a composition; alone, 11/10 is just above the log of 3."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ShrinkingLoss("11/10")


@frozen
class Rule(CompositionRule):
    """Epsilons add up: the honest rule."""

    name: ClassVar[str] = "planted-rule"
    divergence: ClassVar[str] = "pure"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = ADDED
    merges: ClassVar[bool] = False

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return sum((value.times(count) for value, count in parts), Interval.of(0))


def registry_with(**offered: Iterable[Any]) -> Registry:
    """All installed plugins and one more that registers the given items by family."""
    module = ModuleType("planted_plugin")

    def hook(items: Iterable[Any]) -> Callable[[], Iterable[Any]]:
        return hookimpl(lambda: tuple(items))

    for family, items in {"theorems": (PLANTED, ADDED), **offered}.items():
        setattr(module, f"accountant_{family}", hook(items))
    return Registry.load(extra=[module])
