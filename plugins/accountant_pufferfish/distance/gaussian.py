"""Gaussian records: how far a linear statistic moves when one record is known, with public statistics beside it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import ExactLike, about, at_least, exact, exact_list, exact_table, plain

Matrix = list[list[Fraction]]


def gaussian_distance(
    mean: ExactLike, variance: ExactLike, other_mean: ExactLike, other_variance: ExactLike
) -> Fraction | None:
    """The distance of order infinity between two Gaussian laws on the line: that of their means, or None for infinite.

    The quantiles of two Gaussian laws with different variances lie arbitrarily far apart in the tails.
    """
    spreads = exact(variance), exact(other_variance)
    if min(spreads) < 0:
        raise InvalidValue(f"a variance cannot be negative, got {plain(min(spreads))}")
    return abs(exact(mean) - exact(other_mean)) if spreads[0] == spreads[1] else None


@frozen
class Linear:
    """A statistic that is a weighted sum of the records, with independent Gaussian noise of some variance."""

    weights: tuple[Fraction, ...] = field(converter=exact_list, metadata=about("the weight of each record"))
    noise: Fraction = field(
        default=Fraction(0), converter=exact, validator=at_least(0), metadata=about("the variance of the noise")
    )


@frozen
class GaussianRecords:
    """Records that are jointly Gaussian. Their means do not matter here."""

    covariance: tuple[tuple[Fraction, ...], ...] = field(
        converter=exact_table, metadata=about("the covariances of the records, a symmetric matrix")
    )

    def __attrs_post_init__(self) -> None:
        size = len(self.covariance)
        if not size or any(len(row) != size for row in self.covariance):
            raise InvalidValue("the covariances of the records must be a square matrix with a row for each record")
        if any(self.covariance[i][j] != self.covariance[j][i] for i in range(size) for j in range(i)):
            raise InvalidValue("the covariances of the records must be symmetric")

    @classmethod
    def equicorrelated(cls, records: int, variance: ExactLike = 1, correlation: ExactLike = 0) -> GaussianRecords:
        """Records of the same variance, any two of which have the same correlation."""
        spread = exact(variance)
        shared = spread * exact(correlation)
        return cls([[spread if i == j else shared for j in range(records)] for i in range(records)])

    def mean(self, noise: ExactLike = 0) -> Linear:
        """The mean of all records."""
        return Linear([Fraction(1, len(self.covariance))] * len(self.covariance), noise)

    def slope(self, statistic: Linear, record: int, public: Iterable[Linear] = ()) -> Fraction:
        """By how much the law of a statistic moves when a record, counted from 0, moves by 1 and public statistics stay.

        Definition: Cov(statistic, record | public)/Var(record | public). Given the record and the public statistics the
        statistic is Gaussian with a mean that is linear in both and a variance that depends on neither.
        Guarantee: exact. The laws of the statistic given that the record is v and given that it is w are |slope| |v - w|
        apart, whatever the means and the public values.
        """
        if not 0 <= record < len(self.covariance):
            raise InvalidValue(f"there is no record {record}; records are counted from 0 to {len(self.covariance) - 1}")
        secret = Linear([int(place == record) for place in range(len(self.covariance))])
        joint = self._joint([statistic, secret, *public])
        for place in range(len(joint) - 1, 1, -1):
            _condition(joint, place)
        if not joint[1][1]:
            raise InvalidValue(
                f"the public statistics determine record {record}: there is nothing left to hide, and no noise hides it"
            )
        slope = joint[0][1] / joint[1][1]
        _condition(joint, 1)
        _condition(joint, 0)
        return slope

    def _joint(self, statistics: list[Linear]) -> Matrix:
        """The covariances of several statistics."""
        size = len(self.covariance)
        for statistic in statistics:
            if len(statistic.weights) != size:
                raise InvalidValue(f"a statistic of {size} records needs as many weights, got {len(statistic.weights)}")
        images = [[sum(map(_times, row, item.weights), Fraction(0)) for row in self.covariance] for item in statistics]
        return [
            [
                sum(map(_times, item.weights, image), Fraction(0)) + (item.noise if i == j else 0)
                for j, image in enumerate(images)
            ]
            for i, item in enumerate(statistics)
        ]


def _times(left: Fraction, right: Fraction) -> Fraction:
    return left * right


def _condition(covariance: Matrix, given: int) -> None:
    """The covariances given one of the variables, in place; a variable that is already known changes nothing."""
    pivot, row = covariance[given][given], list(covariance[given])
    if pivot < 0 or (not pivot and any(row)):
        raise InvalidValue("these are no covariances: some combination of the records would have a negative variance")
    if not pivot:
        return
    for i, left in enumerate(row):
        for j, right in enumerate(row):
            covariance[i][j] -= left * right / pivot
