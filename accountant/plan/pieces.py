"""Pieces of plans that are given in Python: each is what it must be, has a name of its own, and fits what is promised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from attrs import evolve

from accountant.errors import Fault, InvalidValue, PlanError
from accountant.fields import shown
from accountant.plan.checks import declared, release_fits
from accountant.plan.inferred import misspelt
from accountant.promise.entities import Entity
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.specification import Specification
from accountant.release.release import Mechanism, Release
from accountant.values.reading import Reader

T = TypeVar("T")
_NUMBER = re.compile(r" \(\d+\)$")
_GIVE = 'give releases such as Gaussian(sigma="8").on(Count(["age"])), and mechanisms that need no query as they are'


def several(given: Iterable[T], what: str) -> tuple[T, ...]:
    """What a list holds; InvalidValue where it is none."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidValue(f"expected a list of {what}, got {shown(given)}; write {what}=[...]")
    return tuple(given)


def compared(
    neighbours: str | Relation | Neighbours,
    *,
    unit: str | None = None,
    attributes: Iterable[str] | None = None,
    group: int | None = None,
    entities: Iterable[Entity] | None = None,
) -> Neighbours:
    """The neighbours that are meant by a name, or as they are."""
    if not isinstance(neighbours, Neighbours):
        size, declared = 1 if group is None else group, () if entities is None else entities
        return Neighbours.of(neighbours, unit=unit or "person", attributes=attributes, group=size, entities=declared)
    if (unit, attributes, group, entities) != (None, None, None, None):
        raise InvalidValue(
            "neighbours that are given as a value say their unit, attributes and group themselves, and entities"
        )
    return neighbours


def release_of(given: object) -> Release:
    """A release, or that of a mechanism which needs no query."""
    if isinstance(given, Release):
        return given
    if isinstance(given, Mechanism):
        return Release.of(given)
    by_one = "; give them one by one: Plan.of(*releases)" if isinstance(given, (list, tuple)) else ""
    raise InvalidValue(f"expected a release, got {shown(given)}; {_GIVE}{by_one}")


def distinct(releases: Iterable[Release]) -> tuple[Release, ...]:
    """The releases, of which those that nobody named have names that no other one has.

    Two that were given one name are a PlanError.
    """
    known = tuple(releases)
    _given_once(known)
    taken = {release.name for release in known if not release.unnamed}
    return tuple(evolve(item, name=free(item.name, taken)) if item.unnamed else item for item in known)


def free(name: str, taken: set[str]) -> str:
    """The name, or where it is taken the name with the next number that is not; it is taken from then on."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{_NUMBER.sub('', name)} ({number})"
    taken.add(found)
    return found


def _given_once(releases: Iterable[Release]) -> None:
    seen: set[str] = set()
    faults = []
    for index, release in enumerate(releases):
        if release.name in seen and not release.unnamed:
            message = f"two releases are called '{release.name}'; give each its own name with .named(...)"
            faults.append(Fault(message, f"release[{index}].name"))
        seen.add(release.name)
    if faults:
        raise PlanError(tuple(faults))


def check_releases(reader: Reader, promised: Specification, releases: Iterable[Release]) -> None:
    """Note everything about releases that is not known between the datasets of a specification."""
    placed = {f"release[{index}]": release for index, release in enumerate(releases)}
    reader.faults.extend(misspelt(promised, placed))
    for place, release in placed.items():
        before = len(reader.faults)
        for part, attributes in release.mentions():
            declared(reader, promised, attributes, f"{place}.{part}")
        release_fits(reader, release, promised, place)
        reader.faults[before:] = [evolve(fault, name=release.name) for fault in reader.faults[before:]]
