"""PufferfishGuarantee: a promise relative to what is public, with why it holds. Not all of them add up."""

from __future__ import annotations

from typing import Literal, NoReturn

from attrs import field, frozen

from accountant import AccountantError, Interval, InvalidValue, Step, Verdict
from accountant.fields import ExactLike, exact
from accountant_pufferfish.promises.evidence import Evidence
from accountant_pufferfish.setting.setting import Setting

Bound = Literal["exact", "upper", "lower"]


class CompositionError(AccountantError):
    """Promises relative to public information that do not add up; the message says what to do instead."""


@frozen
class PufferfishGuarantee:
    """Given what is public, no output changes the odds between secrets of a live pair by more than a factor of e^epsilon.

    `epsilon` is None where no pair is live: nothing is promised then. With a `bound` of 'exact' the interval contains the
    smallest epsilon, with 'upper' only its upper end counts, and with 'lower' nothing is promised: its upper end is
    infinite. `evidence` decides whether the promise adds up with others.

    Made by functions such as `pointwise_guarantee` and `exact_guarantee`, which work epsilon out. One that is written down
    by hand is taken at its word: nothing here knows the mechanism that it is about.
    """

    setting: Setting
    epsilon: Interval | None
    bound: Bound
    evidence: Evidence
    live_pairs: int | None
    derivation: tuple[Step, ...] = field(default=(), repr=False)

    def __attrs_post_init__(self) -> None:
        if (self.live_pairs == 0) != (self.epsilon is None):
            raise InvalidValue("there is no epsilon exactly if no pair of secrets is live")
        if self.bound == "lower" and self.epsilon is not None and self.epsilon.upper != float("inf"):
            raise InvalidValue("a lower bound on epsilon leaves its upper end open: give an interval that ends at infinity")

    @property
    def vacuous(self) -> bool:
        """Whether what is public decides every secret, so that nothing is promised."""
        return self.epsilon is None

    def within(self, budget: ExactLike) -> Verdict:
        """Whether epsilon stays within a budget; vacuous is no way to stay within one."""
        return Verdict.VACUOUS if self.epsilon is None else Verdict.of(self.epsilon.at_most(exact(budget)))

    def __add__(self, other: object) -> NoReturn:
        """Promises add up only where their evidence says so, see `compose`."""
        raise CompositionError("promises relative to public information add up only with evidence; use compose")

    __radd__ = __add__

    def __str__(self) -> str:
        relative = f"relative to {self.setting.public}, under {self.setting.scenarios}"
        if self.epsilon is None:
            return f"VACUOUS {relative}: no pair of secrets is live"
        least, most = self.epsilon.rounded(6)
        words = {"exact": str(self.epsilon), "upper": f"at most {most}", "lower": f"at least {least}, nothing is promised"}
        return f"epsilon {words[self.bound]}, {relative} ({self.evidence})"
