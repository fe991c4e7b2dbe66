"""Blocks of a binary tree: the largest sum of squared numbers of contributions over all blocks.

Steps are counted from 0. A block of height h is the 2^h steps from a multiple of 2^h on, where all of them are among the
leaves. The blocks form perfect trees side by side, one for every binary digit 1 of the number of leaves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

# Beyond this, the exact programme takes longer than a second or two.
_MOST_EXACT = 128
# A pattern of this many steps is looked at one by one, and is a pattern for more participations too.
_LONGEST_PATTERN = 2**20

Front = tuple[tuple[int, int], ...]
"""Best values by the room behind the last contribution: (room, value), the value growing as the room shrinks."""


def enclosed(leaves: int, participations: int, separation: int) -> tuple[int, int]:
    """Both ends of the largest sum over blocks of (contributions in the block)^2 over participation patterns.

    Guarantee: some pattern attains the lower end and none exceeds the upper end. They agree for up to 128 participations,
    and whenever the separation is a power of two.
    """
    participations = min(participations, -(-leaves // separation))
    above = _by_height(leaves, participations, separation)
    # Contributions at multiples of a power of two fill one block after another, at every height.
    if separation & (separation - 1) == 0:
        return above, above
    below = _earliest(leaves, participations, separation)
    if below < above and participations <= _MOST_EXACT:
        below = above = _Programme(separation).largest(leaves, participations)
    return below, above


def _by_height(leaves: int, participations: int, separation: int) -> int:
    """The sum over heights of the largest sum at that height: as many contributions as fit, filling block after block."""
    total = 0
    for height in range(leaves.bit_length()):
        size = 1 << height
        room = min(participations, -(-size // separation))
        full, rest = divmod(min(participations, -(-(leaves // size * size) // separation)), room)
        total += full * room**2 + rest**2
    return total


def _earliest(leaves: int, participations: int, separation: int) -> int:
    """The sum for contributions as early as can be, every `separation` steps."""
    contributions = min(participations, _LONGEST_PATTERN)

    def before(step: int) -> int:
        return min(contributions, -(-step // separation))

    total = 0
    for height in range(leaves.bit_length()):
        size, blocks = 1 << height, leaves >> height
        if size <= separation:
            total += before(blocks * size)
        else:
            reached = min(blocks, -(-contributions * separation // size))
            total += sum((before((k + 1) * size) - before(k * size)) ** 2 for k in range(reached))
    return total


class _Programme:
    """The exact largest sum, from the leaves up.

    The room of a pattern in a tree is the number of leaves behind its last contribution; only whether it keeps the next
    contribution `separation` away matters, so it is cut off there.
    """

    def __init__(self, separation: int) -> None:
        self.enough = separation - 1
        self.tree = cache(self._tree)

    def largest(self, leaves: int, participations: int) -> int:
        """The largest sum over trees side by side, by the number of contributions so far."""
        fronts: dict[int, Front] = {0: ((self.enough, 0),)}
        for height in reversed(range(leaves.bit_length())):
            if leaves >> height & 1:
                found: dict[int, dict[int, int]] = defaultdict(dict)
                for contributions, front in fronts.items():
                    for room, value in front:
                        self._put(found[contributions], room + (1 << height), value)
                        for more in range(1, participations - contributions + 1):
                            for end, gain in self.tree(height, more, self.enough - room):
                                self._put(found[contributions + more], end, value + gain)
                fronts = {contributions: _front(values) for contributions, values in found.items()}
        return max(front[-1][1] for front in fronts.values() if front)

    def _tree(self, height: int, contributions: int, start: int) -> Front:
        """The front of one perfect tree whose first `start` leaves are kept free."""
        size, half = 1 << height, 1 << height >> 1
        if start + (contributions - 1) * (self.enough + 1) >= size:
            return ()
        if contributions == 1:
            return ((min(size - 1 - start, self.enough), height + 1),)
        found: dict[int, int] = {}
        for room, value in self.tree(height - 1, contributions, start):
            self._put(found, room + half, value)
        for room, value in self.tree(height - 1, contributions, max(0, start - half)):
            self._put(found, room, value)
        for left in range(1, contributions):
            for gap, value in self.tree(height - 1, left, start):
                for room, gain in self.tree(height - 1, contributions - left, self.enough - gap):
                    self._put(found, room, value + gain)
        return _front({room: value + contributions**2 for room, value in found.items()})

    def _put(self, found: dict[int, int], room: int, value: int) -> None:
        room = min(room, self.enough)
        found[room] = max(value, found.get(room, 0))


def _front(values: Mapping[int, int]) -> Front:
    front: list[tuple[int, int]] = []
    for room in sorted(values, reverse=True):
        if not front or values[room] > front[-1][1]:
            front.append((room, values[room]))
    return tuple(front)
