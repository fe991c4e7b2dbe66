"""Scores: how much an output speaks for one answer rather than another. Any score gives a valid audit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from attrs import frozen

from accountant.analysis.auditing.simulation import Contrast, Scored
from accountant.errors import PluginError
from accountant.loss import Floats

_MOST_PLACES = 512


class Score(ABC):
    """A number for each output: the larger, the more it speaks for the second answers."""

    name: ClassVar[str]

    @abstractmethod
    def __call__(self, outputs: Floats) -> Floats:
        """The scores of rows of outputs."""


@frozen(eq=False)
class OwnScore(Score):
    """The log likelihood ratio that the mechanism itself gives."""

    name: ClassVar[str] = "log ratio"

    mechanism: Scored
    contrast: Contrast

    def __call__(self, outputs: Floats) -> Floats:
        scores = np.asarray(self.mechanism.log_ratio(outputs, *self.contrast), dtype=np.float64)
        if scores.shape != (len(outputs),):
            raise PluginError(
                f"{type(self.mechanism).__name__}.log_ratio must return one number for each row of outputs, but for "
                f"{len(outputs):,} rows it returned an array of shape {scores.shape}"
            )
        return np.where(np.isnan(scores), 0.0, scores)


@frozen(eq=False)
class LearnedScore(Score):
    """The log ratio of how often outputs fell into each of some bins, along the direction in which their mean moved.

    It finds what the mechanism does not know of itself, such as noise that was cut off.
    """

    name: ClassVar[str] = "learned log ratio"

    direction: Floats
    edges: Floats
    ratios: Floats

    @classmethod
    def of(cls, first: Floats, second: Floats) -> LearnedScore:
        """The score that outputs on both sides teach."""
        direction = np.mean(second, axis=0) - np.mean(first, axis=0) if first.shape[1] > 1 else np.ones(1)
        places = first @ direction, second @ direction
        edges = spread(np.sort(np.concatenate(places)))
        few, many = (np.bincount(np.searchsorted(edges, side, "right"), minlength=edges.size + 1) for side in places)
        return cls(direction, edges, np.log((many + 0.5) / (few + 0.5)))

    def __call__(self, outputs: Floats) -> Floats:
        scores: Floats = self.ratios[np.searchsorted(self.edges, outputs @ self.direction, "right")]
        return scores


def spread(values: Floats) -> Floats:
    """The distinct values in order if they are few; otherwise some of them, denser towards both ends."""
    ordered = np.sort(values, kind="stable")  # which is quick where parts are in order already
    distinct = ordered[np.append(True, ordered[1:] != ordered[:-1])] if values.size else ordered
    if distinct.size <= _MOST_PLACES:
        return distinct
    steps = np.unique(np.geomspace(1, ordered.size // 2, _MOST_PLACES // 2).astype(np.int64))
    return np.unique(np.concatenate((ordered[steps - 1], ordered[-steps])))
