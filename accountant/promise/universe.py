"""Universe: the datasets that agree on everything published exactly, and how far apart they are.

Invariants are counts of units by attributes. Two facts decide everything here.

- *Margins.* Counts by A fix counts by B exactly when B is a subset of A. If B is a subset of no A that is published, the
  dataset of all combinations of B with an even number of second values, and that of all with an odd number, have the same
  counts by every A: any proper part of B takes each combination equally often in both.
- *Exchanges.* One record can change alone, and keep all counts, only in attributes that no published count looks at. Two
  records can exchange their values of an attribute a, and keep all counts, exactly when they differ in some attribute b
  that no published count combines with a: otherwise exchanging a alone changes a count, and exchanging all they differ in
  changes nothing.

See docs/explanation/invariants.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable

from attrs import frozen

from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours

Dataset = tuple[frozenset[str], ...]
"""Records, each given by the attributes in which it has its second value."""


@frozen
class Fixing:
    """Whether some invariants fix others: yes, no with two datasets that show it, or not known."""

    holds: bool | None
    missing: tuple[Invariant, ...] = ()
    witness: tuple[Dataset, Dataset] | None = None


def meet(left: Iterable[Invariant], right: Iterable[Invariant]) -> tuple[Invariant, ...]:
    """Everything that is published exactly by either, without what the rest determines, in order of name."""
    every = sorted({*left, *right}, key=_order)
    kept = [
        invariant
        for place, invariant in enumerate(every)
        if not any(
            other.determines(invariant) and (not invariant.determines(other) or rank < place)
            for rank, other in enumerate(every)
            if other != invariant
        )
    ]
    return tuple(kept)


def refines(fine: Collection[Invariant], coarse: Collection[Invariant]) -> Fixing:
    """Whether datasets that agree on `fine` always agree on `coarse`.

    A promise about universes of `coarse` then speaks about those of `fine` as well.
    """
    missing = tuple(known for known in coarse if not any(other.determines(known) for other in fine))
    if not missing:
        return Fixing(True)
    if any(other.counts_by is None for other in fine):
        return Fixing(None, missing)
    for known in missing:
        if known.counts_by is not None:
            return Fixing(False, (known,), _parities(sorted(known.counts_by)))
    return Fixing(None, missing)


def _order(invariant: Invariant) -> tuple[str, tuple[str, ...], str]:
    return invariant.name, tuple(sorted(invariant.counts_by or ())), invariant.of or ""


def _parities(attributes: list[str]) -> tuple[Dataset, Dataset]:
    """The combinations with an even and with an odd number of second values; for no attributes, no record and one."""
    sides: tuple[list[frozenset[str]], list[frozenset[str]]] = ([], [])
    for size in range(len(attributes) + 1):
        sides[size % 2].extend(frozenset(chosen) for chosen in itertools.combinations(attributes, size))
    return tuple(sides[0]), tuple(sides[1])


@frozen
class Closest:
    """How many units differ at least between datasets that agree on all invariants and differ at all.

    `most` is None where no bound is known; both are None where no two datasets are comparable.
    """

    least: int | None
    most: int | None

    @property
    def vacuous(self) -> bool:
        """Whether no two datasets are compared."""
        return self.least is None


def closest(invariants: Iterable[Invariant], neighbours: Neighbours, attributes: Collection[str] | None = None) -> Closest:
    """The distance to the nearest comparable dataset that differs in what neighbours may differ in.

    `attributes` are all that a record has, or None where there may be others, such as who it belongs to. Counts of other
    units do not change with the records. Invariants known by name only may separate datasets that all counts join: with
    them, the distance has no upper bound.
    """
    own = [invariant for invariant in invariants if invariant.of is None]
    counts = [invariant.counts_by for invariant in own if invariant.counts_by is not None]
    everything = {_OTHER} if attributes is None else set(attributes)
    everything.update(neighbours.attributes or (), *counts)
    differing = everything if neighbours.attributes is None else set(neighbours.attributes)
    moves = neighbours.relation.moves
    # A record that appears where counts are fixed takes another's place: two steps, unless a move replaces.
    step = 1 if any(appear == disappear for appear, disappear in moves) else 2
    least, most = (1, 1) if step == 2 and not counts else _replaced(counts, differing, everything, step)
    if least is not None and any(max(move) > 1 for move in moves):
        # Moves of several records at once may lead farther in one step, and nowhere else: only that is known.
        return Closest(1, None)
    opaque = len(counts) < len(own)
    return Closest(least, None if opaque else most)


_OTHER = "anything else"


def _replaced(
    counts: list[frozenset[str]], differing: set[str], everything: set[str], step: int
) -> tuple[int | None, int | None]:
    """How far apart datasets are if so many steps replace a record: the least and the most that can be."""
    if any(not any(attribute in counted for counted in counts) for attribute in differing):
        return step, step
    if not differing or any(counted >= everything for counted in counts):
        return None, None
    for attribute in differing:
        if everything - {attribute}.union(*(counted for counted in counts if attribute in counted)):
            return 2 * step, 2 * step
    # All combinations with an even number of second values against all with an odd number.
    return 3 * step, step * 2 ** (len(everything) - 1)
