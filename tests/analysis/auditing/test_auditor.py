"""Audits are right as often as they say, come close to what a mechanism loses, and see errors that are planted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from attrs import frozen
from numpy.random import Generator

from accountant import Auditor, Finding, InvalidValue, PluginError
from accountant.analysis.auditing import simulation
from accountant.analysis.auditing.binomial import chance_at_least
from accountant.analysis.auditing.score import LearnedScore
from accountant.analysis.auditing.simulation import Experiment, contrasts
from accountant.finite import TableMechanism
from accountant.loss import Floats
from accountant.plugin import Contrasted, Shift, Simulated
from accountant_builtin.samplings import Poisson
from accountant_builtin.steps import NonPrivate, NoOperation
from accountant_noise import DiscreteGaussian, Gaussian, Laplace
from accountant_response import RandomisedResponse

pytestmark = pytest.mark.slow

ONE = Shift.along([1])


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Where the closed form of Gaussian noise meets delta, solved in 30 digits."""
    with mpmath.workdps(30):
        curve = lambda e: mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)  # noqa: E731
        return float(mpmath.findroot(lambda e: curve(e) - delta, mu))


# Coverage ------------------------------------------------------------------------------------------------------------

SEEDS = 200
UNLIKELY = 1e-4


def excess(auditors: Iterable[Auditor], mechanism: Simulated, truth: float) -> float:
    """How often bounds exceed the truth, surely at least."""
    return chance_at_least(sum(a.examine(mechanism, ONE).epsilon > truth for a in auditors), SEEDS, UNLIKELY)


class WithoutConfidence(Auditor):
    """Planted: the estimate itself, taken for a bound."""

    def bound(self, likely: int, unlikely: int) -> float:
        return math.log((likely / self.samples - float(self.delta)) / (unlikely / self.samples))


