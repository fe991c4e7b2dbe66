"""Posteriors against those in a world where one record was redrawn, by enumeration and published figures."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Account, InvalidValue, account, read_plan
from accountant.numbers import log_of
from accountant.testing import strategies
from accountant_posterior import Counterfactual, concentrated_chance

Law = tuple[Fraction, ...]
VALUES = (0, 1)


def claimed(neighbours: str = "replace-one", **claim: str) -> Account:
    mechanism = {"kind": "claim", **claim}
    plan = {"specification": {"neighbours": neighbours}, "release": [{"name": "r", "mechanism": mechanism}]}
    return account(read_plan(plan))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[dict[tuple[int, int], Law], dict[tuple[int, int], Fraction]]:
    """A mechanism on the other record and the target's, each of two values, and an attacker's prior over both."""
    pairs = list(itertools.product(VALUES, VALUES))
    laws = {pair: draw(strategies.priors(3)) for pair in pairs}
    return laws, dict(zip(pairs, draw(strategies.priors(4)), strict=True))


def actual(laws: dict[tuple[int, int], Law], prior: dict[tuple[int, int], Fraction], value: int, output: int) -> Fraction:
    """The joint chance of a value of the target's record and an output."""
    return sum((prior[other, value] * laws[other, value][output] for other in VALUES), Fraction(0))


def redrawn(laws: dict[tuple[int, int], Law], prior: dict[tuple[int, int], Fraction], value: int, output: int) -> Fraction:
    """The same where the record was replaced by a draw from its law given the other."""
    total = Fraction(0)
    for other in VALUES:
        weight = sum(prior[other, drawn] for drawn in VALUES)
        mixed = sum(prior[other, drawn] / weight * laws[other, drawn][output] for drawn in VALUES)
        total += prior[other, value] * mixed
    return total


def ratio(laws: dict[tuple[int, int], Law], prior: dict[tuple[int, int], Fraction], value: int, output: int) -> Fraction:
    posterior = actual(laws, prior, value, output) / sum(actual(laws, prior, item, output) for item in VALUES)
    counterfactual = redrawn(laws, prior, value, output) / sum(redrawn(laws, prior, item, output) for item in VALUES)
    return posterior / counterfactual


def replaced(laws: dict[tuple[int, int], Law]) -> list[tuple[Law, Law]]:
    return [(laws[other, a], laws[other, b]) for other in VALUES for a, b in ((0, 1), (1, 0))]


@given(worlds())
@settings(max_examples=60, deadline=None)
def test_pure_bounds_hold_for_every_prior_and_output(
    world: tuple[dict[tuple[int, int], Law], dict[tuple[int, int], Fraction]],
) -> None:
    laws, prior = world
    worst = max(p / q for left, right in replaced(laws) for p, q in zip(left, right, strict=True))
    epsilon = Fraction(log_of(worst).upper)
    bound = Counterfactual(claimed(divergence="pure", epsilon=str(epsilon))).ratio()
    for value, output in itertools.product(VALUES, range(3)):
        assert Fraction(bound.lower) <= ratio(laws, prior, value, output) <= Fraction(bound.upper)


def table_account(laws: dict[tuple[int, int], Law]) -> Account:
    """An account that dominates every replacement: the worst of their curves, at some points."""
    points = []
    for step in range(0, 17):
        level = Fraction(1) + Fraction(step * step, 16)
        delta = max(
            sum(max(p - level * q, Fraction(0)) for p, q in zip(left, right, strict=True)) for left, right in replaced(laws)
        )
        if delta > 0:
            points.append({"epsilon": str(Fraction(log_of(level).upper)), "delta": str(delta)})
    mechanism = {"kind": "claim", "divergence": "approx", "points": points}
    plan = {"specification": {"neighbours": "replace-one"}, "release": [{"name": "r", "mechanism": mechanism}]}
    return account(read_plan(plan))


@pytest.mark.slow
@given(worlds(), st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3, 2)]))
@settings(max_examples=30, deadline=None)
def test_chances_of_a_large_ratio(
    world: tuple[dict[tuple[int, int], Law], dict[tuple[int, int], Fraction]], epsilon: Fraction
) -> None:
    laws, prior = world
    if all(left == right for left, right in replaced(laws)):
        return
    whole = Counterfactual(table_account(laws))
    power = Fraction(whole.chance(epsilon).upper)
    drawn, known_record, averaged = (
        whole.chance(epsilon, name).chance.upper for name in ("any-prior", "record", "average")
    )
    for value in VALUES:
        weight = sum(prior[other, value] for other in VALUES)
        chance = sum(
            actual(laws, prior, value, output) / weight for output in range(3) if ratio(laws, prior, value, output) > power
        )
        assert chance <= Fraction(drawn)
    # The other record known: the prior is certain of it.
    for other in VALUES:
        known = {pair: (mass if pair[0] == other else Fraction(0)) for pair, mass in prior.items()}
        total = sum(known.values())
        known = {pair: mass / total for pair, mass in known.items()}
        for value in VALUES:
            large = [output for output in range(3) if _known_ratio(laws, known, other, value, output) > power]
            record = sum((laws[other, value][output] for output in large), Fraction(0))
            average = sum((actual(laws, known, item, output) for item in VALUES for output in large), Fraction(0))
            assert record <= Fraction(known_record)
            assert average <= Fraction(averaged)


