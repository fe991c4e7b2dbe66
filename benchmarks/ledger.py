"""Quotes and commitments per second of ledgers with 10, 1,000 and 100,000 entries, in SQLite and in PostgreSQL.

    python benchmarks/ledger.py [--seconds 3]

PostgreSQL is started for the purpose, by pgserver. Each figure is the best of three stretches of so many seconds.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from sqlalchemy import insert, update

from accountant.ledger import Ledger, Posting, read_terms
from accountant.ledger.entries import charge_data
from accountant.ledger.tables import entry as entries, ledger as ledgers
from accountant.values.source import canonical

SIZES = (10, 1_000, 100_000)
TERMS = {"specification": {"neighbours": "add-remove"}, "budget": [{"divergence": "zcdp", "rho": "1"}]}
RELEASE = {"name": "count", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "100000"}}


def filled(location: str, name: str, size: int) -> Ledger:
    """A ledger with so many entries, written in one go: what verify would accept, as fast as a database takes it."""
    ledger = Ledger.create(location, read_terms(TERMS), name=name)
    batch = ledger.batch(RELEASE)
    charge = Fraction(1, 2 * 10**10)
    body = canonical({**batch.as_data(), "charge": charge_data({"0.0": charge})})
    with ledger._store.writing(name) as transaction:
        head = transaction.head()
        assert head is not None
        previous, rows = head.digest, []
        for number in range(1, size):
            reserving = number % 2 == 1
            written = Posting(
                name,
                number,
                "reserved" if reserving else "committed",
                transaction.moment() if number == 1 else rows[0]["moment"],
                body if reserving else "{}",
                previous,
                None if reserving else number - 1,
            )
            previous = written.digest
            rows.append(
                {
                    "ledger": name,
                    "number": number,
                    "kind": written.kind,
                    "settles": written.settles,
                    "moment": written.moment,
                    "body": written.body,
                    "previous": written.previous,
                    "digest": previous,
                }
            )
        transaction.connection.execute(insert(entries), rows)
        transaction.connection.execute(
            update(ledgers).where(ledgers.c.name == name).values(number=size - 1, digest=previous)
        )
        transaction.put_totals("committed", {"0.0": charge * ((size - 1) // 2)})
        transaction.put_totals("reserved", {"0.0": charge * ((size - 1) % 2)})
    return ledger


def rate(action: Callable[[], object], seconds: float) -> float:
    """How often an action is done in a second: the best of three stretches."""
    best = 0.0
    for _ in range(3):
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < seconds / 3:
            action()
            count += 1
        best = max(best, count / (time.perf_counter() - start))
    return best


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    """A file and a server."""
    import pgserver

    directory = Path(tempfile.mkdtemp(prefix="benchmark-"))
    server = pgserver.get_server(directory / "postgresql")
    try:
        yield {"SQLite": str(directory / "a.ledger"), "PostgreSQL": server.get_uri()}
    finally:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    seconds = parser.parse_args().seconds
    print("| database | entries | quotes per second | commitments per second | verify, seconds |")
    print("|---|---|---|---|---|")
    with databases() as places:
        for title, location in places.items():
            for size in SIZES:
                with filled(location, f"{size} entries", size) as ledger:
                    batch = ledger.batch(RELEASE)
                    start = time.perf_counter()
                    assert ledger.verify() == ()
                    checked = time.perf_counter() - start
                    quotes = rate(lambda: ledger.quote(batch), seconds)  # noqa: B023
                    spent = rate(lambda: ledger.reserve(batch, commit=True), seconds)  # noqa: B023
                print(f"| {title} | {size:,} | {quotes:,.0f} | {spent:,.0f} | {checked:.1f} |", flush=True)


if __name__ == "__main__":
    main()
