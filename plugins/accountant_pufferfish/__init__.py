"""Privacy relative to what is already public: Pufferfish and DPZ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant import Theorem
from accountant.plugin import ConformanceCase, Mechanism, Public, hookimpl

if TYPE_CHECKING:
    import click

    from accountant_pufferfish.names import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """The names that are offered in Python, which hooks do not need."""
        import accountant_pufferfish.names as names

        return getattr(names, name)


@hookimpl
def accountant_public() -> Iterable[type[Public]]:
    from accountant_pufferfish.facts.blocks import Blocks, Independent
    from accountant_pufferfish.facts.known_counts import KnownCounts
    from accountant_pufferfish.facts.known_total import KnownTotal
    from accountant_pufferfish.facts.listed import Listed
    from accountant_pufferfish.facts.shared_rate import SharedRate

    return Independent, Blocks, KnownTotal, KnownCounts, SharedRate, Listed


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    from accountant_pufferfish.mechanisms.conditional import Conditional

    return (Conditional,)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    from accountant_pufferfish import theorems

    return theorems.FOUNDATIONS


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_pufferfish.cases import cases

    return cases()


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant_pufferfish.studies.counties_command import command as counties
    from accountant_pufferfish.studies.tests_command import clamps, command as tests, dependence

    return (counties, tests, clamps, dependence)
