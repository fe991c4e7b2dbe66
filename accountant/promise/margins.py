"""Margins: the smallest set of attributes that no exact table has all of.

Theorem. Let counts by A1, ..., An be exact, and let records differ in D only, so that counts by all other attributes are as
good as exact. Let T be a smallest set of attributes that meets D and is in no Ai. Datasets that agree and differ at all
differ in 2^(|T| - 1) records at least, and some do in just as many. See docs/explanation/invariants.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

OTHER = "anything else"
"""What records have beside the attributes that a specification names: at least whose they are."""

_PATIENCE = 10_000
"""How many sets are tried before a set is taken of which it is not known that it is smallest."""


def smallest_beyond(
    tables: Iterable[frozenset[str]], everything: frozenset[str], differing: frozenset[str]
) -> tuple[int, frozenset[str]] | None:
    """A smallest such set with its size, or a set that is not much larger with a size below which there is none.

    None where there is none at all.
    """
    to_meet = sorted({differing, *(everything - table for table in tables)}, key=lambda names: (len(names), sorted(names)))
    if not to_meet[0]:
        return None
    found, tried = _few(to_meet), 0
    for size in range(1, len(found)):
        smaller, tried = _meeting(to_meet, size, tried)
        if smaller is not None or tried > _PATIENCE:
            return size, smaller or found
    return len(found), found


def _few(to_meet: Sequence[frozenset[str]]) -> frozenset[str]:
    """A set that meets all of them, from which nothing can be left out."""
    kept = sorted(frozenset().union(*to_meet))
    for name in tuple(kept):
        fewer = [item for item in kept if item != name]
        if all(names.intersection(fewer) for names in to_meet):
            kept = fewer
    return frozenset(kept)


def _meeting(to_meet: Sequence[frozenset[str]], size: int, tried: int) -> tuple[frozenset[str] | None, int]:
    """A set of at most so many that meets all of them, None where there is none; and how many were tried by then."""
    missed = next(iter(to_meet), None)
    if missed is None or size == 0 or tried > _PATIENCE:
        return (frozenset() if missed is None else None), tried + 1
    for name in sorted(missed):
        rest, tried = _meeting([names for names in to_meet if name not in names], size - 1, tried)
        if rest is not None:
            return rest | {name}, tried
    return None, tried
