"""Intervals over many datasets: one part of a setting, and what all parts of it add up to."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from accountant import InvalidValue, fields
from accountant.commands import GridKey, Plain, StudyGrid
from accountant.loss import Floats
from accountant.numbers import plain
from accountant_posterior.inference import MomentsRelease
from accountant_posterior.inference.believed import read_priors
from accountant_posterior.inference.priors import MomentsPrior
from accountant_posterior.studies.laws import DataLaw, read_law
from accountant_posterior.studies.marginals import Readings
from accountant_posterior.studies.quadrature import Quadrature

PARAMETERS = ("mean", "variance")
MODELS = ("constrained", "unconstrained")
_AT_ONCE = 1000
_CHECKED = 20
_VALUES = 2**22


def _exact(value: Any) -> str:
    if isinstance(value, bool):
        raise InvalidValue("expected a number, got true or false")
    return plain(fields.exact(value))


def _above_zero(value: Any) -> str:
    number = fields.exact(value)
    if number <= 0:
        raise InvalidValue(f"expected a number above 0, got {plain(number)}")
    return plain(number)


def _whole(least: int, most: int) -> Any:
    def read(value: Any) -> int:
        number = fields.whole(value)
        if not least <= number <= most:
            raise InvalidValue(f"expected a whole number from {least:,} to {most:,}, got {number:,}")
        return number

    return read


def _share(value: Any) -> str:
    number = fields.exact(value)
    if not 0 < number < 1:
        raise InvalidValue(f"expected a share between 0 and 1, got {plain(number)}")
    return plain(number)


def _model(value: Any) -> str:
    if value not in MODELS:
        raise InvalidValue(f"expected {' or '.join(MODELS)}, got '{value}'")
    return str(value)


def _prior(value: Any) -> str:
    if read_priors([str(value)]).moments is None:
        raise InvalidValue(f"expected a prior of mean and variance, got '{value}'")
    return str(value)


KEYS = {
    "count": GridKey(_whole(4, 10**6)),
    "epsilon": GridKey(_above_zero),
    "law": GridKey(str),
    "model": GridKey(_model, ["constrained"]),
    "prior": GridKey(_prior, ["flat"]),
    "datasets": GridKey(_whole(2, 10**7), 1000),
    "level": GridKey(_share, "0.95"),
    "lower": GridKey(_exact, 0),
    "upper": GridKey(_exact, 1),
}
"""What a grid of intervals says. `epsilon` is what the mean spends, and what the variance spends."""


@frozen
class StudySetting:
    """One setting, ready to be tried."""

    release: MomentsRelease
    law: DataLaw
    prior: MomentsPrior
    constrained: bool
    level: float

    @classmethod
    def of(cls, told: Plain) -> StudySetting:
        """From plain data. A setting that cannot be integrated is refused here, before anything is drawn."""
        epsilon = told["epsilon"]
        release = MomentsRelease(told["count"], told["lower"], told["upper"], epsilon, epsilon)
        prior = read_priors([told["prior"]]).moments
        assert prior is not None
        law = read_law(told["law"], float(release.lower), float(release.upper))
        found = cls(release, law, prior, told["model"] == "constrained", float(fields.exact(told["level"])))
        Quadrature(release, prior, found.constrained)
        return found

    @property
    def truths(self) -> tuple[float, float]:
        """The mean and the variance of the law that data come from."""
        return self.law.mean, self.law.variance

    def simulated(self, generator: np.random.Generator, datasets: int) -> tuple[Floats, Floats]:
        """Noisy means and variances of as many datasets, on data moved to between 0 and 1."""
        count, rows = self.release.count, max(1, _VALUES // self.release.count)
        moments = []
        for start in range(0, datasets, rows):
            values = self.law.draw(generator, (min(rows, datasets - start), count))
            moments.append((values.mean(axis=1), values.var(axis=1, ddof=1)))
        means, variances = (np.concatenate(found) for found in zip(*moments, strict=True))
        width = self.release.width
        on_mean, on_variance = (noise.draw(generator, (datasets,)) for noise in self.release.noise)
        return (means + on_mean - float(self.release.lower)) / width, (variances + on_variance) / width**2

    def read(self, means: Floats, variances: Floats, fineness: int = 1) -> tuple[Readings, Readings]:
        """What the analyst reads off each release, on the scale of the data."""
        quadrature = Quadrature(self.release, self.prior, self.constrained, fineness)
        of_mean, of_variance = quadrature.readings(means, variances, self.level)
        width = self.release.width
        return of_mean.moved(float(self.release.lower), width), of_variance.moved(0.0, width**2)


def checked(grid: StudyGrid) -> None:
    """Refuse a grid with a setting that cannot be tried, naming the first."""
    for told in grid.settings:
        try:
            StudySetting.of(told)
        except InvalidValue as error:
            values = ", ".join(f"{name} = {told[name]}" for name in KEYS if name in grid.varying)
            raise InvalidValue(f"{error} (at {values})" if values else str(error)) from error


def parts_of(grid: StudyGrid, seed: int) -> Iterator[Plain]:
    """The parts of all settings, a thousand datasets each at most."""
    for told in grid.settings:
        for number, start in enumerate(range(0, told["datasets"], _AT_ONCE)):
            size = min(_AT_ONCE, told["datasets"] - start)
            yield {"setting": told, "seed": seed, "number": number, "datasets": size}


def done(part: Plain) -> Plain:
    """One part: sums over its datasets, with a stream of random numbers that its own words determine."""
    setting = StudySetting.of(part["setting"])
    words = {name: value for name, value in part["setting"].items() if name not in ("model", "prior", "level", "datasets")}
    digest = hashlib.sha256(json.dumps(words, sort_keys=True).encode()).digest()
    # Analyses that differ in model, prior or level see the same data and the same noise.
    stream = np.random.SeedSequence([part["seed"], int.from_bytes(digest[:8], "big"), part["number"]])
    generator = np.random.Generator(np.random.PCG64(stream))
    means, variances = setting.simulated(generator, part["datasets"])
    read = setting.read(means, variances)
    found: Plain = {name: _sums(one, truth) for name, one, truth in zip(PARAMETERS, read, setting.truths, strict=True)}
    if part["number"] == 0:
        found["rough"] = _roughness(setting, means[:_CHECKED], variances[:_CHECKED])
    return found


def _sums(read: Readings, truth: float) -> Plain:
    lengths = read.high - read.low
    return {
        "covered": int(((read.low <= truth) & (truth <= read.high)).sum()),
        "length": math.fsum(lengths),
        "length_squares": math.fsum(lengths**2),
        "mode_squares": math.fsum((read.mode - truth) ** 2),
        "mean_squares": math.fsum((read.mean - truth) ** 2),
    }


def _roughness(setting: StudySetting, means: Floats, variances: Floats) -> float:
    """How far an end of an interval for the mean moves on grids twice as fine, in its lengths: the most of some."""
    usual, fine = (setting.read(means, variances, fineness)[0] for fineness in (1, 2))
    moved = np.maximum(np.abs(usual.low - fine.low), np.abs(usual.high - fine.high))
    return float((moved / (fine.high - fine.low)).max())


@frozen
class IntervalOutcome:
    """What became of the intervals for one parameter, over all datasets of a setting."""

    coverage: float
    coverage_error: float
    length: float
    length_error: float
    mode_error: float
    mean_error: float

    @classmethod
    def of(cls, sums: Sequence[Plain], datasets: int) -> IntervalOutcome:
        total = {name: math.fsum(part[name] for part in sums) for name in sums[0]}
        coverage, length = total["covered"] / datasets, total["length"] / datasets
        spread = max(total["length_squares"] / datasets - length**2, 0.0)
        return cls(
            coverage,
            math.sqrt(coverage * (1.0 - coverage) / datasets),
            length,
            math.sqrt(spread / datasets),
            math.sqrt(total["mode_squares"] / datasets),
            math.sqrt(total["mean_squares"] / datasets),
        )


@frozen
class Tried:
    """A setting and what was found: for the mean, for the variance, and how rough the integration is."""

    setting: Plain
    outcomes: tuple[IntervalOutcome, IntervalOutcome]
    rough: float


def gathered(grid: StudyGrid, parts: Sequence[Plain], found: Sequence[Plain]) -> list[Tried]:
    """What the parts of every setting add up to, always in the same order."""
    tried, rest = [], iter(zip(parts, found, strict=True))
    for told in grid.settings:
        own = [next(rest)[1] for _ in range(-(-told["datasets"] // _AT_ONCE))]
        outcomes = tuple(IntervalOutcome.of([part[name] for part in own], told["datasets"]) for name in PARAMETERS)
        tried.append(Tried(told, (outcomes[0], outcomes[1]), own[0]["rough"]))
    return tried
