"""Training runs, by the words that are usual there, against plans that say the same and formulas of others."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest

import accountant as ac
from accountant import InvalidValue, PluginError, Registry, account, calibrate, dp_sgd

RUN: dict[str, Any] = {"noise_multiplier": "1.1", "sample_rate": "1/100", "steps": 50}


def test_a_run_is_the_plan_that_says_the_same() -> None:
    release = ac.Gaussian(sigma="1.1").on(ac.Gradient(norm=1)).sampled(ac.Poisson(rate="1/100")).repeated(50)
    stated = ac.Plan.of(release.named("training"), neighbours="add-remove", unit="example", title="DP-SGD")
    assert dp_sgd(**RUN).plan == stated


@pytest.mark.parametrize("norm", ["1/10", "1", "37"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_clipping_norm_does_not_matter_where_noise_is_a_multiple_of_it(norm: str, neighbours: str) -> None:
    sigma = Fraction("1.1") * Fraction(norm)
    release = ac.Gaussian(sigma=sigma).on(ac.Gradient(norm=norm)).sampled(ac.Poisson(rate="1/100")).repeated(50)
    same = account([release], neighbours=neighbours)
    assert same.epsilon(delta="1e-5") == dp_sgd(**RUN, neighbours=neighbours).epsilon(delta="1e-5")


def test_one_step_is_the_hockey_stick_of_two_mixtures_in_long_arithmetic() -> None:
    """Between added and between replaced examples: the three means are 0, 1 and -1 multiples of the clipping norm.

    Of such mixtures the ratio grows with the outcome, so that the worst event begins, or ends, where it is e^epsilon.
    """
    rate, sigma, epsilon = mpmath.mpf(1) / 10, mpmath.mpf(2), mpmath.mpf(1) / 20

    def mixed(function: Any, x: Any, mean: int) -> Any:
        return (1 - rate) * function(x, 0, sigma) + rate * function(x, mean, sigma)

    def stick(high: int, low: int, order: int) -> Any:
        """Of the first law against the second, or in the other order, where the events lie at the other end."""
        ratio = lambda x: mpmath.log(mixed(mpmath.npdf, x, high) / mixed(mpmath.npdf, x, low)) - order * epsilon  # noqa: E731
        place = mpmath.findroot(ratio, (-30, 30), solver="bisect", maxsteps=400)
        first, second = (1 - mixed(mpmath.ncdf, place, mean) for mean in (high, low))
        return first - mpmath.exp(epsilon) * second if order > 0 else (1 - second) - mpmath.exp(epsilon) * (1 - first)

    for neighbours, means in {"add-remove": (1, 0), "replace-one": (1, -1)}.items():
        run = dp_sgd(noise_multiplier=2, sample_rate="1/10", steps=1, neighbours=neighbours)
        truth, found = max(stick(*means, 1), stick(*means, -1)), run.delta(epsilon="1/20")
        assert found.lower <= truth <= found.upper
        assert math.isclose(found.lower, found.upper, rel_tol=1e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"noise_multiplier": 0}, "noise_multiplier must be above 0, got 0"),
        ({"noise_multiplier": "a lot"}, "noise_multiplier: 'a lot' is not a finite number"),
        ({"sample_rate": 0}, "sample_rate must be above 0, got 0"),
        ({"sample_rate": 256}, 'at most 1, got 256; give the batch over the number of examples, such as "256/60000"'),
        ({"sample_rate": None}, "sample_rate: expected a number, got nothing"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"steps": "2.5"}, "steps: expected a whole number, got 2.5; the number of epochs over the sample rate"),
        ({"neighbours": "add-remov"}, "unknown neighbour relation 'add-remov'; did you mean 'add-remove'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_same_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ac.AccountantError, match=words):
        dp_sgd(**{**RUN, **change})


def test_where_the_noise_of_training_is_not_installed_that_is_told() -> None:
    with pytest.raises(PluginError, match="of all mechanisms one must be that of DP-SGD"):
        dp_sgd(**RUN, registry=Registry.load(disabled=["noise"]))


@pytest.mark.slow
def test_the_least_noise_keeps_what_was_asked_and_a_little_less_does_not() -> None:
    run = dp_sgd(noise_multiplier="1", sample_rate="1/50", steps=200)
    for parameter in ({"epsilon": "1", "delta": "1e-5"}, {"rho": "10"}):
        least = calibrate(run, **parameter)
        (budget,) = least.plan.specification.budgets
        assert least.check(budget)[1] is ac.Verdict.IMPLIED
        assert ac.certify(least).kept
        less = ac.calibrate(run.plan, **parameter).less
        assert less == least.less < least.factor
        assert account(less_noise(run, less)).check(budget)[1] is not ac.Verdict.IMPLIED
        assert least.noise == {"training": {"sigma": least.factor}}
    assert run == dp_sgd(noise_multiplier="1", sample_rate="1/50", steps=200)


def less_noise(run: ac.Account, factor: Fraction) -> ac.Plan:
    (release,) = run.plan.releases
    scaled = release.mechanism.scaled(factor)
    assert scaled is not None
    return ac.Plan.of(
        scaled.on(release.query).sampled(release.sampling).repeated(release.times),  # type: ignore[arg-type]
        neighbours="add-remove",
    )


def test_a_plan_with_budgets_is_calibrated_to_these() -> None:
    budget = ac.Budget.of("zcdp", rho="1/8")
    plan = ac.Plan.of(ac.Gaussian(sigma="8").on(ac.Count()), neighbours="add-remove", budgets=[budget])
    assert isinstance(calibrate(plan), ac.Calibration)
    assert calibrate(plan).factor == calibrate(plan.as_data()).factor == calibrate(account(plan)).factor
    assert calibrate(plan, rho="1/2").plan.specification.budgets == (ac.Budget.of("zcdp", rho="1/2"),)
    with pytest.raises(InvalidValue, match=r"say what is to be kept, such as calibrate\(run, epsilon="):
        calibrate(dp_sgd(**RUN))
    with pytest.raises(ac.PlanError, match="no release is called 'x'"):
        calibrate(dp_sgd(**RUN), rho=1, releases=["x"])
    with pytest.raises(InvalidValue, match="'zcdp': rho: 'little' is not a finite number"):
        calibrate(plan, rho="little")
