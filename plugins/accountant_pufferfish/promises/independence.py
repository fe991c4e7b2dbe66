"""Independence: several releases whose outputs are independent once the secret is known, checked by enumeration."""

from __future__ import annotations

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import several
from accountant.finite import FiniteMechanism, compose
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.setting import Setting


def secret_independent(mechanisms: tuple[FiniteMechanism, ...], setting: Setting) -> bool:
    """Whether outputs are independent of each other given either secret of any live pair, in any scenario.

    Definition: P(y1, y2, ... | s, scenario, z) = P(y1 | s, scenario, z) P(y2 | s, scenario, z) ... Releases with coins of
    their own are always independent given the data; given the secret they need not be, since they may look at the same
    records.
    """
    joint = compose(*mechanisms)
    for comparison in setting.comparisons():
        for law in (comparison.first, comparison.second):
            seen = Law.records([law.through(mechanism.law) for mechanism in mechanisms])
            if law.through(joint.law) != seen:
                return False
    return True


@frozen
class Independence:
    """Releases that were checked to be independent given either secret of any live pair.

    Guarantee: cannot be made for releases that are not.
    """

    mechanisms: tuple[FiniteMechanism, ...] = field(converter=several)
    setting: Setting

    def __attrs_post_init__(self) -> None:
        if not self.setting.scenarios.complete:
            raise InvalidValue(f"independence cannot be checked for '{self.setting.scenarios}': only some laws are known")
        if not secret_independent(self.mechanisms, self.setting):
            raise InvalidValue(
                "the outputs are not independent given the secret, so these promises do not add up; account pointwise, "
                "then convert once by the distance of order infinity"
            )
