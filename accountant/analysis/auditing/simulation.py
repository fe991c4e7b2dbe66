"""Simulation: what a mechanism may offer so that it can be run, for audits and tests only.

Simulated noise is drawn in floating point from a generator that anyone can repeat, and its low bits tell about the true
answer. It must never be used to release data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from attrs import frozen

from accountant.errors import PluginError
from accountant.loss import Floats
from accountant.release.query import Shift

Generator = np.random.Generator
Contrast = tuple[Floats, Floats]

_BLOCK = 2**20
_MOST_COORDINATES = 1024
_NOTHING = Fraction(0)


@runtime_checkable
class Simulated(Protocol):
    """A mechanism that can be run, for audits and tests. Never release what it returns: floating-point noise leaks."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        """One row of outputs for each row of true answers, each with fresh randomness; categories are numbered.

        This code is what an audit speaks about, so it should draw from the law that the mechanism is meant to have.
        """


@runtime_checkable
class Scored(Protocol):
    """A mechanism that knows how likely its outputs are. That makes audits sharper; they are valid whatever it answers."""

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        """log P(output | second answers)/P(output | first answers) for each row of outputs."""


@runtime_checkable
class Contrasted(Protocol):
    """A mechanism whose worst answers are not simply 0 and the shift, such as one that chooses between candidates."""

    def contrasts(self, shift: Shift) -> Iterable[Contrast]:
        """Pairs of answers that its loss covers; of each pair the first without and the second with the record."""


@runtime_checkable
class SimulatedSampling(Protocol):
    """A sampling that can be simulated."""

    def seen(self, contrast: Contrast, runs: int, generator: Generator) -> Contrast:
        """The answers on a sample, one row a run: of a dataset without the record and of one with it."""


def contrasts(mechanism: Simulated, shift: Shift) -> tuple[Contrast, ...]:
    """Pairs of answers that differ by at most `shift`, and by as much as it allows.

    Where only norms are known, as many coordinates move by the largest amount as the other norms permit.
    """
    if isinstance(mechanism, Contrasted):
        pairs = tuple(mechanism.contrasts(shift))
        if not pairs:
            raise PluginError(f"{type(mechanism).__name__}.contrasts must return at least one pair of answers")
        return pairs
    moves = shift.coordinates
    if moves is None:
        sizes = [] if shift.in_l1 is None else [shift.in_l1 // shift.linf]
        moves = (shift.linf,) * min(*sizes, shift.l2_squared // shift.linf**2, _MOST_COORDINATES)
    # What rises starts at 0 and what falls ends there, so that counts, and answers that say yes or no, stay such.
    first, second = ([float(max(sign * move, _NOTHING)) for move in moves] for sign in (-1, 1))
    return ((np.array(first), np.array(second)),)


@frozen(eq=False)
class Experiment:
    """A mechanism, perhaps on a sample, run on two answers side by side."""

    mechanism: Simulated
    contrast: Contrast
    sampling: SimulatedSampling | None = None

    def outputs(self, runs: int, generator: Generator) -> Iterator[Contrast]:
        """The outputs of that many runs on either side, block by block."""
        first, second = self.contrast
        size = max(1, _BLOCK // first.size)
        for start in range(0, runs, size):
            count = min(size, runs - start)
            if self.sampling is None:
                seen = np.broadcast_to(first, (count, first.size)), np.broadcast_to(second, (count, second.size))
            else:
                seen = self.sampling.seen(self.contrast, count, generator)
            yield self._run(seen[0], generator), self._run(seen[1], generator)

    def _run(self, answers: Floats, generator: Generator) -> Floats:
        outputs = np.asarray(self.mechanism.simulate(answers, generator), dtype=np.float64)
        if outputs.ndim == 0 or len(outputs) != len(answers):
            raise PluginError(
                f"{type(self.mechanism).__name__}.simulate must return one row of outputs for each row of answers, but for "
                f"{len(answers):,} rows it returned an array of shape {outputs.shape}"
            )
        return outputs.reshape(len(answers), -1)
