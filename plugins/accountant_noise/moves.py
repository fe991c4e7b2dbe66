"""How far answers move that must be whole."""

from __future__ import annotations

from fractions import Fraction

from accountant import ShiftError
from accountant.plugin import Shift


def whole_moves(kind: str, shift: Shift, instead: str) -> tuple[int, ...]:
    """How far each coordinate moves; refused unless all moves are known and whole."""
    if shift.coordinates is None or not _are_whole(*shift.coordinates):
        raise _refusal(kind, shift, instead)
    return tuple(abs(move.numerator) for move in shift.coordinates)


def whole_norms(kind: str, shift: Shift, instead: str) -> tuple[int, int]:
    """The L1 norm and the largest move of a shift known by its norms; refused where no whole answers have such norms."""
    if not _are_whole(shift.l1, shift.l2_squared, shift.linf):
        raise _refusal(kind, shift, instead)
    return shift.l1.numerator, shift.linf.numerator


def _are_whole(*values: Fraction) -> bool:
    return all(value.denominator == 1 for value in values)


def _refusal(kind: str, shift: Shift, instead: str) -> ShiftError:
    return ShiftError(
        f"'{kind}' adds whole noise to whole answers, but the query moves {shift}; round the answers and "
        f"state a shift of whole numbers, or use '{instead}'"
    )
