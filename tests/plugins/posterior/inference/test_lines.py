"""Lines from noisy sums: the sampler against sums over grids and lattices, and by ranks where lines are from the prior."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference import GaussianNoise, LaplaceNoise, StatisticNoise, effective_size
from accountant_posterior.inference.lines.density import LineDensity, Place, WeighedPlaces
from accountant_posterior.inference.lines.priors import ConjugateLine, FlatLine, GaussianDesign, LinePrior, WeakLine
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.sampler import LineState, infer_line
from accountant_posterior.inference.lines.sums import Layout, cholesky, possible
from tests.plugins.posterior.inference.test_calibration import RANKS, uniformity

pytestmark = pytest.mark.slow

COUNT = 12
CONJUGATE = ConjugateLine(["0.5", "0.1"], 4, 3, "1/20")


def released(noise: StatisticNoise, count: int = COUNT, columns: int = 2, seen: Floats | None = None) -> NoisySums:
    size = (columns + 1) * (columns + 2) // 2 - 1
    return NoisySums(count, [0] * columns, [1] * columns, noise, [0.0] * size if seen is None else seen.tolist())


def from_prior(prior: LinePrior, count: int, tries: int, generator: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Slopes, sigma^2 and sums of data from the prior and the model with one regressor, kept where all is possible."""
    belief = prior.belief(2)
    if belief.rate > 0:
        variance = belief.rate / generator.gamma(belief.shape, size=tries)
    else:
        variance = 0.25 * generator.random(tries) ** (-1 / belief.shape)
    precision = belief.fixed[:, :, None] + belief.scaled[:, :, None] / variance
    roots = np.linalg.cholesky(np.linalg.inv(np.moveaxis(precision, 2, 0)))
    line = belief.centre + np.einsum("cij,cj->ci", roots, generator.standard_normal((tries, 2)))
    x, xx = generator.random((2, tries))
    spread = np.maximum(xx - x**2, 1e-12)
    # The least-squares fit is Gaussian around the line, and what is left is chi-squared.
    slope = line[:, 1] + np.sqrt(variance / (count * spread)) * generator.standard_normal(tries)
    middle = line[:, 0] + line[:, 1] * x + np.sqrt(variance / count) * generator.standard_normal(tries)
    rest = variance * generator.chisquare(count - 2, tries) / count
    xy = slope * spread + middle * x
    yy = rest + slope**2 * spread + middle**2
    fits = (x**2 < xx) & (xx <= x) & (yy <= middle) & (xy <= np.minimum(x, middle)) & (xy >= np.maximum(x + middle - 1, 0))
    mean, square = line[:, 0] + line[:, 1] * x, line[:, 0] ** 2 + 2 * line[:, 0] * line[:, 1] * x + line[:, 1] ** 2 * xx
    fits &= variance + square <= mean
    return line[fits, 1], variance[fits], count * np.array([x, middle, xx, xy, yy])[:, fits]


def chains(
    noise: StatisticNoise,
    prior: LinePrior,
    problems: int,
    generator: np.random.Generator,
    density: type[LineDensity] = LineDensity,
) -> tuple[Floats, LineState]:
    """Slopes and sigma^2 of random problems, and a chain for each."""
    parts = [from_prior(prior, COUNT, 40 * problems, generator)]
    while sum(len(part[0]) for part in parts) < problems:
        parts.append(from_prior(prior, COUNT, 40 * problems, generator))
    slope, variance, sums = (np.concatenate(part, axis=-1)[..., :problems] for part in zip(*parts, strict=True))
    seen = sums + noise.draw(generator, sums.shape)
    return np.array([slope, variance]), LineState(density(released(noise), prior.belief(2)), seen, generator)


def drawn(state: LineState) -> Floats:
    return np.array([state.weighed.coefficients[1], state.weighed.variance])


def chances(
    noise: StatisticNoise,
    prior: LinePrior,
    problems: int,
    seed: int,
    density: type[LineDensity] = LineDensity,
    thinned: int = 6,
) -> tuple[float, float]:
    """How likely ranks as uneven as those of slope and sigma^2 are, if the sampler is right and draws are new."""
    generator = np.random.default_rng(seed)
    truth, state = chains(noise, prior, problems, generator, density)
    ranks = np.zeros((2, problems))
    for iteration in range(-5 * thinned, (RANKS - 1) * thinned):
        state.step(generator)
        if iteration >= 0 and iteration % thinned == 0:
            ranks += drawn(state) < truth
    return uniformity(ranks[0]), uniformity(ranks[1])


