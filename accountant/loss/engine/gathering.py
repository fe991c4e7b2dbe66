"""How releases are gathered before their losses are composed: exactly, and whatever their order."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from fractions import Fraction

from attrs import define, field, frozen

from accountant.display.brief import full
from accountant.errors import InvalidValue
from accountant.loss.families.finite import NO_LOSS, FiniteLoss
from accountant.loss.families.gaussian import GaussianLoss
from accountant.loss.readings.base import PrivacyLoss

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
            counts[loss] = counts.get(loss, 0) + count
    # Readings shall not depend on the order of releases, not even by rounding.
    families: defaultdict[str, list[tuple[PrivacyLoss, int]]] = defaultdict(list)
    for item in counts.items():
        families[type(item[0]).__name__].append(item)
    ordered = [item for _, members in sorted(families.items()) for item in sorted(members, key=_place)]
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
        top, bottom = square.numerator, square.denominator
        if bottom == self._bottom:
            self._top += count * top
        else:
            self._top, self._bottom = self._top * bottom + count * top * self._bottom, self._bottom * bottom
        if self._bottom.bit_length() > LONGEST_SUM:
            whole = Fraction(self._top, self._bottom)
            self._top, self._bottom = whole.numerator, whole.denominator
            if self._bottom.bit_length() > LONGEST_SUM:
                self._done.append(whole)
                self._top, self._bottom = 0, 1

    def sums(self) -> list[Fraction]:
        return [*self._done, *([Fraction(self._top, self._bottom)] if self._top else [])]


def _place(item: tuple[PrivacyLoss, int]) -> tuple[float, float, _Name]:
    """What losses of one family are put into order by."""
    return *item[0].window(-1.0), _Name(item[0])


@frozen(order=False)
class _Name:
    """A loss by how it is written, which is only looked at where nothing cheaper tells two apart."""

    loss: PrivacyLoss

    def __lt__(self, other: _Name) -> bool:
        return full(self.loss) < full(other.loss)
