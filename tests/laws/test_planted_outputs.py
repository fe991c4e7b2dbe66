"""What an oracle says of outputs catches claims that are wrong somewhere, wherever that is, and no honest ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from attrs import field, frozen
from hypothesis import strategies as st

from accountant import Registry, ShiftError, Theorem, fields
from accountant.loss import BracketLoss, FiniteLoss, Floats, PrivacyLoss, ResponseLoss, compose
from accountant.numbers import Interval
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift
from accountant.testing import trials
from accountant.testing.output_pairs import chances, ends
from accountant.testing.outputs import thresholds
from accountant_noise.laplace_loss import LaplaceLoss
from tests.laws.planted import ONE, PLANTED, registry_with

pytestmark = pytest.mark.slow


@frozen
class Noise(Mechanism):
    """Laplace noise once more, honestly accounted for."""

    kind: ClassVar[str] = "planted-noise"
    theorem: ClassVar[Theorem] = PLANTED

    scale: Fraction = field(converter=fields.exact, validator=fields.above(0), metadata=fields.about("how much noise"))

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            return BracketLoss(LaplaceLoss(shift.l1 / self.scale), LaplaceLoss(shift.linf / self.scale))
        return compose((self.alone(abs(move)), 1) for move in shift.coordinates)

    def alone(self, move: Fraction) -> PrivacyLoss:
        """The loss of one coordinate."""
        return LaplaceLoss(move / self.scale)

    def scaled(self, factor: Fraction) -> Noise:
        return type(self)(self.scale * factor)


def tail(noise: Noise, answer: Fraction, threshold: Fraction) -> Fraction:
    """What Laplace noise is above a threshold."""
    with localcontext() as context:
        context.prec = 40
        z = abs(threshold - answer) / noise.scale
        far = Fraction((-Decimal(z.numerator) / Decimal(z.denominator)).exp()) / 2
    return far if threshold >= answer else 1 - far


def in_doubles(noise: Noise, answer: Fraction, threshold: Fraction) -> float:
    """The same as an author might write it first."""
    z = float((threshold - answer) / noise.scale)
    return math.exp(-z) / 2 if z >= 0 else 1 - math.exp(z) / 2


def enclosed(noise: Noise, answer: Fraction, threshold: Fraction) -> Interval:
    """The same between two ends."""
    found = in_doubles(noise, answer, threshold)
    return Interval(found * (1 - 1e-12), min(1.0, found * (1 + 1e-12) + 1e-15))


@frozen
class Twice(Noise):
    """The scale is taken for its half."""

    def alone(self, move: Fraction) -> PrivacyLoss:
        return LaplaceLoss(move / (2 * self.scale))


@frozen
class OneCoordinate(Noise):
    """The largest move stands for all of them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.alone(shift.linf)


@frozen
class FourCoordinates(Noise):
    """Four moves stand for all of them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return super().loss(shift if shift.coordinates is None else Shift.along(shift.coordinates[:4]))


@frozen
class TenCoordinates(Noise):
    """Ten moves stand for all of them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return super().loss(shift if shift.coordinates is None else Shift.along(shift.coordinates[:10]))


@frozen
class ThreeByTheirNorms(Noise):
    """Where only norms are known, three coordinates of the largest stand for all of them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is not None:
            return super().loss(shift)
        return compose([(self.alone(shift.linf), min(3, math.ceil(shift.l1 / shift.linf)))])


@frozen
class WholeMoves(Noise):
    """Moves are cut to whole numbers."""

    def alone(self, move: Fraction) -> PrivacyLoss:
        return LaplaceLoss(max(Fraction(1, 100), Fraction(int(move))) / self.scale)


@frozen
class EuclideanNorm(Noise):
    """The L2 norm is taken for the L1 norm where only norms are known."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            return LaplaceLoss(Fraction(math.isqrt(int(10**6 * shift.l2_squared)), 10**3) / self.scale)
        return super().loss(shift)


