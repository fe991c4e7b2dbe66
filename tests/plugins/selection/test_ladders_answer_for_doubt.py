"""What chances and sums round on a ladder is one number, its choice's doubt: made large, every curve moves by as much."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve, frozen

from accountant_selection.choice import Pairs
from accountant_selection.ladder import Moves, Steps, Tangents, _outward, _rungs, ladder
from accountant_selection.range_loss import RangeChoice

OFF, REACH, COUNT = 1e-3, Fraction(3, 5), 3


@frozen(cache_hash=True)
class Vague(RangeChoice):
    """A selection of which much is rounded."""

    @property
    def doubt(self) -> float:
        return OFF


EXACT, VAGUE = RangeChoice(REACH), Vague(REACH)


def test_curves_are_raised_and_lowered_by_what_each_selection_is_off_by() -> None:
    exact, found = ladder(EXACT, COUNT), ladder(VAGUE, COUNT)
    far = slice((COUNT - 1) * exact.rungs, COUNT * exact.rungs - 1)  # where no curve is reflected at 0
    assert (found.above[far] >= exact.above[far] * (1 + OFF) ** COUNT * (1 - 1e-9)).all()
    assert (found.above >= np.minimum(exact.above * (1 + OFF), 1.0) * (1 - 1e-9)).all()
    assert (found.below.values[far] <= exact.below.values[far] * (1 - OFF) ** COUNT * (1 + 1e-9)).all()
    assert (found.below.values <= exact.below.values * (1 - OFF) * (1 + 1e-9)).all()
    assert found.below.values[0] > 0.0
    assert found.delta(Fraction(3, 2)).lower <= exact.delta(Fraction(3, 2)).lower * (1 - OFF) ** (COUNT + 1) * (1 + 1e-9)


def test_next_to_nothing_is_not_taken_for_nothing() -> None:
    above = _outward(np.array([0.5, 0.0, 0.0]), EXACT, 2)
    assert above[1] > 0.0
    assert above[2] == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_losses_that_are_off_are_moved_by_more(sign: float) -> None:
    """Whatever they may be, outcomes are brought down by no more, or by no less."""
    pairs = Pairs(np.array([0.4]), np.array([0.6]), np.array([2.3]), np.array([-1.6]), OFF)
    step = 0.01
    stated = Moves.of(pairs, step, sign)
    for off in (-OFF, OFF):
        truth = Moves.of(evolve(pairs, highs=pairs.highs + off, lows=pairs.lows + off, doubt=0.0), step, sign)
        for one, other in zip(stated.shares, truth.shares, strict=True):
            assert sign * (one[0] - other[0]) <= 1e-12
        for one, other in zip(stated.weights, truth.weights, strict=True):
            assert sign * (one[0] - other[0]) <= 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_chosen_on_a_ladder_its_ends_hold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dice, known = random.Random(f"ladder {seed}"), ladder(EXACT, COUNT)
    size = _rungs(COUNT)

    def anywhere(self: Steps, felt: np.ndarray) -> None:
        low = dice.randrange(size // 2) * 2
        self.near = (low, min(size, low + 2 * dice.randrange(2, size // 2)))

    def any_pair(self: Moves, curve: np.ndarray, size: int) -> np.ndarray:
        pairs = np.random.default_rng(seed).integers(0, self.pairs.chances.size, known.above.size)
        return pairs[: curve.size]

    monkeypatch.setattr(Steps, "_stay_near", anywhere)
    if seed % 2:
        monkeypatch.setattr(Moves, "best", any_pair)
    ladder.cache_clear()
    found = ladder(EXACT, COUNT)
    ladder.cache_clear()
    assert (found.above >= known.below.values * (1 - 1e-12)).all()
    assert (found.below.values <= known.above * (1 + 1e-12)).all()
    assert isinstance(found.below, Tangents)
