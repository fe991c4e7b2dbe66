"""PosteriorBound: where the belief of an attacker lies after all releases."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from attrs import field, frozen

from accountant import Interval, Step, Theorem
from accountant.plugin import ComparedPairs
from accountant_posterior.semantics.adversary import Adversary
from accountant_posterior.semantics.odds import written

Reading = Literal["posterior", "ratio", "difference"]

_MEANINGS = {
    "posterior": "the posterior probability of the secret",
    "ratio": "the posterior probability of the secret divided by the prior one",
    "difference": "the posterior probability of the secret less the prior one",
}


@frozen
class PosteriorBound:
    """Two ends between which a function of the posterior lies, except with a failure probability.

    Guarantee: holds for every attacker of the named model, whichever side of the secret is true, and for whatever is made
    of the output. Both ends are rounded outward. `gain` bounds the log likelihood ratio that they rest on.
    """

    reading: Reading
    lower: float
    upper: float
    failure: Fraction
    adversary: Adversary = field(repr=lambda adversary: adversary.name)
    secret: str
    prior: Fraction | None
    membership: Fraction | None
    worst_prior: Interval | None
    gain: Interval
    theorem: Theorem = field(repr=lambda theorem: theorem.name)
    derivation: tuple[Step, ...] = field(repr=False)
    comparison: ComparedPairs = field(repr=False)
    """Between which datasets the log likelihood ratio is bounded."""
    dependence: int = 1
    others: bool = False
    """Whether some release depends on attributes that are not at stake."""

    @property
    def interval(self) -> Interval:
        """Both ends as one value."""
        return Interval(self.lower, self.upper)

    @property
    def trivial(self) -> bool:
        """Whether nothing is bounded: the loss has no bound that holds with the probability asked for."""
        return self.gain.upper == math.inf

    @property
    def statement(self) -> str:
        """The bound in one sentence, rounded outward."""
        low, high = self.interval.rounded(4)
        believes = (
            "whatever they believe beforehand" if self.prior is None else f"with prior probability {written(self.prior)}"
        )
        sure = "always" if not self.failure else f"except with probability {written(self.failure)}"
        if self.failure and (self.dependence > 1 or self.adversary.name == "independent"):
            sure += " in that model"
        return (
            f"For an attacker {self._who}, who wants to learn {self.secret}, {believes}: {_MEANINGS[self.reading]} lies "
            f"between {low} and {high}, {sure}.{self._trusted}"
        )

    def __str__(self) -> str:
        return self.statement

    @property
    def _who(self) -> str:
        who = self.adversary.described(self.comparison, self.dependence, self.others)
        if self.membership is not None and self.membership < 1:
            who += f" and the target is a member with probability {written(self.membership)}"
        return who

    @property
    def _trusted(self) -> str:
        return f" {self.comparison.trusted}" if self.comparison.claimed else ""
