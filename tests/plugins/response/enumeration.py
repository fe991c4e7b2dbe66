"""Local reports by enumeration, in rationals or in many digits: nothing here uses the losses that are tested."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Law = Mapping[Hashable, Any]
Pair = list[tuple[Any, Any]]


def categories(count: int, odds: Any) -> list[Law]:
    """The law of the report of each of so many categories, kept with such odds against any other."""
    return [{seen: (odds if seen == true else 1) / (odds + count - 1) for seen in range(count)} for true in range(count)]


def subsets(count: int, size: int, odds: Any) -> list[Law]:
    """Subsets as they are drawn: first whether the true category is in, then the rest uniformly."""
    found: list[Law] = []
    inside = size * odds / (size * odds + count - size)
    for true in range(count):
        law = {}
        for subset in itertools.combinations(range(count), size):
            has = true in subset
            alike = [s for s in itertools.combinations(range(count), size) if (true in s) == has]
            law[subset] = (inside if has else 1 - inside) / len(alike)
        found.append(law)
    return found


def bits(count: int, kept: Any, set_by_chance: Any) -> list[Law]:
    """A bit for each category, set with one chance for the true one and with another for all others."""
    found: list[Law] = []
    for true in range(count):
        law = {}
        for outcome in itertools.product((0, 1), repeat=count):
            chance = 1
            for place, bit in enumerate(outcome):
                rate = kept if place == true else set_by_chance
                chance = chance * (rate if bit else 1 - rate)
            law[outcome] = chance
        found.append(law)
    return found


def shuffled(laws: Iterable[Law]) -> Law:
    """How many reports say what, as a sorted tuple of reports."""
    seen: Law = {(): 1}
    for law in laws:
        longer: defaultdict[Hashable, Any] = defaultdict(int)
        for reports, chance in seen.items():
            for report, more in law.items():
                longer[tuple(sorted((*reports, report)))] += chance * more  # type: ignore[misc]
        seen = longer
    return seen


def pair(left: Law, right: Law) -> Pair:
    """The masses of every outcome under both laws."""
    return [(left.get(seen, 0), right.get(seen, 0)) for seen in {**left, **right}]


def every_pair(rows: Sequence[Law]) -> list[Pair]:
    """The pairs of all two different rows, in both orders."""
    return [pair(left, right) for left, right in itertools.permutations(rows, 2)]


def delta(atoms: Pair, ratio: Any) -> Any:
    """The hockey-stick divergence at e^epsilon = ratio."""
    return sum((max(p - ratio * q, 0) for p, q in atoms), 0)


def dominates(above: Pair, below: Pair) -> bool:
    """Whether the first pair's delta is at least the second's everywhere: both are linear between likelihood ratios."""
    ratios = {p / q for p, q in [*above, *below] if q}
    return all(delta(above, ratio) >= delta(below, ratio) for ratio in ratios)


def hidden(odds: Any, reports: int, clone: Any, silent: Any = 0) -> Pair:
    """One report that says 0, 1 or (with chance `silent`) 2, among others that say 0 and 1 with chance `clone` each."""
    alone = (1 - silent) / (odds + 1)
    rows = [{0: odds * alone, 1: alone, 2: silent}, {0: alone, 1: odds * alone, 2: silent}]
    crowd = [{0: clone, 1: clone, 2: 1 - 2 * clone}] * (reports - 1)
    laws = [shuffled([row, *crowd]) for row in rows]
    return pair(*laws)


def largest_ratio(rows: Sequence[Law]) -> Fraction:
    """e^epsilon of a randomiser that is given by its laws, all outcomes being possible."""
    return max(row[seen] / other[seen] for row in rows for other in rows for seen in row)
