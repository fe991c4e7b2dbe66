"""The pairs of output laws that releases themselves have, as far as they are known."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from accountant import InvalidValue
from accountant.plugin import Claim

if TYPE_CHECKING:
    from accountant import Account
    from accountant.accounting import Entry
    from accountant.loss import PrivacyLoss

_MOST_PAIRS = 64


def actual_losses(account: Account) -> tuple[PrivacyLoss, ...] | None:
    """The losses of all pairs that the releases may show where every answer moves as far as it can; None if not known.

    A claim is refused: no laws stand behind it.
    """
    from accountant.loss import compose

    entries = _entries(account)
    for entry in entries:
        if any(isinstance(part, Claim) for _, part in entry.release.mechanism.nested()):
            raise InvalidValue(
                f"'{entry.release.name}' is known by a claim only, which does not say how outputs are distributed, so no "
                "law of a posterior is known; ask for the bounds of 'posterior', which hold for every such release"
            )
    each = [_attained(entry) for entry in entries]
    if not all(each) or math.prod(len(losses) for losses in each) > _MOST_PAIRS:
        return None
    times = [entry.release.times for entry in entries]
    return tuple(dict.fromkeys(compose(zip(chosen, times, strict=True)) for chosen in itertools.product(*each)))


def between_rows(account: Account, rows: tuple[int, int]) -> PrivacyLoss:
    """The loss of one row against another, by their numbers from 1, of all releases: tables with as many rows."""
    from accountant.finite import TableMechanism
    from accountant.loss import FiniteLoss, compose

    parts = []
    for entry in _entries(account):
        table = entry.release.mechanism
        if not isinstance(table, TableMechanism) or entry.release.sampling is not None:
            raise InvalidValue(
                f"'{entry.release.name}' is no table, so no rows of it can be named; leave 'rows' out, and the law holds "
                "where answers move as far as they can"
            )
        if len(set(rows)) != 2 or not all(1 <= row <= len(table.rows) for row in rows):
            raise InvalidValue(
                f"'{entry.release.name}' has rows 1 to {len(table.rows)}; name two different ones, that of the side in "
                f"question first, got {rows}"
            )
        first, second = (table.rows[row - 1] for row in rows)
        parts.append((FiniteLoss(zip(first, second, strict=True)), entry.release.times))
    return compose(parts)


def _entries(account: Account) -> tuple[Entry, ...]:
    """The releases; where scopes leave only one place for a unit, those that it is in."""
    return account.whereabouts[0].entries if len(account.whereabouts) == 1 else account.entries


def _attained(entry: Entry) -> tuple[PrivacyLoss, ...]:
    if entry.shift.is_zero:
        from accountant.loss import NO_LOSS

        return (NO_LOSS,)
    if entry.release.sampling is not None:
        # Which other records were taken is not known either, so the law is a mixture over all samples.
        return ()
    found = entry.mechanism.attained(entry.shift)
    return tuple(loss.reverse() for loss in found) if entry.arrives else found
