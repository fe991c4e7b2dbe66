"""Accuracy: how far the noise of each release takes published numbers from exact ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant.report.messages import say, spoken
from accountant.report.table import Table

if TYPE_CHECKING:
    from accountant.release.release import Mechanism, Release

SHARE = Fraction(19, 20)
_DIGITS = 3


def accuracy(releases: Sequence[Release], most: int) -> Table:
    """So many releases with how far nineteen of twenty published numbers are off at most.

    A distance is rounded up, so that it holds; where a mechanism does not say, it is said to be unknown.
    """
    known: dict[Mechanism, str] = {}
    rows = []
    for release in releases[:most]:
        mechanism = release.mechanism
        if mechanism not in known:
            known[mechanism] = _off(mechanism)
        words = known[mechanism]
        rows.append((release.name, words if release.sampling is None else say("accuracy.sampled", off=words)))
    more = len(releases) - len(rows)
    if more:
        rows.append((say("words.and_more", count=more), ""))
    return Table(say("accuracy.title"), (say("accuracy.release"), say("accuracy.off")), tuple(rows))


def _off(mechanism: Mechanism) -> str:
    if mechanism.kind == "non-private":
        return say("accuracy.exact")
    found = mechanism.error(SHARE)
    if found is None:
        return say("accuracy.unknown")
    return spoken().number(found.rounded(_DIGITS)[1])
