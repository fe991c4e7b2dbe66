"""The law that published numbers are as far from exact ones as a mechanism says."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import cast

from accountant.analysis.auditing.simulation import Contrasted, Simulated
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.plugin.oracles import MechanismOracle
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.testing.claims import claimed
from accountant.testing.counterexamples import broken, method
from accountant.testing.output_pairs import chances
from accountant.testing.outputs import law_of, tail_of
from accountant.testing.reproduced import written
from accountant.testing.runs import plausible, runs_of

_SHARES = (Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000))
_HAIR = Fraction(1, 10**9)
_ANYWHERE = (Fraction(0), Fraction(1, 2), Fraction(7, 3))
"""Answers, where every number is one: who rounds them is farther off between two whole numbers."""
_MOST = 12

Ends = tuple[Fraction, Fraction]
Beyond = Callable[[Fraction, Fraction], Ends]
"""Of an answer and a distance: the chance that an output is farther away, between two ends."""


def errors_are_as_said(oracle: MechanismOracle, mechanism: Mechanism) -> None:
    """The distance that a published number is said to keep with a probability is kept with it, and no smaller one is.

    So it is by the chances that the oracle gives, where outputs are numbers. A mechanism need not say how far numbers are
    off.
    """
    known = _ANYWHERE if oracle.answers is None else itertools.islice(oracle.answers(mechanism), _MOST + 1)
    answers = [Fraction(value) for value in known]
    # Of many answers some that are left out may be published farther off than others.
    complete = answers if len(answers) <= _MOST else []
    if oracle.tail is not None:
        _require_distances(mechanism, answers, complete, _by_tail(oracle, mechanism))
    elif (mechanism.asks_query or oracle.answers) and all(map(_is_number, _outputs(oracle, mechanism, answers))):
        _require_distances(mechanism, answers, complete, _by_law(oracle, mechanism))


def errors_are_seen(mechanism: Mechanism) -> None:
    """The same where nothing says how likely outputs are, nor which answers there are: so it is when 0 is asked for."""
    if not isinstance(mechanism, Simulated) or isinstance(mechanism, Contrasted):
        return
    answers = _ANYWHERE if claimed(mechanism, Shift.along(_ANYWHERE[1:2])) is not None else _ANYWHERE[:1]
    outputs = {answer: runs_of(mechanism, [answer]) for answer in answers}
    if any(rows.shape[1] != 1 for rows in outputs.values()):
        return

    def beyond(answer: Fraction, distance: Fraction) -> Ends:
        return plausible(int((abs(outputs[answer] - float(answer)) > float(distance)).sum()))

    _require_distances(mechanism, answers[:1], answers, beyond)


def _require_distances(
    mechanism: Mechanism, answers: Sequence[Fraction], complete: Sequence[Fraction], beyond: Beyond
) -> None:
    """What is said holds for these answers, and no smaller distance does for all of those, if some are known."""
    for share in _SHARES:
        said = mechanism.error(share)
        if said is None:
            continue
        for answer in answers if math.isfinite(said.upper) else ():
            far, _ = beyond(answer, Fraction(said.upper) * (1 + _HAIR))
            if far > 1 - share:
                _tell(mechanism, answer, share, said, f"farther off with a chance of at least {float(far):.6g}")
        near = Fraction(said.lower) * (1 - _HAIR) if math.isfinite(said.lower) else Fraction(0)
        if complete and near > 0 and all(beyond(answer, near)[1] < 1 - share for answer in complete):
            _tell(mechanism, complete[0], share, said, f"within {float(near):.6g} with more than that chance")


def _by_tail(oracle: MechanismOracle, mechanism: Mechanism) -> Beyond:
    def beyond(answer: Fraction, distance: Fraction) -> Ends:
        """Outputs just at the distance may count as either."""
        tail, hair = tail_of(oracle, mechanism, answer), _HAIR * (1 + abs(distance) + abs(answer))
        above, below = chances(tail(answer + distance)), chances(tail(answer - distance - hair))
        return above[0] + 1 - below[1], above[1] + 1 - chances(tail(answer - distance))[0]

    return beyond


def _by_law(oracle: MechanismOracle, mechanism: Mechanism) -> Beyond:
    def beyond(answer: Fraction, distance: Fraction) -> Ends:
        law = law_of(oracle, mechanism, answer)
        far = [chances(chance) for output, chance in law.items() if abs(Fraction(cast(float, output)) - answer) > distance]
        return sum((low for low, _ in far), Fraction(0)), sum((high for _, high in far), Fraction(0))

    return beyond


def _outputs(oracle: MechanismOracle, mechanism: Mechanism, answers: Sequence[Fraction]) -> Iterator[object]:
    return (output for answer in answers for output in law_of(oracle, mechanism, answer))


def _is_number(output: object) -> bool:
    return isinstance(output, int | float | Fraction) and not isinstance(output, bool) and math.isfinite(output)


def _tell(mechanism: Mechanism, answer: Fraction, share: Fraction, said: Interval, found: str) -> None:
    broken(
        "published numbers must be as far from exact ones as is said",
        mechanism=written(mechanism),
        answer=plain(answer),
        **{f"distance said to be kept with a chance of {plain(share)}": said},
        in_truth=found,
        look_at=method(mechanism, "error"),
    )