@frozen
class NegativeMoves(Noise):
    """A move down is taken for a small one."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            return super().loss(shift)
        return compose((self.alone(move if move > 0 else -move / 2), 1) for move in shift.coordinates)


@frozen
class WholeParameters(Noise):
    """Right where the scale is a whole number."""

    def alone(self, move: Fraction) -> PrivacyLoss:
        return LaplaceLoss(move / math.ceil(self.scale))


@frozen
class SmallScales(Noise):
    """Wrong where there is little noise."""

    def alone(self, move: Fraction) -> PrivacyLoss:
        return LaplaceLoss(min(move / self.scale, Fraction(40)))


@frozen
class UnequalCoordinates(Noise):
    """The mean of all moves stands for each of them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            return super().loss(shift)
        return compose([(self.alone(shift.l1 / len(shift.coordinates)), len(shift.coordinates))])


@frozen
class ALittleLess(Noise):
    """One part in ten million."""

    def alone(self, move: Fraction) -> PrivacyLoss:
        return LaplaceLoss(move / self.scale * (1 - Fraction(1, 10**7)))


@frozen
class NoLongerMoves(Noise):
    """Nothing is lost beyond ten scales."""

    def alone(self, move: Fraction) -> PrivacyLoss:
        return LaplaceLoss(min(move / self.scale, Fraction(8)))


@frozen
class SaysItIsAttained(Noise):
    """A loss that is said to be attained, and is less than what is lost."""

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return (LaplaceLoss(shift.l1 / self.scale / 2),)


@frozen
class RunsWithLess(Noise):
    """Ten per cent less noise when it is run."""

    def simulate(self, answers: Floats, generator: Any) -> Floats:
        noise: Floats = generator.laplace(scale=0.9 * float(self.scale), size=answers.shape)
        return answers + noise


