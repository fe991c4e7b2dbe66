"""What closes a reading is itself a bound: counted as often as there are parts, and rounded to its side."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import frozen

from accountant.loss import GaussianLoss, ResponseLoss
from accountant.loss.readings import closing
from accountant.loss.readings.moments import uniform_fall
from accountant.numbers.interval import Interval
from tests.loss.references import real


@frozen
class Unread:
    """Parts of which nothing is known but how much any outcome can lose."""

    top: float
    parts: int = 1

    def supremum(self) -> Interval:
        return Interval(0.0, self.top)

    def reverse(self) -> Unread:
        return self

    def taken_apart(self) -> list[tuple[Unread, int]]:
        return [(Unread(self.top), self.parts)]

    def _log_moment_at(self, order: float) -> Interval:
        return Interval(0.0, math.inf)


@pytest.mark.parametrize("order", [0.5, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("parts", [1, 3, 1000])
def test_moments_of_parts_count_as_often_as_there_are(parts: int, order: float) -> None:
    """Responses lose no more than that, and have the largest moments of all that do not."""
    found = closing.log_moment(Unread(0.5, parts), order, Interval(0.0, math.inf))  # type: ignore[arg-type]
    truth = ResponseLoss("0.5")._log_moment_at(order)
    assert truth.lower * parts * (1 - 1e-9) <= found.upper <= truth.upper * parts * (1 + 1e-9)


@pytest.mark.parametrize("lack", [Fraction(3, 2), Fraction(5, 4), Fraction(7, 4), Fraction(1, 2)])
def test_an_epsilon_next_to_a_delta_of_one_is_not_too_small(lack: Fraction) -> None:
    """The largest loss s and a delta of 1 - x leave an epsilon of s + log x, where doubles hardly tell x."""
    target = 1 - lack / 2**53
    found = closing._epsilon_of_supremum(Unread(60.0), target)  # type: ignore[arg-type]
    assert mp.mpf(found) >= 60 + mp.log(real(1 - target))


def test_an_epsilon_that_closing_brings_below_the_least_is_found() -> None:
    """No response loses more than 1, so that an epsilon of at most 1.1 is no larger: less than the 1.05 that matters."""
    found = closing.epsilon(ResponseLoss("1"), Fraction(1, 10**5), Interval(0.9, 1.1), 1.05)
    assert found.lower == 0.9
    assert found.upper <= 1.0


@pytest.mark.parametrize("place", [Fraction(1, 3), Fraction(10, 7), Fraction(22, 3)])
def test_delta_by_moments_is_not_too_small(place: Fraction) -> None:
    """Of Gaussian noise, whose log moments are t (t + 1) mu^2/2, at a place that is no double."""
    found = closing.delta(GaussianLoss("1"), place, Interval(0.0, 1.0))
    assert mp.mpf(found.upper) >= mp.ncdf(0.5 - real(place)) - mp.exp(real(place)) * mp.ncdf(-0.5 - real(place))


def test_a_uniform_part_lets_a_transform_fall_by_no_more_than_it_does() -> None:
    """The bound is at least log(1 - m lack), the lack being what a short interval surely leaves."""
    dice = np.random.default_rng(8)
    lengths, masses = dice.uniform(0.1, 3.0, 200), dice.uniform(0.0, 1.0, 200)
    found = uniform_fall(1.7, lengths, masses)
    with mp.workdps(30):
        for length, mass, value in zip(lengths.tolist(), masses.tolist(), found.tolist(), strict=True):
            half = mp.mpf(1.7) * mp.mpf(length) / 2
            assert mp.mpf(value) >= mp.log1p(-mp.mpf(mass) * min(half**2 / 10, mp.mpf("0.68")))


def test_divergences_are_rounded_outward_after_they_are_divided_by_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a log moment is known as one double, its quotient by the order is not."""
    dice = random.Random(6)
    for _ in range(50):
        order, moment = dice.uniform(0.001, 30.0), dice.uniform(0.1, 9.0)
        monkeypatch.setattr(GaussianLoss, "log_moment_formula", lambda *_, moment=moment: Interval(moment, moment))
        found = GaussianLoss("1").renyi(1 + Fraction(order))
        truth = Fraction(moment) / Fraction(order)
        assert Fraction(found.lower) <= truth <= Fraction(found.upper) <= truth * (1 + Fraction(1, 10**14))
