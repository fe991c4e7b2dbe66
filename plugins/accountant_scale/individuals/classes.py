"""Classes: releases that cost a unit the same each time, so that only how often it took part in them counts."""

from __future__ import annotations

import json
from collections.abc import Hashable
from functools import lru_cache

from attrs import evolve, frozen

from accountant import Account, account, read_plan
from accountant.accounting import Entry

_WIDTH = 6


@frozen
class Classes:
    """The releases of an account by class. A class is named by digits of one width, so that names sort as texts."""

    account: Account
    names: tuple[str, ...]
    """The class of each release, in the order of the account."""

    @classmethod
    def of(cls, account: Account) -> Classes:
        """Releases are of one class where they only differ in their names and in how often they are made."""
        known: dict[Hashable, str] = {}
        return cls(account, tuple(known.setdefault(entry.key, f"{len(known):0{_WIDTH}}") for entry in account.entries))

    def columns(self) -> dict[str, list[str]]:
        """A table of the releases: name, number, class, and how often the plan makes it."""
        releases = self.account.plan.releases
        return {
            "release": [release.name for release in releases],
            "number": [str(number) for number in range(len(releases))],
            "class": list(self.names),
            "most": [str(release.times) for release in releases],
        }

    def taking(self, signature: str) -> Account:
        """The account of a unit that takes part in so many releases of each class."""
        first = dict(zip(reversed(self.names), reversed(self.account.entries), strict=True))
        entries = tuple(_times(first[name], times) for name, times in terms(signature))
        plan = evolve(self.account.plan, releases=tuple(entry.release for entry in entries))
        return Account.of(plan, entries, self.account.registry)

    def words(self, signature: str) -> str:
        """A signature as people read it: how often, and the first release of each class."""
        first = self.firsts()
        return ", ".join(f"{times:,} x {first[name]}" for name, times in terms(signature)) or "nothing"

    def firsts(self) -> dict[str, str]:
        """The first release of each class, by its name in the plan."""
        names = (release.name for release in reversed(self.account.plan.releases))
        return dict(zip(reversed(self.names), names, strict=True))


def terms(signature: str) -> list[tuple[str, int]]:
    """The classes of a signature, and how often."""
    parts = (term.split(":") for term in signature.split())
    return [(name, int(times)) for name, times in parts]


def _times(entry: Entry, times: int) -> Entry:
    return evolve(entry, release=evolve(entry.release, times=times))


@lru_cache(maxsize=4)
def classes_of(plan: str) -> Classes:
    """The classes of a plan that travels as text, made once wherever it arrives."""
    return Classes.of(account(read_plan(json.loads(plan))))
