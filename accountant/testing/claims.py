"""Claims: the loss that a mechanism claims of a shift, where it claims any."""

from __future__ import annotations

import traceback

from accountant.errors import AccountantError, InvalidValue
from accountant.loss import PrivacyLoss
from accountant.plugin.cases import MechanismCase
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.testing.counterexamples import broken, method
from accountant.testing.once import Once
from accountant.testing.reproduced import plan_with, written

_CLAIMED = Once(most=64)


def loss_of(case: MechanismCase) -> PrivacyLoss:
    """What a mechanism claims of the shift of a case, the same loss for all laws: what is read of it is read once."""
    return _loss(case.mechanism, case.shift)


def _loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
    # Shifts of which more is said equal those of which it is not.
    place = shift, shift.one_sided, shift.unit, shift.units
    return _CLAIMED.find(mechanism, place, lambda: mechanism.loss(shift))


def _of_a_loss(error: BaseException) -> bool:
    """Whether it is a loss, and not the mechanism, that refuses what it is made of."""
    *_, (last, _) = traceback.walk_tb(error.__traceback__)
    return isinstance(error, InvalidValue) and str(last.f_globals.get("__name__")).startswith("accountant.loss.")


def claimed(mechanism: Mechanism, shift: Shift) -> PrivacyLoss | None:
    """What is claimed, None where the mechanism refuses in words of ours; any other error is a counterexample.

    A loss that cannot be made, as of chances that do not sum to 1, is no refusal.
    """
    try:
        return _loss(mechanism, shift)
    except Exception as error:
        if isinstance(error, AccountantError) and not _of_a_loss(error):
            return None
        broken(
            "a mechanism must claim a loss or refuse with a ShiftError",
            mechanism=written(mechanism),
            shift=f"the query moves {shift}",
            error=f"{type(error).__name__}: {error}",
            look_at=method(mechanism, "loss"),
            **plan_with(mechanism, shift),
        )
