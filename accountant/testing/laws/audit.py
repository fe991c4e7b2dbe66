"""The laws that a mechanism, when it is run, loses no more than it claims and has the outputs that its oracle says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from accountant.analysis.auditing.auditor import Auditor
from accountant.analysis.auditing.binomial import chance_at_least, chance_at_most
from accountant.analysis.auditing.releases import claimed_epsilon
from accountant.analysis.auditing.simulation import Contrasted, Simulated
from accountant.loss import Floats
from accountant.numbers.exact import plain
from accountant.plugin.cases import MechanismCase
from accountant.plugin.oracles import MechanismOracle
from accountant.release.mechanism import Mechanism
from accountant.release.query import Shift
from accountant.testing.claims import claimed
from accountant.testing.counterexamples import broken, delta, method
from accountant.testing.moves import answers
from accountant.testing.outputs import law_of, tail_of, thresholds
from accountant.testing.places import DELTAS
from accountant.testing.reproduced import plan_with, written

# A thousand audits of honest mechanisms together raise a false alarm with probability at most 1e-10.
_CONFIDENCE = 1 - Fraction(1, 10**13)
_SAMPLES = 500_000
_RUNS = 200_000
_TELLING = 0.3
_MOST_OUTPUTS = 64


def audits_never_refute_the_claim(case: MechanismCase) -> None:
    """No event is seen so often on one side and so rarely on the other that the claimed loss cannot hold.

    Where the move is small beside the noise, one that is not is audited: there ten per cent less noise are seen.
    Mechanisms that do not say how to run them pass.
    """
    mechanism = case.mechanism
    if not isinstance(mechanism, Simulated):
        return
    shift = _telling(mechanism, case.shift)
    loss = mechanism.loss(shift)
    for at in DELTAS:
        found = Auditor(at, _SAMPLES, _CONFIDENCE).examine(mechanism, shift)
        stated = claimed_epsilon(loss, at)
        if found.epsilon > stated.upper:
            broken(
                "a mechanism must not lose more than it claims when it is run",
                mechanism=written(mechanism),
                shift=f"the query moves {shift}",
                at_delta=plain(at),
                epsilon_that_is_claimed=stated,
                epsilon_at_least=f"{found.epsilon:.6g}",
                event=found.event,
                seen=f"{found.seen[0]:,} and {found.seen[1]:,} times in {found.runs:,} runs on either side",
                look_at=f"{method(mechanism, 'simulate')}, {method(mechanism, 'loss')}",
                **plan_with(mechanism, shift),
            )


def _telling(mechanism: Mechanism, shift: Shift) -> Shift:
    """The shift, or as many times of it as make the mechanism lose much."""
    if shift.coordinates is None or shift.placed is not None:
        return shift
    for times in (1, 2, 5, 10, 20, 50, 100, 1000):
        larger = Shift.along([times * move for move in shift.coordinates])
        loss = claimed(mechanism, larger)
        if loss is None:
            break
        if delta(loss, Fraction(0)).upper >= _TELLING:
            return larger
    return shift


def runs_follow_the_outputs(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> None:
    """Outputs are seen about as often as the oracle says, when the mechanism is run on one answer."""
    if not isinstance(mechanism, Simulated) or isinstance(mechanism, Contrasted):
        return
    generator = np.random.default_rng(0)
    outputs = np.asarray(mechanism.simulate(np.full((_RUNS, 1), float(answer)), generator), dtype=np.float64)
    rows = outputs.reshape(_RUNS, -1)
    counted = list(_counted(oracle, mechanism, answer, rows))
    for event, seen, (low, high) in counted:
        failure = float(1 - _CONFIDENCE) / (2 * len(counted))
        least, most = chance_at_least(seen, _RUNS, failure), chance_at_most(seen, _RUNS, failure)
        if Fraction(least) > high or Fraction(most) < low:
            broken(
                "the mechanism does not have the outputs that its oracle says when it is run",
                mechanism=written(mechanism),
                answer=plain(answer),
                event=event,
                chance_by_the_oracle=f"{float(low):.6g}",
                seen=f"{seen:,} times in {_RUNS:,} runs: a chance between {least:.6g} and {most:.6g}",
                look_at=f"{method(mechanism, 'simulate')}, MechanismOracle",
            )


def _counted(
    oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, rows: Floats
) -> Iterator[tuple[str, int, tuple[Fraction, Fraction]]]:
    """Events, how often each was seen, and its chance."""
    if oracle.tail is not None:
        tail = tail_of(oracle, mechanism, answer)
        for place in thresholds(oracle, mechanism, answer) if rows.shape[1] == 1 else ():
            # Outputs are doubles, so the threshold is one too.
            double = Fraction(float(place))
            yield f"the output is above {plain(double)}", int((rows[:, 0] > float(double)).sum()), tail(double)
        return
    for output, chance in itertools.islice(law_of(oracle, mechanism, answer).items(), _MOST_OUTPUTS):
        numbers = output if isinstance(output, tuple) else (output,)
        plain_numbers = all(isinstance(number, (int, float, Fraction)) for number in numbers)
        if plain_numbers and len(numbers) == rows.shape[1]:
            row = np.array([float(number) for number in numbers])
            yield f"the output is {output}", int((rows == row).all(axis=1).sum()), chance


def run_answers(oracle: MechanismOracle, mechanism: Mechanism) -> list[Fraction]:
    """Two answers to run a mechanism on."""
    return (answers(oracle, mechanism) or [Fraction(0), Fraction(3)])[:2]
