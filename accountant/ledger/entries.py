"""Entries: what a ledger writes down, each bound to the one before it by a digest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from types import NoneType
from typing import Any, Literal

from attrs import frozen

from accountant.display.brief import Brief
from accountant.errors import LedgerError
from accountant.values.source import canonical

Kind = Literal["opened", "reserved", "committed", "cancelled"]
Charge = Mapping[str, Fraction]
"""What is charged for: how much of each item that a ledger adds up."""

NOTHING = "0" * 64
"""What stands in place of a digest before the first entry."""


@frozen
class Posting(Brief):
    """One line of a ledger.

    `settles` is the number of the reservation that a commitment or a cancellation refers to. Guarantee: the digest
    depends on every other field, so a changed, missing or moved entry does not fit those after it.
    """

    ledger: str
    number: int
    kind: Kind
    moment: str
    body: str
    previous: str
    settles: int | None = None
    key: str | None = None

    @cached_property
    def content(self) -> str:
        """Everything in the entry as canonical JSON, the digest of the previous one included."""
        stated = {
            "ledger": self.ledger,
            "number": self.number,
            "kind": self.kind,
            "moment": self.moment,
            "body": self.body,
            "previous": self.previous,
            "settles": self.settles,
            "key": self.key,
        }
        return canonical(stated)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content.encode()).hexdigest()

    @classmethod
    def parse(cls, content: bytes) -> Posting:
        """The entry with this content. Guarantee: no two contents give the same entry."""
        try:
            stated = json.loads(content)
            found = cls(**stated)
            texts = (found.ledger, found.kind, found.moment, found.body, found.previous)
            known = all(type(item) is str for item in texts) and type(found.number) is int
            known = known and type(found.settles) in (int, NoneType) and type(found.key) in (str, NoneType)
            if not known or found.content.encode() != content or not isinstance(found.data, dict):
                raise ValueError("it is not written as a ledger writes it")
        except (TypeError, ValueError, RecursionError) as error:
            raise LedgerError(f"this is no entry of a ledger: {error}") from error
        return found

    @cached_property
    def data(self) -> dict[str, Any]:
        """The body as plain data."""
        content = json.loads(self.body)
        if not isinstance(content, dict):
            raise ValueError("the body of an entry is a table")
        return content

    @property
    def charge(self) -> dict[str, Fraction]:
        """What a reservation charges."""
        return {str(item): amount_of(str(amount)) for item, amount in self.data["charge"].items()}

    def as_data(self) -> dict[str, Any]:
        """The entry as plain data, with its digest."""
        optional = {"settles": self.settles, "key": self.key}
        return {
            "number": self.number,
            "kind": self.kind,
            "moment": self.moment,
            **{name: value for name, value in optional.items() if value is not None},
            **self.data,
            "previous": self.previous,
            "digest": self.digest,
        }


_AMOUNT = re.compile(r"-?[0-9]+(/[0-9]+)?", re.ASCII)


def amount_of(stored: str) -> Fraction:
    """An amount as a ledger writes it: a fraction and nothing else, since 1e999999999 would be read for ever."""
    if not isinstance(stored, str) or _AMOUNT.fullmatch(stored) is None:
        raise ValueError(f"{stored!r:.60} is no amount")
    return Fraction(stored)


def charge_data(charge: Charge) -> dict[str, str]:
    """A charge as plain data, exactly."""
    return {item: str(amount) for item, amount in charge.items()}


def added(left: Charge, right: Charge, sign: int = 1) -> dict[str, Fraction]:
    """The sum of two charges, or their difference."""
    total = dict(left)
    for item, amount in right.items():
        total[item] = total.get(item, Fraction(0)) + sign * amount
    return total
