"""Attacks with hierarchical counts against sums over all counts in 40 digits, and against a sampler."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant_posterior import attacks
from accountant_posterior.attacks import (
    SIMULATED,
    CountAttack,
    Exchangeable,
    HierarchyAttack,
    Known,
    Level,
    NoisyCount,
    ParentPrior,
    Uniform,
    UniformUpTo,
)
from accountant_posterior.attacks.chain import GibbsChain
from accountant_posterior.attacks.noise_sums import NoiseSum
from tests.plugins.posterior.attacks.references import RHO_BLOCK, RHO_GROUP, real, weights

CENSUS = (Level(1 / (2 * RHO_BLOCK), 27), Level(1 / (2 * RHO_GROUP)))


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(40):
        yield


def census(above: ParentPrior) -> HierarchyAttack:
    return HierarchyAttack("1/2", CENSUS, above)


def believed(above: ParentPrior, below: int, parent: int, expected: Fraction) -> mp.mpf:
    """The prior of the parent's count, from its description."""
    if parent < below:
        return mp.mpf(0)
    match above:
        case Uniform():
            return mp.mpf(1)
        case UniformUpTo():
            return mp.mpf(1) / (above.largest - below + 1) if parent <= above.largest else mp.mpf(0)
        case Known():
            return mp.mpf(parent == above.count)
        case Exchangeable():
            mean = real(expected if above.mean is None else above.mean)
            return (mean / (1 + mean)) ** (parent - below) / (1 + mean)
    raise AssertionError


def summed(attack: HierarchyAttack, counts: Sequence[int], siblings: Sequence[int], reach: int) -> dict[int, mp.mpf]:
    """The joint weight of the own count and its parent, by running over all counts of all levels."""
    low, p = attack.known, real(attack.prior)
    found: dict[tuple[int, int], mp.mpf] = {}
    noises = []
    for level in attack.levels[:-1]:
        # Narrow noise is summed exactly, wide noise is taken for discrete Gaussian.
        law = {0: mp.mpf(1)}
        if level.scale < 1:
            single = weights(level.scale, 12)
            for _ in range(level.siblings):
                nxt: dict[int, mp.mpf] = {}
                for (a, u), (b, v) in product(law.items(), single.items()):
                    nxt[a + b] = nxt.get(a + b, mp.mpf(0)) + u * v
                law = nxt
        else:
            law = weights(level.scale * level.siblings, 6 * reach)
        noises.append(law)
    expected = [attack.known + attack.prior]
    for level in attack.levels[:-1]:
        expected.append(expected[-1] * (1 + level.siblings))
    for areas in product((low, low + 1), *(range(low, low + reach) for _ in attack.levels[1:])):
        weight = p if areas[0] == low + 1 else 1 - p
        for number, (level, count, area) in enumerate(zip(attack.levels, counts, areas, strict=True)):
            weight *= mp.exp(-(mp.mpf(count - area) ** 2) / (2 * real(level.scale)))
            if number:
                rest = siblings[number - 1] - (area - areas[number - 1])
                weight *= noises[number - 1].get(rest, mp.mpf(0))
                mean = expected[number - 1] * attack.levels[number - 1].siblings
                weight *= believed(attack.above, areas[number - 1], area, mean)
        found[areas[0], areas[1]] = found.get((areas[0], areas[1]), mp.mpf(0)) + weight
    total = mp.fsum(found.values())
    parents = {k: found.get((low, k), 0) + found.get((low + 1, k), 0) for k in range(low, low + reach)}
    present = mp.fsum(weight for (own, _), weight in found.items() if own == low + 1)
    return {-1: present / total, **{k: weight / total for k, weight in parents.items()}}


@pytest.mark.parametrize("above", [Uniform(), Exchangeable(), Exchangeable(2), UniformUpTo(9), Known(4), Known(25)])
@pytest.mark.parametrize("known", [0, 2])
def test_two_levels_are_the_sum_over_all_parents(above: ParentPrior, known: int) -> None:
    attack = evolve(census(above), known=known)
    counts, siblings = [2 + known, 1 + known], [-1]
    truth = summed(attack, counts, siblings, 60)
    belief = attack.belief(counts, siblings)
    assert belief.posterior.lower <= truth[-1] <= belief.posterior.upper
    assert belief.posterior.width < 1e-12
    assert belief.guess == (truth[-1] > 0.5)
    assert belief.label == SIMULATED
    for parent, chance in attack.parent(counts, siblings).items():
        assert chance.lower <= truth[parent] <= chance.upper
        assert chance.width < 1e-10


