"""Export: a ledger as a plan that certifies to the same account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import evolve

from accountant.errors import LedgerError
from accountant.ledger.batch import bridge_between, read_batch
from accountant.ledger.entries import Posting
from accountant.ledger.terms import Terms
from accountant.plan.plan import Plan
from accountant.registry.registry import Registry
from accountant.release.release import Release


def exported(terms: Terms, entries: Iterable[Posting], reserved: bool, registry: Registry) -> Plan:
    """The committed releases of a ledger, and on request those reserved, as a plan with the ledger's specification.

    Equal releases of one name become one release, so many times. Others that share a name are told apart by the number of
    their entry.
    """
    pending: dict[int, Posting] = {}
    kept: list[Posting] = []
    for entry in entries:
        if entry.kind == "reserved":
            pending[entry.number] = entry
        elif entry.settles is not None:
            settled = pending.pop(entry.settles)
            if entry.kind == "committed":
                kept.append(settled)
    if reserved:
        kept += pending.values()
    found: dict[str, list[tuple[int, Release]]] = {}
    for entry in sorted(kept, key=lambda item: item.number):
        for release in _releases(entry, terms, registry):
            _add(found.setdefault(release.name, []), entry.number, release)
    if not found:
        raise LedgerError("nothing is committed yet, and a plan needs at least one release")
    releases = tuple(release for group in found.values() for release in _distinct(group, set(found)))
    return evolve(terms.plan, releases=releases)


def _releases(entry: Posting, terms: Terms, registry: Registry) -> tuple[Release, ...]:
    data: dict[str, Any] = {"release": entry.data["releases"]}
    if "specification" in entry.data:
        data["specification"] = entry.data["specification"]
    batch = read_batch(data, terms, registry=registry)
    if batch.specification is not None and bridge_between(batch.specification, terms.plan.specification).group > 1:
        raise LedgerError(
            f"entry {entry.number} was described under other neighbours and charged as a group; no plan under the ledger's "
            "own neighbours says that"
        )
    return batch.releases


def _add(group: list[tuple[int, Release]], number: int, release: Release) -> None:
    for index, (first, other) in enumerate(group):
        if evolve(other, times=release.times) == release:
            group[index] = (first, evolve(other, times=other.times + release.times))
            return
    group.append((number, release))


def _distinct(group: list[tuple[int, Release]], taken: set[str]) -> list[Release]:
    releases = [group[0][1]]
    for number, release in group[1:]:
        name = f"{release.name}, entry {number}"
        while name in taken:
            name += "'"
        taken.add(name)
        releases.append(evolve(release, name=name))
    return releases
