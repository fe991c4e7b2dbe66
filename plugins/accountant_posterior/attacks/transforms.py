"""Lengths at which transforms are quick. numpy's transforms are as quick as scipy's, which take longer to load."""

from __future__ import annotations


def fast_length(least: int) -> int:
    """The smallest product of powers of 2, 3 and 5 that is at least `least`."""
    best, five = 1 << max(0, least - 1).bit_length(), 1
    while five < best:
        base = five
        while base < best:
            best = min(best, base << max(0, -(-least // base) - 1).bit_length())
            base *= 3
        five *= 5
    return best