def thinning(noise: StatisticNoise, prior: LinePrior, problems: int = 100, steps: int = 600) -> int:
    """After how many steps draws of other problems have a correlation below 0.05."""
    generator = np.random.default_rng(5)
    _, state = chains(noise, prior, problems, generator)
    found = []
    for iteration in range(-100, steps):
        state.step(generator)
        if iteration >= 0:
            slope, variance = drawn(state)
            found.append([slope, np.log(variance)])
    apart = np.array(found) - np.mean(found, axis=0)
    spread = (apart**2).mean(axis=(0, 2))
    return next(lag for lag in (15, 30, 60, 120) if ((apart[:-lag] * apart[lag:]).mean(axis=(0, 2)) < 0.05 * spread).all())


class ForgottenDeterminant(LineDensity):
    """The density of X'y is taken for that of the fit."""

    def weigh(self, place: Place, seen: Floats) -> WeighedPlaces:
        found = super().weigh(place, seen)
        spread = found.moments[1, 1] - found.moments[0, 1] ** 2
        return WeighedPlaces(found.logs + np.log(np.maximum(spread, 1e-300)), *_rest(found))


class WrongDegrees(LineDensity):
    """The sum of squares around the fit is taken to have n degrees of freedom."""

    def weigh(self, place: Place, seen: Floats) -> WeighedPlaces:
        found = super().weigh(place, seen)
        return WeighedPlaces(found.logs + np.log(found.variance) - place.scatter, *_rest(found))


class HalfNoise(LineDensity):
    """Noise is weighed twice."""

    def weigh(self, place: Place, seen: Floats) -> WeighedPlaces:
        found = super().weigh(place, seen)
        return WeighedPlaces(found.logs + self.released.log_weights(place.sums, seen), *_rest(found))


def _rest(found: WeighedPlaces) -> tuple[Floats, Floats, Floats, Floats]:
    return found.variance, found.moments, found.factors, found.turn


@pytest.mark.parametrize("noise", [LaplaceNoise(0.5), GaussianNoise(0.4)], ids=str)
def test_ranks_of_slope_and_variance_are_uniform(noise: StatisticNoise) -> None:
    assert min(chances(noise, WeakLine(), 300, seed=2)) > 1e-3


def test_ranks_are_uniform_under_a_conjugate_prior() -> None:
    assert min(chances(LaplaceNoise(0.5), CONJUGATE, 300, seed=4)) > 1e-3


@pytest.mark.parametrize(
    ("planted", "scale"),
    [
        pytest.param(ForgottenDeterminant, 2.0, marks=pytest.mark.sweep),
        pytest.param(WrongDegrees, 2.0, marks=pytest.mark.sweep),
        (HalfNoise, 0.2),
    ],
)
def test_ranks_show_a_planted_error(planted: type[LineDensity], scale: float) -> None:
    assert min(chances(LaplaceNoise(scale), WeakLine(), 1000, seed=3, density=planted, thinned=4)) < 1e-5


@pytest.mark.sweep
@pytest.mark.parametrize("noise", [LaplaceNoise(0.1), LaplaceNoise(1), LaplaceNoise(5), GaussianNoise(0.4)], ids=str)
@pytest.mark.parametrize("prior", [WeakLine(), WeakLine("1/2", "1/2"), CONJUGATE], ids=lambda prior: prior.words)
def test_ranks_are_uniform_over_many_random_problems(noise: StatisticNoise, prior: LinePrior) -> None:
    assert min(chances(noise, prior, 5000, seed=11, thinned=thinning(noise, prior))) > 1e-5


# Sums over grids and lattices ----------------------------------------------------------------------------------------


def close(draws: Floats, truth: float, size: float) -> bool:
    """Whether the mean of draws worth so many is the truth, within four and a half errors."""
    return abs(float(draws.mean()) - truth) < 4.5 * float(draws.std()) / math.sqrt(size)


