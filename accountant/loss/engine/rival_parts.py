"""Releases that may have losses bad at one place or another: which these are, and where it is worth asking."""

from __future__ import annotations

import math
from collections.abc import Iterator

from accountant.loss.families.rivals import Event, RivalledLoss
from accountant.loss.readings.base import PrivacyLoss

_FEW_RIVALS = 16
_SHARE = 3.0
_MANY_PARTS = 64
_LIKELY = 0.12


def rivalled(parts: tuple[tuple[PrivacyLoss, int], ...]) -> bool:
    """Whether a part that may be bad at one place is a large share of all: beside much else it is not worth the search."""
    such = [(part, count) for part, count in parts if isinstance(part, RivalledLoss)]
    if not such or sum(count for _, count in such) > _FEW_RIVALS or len(parts) > _MANY_PARTS:
        return False
    others = [(part, count) for part, count in parts if not isinstance(part, RivalledLoss)]
    share, rest = (sum(part.dominated()._log_moment_at(1.0).lower * n for part, n in some) for some in (such, others))
    return _SHARE * share >= rest


def bad_at_once(
    parts: tuple[tuple[PrivacyLoss, int], ...], chance: float, at: Event
) -> Iterator[list[tuple[PrivacyLoss, int]]]:
    """The parts with each such part bad at the same place, for events of about this chance.

    Beside other releases events of a part may be larger than those of all.
    """
    for factor in (1.0, 10.0) if at == "gain" else (1.0,):
        bad = {
            part: part.rivals(chance * factor, at) if count == 1 else part.rivals(_each(chance * factor, count), "power")
            for part, count in parts
            if isinstance(part, RivalledLoss)
        }
        if all(bad.values()):
            chosen: dict[PrivacyLoss, PrivacyLoss] = {part: some[0] for part, some in bad.items()}
            yield [(chosen.get(part) or part.dominated(), count) for part, count in parts]


def _each(chance: float, count: int) -> float:
    """What chance an event of each of several alike had better have: all of them may have to happen, or some of many."""
    return min(math.pow(chance, 1.0 / count), _LIKELY)
