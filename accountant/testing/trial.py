"""Trial: one law on one registered item; and Kit: what the trials of a plugin are made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, TypeVar

from attrs import frozen
from hypothesis.strategies import SearchStrategy

from accountant.plugin.cases import CASES, ConformanceCase, MechanismCase
from accountant.plugin.oracles import Oracle
from accountant.registry.registry import Registry
from accountant.testing.examples import USUAL, Depth, search
from accountant.testing.strategies import as_mechanisms

C = TypeVar("C", bound=Oracle)


@frozen
class Trial:
    """One law on one registered item; calling it raises AssertionError with a counterexample if the law is broken.

    `item` says on what the law is tried, `subject` which registered item that belongs to, such as "mechanism laplace".
    """

    law: str
    plugin: str
    item: str
    check: Callable[[], None]
    subject: str

    def __call__(self) -> None:
        self.check()

    def __str__(self) -> str:
        return f"law[{self.law}][{self.plugin}: {self.item}]"


@frozen
class Kit:
    """What the laws of one plugin are tried with: everything that is registered, and how hard to look."""

    plugin: str
    registry: Registry
    depth: Depth = USUAL

    @cached_property
    def cases(self) -> tuple[ConformanceCase, ...]:
        """The conformance cases of all plugins."""
        return tuple(self.registry.offered(CASES).values())

    @cached_property
    def own_cases(self) -> tuple[ConformanceCase, ...]:
        """The conformance cases of the plugin in question."""
        return tuple(self.registry.offered(CASES, self.plugin).values())

    @cached_property
    def mechanisms(self) -> tuple[MechanismCase, ...]:
        """The plugin's own cases as mechanisms, the parameters among them as claims."""
        return tuple(as_mechanisms(self.own_cases, self.registry))

    @cached_property
    def company(self) -> tuple[MechanismCase, ...]:
        """Mechanisms that stand beside those of the plugin: its own, or those of all where it has one only."""
        return (
            self.mechanisms if len(self.mechanisms) > 1 else (*self.mechanisms, *as_mechanisms(self.cases, self.registry))
        )

    def oracle(self, cls: type[C], item: str) -> C | None:
        """The oracle of one class that speaks of an item, if some plugin offers one."""
        own = (case for case in self.own_cases if isinstance(case, cls) and case.item == item)
        found = next(own, None)
        if found is not None:
            return found
        return next((case for case in self.cases if isinstance(case, cls) and case.item == item), None)

    def searched(
        self, law: Callable[..., None], *fixed: Any, examples: int = 30, **drawn: SearchStrategy[Any]
    ) -> Callable[[], None]:
        """A law on fixed arguments and random further ones, as hard as the kit looks."""
        return partial(search, law, *fixed, examples=examples, depth=self.depth, **drawn)
