"""Search: a law tried on random examples until it holds often enough or a small counterexample is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from attrs import field, frozen
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from accountant.fields import at_least, whole
from accountant.limits import Limits

T = TypeVar("T")


@frozen
class Depth:
    """How hard laws look: so many times the usual number of examples, and the usual ones or those of another seed."""

    level: int = field(default=1, converter=whole, validator=at_least(1))
    seed: int = field(default=0, converter=whole, validator=at_least(0))
    phases: ClassVar[tuple[Phase, ...]] = (Phase.generate, Phase.shrink)
    patience: ClassVar[Limits] = Limits(within="30s", memory="2GB")
    """What one call of a command may take: nobody waits longer for help, a refusal or an example."""

    def examples(self, usual: int) -> int:
        """How many examples are tried where this many are usual."""
        return usual * self.level


USUAL = Depth()


def search(
    law: Callable[..., None], *fixed: Any, examples: int = 30, depth: Depth = USUAL, **drawn: SearchStrategy[Any]
) -> None:
    """Try a law on fixed arguments and random further ones.

    Guarantee: the same examples in every run of a depth; a violation is raised as the law raises it, after it was made
    small.
    """

    def trial(**arguments: Any) -> None:
        law(*fixed, **arguments)

    runner = settings(
        max_examples=depth.examples(examples),
        deadline=None,
        database=None,
        derandomize=depth.seed == 0,
        report_multiple_bugs=False,
        phases=depth.phases,
        suppress_health_check=list(HealthCheck),
    )
    tried = runner(given(**drawn)(trial))
    (seed(depth.seed)(tried) if depth.seed else tried)()


def examples(strategy: SearchStrategy[T], count: int, depth: Depth = USUAL) -> list[T]:
    """So many values that a strategy draws, the same in every run of a depth."""
    found: list[T] = []
    if count < 1:
        return found

    def trial(value: T) -> None:
        found.append(value)

    search(trial, examples=count, depth=Depth(1, depth.seed), value=strategy)
    return found[:count]
