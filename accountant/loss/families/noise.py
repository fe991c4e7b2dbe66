"""Noise on a line: where it is, however the answer moves."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats

TAIL_ERROR = 2.0**-40
"""How far the chance of large noise may be off, as a share of itself. Functions of libraries do better by far."""


@frozen
class Noise(ABC):
    """The law of noise that a coordinate of an answer gets on its own: as likely below 0 as above.

    `whole` says that it takes whole numbers only, and is added to whole numbers.
    """

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return False

    @abstractmethod
    def beyond(self, distances: Floats) -> Floats:
        """The chance of more noise than each of these distances from 0 on, within TAIL_ERROR of itself."""

    @abstractmethod
    def reach(self, log_tail: float) -> float:
        """A distance beyond which about e^log_tail of the noise is."""

    def masses(self, edges: Floats, centre: float) -> tuple[Floats, Floats]:
        """Lower and upper bounds on the chances that an answer lies between edges, where it is `centre` without noise."""
        places = edges - centre
        tails = self.beyond(np.abs(places))
        left, right, front, back = places[:-1], places[1:], tails[:-1], tails[1:]
        found = np.where(left >= 0.0, front - back, np.where(right <= 0.0, back - front, 1.0 - front - back))
        error = TAIL_ERROR * (front + back)
        return np.maximum(found - error, 0.0), found + error