@settings(deadline=None, max_examples=15)
@given(
    st.fractions(min_value=Fraction(1, 3), max_value=6, max_denominator=6),
    st.fractions(min_value=Fraction(1, 3), max_value=6, max_denominator=6),
    st.integers(1, 4),
    st.tuples(st.integers(-3, 5), st.integers(-3, 8)),
    st.integers(-4, 8),
    st.sampled_from([Uniform(), Exchangeable(), UniformUpTo(6)]),
)
def test_any_two_levels_are_the_sum_over_all_parents(
    own: Fraction, above: Fraction, siblings: int, counts: tuple[int, int], beside: int, prior: ParentPrior
) -> None:
    with mp.workdps(30):
        attack = HierarchyAttack("1/3", (Level(own, siblings), Level(above)), prior)
        truth = summed(attack, counts, [beside], 50)[-1]
        belief = attack.belief(counts, [beside])
        assert belief.posterior.lower <= truth <= belief.posterior.upper


def test_three_levels_are_the_sum_over_all_counts() -> None:
    levels = (Level(5, 3), Level(2, 2), Level(4))
    for above in (Uniform(), Exchangeable()):
        attack = HierarchyAttack("1/4", levels, above)
        truth = summed(attack, [2, 3, 8], [1, 5], 40)
        belief = attack.belief([2, 3, 8], [1, 5])
        assert belief.posterior.lower <= truth[-1] <= belief.posterior.upper
        assert belief.posterior.width < 1e-11
        law = attack.parent([2, 3, 8], [1, 5])
        assert all(law[k].lower <= truth[k] <= law[k].upper for k in law)


def test_narrow_noise_is_summed_exactly_and_not_taken_for_discrete_gaussian() -> None:
    levels = (Level(Fraction(1, 4), 2), Level(2))
    attack = HierarchyAttack("1/2", levels, Uniform())
    assert not attack.approximated
    truth = summed(attack, [1, 2], [3], 40)[-1]
    belief = attack.belief([1, 2], [3])
    assert belief.posterior.lower <= truth <= belief.posterior.upper
    assert attack.total_variation.upper == 0
    known = HierarchyAttack("1/2", levels, Known(2))
    exact = summed(known, [1, 2], [3], 40)[-1]
    found = known.belief([1, 2], [3]).posterior
    assert found.lower <= exact <= found.upper
    taken = CountAttack("1/2", (NoisyCount("1/4"), NoisyCount("1/2", 2, -1))).belief(1, 3).posterior
    assert taken.upper < found.lower or taken.lower > found.upper


def test_contradictory_numbers_are_followed_as_far_as_doubles_go() -> None:
    attack = census(Uniform())
    truth = summed(attack, [2, 70], [-60], 160)[-1]
    belief = attack.belief([2, 70], [-60])
    assert belief.posterior.lower <= truth <= belief.posterior.upper
    assert belief.posterior.width < 1e-10
    narrow = HierarchyAttack("1/2", (Level("1/10", 3), Level("1/10")), Uniform())
    with pytest.raises(InvalidValue, match="contradicts itself too much"):
        narrow.belief([0, 500], [-500])


def test_a_known_parent_needs_no_sum_and_ignores_the_parents_noisy_count() -> None:
    attack = census(Known(1))
    assert attack.belief([2, 1], [-1]) == attack.belief([2, 400], [-1])
    odds = RHO_BLOCK * 3 + RHO_BLOCK / 27 * (2 * (1 + 1) - 1)
    expected = 1 / (1 + mp.exp(-real(odds)))
    assert attack.belief([2, 1], [-1]).posterior.lower <= expected <= attack.belief([2, 1], [-1]).posterior.upper
    wrong = census(Known(25)).belief([2, 1], [-1]).posterior
    assert wrong.lower > attack.belief([2, 1], [-1]).posterior.upper + 0.04


def test_parent_and_siblings_say_nothing_in_the_limit() -> None:
    levels = (Level(5, 10**6), Level(10**4))
    belief = HierarchyAttack("1/5", levels, Exchangeable(20)).belief([2, 0], [0])
    assert belief.posterior.upper == pytest.approx(CountAttack("1/5", (NoisyCount(5),)).belief(2).posterior.upper, abs=1e-3)


