"""Custom: a risk profile from any Python function."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar, Literal

from attrs import evolve, field, frozen

from accountant import Interval, InvalidValue, Recommendation, Theorem, fields
from accountant_posterior.risk.bounds import Attackers
from accountant_posterior.risk.ceilings import Binding, Box, Range, range_of
from accountant_posterior.risk.profile import Profile
from accountant_posterior.risk.search import sampled, smallest
from accountant_posterior.risk.theorems import SEARCH

Trend = Literal["falling", "rising", "constant"]
_TRENDS = ("falling", "rising", "constant")


def _side(value: Any) -> Range:
    ends = fields.exact_list(value)
    if ends is None or len(ends) != 2:
        raise InvalidValue(f"expected a pair of probabilities, got {value!r}")
    return range_of(ends[0], ends[1], "a range")


def _trends(value: Any) -> tuple[Trend, Trend] | None:
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != 2 or any(item not in _TRENDS for item in value):
        raise InvalidValue(f"trend must be two of {', '.join(_TRENDS)}, for membership and disclosure, got {value!r}")
    first, second = value
    return first, second


def _callable(_: object, attribute: object, value: Any) -> None:
    if value is not None and not callable(value):
        raise InvalidValue(f"expected a function, got {value!r}")


@frozen
class Custom(Profile):
    """The tolerance that a Python function gives for the priors of a box, and anything elsewhere.

    The function takes the probabilities of membership and of disclosure as Fractions, and returns the largest tolerated
    ratio, exact or as an interval, or infinity where nothing is asked. What it tolerates between the priors that are looked
    at has to be known as well: declare in which direction it changes (`trend`), or give a lower bound over any box of
    priors (`floor`, a function of two pairs of ends). Without either only 0 is admissible for sure, and the upper end says
    what the priors that were looked at admit.

    It is code, so a plan cannot name it.
    """

    kind: ClassVar[str] = "custom"
    theorem: ClassVar[Theorem] = SEARCH

    function: Callable[[Fraction, Fraction], Any] = field(validator=_callable)
    membership: Range = field(default=(Fraction(0), Fraction(1)), converter=_side)
    disclosure: Range = field(default=(Fraction(0), Fraction(1)), converter=_side)
    trend: tuple[Trend, Trend] | None = field(default=None, converter=_trends)
    floor: Callable[[Range, Range], Any] | None = field(default=None, validator=_callable)
    precision: Fraction = field(
        default=Fraction(1, 1000), converter=fields.exact, validator=[fields.above(0), fields.below(1)]
    )

    def __attrs_post_init__(self) -> None:
        if self.trend is not None and self.floor is not None:
            raise InvalidValue("give either a trend or a floor, not both: one of them is the bound that is used")
        Profile.__attrs_post_init__(self)

    @property
    def box(self) -> Box:
        """The priors that the profile speaks of."""
        return Box(self.membership, self.disclosure)

    @property
    def words(self) -> str:
        return "no posterior exceeds what the function tolerates"

    @property
    def bounded(self) -> bool:
        """Whether anything is known between the priors that are looked at."""
        return self.trend is not None or self.floor is not None

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        if not self.box.holds(membership, disclosure):
            return Interval.infinite()
        return _interval(self.function(membership, disclosure))

    def speaks_of(self, view: Attackers) -> bool:
        return self.box.seen(view) is not None

    def admits(self, view: Attackers) -> Binding:
        seen = self.box.seen(view)
        if seen is None:
            return Binding(Interval.infinite())
        if not self.bounded:
            return sampled(seen, self._ratio, view.steps)
        return smallest(seen, self._ratio, self._floor, view.steps, self.precision)

    def recommend(self) -> Recommendation:
        found = super().recommend()
        if not self.bounded or found.epsilon.width <= float(self.precision) * found.epsilon.upper:
            return found
        return evolve(found, remarks=(*found.remarks, "the search stopped short of the precision that was asked for"))

    def lint(self) -> tuple[str, ...]:
        if self.bounded:
            return ()
        return (
            "unknown what is admissible: nothing bounds the tolerance between the priors that were looked at, and what "
            "these admit is too much; declare its trend or give a floor",
        )

    def _ratio(self, membership: Fraction, disclosure: Fraction) -> Fraction | None:
        try:
            ratio = _interval(self.function(membership, disclosure)).lower
        except (ArithmeticError, ValueError) as error:
            raise InvalidValue(
                f"the profile has no value at membership {membership} and disclosure {disclosure}: {error}; a tolerance "
                "that rises is asked at the lower ends of its ranges, also where these are 0"
            ) from error
        return None if math.isinf(ratio) else Fraction(ratio)

    def _floor(self, box: Box) -> Fraction | None:
        if self.floor is not None:
            least = _interval(self.floor(box.membership, box.disclosure)).lower
            return None if math.isinf(least) else Fraction(least)
        sides = zip((box.membership, box.disclosure), self.trend or (), strict=True)
        return self._ratio(*(side[0] if trend == "rising" else side[1] for side, trend in sides))


def _interval(value: Any) -> Interval:
    if isinstance(value, Interval):
        return value
    if isinstance(value, float) and value == math.inf:
        return Interval.infinite()
    return Interval.of(value)
