"""Losses whose log moment is known off the real line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Complexes, Floats
from accountant.numbers.rounding import Ball, Balls, log1p, log1p_or_most


class Seen(Protocol):
    """A part of the law of a loss, such as that of all outcomes that lose much; what is left of it is the unseen part."""

    def moments(self, tilt: float, heights: Floats) -> Balls:
        """Its moments at points with one positive real part."""
        ...

    def fall(self, tilt: float, height: float) -> float:
        """A bound on their size from a height on, in units of the moment of the whole law at the tilt."""
        ...

    def log_unseen(self, tilt: float) -> float:
        """An upper bound on the log moment of the unseen part at a tilt."""
        ...


@frozen(eq=False)
class LossGroup:
    """Outcomes of one loss: their chance under Q, what it lacks to that under P, and a loss that none of them is below."""

    q: Ball
    gap: Ball
    least: float


class Moments(ABC):
    """What is known of log E_P[e^(zL)] for many losses of one family at once, given that nothing is lost outright.

    Every method answers for each of the losses, one row a loss.
    """

    @classmethod
    @abstractmethod
    def of(cls, losses: Sequence[Any]) -> Self:
        """The moments of these losses, all of one family."""

    def trimmed(self, log_tail: float) -> Self:
        """The same without the rarest outcomes: those left out hold at most e^log_tail of each loss."""
        return self

    def thorough(self) -> Self:
        """The same with moments farther up, which take longer."""
        return self

    def lost(self) -> Floats:
        """Bounds on the mass of each loss that was left out."""
        return np.zeros(1)

    def seen(self, loss: float) -> Sequence[Seen | None]:
        """For each loss the part that loses about this much or more; nothing where the family does not know it."""
        return ()

    def below(self, loss: float) -> Self:
        """The same without outcomes that lose about this much or more, where the family knows them."""
        return self

    def cut(self) -> Sequence[LossGroup | None]:
        """The outcomes that `below` left out of each loss; nothing where the family leaves none out."""
        return ()

    @property
    @abstractmethod
    def work(self) -> int:
        """About how many numbers the moments at one point take."""

    def effort(self, tilt: float, height: float) -> float:
        """About how many numbers the moments at one point so far up take."""
        return float(self.work)

    @abstractmethod
    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        """The log moments at points with positive real part, up to whole turns, and bounds on their errors.

        Where the error would be too large to be of use it is infinite, and the real part alone is a bound on the size from
        above. Raises OverflowError for points where doubles do not reach.
        """

    @abstractmethod
    def deviations(self, tilt: float) -> Floats:
        """Upper bounds on the standard deviation of each loss under the law tilted by e^(tilt L)."""

    @abstractmethod
    def falls(self, tilt: float, height: float) -> Floats:
        """Upper bounds on the logarithm of the size of each tilted law's transform, at all heights from this one on."""

    def sharper_falls(self, tilt: float, height: float) -> Floats:
        """The same, with bounds that take longer."""
        return self.falls(tilt, height)


def uniform_fall(height: float, lengths: Floats, masses: Floats) -> Floats:
    """The bound for a law that has a part of such mass that is uniform on an interval of such length.

    With x = height length/2, the transform of the uniform part has size |sin x/x|, at most 1 - x^2/10 up to pi and at most
    1/pi from there on. Up to pi that leaves at least 1/pi^2 - 1/10 of x^2, and from there on 1 - 1/pi - 0.68: more than one
    in five hundred of either, which pays for all that lengths and masses are rounded by, and for what is rounded here.
    """
    half = 0.5 * height * lengths
    lack = masses * np.minimum(0.1 * half * half, 0.68)
    return log1p(Balls(-np.minimum(lack, 0.999))).upper


def expm1(z: Complexes) -> Complexes:
    """e^z - 1 without losing small z; numpy's own is only absolutely accurate off the real line."""
    half = np.sin(0.5 * z.imag)
    real = np.expm1(z.real) * np.cos(z.imag) - 2.0 * half * half
    result: Complexes = real + 1j * (np.exp(z.real) * np.sin(z.imag))
    return result


def log_of_moments(excess: Complexes, error: Floats) -> tuple[Complexes, Floats]:
    """log(1 + w) where w is known up to an absolute error, with the error that follows, as the protocol asks."""
    found = log1p_or_most(Balls(excess, error))
    return found.middle, found.radii