def test_an_exact_parent_does_not_settle_the_target() -> None:
    sharp = HierarchyAttack("1/2", (CENSUS[0], Level("1/1000")), Uniform()).belief([2, 1], [-1])
    assert sharp.posterior.upper < 0.6
    own = HierarchyAttack("1/2", (Level("1/50", 2), CENSUS[1]), Uniform()).belief([1, 1], [0])
    assert own.posterior.lower > 0.99999


# On average ----------------------------------------------------------------------------------------------------------


def test_hierarchy_hurts_an_attacker_with_an_improper_prior_where_the_print_is_an_erratum() -> None:
    found = census(Uniform()).outlook(1)
    assert found.correct.upper == pytest.approx(0.318, abs=5e-4)
    assert found.correct.width < 1e-6
    assert found.label == SIMULATED


def test_the_outlook_of_two_levels_is_the_sum_over_all_noise() -> None:
    attack = HierarchyAttack("2/5", (Level(1, 2), Level("3/2")), Exchangeable())
    own, above, beside = (weights(Fraction(scale), 9) for scale in ("1", "3/2", "2"))
    mean, correct = [], []
    for (a, u), (b, v), (c, w) in product(own.items(), above.items(), beside.items()):
        if u * v * w > 1e-9:
            belief = attack.belief([1 + a, 3 + b], [2 + c])
            mean.append(u * v * w * mp.mpf(belief.posterior.lower))
            correct.append(u * v * w * belief.guess)
    found = attack.outlook(3)
    assert float(mp.fsum(mean)) == pytest.approx(found.posterior.lower, abs=2e-6)
    assert float(mp.fsum(correct)) == pytest.approx(found.correct.lower, abs=2e-6)
    assert found.posterior.width < 1e-8


@pytest.mark.parametrize("parent", [1, 2, 4])
@pytest.mark.parametrize("above", [Uniform(), UniformUpTo(6)], ids=["uniform", "up to 6"])
def test_odds_that_a_hundred_digits_tell_from_even_ones_are_told_from_even_ones(parent: int, above: Any) -> None:
    """A parent with next to no noise leaves odds of e^(whole/6) times 1 -+ e^-100 or so: no tie, and no double sees it."""
    attack = HierarchyAttack("1/2", (Level(1, 3), Level("1/200")), above)
    with mp.workdps(150):
        own, beside = weights(Fraction(1), 13), weights(Fraction(3), 22)
        correct, close = mp.mpf(0), 0
        # The parent's noise is 0 but for e^-100, and what it holds is off by 4 with a chance of e^-1600 of that.
        for others, w in ((parent - 1 + c, w) for c, w in beside.items()):
            sums = []
            for inside in (0, 1):
                most = min(parent + 4, 6) if above == UniformUpTo(6) else parent + 4
                terms = (
                    -100 * mp.mpf(parent - held) ** 2 - mp.mpf(others - held + inside) ** 2 / 6
                    for held in range(inside, most + 1)
                )
                chance = mp.mpf(1) / (7 - inside) if above == UniformUpTo(6) else mp.mpf(1)
                sums.append(chance * mp.fsum(map(mp.exp, terms)))
            for a, u in own.items():
                absent, present = (sums[k] * mp.exp(-(mp.mpf(1 + a - k) ** 2) / 2) for k in (0, 1))
                close += abs(present / absent - 1) < mp.mpf(10) ** -30
                correct += u * w if present > absent else 0
        assert close > 3 or above != Uniform()
    found = attack.outlook(parent).correct
    assert found.lower <= correct <= found.upper
    assert found.width < 1e-9


def test_a_belief_next_to_even_odds_is_told_from_them() -> None:
    """27 siblings, a parent of 1 with next to no noise: 27 (2 x - 1) + 2 (1 - y) - 1 is 0 at x = 1, y = 14."""
    attack = HierarchyAttack("1/2", (CENSUS[0], Level("1/200")), Uniform())
    assert attack.belief([1, 1], [14]).guess in (0, 1)
    assert attack.belief([1, 1], [13]).guess == 1
    assert attack.belief([1, 1], [15]).guess == 0


# The sampler ---------------------------------------------------------------------------------------------------------


def z_score(chain: GibbsChain, truth: float, chains: int = 3000, iterations: int = 60) -> tuple[float, float]:
    """Share of presence, and how many standard errors of the means of independent chains it is off."""
    drawn = chain.draw(np.random.default_rng(5), chains=chains, iterations=iterations)
    shares = (drawn.own > chain.known).mean(axis=0)
    return float(shares.mean()), (float(shares.mean()) - truth) / (float(shares.std(ddof=1)) / math.sqrt(chains))


