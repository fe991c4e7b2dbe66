"""Post-processing by projection: noisy counts made to agree with a public total, and what that contracts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import exact

Number = int | Fraction


def _numbers(values: Iterable[Any]) -> tuple[Number, ...]:
    # Whole numbers stay ints: arithmetic on them is several times faster.
    found = (value if type(value) is int else exact(value) for value in values)
    return tuple(value.numerator if value.denominator == 1 else value for value in found)


@frozen
class Counts:
    """Cases and deaths, cell by cell."""

    cases: tuple[Number, ...] = field(converter=_numbers)
    deaths: tuple[Number, ...] = field(converter=_numbers)

    def __attrs_post_init__(self) -> None:
        if not self.cases or len(self.cases) != len(self.deaths):
            raise InvalidValue(
                f"expected as many deaths as cases, and at least one of each; got {len(self.deaths)} and {len(self.cases)}"
            )

    def agrees(self, total: Number) -> bool:
        """Whether the cases add up to a public total and no cell has fewer than 0 deaths or more deaths than cases."""
        ordered = all(cases >= deaths >= 0 for cases, deaths in zip(self.cases, self.deaths, strict=True))
        return ordered and sum(self.cases) == total


def nearest(noisy: Counts, total: Number) -> Counts:
    """The real counts that agree with the public total and lie closest to noisy ones in least squares.

    Definition: the projection onto {sum of cases = total, cases >= deaths >= 0 in every cell}.
    Guarantee: exact. With a multiplier on the total every cell is projected on its own, and the cases it is given are the
    sum of one or two hinges in the multiplier; their sum over all cells meets the total in one of its linear pieces.
    """
    if total < 0:
        raise InvalidValue(f"a total of cases cannot be negative, got {total}")
    multiplier = _multiplier(noisy, total)
    cells = [_cell(cases + multiplier, deaths) for cases, deaths in zip(noisy.cases, noisy.deaths, strict=True)]
    return Counts([cases for cases, _ in cells], [deaths for _, deaths in cells])


def _cell(cases: Number, deaths: Number) -> tuple[Number, Number]:
    """The projection of one cell onto {cases >= deaths >= 0}."""
    if cases >= deaths:
        return max(cases, 0), max(deaths, 0)
    middle = max(Fraction(cases + deaths) / 2, Fraction(0))
    return middle, middle


def _multiplier(noisy: Counts, total: Number) -> Number:
    """What to add to all cases before the cells are projected so that the cases add up to the total."""
    # Each hinge is where a cell's cases begin to rise, or rise faster, and twice by how much.
    hinges: list[tuple[Number, int]] = []
    for cases, deaths in zip(noisy.cases, noisy.deaths, strict=True):
        hinges += [(-cases - deaths, 1), (deaths - cases, 1)] if deaths > 0 else [(-cases, 2)]
    hinges.sort()
    place, slope, reached = hinges[0][0], 0, Fraction(0)
    for at, rise in hinges:
        ahead = reached + Fraction(slope, 2) * (at - place)
        if ahead >= total:
            break
        place, slope, reached = at, slope + rise, ahead
    return place + (total - reached) / Fraction(slope, 2) if slope else place


def rounded(real: Counts, total: int) -> Counts:
    """The whole counts that agree with the public total and lie closest to real ones that do, among their neighbours.

    Definition: floor(real) plus 0 or 1 in every cell, least in the L1 distance to `real`, with the sum of cases equal to
    the total and cases >= deaths >= 0. Where several do as well the deaths are rounded down and the earlier cells receive
    the cases.
    Guarantee: exact. The deaths of a cell are chosen best for either rounding of its cases, and those cells are rounded up
    for which it costs least.
    """
    if not real.agrees(total):
        raise InvalidValue(f"the counts to round do not agree with the total {total}; project them first")
    down = [_deaths(math.floor(cases), cases, deaths) for cases, deaths in zip(real.cases, real.deaths, strict=True)]
    up = [_deaths(math.floor(cases) + 1, cases, deaths) for cases, deaths in zip(real.cases, real.deaths, strict=True)]
    left = total - sum(math.floor(cases) for cases in real.cases)
    order = sorted(range(len(down)), key=lambda cell: (up[cell][0] - down[cell][0], cell))
    raised = set(order[:left])
    chosen = [up[cell] if cell in raised else down[cell] for cell in range(len(down))]
    return Counts([cases for _, cases, _ in chosen], [deaths for _, _, deaths in chosen])


def _deaths(whole: int, cases: Number, deaths: Number) -> tuple[Fraction, int, int]:
    """The distance, the cases and the best deaths of a cell whose cases are rounded to a whole number."""
    low = math.floor(deaths)
    gap = abs(Fraction(whole - cases))
    return min((gap + abs(Fraction(fit - deaths)), whole, fit) for fit in (low, low + 1) if fit <= whole)


def projected(noisy: Counts, total: int) -> Counts:
    """Noisy counts post-processed in two stages: the nearest real counts that agree with the total, then whole ones."""
    return rounded(nearest(noisy, total), total)


@frozen
class Contraction:
    """In how many cells post-processing mapped a noisy value onto the boundary, where several share one published value.

    `case_zeros`: published as 0 cases, although the noisy count was not 0; `death_zeros`: the same for deaths.
    `rates`: published with as many deaths as cases, and at least one, although the noisy counts differed: nobody survived.
    """

    cells: int
    case_zeros: int
    death_zeros: int
    rates: int

    @classmethod
    def between(cls, noisy: Counts, published: Counts) -> Contraction:
        """What happened between the noisy counts and the published ones."""
        before = list(zip(noisy.cases, noisy.deaths, strict=True))
        after = list(zip(published.cases, published.deaths, strict=True))
        if len(before) != len(after):
            raise InvalidValue(f"noisy counts of {len(before)} cells cannot be compared with {len(after)} published ones")
        pairs = list(zip(before, after, strict=True))
        return cls(
            len(pairs),
            sum(1 for (cases, _), (shown, _) in pairs if shown == 0 != cases),
            sum(1 for (_, deaths), (_, shown) in pairs if shown == 0 != deaths),
            sum(1 for (cases, deaths), (shown, dead) in pairs if shown == dead > 0 and cases != deaths),
        )

    @property
    def shares(self) -> tuple[Fraction, Fraction, Fraction]:
        """The three counts as shares of all cells."""
        return (
            Fraction(self.case_zeros, self.cells),
            Fraction(self.death_zeros, self.cells),
            Fraction(self.rates, self.cells),
        )
