"""Search: a law tried on random examples until it holds often enough or a small counterexample is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy


def search(law: Callable[..., None], *fixed: Any, examples: int = 30, **drawn: SearchStrategy[Any]) -> None:
    """Try a law on fixed arguments and random further ones.

    Guarantee: the same examples in every run; a violation is raised as the law raises it, after it was made small.
    """

    def trial(**arguments: Any) -> None:
        law(*fixed, **arguments)

    runner = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    runner(given(**drawn)(trial))()
