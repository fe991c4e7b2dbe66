"""Base measures: which outputs agree with what is public, and how likely they are before the data are seen."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from accountant import InvalidValue
from accountant.fields import ExactLike, exact, plain

Counts = tuple[int, ...]


def with_total(cells: int, total: int) -> Iterator[Counts]:
    """All ways to share a public total out over so many cells, none of them negative."""
    if cells < 1 or total < 0:
        raise InvalidValue(f"expected at least one cell and a total of at least 0, got {cells} and {total}")
    for bars in itertools.combinations(range(total + cells - 1), cells - 1):
        edges = (-1, *bars, total + cells - 1)
        yield tuple(right - left - 1 for left, right in itertools.pairwise(edges))


def with_parts(cells: int, total: int) -> Iterator[tuple[Counts, Counts]]:
    """All counts with a public total, each with a part of every cell: cases of which some are deaths."""
    for counts in with_total(cells, total):
        for parts in itertools.product(*(range(count + 1) for count in counts)):
            yield counts, parts


def dirichlet_multinomial(
    total: int, previous: Sequence[ExactLike], concentration: ExactLike, floor: ExactLike = 0
) -> dict[Counts, Fraction]:
    """Counts with a public total that are likely to be shared out as earlier public counts were.

    Definition: with a_j = concentration times the larger of previous_j and the floor, A their sum, s the total, y has the
    probability s!/(A (A + 1) ... (A + s - 1)) times the product over cells of a_j (a_j + 1) ... (a_j + y_j - 1)/y_j!.
    Guarantee: exact; sums to 1, with the mean s a_j/A in cell j. All a_j must be positive: an earlier count of 0 needs a
    floor, or a cell that was empty once could never be filled again.
    """
    strength, least = exact(concentration), exact(floor)
    shapes = [strength * max(exact(count), least) for count in previous]
    for place, shape in enumerate(shapes):
        if shape <= 0:
            raise InvalidValue(
                f"cell {place} has an earlier count of {plain(exact(previous[place]))}, which leaves it impossible; give a "
                "positive concentration and a floor above 0 for empty cells, such as floor = '1/2'"
            )
    whole = rising(sum(shapes, Fraction(0)), total)
    return {
        counts: math.prod((rising(shape, count) for shape, count in zip(shapes, counts, strict=True)), start=1 / whole)
        for counts in with_total(len(shapes), total)
    }


def rising(shape: Fraction, count: int) -> Fraction:
    """shape (shape + 1) ... (shape + count - 1)/count!."""
    return math.prod(((shape + step) / (step + 1) for step in range(count)), start=Fraction(1))
