"""Auditor: a lower bound on epsilon from running a mechanism."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import field, frozen
from scipy.special import betaincinv

from accountant.analysis.auditing.binomial import chance_at_least, chance_at_most
from accountant.analysis.auditing.score import LearnedScore, OwnScore, Score, spread
from accountant.analysis.auditing.simulation import Experiment, Generator, Scored, Simulated, SimulatedSampling, contrasts
from accountant.display.brief import Brief
from accountant.fields import about, at_least, at_most, below, exact, whole
from accountant.loss import Floats
from accountant.numbers.interval import float_below
from accountant.numbers.logarithm import log_of
from accountant.progress import reached
from accountant.release.query import Shift

_PILOT_SHARE = 4
_LEAST_PILOT, _LARGEST_PILOT = 100, 10**6
_DOUBT = 2.0
_HAIR = 1e-9


@frozen
class Finding(Brief):
    """An event, how often it was seen on either side, and what that proves.

    Guarantee: for no epsilon' below `epsilon` is the mechanism, as it was run, (epsilon', delta)-differentially private,
    except with the probability that the confidence leaves.
    """

    epsilon: float
    event: str
    seen: tuple[int, int]
    """How often the event was seen where it is likely, and where it is not."""
    runs: int


@frozen
class Auditor(Brief):
    """How mechanisms are audited.

    Definition: an (epsilon, delta)-private mechanism has P(event) <= e^epsilon Q(event) + delta for every event. One is
    chosen on runs of its own. Both of its chances are bounded by further counts, each with half of what the confidence
    leaves: p from below, q from above. Then epsilon >= log((p - delta)/q).
    """

    delta: Fraction = field(
        default=Fraction(1, 10**6),
        converter=exact,
        validator=[at_least(0), below(1)],
        metadata=about("the delta at which epsilon is bounded"),
    )
    samples: int = field(
        default=10**6,
        converter=whole,
        validator=[at_least(1000), at_most(10**9)],
        metadata=about("how many runs on either side are counted; up to three quarters as many more choose the event"),
    )
    confidence: Fraction = field(
        default=Fraction(999, 1000),
        converter=exact,
        validator=[at_least("1/2"), below(1)],
        metadata=about("the probability with which a bound holds, at least"),
    )
    seed: int = field(
        default=0,
        converter=whole,
        validator=at_least(0),
        metadata=about("where the randomness starts; equal seeds, equal results"),
    )

    def examine(
        self, mechanism: Simulated, shift: Shift, *, sampling: SimulatedSampling | None = None, stream: int = 0
    ) -> Finding:
        """A lower bound on the epsilon of a mechanism between answers that differ by a shift.

        Audits in different streams have independent randomness.
        """
        generator = np.random.default_rng([self.seed, stream])
        experiments = [Experiment(mechanism, contrast, sampling) for contrast in contrasts(mechanism, shift)]
        with np.errstate(all="ignore"):  # scores are only compared, so they may well be infinite
            event = self._chosen(experiments, generator)
            seen = event.counted(self.samples, generator)
        return Finding(self.bound(*seen), str(event), seen, self.samples)

    def bound(self, likely: int, unlikely: int) -> float:
        """What an event proves that was seen so often in the runs on either side."""
        low = Fraction(chance_at_least(likely, self.samples, self._failure)) - self.delta
        high = Fraction(chance_at_most(unlikely, self.samples, self._failure))
        return max(0.0, log_of(low / high).lower) if low > 0 else 0.0

    @property
    def _failure(self) -> float:
        return float_below((1 - self.confidence) / 2)

    def _chosen(self, experiments: list[Experiment], generator: Generator) -> Event:
        """The most promising event. None of the runs used here will count, so nothing done here can make a bound wrong."""
        events = []
        share = max(_LEAST_PILOT, min(_LARGEST_PILOT, self.samples // _PILOT_SHARE) // len(experiments))
        for experiment in experiments:
            lesson, trial = (next(experiment.outputs(share, generator)) for _ in range(2))
            scores: list[Score] = [LearnedScore.of(*lesson)]
            if isinstance(experiment.mechanism, Scored):
                scores.insert(0, OwnScore(experiment.mechanism, experiment.contrast))
            events += [self._best(experiment, score, *(score(side) for side in trial)) for score in scores]
        best = max(events, key=lambda event: event.promise)
        runs = min(_LARGEST_PILOT, self.samples // _PILOT_SHARE)
        blocks = [[best.score(side) for side in block] for block in best.experiment.outputs(runs, generator)]
        return self._best(best.experiment, best.score, *(np.concatenate(side) for side in zip(*blocks, strict=True)))

    def _best(self, experiment: Experiment, score: Score, first: Floats, second: Floats) -> Event:
        """The most promising threshold in the better direction, judged by scores on either side."""
        first, second = np.sort(first), np.sort(second)  # once, since what is nearly in order is quick to sort again
        events = [
            Event(experiment, score, sign, *self._threshold(likely, unlikely))
            for sign, likely, unlikely in ((1, second, first), (-1, -first[::-1], -second[::-1]))
        ]
        return max(events, key=lambda event: event.promise)

    def _threshold(self, likely: Floats, unlikely: Floats) -> tuple[float, float]:
        """The threshold with the largest bound if the runs that count come out like these, and about that bound."""
        thresholds = spread(np.concatenate((likely, unlikely)))
        # Rounding splits an atom of the score into many values that are all but equal: they belong together.
        thresholds = thresholds - _HAIR * float(np.max(np.abs(thresholds[np.isfinite(thresholds)]), initial=0.0))
        hits, alarms = (
            side.size - np.searchsorted(np.sort(side, kind="stable"), thresholds) for side in (likely, unlikely)
        )
        # Moved against us, since the best of many thresholds is the luckiest one.
        few = np.maximum(hits - _DOUBT * np.sqrt(hits), 0.5) * (self.samples / likely.size)
        many = (alarms + _DOUBT * np.sqrt(alarms) + 1.0) * (self.samples / unlikely.size)
        many = np.minimum(many, self.samples - 0.5)
        low = betaincinv(few, self.samples - few + 1.0, self._failure) - float(self.delta)
        high = 1.0 - betaincinv(self.samples - many, many + 1.0, self._failure)
        promises = np.log(np.maximum(low, 1e-300) / high)
        best = int(np.argmax(promises))
        return float(thresholds[best]), float(promises[best])


@frozen(eq=False)
class Event:
    """A score that is at least a threshold; with a negative sign, its negative is."""

    experiment: Experiment
    score: Score
    sign: int
    threshold: float
    promise: float
    """About the bound that is to be expected."""

    def __str__(self) -> str:
        words = "at least" if self.sign > 0 else "at most"
        return f"{self.score.name} {words} {self.sign * self.threshold:.6g}"

    def counted(self, runs: int, generator: Generator) -> tuple[int, int]:
        """How often it happens where it is likely, and where it is not."""
        counts, done = [0, 0], 0
        for block in self.experiment.outputs(runs, generator):
            done += len(block[0])
            reached(done / runs)
            for side, outputs in enumerate(block):
                counts[side] += int(np.count_nonzero(self.sign * self.score(outputs) >= self.threshold))
        return (counts[1], counts[0]) if self.sign > 0 else (counts[0], counts[1])