@pytest.mark.parametrize("noise", [LaplaceNoise(0.6), GaussianNoise(0.6)], ids=str)
def test_a_mean_without_regressors_is_that_of_a_sum_over_a_grid(noise: StatisticNoise) -> None:
    """Sums of y and y^2, sigma^2 on a grid; the mean is Gaussian between what sigma^2 leaves, times its prior."""
    count, seen = 8, (5.1, 3.0)
    y = ((np.arange(90) + 0.5) / 90)[:, None, None]
    yy = ((np.arange(90) + 0.5) / 90)[None, :, None]
    variance = (0.25 * (np.arange(80) + 0.5) / 80)[None, None, :]
    possible_ones = (y**2 < yy) & (yy <= y)
    rest = np.where(possible_ones, yy - y**2, 1.0)
    precision = count / variance + 4.0
    centre = (count * y / variance + 2.0) / precision
    half = np.sqrt(0.25 - variance)
    inside = special.ndtr((0.5 + half - centre) * np.sqrt(precision)) - special.ndtr(
        (0.5 - half - centre) * np.sqrt(precision)
    )
    logs = -0.5 * count * np.log(variance) + (0.5 * (count - 1) - 1) * np.log(rest) - 0.5 * np.log(precision)
    logs = logs - 0.5 * (count * yy / variance + 1.0 - precision * centre**2)
    logs = logs + noise.log_weights(count * y - seen[0]) + noise.log_weights(count * yy - seen[1])
    logs = np.where(possible_ones, logs, -np.inf)
    masses = np.exp(logs - logs.max()) * inside
    masses /= masses.sum()
    draws = infer_line(
        released(noise, count, 1, np.array(seen)), WeakLine(), np.random.default_rng(1), chains=500, iterations=40, burn=20
    )
    size = draws.effective_size / 2
    assert close(draws.variance, float((masses * variance).sum()), size)
    assert close(draws.sums[0], float((masses * count * y).sum()), size)
    assert close(draws.sums[1], float((masses * count * yy).sum()), size)


def test_whole_sums_are_those_of_an_enumeration() -> None:
    """x of 0 or 1 and y of 0, 1 or 2 in six records with geometric noise: every lattice point, with a grid of lines."""
    count, scale, seen = 6, 0.8, np.array([3.0, 7.0, 4.0, 5.0, 9.0])
    release = NoisySums(count, [0, 0], [1, 2], LaplaceNoise(scale), seen.tolist(), whole=True)
    density = LineDensity(release, WeakLine().belief(2))
    points = [
        (x, y, x, xy, yy)
        for x, y, xy, yy in itertools.product(range(count + 1), range(13), range(13), range(25))
        if (yy - y) % 2 == 0
    ]
    moments = release.layout.moments(np.array(points, dtype=float).T, count)
    fits = possible(moments) & cholesky(moments)[1]
    points = [point for point, one in zip(points, fits, strict=True) if one]
    sums = np.array(points, dtype=float).T
    quantiles = special.ndtri((np.arange(15) + 0.5) / 15)
    lines = np.array(list(itertools.product(quantiles, quantiles)))
    masses = np.zeros(len(points))
    scatters = np.linspace(-6.0, 2.0, 25)
    for scatter, turn in itertools.product(scatters, lines):
        place = Place(sums, np.full(len(points), scatter), np.repeat(turn[:, None], len(points), axis=1))
        # What the draw of the turn accounts for is not to be weighed again.
        weighed = density.weigh(place, np.repeat(seen[:, None], len(points), axis=1))
        masses += np.exp(weighed.logs + 0.5 * turn @ turn)
    masses /= masses.sum()
    assert (masses > 0).sum() > 50
    draws = infer_line(release, WeakLine(), np.random.default_rng(2), chains=300, iterations=60, burn=30)
    np.testing.assert_array_equal(draws.sums, np.rint(draws.sums))
    np.testing.assert_array_equal(draws.sums[0], draws.sums[2])
    for found, values in zip(draws.sums, sums, strict=True):
        assert close(found, float(masses @ values), effective_size(found) / 2)
    drawn = {tuple(point) for point in draws.sums.reshape(5, -1).T.tolist()}
    assert drawn <= {point for point, mass in zip(points, masses, strict=True) if mass > 0}


# What is possible ----------------------------------------------------------------------------------------------------


