"""Several selections of bounded range: no adaptive choice beats the upper end, and some choice attains the lower one."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from accountant import PrivacyLoss
from accountant.finite import FiniteMechanism, Pair, compose_adaptively
from accountant.loss import FiniteLoss, GaussianLoss, compose
from accountant_selection.choice import FlipChoice, RangeChoice, Selection
from accountant_selection.ladder import LadderPair, blocks, ladder, upper_curve
from accountant_selection.range_loss import RangeLoss

pytestmark = pytest.mark.slow


def two_outcomes(ratio: Fraction, top: Fraction) -> tuple[tuple[Fraction, Fraction], ...]:
    """The pair with likelihood ratios `top` and `top/ratio`: P and Q for both outcomes."""
    p = (ratio - top) / (ratio - 1)
    return (p, p / top), (1 - p, (1 - p) * ratio / top)


def fixed_delta(range_: float, count: int, epsilon: float, t: float) -> float:
    """The binomial sum of selections that all have the losses t and t - range."""
    log_p, log_rest = (
        math.log(p) for p in (math.expm1(t - range_) / math.expm1(-range_), math.expm1(t) / math.expm1(range_))
    )
    terms = []
    for low in range(count + 1):
        loss = count * t - low * range_
        if loss > epsilon:
            mass = math.comb(count, low) * math.exp((count - low) * log_p + low * log_rest)
            terms.append(mass * -math.expm1(epsilon - loss))
    return math.fsum(terms)


def best_fixed_delta(range_: float, count: int, epsilon: float) -> float:
    """The optimum of selections that are all chosen in advance and alike: the supremum over a common t, from below."""
    places = [range_ * (k + 0.5) / 400 for k in range(400)]
    best = max(places, key=lambda t: fixed_delta(range_, count, epsilon, t))
    width = range_ / 400
    for _ in range(20):
        near = [min(range_ * (1 - 1e-9), max(range_ * 1e-9, best + width * step)) for step in (-0.5, 0.0, 0.5)]
        best = max(near, key=lambda t: fixed_delta(range_, count, epsilon, t))
        width *= 0.6
    return fixed_delta(range_, count, epsilon, best)


@pytest.mark.parametrize(
    ("range_", "count", "epsilon", "gain"),
    [
        (1.0, 2, 0.5, 1.0001),
        (1.0, 2, 1.7, 1.0002),
        (0.5, 7, 1.3, 1.07),
        (1.0, 10, 7.0, 1.12),
        (3.0, 4, 6.0, 1.05),
        (0.1, 40, 1.0, 1.06),
        (0.1, 100, 2.0, 1.2),
    ],
)
def test_the_optimum_of_equal_selections_lies_inside(range_: float, count: int, epsilon: float, gain: float) -> None:
    """Above the optimum by what adaptive choice gains, and by little more."""
    value = compose([(RangeLoss(Fraction(range_)), count)]).delta(Fraction(epsilon))
    optimum = best_fixed_delta(range_, count, epsilon)
    assert optimum <= value.upper <= gain * optimum
    assert value.lower >= optimum * (0.9999 if count <= 64 else 0.9)


def test_looking_at_earlier_outputs_gains_something() -> None:
    """So the optimum of selections chosen in advance is no upper end: the lower end, which is attained, lies above it."""
    value = compose([(RangeLoss(Fraction(1, 2)), 20)]).delta(Fraction("5.4"))
    optimum = best_fixed_delta(0.5, 20, 5.4)
    assert value.lower > 1.03 * optimum


def best_of_two(ratio: Fraction, x: Fraction, places: int) -> Fraction:
    """The largest delta at e^epsilon = x of two selections, over many choices for the first and the best for the second.

    The second has the closed form (sqrt(ratio) - sqrt(y))^2/(ratio - 1), from below.
    """

    def single(y: Fraction) -> Fraction:
        if y >= ratio:
            return Fraction(0)
        if y <= 1 / ratio:
            return 1 - y
        root = Fraction(math.isqrt(int(ratio * y * 10**40)) + 1, 10**20)
        return (ratio + y - 2 * root) / (ratio - 1)

    best = Fraction(0)
    for place in range(1, places):
        top = 1 + (ratio - 1) * Fraction(place, places)
        (p, q), (rest, other) = two_outcomes(ratio, top)
        best = max(best, p * single(x * q / p) + rest * single(x * other / rest))
    return best


@pytest.mark.parametrize("x", [Fraction(1), Fraction(3, 2), Fraction(3), Fraction(7, 2)])
def test_two_selections_are_the_best_choice_of_the_first(x: Fraction) -> None:
    """With e^range = 2: an exact search over the first one's interval comes to the same."""
    log_two = Fraction(math.log(2.0))
    found = best_of_two(Fraction(2), x, 400)
    value = RangeLoss(log_two, 2).delta(Fraction(math.log(x)))
    assert float(found) <= value.upper * (1.0 + 1e-12)
    assert value.lower <= float(found) * (1.0 + 1e-3)
    assert value.width <= 1e-3 * value.upper