@frozen
class LargestOfNorms(Noise):
    """Where only norms are known, the largest move of any coordinate stands for all of them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return LaplaceLoss(shift.linf / self.scale) if shift.coordinates is None else Noise.loss(self, shift)


OUTPUTS, SEVERAL = "outputs never beat the claim", "outputs of several coordinates and releases never beat the claim"
PLANTS = [
    (Twice, OUTPUTS),
    (OneCoordinate, SEVERAL),
    (FourCoordinates, SEVERAL),
    (TenCoordinates, SEVERAL),
    (ThreeByTheirNorms, SEVERAL),
    (WholeMoves, OUTPUTS),
    (EuclideanNorm, SEVERAL),
    (NegativeMoves, OUTPUTS),
    (WholeParameters, OUTPUTS),
    (SmallScales, OUTPUTS),
    (UnequalCoordinates, SEVERAL),
    (ALittleLess, OUTPUTS),
    (NoLongerMoves, OUTPUTS),
    (SaysItIsAttained, "attained losses are those of outputs"),
    (RunsWithLess, "runs follow the outputs"),
]


def first_failure(cls: type[Mechanism], *cases: ConformanceCase, words: str = "") -> tuple[str, str] | None:
    """The law that fails first, of those with some words in their names, and what it says."""
    registry: Registry = registry_with(mechanisms=[cls], conformance_cases=cases)
    for trial in trials("planted_plugin", registry=registry):
        if not trial.subject.startswith("mechanism") or words not in trial.law:
            continue
        try:
            trial()
        except AssertionError as error:
            return trial.law, str(error)
    return None


def test_honest_noise_passes_every_law() -> None:
    assert first_failure(Noise, MechanismOracle(Noise.kind, tail=tail)) is None


@pytest.mark.parametrize("written", [in_doubles, enclosed])
def test_honest_noise_raises_no_alarm_however_its_tail_is_written(written: Callable[..., Any]) -> None:
    assert first_failure(Noise, MechanismOracle(Noise.kind, tail=written), words="outputs never") is None


@pytest.mark.parametrize(("planted", "law"), PLANTS, ids=lambda item: getattr(item, "__name__", None))
def test_a_wrong_claim_is_caught_by_what_outputs_tell(planted: type[Noise], law: str) -> None:
    found = first_failure(planted, MechanismOracle(Noise.kind, tail=tail), words=law)
    assert found is not None
    assert "look at" in found[1]


def test_norms_are_tried_where_answers_are_listed() -> None:
    oracle = MechanismOracle(Noise.kind, tail=tail, answers=lambda noise: range(4))
    assert first_failure(Noise, oracle, words=SEVERAL) is None
    assert first_failure(LargestOfNorms, oracle, words=SEVERAL) is not None


def test_a_counterexample_says_what_to_look_at_and_how_to_see_it_again() -> None:
    found = first_failure(ALittleLess, MechanismOracle(Noise.kind, tail=tail))
    assert found is not None
    facts = dict(line.strip().split(": ", 1) for line in found[1].splitlines()[1:])
    assert facts["look at"] == "Noise.loss"
    assert '"kind": "planted-noise"' in facts["plan"]
    lost, claimed = facts["delta of the outputs"].removeprefix("at least ").split(" to ")[0], facts["delta that is claimed"]
    assert Fraction(lost) > Fraction(claimed.split(" to ")[-1]), "the digits tell the two apart"


def test_an_oracle_that_says_nothing_is_refused() -> None:
    alike = MechanismOracle(Noise.kind, tail=lambda noise, answer, threshold: tail(noise, Fraction(0), threshold))
    found = first_failure(Noise, alike)
    assert found is not None
    assert "is no evidence" in found[1]


# Few outputs ------------------------------------------------------------------------------------------------------------


@frozen
class Wheel(Mechanism):
    """A place on a wheel that is kept, or turned by one with some chance."""

    kind: ClassVar[str] = "planted-wheel"
    theorem: ClassVar[Theorem] = PLANTED

    places: int = field(converter=fields.whole, validator=fields.at_least(3), metadata=fields.about("how many places"))
    kept: Fraction = field(
        converter=fields.exact,
        validator=[fields.above("1/2"), fields.below(1)],
        metadata=fields.about("the chance that a place is kept"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None or any(move.denominator != 1 for move in shift.coordinates):
            raise ShiftError("whole places only")
        return compose((self.one(abs(int(move))), 1) for move in shift.coordinates)

    def one(self, farthest: int) -> PrivacyLoss:
        """Both that stay apart and those that meet: everything may show."""
        return FiniteLoss([(1, 0), (0, 1)])


@frozen
class OnlyNeighbours(Wheel):
    """A loss for places side by side, in one order."""

    def one(self, farthest: int) -> PrivacyLoss:
        return FiniteLoss([(self.kept, 0), (1 - self.kept, self.kept), (0, 1 - self.kept)])


@frozen
class SaysItIsExact(Wheel):
    """A loss that is said to be attained where it is not."""

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return (self.loss(shift),)


def turned(wheel: Wheel, answer: Fraction) -> dict[Hashable, Fraction]:
    place = int(answer) % wheel.places
    return {place: wheel.kept, (place + 1) % wheel.places: 1 - wheel.kept}


WHEEL = MechanismOracle(Wheel.kind, law=turned, answers=lambda wheel: range(wheel.places))


def test_an_honest_claim_of_few_outputs_passes_every_law() -> None:
    assert first_failure(Wheel, WHEEL) is None


def test_a_claim_for_one_order_of_two_answers_is_caught() -> None:
    found = first_failure(OnlyNeighbours, WHEEL)
    assert found is not None
    assert found[0] == OUTPUTS


def test_a_lower_end_that_no_answers_reach_is_caught() -> None:
    found = first_failure(SaysItIsExact, WHEEL)
    assert found is not None
    assert found[0] == "attained losses are those of outputs"


@pytest.mark.parametrize("chance", [Fraction(999, 1000) ** 40_000, 1 - Fraction(999, 1000) ** 40_000])
def test_an_exact_chance_of_many_digits_lies_between_two_of_few(chance: Fraction) -> None:
    low, high = chances(ends(chance))
    assert low <= chance <= high
    assert high - low <= low / 10**15


def test_places_are_looked_for_no_farther_than_exact_chances_stay_short() -> None:
    asked = []

    def tail(noise: Any, answer: Fraction, threshold: Fraction) -> Fraction:
        asked.append(abs(threshold))
        steps = math.floor(threshold)
        return Fraction(999, 1000) ** steps / 2 if steps >= 0 else 1 - Fraction(999, 1000) ** -steps / 2

    assert len(thresholds(MechanismOracle("any", tail=tail), Noise(1), Fraction(0))) >= 4
    assert max(asked) < 40_000


def test_chances_that_do_not_sum_to_one_are_refused() -> None:
    short = MechanismOracle(Wheel.kind, law=lambda wheel, answer: {0: wheel.kept}, answers=lambda wheel: range(3))
    found = first_failure(Wheel, short)
    assert found is not None
    assert "do not sum to 1" in found[1]


# Cases ------------------------------------------------------------------------------------------------------------------


@frozen
class Claims(Mechanism):
    """A claim of what randomised response loses."""

    kind: ClassVar[str] = "planted-claims"
    theorem: ClassVar[Theorem] = PLANTED

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            raise ShiftError("answers only")
        return compose([(ResponseLoss(1), len(shift.coordinates))])


def test_equal_laws_are_no_evidence() -> None:
    equal = FiniteLoss([("1/2", "1/2"), ("1/2", "1/2")])
    found = first_failure(Claims, MechanismCase("equal", Claims(), Shift.along([1, 1]), (equal,)), words="exact pairs")
    assert found is not None
    assert found[0] == "exact pairs come near the claim"
    assert "none of them would notice a mistake" in found[1]


def test_pairs_that_stay_far_below_the_claim_are_no_evidence() -> None:
    faint = FiniteLoss([("0.51", "0.49"), ("0.49", "0.51")])
    found = first_failure(Claims, MechanismCase("faint", Claims(), ONE, (faint,)))
    assert found is not None
    assert found[0] == "items have cases"


def lettered(value: str) -> str:
    return value.upper()


@frozen
class Sealed(Claims):
    """A parameter that says nothing of what it takes."""

    kind: ClassVar[str] = "planted-sealed"

    letter: str = field(converter=lettered, metadata=fields.about("a letter", {"type": "object"}))


def test_a_parameter_that_cannot_be_drawn_is_asked_for_by_its_name() -> None:
    exact = FiniteLoss([("0.73", "0.27"), ("0.27", "0.73")])
    case = MechanismCase("two", Sealed("a"), Shift.along([1, 1]), (exact.times(exact),))
    found = first_failure(Sealed, case, words="drawn")
    assert found is not None
    assert found[0] == "parameters can be drawn"
    assert "'letter'" in found[1]
    drawn = MechanismOracle(Sealed.kind, instances=lambda: st.builds(Sealed, st.sampled_from(("a", "b"))))
    assert first_failure(Sealed, case, drawn, words="drawn") is None


def test_a_mechanism_that_looks_at_no_coordinates_may_answer_once_for_all() -> None:
    """Without a query a mechanism speaks of one answer, whatever that is made of."""

    @frozen
    class Flip(Wheel):
        kind: ClassVar[str] = "planted-flip"
        needs_query: ClassVar[bool] = False

        def loss(self, shift: Shift) -> PrivacyLoss:
            return FiniteLoss([(1, 0), (0, 1)])

    assert first_failure(Flip, MechanismOracle("planted-flip", law=turned), words="utputs") is None