def test_sums_of_data_are_possible_and_their_moments_are_those_of_unit_columns() -> None:
    generator = np.random.default_rng(6)
    lower, upper = [-2.0, 10.0, 0.5], [3.0, 11.0, 4.5]
    layout = Layout.of(lower, upper)
    for _ in range(200):
        unit = generator.beta(generator.uniform(0.1, 3), generator.uniform(0.1, 3), (3, 9))
        data = np.array([np.ones(9), *(np.array(lower)[:, None] + (np.array(upper) - lower)[:, None] * unit)])
        sums = np.array([[float(data[row] @ data[column])] for row, column in layout.pairs])
        moments = layout.moments(sums, 9)
        whole = np.array([np.ones(9), *unit])
        np.testing.assert_allclose(moments[:, :, 0], whole @ whole.T / 9, atol=1e-9)
        np.testing.assert_allclose(layout.sums(moments, 9), sums, rtol=1e-9)
        assert possible(layout.filled(np.array([moments[pair] for pair in layout.pairs]).round(9))).all()


def test_moments_of_no_law_on_the_square_are_not_possible() -> None:
    """Each breaks one condition: x^2 > x, xy > x, xy < x + y - 1."""
    good = {"x": 0.5, "y": 0.6, "xx": 0.4, "xy": 0.35, "yy": 0.5}
    layout = Layout.of([0, 0], [1, 1])
    for change, fits in [
        ({}, True),
        ({"xx": 0.51}, False),
        ({"xy": 0.51}, False),
        ({"xy": 0.09}, False),
        ({"yy": 0.61}, False),
    ]:
        values = np.array([[{**good, **change}[name]] for name in ("x", "y", "xx", "xy", "yy")])
        assert bool(possible(layout.filled(values))[0]) is fits


def test_factors_are_those_of_numpy_and_matrices_that_are_not_definite_are_named() -> None:
    generator = np.random.default_rng(7)
    half = generator.standard_normal((4, 4, 30))
    matrices = np.einsum("ikc,jkc->ijc", half, half)
    factors, definite = cholesky(matrices)
    assert definite.all()
    expected = np.linalg.cholesky(np.moveaxis(matrices, 2, 0))
    for row, column in itertools.combinations_with_replacement(range(4), 2):
        np.testing.assert_allclose(factors[column, row], expected[:, column, row], rtol=1e-9)
    matrices[2, 2, 7] = -1.0
    assert cholesky(matrices)[1].tolist() == [place != 7 for place in range(30)]


def test_all_draws_are_possible_and_far_noise_finds_no_way_out() -> None:
    seen = np.array([-3.0, 20.0, 15.0, -9.0, 2.0])
    draws = infer_line(
        released(LaplaceNoise(6), seen=seen), WeakLine(), np.random.default_rng(3), chains=30, iterations=15, burn=10
    )
    x, y, xx, xy, yy = draws.sums / COUNT
    assert ((x**2 < xx) & (xx <= x) & (yy <= y) & (xy <= np.minimum(x, y)) & (xy >= np.maximum(x + y - 1, 0))).all()
    intercept, slope = draws.coefficients
    assert (draws.variance + intercept**2 + 2 * intercept * slope * x + slope**2 * xx <= intercept + slope * x + 1e-9).all()


def test_the_same_data_in_another_unit_give_the_same_line() -> None:
    """x between 10 and 30 instead of 0 and 1: the slope is a twentieth, whatever is random being the same."""
    seen = np.array([5.0, 6.0, 2.9, 2.9, 3.6])
    first = infer_line(
        released(GaussianNoise(0.01), seen=seen), generator=np.random.default_rng(4), chains=100, iterations=15, burn=20
    )
    x, y, xx, xy, yy = seen
    moved = [10 * COUNT + 20 * x, y, 100 * COUNT + 400 * x + 400 * xx, 10 * y + 20 * xy, yy]
    other = NoisySums(COUNT, [10, 0], [30, 1], GaussianNoise(0.01), moved)
    second = infer_line(other, generator=np.random.default_rng(4), chains=100, iterations=15, burn=20)
    # Noise of the same size tells more about larger sums, but both tell nearly all.
    assert float(second.coefficients[1].mean()) * 20 == pytest.approx(float(first.coefficients[1].mean()), abs=0.02)
    assert float(second.variance.mean()) == pytest.approx(float(first.variance.mean()), rel=0.1)


