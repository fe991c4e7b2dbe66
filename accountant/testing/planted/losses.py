"""What may go wrong in the losses that a mechanism claims."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
import numpy as np

from accountant.loss import TOTAL_LOSS, Cells, ComposedLoss, FiniteLoss, PrivacyLoss, compose
from accountant.numbers.interval import Interval
from accountant.release.release import MECHANISMS, Mechanism
from accountant.testing.lossy import (
    a_tenth_low,
    lossy,
    own_loss,
    times,
    unbounded,
    with_formula,
    with_method,
    with_reading,
)
from accountant.testing.planting import changed

FAMILY = MECHANISMS


def reverse_ignored(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Both directions are said to lose what one of them loses."""
    return lossy(cls, lambda loss: loss if loss.reverse() is loss else changed(loss, reverse=lambda self: self))


def outcome_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The likeliest outcome that tells something is said to tell nothing."""
    return lossy(cls, _without_an_outcome)


def cells_lose_a_little_mass(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What composition is made of lacks one part in ten million."""

    def light(own: Callable[..., Cells], self: PrivacyLoss, edges: Any) -> Cells:
        found = own(self, edges)
        return attrs.evolve(found, p=found.p * (1.0 - 1e-7))

    return with_formula(cls, "cells", light)


def values_said_to_be_twice_as_far_apart(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Its values are said to be multiples of twice the step that they are multiples of."""

    def wide(loss: PrivacyLoss) -> PrivacyLoss:
        step = loss.lattice()
        if step is None or isinstance(loss, FiniteLoss) or loss.precision is not None:
            return loss
        return changed(loss, step=lambda self: 2 * step, lattice=lambda self: 2 * step)

    return lossy(cls, wide)


def moments_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The formula of moments is a tenth too small."""
    return with_formula(cls, "log_moment_formula", a_tenth_low)


def moments_a_little_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The formula of moments is a hundredth too small."""

    def low(own: Callable[..., Interval | None], *place: Any) -> Interval | None:
        found = own(*place)
        return None if found is None else Interval(0.99 * found.lower, 0.99 * found.upper)

    return with_formula(cls, "log_moment_formula", low)


def little_delta_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is below a thousand millionth is said to be nothing."""

    def cut(own: Callable[..., Interval | None], *place: Any) -> Interval | None:
        found = own(*place)
        return Interval.of(0) if found is not None and found.upper < 1e-9 else found

    return with_formula(cls, "delta_formula", cut)


def delta_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The formula of delta is a tenth too small."""
    return with_formula(cls, "delta_formula", a_tenth_low)


def supremum_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The largest loss is said to be a tenth smaller."""
    return with_formula(cls, "supremum_formula", a_tenth_low)


def concentration_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The formula of what zero-concentrated privacy reads is a tenth too small."""
    return with_formula(cls, "concentration_formula", a_tenth_low) if unbounded(cls) else None


def supremum_a_tenth_high(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The largest loss is said to be a tenth larger, and that it is attained."""
    return with_formula(cls, "supremum_formula", partial(times, 1.1))


def epsilon_rounded_up(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Its own search for epsilon stops a twentieth too late."""
    return with_reading(cls, "_epsilon_at", partial(times, 1.05)) if unbounded(cls) else None


def trade_off_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Its own formula of the trade-off says that tests miss a tenth less often."""
    return with_reading(cls, "_tradeoff_at", partial(times, 0.9))


def trade_off_a_little_high(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Its own formula of the trade-off says that tests miss a fiftieth more often."""
    return with_reading(cls, "_tradeoff_at", partial(times, 1.02)) if unbounded(cls) else None


def certainty_divided_by(cls: type[Mechanism]) -> type[Mechanism] | None:
    """In the other direction its own formula of the trade-off divides by the level of a test, which may be 0."""

    def divided(own: Callable[..., Interval], self: PrivacyLoss, level: Fraction) -> Any:
        return times(float(level / level), own, self, level)

    def other(loss: PrivacyLoss) -> PrivacyLoss:
        back = changed(with_method(loss.reverse(), "_tradeoff_at", divided), reverse=lambda self: other(loss))
        return changed(loss, reverse=lambda self: back)

    return lossy(cls, other) if own_loss(cls) else None


def other_direction_of_two_releases(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The loss in the other direction is that of two releases, and no moments are known."""

    def other(loss: PrivacyLoss) -> PrivacyLoss:
        twice = compose([(loss, 2)])
        return changed(loss, reverse=lambda self: twice, log_moment_formula=lambda self, order: None)

    return lossy(cls, other) if own_loss(cls) else None


def masses_beyond_the_last_edge_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What composition is made of lacks the losses beyond the last edge."""

    def short(own: Callable[..., Cells], self: PrivacyLoss, edges: Any) -> Cells:
        found = own(self, edges)
        return attrs.evolve(found, p=np.append(found.p[:-1], 0.0))

    return with_formula(cls, "cells", short) if unbounded(cls) else None


def masses_of_the_other_law_a_little_light(cls: type[Mechanism]) -> type[Mechanism] | None:
    """In what composition is made of, the other law lacks one part in ten million."""

    def light(own: Callable[..., Cells], self: PrivacyLoss, edges: Any) -> Cells:
        found = own(self, edges)
        return attrs.evolve(found, q=found.q * (1.0 - 1e-7))

    return with_formula(cls, "cells", light) if unbounded(cls) else None


def small_delta_of_few_digits(cls: type[Mechanism]) -> type[Mechanism] | None:
    """A delta below one in ten thousand is rounded up to seven digits, and called exact."""

    def rounded(own: Callable[..., Interval | None], self: PrivacyLoss, epsilon: float) -> Interval | None:
        found = own(self, epsilon)
        small = found is not None and 0.0 < found.upper < 1e-4
        return times(1.0 + 1e-7, own, self, epsilon) if small else found

    return with_formula(cls, "delta_formula", rounded) if unbounded(cls) else None


def counts_beyond_fifty_start_again(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The loss of many releases, known otherwise than by their product, is that of fewer beyond fifty."""

    def repeated(self: PrivacyLoss, count: int) -> PrivacyLoss | None:
        return ComposedLoss.of([(self, count % 50 + 1)]) if count > 50 else None

    return lossy(cls, lambda loss: changed(loss, repeated=repeated)) if own_loss(cls) else None


def everything_lost_in_three_releases(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Three releases or more are said to lose everything."""

    def repeated(self: PrivacyLoss, count: int) -> PrivacyLoss | None:
        return TOTAL_LOSS if count > 2 else None

    return lossy(cls, lambda loss: changed(loss, repeated=repeated)) if own_loss(cls) else None


def different_losses_called_equal(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Losses of different moves are equal, as if what tells them apart were left out of the comparison."""

    def alike(self: PrivacyLoss, other: object) -> bool:
        return getattr(type(other), "called_equal", None) is cls

    members = {"called_equal": cls, "__eq__": alike, "__hash__": lambda self: 0}
    return lossy(cls, lambda loss: changed(loss, **members)) if own_loss(cls) else None


def _without_an_outcome(loss: PrivacyLoss) -> PrivacyLoss:
    if not isinstance(loss, FiniteLoss):
        return loss
    telling = [atom for atom in loss.atoms if atom[0] > atom[1]]
    first = max(telling, default=None)
    if first is None:
        return loss
    p, q = first
    rest = [atom for atom in loss.atoms if atom is not first]
    return FiniteLoss([*rest, (q, q), (p - q, 0)]) if not rest else FiniteLoss(_spread(rest, p, q))


def _spread(rest: list[tuple[Fraction, Fraction]], p: Fraction, q: Fraction) -> list[tuple[Fraction, Fraction]]:
    """What one outcome had more on one side goes to the others on that side, in equal shares."""
    share = (p - q) / len(rest)
    return [(q, q), *((left + share, right) for left, right in rest)]
