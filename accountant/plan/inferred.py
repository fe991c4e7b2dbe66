"""Inferred attributes: where a domain does not declare what records have, which names may be misspelt.

An attribute that nobody else names is none to the promise: a release that reads it costs nothing. What cannot be meant is
refused, what may be is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from accountant.errors import Fault, nearest
from accountant.promise.specification import Scenario, Specification
from accountant.release.release import Release
from accountant.values.likeness import lookalikes
from accountant.values.writing import listed

DECLARE = "declare all attributes that a record has in the specification's 'domain'"


def misspelt(promised: Specification, releases: Mapping[str, Release]) -> Iterator[Fault]:
    """Attributes of releases, by place, that are not protected but look like one that is and that no release names."""
    protected = promised.neighbours.attributes
    if protected is None or promised.attributes is not None:
        return
    unread = protected - {name for release in releases.values() for _, named in release.mentions() for name in named}
    strange = {name for release in releases.values() for _, named in release.mentions() for name in named - protected}
    meant = {
        name: near
        for name, others in lookalikes(unread | strange).items()
        if name in strange and (near := [other for other in others if other in unread])
    }
    for place, release in releases.items():
        for part, named in release.mentions():
            for name in sorted(named & meant.keys()):
                yield Fault(
                    f"the promise does not protect '{name}', and no release names '{meant[name][0]}', which it protects; "
                    f"did you mean '{meant[name][0]}'? If records have both, {DECLARE}",
                    f"{place}.{part}",
                    release.name,
                )


def doubts(promised: Specification, releases: Mapping[str, Release], scenarios: Mapping[str, Scenario]) -> Iterator[Fault]:
    """What may be wrong with the attributes that are named, each with its place, where none are declared."""
    if promised.attributes is not None:
        return
    yield from _unprotected(promised, releases)
    uses = _uses(promised, releases, scenarios)
    for name, others in lookalikes(uses).items():
        if len(uses[name]) == 1:
            yield Fault(
                f"'{name}' is named here only, and looks like '{others[0]}'; if records have both, {DECLARE}",
                *uses[name][0],
            )
    yield from _named_by_scenarios_only(uses, releases, scenarios)


def _named_by_scenarios_only(
    uses: Mapping[str, list[tuple[str, str | None]]], releases: Mapping[str, Release], scenarios: Mapping[str, Scenario]
) -> Iterator[Fault]:
    """Attributes of scenarios that no query reads, where something is claimed: a claim answers for any word."""
    if any(release.query is not None and release.query.attributes is None for release in releases.values()):
        return
    places = {f"{place}.attributes" for place in scenarios}
    strange = {name for name, found in uses.items() if {place for place, _ in found} <= places}
    alike = lookalikes(uses)
    for place, scenario in scenarios.items():
        for name in sorted((scenario.attributes or frozenset()) & strange - alike.keys()):
            yield Fault(
                f"no query reads '{name}', so that only what is claimed counts here; if records have it, {DECLARE}",
                f"{place}.attributes",
                scenario.name,
            )


def look_alike(attribute: str, promised: Specification, releases: Iterable[Release]) -> str | None:
    """The attribute that is meant by one which nobody names but a scenario, and which looks like one that is named."""
    if promised.attributes is not None:
        return None
    known = {name for release in releases for _, named in release.mentions() for name in named}
    known |= promised.neighbours.attributes or frozenset()
    known = known.union(*(fixed.counts_by or () for fixed in promised.invariants if fixed.of is None))
    return None if attribute in known else lookalikes({attribute, *known}).get(attribute, (None,))[0]


def _unprotected(promised: Specification, releases: Mapping[str, Release]) -> Iterator[Fault]:
    """Attributes that some release reads and that may not differ between neighbours."""
    protected = promised.neighbours.attributes
    if protected is None:
        return
    readers: dict[str, list[str]] = {}
    for release in releases.values():
        for name in sorted(frozenset().union(*(named for _, named in release.mentions()))):
            readers.setdefault(name, []).append(release.name)
    strange = [f"'{name}' (in {listed(readers[name])})" for name in sorted(readers.keys() - protected)]
    if not strange:
        return
    unread = sorted(protected - readers.keys())
    beside = f", while no release names {listed(unread)}, which it does" if unread else ""
    yield Fault(
        f"the promise does not protect what releases tell of {', '.join(strange)}{beside}; if that is meant, {DECLARE}",
        "specification.attributes",
    )


def _uses(
    promised: Specification, releases: Mapping[str, Release], scenarios: Mapping[str, Scenario]
) -> dict[str, list[tuple[str, str | None]]]:
    """The places that name each attribute, each with what is called so there."""
    named: list[tuple[str, str | None, frozenset[str]]]
    named = [("specification.attributes", None, promised.neighbours.attributes or frozenset())]
    named += [
        (f"specification.invariants[{index}].counts_by", None, known.counts_by or frozenset())
        for index, known in enumerate(promised.invariants)
        if known.of is None
    ]
    named += [
        (f"{place}.{part}", release.name, names)
        for place, release in releases.items()
        for part, names in release.mentions()
    ]
    named += [
        (f"{place}.attributes", scenario.name, scenario.attributes or frozenset()) for place, scenario in scenarios.items()
    ]
    uses: dict[str, list[tuple[str, str | None]]] = {}
    for place, owner, names in named:
        for name in names:
            uses.setdefault(name, []).append((place, owner))
    return uses


def uncovered(promised: Specification, releases: Iterable[Release]) -> Iterator[Fault]:
    """Units of whom no budget speaks, and values of cohorts that look like a part that some release looks at."""
    if (words := promised.uncovered) is not None:
        yield Fault(words, "budget")
    parts: dict[str, set[str]] = {}
    for release in releases:
        if release.scope is not None:
            parts.setdefault(release.scope.partition, set()).add(release.scope.part)
    for index, budget in enumerate(promised.budgets):
        by, values = (frozenset(), frozenset()) if budget.cohort is None else (budget.cohort.by, budget.cohort.named)
        for attribute in sorted(by & parts.keys()):
            for value in sorted(values - parts[attribute]):
                if (near := nearest(value, parts[attribute])) is not None:
                    message = f"no release looks at the part '{value}' of '{attribute}'; did you mean '{near}'?"
                    yield Fault(message, f"budget[{index}].cohort.values")
