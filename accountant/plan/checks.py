"""Checks: what the parts of a plan must be to each other, each fault at the part that has to change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from accountant.promise.domain import Domain
from accountant.promise.entities import Entity
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import of_another_unit
from accountant.promise.specification import Knowledge, Specification
from accountant.release.claim import SAMPLED_CLAIM, rests_on_claims
from accountant.release.once import once
from accountant.release.release import Release
from accountant.values.reading import Reader

Check = Callable[[Reader, Mapping[str, Any], Mapping[str, Any], str], None]
"""Notes the faults of a table at a place, from what it gives and what has been read of it so far."""


def asks_query(reader: Reader, given: Mapping[str, Any], read: Mapping[str, Any], place: str) -> None:
    """A mechanism that is applied to a query has one."""
    mechanism = read["mechanism"]
    if mechanism is not None and mechanism.asks_query and "query" not in given:
        kind = next(part.kind for _, part in mechanism.nested() if part.needs_query)
        reader.missing("query", place, f"'{kind}' needs to know what it is applied to")


def sees_laws(reader: Reader, given: Mapping[str, Any], read: Mapping[str, Any], place: str) -> None:
    """What is done to a sample is known by its laws, not by a claim."""
    if read["mechanism"] is not None and "sampling" in given and rests_on_claims(read["mechanism"]):
        reader.fault(SAMPLED_CLAIM, f"{place}.sampling")


def says_releases(reader: Reader, given: Mapping[str, Any], read: Mapping[str, Any], place: str) -> None:
    """A plan releases something."""
    if given.get("release", []) == [] and given.get("table", []) == []:
        reader.fault("a plan needs at least one release; add a [[release]] table", "release")


def names_differ(reader: Reader, given: Mapping[str, Any], key: str) -> None:
    """The tables of a list have different names; those that could not be read count too."""
    tables = given.get(key, [])
    seen: set[str] = set()
    for index, item in enumerate(tables if isinstance(tables, list) else []):
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(name, str) and name in seen:
            reader.fault(f"two {key}s are called '{name}'; give each its own name", f"{key}[{index}].name")
        elif isinstance(name, str):
            seen.add(name)


def rows_differ(reader: Reader, releases: Mapping[str, Release | None]) -> None:
    """No row is called like a release that was read before."""
    seen: dict[str, str] = {}
    for place, release in releases.items():
        if release is not None and seen.setdefault(release.name, place) != place and place.startswith("table"):
            reader.fault(f"{seen[release.name]} is called '{release.name}' too; give each its own name", f"{place}.name")


def names_declared(reader: Reader, given: Mapping[str, Any], read: Mapping[str, Any], place: str) -> None:
    """A specification names only attributes that its domain declares, and entities that do not contradict each other."""
    stated = read["domain"] or Domain()
    policy = None if read["neighbours"] is None else read["neighbours"].policy
    differing = read["attributes"] if policy is None else policy.differing
    _counted_by_declared(reader, stated, read["invariants"])
    declared(reader, stated, differing, f"{place}.{'attributes' if policy is None else 'neighbours'}")
    if policy is not None and read["unit"] is not None:
        for key, message in of_another_unit(policy, read["unit"], read["entities"]):
            reader.fault(message, f"{place}.{key}")
    _statistics_differ(reader, read["invariants"])
    tables = given.get("entities") or ()
    found = [_as_far_as_read(*item) for item in zip(read["entities"].values(), tables, strict=False)]
    entities = [entity for entity in found if entity is not None]
    if not entities or len(entities) < len(found) or None in (read["neighbours"], read["unit"]):
        return
    from accountant.promise.declared import contradictions

    invariants = tuple(read["invariants"].values())
    wrong = contradictions(entities, read["unit"], read["neighbours"], differing, invariants, stated)
    for where, message in wrong:
        reader.fault(message, f"{place}.{where}")


def _counted_by_declared(reader: Reader, stated: Domain, invariants: Mapping[str, Invariant | None]) -> None:
    """Statistics about units count by attributes that a domain declares."""
    for where, known in invariants.items():
        if known is not None and known.of is None:
            declared(reader, stated, known.counts_by, f"{where}.counts_by")


def _statistics_differ(reader: Reader, invariants: Mapping[str, Invariant | None]) -> None:
    """Statistics that are not the same are not called the same."""
    called: dict[str, Invariant] = {}
    for where, known in invariants.items():
        if known is not None and called.setdefault(known.name, known) != known:
            reader.fault(f"'{known.name}' is the name of two different statistics; give each its own name", f"{where}.name")


def _as_far_as_read(entity: Entity | None, table: Any) -> Entity | None:
    """An entity; of one that has faults its name and what it is in, so that others are not told that nobody declared it."""
    if entity is not None:
        return entity
    kept = {key: table[key] for key in ("name", "within") if key in table} if isinstance(table, Mapping) else {}
    return Reader().attempt("", Entity, **kept)


def declared(reader: Reader, known: Domain | Specification, attributes: Collection[str] | None, place: str) -> None:
    """Attributes at a place are among those that a domain declares, or the entities of a specification."""
    for message in known.undeclared(attributes):
        reader.fault(message, place)


def release_fits(reader: Reader, release: Release, promised: Specification, place: str) -> None:
    """All that a release is made of is accounted for between the neighbours of a specification."""
    neighbours = promised.neighbours
    for path, part in release.mechanism.nested():
        where = f"{place}.mechanism{path}"
        reader.attempt(where, once, part.check, neighbours.relation)
        reader.attempt(where, once, part.check_declared, promised.invariants)
    if release.query is not None:
        reader.attempt(f"{place}.query", once, release.query.shift, neighbours)
        for key, what in (("sampling", "sampling"), ("scope", "a scope")):
            if getattr(release, key) is not None:
                reader.attempt(f"{place}.{key}", release.query.check_plain, neighbours, what)
    if release.sampling is not None:
        reader.attempt(f"{place}.sampling", once, release.sampling.check, neighbours)
        reader.attempt(f"{place}.sampling", once, release.sampling.check_group, neighbours)
    if release.scope is not None:
        reader.attempt(f"{place}.scope", once, release.scope.check, neighbours)


def public_fits(reader: Reader, known: Knowledge, promised: Specification, place: str) -> None:
    """A plan's account can say something relative to public information."""
    neighbours = promised.neighbours
    if neighbours.group != 1 or neighbours.attributes is not None:
        reader.fault(
            "secrets are about one unit while all that others have may vary; leave 'group' and 'attributes' out of "
            "the specification",
            place,
        )
        return
    if promised.inside:
        reader.fault(
            "relative to public information datasets are compared that need not agree on what is published exactly; leave "
            "'inside' out of the specification",
            place,
        )
        return
    names = tuple(invariant.name for invariant in promised.invariants)
    reader.attempt(f"{place}.determines", known.public.check_declared, names)
    reader.attempt(place, known.public.reach, neighbours)
