"""Mechanisms of two outcomes that keep a claimed rho, and lose as much as the claim permits at one place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest

from accountant import account, read_plan
from accountant.loss import Event, FiniteLoss, GaussianLoss, compose
from accountant_zcdp import ZcdpParameter, ZeroConcentrated
from accountant_zcdp.two_outcomes import ClaimedConcentration


def claimed(rho: str) -> ClaimedConcentration:
    worst = ZeroConcentrated().worst_case(ZcdpParameter(rho))
    assert isinstance(worst, ClaimedConcentration)
    return worst


def divergence(p: Fraction, q: Fraction, order: float) -> mpmath.mpf:
    """The Renyi divergence of two laws on two outcomes, in many digits."""
    a, terms = mpmath.mpf(order), [(p, q), (1 - p, 1 - q)]
    numbers = [(mpmath.mpf(x.numerator) / x.denominator, mpmath.mpf(y.numerator) / y.denominator) for x, y in terms]
    return mpmath.log(mpmath.fsum(x**a * y ** (1 - a) for x, y in numbers)) / (a - 1)


@pytest.mark.parametrize("rho", ["0.001", "0.1", "2"])
@pytest.mark.parametrize(
    ("chance", "at"), [(1e-9, "gain"), (1e-3, "gain"), (0.05, "level"), (0.3, "level"), (0.01, "power")]
)
def test_every_rival_keeps_what_is_claimed_in_both_directions(rho: str, chance: float, at: Event) -> None:
    for rival in claimed(rho).rivals(chance, at):
        assert isinstance(rival, FiniteLoss)
        (p, q), _ = rival.atoms
        with mpmath.workdps(40):
            for step in range(-40, 41):
                order = 1 + 10 ** (step / 10)
                assert divergence(p, q, order) <= mpmath.mpf(rho) * order
                assert divergence(q, p, order) <= mpmath.mpf(rho) * order


@pytest.mark.parametrize("rho", ["0.01", "0.1", "1"])
def test_a_claim_alone_is_known_from_both_sides(rho: str) -> None:
    """Lower ends are those of mechanisms of two outcomes, and meet the envelope."""
    worst = claimed(rho)
    for delta in ("1e-9", "1e-5", "1e-2"):
        value = worst.epsilon(delta)
        assert value.upper - value.lower <= 2e-3 * value.upper
        assert value.lower > GaussianLoss(2 * Fraction(rho)).epsilon(delta).upper
    for epsilon in ("0.2", "1"):
        value = worst.delta(epsilon)
        assert value.upper - value.lower <= 0.01 * value.upper
    for level in ("0.01", "0.2"):
        value = worst.tradeoff(level)
        assert value.upper - value.lower <= 0.02 * value.upper


def test_more_than_is_claimed_would_be_noticed() -> None:
    """The planted error: an event twice as far apart as the parameter permits does not keep it."""
    rival = claimed("0.1").rivals(1e-5)[0]
    assert isinstance(rival, FiniteLoss)
    (p, q), _ = rival.atoms
    with mpmath.workdps(40):
        orders = [1 + 10 ** (step / 10) for step in range(-40, 41)]
        assert any(divergence(p, q / 2, order) > mpmath.mpf("0.1") * order for order in orders)


def read(releases: list[dict[str, Any]], definition: str, **words: str) -> Any:
    claim = {"name": "claimed", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}}
    plan = read_plan({"specification": {"neighbours": "add-remove"}, "release": [claim, *releases]})
    return account(plan).measure(definition, **words)


def test_beside_noise_the_lower_end_is_that_of_a_mechanism_that_keeps_the_claim() -> None:
    noise = {"name": "noise", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}
    found = read([noise], "approx", delta="1e-6").value
    rivals = [compose([(loss, 1), *_laplace(noise)]) for loss in claimed("0.1").rivals(1e-6)]
    assert found.lower >= max(loss.epsilon("1e-6").lower for loss in rivals) * (1 - 1e-9)
    assert found.upper - found.lower < 0.02 * found.upper


def _laplace(noise: dict[str, Any]) -> tuple[tuple[Any, int], ...]:
    plan = read_plan({"specification": {"neighbours": "add-remove"}, "release": [noise]})
    return ((account(plan).entries[0].loss, 1),)


@pytest.mark.parametrize(("definition", "words"), [("gdp", {}), ("fdp", {"level": "0.05"}), ("pbdp", {"delta": "0.01"})])
def test_other_definitions_know_the_same_mechanisms(definition: str, words: dict[str, str]) -> None:
    value = read([], definition, **words).value
    assert value.upper - value.lower <= 0.01 * value.upper


def test_a_wide_value_beside_noise_says_whose_its_ends_are() -> None:
    noise = {"name": "noise", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "5"}}
    found = read([noise], "approx", delta="1e-3")
    assert "claimed" in (found.remark or "")
