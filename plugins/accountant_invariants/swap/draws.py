"""Draws: chances and orders made of random words of 64 bits, exactly."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant import InvalidValue, fields

Words = Callable[[int], NDArray[np.uint64]]
_RANGE = 2**64


@frozen
class Draws:
    """Where the randomness comes from: the system, or a seed, which is for tests only."""

    words: Words
    seed: int | None = None

    @classmethod
    def of(cls, seed: int | str | None = None) -> Draws:
        """From the system where no seed is given."""
        if seed is None:
            return cls(_from_the_system)
        number = fields.whole(seed)
        if number < 0:
            raise InvalidValue(f"a seed is a whole number from 0 on, got {number}")
        generator = np.random.Generator(np.random.PCG64(number))
        return cls(lambda count: generator.integers(0, _RANGE, size=count, dtype=np.uint64), number)

    def chosen(self, rate: Fraction, count: int) -> NDArray[np.bool_]:
        """So many independent events, each with exactly this chance.

        A word is a number in [0, 1) of which 64 bits are known. Where these do not say whether it is below the chance,
        further words do.
        """
        if rate == 1:
            return np.ones(count, dtype=np.bool_)
        below, rest = divmod(rate * _RANGE, 1)
        found = self.words(count)
        result = found < np.uint64(below)
        if rest:
            open_ = np.flatnonzero(found == np.uint64(below))
            if len(open_):
                result[open_] = self.chosen(rest, len(open_))
        return result

    def shuffled(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """An order of the places, each group (they stand together) in a uniformly random order of its own.

        Words are sorted. Where two of a group are equal all are drawn again: given that they differ, every order is
        equally likely.
        """
        while True:
            keys = self.words(len(groups))
            order = np.lexsort((keys, groups))
            if not np.any((keys[order][1:] == keys[order][:-1]) & (groups[1:] == groups[:-1])):
                return order.astype(np.int64)


def _from_the_system(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
