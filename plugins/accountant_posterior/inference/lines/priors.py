"""Prior beliefs about lines, about how data scatter around them and about the regressors, and whether anything follows.

All of them speak of columns moved to between 0 and 1, so that a prior means the same in every unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import InvalidValue, fields
from accountant.loss import Floats


@frozen(eq=False)
class LineBelief:
    """A prior as samplers need it.

    Definition: given sigma^2 the coefficients are Gaussian around `centre` with the precision `fixed` + `scaled`/sigma^2,
    flat where that is zero, and sigma^2 has a density proportional to (sigma^2)^-(shape + 1) e^(-rate/sigma^2).
    """

    centre: Floats
    fixed: Floats
    scaled: Floats
    shape: float
    rate: float


def _below_one(power: Fraction) -> None:
    if power >= 1:
        raise InvalidValue(
            f"with a prior density (sigma^2)^-{power} the posterior has infinite mass near sigma^2 = 0, because noise "
            "leaves it possible that the data lie on a line; use power 0 or a proper prior"
        )


@frozen
class LinePrior(ABC):
    """A prior for the coefficients of a line and for sigma^2."""

    def check(self, coefficients: int, count: int) -> None:
        """Raise InvalidValue if no posterior law follows from this prior and so many records."""
        if count <= coefficients + 2:
            raise InvalidValue(
                f"{coefficients} coefficients need more than {coefficients + 2} records, got {count}: a line through "
                "nearly all of them leaves nothing to say how they scatter"
            )
        self.check_mass(coefficients)

    @abstractmethod
    def check_mass(self, coefficients: int) -> None:
        """Raise InvalidValue where the posterior has infinite mass."""

    @abstractmethod
    def belief(self, coefficients: int) -> LineBelief:
        """The prior as samplers need it."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The prior, in words."""


@frozen
class WeakLine(LinePrior):
    """The default: slopes are Gaussian around 0, and so is the value in the middle of all bounds around the middle.

    Definition: on columns between 0 and 1 slopes have deviation `steepness` and the value at 1/2, ..., 1/2 has mean 1/2
    and deviation 1/2, all independent of each other and of sigma^2, whose density is proportional to (sigma^2)^-power.
    Guarantee: refused where the posterior has infinite mass, which is where power is 1 or more. Coefficients have finite
    means and variances.
    """

    steepness: Fraction = field(
        default=Fraction(2),
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("how steep lines may be, as heights of the box of all bounds over its width"),
    )
    power: Fraction = field(
        default=Fraction(0),
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the density falls like sigma^2 to minus this power"),
    )

    def check_mass(self, coefficients: int) -> None:
        _below_one(self.power)

    def belief(self, coefficients: int) -> LineBelief:
        centre = np.zeros(coefficients)
        centre[0] = 0.5
        middle = np.full(coefficients, 0.5)
        middle[0] = 1.0
        fixed = 4.0 * np.outer(middle, middle)
        fixed[1:, 1:] += np.eye(coefficients - 1) / float(self.steepness) ** 2
        return LineBelief(centre, fixed, np.zeros_like(fixed), float(self.power) - 1.0, 0.0)

    @property
    def words(self) -> str:
        power = "" if self.power == 0 else f" times its power -{float(self.power):g}"
        return (
            f"weak: slopes of {float(self.steepness):g} heights of the box of all bounds over its width are usual, the "
            f"line passes near its middle, and sigma^2 is flat{power}"
        )


@frozen
class FlatLine(LinePrior):
    """Flat in all coefficients, and a density of sigma^2 proportional to (sigma^2)^-power.

    Guarantee: refused where the posterior has infinite mass. Where noise leaves it possible that a regressor does not vary
    slopes have a posterior law, but no mean: read quantiles.
    """

    power: Fraction = field(
        default=Fraction(0),
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the density falls like sigma^2 to minus this power"),
    )

    def check_mass(self, coefficients: int) -> None:
        _below_one(self.power)

    def belief(self, coefficients: int) -> LineBelief:
        nothing = np.zeros((coefficients, coefficients))
        return LineBelief(np.zeros(coefficients), nothing, nothing, float(self.power) - 1.0, 0.0)

    @property
    def words(self) -> str:
        power = "" if self.power == 0 else f" times sigma^2 to the power -{float(self.power):g}"
        return f"flat in coefficients and sigma^2{power}; slopes have no mean, read their quantiles"


@frozen
class ConjugateLine(LinePrior):
    """sigma^2 is inverse gamma, and the coefficients given it are Gaussian with variance sigma^2/weight each.

    Definition: for columns between 0 and 1, as is usual for exact data. Where sigma^2 is small it holds coefficients close
    to `coefficients`, noise or not.
    """

    coefficients: tuple[Fraction, ...] = field(
        converter=fields.exact_list, metadata=fields.about("where the intercept and the slopes are believed to be")
    )
    weight: Fraction = field(converter=fields.exact, validator=fields.above(0), metadata=fields.about("their precision"))
    shape: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the shape of 1/sigma^2")
    )
    rate: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the rate of 1/sigma^2")
    )

    def check_mass(self, coefficients: int) -> None:
        """A proper prior always has a posterior."""
        if len(self.coefficients) != coefficients:
            raise InvalidValue(f"the prior speaks of {len(self.coefficients)} coefficients, and there are {coefficients}")

    def belief(self, coefficients: int) -> LineBelief:
        scaled = float(self.weight) * np.eye(coefficients)
        centre = np.array(self.coefficients, dtype=np.float64)
        return LineBelief(centre, np.zeros_like(scaled), scaled, float(self.shape), float(self.rate))

    @property
    def words(self) -> str:
        near = ", ".join(f"{float(value):g}" for value in self.coefficients)
        return (
            f"conjugate, on columns between 0 and 1: coefficients near {near} with variance "
            f"sigma^2/{float(self.weight):g}, 1/sigma^2 gamma({float(self.shape):g}, {float(self.rate):g})"
        )


@frozen
class GaussianDesign:
    """Regressors that are Gaussian themselves, as other methods take them to be; without it their moments are alike.

    Definition: on columns between 0 and 1 the covariance of a record's regressors is inverse Wishart with q + 1 + `weight`
    degrees of freedom and scale `weight`/12 times the identity, and their mean given it is Gaussian around 1/2 with the
    covariance over `weight`: as if so many uniform records had been seen.
    """

    weight: Fraction = field(default=Fraction(1), converter=fields.exact, validator=fields.above(0))

    def degrees(self, regressors: int) -> float:
        """The degrees of freedom of the covariance."""
        return regressors + 1.0 + float(self.weight)

    def seen(self, regressors: int) -> Floats:
        """The sums of products of ones and regressors that it is worth."""
        weight = float(self.weight)
        found = np.full((regressors + 1, regressors + 1), weight / 4.0)
        found[0, :] = found[:, 0] = weight / 2.0
        found[0, 0] = weight
        found[1:, 1:] += weight / 12.0 * np.eye(regressors)
        return found

    def log_density(self, moments: Floats, logs: Floats, count: int) -> Floats:
        """The log density of the moments of regressors, up to a constant; `logs` are of the determinants without it."""
        from accountant_posterior.inference.lines.sums import cholesky

        regressors = len(moments) - 1
        factors, _ = cholesky(moments + self.seen(regressors)[:, :, None] / count)
        rest = sum((2.0 * np.log(factors[place, place]) for place in range(1, regressors + 1)), np.zeros(moments.shape[2]))
        found: Floats = 0.5 * (count - regressors - 2) * logs - 0.5 * (self.degrees(regressors) + count) * rest
        return found
