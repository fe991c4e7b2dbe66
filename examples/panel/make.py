"""Write who takes part in which month of a rotating panel: `python examples/panel/make.py 2000000 events.parquet`.

Nothing here is anybody's data. Unit number n enters in month n modulo 36, stays for four months, is out for eight, and
is in for four more, as far as the three years go.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

_MONTHS = "[format('{}-{:02d}', 2024 + m // 12, m % 12 + 1) for m in range(36)]"
_IN_PANEL = "[0, 1, 2, 3, 12, 13, 14, 15]"


def main(units: int, path: Path) -> None:
    """Write the events of so many units."""
    taken = f"SELECT n AS number, n % 36 + unnest({_IN_PANEL}) AS month FROM range({units}) t(n)"
    unit, release = "format('unit {:08d}', number)", f"{_MONTHS}[month + 1]"
    named = f"SELECT {unit} AS unit, {release} AS release FROM ({taken}) WHERE month < 36"
    kind = {".csv": "csv", ".parquet": "parquet"}[path.suffix]
    duckdb.sql(f"COPY ({named}) TO '{path}' (FORMAT {kind})")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
