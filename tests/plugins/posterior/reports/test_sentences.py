"""What reports say is true of the plan they speak of: values and presence, samples, claims, exact facts, and others."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest

import accountant
from accountant.plugin import RENDERERS, REPORTS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reports")]


def cells(*attributes: str, scale: str = "1", **further: Any) -> dict[str, Any]:
    query = {"kind": "histogram", "attributes": list(attributes)}
    return {"query": query, "mechanism": {"kind": "geometric", "scale": scale}, **further}


def count(**further: Any) -> dict[str, Any]:
    return {
        "query": {"kind": "count", "attributes": ["answer"]},
        "mechanism": {"kind": "geometric", "scale": "2"},
        **further,
    }


def said(audience: str, *releases: dict[str, Any], budget: Any = None, **plan: Any) -> str:
    read = accountant.read_plan(
        {
            "title": "a plan",
            "budget": [budget or {"divergence": "pure", "epsilon": "3"}],
            "release": [{"name": f"release {number}", **release} for number, release in enumerate(releases)],
            **plan,
        }
    )
    registry = accountant.default_registry()
    document = registry[REPORTS][audience].build(accountant.certify(read), accountant.account(read))
    text = registry[RENDERERS]["text"].render(document)
    return " ".join(text.replace("\u00a0", " ").split())


PRESENCE = {"neighbours": "add-remove"}
VALUES = {"neighbours": "replace-one"}
CLAIM = {"mechanism": {"kind": "claim", "divergence": "approx", "epsilon": "1", "delta": "1e-6"}}


def best_guess(coins: int) -> float:
    """Independent coins that each say the truth e times as often as its opposite: how often the majority is right."""
    right = mpmath.e / (1 + mpmath.e)
    chances = [mpmath.binomial(coins, k) * right**k * (1 - right) ** (coins - k) for k in range(coins + 1)]
    return float(sum(max(chances[k], chances[coins - k]) for k in range(coins + 1)) / 2)


@pytest.mark.parametrize("audience", ["public", "policy"])
def test_two_values_are_two_steps_apart_where_units_come_and_go(audience: str) -> None:
    """A histogram that is noisy by a scale of 1, twice: presence moves two cells, a value four."""
    presence, values = (math.ceil(100 * best_guess(coins)) for coins in (2, 4))
    assert (presence, values) == (74, 83)
    text = said(audience, cells("illness", times=2), specification=PRESENCE)
    # Whole numbers for the public, tenths of a per cent for policy: one page writes a share in one way.
    shown = [
        f"{math.ceil(100 * best_guess(coins))} of 100"
        if audience == "public"
        else f"{math.ceil(1000 * best_guess(coins)) / 10}%"
        for coins in (2, 4)
    ]
    assert f"right guesses about whether Jessie is in the data at all, at most: {shown[0]}" in text
    assert f"right guesses about which of two values Jessie’s record has, at most: {shown[1]}" in text
    assert "tell one value from another" not in text


def test_nothing_gets_through_where_a_bound_holds_always() -> None:
    for audience in ("public", "policy"):
        text = said(audience, cells("illness"), specification=VALUES)
        assert "remaining cases" not in text
        assert "may be passed" not in text
    assert "In every case, they will not be surer than this" in said("public", cells("illness"), specification=VALUES)
    noisy = {"query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "3"}}
    text = said("public", noisy, specification=VALUES)
    assert "In the remaining cases, at most 5 of 100, chance may let more through." in text


@pytest.mark.parametrize("audience", ["public", "policy"])
def test_footers_name_everything_that_a_number_depends_on(audience: str) -> None:
    specification = {**VALUES, "attributes": ["income"], "invariants": ["households"]}
    text = said(audience, cells("age", scale="1/10"), cells("income"), specification=specification)
    assert (
        "That is between datasets that differ in the income of one person, alike in what is published exactly "
        "(replace-one). Other attributes of a person are not protected by this number. Published exactly: households."
    ) in text


def test_attributes_that_are_not_protected_are_said_to_be_so() -> None:
    specification = {**VALUES, "attributes": ["income"]}
    releases = (cells("age", scale="1/10"), cells("income"))
    assert "Nothing but Jessie’s income is protected here." in said("public", *releases, specification=specification)
    text = said("policy", *releases, specification=specification)
    assert "What is compared: Datasets that differ in the income of one person (replace-one). Other attributes" in text


def test_who_believes_that_records_go_together_is_not_said_to_do_worse() -> None:
    """Five that answer alike move a count by 5: (1 + tanh)/2 of a geometric noise of scale 2, by enumeration."""
    text = said("public", count(), specification=VALUES)
    assert "whatever else is known" not in text
    assert "usually do worse" not in text
    ratio = math.exp(-0.5)
    moved = sum((1 - ratio) / (1 + ratio) * max(ratio ** abs(z), ratio ** abs(z - 5)) for z in range(-400, 400)) / 2
    at_most = math.ceil(100 * moved)
    assert f"all have the same answer can be right about it at most {at_most} in 100 times" in text
    assert f"% 5 {math.ceil(1000 * moved) / 10}% 10 " in said("policy", count(), specification=VALUES)


def test_a_sample_hides_nobody_from_those_who_know_it() -> None:
    """Laplace noise of scale 1 on a count: 1 - e^-1/2 half of the time more than a coin."""
    release = {
        "query": {"kind": "count", "attributes": ["answer"]},
        "mechanism": {"kind": "laplace", "scale": "1"},
        "sampling": {"kind": "poisson", "rate": "0.1"},
    }
    known = math.ceil(100 * (1 - math.exp(-0.5) / 2))
    text = said("public", release, specification=PRESENCE)
    assert known == 70
    assert "but not who was picked when chance chose whom to ask" in text
    for words in (
        "Someone who knows that Jessie was picked, if Jessie is in the data, can be right about whether",
        f"Jessie is in the data at all for at most {known} of 100 people.",
    ):
        assert words in text
    assert "Others are right about whether Jessie is in the data at all at most 69.7% of the time." in said(
        "policy", release, specification=PRESENCE
    )
    insider = said("public", release, specification={**PRESENCE, "attacker": "insider"})
    assert "was picked" not in insider


def test_what_is_public_anyway_is_not_used_by_who_knows_all_others() -> None:
    public = {
        "kind": "known-total",
        "name": "total",
        "records": 40,
        "total": 12,
        "rate": "1/2",
        "budget": [{"divergence": "pure", "epsilon": "3"}],
    }
    text = said("public", cells("vote", scale="8"), specification=VALUES, public=[public])
    assert "They do not use the facts that are known anyway, which are listed further down." in text
    assert "together with everything about everybody else, they may give the answer away" in text
    policy = said("policy", cells("vote", scale="8"), specification=VALUES, public=[public])
    assert "Does not use what is public anyway (total)" in policy
    assert "Public anyway: total." in policy


@pytest.mark.parametrize("audience", ["public", "policy", "technical", "summary"])
def test_what_is_claimed_is_never_said_to_exceed_or_to_be_attained(audience: str) -> None:
    text = said(audience, CLAIM, budget={"divergence": "zcdp", "rho": "0.5"}, specification=PRESENCE)
    assert "permits more, and may lose less" in text.lower()
    assert "exceeded" not in text.lower()
    assert "exceed a limit" not in text
    assert "73.1%" not in text
    if audience == "policy":
        assert "the record not known 88.1% being in the data not known" in text


@pytest.mark.parametrize("audience", ["public", "policy", "technical", "summary"])
def test_what_mechanisms_exceed_is_exceeded_whatever_is_claimed(audience: str) -> None:
    budget = {"divergence": "pure", "epsilon": "1/4"}
    claim = {"mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "1/8"}}
    assert "exceeded" in said(audience, count(), claim, budget=budget, specification=PRESENCE).lower()


def test_equal_limits_are_said_once() -> None:
    releases = (
        cells("age", scale="2", scope={"partition": "state", "part": "Alabama"}),
        cells("age", scope={"partition": "state", "part": "Alaska"}),
    )
    specification = {**VALUES, "attributes": ["age", "state"]}
    text = said("public", *releases, specification=specification, scenario=[{"name": "age", "attributes": ["age"]}])
    assert "right at most 74 of 100 times, whatever the question is about." in text


def test_the_second_world_is_a_draw_from_what_the_attacker_believes() -> None:
    text = said("policy", cells("illness"), specification=VALUES)
    assert "Jessie’s record is drawn anew from what the attacker believes about it, given everybody else" in text
    assert "just as likely" not in text


def test_a_limit_is_not_called_kept_without_saying_that_nothing_close_is_compared() -> None:
    specification = {**VALUES, "attributes": ["race"], "invariants": [{"name": "races", "counts_by": ["race", "county"]}]}
    text = said("policy", cells("race", "age", scale="4"), specification=specification)
    assert "kept, but no data that agree on what is exact differ in fewer than 2 units" in text


def test_the_theorem_on_guesses_says_between_which_neighbours_it_holds() -> None:
    theorem = accountant.default_registry().find(accountant.plugin.THEOREMS, "best-guess-is-total-variation")
    assert any("between replace-one neighbours" in assumed for assumed in theorem.assumptions)
    text = said("technical", cells("illness"), specification=PRESENCE)
    assert "asks whether it is in the data; two values of it are two steps apart" in text
    assert "asks which of two sets of values it has" in said("technical", cells("illness"), specification=VALUES)
