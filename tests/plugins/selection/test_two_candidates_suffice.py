"""Exponential noise: whatever the candidates, their scores and moves, pairs of two candidates lose as much."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from accountant.finite import FiniteMechanism, Pair, compose_adaptively
from accountant.loss import FiniteLoss, GaussianLoss, compose
from accountant_selection.choice import FlipChoice, RangeChoice
from accountant_selection.flip_moments import largest_log_moment
from accountant_selection.ladder import ladder
from accountant_selection.noisy_max_loss import NoisyMaxLoss

Law = list[Fraction]
_ABOVE = 1 + Fraction(1, 2**50)
"""A little more than a logarithm in doubles, so that the exact ratio is covered."""


def picked(weights: Sequence[Fraction]) -> Law:
    """Permute-and-flip from e^(c score), in exact numbers: the smallest of uniform numbers between 0 and 1/weight."""
    best = max(weights)
    chances = []
    for candidate, weight in enumerate(weights):
        others = [Fraction(1)]
        for rival in [*weights[:candidate], *weights[candidate + 1 :]]:
            others = [a - b * rival / best for a, b in zip([*others, Fraction(0)], [Fraction(0), *others], strict=True)]
        chances.append(weight / best * sum(c / (k + 1) for k, c in enumerate(others)))
    return chances


def two(c: Fraction, ratio: Fraction) -> tuple[Law, Law]:
    """Two candidates: the second behind by a factor c in the first dataset, the first by 1/(ratio c) in the second."""
    return [1 - c / 2, c / 2], [1 / (2 * ratio * c), 1 - 1 / (2 * ratio * c)]


def selection(generator: random.Random, ratio: Fraction) -> FiniteMechanism:
    """Up to four candidates whose weights move apart by a factor of at most `ratio`."""
    weights = [Fraction(generator.randint(1, 12), generator.randint(1, 3)) for _ in range(generator.randint(2, 4))]
    moves = [Fraction(1), ratio, 1 + (ratio - 1) / 2, 1 + (ratio - 1) / 5]
    moved = [weight * generator.choice(moves) for weight in weights]
    if generator.random() < 0.5:
        weights, moved = moved, weights
    return FiniteMechanism(
        {name: dict(enumerate(picked(values))) for name, values in (("left", moved), ("right", weights))}
    )


def chi(pair: tuple[Law, Law], power: int) -> Fraction:
    """E_P[e^(power L)]."""
    return sum(p ** (1 + power) / q**power for p, q in zip(*pair, strict=True))


def test_two_candidates_are_the_law_of_two_candidates() -> None:
    ratio, c = Fraction(5), Fraction(2, 3)
    assert [picked([Fraction(1), c]), picked([1 / (ratio * c), Fraction(1)])] == list(two(c, ratio))


def test_three_level_candidates_are_a_mixture_of_pairs() -> None:
    """One rises to the top, one falls from it, one stays there: each two of them with chance 1/3."""
    ratio, c = Fraction(5), Fraction(2, 3)
    low = 1 / (ratio * c)
    whole = picked([Fraction(1), Fraction(1), c]), picked([low, Fraction(1), Fraction(1)])
    half = Fraction(1, 2)
    pairs = (
        ([1 - c / 2, Fraction(0), c / 2], [low / 2, Fraction(0), 1 - low / 2]),
        ([half, half, Fraction(0)], [low / 2, 1 - low / 2, Fraction(0)]),
        ([Fraction(0), 1 - c / 2, c / 2], [Fraction(0), half, half]),
    )
    for side in (0, 1):
        assert whole[side] == [sum(pair[side][k] for pair in pairs) / 3 for k in range(3)]


@pytest.mark.parametrize("ratio", [Fraction(5, 4), Fraction(2), Fraction(9)])
def test_no_candidates_have_larger_moments(ratio: Fraction) -> None:
    generator, claimed = random.Random(float(ratio)), Fraction(math.log(ratio)) * _ABOVE
    most = {power: largest_log_moment(claimed, float(power)) for power in (1, 3)}
    for _ in range(150):
        laws = selection(generator, ratio).laws
        for pair in itertools.permutations([list(law.values()) for law in (laws["left"], laws["right"])]):
            for power, bound in most.items():
                assert math.log(chi((pair[0], pair[1]), power)) <= bound.upper * (1 + 1e-14)
    for power, bound in most.items():
        places = [two(1 / ratio + (1 - 1 / ratio) * Fraction(k, 200), ratio) for k in range(201)]
        found = math.log(max(chi(pair, power) for pair in places))
        assert found <= bound.upper * (1 + 1e-14)
        assert bound.lower <= found * (1 + 1e-3)
        assert bound.upper <= bound.lower * (1 + 1e-8)


def test_moments_of_half_the_move_are_caught() -> None:
    """The planted error of counting how far one score moves where two move apart."""
    short = largest_log_moment(Fraction(math.log(2.0) / 2), 1.0)
    generator = random.Random(1)
    found = max(
        chi((list(laws["left"].values()), list(laws["right"].values())), 1)
        for laws in (selection(generator, Fraction(2)).laws for _ in range(60))
    )
    assert math.log(found) > short.upper


@pytest.mark.parametrize("ratio", ["0.01", "0.5", "5", "90"])
@pytest.mark.parametrize("order", [1e-5, 0.3, 2.0, 50.0])
def test_the_largest_moment_is_the_largest_of_two_candidates(ratio: str, order: float) -> None:
    """A search in 40 digits over c."""
    bound = largest_log_moment(Fraction(ratio), order)
    with mpmath.workdps(40):
        r, a = mpmath.mpf(ratio), mpmath.mpf(order)

        def moment(place: mpmath.mpf) -> mpmath.mpf:
            p, q = 1 - mpmath.exp(-r * place) / 2, mpmath.exp(r * place - r) / 2
            return mpmath.log(p ** (1 + a) * q**-a + (1 - p) ** (1 + a) * (1 - q) ** -a)

        best, width = max((mpmath.mpf(k) / 40 for k in range(41)), key=moment), mpmath.mpf(1) / 40
        for _ in range(45):
            best = max((min(mpmath.mpf(1), max(mpmath.mpf(0), best + s * width)) for s in (-1, 0, 1)), key=moment)
            width *= mpmath.mpf("0.7")
        assert bound.lower <= moment(best) <= bound.upper
        assert bound.width <= 1e-8 * bound.upper


def test_concentration_is_the_largest_mean() -> None:
    """The supremum over orders is approached at order 1."""
    value = NoisyMaxLoss(2).concentration()
    places = [(1 - math.exp(-t) / 2, math.exp(t - 2.0) / 2) for t in (2.0 * k / 4000 for k in range(4001))]
    mean = max(p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q)) for p, q in places)
    assert value.lower <= mean * (1 + 1e-6)
    assert mean <= value.upper <= mean * (1 + 1e-5)
    assert compose([(NoisyMaxLoss(2), 7)]).concentration().upper == pytest.approx(7 * value.upper, rel=1e-12)


# Several selections -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_no_adaptive_choice_beats_the_upper_end(seed: int) -> None:
    """Exact products of randomly chosen selections, each chosen after looking at all earlier outputs."""
    generator, ratio = random.Random(seed), Fraction(3)
    whole = selection(generator, ratio)
    for _ in range(2):
        chosen = {output: selection(generator, ratio) for output in whole.outputs}
        whole = compose_adaptively(whole, chosen.__getitem__)
    pair: Pair = whole.pair("left", "right")
    claimed = NoisyMaxLoss(Fraction(math.log(ratio)) * _ABOVE, count=3)
    for epsilon in ("-0.4", "0", "0.3", "1", "2", "3"):
        assert FiniteLoss(pair.atoms).delta(epsilon).lower <= claimed.delta(epsilon).upper
        assert FiniteLoss(pair.reverse().atoms).delta(epsilon).lower <= claimed.delta(epsilon).upper


def replayed(ratio: float, count: int, epsilon: float, places: int) -> float:
    """The best strategy over few pairs of two candidates, by plain recursion over what is left to lose."""

    def best(left: int, x: float) -> float:
        if left == 0:
            return max(0.0, -math.expm1(x))
        values = []
        for place in range(places + 1):
            c = math.exp(-ratio * place / places)
            p, q = 1.0 - c / 2.0, math.exp(-ratio) / (2.0 * c)
            values.append(
                p * best(left - 1, x - math.log(p / q)) + (1.0 - p) * best(left - 1, x - math.log((1.0 - p) / (1.0 - q)))
            )
        return max(values)

    return best(count, epsilon)


@pytest.mark.parametrize(("ratio", "epsilon"), [(1.0, 0.4), (1.0, 2.0), (4.0, 6.0), (0.01, 0.02)])
def test_strategies_by_recursion_lie_inside(ratio: float, epsilon: float) -> None:
    value = NoisyMaxLoss(Fraction(ratio), count=3).delta(Fraction(epsilon))
    found = replayed(ratio, 3, epsilon, 16)
    assert found <= value.upper
    assert value.lower >= found * (1.0 - 1e-5)
    assert value.width <= 1e-3 * value.upper


def test_a_ladder_without_what_lies_between_places_is_caught() -> None:
    """The planted error of taking the maximum over few pairs for the maximum: a finer search beats it."""
    coarse, fine = replayed(2.0, 3, 3.0, 3), replayed(2.0, 3, 3.0, 16)
    assert coarse < fine <= NoisyMaxLoss(2, count=3).delta(3).upper


def test_one_pair_for_all_selections_reaches_less() -> None:
    """So selections that are all chosen in advance and alike are no upper end: the lower end is above them."""
    value = NoisyMaxLoss(4, count=3).delta(3)
    alike = []
    for place in range(101):
        c = math.exp(-4.0 * place / 100)
        p, q = 1.0 - c / 2.0, math.exp(-4.0) / (2.0 * c)
        terms = [
            math.comb(3, k) * (p ** (3 - k) * (1 - p) ** k - math.exp(3) * q ** (3 - k) * (1 - q) ** k) for k in range(4)
        ]
        alike.append(sum(max(0.0, term) for term in terms))
    assert value.lower > max(alike) * 1.005


@pytest.mark.parametrize("choice", [FlipChoice("0.1"), FlipChoice(3), RangeChoice("0.1"), RangeChoice(3)])
def test_both_ends_of_a_step_hold_in_forty_digits(choice: FlipChoice | RangeChoice) -> None:
    """Two selections by the definition: the best pair before the known curve of one, at random places."""
    found, generator = ladder(choice, 2), random.Random(7)
    with mpmath.workdps(40):
        r = mpmath.mpf(choice.reach.numerator) / choice.reach.denominator

        def single(x: mpmath.mpf) -> mpmath.mpf:
            if x >= r:
                return mpmath.mpf(0)
            if x <= -r:
                return 1 - mpmath.exp(x)
            if isinstance(choice, FlipChoice):
                return -mpmath.expm1((x - r) / 2)
            return mpmath.expm1((x - r) / 2) ** 2 / -mpmath.expm1(-r)

        def pair(place: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
            if isinstance(choice, FlipChoice):
                return 1 - mpmath.exp(-r * place) / 2, mpmath.exp(r * place - r) / 2
            p = mpmath.expm1(r * place - r) / mpmath.expm1(-r)
            return p, p * mpmath.exp(-r * place)

        for _ in range(6):
            epsilon = choice.reach * Fraction(generator.randint(0, 10**6), 510001)
            x = mpmath.mpf(epsilon.numerator) / epsilon.denominator

            def value(place: mpmath.mpf, x: mpmath.mpf = x) -> mpmath.mpf:
                p, q = pair(place)
                return p * single(x - mpmath.log(p / q)) + (1 - p) * single(x - mpmath.log((1 - p) / (1 - q)))

            best, width = max((mpmath.mpf(2 * k + 1) / 160 for k in range(80)), key=value), mpmath.mpf(1) / 160
            for _ in range(30):
                best = max(
                    (min(mpmath.mpf(1) - width / 9, max(width / 9, best + s * width)) for s in (-1, 0, 1)), key=value
                )
                width *= mpmath.mpf("0.7")
            bound = found.delta(epsilon)
            assert bound.lower <= value(best) * (1 + mpmath.mpf(10) ** -9)
            assert value(best) <= bound.upper
            assert bound.width <= 1e-2 * bound.upper + 1e-12


@pytest.mark.parametrize("count", [100, 257])
def test_many_small_selections_tend_to_gaussian_noise(count: int) -> None:
    """Nothing happens where blocks begin."""
    ratio = Fraction(1, 50)
    value = compose([(NoisyMaxLoss(ratio), count)]).epsilon("1e-6")
    limit = GaussianLoss(count * ratio**2).epsilon("1e-6")
    assert limit.lower * 0.96 <= value.lower <= value.upper <= 1.01 * limit.upper
    assert value.upper / value.lower < 1.004


def test_curves_beyond_where_they_are_followed_are_bounded() -> None:
    """Of many selections only losses within reach are followed; beyond, a chord to the largest loss holds."""
    found = ladder(RangeChoice("0.1"), 200)
    last = found.step * (found.above.size - 1)
    assert last < found.top
    inside, beyond = found.delta(last - found.step), found.delta((last + found.top) / 2)
    assert 0.0 == beyond.lower <= beyond.upper <= inside.upper
    assert found.delta(found.top).upper == 0.0
    assert np.all(np.diff(found.above) <= 0.0)
