"""Small pairs: any two datasets of a few records of a few kinds, and how many records one has that the other lacks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

Pair = tuple[int, int, tuple[int, int]]
"""The places of two datasets among all, smallest first, and how many records appear and are gone from one to the other."""


def kinds(records: Sequence[Any]) -> tuple[int, ...]:
    """A number for each record, the same for those that are written alike."""
    written = [repr(record) for record in records]
    return tuple(written.index(words) for words in written)


@lru_cache(maxsize=64)
def all_pairs(numbers: tuple[int, ...], most: int) -> tuple[Pair, ...]:
    """Any two datasets of at most so many records, by their places among all, and how many records appear and are gone."""
    counts = [
        [dataset.count(kind) for kind in numbers]
        for size in range(most + 1)
        for dataset in itertools.combinations_with_replacement(numbers, size)
    ]
    own = [place for place, kind in enumerate(numbers) if kind == place]

    def more(one: list[int], other: list[int]) -> int:
        return sum(max(one[place] - other[place], 0) for place in own)

    return tuple(
        (one, other, (more(after, before), more(before, after)))
        for (one, before), (other, after) in itertools.product(enumerate(counts), repeat=2)
    )
