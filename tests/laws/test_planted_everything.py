"""Every error that can be planted, in correct items of every family, is caught by some law, or it is explained why not."""

from __future__ import annotations

from typing import Any

import pytest

from accountant.plugin.families import FAMILIES
from accountant.testing import Operator, operators, plant
from accountant.testing.planted import everywhere
from accountant.values.family import Family
from tests.laws import honest
from tests.laws.kills import NothingRegistered, Plant, broken, laws, plants
from tests.laws.witnesses import OF_THE_KIT, WITNESSES

ESCAPES = {
    "divergence pbdp: curve of the smallest numbers": "the worst case of a single point of it is far above the pairs that "
    "are tried, so that one of too small numbers still is",
    "mechanism shuffle: reverse ignored": "what one report loses is the same in both directions",
    "public information twins: decided secrets promised": "twins leave every secret open, so that there is nothing to say",
    "report questions: groups not mentioned": "it speaks of neighbouring datasets, and the plan says which these are",
    "sampling strata: amplification forgotten": "what is claimed is too much, not too little; that lower ends are attained "
    "is tried where a sampling lists its draws itself",
}
"""What no law catches, and why."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All that can be planted is looked for where a sweep asks, and not whenever tests are listed."""
    if "planted" in metafunc.fixturenames:
        metafunc.parametrize("planted", plants(), ids=str)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_one_error_of_each_family_is_caught(family: Family[Any]) -> None:
    caught = next(each for each in plants(family.name) if str(each) not in ESCAPES)
    assert caught.killed_by(first=True)


@pytest.mark.sweep
def test_every_error_is_caught_or_explained(planted: Plant) -> None:
    caught = planted.killed_by(first=True)
    assert bool(caught) != (str(planted) in ESCAPES), f"{planted}: {caught or 'no law complains'}"


@pytest.mark.slow
def test_a_hundred_errors_of_all_families_are_planted_and_few_escape() -> None:
    every = plants()
    assert len(every) >= 100
    assert {each.operator.family for each in every} == set(FAMILIES)
    assert set(ESCAPES) <= set(map(str, every))
    assert len(ESCAPES) <= len(every) / 20


def test_every_operator_has_a_place_somewhere_or_speaks_of_all_families() -> None:
    planted = {each.operator for each in plants()}
    general = {name.replace("_", " ") for name in vars(everywhere)}
    assert not [str(operator) for operator in operators() if operator not in planted and operator.name not in general]


def test_names_say_the_error_and_docstrings_what_is_wrong() -> None:
    for operator in operators():
        assert operator.about.endswith("."), operator
    names = [(operator.family, operator.name) for operator in operators()]
    assert len(names) == len(set(names))


def test_every_law_has_an_error_that_only_it_notices() -> None:
    assert set(WITNESSES) == laws() - set(OF_THE_KIT)
    assert set(WITNESSES.values()) <= set(map(str, (NothingRegistered(), *plants())))


@pytest.mark.sweep
@pytest.mark.parametrize("law", WITNESSES)
def test_an_error_that_only_one_law_notices_is_noticed_by_that_one_only(law: str) -> None:
    every = {str(each): each for each in (NothingRegistered(), *plants())}
    assert every[WITNESSES[law]].killed_by() == [law]


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_an_item_under_another_name_is_not_caught(family: object) -> None:
    """What is caught is the error, and not the planting."""
    known = honest.registry()
    twin = next(each for each in plants() if each.operator.family is family)
    assert known.owner(twin.operator.family, twin.item).name.startswith(honest.__name__)
    registry = plant(Operator("nothing", twin.operator.family, "It is right.", lambda item: item), twin.item, known)
    assert registry is not None
    assert not list(broken(registry))