@pytest.mark.parametrize("above", [Uniform(), Exchangeable(), UniformUpTo(50), Known(1)])
def test_the_sampler_agrees_with_the_exact_sum(above: ParentPrior) -> None:
    attack = census(above)
    truth = attack.belief([2, 1], [-1]).posterior.lower
    _, score = z_score(GibbsChain.of(attack, [2, 1], -1), truth)
    assert abs(score) < 4


def test_no_draw_has_a_parent_below_its_area() -> None:
    drawn = GibbsChain.of(census(Uniform()), [2, 1], -1).draw(np.random.default_rng(1), chains=500, iterations=40)
    assert np.all(drawn.own <= drawn.parent)
    law = census(Uniform()).parent([2, 1], [-1])
    for parent in range(5):
        assert float((drawn.parent == parent).mean()) == pytest.approx(law[parent].lower, abs=0.02)


def test_a_chain_that_forgets_the_parent_in_one_step_is_caught_and_has_the_law_that_was_printed() -> None:
    attack = census(Uniform())
    truth = attack.belief([2, 1], [-1]).posterior.lower
    chain = GibbsChain.of(attack, [2, 1], -1)
    # Presence given the parent's count, by the printed log-odds alone, for the smallest parent too.
    odds = [float(RHO_BLOCK * 3 + RHO_BLOCK / 27 * (2 * (int(k) + 1) - 1)) for k in chain.parents]
    planted = evolve(chain, chances=1 / (1 + np.exp(-np.array(odds))))
    np.testing.assert_allclose(planted.chances[1:30], chain.chances[1:30], rtol=1e-9)
    share, score = z_score(planted, truth)
    assert score > 20
    assert share == pytest.approx(0.57770, abs=0.005)
    drawn = planted.draw(np.random.default_rng(2), chains=500, iterations=100)
    printed = [0.1100, 0.3950, 0.3046, 0.1424, 0.0404]
    assert [float((drawn.parent == k).mean()) for k in range(5)] == pytest.approx(printed, abs=0.01)


# Sums of noise -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rho", "number", "recorded"),
    [
        (1, 2, 7.2e-3),
        (1, 5, 1.1e-3),
        (1, 27, 5.7e-4),
        (2, 2, 8.0e-2),
        (2, 5, 5.8e-2),
        (2, 27, 4.0e-2),
        (5, 5, 0.37),
        (5, 27, 0.48),
    ],
)
def test_recorded_distances_of_sums_from_one_discrete_gaussian(rho: int, number: int, recorded: float) -> None:
    assert NoiseSum(Fraction(1, 2 * rho), number).total_variation.upper == pytest.approx(recorded, rel=0.02)


@settings(deadline=None, max_examples=20)
@given(st.fractions(min_value=Fraction(1, 100), max_value=Fraction(1, 2), max_denominator=100), st.integers(2, 40))
def test_sums_are_approximated_only_where_that_is_close(rho: Fraction, number: int) -> None:
    noise = NoiseSum(1 / (2 * rho), number)
    assert noise.approximated
    assert noise.total_variation.upper < 1e-3


def test_the_distance_is_that_of_sums_in_forty_digits() -> None:
    for scale, number in ((Fraction(1, 4), 3), (Fraction(1), 2), (Fraction(3), 3)):
        single = weights(scale, 40)
        law = {0: mp.mpf(1)}
        for _ in range(number):
            nxt: dict[int, mp.mpf] = {}
            for (a, u), (b, v) in product(law.items(), single.items()):
                nxt[a + b] = nxt.get(a + b, mp.mpf(0)) + u * v
            law = nxt
        taken = weights(scale * number, 130)
        truth = mp.fsum(abs(law.get(k, mp.mpf(0)) - taken[k]) for k in range(-130, 131)) / 2
        found = NoiseSum(scale, number).total_variation
        assert found.lower <= truth <= found.upper
        assert found.width < 1e-10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HierarchyAttack("1/2", (Level(1),)), "at least two levels"),
        (lambda: HierarchyAttack("1/2", (Level(1), Level(1))), "level 1 needs at least one sibling"),
        (lambda: HierarchyAttack("1/2", (Level(1, 2), Level(1, 3))), "at the top level"),
        (lambda: HierarchyAttack("1/2", (Level(1, 2), Level(1, 2), Level(1)), Known(3)), "exactly two levels"),
        (lambda: HierarchyAttack("1/2", CENSUS, Known(0)), "no room for the target"),
        (lambda: HierarchyAttack("1/2", CENSUS, UniformUpTo(1), known=1), "no room for the target"),
        (lambda: census(Uniform()).belief([1], [2]), "2 counts and 1 sums"),
        (lambda: census(Uniform()).outlook(0), "cannot hold 0"),
        (lambda: HierarchyAttack("1/2", (Level(1, 2), Level(1, 2), Level(1))).outlook(3), "2 levels lie above"),
        (lambda: HierarchyAttack("1/2", (Level(1, 2), Level(1, 2), Level(1))).outlook(3, 2), "no more than the one above"),
        (lambda: HierarchyAttack("1/2", (Level(9, 9), Level(99, 9), Level(99))).outlook(3, 4), "outcomes that matter"),
        (lambda: GibbsChain.of(HierarchyAttack("1/2", (Level(1, 2), Level(1, 2), Level(1))), [1, 1], 0), "two levels"),
    ],
)
def test_a_bad_hierarchy_gets_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()


