"""The law that published numbers are as far from exact ones as a mechanism says."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.plugin.oracles import MechanismOracle
from accountant.release.release import Mechanism
from accountant.testing.counterexamples import broken, method
from accountant.testing.output_pairs import chances
from accountant.testing.outputs import tail_of
from accountant.testing.reproduced import written

_SHARES = (Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000))
_HAIR = Fraction(1, 10**9)


def errors_are_as_said(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> None:
    """The distance that a published number is said to keep with a probability is kept with it, and no smaller one is.

    So it is by the chances that the oracle gives for one answer. A mechanism need not say how far numbers are off.
    """
    for share in _SHARES:
        said = mechanism.error(share)
        if said is None:
            continue
        far = None if math.isinf(said.upper) else _beyond(oracle, mechanism, answer, Fraction(said.upper))
        if far is not None and far[0] > 1 - share:
            _tell(mechanism, answer, share, said, f"farther off with a chance of at least {float(far[0]):.6g}")
        near = Fraction(said.lower) * (1 - _HAIR)
        # Of few answers some may be published closer than others.
        if oracle.answers is None and near > 0 and _beyond(oracle, mechanism, answer, near)[1] < 1 - share:
            _tell(mechanism, answer, share, said, f"within {float(near):.6g} with more than that chance")


def _beyond(
    oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, distance: Fraction
) -> tuple[Fraction, Fraction]:
    """The chance that an output is farther from the answer, between two ends: outputs just at it may count as either."""
    tail, hair = tail_of(oracle, mechanism, answer), _HAIR * (1 + abs(distance) + abs(answer))
    above, below = chances(tail(answer + distance)), chances(tail(answer - distance - hair))
    return above[0] + 1 - below[1], above[1] + 1 - chances(tail(answer - distance))[0]


def _tell(mechanism: Mechanism, answer: Fraction, share: Fraction, said: Interval, found: str) -> None:
    broken(
        "published numbers must be as far from exact ones as is said",
        mechanism=written(mechanism),
        answer=plain(answer),
        **{f"distance said to be kept with a chance of {plain(share)}": said},
        by_the_oracle=found,
        look_at=method(mechanism, "error"),
    )