@frozen
class Oblivious:
    """A mechanism that does not look at the answers."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return generator.random(answers.shape)


class CountsTheRunsThatTaught(Auditor):
    """Planted: the score is learned from the runs that are counted."""

    def examine(self, mechanism: Simulated, shift: Shift, **_: object) -> Finding:
        (contrast,) = contrasts(mechanism, shift)
        outputs = next(Experiment(mechanism, contrast).outputs(self.samples, np.random.default_rng(self.seed)))
        score = LearnedScore.of(*outputs)
        alarms, hits = (int(np.count_nonzero(score(side) > 0.0)) for side in outputs)
        return Finding(self.bound(hits, alarms), "", (hits, alarms), self.samples)


@pytest.mark.parametrize(
    ("mechanism", "delta", "truth"),
    [(RandomisedResponse(1), "0", 1.0), (Gaussian(1), "0.1", gaussian_epsilon(1.0, 0.1)), (Oblivious(), "0", 0.0)],
    ids=["response", "gaussian", "oblivious"],
)
def test_bounds_exceed_the_truth_at_most_as_often_as_the_confidence_allows(
    mechanism: Simulated, delta: str, truth: float
) -> None:
    assert excess((Auditor(delta, 1000, "0.8", seed) for seed in range(SEEDS)), mechanism, truth) <= 0.2


def test_an_estimate_without_confidence_exceeds_the_truth_too_often() -> None:
    assert excess((WithoutConfidence("0", 1000, "0.8", seed) for seed in range(SEEDS)), RandomisedResponse(1), 1.0) > 0.2


def test_counting_the_runs_that_taught_the_score_exceeds_the_truth_too_often() -> None:
    assert excess((CountsTheRunsThatTaught("0", 1000, "0.8", seed) for seed in range(SEEDS)), Oblivious(), 0.0) > 0.2


# Closeness -----------------------------------------------------------------------------------------------------------

MANY = 10**6


@pytest.mark.parametrize(
    ("mechanism", "shift", "delta", "truth"),
    [
        (Laplace(1), ONE, "0", 1.0),
        (Laplace(1), ONE, "1e-6", 1.0),
        (Laplace(3), Shift.along([1, -2]), "1e-6", 1.0),
        (RandomisedResponse(1), ONE, "0", 1.0),
        (RandomisedResponse(1), ONE, "1e-6", 1.0),
        (RandomisedResponse("1/2"), Shift.along([1, -1]), "0", 1.0),
        (TableMechanism([["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"], ["1/6", "1/2", "1/3"]]), ONE, "0", math.log(3)),
    ],
    ids=["laplace", "laplace, delta", "laplace on two", "response", "response, delta", "response on two", "table"],
)
def test_a_million_runs_come_within_four_percent_of_a_pure_loss(
    mechanism: Simulated, shift: Shift, delta: str, truth: float
) -> None:
    found = Auditor(delta, MANY).examine(mechanism, shift)
    assert 0.96 * truth <= found.epsilon <= truth


def test_a_million_runs_come_close_to_gaussian_noise_where_delta_is_not_rare() -> None:
    truth = gaussian_epsilon(1.0, 0.01)
    assert 0.94 * truth <= Auditor("0.01", MANY).examine(Gaussian(1), ONE).epsilon <= truth
    together = gaussian_epsilon(math.sqrt(3) / 2, 0.01)
    assert 0.94 * together <= Auditor("0.01", MANY).examine(Gaussian(2), Shift.along([1, -1, 1])).epsilon <= together


def test_discrete_gaussian_noise_loses_what_its_lattice_says() -> None:
    """The best event is noise from some place on; with variance 1 and delta 0.01 it is 2 and more, summed here."""
    weights = [math.exp(-k * k / 2) for k in range(-40, 41)]
    above = {start: sum(weights[start + 40 :]) / sum(weights) for start in range(1, 4)}
    truth = max(math.log((above[start] - 0.01) / above[start + 1]) for start in range(1, 3))
    assert 0.95 * truth <= Auditor("0.01", MANY).examine(DiscreteGaussian(sigma=1), ONE).epsilon <= truth


@pytest.mark.parametrize(("rate", "truth"), [("1/2", math.log(0.5 + 0.5 * math.e)), ("1", 1.0)])
def test_a_sample_is_audited_as_a_sample(rate: str, truth: float) -> None:
    found = Auditor("0", MANY).examine(Laplace(1), ONE, sampling=Poisson(rate))
    assert 0.94 * truth <= found.epsilon <= truth


def test_nothing_is_found_where_nothing_is_lost_and_much_where_all_is() -> None:
    assert Auditor().examine(NoOperation(), ONE).epsilon == 0.0
    assert Auditor().examine(NonPrivate(), ONE).epsilon > 11


# Scores --------------------------------------------------------------------------------------------------------------


@frozen
class BlackBox:
    """A mechanism that can be run and says nothing else."""

    inside: Simulated

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return self.inside.simulate(answers, generator)


@frozen
class Misleading(BlackBox):
    """A mechanism whose own score knows nothing."""

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        return np.full(len(outputs), np.nan)


@pytest.mark.parametrize("box", [BlackBox, Misleading])
@pytest.mark.parametrize(
    ("inside", "shift", "truth"),
    [(Laplace(1), ONE, 1.0), (RandomisedResponse("1/2"), Shift.along([1, -1]), 1.0)],
    ids=["laplace", "response on two"],
)
def test_a_score_is_learned_where_the_mechanism_gives_none_or_a_useless_one(
    box: type[BlackBox], inside: Simulated, shift: Shift, truth: float
) -> None:
    found = Auditor("0", MANY).examine(box(inside), shift)
    assert 0.93 * truth <= found.epsilon <= truth
    assert found.event.startswith("learned")


@frozen
class CutOff(Laplace):
    """Planted: noise that is drawn again until it is small. Its own log ratio is that of whole Laplace noise."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        reach = 3.0 * float(self.scale)
        shares = generator.uniform(-1.0, 1.0, answers.shape) * -math.expm1(-3.0)
        return answers + np.clip(-np.sign(shares) * float(self.scale) * np.log1p(-abs(shares)), -reach, reach)


def test_noise_that_is_cut_off_is_found_though_its_own_score_does_not_see_it() -> None:
    found = Auditor(samples=20_000).examine(CutOff(1), ONE)
    assert found.epsilon > 3
    assert found.event.startswith("learned")


def test_rounding_does_not_split_the_atom_of_the_loss() -> None:
    """With noise of scale 1/10 around thousands, the top of the loss is many doubles that are all but equal."""
    moved = Shift.along(["1/10"])

    @frozen
    class FarAway(Laplace):
        def contrasts(self, shift: Shift) -> list[tuple[Floats, Floats]]:
            return [(np.array([4096.0]), np.array([4096.1]))]

    far, near = (Auditor("0", 100_000).examine(kind("1/10"), moved) for kind in (FarAway, Laplace))
    assert min(far.seen) > 15_000
    assert far.epsilon == pytest.approx(near.epsilon, rel=0.05)


