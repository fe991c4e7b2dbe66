"""Tables: how a ledger lies in a database, and what the database itself refuses.

Migrations are the only place that creates them; these descriptions are what statements are written with.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, String, Table, Text

metadata = MetaData()

ledger = Table(
    "ledger",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
)
"""One row for each ledger: the number and the digest of its last entry. Writers lock it."""

entry = Table(
    "entry",
    metadata,
    Column("ledger", String(200), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", String(9), nullable=False),
    Column("settles", Integer),
    Column("key", String(200)),
    Column("moment", String(32), nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
)
"""The entries. The database refuses to change or delete them."""

total = Table(
    "total",
    metadata,
    Column("ledger", String(200), primary_key=True),
    Column("state", String(9), primary_key=True),
    Column("code", String(64), primary_key=True),
    Column("item", Text, nullable=False),
    Column("amount", Text, nullable=False),
)
"""Sums of what open reservations and commitments charge, so that nobody has to read all entries; `code` digests an item."""

REVISIONS = ("0001", "0002")
"""All migrations, in order."""
REVISION = REVISIONS[-1]
"""The newest migration."""
