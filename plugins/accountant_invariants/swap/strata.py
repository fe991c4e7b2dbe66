"""Strata: which records agree on what stratifies, and in which of them anything can differ."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from functools import cached_property

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant_invariants.swap.microdata import Microdata


@frozen(eq=False)
class Strata:
    """Records by stratum: `labels` has the number of each record's stratum, from 0 on without gaps."""

    labels: NDArray[np.int64]

    @classmethod
    def of(cls, microdata: Microdata, stratify: Collection[str]) -> Strata:
        """The records that agree on some attributes; one stratum where there are none."""
        return cls(combined(microdata, stratify))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each stratum has."""
        return np.bincount(self.labels).astype(np.int64)

    def different(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many different values each stratum has."""
        many = int(values.max()) + 1
        pairs = np.unique(self.labels * many + values)
        return np.bincount(pairs // many, minlength=len(self.sizes)).astype(np.int64)

    def rarest(self, values: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """For each stratum how often its three rarest values come, or all where there are fewer, the smallest first."""
        many = int(values.max()) + 1
        pairs, counts = np.unique(self.labels * many + values, return_counts=True)
        stratum = pairs // many
        order = np.lexsort((counts, stratum))
        starts = np.searchsorted(stratum[order], np.arange(len(self.sizes) + 1))
        ordered = counts[order].tolist()
        return [tuple(ordered[first : min(first + 3, end)]) for first, end in itertools.pairwise(starts.tolist())]


def combined(microdata: Microdata, names: Collection[str]) -> NDArray[np.int64]:
    """One number for each record, the same for two of them exactly where they agree on all these attributes."""
    labels = np.zeros(microdata.size, dtype=np.int64)
    for name in sorted(names):
        column = microdata.columns[name]
        # Both factors are at most the number of cells, so that products stay far below 2^63.
        _, labels = np.unique(labels * (len(column.values) + 1) + column.codes, return_inverse=True)
    return labels.reshape(-1).astype(np.int64)
