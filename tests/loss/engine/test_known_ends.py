"""What is known of an epsilon already saves work and says nothing else."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant.errors import InvalidValue
from accountant.loss import BracketLoss, ComposedLoss, GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.engine.route_choice import Ways, enclosed
from accountant.loss.readings.precision import Refinement
from accountant.numbers.interval import Interval
from accountant_noise.laplace_loss import LaplaceLoss

LOSSES: dict[str, PrivacyLoss] = {
    "a line": compose([(SampledLoss.of(GaussianLoss("1"), Fraction(1, 100)), 1000)]),
    "a grid": compose([(SampledLoss.of(LaplaceLoss("1"), Fraction(1, 10)), 30), (ResponseLoss("1/3"), 4)]),
    "atoms": compose([(SampledLoss.of(ResponseLoss("1"), Fraction(1, 10)), 200)]),
}


@pytest.mark.parametrize("delta", ["1e-3", "1e-9"])
@pytest.mark.parametrize("name", LOSSES)
def test_an_end_that_is_known_leaves_the_other_as_it_is(name: str, delta: str) -> None:
    loss = LOSSES[name]
    whole = loss.epsilon(delta)
    known = compose(loss.taken_apart()).epsilon(delta, most=whole.upper)
    assert whole.lower <= known.upper <= whole.upper
    assert known.lower <= whole.upper
    assert known.upper - known.lower <= 1e-4 * known.upper
    # Delta falls: what is above the truth keeps it, and what is below does not.
    assert (
        Fraction(loss.delta(known.upper).lower) <= Fraction(delta) < Fraction(loss.delta(known.lower * (1 - 1e-12)).upper)
    )


@pytest.mark.parametrize("name", LOSSES)
def test_an_end_that_is_too_small_contradicts_what_is_found(name: str) -> None:
    loss = compose(LOSSES[name].taken_apart())
    with pytest.raises(InvalidValue, match="contradict each other"):
        loss.epsilon("1e-6", most=0.99 * LOSSES[name].epsilon("1e-6").lower)


@pytest.mark.parametrize(("most", "routes", "upper"), [(2.0, {"fast", "slow"}, 1.00001), (1.00005, {"fast"}, 1.00005)])
def test_no_further_route_is_asked_where_one_end_meets_what_is_known(most: float, routes: set[str], upper: float) -> None:
    asked: list[str] = []

    def fast(_: object, __: float) -> Interval:
        asked.append("fast")
        return Interval(1.0, 1.5)

    def slow(_: object) -> tuple[Interval, int]:
        asked.append("slow")
        return Interval(0.9, 1.00001), 1

    loss = compose([(SampledLoss.of(GaussianLoss("1"), Fraction(1, 100)), 1000)])
    assert isinstance(loss, ComposedLoss)
    refined = Refinement(slow, lambda value, precision: value.width / (precision * value.upper), lambda: Fraction(1), 1)
    ways = Ways(few=lambda _: Interval(0.0, 9.0), fast=fast, direct=None, slow=refined, wider=lambda _: Interval(0.0, 9.0))
    assert enclosed(loss, ways, Interval(0.0, most)) == Interval(1.0, upper)
    assert set(asked) == routes


def test_both_sides_of_a_bracket_are_read_and_the_lower_one_up_to_the_upper(monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[float] = []
    plain = PrivacyLoss._epsilon_up_to

    def noted(loss: PrivacyLoss, target: Fraction, least: float, most: float) -> Interval:
        known.append(most)
        return plain(loss, target, least, most)

    monkeypatch.setattr(PrivacyLoss, "_epsilon_up_to", noted)
    above, below = ResponseLoss(1), ResponseLoss(Fraction(1, 3))
    found = BracketLoss(above, below)._epsilon_at(Fraction(1, 1000))
    assert known == [float("inf"), found.upper]
    assert (found.lower, found.upper) == (below.epsilon("1/1000").lower, above.epsilon("1/1000").upper)
