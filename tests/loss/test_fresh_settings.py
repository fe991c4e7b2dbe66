"""Settings that no test has seen, each beside a lattice that shares nothing with the engine: enclosed, precise, and quick.

Another seed is another set: `FRESH=7 python -m pytest -m sweep tests/loss/test_fresh_settings.py`.
"""

from __future__ import annotations

import os
import random
import time
from fractions import Fraction

import pytest

from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss, SampledLoss, compose
from accountant.numbers.interval import Interval
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss import lattice_reference as lattice
from tests.loss.sweep_settings import log_uniform, rounded

PRECISION, SECONDS = 1e-4, 2.0
SEED = os.environ.get("FRESH", "")
UNDECIDED = "the lattice is too coarse"
Parts = list[tuple[PrivacyLoss, int]]


def fresh(number: int) -> tuple[Parts, list[lattice.Release], Fraction]:
    """Samples that are taken a few to a thousand times, alone or beside noise on all records."""
    dice = random.Random(f"fresh {SEED} {number}")
    parts: Parts = []
    known: list[lattice.Release] = []

    def add(kind: str, rate: Fraction, count: int) -> None:
        size, swapped = rounded(dice.uniform(0.6, 5.0)), dice.random() < 0.4 and rate < 1
        about = (float(rate), swapped, count)
        base: PrivacyLoss
        if kind == "gaussian":
            base, release = GaussianLoss(1 / size**2), lattice.gaussian(float(1 / size**2), *about)
        elif kind == "laplace":
            base, release = LaplaceLoss(1 / size), lattice.laplace(float(1 / size), *about)
        else:
            base, release = DiscreteGaussianLoss(size, 1), lattice.discrete_gaussian(float(size), 1, *about)
        loss = SampledLoss.of(base, rate)
        parts.append((loss.reverse() if swapped else loss, count))
        known.append(release)

    kinds = ("gaussian", "gaussian", "laplace", "discrete gaussian")
    rate = rounded(log_uniform(dice, 1e-3, 0.3))
    add(kinds[number % 4], rate, round(log_uniform(dice, 5.0, 600.0 if number % 4 < 3 else 60.0)))
    if number % 3 == 2:
        add(dice.choice(["gaussian", "laplace"]), Fraction(1), dice.randint(1, 6))
    return parts, known, rounded(log_uniform(dice, 1e-10, 1e-4))


def faults(number: int) -> list[str]:
    """What is wrong with a reading, and that the lattice says too little of it."""
    parts, known, delta = fresh(number)
    start = time.process_time()
    found = compose(parts).epsilon(delta)
    spent, target = time.process_time() - start, float(delta)
    wrong = [] if found.width <= PRECISION * found.upper else ["wide"]
    wrong += [] if spent <= SECONDS else [f"{spent:.1f} seconds"]
    if found.upper == 0.0:
        return wrong
    # As far as single losses go that are felt at all, down as well: beyond that the lattice leaves them out.
    most = max(abs(end) for loss, _ in parts for end in loss.window(-40.0)) + 0.2 * found.upper
    step = max(2e-4 * found.upper, most / 2e5)
    for end, sign in ((found.upper, 1.0), (found.lower, -1.0)):
        value, doubt = lattice.lattice_delta(known, end, step, most)
        if not doubt < 1e-2 * target:
            wrong.append(UNDECIDED)
        elif sign * (value - target) > doubt:
            wrong.append(f"delta is {value} at {end}")
    return [f"{parts} at {target}: {found}: {why}" for why in wrong]


@pytest.mark.parametrize("number", [0, 2, 5, 7])
def test_fresh_settings_are_enclosed_precise_and_quick(number: int) -> None:
    assert faults(number) == []


@pytest.mark.sweep
@pytest.mark.parametrize("chunk", range(15))
def test_all_fresh_settings_are_enclosed_precise_and_quick(chunk: int) -> None:
    found = [fault for number in range(10 * chunk, 10 * chunk + 10) for fault in faults(number)]
    undecided = [fault for fault in found if fault.endswith(UNDECIDED)]
    assert [fault for fault in found if fault not in undecided] == []
    assert len(undecided) <= 4


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_an_epsilon_that_is_off_by_one_in_a_thousand_is_caught(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, _, delta = fresh(0)
    honest = compose(parts).epsilon(delta)
    planted = Interval(factor * honest.lower, factor * honest.upper)
    monkeypatch.setattr(ComposedLoss, "epsilon", lambda loss, delta: planted)
    assert len(faults(0)) == 1
