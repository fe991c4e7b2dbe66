"""What people expect to write is answered with what to write, in plans and in Python alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import accountant as ac
from accountant import InvalidValue, PlanError, default_registry, read_plan
from accountant.plugin import MECHANISMS, QUERIES, SAMPLINGS
from accountant.registry.kinds import kinds

SIGMA = "give the noise itself: 'sigma' is the multiplier times how far the query moves"
COST = "give the noise, not what it costs: 'scale' is how far the query moves divided by epsilon"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ac.Gaussian(noise_multiplier="1.1"), f"'gaussian' has no parameter 'noise_multiplier'; {SIGMA}"),
        (lambda: ac.Gaussian(noise="1.1"), "'gaussian' has no parameter 'noise'; did you mean 'sigma'?"),
        (lambda: ac.Gaussian(sgima="1.1"), "'gaussian' has no parameter 'sgima'; did you mean 'sigma'?"),
        (lambda: ac.Laplace(epsilon="1"), f"'laplace' has no parameter 'epsilon'; {COST}"),
        (lambda: ac.Geometric(epsilon="1"), f"'geometric' has no parameter 'epsilon'; {COST}"),
        (lambda: ac.DiscreteGaussian(std="1"), "'discrete-gaussian' has no parameter 'std'; did you mean 'sigma'?"),
        (lambda: ac.Poisson(sample_rate="1/100"), "'poisson' has no parameter 'sample_rate'; did you mean 'rate'?"),
        (lambda: ac.Gradient(max_grad_norm=1), "'gradient' has no parameter 'max_grad_norm'; did you mean 'norm'?"),
        (lambda: ac.Gradient(clip=1), "'gradient' has no parameter 'clip'; did you mean 'norm'?"),
        (lambda: ac.Sum(bounds=(0, 1)), "'sum' has no parameter 'bounds'; give the bounds as 'lower' and 'upper'"),
        (lambda: ac.Count(attribute="age"), "'count' has no parameter 'attribute'; did you mean 'attributes'?"),
    ],
)
def test_a_parameter_that_there_is_not_is_answered_in_python(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InvalidValue) as error:
        make()
    assert str(error.value) == words


def test_what_is_missing_or_too_much_is_told_as_python_does() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'scale'"):
        ac.Laplace()
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        ac.Laplace(1, 2)


def release(**changes: Any) -> dict[str, Any]:
    told = {"name": "x", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "8"}, **changes}
    return {key: value for key, value in told.items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps": 3}, "'x': unknown key 'steps'; did you mean 'times'? @ release[0]"),
        (
            {"sample_rate": "1/2"},
            "'x': unknown key 'sample_rate'; write it inside 'sampling' @ release[0]",
        ),
        (
            {"noise_multiplier": "1", "mechanism": None},
            "'x': unknown key 'noise_multiplier'; write it inside 'mechanism' @ release[0]",
        ),
        (
            {"clip": "1", "query": None},
            "'x': unknown key 'clip'; write it inside 'query' @ release[0]",
        ),
        ({"rate": "1/2"}, "'x': unknown key 'rate'; write it inside 'mechanism' or 'sampling' @ release[0]"),
        ({"qurey": {"kind": "count"}}, "'x': unknown key 'qurey'; did you mean 'query'? @ release[0]"),
        (
            {"mechanism": {"kind": "gaussian", "variance": "2"}},
            "'x': unknown key 'variance'; 'sigma' is its square root @ release[0].mechanism",
        ),
        (
            {"query": {"kind": "gradient", "clip": "2"}},
            "'x': unknown key 'clip'; did you mean 'norm'? @ release[0].query",
        ),
    ],
)
def test_a_key_that_there_is_not_is_one_fault_with_its_answer(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError) as error:
        read_plan({"specification": {"neighbours": "add-remove"}, "release": [release(**changes)]})
    assert str(error.value) == words


def test_no_hint_is_about_a_parameter_that_there_is() -> None:
    registry = default_registry()
    for family in (MECHANISMS, QUERIES, SAMPLINGS):
        for cls in registry[family].values():
            known = {member.alias or member.name for member in cls.__attrs_attrs__}
            assert not known & set(cls.instead), cls.kind
            for hint in cls.instead.values():
                assert any(f"'{name}'" in hint for name in known), (cls.kind, hint)
    assert kinds()
