"""Participation patterns: the largest quadratic form over the steps of one pattern and signs on them.

Everything is a whole number, held in 64 bits where that is enough and in Python's own integers otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

Numbers = npt.NDArray[Any]

# How many numbers the search may look at, and how many patterns it may follow to their end.
_EFFORT, _MOST_PATTERNS = 10**7, 500


def zeros(steps: int, participations: int, largest: int) -> Numbers:
    """A square array that can hold what the search makes of entries up to `largest`."""
    roomy = 8 * participations**2 * largest < 2**63
    return np.zeros((steps, steps), dtype=np.int64 if roomy else object)


def enclosed(gram: Numbers, participations: int, separation: int) -> tuple[int, int]:
    """Both ends of the largest s'Gs over patterns and signs s on their steps, for a positive semidefinite G.

    Guarantee: some pattern and signs attain the lower end and none exceeds the upper end. They agree unless the search was
    ended early.
    """
    return _enclosed(_Search(gram, participations, separation), participations)


def raised(gram: Numbers, participations: int, separation: int) -> tuple[int, int]:
    """The same where all signs are 1."""
    return _enclosed(_Search(gram, participations, separation, (1,)), participations)


def _enclosed(search: _Search, participations: int) -> tuple[int, int]:
    best, number, root = 0, count(), search.root(participations)
    heap = [(-root.bounds[0], next(number), root, 0)]
    tries = min(_MOST_PATTERNS, max(1, _EFFORT // (len(search.gram) * participations**2)))
    while heap and -heap[0][0] > best and tries:
        _, _, node, place = heappop(heap)
        tries -= 1
        # Follow the most promising choice to the end of a pattern; whatever is passed by waits in the heap.
        while place < len(node.bounds) and node.bounds[place] > best:
            if place + 1 < len(node.bounds):
                heappush(heap, (-node.bounds[place + 1], next(number), node, place + 1))
            node, place = search.child(node, place), 0
            best = max(best, node.value)
    return int(best), int(max(best, -heap[0][0] if heap else 0))


@frozen(eq=False)
class _Node:
    """Steps and signs chosen so far, and the choices for the next step, most promising first.

    `row` is the sum of the rows of G at the chosen steps with their signs; `bounds` are values that no pattern beyond the
    choice exceeds; a choice is a step, counted from 0, and a sign.
    """

    value: int
    row: Numbers
    left: int
    bounds: list[int]
    choices: list[tuple[int, int]]


class _Search:
    """What all nodes share: `ahead[c][p]` is the most that c later steps of a pattern contribute to row p of |G|."""

    def __init__(self, gram: Numbers, participations: int, separation: int, signs: tuple[int, ...] = (1, -1)) -> None:
        self.gram, self.separation, self.signs = gram, separation, signs
        self.diagonal: Numbers = gram.diagonal()
        self.ahead = list(_ahead(abs(gram), participations, separation))

    def root(self, participations: int) -> _Node:
        """The node of no steps."""
        return self._node(0, np.zeros_like(self.diagonal), 0, participations)

    def child(self, node: _Node, place: int) -> _Node:
        """The node with one more choice."""
        step, sign = node.choices[place]
        value = node.value + self.diagonal[step] + 2 * sign * node.row[step]
        return self._node(value, node.row + sign * self.gram[step], step + self.separation, node.left - 1)

    def _node(self, value: int, row: Numbers, start: int, left: int) -> _Node:
        if not left or start >= len(row):
            return _Node(value, row, left, [], [])
        gains = self.diagonal + 2 * abs(row)
        best = np.zeros_like(gains)
        for ahead in self.ahead[: left - 1]:
            best = _from_here_on(gains + 2 * ahead + _later(best, self.separation))
        common = value + self.diagonal + 2 * self.ahead[left - 1] + _later(best, self.separation)
        signs = self.signs if row.any() else (1,)
        bounds = np.concatenate([(common + 2 * sign * row)[start:] for sign in signs])
        choices = [(step, sign) for sign in signs for step in range(start, len(row))]
        order = np.argsort(-bounds, kind="stable")
        return _Node(value, row, left, [bounds[k] for k in order], [choices[k] for k in order])


def _ahead(sizes: Numbers, participations: int, separation: int) -> Iterator[Numbers]:
    best = np.zeros_like(sizes)
    for _ in range(participations):
        yield _later(best, separation).diagonal()
        best = _from_here_on(sizes + _later(best, separation))


def _later(values: Numbers, separation: int) -> Numbers:
    """What stands `separation` places further on, 0 beyond the end."""
    result = np.zeros_like(values)
    result[..., : values.shape[-1] - separation] = values[..., separation:]
    return result


def _from_here_on(values: Numbers) -> Numbers:
    """The largest value from each place to the end."""
    largest: Numbers = np.maximum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]
    return largest
