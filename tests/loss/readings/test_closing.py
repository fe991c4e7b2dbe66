"""What is known of a loss in one reading bounds the others, whoever supplies the loss."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from attrs import field, frozen

from accountant import InvalidValue
from accountant.loss import Cells, FiniteLoss, Floats, GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.readings import closing
from accountant.numbers import Interval

PLACES = [Fraction(-2), Fraction(-1, 3), Fraction(0), Fraction(1, 10), Fraction(1), Fraction(3)]
TARGETS = [Fraction(1, 3), Fraction(1, 20), Fraction(1, 10**6)]
ORDERS = [Fraction("1.01"), Fraction("1.5"), Fraction(2), Fraction("3.7"), Fraction(20)]
LEVELS = [Fraction(1, 100), Fraction(3, 10), Fraction(9, 10)]


def vague(value: Interval) -> Interval:
    """An enclosure that says little."""
    return Interval(0.0, 40.0 * value.upper + 0.5)


@frozen
class Vague(PrivacyLoss):
    """A loss of an outside family whose routes are poor: each reading that is named is precise, all others say little."""

    truth: PrivacyLoss
    known: frozenset[str] = field(converter=frozenset)

    def _said(self, name: str, value: Interval) -> Interval:
        return value if name in self.known else vague(value)

    def cells(self, edges: Floats) -> Cells:
        return self.truth.cells(edges)

    def window(self, log_tail: float) -> tuple[float, float]:
        return self.truth.window(log_tail)

    def reverse(self) -> PrivacyLoss:
        return Vague(self.truth.reverse(), self.known)

    def unsampled(self) -> PrivacyLoss:
        return self.truth if "whole" in self.known else self

    def delta_formula(self, epsilon: float) -> Interval:
        known = "origin" in self.known and epsilon == 0.0
        return self._said("origin" if known else "delta", self.truth.delta(Fraction(epsilon))).clamp(0.0, 1.0)

    def log_moment_formula(self, order: float) -> Interval:
        known = "squares" in self.known and order == 1.0
        return self._said("squares" if known else "moments", self.truth._log_moment_at(order))

    def supremum_formula(self) -> Interval:
        return self.truth.supremum() if "supremum" in self.known else Interval(0.0, math.inf)

    def infinite_formula(self) -> Interval:
        return self.truth.infinite()

    def concentration_formula(self) -> Interval:
        return self._said("concentration", self.truth.concentration())

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self._said("epsilon", self.truth.epsilon(target))

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return self._said("tradeoff", self.truth.tradeoff(level)).clamp(0.0, 1.0)


KNOWLEDGE = ["supremum", "moments", "squares", "origin", "delta", "whole"]


def truths(seed: int, count: int) -> list[FiniteLoss]:
    draw, found = random.Random(seed), []
    for _ in range(count):
        spread = draw.choice([0.01, 0.3, 1.5])
        q = [Fraction(draw.randint(1, 40)) for _ in range(draw.randint(2, 4))]
        p = [mass * Fraction(round(math.exp(draw.uniform(-spread, spread)), 3)) for mass in q]
        if draw.random() < 0.2:
            q[0] = Fraction(0)
        found.append(FiniteLoss((a / sum(p), b / sum(q)) for a, b in zip(p, q, strict=True)))
    return found


def readings(loss: PrivacyLoss) -> list[Interval]:
    return [
        *(loss.delta(place) for place in PLACES),
        *(loss.epsilon(target) for target in TARGETS),
        *(loss.renyi(order) for order in ORDERS),
        *(loss.tradeoff(level) for level in LEVELS),
        loss.concentration(),
    ]


def overlap(left: Interval, right: Interval) -> bool:
    return left.lower <= right.upper and right.lower <= left.upper


def faults(count: int, seed: int = 7) -> Iterator[PrivacyLoss]:
    """Vague losses with a reading that excludes the truth."""
    draw = random.Random(seed)
    for truth in truths(seed, count):
        loss = Vague(truth, draw.sample(KNOWLEDGE, draw.randint(0, 3)))
        for side, true_side in ((loss, truth), (loss.reverse(), truth.reverse())):
            if not _agree(side, true_side):
                yield side


def _agree(loss: PrivacyLoss, truth: PrivacyLoss) -> bool:
    try:
        return all(overlap(found, true) for found, true in zip(readings(loss), readings(truth), strict=True))
    except InvalidValue as error:
        if "contradict each other" not in str(error):
            raise
        return False


def test_nothing_that_closes_a_reading_excludes_the_truth() -> None:
    assert not [*faults(12)]


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("_epsilon_of_supremum", lambda sound: lambda loss, target: sound(loss, target) * 0.9),
        ("epsilon_of_moments", lambda sound: lambda loss, target: sound(loss, target) * 0.5),
        ("delta_of_moments", lambda sound: lambda loss, place: sound(loss, place) * 0.05),
        ("response_moment", lambda sound: lambda top, order: sound(top, order) * 0.5),
        ("delta_at", lambda sound: lambda loss, place: sound(loss, place + 0.1)),
    ],
)
def test_a_wrong_bound_from_elsewhere_is_caught(monkeypatch: pytest.MonkeyPatch, name: str, planted: object) -> None:
    monkeypatch.setattr(closing, name, planted(getattr(closing, name)))  # type: ignore[operator]
    assert any(faults(60))


def test_no_epsilon_is_above_the_largest_loss() -> None:
    loss = Vague(ResponseLoss(1), {"supremum"})
    value = loss.epsilon("1e-6")
    assert value.upper < 1.0
    assert value.at_most(Fraction(1))
    # Also where doubles cannot hold the largest loss.
    assert Vague(ResponseLoss("1/10"), {"supremum"}).epsilon("1e-6").at_most(Fraction(1, 10))


def test_epsilon_is_zero_where_delta_at_zero_is_small_enough() -> None:
    truth = ResponseLoss("0.02")
    assert truth.delta(0).upper < 0.01
    assert Vague(truth, {"origin"}).epsilon("1/100") == Interval.of(0)


def test_moments_bound_epsilon_and_delta() -> None:
    loss, truth = Vague(GaussianLoss(1), {"moments"}), GaussianLoss(1)
    assert truth.epsilon("1e-9").upper <= loss.epsilon("1e-9").upper <= 1.1 * truth.epsilon("1e-9").upper
    assert truth.delta(4).upper <= loss.delta(4).upper <= 20.0 * truth.delta(4).upper


def test_moments_of_one_loss_are_not_worked_out_again_for_every_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    before = Vague.log_moment_formula

    def counted(loss: Vague, order: float) -> Interval:
        asked.append(order)
        return before(loss, order)

    monkeypatch.setattr(Vague, "log_moment_formula", counted)
    loss = Vague(GaussianLoss("1/4"), ["moments"])
    first = loss.delta(3)
    asked.clear()
    assert loss.delta(3) == first
    assert asked == []
    assert loss.delta("3.01") == Vague(GaussianLoss("1/4"), ["moments"]).delta("3.01")


def test_delta_at_other_places_bounds_epsilon_from_both_sides() -> None:
    value = Vague(GaussianLoss(1), {"delta"}).epsilon("1e-3")
    assert overlap(value, GaussianLoss(1).epsilon("1e-3"))
    assert value.lower > 0.0
    assert value.width < 0.05 * vague(GaussianLoss(1).epsilon("1e-3")).width


def test_delta_never_rises_above_its_value_at_zero() -> None:
    loss = Vague(GaussianLoss(1), {"origin"})
    assert loss.delta("0.01").upper <= loss.delta(0).upper < 0.5


def test_below_zero_delta_is_at_least_what_the_certain_event_gains() -> None:
    assert Vague(ResponseLoss("1/2"), ()).delta(-2).lower >= 0.99 * -math.expm1(-2.0)


def test_beyond_the_largest_loss_delta_is_what_is_lost_outright() -> None:
    assert Vague(ResponseLoss("1/10"), {"supremum"}).delta("1/10") == Interval.of(0)


@pytest.mark.parametrize("order", ["1.001", "1.3", "1.5", "2.5", "6"])
def test_renyi_divergences_of_other_orders_and_directions_bound_each_other(order: str) -> None:
    truth = SampledLoss.of(FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")]), "1/100")
    value = Vague(truth, {"squares", "supremum"}).renyi(order)
    assert overlap(value, truth.renyi(order))
    assert value.lower > 0.0
    assert value.upper < 1.2 * value.lower


def test_bounded_losses_are_concentrated() -> None:
    loss = Vague(ResponseLoss(1), {"supremum"})
    assert loss.concentration().upper <= math.tanh(0.5) * (1 + 1e-12)


def test_a_release_on_all_records_bounds_what_tests_reach_on_a_sample() -> None:
    whole = GaussianLoss("1/4")
    sampled = SampledLoss.of(whole, "1/2")
    assert sampled.unsampled() is whole
    assert compose([(sampled, 3)]).unsampled() == GaussianLoss("3/4")
    assert Vague(whole, {"whole"}).tradeoff("1/10").lower >= whole.tradeoff("1/10").lower


def test_ways_that_contradict_each_other_are_reported() -> None:
    class Wrong(Vague):
        def supremum_formula(self) -> Interval:
            return Interval.of(Fraction(1, 2))

    with pytest.raises(InvalidValue, match="two ways to one value contradict each other"):
        Wrong(ResponseLoss(1), {"epsilon"}).epsilon("1e-6")