def adaptive_pair(generator: random.Random, ratios: list[Fraction]) -> Pair:
    """Selections chosen at random after looking at all earlier outputs, from one of several candidates each."""

    def selection(ratio: Fraction) -> FiniteMechanism:
        weights = [Fraction(generator.randint(1, 9)) for _ in range(3)]
        # Weights that move apart by a factor of at most `ratio`.
        moved = [weight * generator.choice([Fraction(1), ratio, 1 + (ratio - 1) / 2]) for weight in weights]
        laws = {
            name: {index: weight / sum(values) for index, weight in enumerate(values)}
            for name, values in (("left", moved), ("right", weights))
        }
        return FiniteMechanism(laws)

    whole = selection(ratios[0])
    for ratio in ratios[1:]:
        chosen = {output: selection(ratio) for output in whole.outputs}
        whole = compose_adaptively(whole, chosen.__getitem__)
    return whole.pair("left", "right")


@pytest.mark.parametrize("seed", range(6))
def test_no_adaptive_choice_beats_the_upper_end(seed: int) -> None:
    """Exact products of randomly chosen selections, with different ranges in any order."""
    generator = random.Random(seed)
    ratios = [generator.choice([Fraction(2), Fraction(2), Fraction(5)]) for _ in range(4)]
    pair = adaptive_pair(generator, ratios)
    # A little more than the logarithm, so that the exact ratio is covered.
    claimed = compose([(RangeLoss(Fraction(math.log(ratio)) * (1 + Fraction(1, 2**50))), 1) for ratio in ratios])
    for epsilon in ("-0.4", "0", "0.3", "1", "2"):
        exact_value = FiniteLoss(pair.atoms).delta(epsilon)
        assert exact_value.lower <= claimed.delta(epsilon).upper


def replayed(range_: float, count: int, epsilon: float, rungs: int) -> float:
    """The best strategy on a coarse ladder of its own, by plain recursion over what is left to lose."""

    def best(left: int, x: float) -> float:
        if left == 0:
            return max(0.0, -math.expm1(x))
        values = []
        for rung in range(1, rungs):
            t = range_ * rung / rungs
            p = math.expm1(t - range_) / math.expm1(-range_)
            values.append(p * best(left - 1, x - t) + (1.0 - p) * best(left - 1, x - t + range_))
        return max(values)

    return best(count, epsilon)


@pytest.mark.parametrize(("range_", "epsilon"), [(1.0, 0.4), (1.0, 2.0), (4.0, 6.0)])
def test_strategies_by_recursion_stay_below(range_: float, epsilon: float) -> None:
    value = RangeLoss(Fraction(range_), 3).delta(Fraction(epsilon))
    assert replayed(range_, 3, epsilon, 12) <= value.upper
    assert value.lower >= replayed(range_, 3, epsilon, 12) * (1.0 - 1e-4)


def test_a_ladder_without_what_lies_between_rungs_is_caught() -> None:
    """The planted error of taking the maximum on few rungs for the maximum: a finer search beats it."""
    coarse = replayed(2.0, 3, 3.0, 4)
    fine = replayed(2.0, 3, 3.0, 12)
    assert coarse < fine <= RangeLoss(2, 3).delta(3).upper


def test_interleaved_ranges_cost_at_most_the_product_of_their_blocks() -> None:
    """Best strategies in every order of two ranges, by recursion, against what the account composes."""
    sizes = {"a": 1.0, "b": 0.5}
    claimed = compose([(RangeLoss(1), 2), (RangeLoss(Fraction(1, 2)), 2)]).delta(1).upper

    def best(order: str, x: float) -> float:
        if not order:
            return max(0.0, -math.expm1(x))
        r = sizes[order[0]]
        values = []
        for rung in range(1, 8):
            t = r * rung / 8
            p = math.expm1(t - r) / math.expm1(-r)
            values.append(p * best(order[1:], x - t) + (1.0 - p) * best(order[1:], x - t + r))
        return max(values)

    found = {"".join(order): best("".join(order), 1.0) for order in set(itertools.permutations("aabb"))}
    assert max(found.values()) <= claimed
    assert max(found.values()) >= 0.9 * claimed


def test_the_pair_of_a_ladder_reaches_its_upper_ends() -> None:
    pair, curve = LadderPair(RangeChoice(1), 5), ladder(RangeChoice(1), 5)
    assert float(pair.atoms.masses.sum()) == pytest.approx(1.0, abs=1e-9)
    assert float((pair.atoms.masses * np.exp(-pair.atoms.losses)).sum()) == pytest.approx(1.0, abs=1e-9)
    for place in (0, 1, 100, 1000, curve.above.size - 2):
        epsilon = Fraction(place, curve.rungs)
        assert pair.delta(epsilon).upper >= curve.above[place]
        assert pair.delta(epsilon).upper <= curve.above[place] * (1.0 + 1e-6) + 1e-12


