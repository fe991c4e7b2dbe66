"""Power of tests: that of linear programmes, never higher after projection, and of the clamped ratio by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize

from accountant import InvalidValue
from accountant_pufferfish.studies import clamps, power


def weights(size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(lambda found: sum(found) > 0)


@settings(deadline=None, max_examples=60)
@given(weights(6), weights(6), st.sampled_from([0.01, 0.05, 0.3]))
def test_power_is_that_of_the_best_randomised_test(null: list[int], alternative: list[int], level: float) -> None:
    """A test is a chance to reject for every outcome: a linear programme finds the best one."""
    first, second = (np.array(found) / sum(found) for found in (null, alternative))
    best = optimize.linprog(-second, A_ub=[first], b_ub=[level], bounds=[(0, 1)] * 6)
    assert power.power(first, second, level) == pytest.approx(-best.fun, abs=1e-9)


def setting(**stated: Any) -> dict[str, Any]:
    usual = {"people": 6, "noise": "geometric:1", "public": "total", "null": "0.5", "alternative": "0.8", "level": "0.05"}
    read = {name: power.KEYS[name].read(value) for name, value in {**usual, **stated}.items()}
    power.checked(read)
    return read


@pytest.mark.parametrize("public", ["nothing", "reaches:3", "total"])
@pytest.mark.parametrize("noise", ["geometric:1", "discrete-gaussian:2"])
def test_less_to_look_at_never_has_more_power(public: str, noise: str) -> None:
    found = power.done(setting(public=public, noise=noise))
    assert found["the data"] >= found["noisy and public"] - 1e-12
    assert found["noisy and public"] >= max(found["projected"], found["noisy alone"]) - 1e-12
    assert found["projected"] > 0.05


def test_projection_onto_a_total_costs_power_and_clamping_geometric_noise_costs_none() -> None:
    total = power.done(setting(people=12))
    assert total["noisy and public"] > total["projected"] + 0.005
    clamped = power.done(setting(people=12, public="reaches:5"))
    assert clamped["noisy and public"] == pytest.approx(clamped["projected"], abs=1e-12)
    gaussian = power.done(setting(people=6, public="nothing", noise="discrete-gaussian:20", null="0.05", alternative="0.2"))
    assert gaussian["noisy and public"] > gaussian["projected"] + 1e-5


def test_the_law_of_a_projected_pair_is_that_of_enumeration() -> None:
    """Every pair of counts and every pair of noises, one by one."""
    told = setting(people=2, noise="geometric:1/4", null="0.4", alternative="0.7")
    noise = power.masses("geometric:1/4")
    reach = len(noise) // 2
    found: dict[float, dict[tuple[int, int], float]] = {}
    for chance in (0.4, 0.7):
        law = [(1 - chance) ** 2, 2 * chance * (1 - chance), chance**2]
        other = [0.36, 0.48, 0.16]
        seen: dict[tuple[int, int], float] = {}
        for x in range(3):
            for y in range(3):
                for one, first in enumerate(noise):
                    for two, second in enumerate(noise):
                        total, away = x + y, (x + one - reach) - (y + two - reach)
                        at = min(max((away + total) // 2, max(0, total - 2)), min(2, total))
                        seen[total, at] = seen.get((total, at), 0.0) + law[x] * other[y] * first * second
        found[chance] = seen
    keys = sorted(found[0.4])
    laws = [np.array([found[chance][key] for key in keys]) for chance in (0.4, 0.7)]
    assert power.done(told)["projected"] == pytest.approx(power.power(laws[0], laws[1], 0.05), abs=1e-12)


def pair(**stated: Any) -> clamps.SampledPair:
    usual = {"people": 5, "epsilon": "1", "null": "0.5 0.3 0.2", "alternative": "0.1 0.3 0.6", "level": "0.05"}
    read = {name: clamps.KEYS[name].read(value) for name, value in {**usual, **stated}.items()}
    clamps.checked(read)
    return clamps.SampledPair.of(read)


@pytest.mark.parametrize(("low", "high"), [(-0.5, 0.5), (-1.7, 1.2), (-0.2, 0.9), (0.0, 0.1)])
def test_the_power_of_a_clamped_ratio_is_that_of_a_fine_grid(low: float, high: float) -> None:
    two = pair()
    sums = two.ways @ np.clip(two.ratios, low, high)
    scale = (high - low) / two.epsilon
    places = np.linspace(sums.min() - 30 * scale, sums.max() + 30 * scale, 200_001)
    laws = []
    for chances in two.chances:
        density = sum(c * np.exp(-np.abs(places - s) / scale) for c, s in zip(chances, sums, strict=True))
        laws.append(np.asarray(density) / np.asarray(density).sum())
    assert two.power(low, high) == pytest.approx(power.power(laws[0], laws[1], two.level), abs=2e-5)


@pytest.mark.slow
def test_the_best_clamps_are_at_least_as_good_as_any_that_are_named_and_noise_costs_power() -> None:
    found = clamps.done(
        {"people": 4, "epsilon": "1", "null": ["0.5", "0.3", "0.2"], "alternative": ["0.1", "0.3", "0.6"], "level": "0.05"}
    )
    assert found["without noise"] > found["best of all"] >= found["not clamped"] - 1e-9
    assert found["best of width epsilon"] >= 0.05
    low, high = found["clamps, best of width epsilon"]
    assert high - low == pytest.approx(1.0)


def test_of_two_outcomes_clamps_change_nothing_and_clamps_that_leave_one_value_tell_nothing() -> None:
    """The sum is then a count times a width, and so is the noise."""
    two = pair(null="0.5 0.5", alternative="0.2 0.8")
    assert two.power(-0.2, 0.1) == pytest.approx(two.power(-0.9, 0.4), abs=1e-9)
    assert two.power(2.0, 3.0) == two.level


def test_what_is_no_test_is_refused() -> None:
    with pytest.raises(InvalidValue, match="above the null"):
        setting(alternative="0.4")
    with pytest.raises(InvalidValue, match="may be reached"):
        setting(public="reaches:7")
    with pytest.raises(InvalidValue, match="too wide"):
        setting(noise="geometric:50")
    with pytest.raises(InvalidValue, match="same outcomes"):
        pair(null="0.5 0.5")
    with pytest.raises(InvalidValue, match="sum to 1"):
        pair(null="0.5 0.6")
    with pytest.raises(InvalidValue, match="the same"):
        pair(null="0.1 0.3 0.6")
