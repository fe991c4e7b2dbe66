"""What mechanisms draw has the law that they claim: every frequency allows for its exact chance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from accountant.analysis.auditing.binomial import chance_at_least, chance_at_most
from accountant.finite import TableMechanism
from accountant.loss import Floats
from accountant.plugin import Scored, Simulated
from accountant_builtin.samplings import Poisson
from accountant_noise import DiscreteGaussian, Gaussian, Laplace
from accountant_response import RandomisedResponse

RUNS = 400_000
UNLIKELY = 1e-9


def drawn(mechanism: Simulated, answers: Sequence[float], seed: int = 0) -> Floats:
    rows = np.broadcast_to(np.array(answers, dtype=float), (RUNS, len(answers)))
    return mechanism.simulate(rows, np.random.default_rng(seed))


def improbable(chance: float, events: int) -> bool:
    """Whether so many events in all runs all but exclude a chance."""
    return not chance_at_least(events, RUNS, UNLIKELY) <= chance <= chance_at_most(events, RUNS, UNLIKELY)


def deviations(chances: Mapping[float, float], outputs: Floats) -> list[float]:
    """The outcomes whose frequency excludes their chance."""
    return [place for place, chance in chances.items() if improbable(chance, int(np.count_nonzero(outputs == place)))]


def lattice(variance: str) -> dict[int, float]:
    """P(noise <= k) of the discrete Gaussian at some places, in 30 digits."""
    with mpmath.workdps(30):
        number = mpmath.mpf(Fraction(variance).numerator) / Fraction(variance).denominator
        reach = math.ceil(5 * math.sqrt(number))
        weights = [mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * number)) for k in range(-3 * reach, 3 * reach + 1)]
        sums = list(itertools.accumulate(weights))
        return {k: float(sums[k + 3 * reach] / sums[-1]) for k in range(-reach, reach + 1, 1 + reach // 20)}


def misfits(variance: str, noise: Floats) -> list[int]:
    """The places up to which noise falls too often or too rarely."""
    return [k for k, chance in lattice(variance).items() if improbable(chance, int(np.count_nonzero(noise <= k)))]


@pytest.mark.parametrize("variance", ["1/9", "1", "5/2", "30", "1000"])
def test_discrete_gaussian_noise_has_the_chances_of_its_lattice(variance: str) -> None:
    outputs = drawn(DiscreteGaussian(variance=variance), [7.0])
    assert misfits(variance, outputs - 7.0) == []
    assert np.array_equal(outputs, np.round(outputs))


def test_another_variance_is_noticed() -> None:
    assert misfits("31.5", drawn(DiscreteGaussian(variance=30), [0.0])) != []


@pytest.mark.parametrize(
    ("mechanism", "cumulative"),
    [
        (Laplace(2), lambda x: 0.5 * math.exp(x / 2) if x < 0 else 1 - 0.5 * math.exp(-x / 2)),
        (Gaussian(2), lambda x: float(mpmath.ncdf(x / 2))),
    ],
    ids=["laplace", "gaussian"],
)
def test_continuous_noise_has_its_distribution_function(mechanism: Simulated, cumulative: object) -> None:
    outputs = drawn(mechanism, [10.0, -3.0]) - [10.0, -3.0]
    for column in outputs.T:
        for x in (-9.0, -4.0, -1.0, 0.0, 0.5, 3.0, 8.0):
            assert not improbable(cumulative(x), int(np.count_nonzero(column <= x)))  # type: ignore[operator]
    both = int(np.count_nonzero((outputs <= 0.0).all(axis=1)))
    assert not improbable(0.25, both), "coordinates must be independent"


def test_answers_are_kept_with_the_odds_that_randomised_response_says() -> None:
    outputs = drawn(RandomisedResponse("1/2"), [0.0, 1.0])
    kept = math.exp(0.5) / (1 + math.exp(0.5))
    assert deviations({0.0: kept, 1.0: 1 - kept}, outputs[:, 0]) == []
    assert deviations({1.0: kept, 0.0: 1 - kept}, outputs[:, 1]) == []


def test_a_table_draws_its_rows_and_never_what_cannot_happen() -> None:
    table = TableMechanism([["1/10", "2/10", "7/10", "0"], ["0", "1/3", "1/3", "1/3"]])
    for row, chances in enumerate(table.rows):
        outputs = drawn(table, [float(row)])
        assert deviations({float(k): float(chance) for k, chance in enumerate(chances)}, outputs) == []
        assert set(np.unique(outputs)) == {float(k) for k, chance in enumerate(chances) if chance}


def test_a_table_draws_each_answer_of_mixed_rows_from_its_own_row() -> None:
    answers = np.array([[0.0], [1.0], [0.0], [1.0]])
    table = TableMechanism([["1", "0"], ["0", "1"]])
    assert table.simulate(answers, np.random.default_rng(0)).tolist() == [0.0, 1.0, 0.0, 1.0]


def test_a_poisson_sample_has_the_record_as_often_as_its_rate() -> None:
    without, present = Poisson("1/5").seen((np.zeros(2), np.array([1.0, 2.0])), RUNS, np.random.default_rng(0))
    assert without.shape == present.shape == (RUNS, 2)
    assert not without.any()
    assert not improbable(0.2, int(np.count_nonzero(present[:, 0])))
    assert np.array_equal(present[:, 1], 2.0 * present[:, 0])


def test_log_ratios_are_those_of_the_densities() -> None:
    outputs = np.array([[-1.5, 0.25], [0.5, 2.0], [3.0, -4.0]])
    first, second = np.array([0.0, 1.0]), np.array([1.0, 0.0])

    def ratios(log_density: object) -> list[float]:
        density = log_density
        return [
            sum(density(x - b) - density(x - a) for x, a, b in zip(row, first, second, strict=True))  # type: ignore[operator]
            for row in outputs
        ]

    def check(mechanism: Scored, expected: list[float]) -> None:
        assert mechanism.log_ratio(outputs, first, second) == pytest.approx(expected, rel=1e-12)

    check(Laplace("2"), ratios(lambda z: -abs(z) / 2))
    check(Gaussian("3"), ratios(lambda z: -z * z / 18))
    check(DiscreteGaussian(variance="5"), ratios(lambda z: -z * z / 10))


def test_log_ratios_of_answers_are_those_of_their_chances() -> None:
    answers = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    first, second = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert RandomisedResponse("1/2").log_ratio(answers, first, second) == pytest.approx([0.0, -1.0, 1.0, 0.0])
    table = TableMechanism([["1/2", "1/4", "1/4"], ["1/8", "3/4", "1/8"]])
    found = table.log_ratio(np.array([[0.0], [1.0], [2.0]]), np.array([0.0]), np.array([1.0]))
    assert found == pytest.approx([math.log(1 / 4), math.log(3), math.log(1 / 2)])
