"""The problems of `accountant infer` as others answer them, to be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference.baselines.lines import ApproximateLines, AugmentedLines, run_lines
from accountant_posterior.inference.baselines.moments import METHODS
from accountant_posterior.inference.gibbs import infer
from accountant_posterior.inference.lines.priors import GaussianDesign
from accountant_posterior.inference.lines.problem import LineProblem
from accountant_posterior.inference.problems import MomentsProblem, Problem

AUGMENTATION, APPROXIMATION = "augmentation", "approximation"
BASELINES = AUGMENTATION, APPROXIMATION
_CHAINS, _LEAST_LONG = 200, 50
_MOST_RECORDS = 10_000

_WORDS = {
    AUGMENTATION: "data augmentation: every record is drawn anew and kept between its bounds, so that the likelihood is "
    "cut and not the statistics, which is another model",
    APPROXIMATION: "Gaussian approximation: {} taken to be Gaussian, as for many records, which is another model for few",
}


@frozen
class Baseline(Problem):
    """A problem by a method of the literature, which has another model than ours and may be slow to settle."""

    family: ClassVar[str] = "baseline"

    original: MomentsProblem | LineProblem
    method: str

    def __attrs_post_init__(self) -> None:
        if self.method == AUGMENTATION and self._count > _MOST_RECORDS:
            raise InvalidValue(
                f"data augmentation draws every one of {self._count:,} records in every step; as a baseline it takes at "
                f"most {_MOST_RECORDS:,}"
            )

    @property
    def _count(self) -> int:
        if isinstance(self.original, MomentsProblem):
            return self.original.seen.release.count
        return self.original.seen.count

    @property
    def usual(self) -> tuple[object, ...]:
        return ()

    @property
    def model(self) -> str:
        line = isinstance(self.original, LineProblem)
        told = _WORDS[self.method].format("the sums are" if line else "the variance of the data is")
        return f"{told}; regressors are taken to be Gaussian" if line else told

    @property
    def believed(self) -> str:
        return self.original.believed

    def draw(self, generator: Generator, draws: int) -> dict[str, Floats]:
        iterations = max(-(-draws // _CHAINS), _LEAST_LONG)
        burn = max(_LEAST_LONG, iterations // 2)
        original = self.original
        if isinstance(original, MomentsProblem):
            found = infer(
                original.seen, original.prior, generator,
                chains=_CHAINS, iterations=iterations, burn=burn, method=METHODS[self.method],
            )  # fmt: skip
            return {"mean": found.mean, "variance": found.variance, "deviation": found.deviation}
        given = original.seen, original.prior, GaussianDesign(), _CHAINS, generator
        state = AugmentedLines(*given, bounded=True) if self.method == AUGMENTATION else ApproximateLines(*given)
        lines = run_lines(state, generator, iterations=iterations, burn=burn)
        coefficients = dict(zip(original.names, lines.coefficients, strict=True))
        return {**coefficients, "variance": lines.variance, "deviation": np.sqrt(lines.variance)}

    def range(self, parameter: str) -> tuple[float, float]:
        return self.original.range(parameter)


def by_others(problems: Sequence[Problem], methods: Sequence[str]) -> tuple[tuple[Baseline, ...], ...]:
    """For each problem the same by each of these methods; none for shares, whose posterior is summed and not sampled."""
    wanted = tuple(dict.fromkeys(methods))
    found = [
        tuple(Baseline(one.releases, one, method) for method in wanted)
        if isinstance(one, MomentsProblem | LineProblem)
        else ()
        for one in problems
    ]
    if wanted and not any(found):
        raise InvalidValue(
            "--baseline is for means with their variances and for regressions; of shares the posterior is summed exactly, "
            "and there is nothing to compare"
        )
    return tuple(found)
