"""What was renamed works by its former name for one more version, with a warning that names the new one."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest

from accountant import account, default_registry, load_plan
from accountant.plugin.families import FAMILIES
from accountant.values.family import Family

SURVEY = Path(__file__).parents[2] / "examples" / "survey.toml"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_is_found_by_its_former_name(family: Family[object]) -> None:
    registry = default_registry()
    with pytest.warns(DeprecationWarning, match="index the registry by the family's token"):
        assert getattr(registry, family.name) is registry[family]


@pytest.mark.parametrize(("former", "name"), [("apart", "between"), ("cases", "whereabouts"), ("published", "by_formulas")])
def test_an_account_answers_by_former_names(former: str, name: str) -> None:
    whole = account(load_plan(SURVEY))
    with pytest.warns(DeprecationWarning, match=f"is called {name} now"):
        assert getattr(whole, former) == getattr(whole, name)


def test_what_never_was_is_refused() -> None:
    with pytest.raises(AttributeError, match="'Registry' object has no attribute 'mechanism'"):
        _ = default_registry().mechanism
    with pytest.raises(AttributeError, match="'Account' object has no attribute 'losses'"):
        _ = account(load_plan(SURVEY)).losses


def test_a_registry_can_be_copied() -> None:
    assert copy(default_registry()).plugins == default_registry().plugins
