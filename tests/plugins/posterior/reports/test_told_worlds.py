"""Sentences, beliefs and risks in small nested worlds: no report says less than some dataset shows, and no profile is said
to be kept that somebody exceeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import pytest
from attrs import evolve

from accountant import Account, InvalidValue, Verdict, account, certify, default_registry
from accountant.plugin import REPORTS
from accountant.promise.effect import Effect
from accountant.report import Statement
from accountant_posterior import Constant, Difference, Semantics, TwoDimensional
from accountant_posterior.risk.profile import Profile
from tests.plugins.posterior.reports.told import Told, outside, random_told

REGISTRY = default_registry()
CHANCES = (Fraction(0), Fraction(1, 20))
PRIORS = tuple(Fraction(step, 20) for step in (1, 3, 6, 10, 15, 19))


def told(seeds: range) -> Iterator[tuple[int, Told]]:
    return ((seed, found) for seed in seeds if (found := random_told(seed)) is not None)


def stated(whole: Account, *audiences: str) -> Iterator[Statement]:
    certificate = certify(whole.plan)
    for name in audiences:
        yield from REGISTRY[REPORTS][name].build(certificate, whole).statements


def check_sentences(seeds: range, *audiences: str) -> Counter[str]:
    """How many statements were held to all pairs that they speak of; none of them false."""
    met = Counter[str]()
    for seed, world in told(seeds):
        for statement in stated(account(world.plan), *audiences):
            assert (found := world.violated(statement)) is None, (seed, found)
            met[statement.quantity.name.split(",")[0]] += bool(world.laws(statement.comparison, statement.release))
    return met


def check_beliefs(seeds: range) -> Counter[str]:
    """How many posteriors were bounded, and how many profiles said to be kept; nobody passes either."""
    met = Counter[str]()
    for seed, world in told(seeds):
        whole = account(world.plan)
        for failure in CHANCES:
            met["bounds"] += _bounded(seed, world, whole, failure)
            met["kept"] += sum(_kept(seed, world, whole, profile) for profile in _profiles(whole, failure))
    return met


def _bounded(seed: int, world: Told, whole: Account, failure: Fraction) -> bool:
    try:
        bounds = [Semantics(whole).posterior(prior, failure) for prior in PRIORS]
    except InvalidValue:
        return False
    for bound in bounds:
        at = {"prior": bound.prior or Fraction(0), "low": Fraction(bound.lower), "high": Fraction(bound.upper)}
        for law in world.laws(bound.comparison, None):
            for side in (law, [(q, p) for p, q in law]):
                assert outside(side, at) <= failure + 1e-12, (seed, bound)
    return True


def _profiles(whole: Account, failure: Fraction) -> Iterator[Profile]:
    relation = whole.plan.specification.neighbours.relation.name
    for profile in (Constant("3"), Difference("2/5"), TwoDimensional("3/2", "1/2")):
        yield evolve(profile, adversary="strong", neighbours=relation, failure=failure)


def _kept(seed: int, world: Told, whole: Account, profile: Profile) -> bool:
    if profile.assess(whole).verdict is not Verdict.IMPLIED:
        return False
    for prior in PRIORS:
        beliefs = (prior, Fraction(1)) if profile.neighbours == "add-remove" else (Fraction(1), prior)
        most = min(Fraction(1), prior * Fraction(profile.tolerance(*beliefs).upper))
        at = {"prior": prior, "low": Fraction(0), "high": most}
        for law in world.laws(whole.plan.comparison, None):
            for side in (law, [(q, p) for p, q in law]):
                assert outside(side, at) <= profile.failure + Fraction(1, 10**12), (seed, profile, prior)
    return True


def test_no_sentence_about_a_nested_world_is_false() -> None:
    met = check_sentences(range(14), "public", "summary")
    assert min(met.values()) > 5, met


def test_no_belief_in_a_nested_world_passes_its_bounds_and_no_risk_its_profile() -> None:
    met = check_beliefs(range(60))
    assert min(met.values()) > 20, met


@pytest.mark.sweep
def test_no_sentence_about_many_nested_worlds_is_false() -> None:
    assert min(check_sentences(range(14, 400), "public", "policy", "technical", "summary").values()) > 100


@pytest.mark.sweep
def test_no_belief_in_many_nested_worlds_passes_its_bounds() -> None:
    assert min(check_beliefs(range(60, 2_000)).values()) > 500


@pytest.mark.parametrize("check", [partial(check_sentences, range(60), "summary"), partial(check_beliefs, range(60))])
def test_what_forgets_that_others_change_with_a_unit_is_caught(
    check: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if whatever is counted came, went or changed once for each unit that does."""
    monkeypatch.setattr(Effect, "_moves", property(lambda effect: effect.neighbours.relation.moves))
    with pytest.raises(AssertionError):
        check()
