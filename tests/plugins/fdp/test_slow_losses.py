"""The mu of losses of which every delta is slow to read: few deltas, roughly, and still on the right side."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from scipy.special import ndtr, ndtri

from accountant import Interval, account, read_plan
from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose
from accountant_fdp.smallest_mu import _least_mu, smallest_mu
from accountant_noise.laplace_loss import LaplaceLoss

LAPLACE, COPIES = 2.0, 12
SIGMA, RATE = 1.5, 0.25


def composed(copies: int = COPIES) -> PrivacyLoss:
    """Laplace noise some times, and once Gaussian noise on a sample."""
    releases: list[dict[str, Any]] = [
        {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": str(LAPLACE)}, "times": copies},
        {
            "name": "b",
            "query": {"kind": "count"},
            "mechanism": {"kind": "gaussian", "sigma": str(SIGMA)},
            "sampling": {"kind": "poisson", "rate": str(RATE)},
        },
    ]
    return account(read_plan({"specification": {"neighbours": "add-remove"}, "release": releases})).loss


def on_lattice(p: Any, q: Any, step: float, reach: int) -> Any:
    """Masses on the losses k step, k from -reach on, shared between two points so that both laws keep their mass."""
    losses = np.log(p / q)
    place = np.floor(losses / step)
    share = np.expm1(place * step - losses) / math.expm1(-step)
    found = np.zeros(2 * reach + 1)
    np.add.at(found, place.astype(int) + reach, p * (1 - share))
    np.add.at(found, place.astype(int) + reach + 1, p * share)
    return found


def reference(step: float = 1 / 128) -> float:
    """About the mu of that loss, from both laws on a lattice of losses, added up without transforms."""
    # Laplace noise: P beside Q has a loss of 1/2 and of -1/2 outright, and is spread over all between.
    line = np.linspace(0.0, 1.0, 20_001)
    middle = 0.5 * (line[1:] + line[:-1])
    inner = np.exp(-np.abs(middle - 1) / LAPLACE), np.exp(-np.abs(middle) / LAPLACE)
    ends = np.array([0.5, 0.5 * math.exp(-1 / LAPLACE)])
    p, q = (
        np.concatenate([tail, part / (2 * LAPLACE) * 5e-5]) for tail, part in zip((ends, ends[::-1]), inner, strict=True)
    )
    one = on_lattice(p, q, step, 128)
    edges = np.linspace(-20.0, 25.0, 20_001)
    # From the right end, so that no tail is what something lacks to 1.
    present, absent = (np.abs(np.diff(ndtr(-(edges - place) / SIGMA))) for place in (1.0, 0.0))
    seen = absent > 1e-300
    mixed = (1 - RATE) * absent[seen] + RATE * present[seen]
    worst = 0.0
    for first, second in ((mixed, absent[seen]), (absent[seen], mixed)):
        whole, start = on_lattice(first, second, step, 2048), -2048
        for _ in range(COPIES):
            whole, start = np.convolve(whole, one), start - 128
        losses = step * (start + np.arange(whole.size))
        power = np.cumsum(whole[::-1])
        level = np.cumsum((whole * np.exp(-losses))[::-1])
        kept = (level > 1e-250) & (power < 0.5)
        missed, refused = np.cumsum(whole)[::-1], np.cumsum(whole * np.exp(-losses))[::-1]
        gaps = ndtri(power[kept]) - ndtri(level[kept])
        # Beyond the middle the laws are told by what tests miss.
        after = np.roll(missed, -1)[:-1], np.roll(refused, -1)[:-1]
        late = (power[:-1] >= 0.5) & (after[0] > 1e-250)
        level_late = np.where(level[:-1] < 0.5, -ndtri(np.minimum(level[:-1], 0.5)), ndtri(np.clip(after[1], 1e-300, 0.5)))
        worst = max(worst, float(gaps.max()), float((level_late - ndtri(after[0]))[late].max()))
    return worst


@pytest.mark.slow
def test_the_mu_lies_where_a_lattice_sees_it() -> None:
    loss, truth = composed(), reference()
    value = smallest_mu(loss)
    assert value.lower <= truth * (1 + 1e-3)
    assert truth <= value.upper * (1 + 1e-3)
    assert value.upper <= 1.002 * truth
    assert 0.98 * truth <= _least_mu(loss).lower <= truth * (1 + 1e-3)


def test_a_planted_rough_reading_that_forgets_copies_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = composed(COPIES // 2)
    monkeypatch.setattr(ComposedLoss, "roughly", lambda loss, precision: fewer)
    monkeypatch.setattr("accountant_fdp.mu_search._WIDE", 0.0)
    monkeypatch.setattr("accountant_fdp.smallest_mu._sum_bound", lambda loss: math.inf)
    smallest_mu.cache_clear()
    found = smallest_mu(composed())
    smallest_mu.cache_clear()
    assert found.upper * (1 + 1e-3) < reference()


def test_rough_readings_hold_what_sharp_ones_say_and_are_kept_apart() -> None:
    loss = composed()
    assert isinstance(loss, ComposedLoss)
    rough = loss.roughly(5e-3)
    assert rough != loss
    assert rough != evolve(loss, precision=5e-3)
    for epsilon in (0.5, 2.0, 4.5):
        sharp, wide = loss.delta(epsilon), rough.delta(epsilon)
        assert max(sharp.lower, wide.lower) <= min(sharp.upper, wide.upper)
        assert wide.width <= 0.05 * wide.upper


def test_where_mu_is_large_no_delta_is_read_as_closely_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would take a second, and change nothing that is seen."""
    plan = {
        "specification": {"neighbours": "add-remove"},
        "release": [
            {"name": "a", "mechanism": {"kind": "randomised-response", "epsilon": "2"}, "times": 100},
            {
                "name": "b",
                "query": {"kind": "count"},
                "mechanism": {"kind": "discrete-gaussian", "variance": "1"},
                "sampling": {"kind": "poisson", "rate": "1/2"},
                "times": 1000,
            },
        ],
    }
    read = []
    enclosed = ComposedLoss._enclosed

    def counted(loss: ComposedLoss, *ways: Any) -> Interval:
        read.append(loss)
        return enclosed(loss, *ways)

    monkeypatch.setattr(ComposedLoss, "_enclosed", counted)
    value = account(read_plan(plan)).measure("gdp").value
    assert value.lower >= math.sqrt(1000) * (1 - 1e-4)
    assert value.upper <= 40
    assert read
    assert all(loss.rough for loss in read)


