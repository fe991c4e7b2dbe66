"""How far answers move that must be whole, and by which of their moves noise loses most."""

from __future__ import annotations

from accountant import ShiftError, Theorem
from accountant.plugin import Shift

GATHERED = Theorem(
    "gathered-moves-lose-most",
    "Independent noise with a symmetric, log-concave law in every coordinate loses at least as much where one coordinate "
    "moves by a + b as where two of them move by a and by b.",
    "accountant",
    "explanation/neighbours-and-shifts",
    ("independent noise of the same law in every coordinate",),
    assurance="proved-here",
)


def whole_moves(kind: str, shift: Shift, instead: str) -> tuple[int, ...] | None:
    """How far each coordinate moves where log-concave noise loses most, None where only bounds on that are known.

    Refused unless all moves are known to be whole.
    """
    if not shift.whole:
        raise _refusal(kind, shift, instead)
    moves = shift.heaviest
    return None if moves is None else tuple(abs(move.numerator) for move in moves)


def whole_norms(shift: Shift) -> tuple[int, int]:
    """Of whole moves, the L1 norm and the largest: one coordinate that moves so far loses at least, or at most, as much."""
    return shift.l1.numerator, shift.linf.numerator


def _refusal(kind: str, shift: Shift, instead: str) -> ShiftError:
    norms = (shift.in_l1, shift.l2_squared, shift.linf)
    if shift.coordinates is None and all(norm is not None and norm.denominator == 1 for norm in norms):
        return ShiftError(
            f"'{kind}' adds whole noise to whole answers, but the query moves {shift}, and whether by whole numbers only "
            "is not known; use a query that says so, such as 'histogram', state the shift as a 'vector' of whole numbers, "
            f"or use '{instead}'"
        )
    return ShiftError(
        f"'{kind}' adds whole noise to whole answers, but the query moves {shift}; round the answers and "
        f"state a shift of whole numbers, or use '{instead}'"
    )
