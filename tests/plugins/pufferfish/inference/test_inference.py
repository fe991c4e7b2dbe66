"""Posteriors given a private release and public information: by enumeration, by rejection, by weighting."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp
from numpy.random import Generator

from accountant import InvalidValue
from accountant_pufferfish import Law, PublicVariable
from accountant_pufferfish.inference import (
    FiniteModel,
    GeometricRelease,
    agreeing,
    forecast,
    importance_sample,
    rejection_sample,
)

# Three rates, five trials, at least one success is public, and the number of successes is released with geometric noise.
RATES = tuple(Fraction(rate) for rate in ("0.2", "0.5", "0.8"))
WANTED = {Fraction("0.2"): 0.346289, Fraction("0.5"): 0.468528, Fraction("0.8"): 0.185183}
RELEASED = 2


def binomial(rate: Fraction) -> dict[int, Fraction]:
    return {k: math.comb(5, k) * rate**k * (1 - rate) ** (5 - k) for k in range(6)}


SUCCESS = PublicVariable("some success", lambda x: x >= 1)
MODEL = FiniteModel(Law.uniform(RATES), {rate: binomial(rate) for rate in RATES}, SUCCESS)
RELEASE = GeometricRelease([RELEASED], 1)


def before(generator: Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    rates = generator.choice(np.array([float(rate) for rate in RATES]), size)
    return rates, generator.binomial(5, rates)


DRAWS = agreeing(before, lambda x: x >= 1)


def decay(distance: int) -> Fraction:
    with mp.workdps(40):
        return Fraction(str(mp.exp(-distance)))


def shares(parameters: np.ndarray) -> dict[Fraction, float]:
    return {rate: float(np.mean(parameters == float(rate))) for rate in RATES}


def misses(found: Mapping[Fraction, float], size: float, wanted: Mapping[Fraction, float] = WANTED) -> float:
    """The largest distance from the posterior, in standard errors."""
    return max(abs(found[rate] - p) / math.sqrt(p * (1 - p) / size) for rate, p in wanted.items())


def test_enumeration_gives_the_known_posterior() -> None:
    posterior = MODEL.posterior(lambda x: decay(abs(RELEASED - x)), True)
    assert sum(posterior.values()) == 1
    for rate, chance in WANTED.items():
        assert float(posterior[rate]) == pytest.approx(chance, abs=1e-6)


def test_the_prior_given_public_information_is_not_the_prior() -> None:
    known = MODEL.given(True)
    misses_all = {rate: (1 - rate) ** 5 for rate in RATES}
    total = sum(1 - chance for chance in misses_all.values())
    assert dict(known.prior) == {rate: (1 - misses_all[rate]) / total for rate in RATES}
    assert all(x >= 1 for rate in RATES for x in known.data[rate])


SIZE = 40_000


def test_rejection_sampling_follows_the_posterior() -> None:
    sample = rejection_sample(DRAWS, RELEASE.log_density, RELEASE.log_ceiling, SIZE, seed=7)
    assert len(sample.parameters) == SIZE
    assert misses(shares(sample.parameters), SIZE) < 4
    known = MODEL.given(True)
    rate = sum(
        float(p * q) * math.exp(-abs(RELEASED - x)) for t, p in known.prior.items() for x, q in known.data[t].items()
    )
    assert sample.acceptance == pytest.approx(rate, abs=4 * math.sqrt(rate * (1 - rate) / sample.proposals))


def planted(accept: Callable[[np.ndarray, np.ndarray], np.ndarray], size: int) -> np.ndarray:
    generator = np.random.default_rng(7)
    rates, x = DRAWS(generator, size)
    return rates[accept(generator.random(size), x)]


def test_the_reversed_inequality_is_caught() -> None:
    wrong = planted(lambda uniform, x: np.exp(-np.abs(RELEASED - x)) <= uniform, SIZE)
    assert misses(shares(wrong), len(wrong)) > 10


def weighed(x: np.ndarray) -> np.ndarray:
    """The exponential mechanism on 0 to 5 with a base measure that favours 1: its highest density depends on the data."""
    weights = np.exp(-np.abs(np.arange(6) - x[:, None])) * np.array([1, 20, 1, 1, 1, 1])
    return weights / weights.sum(axis=1, keepdims=True)


def test_the_largest_density_over_outputs_is_no_ceiling() -> None:
    """Dividing by the highest density over outputs instead of data draws from another law."""
    exact = MODEL.posterior(lambda x: weighed(np.array([x]))[0, RELEASED], True)
    wanted = {rate: float(chance) for rate, chance in exact.items()}
    ceiling = math.log(weighed(np.arange(6))[:, RELEASED].max())
    right = rejection_sample(DRAWS, lambda x: np.log(weighed(x)[:, RELEASED]), ceiling, SIZE, seed=7)
    wrong = rejection_sample(DRAWS, lambda x: np.log(weighed(x)[:, RELEASED] / weighed(x).max(axis=1)), 0.0, SIZE, seed=7)
    assert misses(shares(right.parameters), SIZE, wanted) < 4
    assert misses(shares(wrong.parameters), SIZE, wanted) > 10


def test_a_ceiling_may_be_rounded_and_no_more() -> None:
    ceiling = math.log(weighed(np.arange(6))[:, RELEASED].max())
    found = [
        rejection_sample(DRAWS, lambda x: np.log(weighed(x)[:, RELEASED]), least, SIZE, seed=7).parameters
        for least in (ceiling + 1e-15, math.nextafter(ceiling, -math.inf) - 1e-15)
    ]
    assert np.array_equal(*found)
    with pytest.raises(InvalidValue, match="above the ceiling"):
        rejection_sample(DRAWS, lambda x: np.log(weighed(x)[:, RELEASED]), ceiling - 1e-9, SIZE, seed=7)


def test_drawing_from_the_prior_instead_of_the_prior_given_public_information_is_caught() -> None:
    def unconditioned(generator: Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        rates = generator.choice(np.array([float(rate) for rate in RATES]), size)
        x = np.zeros(size, dtype=int)
        while (x == 0).any():
            x = np.where(x == 0, generator.binomial(5, rates), x)
        return rates, x

    sample = rejection_sample(unconditioned, RELEASE.log_density, RELEASE.log_ceiling, SIZE, seed=7)
    assert misses(shares(sample.parameters), SIZE) > 10


def test_importance_sampling_follows_the_posterior() -> None:
    sample = importance_sample(DRAWS, RELEASE.log_density, SIZE, seed=7)
    for rate, chance in WANTED.items():
        estimate = sample.mean(lambda rates, rate=rate: rates == float(rate))
        assert abs(estimate.value - chance) < 4 * estimate.error
        assert estimate.error < 0.005
    assert 0.5 * SIZE < sample.effective < SIZE


def test_the_effective_sample_size_is_that_of_the_weights() -> None:
    def two(generator: Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(size), np.arange(size)

    sample = importance_sample(two, lambda x: np.log(np.where(x == 0, 3.0, 1.0)), 2, seed=0, least=1)
    assert sample.effective == pytest.approx(1 / (0.75**2 + 0.25**2))
    assert sample.mean().value == pytest.approx(0.25)


def test_too_few_effective_draws_are_refused_in_words() -> None:
    sample = importance_sample(DRAWS, lambda x: -50.0 * np.abs(x - RELEASED), 200, seed=1, least=150)
    assert not sample.reliable
    with pytest.raises(InvalidValue, match=r"effective sample size is .*, below 150.*draw more"):
        sample.mean()


def test_a_draw_above_the_ceiling_is_an_error_that_names_the_remedy() -> None:
    with pytest.raises(InvalidValue, match="over all data, not over all outputs"):
        rejection_sample(DRAWS, RELEASE.log_density, RELEASE.log_ceiling - 0.1, 10, seed=0)
    with pytest.raises(InvalidValue, match="above the ceiling"):
        forecast(DRAWS, RELEASE.log_density, RELEASE.log_ceiling - 0.1, 10, seed=0)


def test_the_same_seed_draws_the_same() -> None:
    one, two, other = (
        rejection_sample(DRAWS, RELEASE.log_density, RELEASE.log_ceiling, 500, seed=seed) for seed in (3, 3, 4)
    )
    assert one.proposals == two.proposals
    assert (one.parameters == two.parameters).all()
    assert (one.parameters != other.parameters).any()


def test_the_forecast_says_how_many_proposals_are_needed() -> None:
    seen = forecast(DRAWS, RELEASE.log_density, RELEASE.log_ceiling, 5000, seed=11)
    taken = rejection_sample(DRAWS, RELEASE.log_density, RELEASE.log_ceiling, 5000, seed=12).proposals
    assert seen.proposals == pytest.approx(taken, rel=0.1)
    assert seen.effective > 1000


def test_the_acceptance_falls_exponentially_with_the_released_cells() -> None:
    """Independent cells multiply: the forecast for six cells is the sixth power of that for one."""

    def cells(count: int) -> float:
        def draws(generator: Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros(size), generator.binomial(5, 0.5, (size, count))

        release = GeometricRelease([RELEASED] * count, 1)
        return forecast(draws, release.log_density, release.log_ceiling, 1, seed=5, pilot=100_000).acceptance

    assert cells(6) == pytest.approx(cells(1) ** 6, rel=0.05)


def test_proposals_after_the_last_accepted_one_are_not_counted() -> None:
    always = rejection_sample(DRAWS, lambda x: np.zeros(len(x)), 0.0, 10, seed=0)
    assert (always.proposals, always.acceptance) == (10, 1.0)


def test_running_out_of_proposals_says_how_many_are_needed() -> None:
    with pytest.raises(InvalidValue, match=r"within 100 proposals; about .* are needed: raise 'most'"):
        rejection_sample(DRAWS, RELEASE.log_density, RELEASE.log_ceiling + 5, 10_000, seed=0, most=100)


def test_the_density_of_a_geometric_release_sums_to_one() -> None:
    values = np.arange(-200, 201)
    assert np.exp(GeometricRelease([3], "5/2").log_density(values)).sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: GeometricRelease([1, 2], 1).log_density(np.zeros((3, 4))), "2 counts were released.*4 cells"),
        (lambda: GeometricRelease([1], 0), "above 0"),
        (lambda: importance_sample(DRAWS, lambda x: np.full(len(x), -np.inf), 10, seed=0), "none of 10 draws"),
        (lambda: importance_sample(DRAWS, lambda x: np.full(len(x), np.nan), 10, seed=0), "not a number"),
        (lambda: importance_sample(DRAWS, lambda x: np.zeros(3), 10, seed=0), "shape"),
        (lambda: importance_sample(DRAWS, RELEASE.log_density, 0, seed=0), "at least one draw"),
        (lambda: rejection_sample(DRAWS, RELEASE.log_density, 0.0, 0, seed=0), "at least one draw"),
        (lambda: rejection_sample(DRAWS, RELEASE.log_density, -np.inf, 1, seed=0), "positive number"),
        (lambda: agreeing(before, lambda x: x > 5)(np.random.default_rng(0), 3), "agree with the public variable"),
        (lambda: MODEL.given("never"), "some success = 'never' is impossible"),
        (lambda: MODEL.posterior(lambda x: 0, True), "no data with"),
    ],
)
def test_bad_input_is_one_clear_error(wrong: Callable[[], object], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        wrong()