def many_copies_of_laplace_noise(scale: float, copies: int, epsilon: float) -> float:
    """Delta by an integral along a line, to about ten digits: the moment of one of them is an integral of exponentials."""
    m, tilt = 1.0 / scale, epsilon * scale**2 / copies
    z = tilt + 1j * np.linspace(0.0, 12.0 * scale / math.sqrt(copies), 20_001)
    inner = np.exp(-m * (1 + z)) * np.expm1((2 * z + 1) * m) / (2 * z + 1)
    moment = 0.5 * (np.exp(z * m) + np.exp(-m * (1 + z)) + inner)
    heights = (np.exp(copies * np.log(moment) - z * epsilon) / (z * (z + 1))).real
    return float(np.trapezoid(heights, z.imag) / math.pi)


@pytest.mark.parametrize(("scale", "copies"), [(100.0, 400), pytest.param(1638.0, 28_028, marks=pytest.mark.slow)])
def test_many_copies_of_laplace_noise_are_read_to_one_part_in_a_thousand(scale: float, copies: int) -> None:
    loss = compose([(LaplaceLoss(Fraction(1) / Fraction(scale)), copies)])
    value = smallest_mu(loss)
    assert value.width <= 1e-3 * value.upper
    about = math.sqrt(copies) / scale
    for place in (0.2, 0.5, 1.0, 2.0, 4.0):
        epsilon = place * about
        delta = many_copies_of_laplace_noise(scale, copies, epsilon)
        # Gaussian noise of the upper end loses as much there, and that of a little less than the lower end does somewhere.
        assert GaussianLoss(Fraction(value.upper) ** 2).delta(epsilon).upper >= delta * (1 - 1e-8)
    assert value.lower >= math.sqrt(2 * loss.concentration().lower) * (1 - 1e-12)


def test_what_moments_say_enough_of_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far out delta is smaller than Gaussian noise has it: there the moments of bounded losses are enough."""
    read: list[float] = []
    plain = PrivacyLoss.delta

    def counted(loss: PrivacyLoss, epsilon: Any) -> Interval:
        if isinstance(loss, ComposedLoss):
            read.append(float(epsilon))
        return plain(loss, epsilon)

    loss = compose([(ResponseLoss(Fraction(1, 4)), 400), (LaplaceLoss(Fraction(1, 2)), 1)])
    monkeypatch.setattr(PrivacyLoss, "delta", counted)
    smallest_mu.cache_clear()
    value = smallest_mu(loss)
    smallest_mu.cache_clear()
    assert value.width <= 0.02 * value.upper
    assert max(read) < 0.6 * 2 * math.sqrt(600 * loss.concentration().upper)