def test_the_prior_up_to_a_largest_count_still_answers_to_its_old_name() -> None:
    with pytest.warns(DeprecationWarning, match=r"Bounded is called accountant_posterior\.attacks\.UniformUpTo now"):
        assert attacks.Bounded is UniformUpTo
    with pytest.raises(AttributeError, match="has no attribute 'Unbounded'"):
        _ = attacks.Unbounded


# On average over all noise of any number of levels -------------------------------------------------------------------


def _counted(scale: Fraction, number: int) -> Any:
    """The chances of the sum of so much discrete Gaussian noise, added up, by distance."""
    places = np.arange(-12, 13)
    single = np.exp(-(places**2) / (2 * float(scale)))
    law = np.ones(1)
    for _ in range(number):
        law = np.convolve(law, single / single.sum())
    reach = len(law) // 2
    return lambda apart: np.where(
        np.abs(apart) <= reach, law[np.clip(np.round(apart).astype(int) + reach, 0, 2 * reach)], 0.0
    )


def _averages(attack: HierarchyAttack, true: tuple[int, ...], weight: Any) -> tuple[float, float]:
    """The mean posterior and the chance that presence is the likelier one, by sums over all noise and all counts.

    `weight` is the prior of what siblings hold, given what they are expected to hold.
    """
    counts, noise = np.arange(26.0), np.arange(-5.0, 6.0)
    message, chances = np.ones((1, len(counts))), np.ones(1)
    expected = [float(attack.known + attack.prior)]
    for level in attack.levels[:-1]:
        expected.append(expected[-1] * (1 + level.siblings))
    for place in range(len(attack.levels) - 1, 0, -1):
        own, below = _counted(attack.levels[place].scale, 1), attack.levels[place - 1]
        # With every noisy count of this level, then with every sum of what lies beside the area in it.
        message = (message[:, None] * own(true[place] + noise[:, None] - counts)[None]).reshape(-1, len(counts))
        chances = (chances[:, None] * own(noise)).ravel()
        inner = np.array([attack.known, attack.known + 1.0]) if place == 1 else counts
        held = counts[:, None] - inner
        likely = np.where(held >= 0, weight(np.maximum(held, 0), below.siblings * expected[place - 1]), 0.0)
        beside = _counted(below.scale, below.siblings)
        sums = np.arange(-8.0, 9.0)
        laws = beside(true[place] - true[place - 1] + sums[:, None, None] - held) * likely
        message = np.einsum("rm,smc->rsc", message, laws).reshape(-1, len(inner))
        chances = (chances[:, None] * beside(sums)).ravel()
    own = _counted(attack.levels[0].scale, 1)
    released = true[0] + noise
    absent, present = (own(released - attack.known - k)[:, None] * message[:, k] for k in (0, 1))
    prior = float(attack.prior)
    weights = own(noise)[:, None] * chances
    found = prior * present / (prior * present + (1 - prior) * absent)
    return float((weights * found).sum()), float(weights[found > 0.5 + 1e-12].sum())


def _geometric(held: Any, mean: float) -> Any:
    return (mean / (1 + mean)) ** held / (1 + mean)


SMALL = Level("2/5", 2), Level("1/3", 1), Level("1/4")


