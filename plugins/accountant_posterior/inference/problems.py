"""What a plan and released numbers ask: each mean with its variance, and each share, as something to draw from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from attrs import frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant.numbers import plain
from accountant_posterior.inference.gibbs import infer
from accountant_posterior.inference.moments import NoisyMoments
from accountant_posterior.inference.priors import Conjugate, Flat, MomentsPrior
from accountant_posterior.inference.proportions import Beta, NoisyCount

CHAINS = 20
"""Few and long: halves of short chains differ though nothing is wrong."""
_LEAST_BURN = 500


@frozen
class Problem(ABC):
    """Parameters of the law behind some data, given what was released of them."""

    releases: tuple[str, ...]

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


@frozen
class MomentsProblem(Problem):
    """A mean and a variance of the same values."""

    seen: NoisyMoments
    prior: MomentsPrior

    def __attrs_post_init__(self) -> None:
        self.prior.check(self.seen.release, constrained=True)

    @property
    def model(self) -> str:
        release = self.seen.release
        return (
            f"{release.count:,} values with a Gaussian law; mean and variance are possible between "
            f"{plain(release.lower)} and {plain(release.upper)}"
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

    seen: NoisyCount
    prior: Beta

    @property
    def model(self) -> str:
        return f"{self.seen.size:,} records, each of which counts with the same probability"

    @property
    def believed(self) -> str:
        return f"beta({plain(self.prior.yes)}, {plain(self.prior.no)}) for the share"

    def draw(self, generator: Generator, draws: int) -> dict[str, Floats]:
        share, of_data = self.seen.draw(self.prior, generator, (-(-draws // CHAINS), CHAINS))
        return {"share": share, "share of the data": of_data}

    def range(self, parameter: str) -> tuple[float, float]:
        return 0.0, 1.0


@frozen
class Priors:
    """What is said to be believed of means and variances, and of shares; None where nothing is said."""

    moments: MomentsPrior | None = None
    share: Beta | None = None


def read_priors(texts: Sequence[str]) -> Priors:
    """Priors as they are written: flat:POWER or conjugate:MEAN,VARIANCE,... for moments, beta:YES,NO for shares."""
    found: dict[str, MomentsPrior | Beta] = {}
    makers: Mapping[str, tuple[str, type[Flat] | type[Conjugate] | type[Beta]]] = {
        "flat": ("moments", Flat),
        "conjugate": ("moments", Conjugate),
        "beta": ("share", Beta),
    }
    for text in texts:
        word, _, numbers = text.partition(":")
        parts = [part.strip() for part in numbers.split(",")] if numbers else []
        allowed = {"flat": (0, 1), "conjugate": (2, 3, 4), "beta": (2,)}
        if word not in makers or len(parts) not in allowed[word]:
            raise InvalidValue(
                f"--prior is flat, flat:POWER, conjugate:MEAN,VARIANCE[,WEIGHT[,WEIGHT]] or beta:YES,NO, got '{text}'"
            )
        family, maker = makers[word]
        if family in found:
            raise InvalidValue("--prior is given twice for the same parameters")
        found[family] = maker(*parts)
    return Priors(**found)  # type: ignore[arg-type]
