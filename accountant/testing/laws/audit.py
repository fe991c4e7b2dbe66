"""The laws that a mechanism, when it is run, loses no more than it claims and has the outputs that its oracle says."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from accountant.analysis.auditing.auditor import Auditor
from accountant.analysis.auditing.binomial import tail
from accountant.analysis.auditing.releases import claimed_epsilon
from accountant.analysis.auditing.simulation import Contrasted, Simulated
from accountant.loss import Floats, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import float_above
from accountant.plugin.cases import MechanismCase
from accountant.plugin.oracles import MechanismOracle
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.testing.claims import claimed, loss_of
from accountant.testing.counterexamples import broken, delta, method
from accountant.testing.moves import answers, happens
from accountant.testing.output_pairs import chances
from accountant.testing.outputs import law_of, spread, tail_of, thresholds
from accountant.testing.places import DELTAS
from accountant.testing.reproduced import plan_with, written
from accountant.testing.runs import CONFIDENCE, RUNS, plausible, runs_of

_SAMPLES = 500_000
_TELLING = 0.3
_CERTAIN = 0.95
_WIDE, _ABOUT, _NARROW = 8, 2, 4.0
_FEW_RUNS = 20_000
_AGAIN, _OFTEN = 1_000, 0.1
_MOST_OUTPUTS = 64


def audits_never_refute_the_claim(case: MechanismCase, oracle: MechanismOracle | None = None) -> None:
    """No event is seen so often on one side and so rarely on the other that the claimed loss cannot hold.

    Where the move is small beside the noise, one that is not is audited: there ten per cent less noise are seen. Answers
    that there are not are not asked for.
    Mechanisms that do not say how to run them pass.
    """
    mechanism = case.mechanism
    if not isinstance(mechanism, Simulated):
        return
    shift = _telling(mechanism, case.shift, oracle)
    loss = loss_of(MechanismCase(case.name, mechanism, shift))
    for at in DELTAS if loss.infinite().upper <= 0.0 else _nothing_more(loss):
        _examine(mechanism, shift, loss, at, _SAMPLES)
    turned = _turned(shift)
    opposite = None if turned is None or not happens(oracle, mechanism, turned) else claimed(mechanism, turned)
    if turned is not None and opposite is not None:
        # Noise that coordinates share is not seen where all of them rise.
        _examine(mechanism, turned, opposite, DELTAS[-1], RUNS)


def runs_of_any_parameters_keep_the_claim(mechanism: Mechanism, shift: Shift) -> None:
    """The same of parameters that are drawn, in fewer runs, at the delta at which nothing more is said to be lost."""
    loss = claimed(mechanism, shift) if isinstance(mechanism, Simulated) else None
    if loss is not None and isinstance(mechanism, Simulated):
        for at in _nothing_more(loss):
            _examine(mechanism, shift, loss, at, RUNS)


def _nothing_more(loss: PrivacyLoss) -> Iterator[Fraction]:
    """The delta at which epsilon is said to be nothing: by how much any event is more likely on one side."""
    most = max(delta(side, Fraction(0)).upper for side in (loss, loss.reverse()))
    if most < _CERTAIN:
        yield Fraction(most)


def _turned(shift: Shift) -> Shift | None:
    """The same move with its last coordinate the other way, where there are several and none has a place."""
    moves = shift.coordinates
    return None if moves is None or len(moves) < 2 or shift.placed is not None else Shift.along([*moves[:-1], -moves[-1]])


def _examine(mechanism: Simulated, shift: Shift, loss: PrivacyLoss, at: Fraction, samples: int) -> None:
    assert isinstance(mechanism, Mechanism)
    found = Auditor(at, samples, CONFIDENCE).examine(mechanism, shift)
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


def _telling(mechanism: Mechanism, shift: Shift, oracle: MechanismOracle | None) -> Shift:
    """The shift, or as many times of it as make the mechanism lose much."""
    if shift.coordinates is None or shift.placed is not None:
        return shift
    for times in (1, 2, 5, 10, 20, 50, 100, 1000):
        larger = Shift.along([times * move for move in shift.coordinates])
        loss = claimed(mechanism, larger) if times == 1 or happens(oracle, mechanism, larger) else None
        if loss is None:
            break
        if delta(loss, Fraction(0)).upper >= _TELLING:
            return larger
    return shift


def runs_follow_the_outputs(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> None:
    """Outputs are seen about as often as the oracle says, when the mechanism is run on one answer."""
    if not isinstance(mechanism, Simulated) or isinstance(mechanism, Contrasted):
        return
    _require_fresh_noise(mechanism, answer)
    counted = list(_counted(oracle, mechanism, answer, runs_of(mechanism, [answer])))
    failure = float(1 - CONFIDENCE) / (2 * max(1, len(counted)))
    for event, seen, known in counted:
        if _unlikely(seen, known, failure):
            low, _ = known
            least, most = map(float, plausible(seen, failure))
            broken(
                "the mechanism does not have the outputs that its oracle says when it is run",
                mechanism=written(mechanism),
                answer=plain(answer),
                event=event,
                chance_by_the_oracle=f"{float(low):.6g}",
                seen=f"{seen:,} times in {RUNS:,} runs: a chance between {least:.6g} and {most:.6g}",
                look_at=f"{method(mechanism, 'simulate')}, MechanismOracle",
            )


def _require_fresh_noise(mechanism: Simulated, answer: Fraction) -> None:
    """Noise comes from the generator that is given: another one gives other noise, where outputs differ at all."""
    assert isinstance(mechanism, Mechanism)
    answers = np.full((_AGAIN, 1), float(answer))
    outputs, others = (np.asarray(mechanism.simulate(answers, np.random.default_rng(seed))) for seed in (0, 1))
    if np.mean(outputs != outputs[0]) > _OFTEN and np.array_equal(outputs, others):
        broken(
            "a mechanism that is run must take its noise from the generator that it is given",
            mechanism=written(mechanism),
            answer=plain(answer),
            seen=f"the same outputs in {_AGAIN:,} runs with another generator",
            look_at=method(mechanism, "simulate"),
        )


def _unlikely(seen: int, known: tuple[Fraction, Fraction], failure: float) -> bool:
    """Whether an event whose chance lies between two ends is hardly ever seen so often, or so rarely."""
    low, high = known
    often = tail(seen, RUNS, float_above(high)) if high < 1 else 1.0
    rarely = tail(RUNS - seen, RUNS, float_above(1 - low)) if low > 0 else 1.0
    return min(often, rarely) <= failure


def runs_are_independent(oracle: MechanismOracle, mechanism: Mechanism, places: Sequence[Fraction]) -> None:
    """Several answers that are run together get noise of their own each: two events are seen as often as their product."""
    if not isinstance(mechanism, Simulated) or isinstance(mechanism, Contrasted) or not mechanism.asks_query:
        return
    if len(places) < 2 or claimed(mechanism, Shift.along([1, 1])) is None:
        return
    together = runs_of(mechanism, places[:2])
    halves = np.hsplit(together, 2) if together.shape[1] % 2 == 0 else []
    each = [_likely(oracle, mechanism, place, rows) for place, rows in zip(places, halves, strict=False)]
    likely = [found for found in each if found is not None]
    if len(likely) < 2:
        return
    low, high = (likely[0].known[end] * likely[1].known[end] for end in (0, 1))
    seen = int((likely[0].happened & likely[1].happened).sum())
    failure = float(1 - CONFIDENCE) / 2
    if _unlikely(seen, (low, high), failure):
        least, most = map(float, plausible(seen, failure))
        broken(
            "several answers that are run together must get noise of their own each",
            mechanism=written(mechanism),
            answers=" and ".join(map(plain, places[:2])),
            event=" and ".join(f"{event.words} of the {word}" for event, word in zip(likely, _WORDS, strict=True)),
            chance_by_the_oracle=f"{float(low):.6g}",
            seen=f"{seen:,} times in {RUNS:,} runs: a chance between {least:.6g} and {most:.6g}",
            look_at=method(mechanism, "simulate"),
        )


_WORDS = ("first", "second")


@frozen
class _Event:
    """Something that may be seen of an output: in words, in which runs it was, and its chance."""

    words: str
    happened: Any
    known: tuple[Fraction, Fraction]


def _likely(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, rows: Floats) -> _Event | None:
    """An event that is neither rare nor certain, if outputs are numbers: one above the answer, or the likeliest output."""
    if oracle.tail is not None:
        # Outputs are doubles, so the threshold is one too.
        double = Fraction(float(answer))
        found = chances(tail_of(oracle, mechanism, answer)(double))
        return _Event("an output above the answer", rows[:, 0] > float(double), found) if rows.shape[1] == 1 else None
    law = law_of(oracle, mechanism, answer)
    output = max(law, key=lambda output: law[output])
    happened = _is_output(output, rows)
    return None if happened is None else _Event(f"output {output}", happened, chances(law[output]))


def _is_output(output: Hashable, rows: Floats) -> Any | None:
    """In which runs the output was this one; None where it is no number or no numbers."""
    numbers = output if isinstance(output, tuple) else (output,)
    if len(numbers) != rows.shape[1] or not all(isinstance(number, (int, float, Fraction)) for number in numbers):
        return None
    return (rows == np.array([float(number) for number in numbers])).all(axis=1)


def scaled_noise_is_as_wide(oracle: MechanismOracle | None, mechanism: Mechanism) -> None:
    """With so many times the noise outputs are about so many times as far from the answer: calibration reports that.

    When the mechanism is run, or by the oracle. Noise on whole numbers that is narrow is no measure, so that two wide ones
    are compared.
    """
    wide, wider = (mechanism.scaled(Fraction(factor)) for factor in (_WIDE**2, _WIDE**3))
    if wide is None or wider is None or not mechanism.asks_query:
        return
    first, second = (_width(oracle, scaled) for scaled in (wide, wider))
    if first is None or second is None or first < _NARROW:
        return
    if not _WIDE / _ABOUT <= second / first <= _WIDE * _ABOUT:
        broken(
            "a mechanism with so many times the noise must have about so many times as much",
            mechanism=written(mechanism),
            **{f"with {_WIDE**2} times the noise": written(wide), f"with {_WIDE**3} times the noise": written(wider)},
            times_as_far=f"{second / first:.4g}, not {_WIDE}",
            look_at=method(mechanism, "scaled"),
        )


def _width(oracle: MechanismOracle | None, mechanism: Mechanism) -> float | None:
    """About how far above its middle the output is in one case out of eight; None where nothing says so."""
    if isinstance(mechanism, Simulated) and not isinstance(mechanism, Contrasted):
        answers = np.zeros((_FEW_RUNS, 1))
        outputs = np.asarray(mechanism.simulate(answers, np.random.default_rng(0)), dtype=np.float64)
        middle, far = np.quantile(outputs, (0.5, 0.875)) if outputs.shape == answers.shape else (0.0, 0.0)
        return float(far - middle)
    return None if oracle is None or oracle.tail is None else float(spread(oracle, mechanism, Fraction(0)))


def _counted(
    oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, rows: Floats
) -> Iterator[tuple[str, int, tuple[Fraction, Fraction]]]:
    """Events, how often each was seen, and its chance."""
    if oracle.tail is not None:
        above = tail_of(oracle, mechanism, answer)
        for place in thresholds(oracle, mechanism, answer) if rows.shape[1] == 1 else ():
            # Outputs are doubles, so the threshold is one too.
            double = Fraction(float(place))
            yield f"the output is above {plain(double)}", int((rows[:, 0] > float(double)).sum()), chances(above(double))
        return
    for output, chance in itertools.islice(law_of(oracle, mechanism, answer).items(), _MOST_OUTPUTS):
        happened = _is_output(output, rows)
        if happened is not None:
            yield f"the output is {output}", int(happened.sum()), chances(chance)


def run_answers(oracle: MechanismOracle, mechanism: Mechanism) -> list[Fraction]:
    """Two answers to run a mechanism on; where answers may move by halves, one of them is no whole number."""
    broken_one = Fraction(5, 2) if claimed(mechanism, Shift.along([Fraction(1, 2)])) is not None else Fraction(3)
    return (answers(oracle, mechanism) or [Fraction(0), broken_one])[:2]
