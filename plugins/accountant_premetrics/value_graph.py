"""ValueGraph: which values are joined, and how many edges lead from one to another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations

from attrs import frozen

from accountant import InvalidValue

MOST_VALUES, MOST_ENTRIES = 1_000, 10_000


@frozen
class ValueGraph:
    """Values, and lists of values each of which is joined to all others of its list."""

    values: tuple[str, ...]
    lists: tuple[tuple[str, ...], ...]

    def check(self) -> None:
        """InvalidValue with everything that is wrong with the lists."""
        known = set(self.values)
        faults = [] if self.lists else ["nothing is joined, so that no two datasets are compared and nothing is promised"]
        if sum(map(len, self.lists)) > MOST_ENTRIES:
            raise InvalidValue(f"at most {MOST_ENTRIES:,} values may stand in all lists together")
        for place, joined in enumerate(self.lists, start=1):
            faults += [f"list {place}: '{value}' is none of the values" for value in joined if value not in known]
            if len(set(joined)) < max(2, len(joined)):
                faults.append(f"list {place}: expected at least two different values, each once, got {list(joined)}")
        if faults:
            raise InvalidValue("; ".join(faults))

    @cached_property
    def _memberships(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {value: [] for value in self.values}
        for place, joined in enumerate(self.lists):
            for value in joined:
                found[value].append(place)
        return {value: tuple(places) for value, places in found.items()}

    def joins(self, one: object, other: object) -> bool:
        """Whether an edge leads from one value to the other."""
        return one != other and any(one in joined and other in joined for joined in self.lists)

    def edges(self) -> Iterator[tuple[str, str]]:
        """All edges, some perhaps more than once."""
        for joined in self.lists:
            yield from combinations(joined, 2)

    def distances(self, start: str) -> dict[str, int]:
        """How many edges lead from a value to every other that any lead to."""
        found, edge, used = {start: 0}, [start], set[int]()
        while edge:
            lists = {place for value in edge for place in self._memberships[value]} - used
            used |= lists
            depth = found[edge[0]] + 1
            edge = list(dict.fromkeys(value for place in lists for value in self.lists[place] if value not in found))
            found.update(dict.fromkeys(edge, depth))
        return found

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The values that edges connect, part by part, in the order of the values."""
        left, found = dict.fromkeys(self.values), []
        while left:
            reached = self.distances(next(iter(left)))
            found.append(tuple(value for value in self.values if value in reached))
            left = {value: None for value in left if value not in reached}
        return tuple(found)

    @cached_property
    def diameter(self) -> int:
        """The most edges that lie between two values that any connect."""
        return max(max(self.distances(value).values()) for value in self.values)
