"""Posteriors by quadrature: those of slow sums over grids, finer grids change nothing, and moved data are only moved."""

from __future__ import annotations

import numpy as np
import pytest

from accountant import InvalidValue
from accountant_posterior.inference import MomentsRelease
from accountant_posterior.inference.moments import StatedMoments
from accountant_posterior.inference.noise import GaussianNoise, LaplaceNoise
from accountant_posterior.inference.priors import Conjugate, Flat, MomentsPrior
from accountant_posterior.studies.marginals import MarginalLaws
from accountant_posterior.studies.quadrature import Quadrature
from tests.plugins.posterior.inference.moments_grid import Floats, posterior

pytestmark = pytest.mark.slow

FLAT, SURE = Flat(), Conjugate("1/8", "361/250000", 1, 1)


@pytest.mark.parametrize(
    ("prior", "written", "constrained"),
    [(FLAT, None, True), (FLAT, None, False), (SURE, (0.125, 0.001444, 1.0, 1.0), True)],
    ids=["flat", "flat, unconstrained", "conjugate"],
)
@pytest.mark.parametrize("seen", [(0.343, 0.4716**2), (0.05, -0.02), (0.9, 0.05)], ids=["large", "negative", "high"])
def test_readings_are_those_of_slow_sums(
    prior: MomentsPrior, written: tuple[float, float, float, float] | None, constrained: bool, seen: tuple[float, float]
) -> None:
    quadrature = Quadrature(MomentsRelease(43, 0, 1, "1/4", "1/4"), prior, constrained)
    found = quadrature.readings(np.array([seen[0]]), np.array([seen[1]]), 0.95)
    grid = posterior(*seen, count=43, epsilons=(0.25, 0.25), conjugate=written, constrained=constrained)
    masses = grid.masses.sum(axis=1)
    low, high = _shortest(grid.means, masses)
    step = grid.means[1] - grid.means[0]
    assert found[0].mean[0] == pytest.approx(float(masses @ grid.means), abs=0.004)
    inside = (grid.means >= found[0].low[0]) & (grid.means <= found[0].high[0])
    assert float(masses[inside].sum()) == pytest.approx(0.95, abs=0.01)
    assert found[0].high[0] - found[0].low[0] == pytest.approx(high - low, abs=2 * step + 0.004)
    variances = grid.masses.sum(axis=0)
    assert found[1].mean[0] == pytest.approx(float(variances @ grid.deviations**2), rel=0.02, abs=1e-4)


def _shortest(places: Floats, masses: Floats) -> tuple[float, float]:
    """The shortest run of places that holds 95 % of the mass."""
    below = np.concatenate([[0.0], np.cumsum(masses)])
    runs = []
    for first in range(len(places)):
        last = int(np.searchsorted(below, below[first] + 0.95))
        if last < len(below):
            runs.append((float(places[last - 1] - places[first]), float(places[first]), float(places[last - 1])))
    return min(runs)[1:]


@pytest.mark.parametrize(("count", "epsilon"), [(10, "1"), (100, "1/10"), (1000, "1"), (20_000, "1/10")])
@pytest.mark.parametrize("constrained", [True, False])
def test_finer_grids_hardly_move_an_interval(count: int, epsilon: str, constrained: bool) -> None:
    release = MomentsRelease(count, 0, 1, epsilon, epsilon)
    generator = np.random.default_rng(1)
    scale = 1 / (count * float(release.mean_epsilon))
    means, variances = 0.1 + generator.laplace(0, scale, 8), 0.0016 + generator.laplace(0, scale, 8)
    usual, fine = (Quadrature(release, FLAT, constrained, times).readings(means, variances, 0.95)[0] for times in (1, 2))
    length = fine.high - fine.low
    assert (np.abs(usual.low - fine.low) < 0.03 * length).all()
    assert (np.abs(usual.high - fine.high) < 0.03 * length).all()
    assert (np.abs(usual.mean - fine.mean) < 0.01 * length).all()


def test_each_release_is_read_by_itself_whatever_stands_beside_it() -> None:
    """Bundles share grids; what is read is put back in the order in which it came."""
    quadrature = Quadrature(MomentsRelease(50, 0, 1, "1/2", "1/2"), FLAT, True)
    means, variances = np.array([0.9, 0.1, 0.5]), np.array([0.02, 0.1, -0.01])
    together = quadrature.readings(means, variances, 0.9)
    for place in range(3):
        alone = quadrature.readings(means[place : place + 1], variances[place : place + 1], 0.9)
        for whole, single in zip(together, alone, strict=True):
            length = single.high[0] - single.low[0]
            assert whole.low[place] == pytest.approx(single.low[0], abs=0.02 * length)
            assert whole.mean[place] == pytest.approx(single.mean[0], abs=0.01 * length)


def test_the_shortest_interval_of_an_exponential_law_starts_at_its_edge() -> None:
    edges = np.linspace(0.0, 20.0, 4001)
    laws = MarginalLaws(edges, np.exp(-0.5 * (edges[1:] + edges[:-1]))[np.newaxis, :], np.array([3.0]))
    found = laws.readings(0.95)
    assert found.low[0] == pytest.approx(3.0, abs=1e-9)
    assert found.high[0] == pytest.approx(3.0 - np.log(0.05), abs=0.01)
    assert found.mean[0] == pytest.approx(4.0, abs=0.01)


def test_of_intervals_that_are_as_short_the_middle_one_is_taken() -> None:
    """Both tails of a symmetric law of few cells have one density each: many intervals of 95 % are as short."""
    law = MarginalLaws(np.array([-3.0, -1.0, 1.0, 3.0]), np.array([[0.2, 1.0, 0.2]]), np.zeros(1))
    found = law.readings(0.95)
    assert found.low[0] == pytest.approx(-found.high[0], abs=1e-12)
    # Rounding, which differs from machine to machine, decides nothing.
    for number in range(5):
        shaken = law.density * (1.0 + 1e-15 * np.random.default_rng(number).standard_normal(3))
        other = MarginalLaws(law.edges, shaken, law.moved).readings(0.95)
        assert (other.low[0], other.high[0]) == pytest.approx((found.low[0], found.high[0]), abs=1e-9)


def test_what_cannot_be_integrated_is_refused() -> None:
    with pytest.raises(InvalidValue, match="infinite mass"):
        Quadrature(MomentsRelease(50, 0, 1, 1, 1), Flat(1), True)
    with pytest.raises(InvalidValue, match="must stay below 2"):
        Quadrature(MomentsRelease(50, 0, 1, 1, 2), FLAT, True)
    noise = LaplaceNoise(0.1), GaussianNoise(0.1)
    with pytest.raises(InvalidValue, match="Laplace noise"):
        Quadrature(StatedMoments(50, 0, 1, *noise), FLAT, True)
