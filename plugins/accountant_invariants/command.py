"""`accountant swap`: swapping done to records, one file of `swap/commands` for each command."""

from __future__ import annotations

from accountant.commands import Commands

command = Commands(
    "swap",
    {name: f"accountant_invariants.swap.commands.{name}.command" for name in ("plan", "run", "audit")},
    short_help="Swap records: budget first, then the file, then its audit.",
    help="""Swap records: the budget before anything is touched, the swapped file, and the audit of what was done.

    RECORDS is a CSV or Parquet file with one row for each record and one column for each attribute. All columns are
    published: some say which records are alike (the strata), some are swapped among those, and the rest stays.

    \b
    Examples:
      accountant swap plan households.csv --stratify size --swap block --rate 0.05 --version derange -o swap.toml
      accountant certify swap.toml
      accountant swap run swap.toml households.csv -o swapped.csv --picture moved.html
      accountant swap audit swap.toml households.csv swapped.csv
    """,
)
