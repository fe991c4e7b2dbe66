"""The jobs that every system is given: plain data, without any accounting, so that every environment can read them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

from attrs import field, frozen

_SEED = 2026
# What references.py prints.
_REFERENCES = {"sampled-laplace": "4.028809926", "geometric": "2.91566514056", "power": "0.364556358"}
_CENSUS = Path(__file__).with_name("census.json")


@frozen
class Gaussian:
    """Gaussian noise on an answer that moves by 1."""

    sigma: Fraction


@frozen
class Laplace:
    """Laplace noise on an answer that moves by 1."""

    scale: Fraction


@frozen
class DiscreteGaussian:
    """Noise on the integers with mass proportional to e^(-k^2/(2 variance)), on an answer that moves by 1."""

    variance: Fraction


@frozen
class Sampled:
    """Gaussian noise on a Poisson sample: each record takes part with chance `rate`, and may be there or not."""

    sigma: Fraction
    rate: Fraction


@frozen
class SampledLaplace:
    """Laplace noise on a Poisson sample."""

    scale: Fraction
    rate: Fraction


@frozen
class Geometric:
    """Noise on the integers with mass proportional to e^(-|k|/scale), on an answer that moves by 1."""

    scale: Fraction


Mechanism = Gaussian | Laplace | DiscreteGaussian | Sampled | SampledLaplace | Geometric
Parts = tuple[tuple[Mechanism, int], ...]


@frozen
class Job:
    """One question. `reference` is the answer, rounded to the digits given; references.py computes it."""

    name: str
    title: str
    reference: str | None = field(default=None, kw_only=True)

    @property
    def truth(self) -> tuple[float, float]:
        """Where the reference says that the answer lies: half a unit of its last digit on either side."""
        if self.reference is None:
            return -math.inf, math.inf
        half = Fraction(1, 2 * 10 ** len(self.reference.partition(".")[2]))
        return float(Fraction(self.reference) - half), float(Fraction(self.reference) + half)


@frozen
class Epsilon(Job):
    """Epsilon of all parts together at one delta. `merged` says whether Gaussians may be added in closed form first."""

    parts: Parts = field(repr=False)
    delta: str
    merged: bool = True


@frozen
class Curve(Job):
    """Delta of all parts together at many epsilons."""

    parts: Parts = field(repr=False)
    epsilons: tuple[Fraction, ...] = field(repr=False)


@frozen
class Power(Job):
    """The largest share of members that a test can find of all parts together while it errs on a `level` of the others."""

    parts: Parts = field(repr=False)
    level: str


@frozen
class Allocation(Job):
    """Epsilon at one delta of Gaussian noise in so many steps, where each record takes part in one of them at random."""

    sigma: Fraction
    steps: int
    delta: str


@frozen
class Calibration(Job):
    """The least sigma for which `steps` sampled Gaussians keep a budget, to a relative `tolerance`."""

    rate: Fraction
    steps: int
    epsilon: str
    delta: str
    tolerance: float = 1e-4


def sampled(sigma: str, rate: str, steps: int) -> Parts:
    """Equal sampled Gaussians, as in training by noisy gradients."""
    return ((Sampled(Fraction(sigma), Fraction(rate)), steps),)


@cache
def mixed(number: int) -> Parts:
    """Distinct releases, a third of each kind, with scales sqrt(number) U for U uniform between 2 and 4."""
    draw = random.Random(_SEED)
    scales = [
        Fraction(round(math.sqrt(number) * draw.uniform(2.0, 4.0), 4)).limit_denominator(10**4) for _ in range(number)
    ]
    kinds = (Gaussian, Laplace, lambda scale: DiscreteGaussian(scale**2))
    return tuple((kinds[index % 3](scale), 1) for index, scale in enumerate(scales))


def census() -> Parts:
    """The noisy tables of the 2020 Census redistricting data.

    Replacing one record moves two cells of a table by one each, so every table with variance 1/rho gives two coordinates.
    """
    return tuple((DiscreteGaussian(1 / rho), 2) for rho in census_rhos())


def census_rhos() -> Iterator[Fraction]:
    """rho of each of the 71 tables: base times level share times query share."""
    data = json.loads(_CENSUS.read_text("utf-8"))
    for universe, queries in data["query_shares"].items():
        for shares in queries.values():
            for level, share in zip(data["level_shares"][universe], shares, strict=True):
                if rho := Fraction(data["rho"][universe]) * Fraction(level) * Fraction(share):
                    yield rho


def _build() -> Iterator[Job]:
    references = {1_000: "1.828236667", 10_000: "6.187712390", 100_000: "25.573106987", 1_000_000: "139.0302726"}
    for steps, reference in references.items():
        title = f"sampled Gaussian, sigma 1, rate 0.01, {steps:,} steps, delta 1e-5"
        yield Epsilon(f"sampled-{steps}", title, sampled("1", "1/100", steps), "1e-5", reference=reference)
    title = "DP-SGD: noise multiplier 1.1, sample rate 0.01, 10,000 steps, delta 1e-5"
    yield Epsilon("dp-sgd", title, sampled("1.1", "1/100", 10_000), "1e-5", reference="5.192583446")
    title = "sampled Gaussian, sigma 0.8, rate 256/60000, 14,062 steps, delta 1e-5"
    yield Epsilon("sampled-training", title, sampled("0.8", "256/60000", 14_062), "1e-5", reference="4.549838726")
    answers = {(100, "1e-6"): "1.471352038", (100, "1e-10"): "2.038081464"}
    answers |= {(10_000, "1e-6"): "1.547719010", (10_000, "1e-10"): "2.152671609"}
    for (number, delta), reference in answers.items():
        title = f"{number:,} distinct Gaussian, Laplace and discrete Gaussian releases, delta {delta}"
        yield Epsilon(f"mixed-{number}-{delta}", title, mixed(number), delta, reference=reference)
    title = "71 discrete Gaussian tables of the 2020 Census plan, delta 1e-10"
    yield Epsilon("census", title, census(), "1e-10", reference="16.741981353")
    for delta, reference in {"1e-10": "6.54792406686495", "1e-12": "7.23849442017886", "1e-14": "7.8687364684129"}.items():
        title = f"10,000 Gaussians of sigma 100, not merged, delta {delta}"
        yield Epsilon(f"gaussians-{delta}", title, ((Gaussian(Fraction(100)), 10_000),), delta, False, reference=reference)
    title = "sampled Laplace, scale 1, rate 0.01, 10,000 steps, delta 1e-5"
    parts: Parts = ((SampledLaplace(Fraction(1), Fraction(1, 100)), 10_000),)
    yield Epsilon("sampled-laplace", title, parts, "1e-5", reference=_REFERENCES["sampled-laplace"])
    title = "1,000 counts with geometric noise of scale 50, delta 1e-6"
    yield Epsilon("geometric", title, ((Geometric(Fraction(50)), 1_000),), "1e-6", reference=_REFERENCES["geometric"])
    epsilons = tuple(Fraction(12 * index, 200) for index in range(1, 201))
    title = "delta at 200 epsilons up to 12: sampled Gaussian, sigma 1, rate 0.01, 10,000 steps"
    yield Curve("curve", title, sampled("1", "1/100", 10_000), epsilons)
    title = "largest power of a test at level 0.05: sampled Gaussian, sigma 1, rate 0.01, 10,000 steps"
    yield Power("power", title, sampled("1", "1/100", 10_000), "0.05", reference=_REFERENCES["power"])
    title = "random allocation: Gaussian, sigma 1, each record in 1 of 100 steps, delta 1e-6"
    yield Allocation("allocation", title, Fraction(1), 100, "1e-6")
    title = "least sigma for epsilon 2 at delta 1e-5: sampled Gaussian, rate 0.01, 10,000 steps"
    yield Calibration("calibration", title, Fraction(1, 100), 10_000, "2", "1e-5", reference="2.127375435")


JOBS: dict[str, Job] = {job.name: job for job in _build()}
# What a system does before anything is measured, so that its late imports are done.
WARM_UP = Epsilon("warm-up", "one sampled Gaussian", sampled("2", "1/10", 10), "1e-3")
