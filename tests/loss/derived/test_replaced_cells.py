"""Histograms on samples of a fixed size: all small datasets, draws and orders are tried."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from accountant import account, read_plan
from accountant.loss import (
    BracketLoss,
    GaussianLoss,
    MirroredLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    both_orders,
    compose,
    either_order,
    replaced_beside,
    replaced_in_sample,
)
from accountant.loss.derived.either_order import ChosenOrders, EitherOrder

STEP = Fraction(math.log(2.0))
"""Noise on whole numbers, each step from 0 half as likely as the one before, loses this by a record."""
Law = tuple[tuple[Fraction, Fraction], ...]


@cache
def pair(others: tuple[int, ...], sample: int) -> Law:
    """The two laws of a histogram of three cells where a record in the first is replaced by one in the second."""
    laws = []
    for own in (0, 1):
        records = (*others, own)
        draws = list(itertools.combinations(range(len(records)), sample))
        counted = [tuple(sum(records[place] == cell for place in draw) for cell in range(3)) for draw in draws]
        laws.append([(Fraction(counted.count(one), len(draws)), one) for one in set(counted)])
    merged: defaultdict[Fraction, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
    # Beyond all counts every likelihood ratio stays as it is: nothing is lost where ends of a range stand for all beyond.
    for cells in itertools.product(range(-3, sample + 4), repeat=3):
        p, q = (sum((chance * told(cells, counts, sample) for chance, counts in law), Fraction(0)) for law in laws)
        entry = merged[p / q]
        entry[0], entry[1] = entry[0] + p, entry[1] + q
    return tuple((p, q) for p, q in merged.values())


def told(cells: tuple[int, ...], counts: tuple[int, ...], sample: int) -> Fraction:
    """The chance of an answer of which values beyond a range are told as its ends."""
    chance = Fraction(1)
    for cell, count in zip(cells, counts, strict=True):
        size = abs(cell - count)
        one = Fraction(1, 3 * 2**size)
        # All that is as far or farther: a geometric series.
        chance *= 2 * one if cell in (-3, sample + 3) else one
    return chance


def release(sample: int, population: int) -> PrivacyLoss:
    cell, rate = ResponseLoss(STEP), Fraction(sample, population)
    whole = both_orders(compose([(cell, 2)]))
    return either_order(replaced_in_sample(whole, whole, rate), replaced_beside(cell, rate))


def best(pairs: list[Law], count: int, epsilon: float, *, adaptive: bool = True) -> float:
    """What somebody gains who chooses the datasets of every release after the outcomes before, or the same for all."""
    limit = math.exp(epsilon)

    def gain(left: int, first: float, second: float, options: list[Law]) -> float:
        if not left:
            return max(0.0, first - limit * second)
        return max(sum(gain(left - 1, first * float(p), second * float(q), options) for p, q in law) for law in options)

    return gain(count, 1.0, 1.0, pairs) if adaptive else max(gain(count, 1.0, 1.0, [law]) for law in pairs)


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "population"), [(1, 2), (1, 3), (2, 3)])
def test_no_datasets_lose_more_and_some_lose_as_much(sample: int, population: int) -> None:
    """All other records in any cells, in both orders; two releases may have different ones."""
    loss = release(sample, population)
    assert isinstance(loss, EitherOrder)
    assert len(loss.further) == 1
    laws = [pair(others, sample) for others in itertools.combinations_with_replacement(range(3), population - 1)]
    laws += [tuple((q, p) for p, q in law) for law in laws]
    for count in (1, 2):
        together = compose([(loss, count)])
        for epsilon in (0.0, 0.1, 0.4, 0.9):
            truth, value = best(laws, count, epsilon), together.delta(Fraction(epsilon))
            assert truth <= value.upper * (1 + 1e-12)
            assert value.lower <= best(laws, count, epsilon, adaptive=False) * (1 + 1e-12) + 1e-15
            if count == 1:
                assert value.upper <= truth * (1 + 1e-9) + 1e-15


def test_a_third_cell_loses_what_enumeration_says() -> None:
    """With all others in the third cell the two laws are those of the pair."""
    law = pair((2, 2), 1)
    loss = replaced_beside(ResponseLoss(STEP), Fraction(1, 3))
    assert loss is not None
    for epsilon in (0.0, 0.1, 0.2, 0.5):
        truth = sum(max(0.0, float(p) - math.exp(epsilon) * float(q)) for p, q in law)
        value = loss.delta(Fraction(epsilon))
        assert truth == pytest.approx(value.lower, rel=1e-9)
        assert truth == pytest.approx(value.upper, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(3, 10)])
def test_the_third_cell_of_gaussian_noise_is_enclosed(rate: Fraction) -> None:
    """Against a sum over the plane that the three means span."""
    import numpy as np
    from scipy.special import ndtr

    loss = replaced_beside(GaussianLoss(1), rate)
    assert loss is not None
    edges = np.linspace(-9.0, 9.0, 2401)
    middles, masses = (edges[1:] + edges[:-1]) / 2.0, np.diff(ndtr(edges))
    along, across = math.sqrt(1.5) * middles[:, None], math.sqrt(0.5) * middles[None, :]
    first, second = (1.0 + float(rate) * np.expm1(along + sign * across - 1.0) for sign in (1.0, -1.0))
    base = np.multiply.outer(masses, masses)
    for epsilon in (0.0, 0.01, 0.1, 1.0):
        truth = float((base * np.maximum(first - math.exp(epsilon) * second, 0.0)).sum())
        value = loss.delta(Fraction(epsilon))
        assert value.lower <= truth * (1 + 1e-4)
        assert truth <= value.upper * (1 + 1e-4)
        assert value.upper - value.lower <= 0.03 * value.upper + 1e-9


def test_a_release_that_forgets_the_third_cell_would_state_too_little() -> None:
    """The planted error: counts have no third cell, and what dominates a hundred of them does not dominate histograms."""
    loss = release(1, 100)
    assert isinstance(loss, EitherOrder)
    assert isinstance(loss.above, MirroredLoss)
    third = compose([(loss.further[0].below, 100)]).epsilon("1e-3").lower
    assert ChosenOrders(loss.above.base, 100)._curve is not None
    assert ChosenOrders(loss.above.base, 100)._curve.epsilon("1e-3").upper < third  # type: ignore[union-attr]
    assert third < compose([(loss, 100)]).epsilon("1e-3").lower * (1 + 1e-9)


def test_where_the_noise_of_a_cell_is_known_from_both_sides_only_nothing_is_said() -> None:
    assert replaced_beside(BracketLoss(GaussianLoss(1), GaussianLoss(Fraction(1, 2))), Fraction(1, 10)) is None
    assert replaced_beside(SampledLoss.of(GaussianLoss(1), Fraction(1, 2)), Fraction(1, 10)) is None


def measured(mechanism: dict[str, Any], delta: str, times: int) -> Any:
    sampling = {"kind": "without-replacement", "sample": 10, "population": 1000}
    one = {"name": "r", "query": {"kind": "histogram"}, "mechanism": mechanism, "sampling": sampling, "times": times}
    plan = read_plan({"specification": {"neighbours": "replace-one"}, "release": [one]})
    return account(plan).measure("approx", delta=delta).value


def chosen(variance: float, rate: float, count: int, epsilon: float) -> float:
    """About what somebody gains who chooses where all other records are counted, after seeing the outcomes before.

    Noise on whole numbers with the chances of a discrete Gaussian, on two or three cells; losses are merged in small steps.
    """
    import numpy as np

    numbers = np.arange(-6.0, 8.0)
    absent, present = (np.exp(-np.square(numbers - own) / (2 * variance)) for own in (0.0, 1.0))
    absent, present = absent / absent.sum(), present / present.sum()

    def law(*cells: Any) -> Any:
        return cells[0][:, None, None] * cells[1][None, :, None] * cells[2][None, None, :]

    first, second, third = (law(*(present if own == cell else absent for cell in range(3))) for own in range(3))
    pairs = []
    for beside in (second, third, first):
        p, q = ((1 - rate) * beside + rate * own for own in (first, second))
        places = np.round(np.log(p / q) / 0.002).astype(np.int64).ravel()
        start = places.min()
        masses = np.bincount(places - start, p.ravel())
        pairs.append((0.002 * (start + np.arange(masses.size)), masses))
    reach = np.linspace(-2.0, 2.0, 801)
    values = np.maximum(1.0 - np.exp(reach), 0.0)
    for _ in range(count):
        options = [masses @ np.interp(reach[None, :] - losses[:, None], reach, values) for losses, masses in pairs]
        values = np.max(options, axis=0)
    return float(np.interp(epsilon, reach, values))


def test_whoever_chooses_where_others_are_counted_gains_no_more() -> None:
    mechanism = {"kind": "discrete-gaussian", "variance": "2"}
    one = {"query": {"kind": "histogram"}, "mechanism": mechanism, "name": "r", "times": 8}
    one["sampling"] = {"kind": "without-replacement", "sample": 10, "population": 100}
    loss = account(read_plan({"specification": {"neighbours": "replace-one"}, "release": [one]})).loss
    for epsilon in (0.2, 0.5):
        truth, value = chosen(2.0, 0.1, 8, epsilon), loss.delta(Fraction(epsilon))
        # Up to what merging leaves; the mirrored pair, which dominates too, is farther away.
        assert truth <= value.upper * 1.001
        assert value.upper <= truth * 1.1


@pytest.mark.parametrize(
    ("mechanism", "most"),
    [
        ({"kind": "gaussian", "sigma": "1"}, 0.01),
        ({"kind": "geometric", "scale": 2}, 0.01),
        ({"kind": "discrete-gaussian", "variance": "4"}, 0.01),
    ],
)
def test_histograms_on_samples_of_a_fixed_size_are_within_a_hundredth(mechanism: dict[str, Any], most: float) -> None:
    value = measured(mechanism, "1e-6", 100)
    assert value.upper - value.lower < most * value.upper
