"""Who attacks: what is known beforehand, what is looked at, and what is believed."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from attrs import field, frozen

from accountant import InvalidValue, fields
from accountant.plugin import Mechanism
from accountant_posterior.attacks.beliefs import belief
from accountant_posterior.attacks.cells.noise import CellNoise
from accountant_posterior.attacks.parents import Exchangeable, ParentPrior
from accountant_posterior.attacks.scenario import SIMULATED

Knowledge = Literal["block", "levels", "hierarchy"]
KNOWLEDGE: tuple[Knowledge, ...] = get_args(Knowledge)

_MOST_MISSING = 1000


def _known(value: str) -> Knowledge:
    for known in KNOWLEDGE:
        if value == known:
            return known
    raise InvalidValue(f"an attacker is one of {', '.join(KNOWLEDGE)}, got '{value}'")


@frozen
class Attacker:
    """One attacker, who is followed at every cell.

    `block` knows everybody else in the target's smallest area and looks at its tables. `levels` knows everybody else in all
    areas that hold the target, and looks at the tables of all of them. `hierarchy` knows everybody else in the smallest
    area only, and looks at its count, at the sums over its siblings, and at the areas above, with a prior for what these
    hold. Each may miss some of those others: then all that is believed of them is that each is counted with a chance of
    `share`.
    """

    prior: Fraction = field(
        converter=belief, metadata=fields.about("the probability that the target is counted, before any release")
    )
    knows: Knowledge = field(default="block", converter=_known, metadata=fields.about("block, levels or hierarchy"))
    above: ParentPrior = field(factory=Exchangeable, metadata=fields.about("what is believed of an area, given one in it"))
    missing: int = field(
        default=0,
        converter=fields.whole,
        validator=[fields.at_least(0), fields.at_most(_MOST_MISSING)],
        metadata=fields.about("how many others of the smallest area the attacker does not know"),
    )
    share: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("the chance that one who is missed is counted; the prior when left out"),
    )
    present: bool = field(default=True, metadata=fields.about("whether the target is there in truth"))
    label: str = field(default=SIMULATED, init=False)

    @property
    def chance(self) -> Fraction:
        """The chance that one who is missed is counted, as the attacker believes."""
        return self.prior if self.share is None else self.share


@frozen(eq=False)
class Looked:
    """A histogram that is looked at: at which level, by which attributes beside the place, and its noise."""

    name: str
    level: int
    columns: frozenset[str]
    noise: CellNoise
    times: int = 1
    mechanism: Mechanism | None = None
    """None where the table is published as it is."""
