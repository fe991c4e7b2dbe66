"""Releasing the noisy counts and the public ones apart is never worse than releasing their projection."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant.finite import FiniteMechanism
from accountant_pufferfish import Law, PublicVariable
from accountant_pufferfish.inference import Counts, Experiment, FiniteModel, projected


@st.composite
def laws(draw: st.DrawFn, outcomes: range) -> dict[int, Fraction]:
    weights = draw(
        st.lists(st.integers(0, 4), min_size=len(outcomes), max_size=len(outcomes)).filter(lambda found: sum(found) > 0)
    )
    return {outcome: Fraction(weight, sum(weights)) for outcome, weight in zip(outcomes, weights, strict=True)}


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    parameters, datasets, outputs = range(3), range(4), range(4)
    model = FiniteModel(
        draw(laws(parameters)),
        {parameter: draw(laws(datasets)) for parameter in parameters},
        PublicVariable("parity", lambda x: x % 2),
    )
    return model.experiment(FiniteMechanism({x: draw(laws(outputs)) for x in datasets}))


@settings(deadline=None, max_examples=60)
@given(experiments(), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_post_processing_never_lowers_the_risk(experiment: Experiment, images: list[int]) -> None:
    """Any function of the release and the public variable: a projection is one."""
    coarse = experiment.coarsened(lambda seen: images[2 * seen[0] + seen[1]])
    assert experiment.expected_variance() <= coarse.expected_variance()
    wrong = experiment.risk(lambda theta, guess: int(theta != guess), range(3))
    assert wrong <= coarse.risk(lambda theta, guess: int(theta != guess), range(3))
    absolute = experiment.risk(lambda theta, guess: abs(theta - guess), range(3))
    assert absolute <= coarse.risk(lambda theta, guess: abs(theta - guess), range(3))


def separation(experiment: Experiment, ratio: Fraction) -> Fraction:
    """How much a test gains that rejects where parameter 1 is more than so many times as likely as parameter 0."""
    masses: dict[object, list[Fraction]] = {}
    for (parameter, seen), mass in experiment.joint.items():
        masses.setdefault(seen, [Fraction(0), Fraction(0), Fraction(0)])[parameter] += mass
    return sum((max(one - ratio * zero, Fraction(0)) for zero, one, _ in masses.values()), Fraction(0))


@settings(deadline=None, max_examples=30)
@given(experiments(), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_post_processing_makes_no_test_more_powerful(experiment: Experiment, images: list[int]) -> None:
    coarse = experiment.coarsened(lambda seen: images[2 * seen[0] + seen[1]])
    for ratio in (Fraction(1, 3), Fraction(1), Fraction(5, 2)):
        assert separation(coarse, ratio) <= separation(experiment, ratio)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_the_posterior_is_that_of_the_joint_law_also_with_a_noisy_public_variable(data: st.DataObject) -> None:
    parameters, datasets, outputs = range(3), range(3), range(3)
    shown = {x: Law(data.draw(laws(range(2)))) for x in datasets}
    model = FiniteModel(
        data.draw(laws(parameters)),
        {parameter: data.draw(laws(datasets)) for parameter in parameters},
        PublicVariable("noisy parity", shown.__getitem__),
    )
    release = FiniteMechanism({x: data.draw(laws(outputs)) for x in datasets})
    experiment = model.experiment(release)
    for y, z in {seen for _, seen in experiment.joint}:
        found = model.posterior(lambda x, y=y: release.law(x).get(y, 0), z)
        weights = {
            theta: sum(
                model.prior[theta] * model.data[theta][x] * shown[x][z] * release.law(x).get(y, Fraction(0))
                for x in datasets
            )
            for theta in parameters
        }
        wanted = {theta: weight / sum(weights.values()) for theta, weight in weights.items() if weight}
        assert dict(found) == dict(experiment.posterior((y, z))) == wanted


@settings(deadline=None, max_examples=30)
@given(experiments())
def test_the_expected_variance_is_the_risk_of_the_posterior_mean(experiment: Experiment) -> None:
    chances: dict[object, Fraction] = {}
    for (_, seen), chance in experiment.joint.items():
        chances[seen] = chances.get(seen, Fraction(0)) + chance
    risk = Fraction(0)
    for seen, chance in chances.items():
        if chance:
            posterior = experiment.posterior(seen)
            mean = sum(theta * share for theta, share in posterior.items())
            risk += chance * sum(share * (theta - mean) ** 2 for theta, share in posterior.items())
    assert experiment.expected_variance() == risk


RATIO = Fraction(1, 2)


def noisy(x: int, low: int, high: int) -> dict[int, Fraction]:
    """Geometric noise of ratio 1/2 on whole numbers, with what falls outside gathered at the ends."""
    inside = {y: (1 - RATIO) / (1 + RATIO) * RATIO ** abs(y - x) for y in range(low + 1, high)}
    return {low: RATIO ** (x - low) / (1 + RATIO), **inside, high: RATIO ** (high - x) / (1 + RATIO)}


def binomial(rate: Fraction) -> dict[int, Fraction]:
    return {k: math.comb(3, k) * rate**k * (1 - rate) ** (3 - k) for k in range(4)}


RATES = (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5))
PRIOR = Law.uniform(RATES)


def test_clamping_geometric_noise_to_the_public_range_loses_nothing() -> None:
    """Beyond the range all likelihoods keep their proportions, so equality holds and no strict gain may be promised."""
    model = FiniteModel(PRIOR, {rate: binomial(rate) for rate in RATES}, PublicVariable("the range", lambda x: "0 to 3"))
    experiment = model.experiment(FiniteMechanism({x: noisy(x, -12, 15) for x in range(4)}))
    clamped = experiment.coarsened(lambda seen: min(max(seen[0], 0), 3))
    assert clamped.expected_variance() == experiment.expected_variance()
    assert clamped.risk(lambda theta, guess: int(theta != guess), RATES) == experiment.risk(
        lambda theta, guess: int(theta != guess), RATES
    )
    for beyond in range(3, 15):
        assert experiment.posterior((beyond, "0 to 3")) == clamped.posterior(3)


def test_clamping_to_less_than_the_range_loses_something() -> None:
    model = FiniteModel(PRIOR, {rate: binomial(rate) for rate in RATES}, PublicVariable("the range", lambda x: "0 to 3"))
    experiment = model.experiment(FiniteMechanism({x: noisy(x, -12, 15) for x in range(4)}))
    clamped = experiment.coarsened(lambda seen: min(max(seen[0], 0), 2))
    assert clamped.expected_variance() > experiment.expected_variance()


TOTAL = PublicVariable("total", sum)


def split() -> tuple[FiniteModel, FiniteMechanism]:
    """Two cells; each of three cases falls into the first with chance theta, and the total is public."""
    tables = [(k, 3 - k) for k in range(4)]
    model = FiniteModel(PRIOR, {rate: dict(zip(tables, binomial(rate).values(), strict=True)) for rate in RATES}, TOTAL)
    noise = {x: noisy(x, -8, 11) for x in range(4)}
    return model, FiniteMechanism(
        {
            table: {(a, b): noise[table[0]][a] * noise[table[1]][b] for a, b in itertools.product(range(-8, 12), repeat=2)}
            for table in tables
        }
    )


def test_projecting_onto_a_public_total_loses_something() -> None:
    """What two cells say together beyond their difference is lost."""
    model, release = split()
    experiment = model.experiment(release)
    released = experiment.coarsened(lambda seen: projected(Counts(seen[0], (0, 0)), seen[1]).cases)
    assert experiment.expected_variance() < released.expected_variance()
    assert experiment.risk(lambda theta, guess: int(theta != guess), RATES) < released.risk(
        lambda theta, guess: int(theta != guess), RATES
    )


def test_an_observation_that_cannot_happen_is_refused() -> None:
    model, release = split()
    with pytest.raises(InvalidValue, match="nobody can observe"):
        model.experiment(release).posterior("something else")
    with pytest.raises(InvalidValue, match="at least one decision"):
        model.experiment(release).risk(lambda theta, guess: 0, ())