@pytest.mark.parametrize("present", [True, False])
@pytest.mark.parametrize(
    ("levels", "above", "true"),
    [(SMALL, Exchangeable(), (2, 3)), (SMALL, Uniform(), (1, 1)), ((SMALL[0], SMALL[2]), Exchangeable(), (2,))],
)
def test_the_outlook_of_any_number_of_levels_is_the_sum_over_all_noise(
    levels: tuple[Level, ...], above: Any, true: tuple[int, ...], present: bool
) -> None:
    attack = HierarchyAttack("2/5", levels, above)
    weight = _geometric if isinstance(above, Exchangeable) else lambda held, mean: np.ones_like(held)
    mean, presence = _averages(attack, (int(present), *true), weight)
    found = attack.outlook(*true, present=present)
    right = presence if present else 1 - presence
    assert found.posterior.lower - 1e-6 < mean < found.posterior.upper + 1e-6
    assert found.correct.lower - 1e-6 < right < found.correct.upper + 1e-6
    assert found.posterior.width < 1e-5 > found.correct.width
    # A level more or another truth would be noticed.
    other = _averages(attack, (int(present), *(held + 1 for held in true)), weight)[0]
    assert abs(other - mean) > 1e-4


def test_an_attacker_who_is_wrong_about_the_parent_where_sums_are_added_up() -> None:
    attack = HierarchyAttack("1/2", (SMALL[0], SMALL[2]), Known(3))
    # The parent's noise tells one who is sure of its count nothing.
    mean, _ = _averages(attack, (1, 1), lambda held, _: np.ones_like(held))
    found = attack.outlook(1)
    beside, own = _counted(SMALL[0].scale, 2), _counted(SMALL[0].scale, 1)
    noise, sums = np.arange(-5.0, 6.0), np.arange(-8.0, 9.0)
    absent, present = (own(1 + noise - k)[:, None] * beside(sums - (3 - k)) for k in (0, 1))
    expected = float((own(noise)[:, None] * beside(sums) * present / (absent + present)).sum())
    assert found.posterior.lower - 1e-6 < expected < found.posterior.upper + 1e-6
    assert abs(expected - mean) > 1e-3


# Wrong beliefs, absent targets, and ties at a level that hides nothing -------------------------------------------------


def _by_sums(believed: int, own: int, siblings: int) -> tuple[mp.mpf, mp.mpf]:
    """The chances that log-odds are above zero, and that they are nothing, over all noise, by whole numbers.

    With p = 1/2 and a known parent they are rho/d times d (2 x - 1) + 2 (c - y) - 1, x the noisy own count and y the sum.
    """
    (first, _), d = CENSUS, 27
    scales = first.scale, d * first.scale
    laws = [weights(scale, reach) for scale, reach in zip(scales, (30, 150), strict=True)]
    above, even = [], []
    for z, chance in laws[0].items():
        for w, other in laws[1].items():
            number = d * (2 * (own + z) - 1) + 2 * (believed - siblings - w) - 1
            (above if number > 0 else even if number == 0 else []).append(chance * other)
    return mp.fsum(above), mp.fsum(even)


def test_an_attacker_who_is_wrong_about_the_parent_gains_or_loses_by_it() -> None:
    with mp.workdps(20):
        there, tied = _by_sums(25, 1, 0)
        gone, tied_too = _by_sums(25, 0, 0)
        attack = census(Known(25))
        found, other = attack.outlook(1), attack.outlook(0, present=False)
        assert found.correct.lower <= there <= found.correct.upper
        assert other.correct.lower <= 1 - gone <= other.correct.upper
        assert found.correct.width < 1e-9 > other.correct.width
    # In print 74 and 42 of 100, by simulation.
    assert abs(float(there) - 0.74) < 0.015 > abs(float(1 - gone) - 0.42)
    assert tied > 0.005 < tied_too


def test_a_right_belief_about_the_parent_and_an_absent_target() -> None:
    with mp.workdps(20):
        for parent in (1, 4):
            found = census(Known(parent)).outlook(parent, present=False)
            assert found.correct.lower <= 1 - _by_sums(parent, 0, parent)[0] <= found.correct.upper
            assert not found.present


def test_a_parent_that_is_hardly_noisy_leaves_no_ties_open() -> None:
    found = HierarchyAttack("1/2", (CENSUS[0], Level("1/200")), Uniform()).outlook(1)
    assert found.correct.width < 1e-6
    with mp.workdps(20):
        # All but e^-100 of the weight is where the parent holds one, so that only what is next to a tie could differ.
        above, even = _by_sums(1, 1, 0)
    assert found.correct.upper < above + even + mp.mpf(10) ** -6
