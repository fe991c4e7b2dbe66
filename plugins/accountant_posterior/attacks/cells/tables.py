"""Which releases of a plan an attacker looks at, and at which level of geography each is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attrs import frozen

from accountant import Fault, InvalidValue, Plan, PlanError, Release
from accountant_posterior.attacks.cells.attacker import Knowledge, Looked
from accountant_posterior.attacks.cells.mechanisms import noise_of
from accountant_posterior.attacks.cells.noise import Nothing
from accountant_posterior.semantics.adversary import check_usual

_MOST = 1000


@frozen(eq=False)
class Tables:
    """The histograms that are looked at, the attributes that they are by, and the releases that are not looked at."""

    looked: tuple[Looked, ...]
    columns: tuple[str, ...]
    others: tuple[str, ...]


def tables_of(plan: Plan, places: Sequence[str], knows: Knowledge, of: Collection[str] | None, *, alike: bool) -> Tables:
    """The tables of a plan by the given places, the smallest first; `alike` wants all to be by the same attributes."""
    faults: list[Fault] = []
    found: list[Looked] = []
    others: list[str] = []
    check_usual(plan.specification.neighbours)
    edits = plan.specification.neighbours.relation.edits
    for release in plan.releases:
        level, columns = _level(release, places)
        wanted = of is None or columns == frozenset(of)
        # Where a unit is replaced it is known to live there: tables by nothing else tell nothing about it.
        if level is None or not wanted or not _followed(level, knows) or (edits and not columns):
            others.append(release.name)
            continue
        try:
            found.append(_looked(release, level, columns))
        except InvalidValue as error:
            faults.append(Fault(str(error), f"release '{release.name}'"))
    if faults:
        raise PlanError(tuple(faults))
    named = frozenset[str]().union(*(table.columns for table in found))
    one_table = {table.columns for table in found} if alike or knows == "hierarchy" else None
    exact = list(_exact(plan, places, named, edits))
    looked = [one for one in exact if _followed(one.level, knows) and (one_table is None or one.columns in one_table)]
    others += [one.name for one in exact if one not in looked]
    found += looked
    _complete(found, places, knows, alike)
    return Tables(tuple(found), tuple(sorted(named)), tuple(others))


def _followed(level: int, knows: Knowledge) -> bool:
    """Whether tables of a level are looked at: who knows a block learns nothing from larger areas."""
    return level == 0 or knows != "block"


def _level(release: Release, places: Sequence[str]) -> tuple[int | None, frozenset[str]]:
    """At which level a histogram is, and by what beside the place."""
    query = release.query
    if query is None or query.kind != "histogram" or query.attributes is None:
        return None, frozenset()
    inside = [level for level, place in enumerate(places) if place in query.attributes]
    return (inside[0] if inside else None), query.attributes - set(places)


def _looked(release: Release, level: int, columns: frozenset[str]) -> Looked:
    if release.sampling is not None or release.scope is not None:
        raise InvalidValue("looks at some records only; the attack follows releases of all records")
    if release.times > _MOST:
        raise InvalidValue(f"is made {release.times:,} times; the attack follows at most {_MOST:,}")
    return Looked(release.name, level, columns, noise_of(release.mechanism, release.name), release.times, release.mechanism)


def _exact(plan: Plan, places: Sequence[str], named: frozenset[str], edits: bool) -> Iterator[Looked]:
    """What invariants publish exactly of the attributes that are looked at: the margins by these, each once."""
    seen: set[tuple[int, frozenset[str]]] = set()
    for invariant in plan.specification.invariants:
        by, unit = invariant.counts_by, plan.specification.neighbours.unit
        if by is None or invariant.of not in (None, unit):
            continue
        for level, place in enumerate(places):
            margin = level, by & named
            if place in by and margin not in seen and (margin[1] or not edits):
                seen.add(margin)
                yield Looked(f"{invariant.name} (exact)", *margin, Nothing())


def _complete(found: Sequence[Looked], places: Sequence[str], knows: Knowledge, alike: bool) -> None:
    if not any(table.level == 0 for table in found):
        raise InvalidValue(
            f"no histogram by '{places[0]}' tells anything about a person; name the attribute of the smallest areas first "
            "in --places, and with --of attributes of a table by it"
        )
    if knows == "hierarchy" and len(places) < 2:
        raise InvalidValue("a hierarchy has at least two places; name the larger areas in --places too")
    if alike or knows == "hierarchy":
        kinds = sorted({" and ".join(sorted(table.columns)) or "the place alone" for table in found})
        if len(kinds) > 1:
            raise InvalidValue(
                f"this attacker follows one table through all levels, and there are tables by {'; '.join(kinds)}; say "
                "which with --of"
            )
    if alike or knows == "hierarchy":
        for level, place in enumerate(places if knows != "block" else places[:1]):
            if not any(table.level == level for table in found):
                raise InvalidValue(
                    f"no table by '{place}' is like that of the smallest areas; leave '{place}' out of --places"
                )
