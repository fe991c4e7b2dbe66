"""The law that the noise that a mechanism is said to add is the one that its outputs have."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from accountant.loss import Noise
from accountant.numbers.exact import plain
from accountant.plugin.oracles import MechanismOracle
from accountant.release.release import Mechanism
from accountant.testing.counterexamples import broken, method
from accountant.testing.moves import answers
from accountant.testing.output_pairs import chances
from accountant.testing.outputs import law_of, tail_of, thresholds
from accountant.testing.reproduced import written

_FAR = 12
_HALF, _NONE = Fraction(1, 2), Fraction(0)

Ends = tuple[Fraction, Fraction]


def noise_is_that_of_the_outputs(oracle: MechanismOracle, mechanism: Mechanism) -> None:
    """Between any two places an output is as likely as the noise says: samples and errors are worked out from that."""
    noise = mechanism.added_noise()
    known = [Fraction(0)] if oracle.answers is None else answers(oracle, mechanism)
    if noise is None or not known:
        return
    answer = known[0]
    edges = _edges(oracle, mechanism, noise, answer)
    found = _chances(oracle, mechanism, answer, edges)
    low, high = noise.masses(np.array([float(edge) for edge in edges]), answer)
    for place, (least, most) in enumerate(found):
        if float(least) > high[place] * (1.0 + 1e-12) or low[place] > float(most) * (1.0 + 1e-12):
            broken(
                "the noise that is said to be added must be that of the outputs",
                mechanism=written(mechanism),
                answer=plain(answer),
                between=f"{plain(edges[place])} and {plain(edges[place + 1])}",
                chance_by_the_oracle=f"{float(least):.9g}",
                chance_by_the_noise=f"between {low[place]:.9g} and {high[place]:.9g}",
                look_at=f"{method(mechanism, 'added_noise')}, {type(noise).__name__}",
            )


def _edges(oracle: MechanismOracle, mechanism: Mechanism, noise: Noise, answer: Fraction) -> list[Fraction]:
    """Places in rising order, all of them doubles: halfway between whole numbers, or where tails are round."""
    if noise.whole or oracle.tail is None:
        return [answer + step + _HALF for step in range(-_FAR, _FAR)]
    doubles = {float(place) for place in thresholds(oracle, mechanism, answer)}
    return [Fraction(place) for place in sorted(doubles)]


def _chances(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, edges: Sequence[Fraction]) -> list[Ends]:
    """How likely an output lies between two neighbouring edges, by the oracle."""
    if oracle.tail is not None:
        tail = tail_of(oracle, mechanism, answer)
        above = [chances(tail(edge)) for edge in edges]
        return [(one[0] - other[1], one[1] - other[0]) for one, other in itertools.pairwise(above)]
    law = law_of(oracle, mechanism, answer)
    listed = [(Fraction(output), chances(chance)) for output, chance in law.items() if isinstance(output, int | Fraction)]
    inside = [[ends for at, ends in listed if one < at < other] for one, other in itertools.pairwise(edges)]
    return [(sum((low for low, _ in each), _NONE), sum((high for _, high in each), _NONE)) for each in inside]
