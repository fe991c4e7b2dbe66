"""Where to put the line along which a composed loss is read: at about the tilt that makes what is looked for likely.

Tilts are taken from a scale. At each of them moments tell at which epsilon a line is best read, and about delta there. A
line at any tilt encloses what is read along it, so that nothing here is more than a choice.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from attrs import field, frozen

from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.readings.arrays import Complexes, Floats

_OCTAVE = 16
"""Tilts are taken from a scale of so many per octave, so that readings near each other share a line."""
_FARTHEST = 64
"""How many octaves the scale reaches either way."""
_GUESSES = 6
"""How often a tilt is guessed before it is searched."""


@frozen(eq=False)
class TiltSearch(ABC):
    """The scale of tilts of a loss with moments off the real line, with what is known at those that were asked."""

    _saddles: dict[int, Saddle | None] = field(factory=dict, init=False)
    _searches: list[tuple[float, float, tuple[int, ...]]] = field(factory=list, init=False)

    @abstractmethod
    def log_moment(self, points: Complexes) -> tuple[Complexes, Floats]:
        """The log moment of the loss, and bounds on its error."""

    def _saddle(self, step: int) -> Saddle | None:
        """What is known at one tilt of the scale; None where doubles do not reach."""
        if step not in self._saddles:
            tilt = 2.0 ** (step / _OCTAVE)
            side = 2.0**-12 * tilt
            try:
                (here, there), errors = self.log_moment(np.array([complex(tilt), complex(tilt, side)]))
                bend = max(2.0 * float(here.real - there.real) / side**2, 0.0)
                known = bool(np.all(errors < 0.1)) and here.real < 1e15
                self._saddles[step] = None
                if known:
                    slope = float(there.imag) / side
                    self._saddles[step] = Saddle(tilt, float(here.real), float(errors[0]), slope, bend)
            except OverflowError:
                self._saddles[step] = None
        return self._saddles[step]

    def _saddles_for(self, epsilon: float) -> Iterator[Saddle]:
        """What the search for an epsilon ends with, which is the same for all between the saddles that it asked."""
        for low, high, steps in self._searches:
            if low < epsilon <= high:
                return self._saddles_at(steps)
        asked = [-math.inf, math.inf]

        def more(saddle: Saddle) -> bool:
            asked.append(saddle.epsilon)
            return saddle.epsilon < epsilon

        steps = self._steps_around(more, lambda saddle: saddle.tilt_at(epsilon))
        low, high = max(e for e in asked if e < epsilon), min(e for e in asked if e >= epsilon)
        self._searches.append((low, high, steps))
        return self._saddles_at(steps)

    def _saddles_at(self, steps: Iterable[int]) -> Iterator[Saddle]:
        return (saddle for saddle in map(self._saddle, steps) if saddle is not None)

    def _steps_to(self, log_delta: float) -> tuple[int, ...]:
        """The same for the epsilon at which delta is about e^log_delta."""
        return self._steps_around(lambda saddle: saddle.log_delta > log_delta, lambda saddle: saddle.tilt_to(log_delta))

    def _steps_around(self, more: Callable[[Saddle], bool], guess: Callable[[Saddle], float]) -> tuple[int, ...]:
        """Where on the scale a monotone condition stops asking for more tilt, and where it still asks: close together.

        A guess says from one saddle at about which tilt that is, and saves most of the search where it is right.
        """

        def asks(step: int) -> bool:
            saddle = self._saddle(step)
            return saddle is not None and more(saddle)

        low, high = self._guessed(asks, guess) or self._walked(asks)
        while high - low > 1:
            ends = self._saddle(low), self._saddle(high)
            if all(end is not None and end.close(2.0 ** (low / _OCTAVE), 2.0 ** (high / _OCTAVE)) for end in ends):
                break
            middle = (low + high) // 2
            low, high = (middle, high) if asks(middle) else (low, middle)
        # Where moments explode a little above, less tilt than is best leaves room for what lies a period away.
        return high, low, low - 1, low - 2, low - 4

    def _walked(self, asks: Callable[[int], bool]) -> tuple[int, int]:
        """The ends of the octave in which a condition stops asking, or of the last one that is looked at."""
        low = high = 0
        if asks(0):
            while asks(high) and high < _FARTHEST * _OCTAVE:
                low, high = high, high + _OCTAVE
        else:
            while not asks(low) and low > -_FARTHEST * _OCTAVE:
                low, high = low - _OCTAVE, low
        return low, high

    def _guessed(self, asks: Callable[[int], bool], guess: Callable[[Saddle], float]) -> tuple[int, int] | None:
        """Two steps of the scale between which a condition stops asking, if a few guesses find them.

        They are ends of an octave, of half of one, and so on: whoever searches near by is to find the same ones.
        """
        step = 0
        for _ in range(_GUESSES):
            saddle = self._saddle(step)
            if saddle is None:
                return None
            tilt, width = guess(saddle), _OCTAVE
            while width > 1 and not saddle.close(tilt, tilt * 2.0 ** (width / _OCTAVE)):
                width //= 2
            low = width * math.floor(_OCTAVE * math.log2(tilt) / width)
            if not asks(low):
                step = low
            elif asks(low + width):
                step = low + width
            else:
                return low, low + width
        return None

    def _least_tilt(self, epsilon: float, log_delta: float) -> Saddle | None:
        """The least tilt of the scale at which Chernoff's bound at an epsilon is small enough."""
        low, high = -_FARTHEST * _OCTAVE, self._best_step(lambda saddle: saddle.value - saddle.tilt * epsilon)
        while high - low > 1:
            middle = (low + high) // 2
            saddle = self._saddle(middle)
            fits = saddle is not None and saddle.value - saddle.tilt * epsilon <= log_delta
            low, high = (low, middle) if fits else (middle, high)
        return self._saddle(high)

    def _most(self, log_target: float) -> float:
        """The least epsilon at which Chernoff's bound meets a target, up to the scale of tilts."""

        def bound(saddle: Saddle) -> float:
            return max(saddle.value - log_target, 0.0) / saddle.tilt

        saddle = self._saddle(self._best_step(bound))
        return math.inf if saddle is None else bound(saddle)

    def _best_step(self, bound: Callable[[Saddle], float]) -> int:
        """Where on the scale of tilts a bound with one valley is least; doubles do not reach beyond some tilt."""

        def at(step: int) -> float:
            saddle = None if abs(step) > _FARTHEST * _OCTAVE else self._saddle(step)
            found = math.inf if saddle is None else bound(saddle)
            # Where moments overflow, a bound may be no number.
            return math.inf if math.isnan(found) else found

        step, stride = 0, 4 * _OCTAVE
        while at(step) == math.inf and step > -_FARTHEST * _OCTAVE:
            step -= stride
        while stride:
            here = min((step, step - stride, step + stride), key=at)
            stride = stride // 2 if here == step else stride
            step = here
        return step
