"""Releases that keep some statistics exactly: permutation swapping, accounted for, done to records and audited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_invariants.swapping import Swapping

if TYPE_CHECKING:
    import click

    from accountant_invariants.names import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """The names that are offered in Python, which hooks do not need."""
        import accountant_invariants.names as names

        return getattr(names, name)


_SWAP = """Swap records: the budget before anything is touched, the swapped file, and the audit of what was done.

    RECORDS is a CSV or Parquet file with one row for each record and one column for each attribute. All columns are
    published: some say which records are alike (the strata), some are swapped among those, and the rest stays.

    \b
    Examples:
      accountant swap plan households.csv --stratify size --swap block --rate 0.05 --version derange -o swap.toml
      accountant certify swap.toml
      accountant swap run swap.toml households.csv -o swapped.csv --picture moved.html
      accountant swap audit swap.toml households.csv swapped.csv
    """


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Swapping,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_invariants.cases import cases

    return cases()


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant.commands import Commands

    where = {name: f"accountant_invariants.swap.commands.{name}.command" for name in ("plan", "run", "audit")}
    return (Commands("swap", where, short_help="Swap records: budget first, then the file, then its audit.", help=_SWAP),)
