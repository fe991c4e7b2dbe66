"""How releases are gathered before their losses are composed: exactly, and whatever their order."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby, pairwise
from operator import itemgetter

from attrs import define, field

from accountant.display.brief import full
from accountant.errors import InvalidValue
from accountant.loss.families.finite import NO_LOSS, FiniteLoss
from accountant.loss.families.gaussian import GaussianLoss
from accountant.loss.readings.base import PrivacyLoss

_Placed = tuple[tuple[float, float], PrivacyLoss, int]
_PLACE = itemgetter(0)
LONGEST_SUM = 2048
"""Bits of a denominator at which an exact sum of Gaussian parts is continued in a further part."""


def gathered(parts: Iterable[tuple[PrivacyLoss, int]]) -> list[tuple[PrivacyLoss, int]]:
    """Equal losses counted together, those made of others taken apart first, Gaussians added, order forgotten."""
    counts: dict[PrivacyLoss, int] = {}
    gaussians = Squares()
    pending = deque(parts)
    while pending:
        loss, count = pending.popleft()
        if count.__class__ is not int or count < 0:
            raise InvalidValue(f"a loss is taken a whole number of times, not {count!r}")
        if count == 0:
            continue
        if isinstance(loss, GaussianLoss):
            gaussians.add(loss.mu_squared, count)
            continue
        parts_of = loss.taken_apart()
        if len(parts_of) != 1 or (parts_of[0][0] is not loss and parts_of != ((loss, 1),)):
            pending.extendleft((part, count * times) for part, times in reversed(parts_of))
        elif loss.__class__ is not FiniteLoss or loss != NO_LOSS:
            known, before = len(counts), counts.setdefault(loss, count)
            if len(counts) == known:
                counts[loss] = before + count
    # Readings shall not depend on the order of releases, not even by rounding.
    families: defaultdict[str, list[tuple[PrivacyLoss, int]]] = defaultdict(list)
    for item in counts.items():
        families[type(item[0]).__name__].append(item)
    ordered = [item for _, members in sorted(families.items()) for item in _ordered(members)]
    together = [(loss, count) if (whole := loss.repeated(count)) is None else (whole, 1) for loss, count in ordered]
    return [*((GaussianLoss(mu_squared), 1) for mu_squared in gaussians.sums()), *together]


@define
class Squares:
    """Exact sums of mu^2, continued in a further one where a denominator is long.

    Whole numbers are added, and ratios are only reduced once they are long: one common divisor for dozens of releases.
    """

    _done: list[Fraction] = field(factory=list, init=False)
    _top: int = field(default=0, init=False)
    _bottom: int = field(default=1, init=False)

    def add(self, square: Fraction, count: int) -> None:
        top, bottom = square.as_integer_ratio()
        whole, below = self._top, self._bottom
        if bottom == below:
            self._top = whole + count * top
            return
        self._top, self._bottom = whole * bottom + count * top * below, below * bottom
        if self._bottom.bit_length() > LONGEST_SUM:
            reduced = Fraction(self._top, self._bottom)
            self._top, self._bottom = reduced.as_integer_ratio()
            if self._bottom.bit_length() > LONGEST_SUM:
                self._done.append(reduced)
                self._top, self._bottom = 0, 1

    def sums(self) -> list[Fraction]:
        return [*self._done, *([Fraction(self._top, self._bottom)] if self._top else [])]


def _ordered(members: list[tuple[PrivacyLoss, int]]) -> list[tuple[PrivacyLoss, int]]:
    """Losses of one family by where they lie, and by how they are written where nothing cheaper tells them apart."""
    placed = sorted(((loss.window(-1.0), loss, count) for loss, count in members), key=_PLACE)
    if any(here[0] == there[0] for here, there in pairwise(placed)):
        placed = [item for _, run in groupby(placed, _PLACE) for item in _by_name(list(run))]
    return [(loss, count) for _, loss, count in placed]


def _by_name(placed: list[_Placed]) -> list[_Placed]:
    return placed if len(placed) == 1 else sorted(placed, key=lambda item: full(item[1]))
