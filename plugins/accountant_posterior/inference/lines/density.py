"""The law of the sums behind a line, with the coefficients summed out of it, and coefficients given the sums."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from attrs import evolve, frozen

from accountant.loss import Floats
from accountant_posterior.inference.lines.priors import GaussianDesign, LineBelief
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.sums import Chosen, Flags, cholesky, possible


@frozen(eq=False)
class Place:
    """Where chains stand: one column each.

    Definition: `scatter` is the log of sigma^2 over the sum of squares around the least-squares line, and `turn` says where
    the coefficients lie in their Gaussian law given sums and sigma^2, as that many deviations. A move of the sums takes
    sigma^2 and the coefficients along, so that chains do not have to wait for them.
    """

    sums: Floats
    scatter: Floats
    turn: Floats

    def where(self, taken: Flags, other: Place) -> Place:
        """The same with some chains where another has them."""
        return Place(
            np.where(taken, other.sums, self.sums),
            np.where(taken, other.scatter, self.scatter),
            np.where(taken, other.turn, self.turn),
        )

    def of(self, chosen: Chosen) -> Place:
        """Some of the chains."""
        return Place(self.sums[:, chosen], self.scatter[chosen], self.turn[:, chosen])


@frozen(eq=False)
class WeighedPlaces:
    """The log densities of places, up to a constant, and which line and sigma^2 they stand for."""

    logs: Floats
    variance: Floats
    moments: Floats
    factors: Floats
    """Of the precision of the coefficients; its last row says where they would be without a turn."""
    turn: Floats

    @property
    def coefficients(self) -> Floats:
        """The line."""
        return self.turned(self.turn)

    def turned(self, turn: Floats) -> Floats:
        """The line at another place in its law."""
        return _solved(self.factors[:-1, :-1], self.factors[-1, :-1] + turn)

    def fits(self, turn: Floats) -> Flags:
        """Whether sigma^2 and the mean square of a line over the records are at most its mean, as between 0 and 1."""
        coefficients = self.turned(turn)
        lines = range(len(coefficients))
        # The mean of the line, and its mean square, over the records.
        pulled = [sum(self.moments[row, column] * coefficients[column] for column in lines) for row in lines]
        square = sum(coefficients[row] * pulled[row] for row in lines)
        fits: Flags = self.variance + square <= pulled[0]
        return fits

    def where(self, taken: Flags, other: WeighedPlaces) -> WeighedPlaces:
        """The same with some chains as another has them."""
        return WeighedPlaces(
            np.where(taken, other.logs, self.logs),
            np.where(taken, other.variance, self.variance),
            np.where(taken, other.moments, self.moments),
            np.where(taken, other.factors, self.factors),
            np.where(taken, other.turn, self.turn),
        )

    def of(self, chosen: Chosen) -> WeighedPlaces:
        """Some of the chains."""
        return WeighedPlaces(
            self.logs[chosen],
            self.variance[chosen],
            self.moments[:, :, chosen],
            self.factors[:, :, chosen],
            self.turn[:, chosen],
        )


@frozen(eq=False, slots=False)
class LineDensity:
    """The density of places given what was released.

    Definition: n records with y = (1, x) theta + noise of variance sigma^2, moved to between 0 and 1. Given A = X'X the
    least-squares fit is Gaussian and the sum of squares R around it is sigma^2 chi-squared with n - p degrees of freedom,
    so that X'y and y'y have the density sigma^-n |A|^(-1/2) R^((n - p)/2 - 1) e^(-|y - X theta|^2/(2 sigma^2)), exactly.
    Theta is summed out against its prior. A is flat over all that is possible, or Gaussian by `design`.

    With `constrained` sums are possible for records between the bounds, and so are lines: the mean m of the line over the
    records and its variance v satisfy sigma^2 + v <= m (1 - m), as for every law between 0 and 1.
    """

    released: NoisySums
    belief: LineBelief
    constrained: bool = True
    design: GaussianDesign | None = None

    def weigh(self, place: Place, seen: Floats) -> WeighedPlaces:
        """The densities of places, given what was seen in each chain."""
        released, count = self.released, self.released.count
        lines = released.coefficients
        moments = released.layout.moments(place.sums, count)
        factors, fits = cholesky(moments)
        if self.constrained:
            fits = fits & possible(moments)
        if released.lattice is not None:
            fits = fits & released.lattice.fits(place.sums, count)
        around = count * factors[lines, lines] ** 2
        variance = around * np.exp(place.scatter)
        logs, precision = self._line(moments, variance)
        inner = _log_determinant(factors, lines)
        logs = logs - 0.5 * (place.turn**2).sum(axis=0) - 0.5 * inner + (0.5 * (count - lines) - 1.0) * np.log(around)
        if self.design is not None:
            logs = logs + self.design.log_density(moments[:lines, :lines], inner, count)
        weighed = WeighedPlaces(logs + released.log_weights(place.sums, seen), variance, moments, precision, place.turn)
        if self.constrained:
            fits = fits & weighed.fits(place.turn)
        return evolve(weighed, logs=np.where(fits, weighed.logs, -np.inf))

    def _line(self, moments: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """What sigma^2 and the coefficients, summed out, add to the log density, and the factors of their precision."""
        belief, count, lines = self.belief, self.released.count, self.released.coefficients
        bordered = moments * (count / variance)
        bordered += self._fixed
        # sigma^-n of the data, the prior of sigma^2, and sigma^2 itself since it is followed by its logarithm.
        power = 0.5 * count + belief.shape
        if belief.scaled.any():
            bordered += self._scaled / variance
            power += 0.5 * lines
        factors, _ = cholesky(bordered)
        logs = -0.5 * _log_determinant(factors, lines) - 0.5 * factors[lines, lines] ** 2
        return logs - power * np.log(variance) - belief.rate / variance, factors

    @cached_property
    def _fixed(self) -> Floats:
        return _bordered(self.belief.fixed, self.belief.centre)

    @cached_property
    def _scaled(self) -> Floats:
        return _bordered(self.belief.scaled, self.belief.centre)

    def turned(self, place: Place, coefficients: Floats) -> Place:
        """The same sums and sigma^2 with these coefficients."""
        nothing = Place(place.sums, place.scatter, np.zeros_like(place.turn))
        weighed = self.weigh(nothing, place.sums)
        turn = np.einsum("jic,jc->ic", weighed.factors[:-1, :-1], coefficients) - weighed.factors[-1, :-1]
        return Place(place.sums, place.scatter, turn)


def _bordered(precision: Floats, centre: Floats) -> Floats:
    """A precision with what it pulls at, as the sums of data with the same say."""
    pulled = precision @ centre
    found: Floats = np.block([[precision, pulled[:, None]], [pulled[None, :], centre @ pulled]])[:, :, None]
    return found


def least_squares(moments: Floats) -> Floats:
    """The coefficients of the line that fits best."""
    lines = len(moments) - 1
    factors, _ = cholesky(moments)
    return _solved(factors[:lines, :lines], factors[lines, :lines])


def _log_determinant(factors: Floats, size: int) -> Floats:
    product = factors[0, 0]
    for place in range(1, size):
        product = product * factors[place, place]
    found: Floats = 2.0 * np.log(product)
    return found


def _solved(factors: Floats, right: Floats) -> Floats:
    """x with L' x = right, for lower factors L."""
    found = np.empty_like(right)
    for row in reversed(range(len(right))):
        rest = right[row]
        for later in range(row + 1, len(right)):
            rest = rest - factors[later, row] * found[later]
        found[row] = rest / factors[row, row]
    return found
