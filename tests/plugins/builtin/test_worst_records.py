"""Sums on Poisson samples between replaced records: no two records are worse than those at the ends, in either order."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from accountant import account, read_plan
from accountant.loss import Noise, NormalNoise
from accountant_noise.laws import LaplaceNoise

NOISE = [NormalNoise(Fraction(1)), LaplaceNoise(Fraction(1))]
RATES = [0.003, 0.05, 0.4]


@cache
def densities(noise: Noise, place: float) -> tuple[Any, float]:
    """The density of noise around a place, written apart from the library's, on points of a line, and their distance."""
    line = np.linspace(-30.0, 31.0, 12_201)
    apart = line - place
    found = np.exp(-np.square(apart) / 2) / math.sqrt(2 * math.pi)
    return (np.exp(-np.abs(apart)) / 2 if isinstance(noise, LaplaceNoise) else found), line[1] - line[0]


def curve(noise: Noise, first: float, second: float, rate: float, ratios: Any) -> Any:
    """What the best events gain, the first record against the second, at every ratio."""
    (absent, step), (one, _), (other, _) = (densities(noise, place) for place in (0.0, first, second))
    p, q = ((1 - rate) * absent + rate * present for present in (one, other))
    return np.array([np.maximum(p - ratio * q, 0.0).sum() * step for ratio in ratios])


def gains(noise: Noise, places: tuple[float, float, float], weight: float, ratio: float) -> float:
    """The largest N_s(A) - weight N_0(A) - ratio N_f(A)."""
    (zero, step), (nearer, _), (farther, _) = (densities(noise, place) for place in places)
    return float(np.maximum(nearer - weight * zero - ratio * farther, 0.0).sum() * step)


def most_growth(noise: Noise, farthest: float, seed: int) -> float:
    """How much more a record gains at most that is farther from 0 than another."""
    dice, worst = random.Random(seed), -math.inf
    for _ in range(40):
        far = farthest * dice.choice([1.0, dice.random()])
        near, middle = sorted(far * dice.random() for _ in range(2))
        weight, ratio = dice.choice([dice.random(), 0.9, 1.0, 1.1]), 1.0 + dice.choice([0.0, 0.01, 0.2]) * dice.random()
        found = [gains(noise, (0.0, place, far), weight, ratio) for place in (near, middle)]
        worst = max(worst, found[1] - found[0])
    return worst


@pytest.mark.parametrize("noise", NOISE, ids=lambda noise: type(noise).__name__)
def test_nearer_places_tell_more(noise: Noise) -> None:
    assert max(most_growth(noise, float(noise.near), seed) for seed in range(3)) <= 1e-6
    # The planted error: far enough from both, a place between them is told from both.
    assert max(most_growth(noise, 4.0 * float(noise.near), seed) for seed in range(3)) > 1e-3


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("low", [0.0, 0.6, -0.4, -1.0])
@pytest.mark.parametrize("noise", NOISE, ids=lambda noise: type(noise).__name__)
def test_no_two_records_are_worse_than_those_at_the_ends(noise: Noise, low: float, rate: float) -> None:
    dice, high = random.Random(f"{low} {rate}"), float(noise.near)
    low *= high
    grown = 1.0 + np.array([0.0, 0.2, 0.5, 0.9, 1.0, 1.1, 1.5, 3.0, 10.0]) * rate / (1.0 - rate)
    for _ in range(8):
        second, first = sorted(dice.choice([low, high, dice.uniform(low, high)]) for _ in range(2))
        for found, worst in (((first, second), (high, low)), ((second, first), (low, high))):
            assert (curve(noise, *found, rate, grown) <= curve(noise, *worst, rate, grown) + 1e-6 * rate).all()


def plan_of(low: str, high: str, kind: dict[str, str], times: int) -> Any:
    release = {
        "name": "sums",
        "query": {"kind": "sum", "lower": low, "upper": high},
        "mechanism": kind,
        "sampling": {"kind": "poisson", "rate": "0.1"},
        "times": times,
    }
    return account(read_plan({"specification": {"neighbours": "replace-one"}, "release": [release]}))


GAUSSIAN, LAPLACE = {"kind": "gaussian", "sigma": "1"}, {"kind": "laplace", "scale": "1"}


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [("0", "1", GAUSSIAN), ("-0.5", "1", GAUSSIAN), ("-1", "0", GAUSSIAN), ("0", "0.69", LAPLACE)],
)
def test_many_sums_are_known_within_two_in_a_hundred_where_the_noise_is_wide(low: str, high: str, kind: Any) -> None:
    value = plan_of(low, high, kind, 100).measure("approx", delta="1e-5").value
    assert value.width < 0.02 * value.upper


@pytest.mark.parametrize(("high", "kind"), [("1.01", GAUSSIAN), ("0.7", LAPLACE)])
def test_beyond_that_both_orders_count_at_once(high: str, kind: dict[str, str]) -> None:
    value = plan_of("0", high, kind, 100).measure("approx", delta="1e-5").value
    assert value.width > 0.03 * value.upper


def best(noise: Noise, low: float, high: float, count: int, epsilon: float) -> float:
    """About what somebody gains who chooses two records for each release after seeing the outcomes of all before."""
    reach, thin = np.linspace(-4.0, 4.0, 1601), slice(4800, 7400, 25)
    absent, *laws = (densities(noise, float(place))[0][thin] for place in (0.0, *np.linspace(low, high, 3)))
    mixed = [0.9 * absent / absent.sum() + 0.1 * law / law.sum() for law in laws]
    pairs = [(p, np.log(p / q)) for p in mixed for q in mixed if p is not q]
    values = np.maximum(1.0 - np.exp(reach), 0.0)
    for _ in range(count):
        options = [
            sum(mass * np.interp(reach - loss, reach, values) for mass, loss in zip(*pair, strict=True)) for pair in pairs
        ]
        values = np.max(options, axis=0)
    return float(np.interp(epsilon, reach, values))


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-0.5, 1.0)])
def test_whoever_chooses_records_after_seeing_outcomes_gains_no_more(low: float, high: float) -> None:
    whole = plan_of(str(low), str(high), GAUSSIAN, 12)
    for epsilon in ("0.2", "0.6"):
        value = whole.measure("approx", epsilon=epsilon).value
        truth = best(NOISE[0], low, high, 12, float(epsilon))
        # Up to what a grid of outcomes leaves.
        assert value.lower * 0.99 <= truth <= value.upper * 1.001


@pytest.mark.parametrize("sampling", ["poisson", "without-replacement"])
def test_whole_numbers_up_to_one_are_counted_or_not(sampling: str) -> None:
    taken = {"kind": sampling, **({"rate": "0.1"} if sampling == "poisson" else {"sample": 10, "population": 100})}
    kind = {"kind": "discrete-gaussian", "variance": "4"}

    def read(query: dict[str, Any]) -> Any:
        release = {"name": "r", "query": query, "mechanism": kind, "sampling": taken, "times": 40}
        return account(read_plan({"specification": {"neighbours": "replace-one"}, "release": [release]})).loss.epsilon(
            "1e-5"
        )

    assert read({"kind": "sum", "lower": "0", "upper": "1"}) == read({"kind": "count"})
