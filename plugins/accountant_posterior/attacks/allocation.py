"""How a total budget is split over levels of geography and their queries, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import field, frozen

from accountant import Interval, InvalidValue, fields


def _shares(value: Mapping[str, Fraction | str]) -> dict[str, Fraction]:
    if not isinstance(value, Mapping) or not value:
        raise InvalidValue(f"expected a share for each name, got {value!r}")
    shares = {fields.text(name): fields.exact(share) for name, share in value.items()}
    for name, share in shares.items():
        if share < 0:
            raise InvalidValue(f"the share of '{name}' is negative: {Interval.of(share)}")
    if (total := sum(shares.values(), Fraction(0))) != 1:
        raise InvalidValue(
            f"the shares sum to {Interval.of(total).shown(6)}, not to exactly 1; write them as ratios such as '165/4099'"
        )
    return shares


def _nested(value: Mapping[str, Mapping[str, Fraction | str]]) -> dict[str, dict[str, Fraction]]:
    if not isinstance(value, Mapping):
        raise InvalidValue(f"expected the shares of the queries of each level, got {value!r}")
    found = {}
    for level, shares in value.items():
        try:
            found[fields.text(level)] = _shares(shares)
        except InvalidValue as error:
            raise InvalidValue(f"level '{level}': {error}") from None
    return found


@frozen
class RhoShares:
    """A total rho split over levels, and the part of each level over its queries.

    Definition: the query gets total * share of its level * share of the query within the level.
    Guarantee: exact; the parts of a level sum to its rho, and those of all levels to the total.
    """

    total: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the rho to be spent altogether")
    )
    levels: dict[str, Fraction] = field(converter=_shares, metadata=fields.about("the share of each level; they sum to 1"))
    queries: dict[str, dict[str, Fraction]] = field(
        converter=_nested, metadata=fields.about("for each level the shares of its queries; they sum to 1")
    )

    def __attrs_post_init__(self) -> None:
        if self.levels.keys() != self.queries.keys():
            different = ", ".join(f"'{name}'" for name in sorted(self.levels.keys() ^ self.queries.keys()))
            raise InvalidValue(f"levels and queries speak of different levels: {different}")

    def rho(self, level: str, query: str | None = None) -> Fraction:
        """What a level spends, or one query of it."""
        if level not in self.levels:
            raise InvalidValue(f"there is no level '{level}'; there are {', '.join(self.levels)}")
        spent = self.total * self.levels[level]
        if query is None:
            return spent
        if query not in self.queries[level]:
            raise InvalidValue(f"level '{level}' has no query '{query}'; it has {', '.join(self.queries[level])}")
        return spent * self.queries[level][query]
