"""Sensitivities by trying everything: all patterns, all signs, many directions, straight from what is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product

Strategy = Sequence[Sequence[Fraction]]
DIRECTIONS = [(Fraction(x, z), Fraction(y, z)) for x, y, z in ((1, 0, 1), (3, 4, 5), (-3, 4, 5))]
DIRECTIONS += [(-x, -y) for x, y in DIRECTIONS]


def patterns(steps: int, participations: int, separation: int) -> Iterator[tuple[int, ...]]:
    """Every set of steps that one unit may contribute at."""
    for size in range(1, participations + 1):
        for chosen in combinations(range(steps), size):
            if all(later - earlier >= separation for earlier, later in pairwise(chosen)):
                yield chosen


def moved(strategy: Strategy, moves: dict[int, tuple[Fraction, ...]]) -> Fraction:
    """The squared L2 norm by which all published combinations move together, by definition."""
    coordinates = range(len(next(iter(moves.values()))))
    return sum(
        (
            sum((row[step] * move[axis] for step, move in moves.items()), Fraction(0)) ** 2
            for row in strategy
            for axis in coordinates
        ),
        Fraction(0),
    )


def largest_on_a_line(strategy: Strategy, participations: int, separation: int) -> Fraction:
    """The largest squared move when every contribution is 1 or -1."""
    one = Fraction(1)
    return max(
        moved(strategy, {step: (sign,) for step, sign in zip(chosen, signs, strict=True)})
        for chosen in patterns(len(strategy[0]), participations, separation)
        for signs in product((one, -one), repeat=len(chosen))
    )


def in_the_plane(strategy: Strategy, participations: int, separation: int) -> Fraction:
    """The largest squared move that is found when every contribution has one of six directions in the plane."""
    return max(
        moved(strategy, dict(zip(chosen, directions, strict=True)))
        for chosen in patterns(len(strategy[0]), participations, separation)
        for directions in product(DIRECTIONS, repeat=len(chosen))
    )


def blocks(leaves: int) -> list[range]:
    """The blocks of a binary tree, by merging neighbours of equal size as long as there are two."""
    found: list[range] = []
    layer = [range(step, step + 1) for step in range(leaves)]
    while layer:
        found += layer
        layer = [range(left.start, right.stop) for left, right in zip(layer[::2], layer[1::2], strict=False)]
    return found


def in_blocks(leaves: int, chosen: Iterable[int]) -> int:
    """The sum over blocks of the squared number of contributions."""
    steps = set(chosen)
    return sum(len(steps.intersection(block)) ** 2 for block in blocks(leaves))