def _known_ratio(
    laws: dict[tuple[int, int], Law], prior: dict[tuple[int, int], Fraction], other: int, value: int, output: int
) -> Fraction:
    """The posterior over the prior: where the others are known, that is the counterfactual posterior."""
    mixed = sum(prior[other, item] * laws[other, item][output] for item in VALUES)
    return laws[other, value][output] / mixed


@given(worlds())
@settings(max_examples=40, deadline=None)
def test_a_fixed_record_instead_costs_two_steps(
    world: tuple[dict[tuple[int, int], Law], dict[tuple[int, int], Fraction]],
) -> None:
    """Had the target's record been the default 0: the odds of a secret, here the other record, move within two steps."""
    laws, prior = world
    worst = max(p / q for left, right in replaced(laws) for p, q in zip(left, right, strict=True))
    whole = Counterfactual(claimed(divergence="pure", epsilon=str(Fraction(log_of(worst).upper))))
    for output, secret in itertools.product(range(3), VALUES):
        true = sum(prior[secret, value] * laws[secret, value][output] for value in VALUES)
        false = sum(prior[1 - secret, value] * laws[1 - secret, value][output] for value in VALUES)
        without = [sum(prior[item, value] for value in VALUES) * laws[item, 0][output] for item in (secret, 1 - secret)]
        bound = whole.participation(without[0] / sum(without))
        assert Fraction(bound.lower) <= true / (true + false) <= Fraction(bound.upper)


def test_the_published_chances_for_the_census() -> None:
    given_record, average = (0.5863, 5.723e-3, 4.820e-7), (3.950e-3, 2.598e-7, 1.474e-13)
    for epsilon, first, second in zip((5, 10, 15), given_record, average, strict=True):
        assert concentrated_chance("2.63", epsilon).upper == pytest.approx(first, rel=1e-3)
        assert concentrated_chance("2.63", epsilon, averaged=True).upper == pytest.approx(second, rel=1e-3)
    assert concentrated_chance("2.63", 2).exact == 1
    whole = Counterfactual(claimed(divergence="zcdp", rho="2.63"))
    for epsilon, setting in itertools.product((5, 10, 15), ("any-prior", "average")):
        published = concentrated_chance("2.63", epsilon, averaged=setting == "average")
        found = whole.chance(epsilon, setting)
        assert found.chance.upper <= published.upper * (1 + 1e-12)
        assert all(use <= place for place, step in enumerate(found.derivation) for use in step.uses)


def test_a_badly_wrong_prior_breaks_whatever_may_fail() -> None:
    """Sure that 99 others count 0 when all 100 count 1, and noise of standard deviation 1: the ratio is about 100."""
    output, mine = 101.3, 0.01

    def density(count: int) -> float:
        return -((output - count) ** 2) / 2

    odds = math.exp(density(1) - density(0)) * mine / (1 - mine)
    posterior = odds / (1 + odds)
    assert odds == pytest.approx(math.exp(100.8) / 99, rel=1e-9)
    assert posterior / mine == pytest.approx(100, rel=1e-6)
    plan = {
        "specification": {"neighbours": "replace-one"},
        "release": [{"name": "r", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "1"}}],
    }
    whole = Counterfactual(account(read_plan(plan)))
    # Under the attacker's own law a ratio of 90 is next to impossible; under the truth it happened.
    assert whole.chance("4.5", "any-prior").chance.upper < 1e-3
    assert "attacker's own law" in whole.chance("4.5", "any-prior").statement
    assert whole.ratio().upper == math.inf


def test_replacing_is_two_steps_unless_queries_say_better() -> None:
    claim = Counterfactual(claimed("add-remove", divergence="pure", epsilon="0.5")).ratio()
    assert claim.upper == pytest.approx(math.e, rel=1e-12)
    count = {
        "specification": {"neighbours": "add-remove"},
        "release": [{"name": "r", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}],
    }
    assert Counterfactual(account(read_plan(count))).ratio().upper == pytest.approx(math.exp(0.5), rel=1e-12)


def test_participation_is_twice_the_loss_in_odds() -> None:
    bound = Counterfactual(claimed("add-remove", divergence="pure", epsilon="0.3")).participation("0.2")
    assert bound.upper == pytest.approx(0.2 / (0.2 + math.exp(-0.6) * 0.8), rel=1e-12)


def test_bad_settings_are_refused() -> None:
    whole = Counterfactual(claimed(divergence="pure", epsilon="1"))
    with pytest.raises(InvalidValue, match="known: average, record, any-prior"):
        whole.chance(1, "always")
    with pytest.raises(InvalidValue, match="negative"):
        whole.chance(-1)
    with pytest.raises(InvalidValue, match="above 0"):
        concentrated_chance(0, 1)
