"""Exact draws of whole counts that add up to a public total, without a Markov chain."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from accountant import InvalidValue
from accountant.loss import Floats

_HALVINGS = 32
_NEAR = 0.01
_STEEPEST = 700.0


def _weights(rows: ArrayLike) -> Floats:
    weights: Floats = np.asarray(rows, dtype=float)
    if weights.ndim != 2 or not weights.size or np.isnan(weights).any() or np.isposinf(weights).any():
        raise InvalidValue("expected a row of log weights for each cell and a column for each count from 0 to the total")
    if np.isneginf(weights.max(axis=1)).any():
        raise InvalidValue("a cell gives every count a weight of 0")
    return weights


@frozen(eq=False)
class CountLaw:
    """A law of whole counts with a fixed total that weighs every cell on its own.

    Definition: P(y) is proportional to the product over the cells j of w_j(y_j) on {y >= 0, sum of y = total};
    `log_weights` holds log w_j(y) in row j and column y, for y from 0 to the total.
    Guarantee: draws are independent and follow this law, by backward recursion over (cell, what is left of the total).
    Only sums of positive numbers occur, so every sum keeps its relative precision; chances below 1e-300 are lost, and
    draws are made in floating point. That is enough to study a mechanism; do not release data with it.
    """

    log_weights: Floats = field(converter=_weights, repr=False)

    def __attrs_post_init__(self) -> None:
        if not self._rest[0, -1] > 0.0:
            raise InvalidValue(f"the weights leave no counts that add up to {self.total}")

    @cached_property
    def _tilt(self) -> float:
        """What is added to the log weight per count: with the total fixed it changes nothing, but keeps sums in range."""
        return centring_tilt(self.log_weights)

    @cached_property
    def _shares(self) -> Floats:
        """The tilted weights of every cell, summing to 1."""
        return _normalised(self.log_weights, self._tilt)[0]

    @cached_property
    def _rest(self) -> Floats:
        """In row j and column r, the chance that independent counts from cell j on add up to r."""
        rest = np.copy(self._shares)
        for cell in range(len(rest) - 2, -1, -1):
            rest[cell] = _convolved(self._shares[cell], rest[cell + 1])
        return rest

    @property
    def log_normaliser(self) -> float:
        """The logarithm of the sum of all products of weights."""
        scales = _normalised(self.log_weights, self._tilt)[1]
        return float(np.log(self._rest[0, -1]) + scales.sum()) - self._tilt * self.total

    @property
    def total(self) -> int:
        """What the counts add up to."""
        return int(self.log_weights.shape[1]) - 1

    def draw(self, generator: Generator, size: int) -> NDArray[np.int64]:
        """Independent draws, one in each row."""
        cells = len(self._shares)
        counts = np.empty((size, cells), dtype=np.int64)
        for row in counts:
            left = self.total
            for cell in range(cells - 1):
                sums = (self._shares[cell, : left + 1] * self._rest[cell + 1, left::-1]).cumsum()
                count = int(sums.searchsorted(generator.random() * sums[-1], "right"))
                row[cell] = count
                left -= count
            row[-1] = left
        return counts

    def log_chance(self, counts: NDArray[np.int64]) -> float:
        """The logarithm of the chance of one allocation."""
        if len(counts) != len(self.log_weights) or min(counts) < 0 or sum(counts) != self.total:
            return -np.inf
        return float(self.log_weights[np.arange(len(counts)), counts].sum()) - self.log_normaliser


def _normalised(weights: Floats, tilt: float) -> tuple[Floats, Floats]:
    """The rows as probabilities after tilting, and the logarithms of their sums."""
    raised = weights + tilt * np.arange(weights.shape[1])
    highest = raised.max(axis=1, keepdims=True)
    shares = np.exp(raised - highest)
    sums = shares.sum(axis=1, keepdims=True)
    return shares / sums, (np.log(sums) + highest)[:, 0]


def centring_tilt(weights: Floats) -> float:
    """A tilt under which independent cells about add up to the total in expectation; the law is the same under any."""
    counts, total = np.arange(weights.shape[1]), weights.shape[1] - 1
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        mean = float((_normalised(weights, middle)[0] @ counts).sum())
        if abs(mean - total) <= _NEAR * total:
            break
        low, high = (middle, high) if mean < total else (low, middle)
    return middle


def _convolved(left: Floats, right: Floats) -> Floats:
    """The chances of a sum of two counts, as far as the total."""
    reach = int(np.flatnonzero(left)[-1]) + 1
    summed: Floats = np.convolve(right, left[:reach])[: len(left)]
    return summed