@pytest.mark.parametrize("range_", [Fraction(1, 1000), Fraction(1), Fraction(60)])
def test_rounding_is_charged_to_both_ends(range_: Fraction) -> None:
    """The same recursion in 40 digits, once with t on rungs and once with what bounds it between them."""
    found = ladder(RangeChoice(range_), 2)
    size = found.rungs
    with mpmath.workdps(40):
        whole = mpmath.mpf(range_.numerator) / range_.denominator
        step = whole / size
        share = 1 / (1 + mpmath.exp(-step))
        p = [mpmath.expm1(rung * step - whole) / mpmath.expm1(-whole) for rung in range(size + 1)]

        def curve(place: int) -> mpmath.mpf:
            if place >= size:
                return mpmath.mpf(0)
            return mpmath.expm1((place * step - whole) / 2) ** 2 / -mpmath.expm1(-whole)

        def mixed(rung: int, place: int) -> mpmath.mpf:
            return p[rung] * curve(place) + (1 - p[rung]) * curve(place + size)

        for place in (0, 1, size - 1, size, 2 * size - 3):
            on_rungs = max(mixed(rung, place - rung) for rung in range(size + 1))
            crossed = max(
                share * mixed(rung, place - rung - 1) + (1 - share) * mixed(rung + 1, place - rung)
                for rung in range(size)
                if place - rung - 1 >= -size
            )
            value = found.delta(range_ * place / size)
            assert value.lower <= on_rungs <= max(on_rungs, crossed) <= mpmath.mpf(float(found.above[place]))
            assert value.lower >= on_rungs * (1 - mpmath.mpf(10) ** -11) - mpmath.mpf(10) ** -290


def test_blocks_of_a_long_composition_stay_close_to_the_optimum() -> None:
    loss = compose([(RangeLoss(Fraction(1, 50)), 1024)])
    value = loss.epsilon("1e-6")
    # Gaussian noise with the same concentration is what very many small selections tend to.
    limit = GaussianLoss(Fraction(1024, 4 * 2500)).epsilon("1e-6")
    assert limit.lower * 0.99 <= value.upper <= 1.01 * limit.upper
    assert value.upper / value.lower < 1.01


def test_so_many_times_is_so_many_releases() -> None:
    """The peer's accountant forgot the count of such a branch once: ten releases must not cost what one costs."""
    ten = compose([(RangeLoss(1), 10)])
    assert ten == compose([(RangeLoss(1), 1)] * 10) == compose([(compose([(RangeLoss(1), 4)]), 2), (RangeLoss(1), 2)])
    assert ten.supremum().exact == 10
    assert ten.concentration().upper == pytest.approx(10 * RangeLoss(1).concentration().upper, rel=1e-12)
    assert ten.renyi(5).upper == pytest.approx(10 * RangeLoss(1).renyi(5).upper, rel=1e-12)
    assert ten.delta(1).lower > RangeLoss(1).delta(Fraction(1, 10)).upper


@pytest.mark.parametrize("other", [GaussianLoss(1), FiniteLoss([("2/3", "1/3"), ("1/3", "2/3")])])
def test_selections_compose_with_other_losses(other: PrivacyLoss) -> None:
    both = compose([(RangeLoss(1), 5), (other, 1)])
    alone = compose([(RangeLoss(1), 5)])
    assert both.delta(1).lower >= alone.delta(1).lower * 0.9
    assert both.delta(1).upper > alone.delta(1).upper
    assert both.delta(1).width < 0.25 * both.delta(1).upper


@pytest.mark.parametrize("count", [257, 300, 1000, 1001, 10_000])
def test_blocks_of_many_selections_are_alike_and_leave_none_out(count: int) -> None:
    found = blocks(count, Fraction(1))
    sizes = [size for size, _ in found]
    assert sum(size * times for size, times in found) == count
    assert max(sizes) - min(sizes) <= 1
    assert len({LadderPair(RangeChoice(1), size).step() for size in sizes}) == 1


@pytest.mark.parametrize("choice", [RangeChoice("0.2"), FlipChoice("0.5")])
def test_a_ladder_that_goes_on_from_a_shorter_one_lies_above_what_is_reached(choice: Selection) -> None:
    whole, shared = ladder(choice, 101), upper_curve(choice, 101)
    assert np.all(shared >= whole.below.values)
    felt = whole.above > 1e-30
    assert np.all(shared[felt] <= whole.above[felt] * 1.01)
