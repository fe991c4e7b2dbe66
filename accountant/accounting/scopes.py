"""Parallel composition: what may become of one unit where releases look at parts of the records only.

A plan whose releases have scopes costs what its worst case costs, and each case is an account without scopes. See
docs/explanation/scopes.md.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from attrs import evolve, frozen

from accountant.accounting.entry import Entry
from accountant.accounting.formulas import FormulaValue
from accountant.accounting.theorems import PARALLEL
from accountant.errors import InvalidValue
from accountant.numbers.interval import larger
from accountant.promise.guarantee import Guarantee, Step

MOST_CASES = 10_000


@frozen
class Whereabouts:
    """Where one unit is in either dataset, in words, and what the releases that see it lose."""

    words: str
    entries: tuple[Entry, ...]

    @property
    def key(self) -> Hashable:
        """All that the cost of the case depends on: names, order and scopes of its releases do not matter."""
        return self._counted(False)

    @property
    def exchanged_key(self) -> Hashable:
        """The key with the two datasets exchanged."""
        return self._counted(True)

    def _counted(self, exchanged: bool) -> Hashable:
        counts: Counter[Hashable] = Counter()
        for entry in self.entries:
            release = entry.release
            moved = entry.moved and entry.loss.reverse() is not entry.loss
            side = entry.arrives != exchanged if moved else None
            counts[release.mechanism, release.query, release.sampling, entry.moved, side] += release.times
        return frozenset(counts.items())


def whereabouts(entries: Sequence[Entry]) -> tuple[Whereabouts, ...]:
    """All that may become of one unit, each case once; none if no release has a scope."""
    partitions: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        scope = entry.release.scope
        if scope is not None:
            partitions.setdefault(scope.partition, {}).setdefault(scope.part, []).append(entry)
    if not partitions:
        return ()
    everywhere = tuple(entry for entry in entries if entry.release.scope is None)
    unit = f"one {entries[0].neighbours.unit}"
    choices = [_distinct(_places(name, parts)) for name, parts in partitions.items()]
    if math.prod(map(len, choices)) > MOST_CASES:
        raise _too_many()
    together = (
        Whereabouts(
            f"{unit} {' and '.join(place.words for place in places)}",
            everywhere + tuple(entry for place in places for entry in place.entries),
        )
        for places in itertools.product(*choices)
    )
    return tuple(_distinct(together, exchangeable=True))


def _places(name: str, parts: dict[str, list[Entry]]) -> Iterator[Whereabouts]:
    """Where a unit may be in the parts of one partition, so that no other place costs more."""
    scope = next(iter(parts.values()))[0].release.scope
    neighbours = next(iter(parts.values()))[0].neighbours
    assert scope is not None
    may_change = scope.may_change(neighbours)
    in_both = " in both datasets" if may_change else ""
    alike: dict[Hashable, list[tuple[str, list[Entry]]]] = {}
    for part, inside in parts.items():
        case = Whereabouts(f"whose {name} is {part}{in_both}", tuple(entry.staying for entry in inside))
        alike.setdefault(case.key, []).append((part, inside))
        if len(alike[case.key]) == 1:
            yield case
    if not may_change:
        return
    # A third part that is like two others gives no further pair of parts.
    kept = [member for members in alike.values() for member in members[:2]]
    if len(kept) == 1:
        part, inside = kept[0]
        yield Whereabouts(f"whose {name} is {part} in one dataset only", tuple(entry.leaving for entry in inside))
    for (first, left), (second, right) in itertools.permutations(kept, 2):
        yield Whereabouts(
            f"whose {name} is {first} in one dataset and {second} in the other",
            tuple(entry.leaving for entry in left) + tuple(entry.arriving for entry in right),
        )


def _distinct(found: Iterable[Whereabouts], exchangeable: bool = False) -> list[Whereabouts]:
    """The first of all cases that cost the same. Readings take the worse direction, so datasets may be exchanged."""
    kept: dict[Hashable, Whereabouts] = {}
    for case in found:
        if not (exchangeable and case.exchanged_key in kept):
            kept.setdefault(case.key, case)
        if len(kept) > MOST_CASES:
            raise _too_many()
    return list(kept.values())


def _too_many() -> InvalidValue:
    return InvalidValue(
        f"there are more than {MOST_CASES:,} cases of where a unit may be; leave some scopes out, or give parts that need "
        "not differ the same releases: those are counted once"
    )


def worst(found: Sequence[tuple[str, Guarantee]]) -> Guarantee:
    """The guarantee of the worst of several cases, each in words: it holds wherever the unit is."""
    words, worst_one = max(found, key=lambda item: item[1].value.upper)
    value = larger(guarantee.value for _, guarantee in found)
    known = "the only case is" if len(found) == 1 else f"the worst of {len(found):,} cases is"
    statement = f"{worst_one.name} of all releases together{worst_one.at_words}: {known} {words}"
    steps = worst_one.derivation
    return evolve(worst_one, value=value, derivation=(*steps, Step(statement, PARALLEL, (len(steps),), value)))


def worst_formulas(found: Sequence[tuple[FormulaValue, ...]]) -> tuple[FormulaValue, ...]:
    """What each formula that applies in every case gives in its worst."""
    named = [{item.conversion: item for item in items} for items in found]
    common = sorted(set.intersection(*(set(items) for items in named)))
    return tuple(max((items[name] for items in named), key=lambda item: item.value.upper) for name in common)
