"""Random exact mechanisms, and a runner for laws that hold for right operations and fail for wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from accountant.finite import FiniteMechanism, Pair

DATASETS = ("a", "b", "c")
OUTPUTS = (0, 1, 2)


@st.composite
def laws(draw: st.DrawFn, size: int = 3, smallest: int = 0) -> list[Fraction]:
    weights = draw(st.lists(st.integers(smallest, 9), min_size=size, max_size=size).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def pairs(draw: st.DrawFn, size: int = 4, smallest: int = 0) -> Pair:
    return Pair(zip(draw(laws(size, smallest)), draw(laws(size, smallest)), strict=True))


@st.composite
def mechanisms(
    draw: st.DrawFn,
    datasets: tuple[Any, ...] = DATASETS,
    outputs: tuple[Any, ...] = OUTPUTS,
    smallest: int = 0,
) -> FiniteMechanism:
    return FiniteMechanism({x: dict(zip(outputs, draw(laws(len(outputs), smallest)), strict=True)) for x in datasets})


@st.composite
def channels(draw: st.DrawFn) -> dict[int, dict[int, Fraction]]:
    return {output: dict(enumerate(draw(laws(2)))) for output in OUTPUTS}


ratios = st.fractions(min_value=0, max_value=8, max_denominator=12)
levels = st.fractions(min_value=0, max_value=1, max_denominator=24)
weights = st.fractions(min_value=0, max_value=1, max_denominator=6)


def check(law: Callable[..., None], **arguments: st.SearchStrategy[Any]) -> None:
    """Run a law on random inputs; the first violation is raised as it is."""
    runner = settings(
        max_examples=120,
        deadline=None,
        database=None,
        derandomize=True,
        report_multiple_bugs=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    runner(given(**arguments)(law))()