def test_without_noise_to_speak_of_the_draws_are_those_of_exact_data() -> None:
    """Flat in the line and in sigma^2, whose mean is R/(n - p - 4) and that of the line least squares."""
    generator = np.random.default_rng(8)
    x1, x2 = generator.random((2, 400))
    y = 0.3 + 0.2 * x1 - 0.1 * x2 + 0.05 * generator.standard_normal(400)
    data = np.array([np.ones(400), x1, x2, y])
    pairs = list(itertools.combinations_with_replacement(range(4), 2))[1:]
    seen = np.array([float(data[row] @ data[column]) for row, column in pairs])
    draws = infer_line(
        released(GaussianNoise(1e-4), 400, 3, seen),
        FlatLine(),
        np.random.default_rng(9),
        chains=200,
        iterations=15,
        burn=25,
    )
    line, rest, *_ = np.linalg.lstsq(data[:3].T, y, rcond=None)
    size = draws.effective_size / 2
    for place, value in enumerate(line):
        assert close(draws.coefficients[place], float(value), size)
    assert close(draws.variance, float(rest[0]) / (400 - 3 - 4), size)


# Bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [FlatLine(1), WeakLine(2, 1), FlatLine("3/2")], ids=str)
def test_a_power_of_one_has_no_posterior(prior: LinePrior) -> None:
    with pytest.raises(InvalidValue, match="infinite mass near sigma"):
        infer_line(released(LaplaceNoise(1)), prior, np.random.default_rng(1))


def test_the_mass_near_a_perfect_line_grows_without_end_for_power_one_only() -> None:
    """The density of R, with all else at rest and sigma^2 summed out, is R^-power near zero."""
    release = released(LaplaceNoise(1))
    for power in (0.0, 0.5, 1.0):
        belief = FlatLine(min(power, 0.5)).belief(2)
        belief = type(belief)(belief.centre, belief.fixed, belief.scaled, power - 1.0, 0.0)
        logs = []
        for rest in (1e-6, 1e-8):
            moments = np.array([0.5, 0.5, 0.35, 0.3, 0.0])
            moments[4] = 0.25 + 0.05**2 / 0.1 + rest
            scatters = np.linspace(-9, 6, 400)
            sums = np.repeat(COUNT * moments[:, None], 400, axis=1)
            place = Place(sums, scatters, np.zeros((2, 400)))
            weighed = LineDensity(release, belief, constrained=False).weigh(place, sums)
            logs.append(float(special.logsumexp(weighed.logs)))
        assert (logs[1] - logs[0]) / math.log(100) == pytest.approx(power, abs=0.01)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": 4}, "need more than 4 records"),
        ({"upper": [1, 0]}, "must be above"),
        ({"seen": [1.0, 2.0]}, "have 5 sums, got 2"),
        ({"seen": [1, 2, 3, 4, math.nan]}, "finite"),
        ({"lower": [0], "upper": [1, 1]}, "as many lower as upper"),
        ({"whole": True, "upper": ["1/2", 1]}, "whole bounds"),
        ({"whole": True, "seen": [1, 2, 3, 4, 5.5]}, "are whole numbers"),
        ({"noise": LaplaceNoise(1e-12)}, "too small to be followed"),
    ],
)
def test_what_cannot_be_followed_is_refused(change: dict[str, object], words: str) -> None:
    given = {"count": 12, "lower": [0, 0], "upper": [1, 1], "noise": LaplaceNoise(1), "seen": [1, 2, 3, 4, 5], **change}
    with pytest.raises(InvalidValue, match=words):
        infer_line(NoisySums(**given))  # type: ignore[arg-type]


def test_a_prior_for_other_coefficients_is_refused() -> None:
    with pytest.raises(InvalidValue, match="speaks of 2 coefficients, and there are 3"):
        infer_line(released(LaplaceNoise(1), columns=3), CONJUGATE)


def test_regressors_may_be_gaussian() -> None:
    """Their mean square is that of a law with the prior's weight, where noise tells nothing."""
    wide = infer_line(
        released(GaussianNoise(1e4)),
        CONJUGATE,
        np.random.default_rng(3),
        design=GaussianDesign(40),
        chains=400,
        iterations=15,
        burn=10,
    )
    flat = infer_line(released(GaussianNoise(1e4)), CONJUGATE, np.random.default_rng(3), chains=400, iterations=15, burn=10)
    spread = [float((draws.sums[2] / COUNT - (draws.sums[0] / COUNT) ** 2).mean()) for draws in (wide, flat)]
    assert spread[0] == pytest.approx(1 / 12, rel=0.25)
    assert spread[0] != pytest.approx(spread[1], rel=0.02)
