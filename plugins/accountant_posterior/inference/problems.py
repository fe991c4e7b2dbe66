"""What a plan and released numbers ask: each mean with its variance, and each share, as something to draw from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

from attrs import frozen
from numpy.random import Generator

from accountant.loss import Floats
from accountant.numbers import plain
from accountant_posterior.inference.gibbs import infer
from accountant_posterior.inference.moments import NoisyMoments
from accountant_posterior.inference.priors import Conjugate, Flat, MomentsPrior
from accountant_posterior.inference.proportions import Beta, NoisyProportion
from accountant_posterior.inference.public import PublicFigure

CHAINS = 20
"""Few and long: halves of short chains differ though nothing is wrong."""
_LEAST_BURN = 500


@frozen
class Problem(ABC):
    """Parameters of the law behind some data, given what was released of them."""

    family: ClassVar[str]
    """Which priors speak of it."""

    releases: tuple[str, ...]

    @property
    @abstractmethod
    def usual(self) -> tuple[object, ...]:
        """Other priors that people hold, to see how far the answer moves with them."""

    @property
    @abstractmethod
    def model(self) -> str:
        """How the data are taken to come about, in words."""

    @property
    @abstractmethod
    def believed(self) -> str:
        """The prior, in words."""

    @abstractmethod
    def draw(self, generator: Generator, draws: int) -> dict[str, Floats]:
        """At least so many draws of each parameter: a row for each iteration, a column for each chain."""

    @abstractmethod
    def range(self, parameter: str) -> tuple[float, float]:
        """Where a parameter can lie."""


def _beside(public: PublicFigure | None) -> str:
    """A public figure, in words; that of a share is told as a number of records."""
    return "" if public is None else f"; a public source says {public.value:g}, with standard error {public.error:g}"


@frozen
class MomentsProblem(Problem):
    """A mean and a variance of the same values."""

    family: ClassVar[str] = "moments"

    seen: NoisyMoments
    prior: MomentsPrior

    def __attrs_post_init__(self) -> None:
        self.prior.check(self.seen.release, constrained=True)

    @property
    def model(self) -> str:
        release = self.seen.release
        return (
            f"{release.count:,} values with a Gaussian law; mean and variance are possible between "
            f"{plain(release.lower)} and {plain(release.upper)}{_beside(self.seen.public)}"
        )

    @property
    def believed(self) -> str:
        prior = self.prior
        if isinstance(prior, Conjugate):
            return (
                f"conjugate: the mean near {plain(prior.mean)}, worth {plain(prior.mean_weight)} values, and the variance "
                f"near {plain(prior.variance)}, worth {plain(prior.variance_weight)}; cut to what is possible"
            )
        assert isinstance(prior, Flat)
        power = "" if prior.power == 0 else f", times the variance to the power -{plain(prior.power)}"
        return f"flat in mean and variance{power}, over all that are possible"

    @property
    def usual(self) -> tuple[MomentsPrior, ...]:
        release = self.seen.release
        middle, quarter = (release.lower + release.upper) / 2, (release.upper - release.lower) / 4
        return Flat(), Flat(Fraction(1, 2)), Conjugate(middle, quarter**2)

    def draw(self, generator: Generator, draws: int) -> dict[str, Floats]:
        iterations = -(-draws // CHAINS)
        burn = max(_LEAST_BURN, iterations // 2)
        found = infer(self.seen, self.prior, generator, chains=CHAINS, iterations=iterations, burn=burn)
        return {"mean": found.mean, "variance": found.variance, "deviation": found.deviation}

    def range(self, parameter: str) -> tuple[float, float]:
        release = self.seen.release
        if parameter == "mean":
            return float(release.lower), float(release.upper)
        return 0.0, release.width / 2 if parameter == "deviation" else release.width**2 / 4


@frozen
class ShareProblem(Problem):
    """A share of records, or their count."""

    family: ClassVar[str] = "share"

    seen: NoisyProportion
    prior: Beta

    @property
    def model(self) -> str:
        return f"{self.seen.size:,} records, each of which counts with the same probability{_beside(self.seen.public)}"

    @property
    def believed(self) -> str:
        return f"beta({plain(self.prior.yes)}, {plain(self.prior.no)}) for the share"

    @property
    def usual(self) -> tuple[Beta, ...]:
        return Beta(), Beta(Fraction(1, 2), Fraction(1, 2)), Beta(2, 2)

    def draw(self, generator: Generator, draws: int) -> dict[str, Floats]:
        share, of_data = self.seen.draw(self.prior, generator, (-(-draws // CHAINS), CHAINS))
        return {"share": share, "share of the data": of_data}

    def range(self, parameter: str) -> tuple[float, float]:
        return 0.0, 1.0
