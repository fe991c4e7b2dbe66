"""Reports on plans that are valid but unusual: no sentence says more than the account does."""

from __future__ import annotations

from typing import Any

import pytest

import accountant
from accountant.plugin import RENDERERS, REPORTS, plural

COUNT = {"query": {"kind": "count"}}
NOISY = {**COUNT, "mechanism": {"kind": "gaussian", "sigma": "3"}}
BARE = {**COUNT, "mechanism": {"kind": "non-private"}}
EMPTY = {"mechanism": {"kind": "no-op"}}
BUDGET = {"divergence": "approx", "epsilon": "2", "delta": "1e-6"}


def cells(kind: dict[str, str], *attributes: str) -> dict[str, Any]:
    return {"query": {"kind": "histogram", "attributes": list(attributes)}, "mechanism": kind}


def said(audience: str, *releases: dict[str, Any], scenarios: tuple[str, ...] = (), **specification: Any) -> str:
    plan = accountant.read_plan(
        {
            "title": "a plan",
            "specification": {"neighbours": "replace-one", **specification},
            "budget": [BUDGET],
            "release": [{"name": f"release {number}", **release} for number, release in enumerate(releases)],
            "scenario": [{"name": name, "attributes": [name]} for name in scenarios],
        }
    )
    registry = accountant.default_registry()
    document = registry[REPORTS][audience].build(accountant.certify(plan), accountant.account(plan))
    return registry[RENDERERS]["markdown"].render(document)


def test_what_is_released_as_it_is_is_not_called_noisy() -> None:
    some = said("public", BARE, NOISY)
    assert "Chance was mixed into some of these statistics" in some
    assert "published as they are, without any protection. All numbers here count them:\n\n- release 0\n" in some
    assert "chance was mixed into every statistic" not in some
    assert "of at most infinite" not in some
    assert "There is no finite bound on epsilon at delta = 1e-6 of approximate differential privacy." in some
    everything = said("public", BARE)
    assert "nothing was done to hide anybody’s own answers" in everything
    assert "Chance was mixed" not in everything
    assert "published as they are, and all numbers here count them:\n\n- release 0" in said("policy", BARE)


def test_a_topic_with_no_limit_leaves_those_of_others_standing() -> None:
    releases = (cells({"kind": "non-private"}, "sex"), cells({"kind": "gaussian", "sigma": "3"}, "race"))
    text = said("public", *releases, scenarios=("race", "sex"))
    assert (
        "What is published may give the answer away completely about anything in Jessie’s record or Jessie’s sex. The "
        "other numbers are limits for such people." in text
    )
    assert "About **anything in Jessie’s record**, there is no limit: they may become certain." in text


def test_what_depends_on_nobody_teaches_nothing() -> None:
    text = said("public", EMPTY)
    assert "**50 of 100** right guesses" in text
    assert "does not depend on anybody’s answers" in text
    assert "of at most 10 in 100 afterwards" in text.replace("\u00a0", " ")
    assert "| 1% | 1% |" in text


def test_presence_is_not_called_a_value() -> None:
    text = said("policy", NOISY, neighbours="add-remove", unit="family")
    assert "may test whether the family is in the data or not" in text
    assert "or whether the family’s record has one value or another" in text
    assert "whether the family is there is drawn by chance" in text
    assert "(for the line about the record, the family’s record is drawn anew from what the attacker believes" in text
    assert "all other families" in text
    assert "What 1 release lets anyone learn about one family" in text
    assert "1 release satisfies approximate" in text


@pytest.mark.parametrize("audience", ["public", "policy", "technical"])
def test_nothing_compared_is_never_a_loss_of_zero(audience: str) -> None:
    text = said(audience, NOISY, attributes=[])
    assert "Nothing is promised" in text
    assert "No two datasets are compared" in text
    assert "of at most 0" not in text
    assert "Jessie’s ," not in text
    assert "Jessie’s **" not in text
    if audience == "policy":
        assert "| epsilon at delta = 1e-6 | — | 2 | empty |" in text


def test_figures_and_tables_agree_where_exact_counts_settle_a_unit() -> None:
    invariants = [{"name": "People in the US by race", "counts_by": ["race"]}]
    releases = (cells({"kind": "gaussian", "sigma": "3"}, "race"),)
    technical = said("technical", *releases, attributes=["race"], invariants=invariants)
    assert "there is no curve" in technical
    assert "At level 0.05 the power is at most 100%" not in technical
    assert "- **Published exactly**: People in the US by race." in said(
        "policy", *releases, attributes=["race"], invariants=invariants
    )


def test_claims_are_said_to_be_trusted() -> None:
    claim = {"mechanism": {"kind": "claim", "divergence": "gdp", "mu": "1/2"}}
    assert "For release 1, that was taken on trust." in said("public", NOISY, claim)
    assert "taken on trust" not in said("public", NOISY)


@pytest.mark.parametrize(
    ("unit", "several"),
    [
        ("person", "people"),
        ("household", "households"),
        ("case", "cases"),
        ("family", "families"),
        ("business", "businesses"),
        ("survey day", "survey days"),
        ("insured person", "insured people"),
        ("branch", "branches"),
    ],
)
def test_units_have_plurals(unit: str, several: str) -> None:
    assert plural(unit) == several