# How it is run -------------------------------------------------------------------------------------------------------


def test_equal_seeds_give_equal_findings_and_streams_differ() -> None:
    auditor = Auditor(samples=5000, seed=7)
    assert auditor.examine(Gaussian(1), ONE) == auditor.examine(Gaussian(1), ONE)
    assert auditor.examine(Gaussian(1), ONE) != auditor.examine(Gaussian(1), ONE, stream=1)
    assert auditor.examine(Gaussian(1), ONE) != Auditor(samples=5000, seed=8).examine(Gaussian(1), ONE)


def test_runs_in_small_blocks_are_counted_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_BLOCK", 700)
    found = Auditor("0", 5001).examine(NonPrivate(), Shift.along([1, 1]))
    assert (found.seen, found.runs) == ((5001, 0), 5001)


def test_answers_rise_from_nothing_and_fall_to_it() -> None:
    ((first, second),) = contrasts(Laplace(1), Shift.along([2, -3]))
    assert (first.tolist(), second.tolist()) == ([3.0, 0.0], [0.0, 2.0])


@pytest.mark.parametrize(
    ("l1", "l2_squared", "linf", "moved"), [(3, 3, 1, [1, 1, 1]), (4, 5, 2, [2]), (6, 9, "3/2", [1.5] * 4)]
)
def test_where_only_norms_are_known_as_many_coordinates_move_as_fit(
    l1: int, l2_squared: int, linf: int | str, moved: list[float]
) -> None:
    shift = Shift(Fraction(l1), Fraction(l2_squared), Fraction(linf))
    ((first, second),) = contrasts(Laplace(1), shift)
    assert (first.tolist(), second.tolist()) == ([0.0] * len(moved), moved)
    reached = Shift.along(moved)
    assert (reached.l1 <= shift.l1, reached.l2_squared <= shift.l2_squared, reached.linf <= shift.linf) == (True,) * 3
    loss = Laplace(1).loss(shift)
    assert Auditor(samples=20_000).examine(Laplace(1), shift).epsilon <= loss.epsilon("1e-6").upper


def test_all_pairs_of_a_small_table_are_tried() -> None:
    rows = [["1/2", "1/2"], ["1/2", "1/2"], ["1/4", "3/4"]]
    table = TableMechanism(rows)
    assert isinstance(table, Contrasted)
    assert len(contrasts(table, ONE)) == 6
    assert 0.9 * math.log(2) <= Auditor("0", 100_000).examine(table, ONE).epsilon <= math.log(2)


def test_outputs_that_cannot_happen_are_told_apart_for_certain() -> None:
    table = TableMechanism([["1/3", "2/3", "0"], ["1/3", "0", "2/3"]])
    assert Auditor("0", 100_000).examine(table, ONE).epsilon > 8


class Forgetful(Laplace):
    """A mechanism that returns too few outputs."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers[1:]


class Unscored(Laplace):
    """A mechanism that returns one number for all outputs."""

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        return np.ones(1)


class Uncontrasted(Laplace):
    """A mechanism that has nothing to compare."""

    def contrasts(self, shift: Shift) -> list[tuple[Floats, Floats]]:
        return []


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (Forgetful(1), r"Forgetful\.simulate must return one row of outputs for each row of answers"),
        (Unscored(1), r"Unscored\.log_ratio must return one number for each row of outputs"),
        (Uncontrasted(1), r"Uncontrasted\.contrasts must return at least one pair"),
    ],
    ids=["simulate", "log_ratio", "contrasts"],
)
def test_a_mechanism_that_does_not_answer_as_asked_is_refused(mechanism: Simulated, words: str) -> None:
    with pytest.raises(PluginError, match=words):
        Auditor(samples=1000).examine(mechanism, ONE)


@pytest.mark.parametrize(
    "settings",
    [
        {"delta": "1"},
        {"delta": "-1e-6"},
        {"samples": 999},
        {"samples": "1e10"},
        {"samples": "1000.5"},
        {"confidence": "1"},
        {"confidence": "0.49"},
        {"seed": -1},
        {"seed": "1/2"},
        {"seed": True},
    ],
    ids=str,
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(InvalidValue):
        Auditor(**settings)  # type: ignore[arg-type]
