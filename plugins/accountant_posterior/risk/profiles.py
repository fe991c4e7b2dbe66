"""The kinds of risk profile that a plan may name."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, fields
from accountant_posterior.risk.bounds import Attackers
from accountant_posterior.risk.ceilings import EVERY, Binding, Box, Corner, binding, range_of
from accountant_posterior.risk.profile import Ceiling, Profile
from accountant_posterior.semantics.odds import written

_ONE = Fraction(1)


_RATIO: dict[str, Any] = {
    "validator": fields.above(1),
    "metadata": fields.about("the largest tolerated ratio of posterior to prior"),
}
_POSTERIOR: dict[str, Any] = {
    "validator": [fields.at_least(0), fields.below(1)],
    "metadata": fields.about("a posterior up to which any ratio is tolerated; 0 for none"),
}
_BELIEF = [fields.above(0), fields.at_most(1)]
_END = [fields.at_least(0), fields.at_most(1)]
_MEMBERSHIP = fields.about("the attacker's probability that the target is in the data")
_DISCLOSURE = fields.about("the attacker's probability that the target, if in the data, has a sensitive value")


@frozen
class Constant(Ceiling):
    """No posterior exceeds a constant times its prior."""

    kind: ClassVar[str] = "constant"
    ratio: Fraction = field(converter=fields.exact, **_RATIO)

    @property
    def box(self) -> Box:
        return Box()

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.ratio, Fraction(0)


@frozen
class FixedDisclosure(Ceiling):
    """For one probability of a sensitive value: a largest ratio, from a posterior on."""

    kind: ClassVar[str] = "fixed-disclosure"
    disclosure: Fraction = field(converter=fields.exact, validator=_BELIEF, metadata=_DISCLOSURE)
    ratio: Fraction = field(converter=fields.exact, **_RATIO)
    posterior: Fraction = field(default=Fraction(0), converter=fields.exact, **_POSTERIOR)

    @property
    def box(self) -> Box:
        return Box(EVERY, (self.disclosure, self.disclosure))

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.ratio, self.posterior


@frozen
class FixedMembership(Ceiling):
    """For one probability of membership: a largest ratio, from a posterior on."""

    kind: ClassVar[str] = "fixed-membership"
    membership: Fraction = field(converter=fields.exact, validator=_BELIEF, metadata=_MEMBERSHIP)
    ratio: Fraction = field(converter=fields.exact, **_RATIO)
    posterior: Fraction = field(default=Fraction(0), converter=fields.exact, **_POSTERIOR)

    @property
    def box(self) -> Box:
        return Box((self.membership, self.membership), EVERY)

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.ratio, self.posterior


@frozen
class BoxProfile(Ceiling):
    """A largest ratio for priors in a box, and anything for others."""

    kind: ClassVar[str] = "box"
    ratio: Fraction = field(converter=fields.exact, **_RATIO)
    membership_from: Fraction = field(
        default=Fraction(0),
        converter=fields.exact,
        validator=_END,
        metadata=fields.about("the smallest probability of membership"),
    )
    membership_to: Fraction = field(
        default=Fraction(1),
        converter=fields.exact,
        validator=_END,
        metadata=fields.about("the largest probability of membership"),
    )
    disclosure_from: Fraction = field(
        default=Fraction(0),
        converter=fields.exact,
        validator=_END,
        metadata=fields.about("the smallest probability of a sensitive value"),
    )
    disclosure_to: Fraction = field(
        default=Fraction(1),
        converter=fields.exact,
        validator=_END,
        metadata=fields.about("the largest probability of a sensitive value"),
    )

    @property
    def box(self) -> Box:
        return Box(
            range_of(self.membership_from, self.membership_to, "membership"),
            range_of(self.disclosure_from, self.disclosure_to, "disclosure"),
        )

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.ratio, Fraction(0)


@frozen
class TwoDimensional(Ceiling):
    """For all priors: a largest ratio, from a posterior on."""

    kind: ClassVar[str] = "two-dimensional"
    ratio: Fraction = field(converter=fields.exact, **_RATIO)
    posterior: Fraction = field(default=Fraction(0), converter=fields.exact, **_POSTERIOR)

    @property
    def box(self) -> Box:
        return Box()

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.ratio, self.posterior


@frozen
class Point(Ceiling):
    """A largest ratio for one prior, and anything for others."""

    kind: ClassVar[str] = "point"
    ratio: Fraction = field(converter=fields.exact, **_RATIO)
    membership: Fraction = field(default=Fraction(1, 2), converter=fields.exact, validator=_BELIEF, metadata=_MEMBERSHIP)
    disclosure: Fraction = field(default=_ONE, converter=fields.exact, validator=_BELIEF, metadata=_DISCLOSURE)

    @property
    def box(self) -> Box:
        return Box((self.membership, self.membership), (self.disclosure, self.disclosure))

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.ratio, Fraction(0)


@frozen
class LeeClifton(Ceiling):
    """A largest posterior for who knows n units, one of which is not in the data, and looks for that one: the prior is 1/n.

    One missing unit takes the place of another, so what counts is the loss between datasets in which a unit was replaced:
    two steps between 'add-remove' neighbours, unless the queries of an account say less.
    """

    kind: ClassVar[str] = "lee-clifton"
    population: int = field(
        converter=fields.whole,
        validator=fields.at_least(2),
        metadata=fields.about("how many units are known, all of them equally likely to be the one that is missing"),
    )
    posterior: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("the largest tolerated posterior"),
    )

    def __attrs_post_init__(self) -> None:
        if self.population * self.posterior <= 1:
            raise InvalidValue(
                f"a posterior of at most {written(self.posterior)} allows nothing to be learned when the prior is already "
                f"1/{self.population}; tolerate more"
            )
        Profile.__attrs_post_init__(self)

    @property
    def box(self) -> Box:
        prior = Fraction(1, self.population)
        return Box((_ONE, _ONE), (prior, prior))

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        return self.population * self.posterior, Fraction(0)

    def _unseen(self) -> str:
        return (
            "asks who is missing, and one unit in the place of another is two steps between 'add-remove' neighbours, which "
            "the strong adversary does not compare; use 'replace-one' neighbours, or the independent adversary"
        )

    @property
    def words(self) -> str:
        return (
            f"for each of {self.population} units that are as likely to be the one that is missing, no posterior exceeds "
            f"{written(self.posterior)}"
        )


@frozen
class Difference(Profile):
    """No posterior exceeds its prior by more than a constant."""

    kind: ClassVar[str] = "difference"
    at_most: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("the largest tolerated posterior minus prior"),
    )

    @property
    def words(self) -> str:
        return f"no posterior exceeds its prior by more than {written(self.at_most)}"

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        prior = membership * disclosure
        return Interval.of(1 + self.at_most / prior) if Box().holds(membership, disclosure) else Interval.infinite()

    def speaks_of(self, view: Attackers) -> bool:
        return True

    def admits(self, view: Attackers) -> Binding:
        """The tolerance depends on p q alone, and decides where that is (1 - b)/2: at p = 1 unless the view says q = 1."""
        prior = (1 - self.at_most) / 2
        sides = (prior, _ONE) if view.disclosure else (_ONE, prior)
        return binding([Corner(*sides, 1 + self.at_most / prior)], view.steps)

    def lint(self) -> tuple[str, ...]:
        most = written(1 - self.at_most)
        return (f"asks nothing of attackers whose prior is above {most}: no posterior exceeds 1",)


def _rows(value: Any) -> tuple[tuple[Fraction, ...], ...]:
    rows = fields.exact_table(value) or ()
    for index, row in enumerate(rows, start=1):
        if len(row) != 3:
            raise InvalidValue(f"row {index}: expected membership, disclosure and ratio, got {len(row)} numbers")
        if not all(0 < belief <= 1 for belief in row[:2]):
            raise InvalidValue(f"row {index}: a prior is a probability above 0 and at most 1")
        if row[2] < 1:
            raise InvalidValue(
                f"row {index}: a ratio of {written(row[2])} asks for a posterior below its prior; tolerate at least 1"
            )
    if not rows:
        raise InvalidValue("expected at least one row of membership, disclosure and ratio")
    return rows


@frozen
class Tabulated(Profile):
    """A largest ratio for each of some priors, and anything for others."""

    kind: ClassVar[str] = "table"
    points: tuple[tuple[Fraction, ...], ...] = field(
        converter=_rows,
        metadata=fields.about(
            "rows of membership, disclosure and largest ratio",
            {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 3, "maxItems": 3}},
        ),
    )

    @property
    def words(self) -> str:
        return f"for each of {len(self.points)} priors, no posterior exceeds the ratio that is listed"

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        stated = [row[2] for row in self.points if row[:2] == (membership, disclosure)]
        return Interval.of(min(stated)) if stated else Interval.infinite()

    def speaks_of(self, view: Attackers) -> bool:
        return any(view.sees(*row[:2]) for row in self.points)

    def admits(self, view: Attackers) -> Binding:
        return binding((Corner(*row) for row in self.points if view.sees(*row[:2])), view.steps)

    def lint(self) -> tuple[str, ...]:
        return tuple(self._remarks())

    def _remarks(self) -> Iterable[str]:
        for index, (membership, disclosure, ratio) in enumerate(self.points, start=1):
            if not self.view.sees(membership, disclosure):
                yield f"row {index} is about other attackers than the profile speaks of, and is left out"
            elif ratio * membership * disclosure >= 1:
                yield f"row {index} asks nothing: a ratio of {written(ratio)} allows any posterior"


KINDS: tuple[type[Profile], ...] = (
    Constant,
    FixedDisclosure,
    FixedMembership,
    BoxProfile,
    Difference,
    TwoDimensional,
    Point,
    LeeClifton,
    Tabulated,
)
