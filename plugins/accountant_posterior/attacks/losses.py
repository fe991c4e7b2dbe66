"""Attacks on counts with noise of any kind, read off the privacy loss of what was released."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant import Interval, fields
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.beliefs import belief
from accountant_posterior.attacks.counts import Outlook
from accountant_posterior.attacks.scenario import ATTRIBUTE, AttackScenario

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss
    from accountant_posterior.semantics.law import PosteriorLaw


@frozen
class LossAttack:
    """A simulated attack, not a guarantee: is the target among those whom releases with this loss count?

    Definition: the loss is the log of the ratio of the chances of what is released, with the target over without, when the
    target is there. Nothing else is unknown to the attacker, so that the log-odds are those of the prior plus the loss.

    Guarantee: intervals contain the exact numbers of this model.
    """

    prior: Fraction = field(
        converter=belief, metadata=fields.about("the attacker's probability that the target is counted, before any release")
    )
    loss: PrivacyLoss = field(metadata=fields.about("the loss of all releases together, with the target over without"))
    scenario: AttackScenario = field(default=ATTRIBUTE, metadata=fields.about("what the probability is about"))

    def outlook(self, *, present: bool = True) -> Outlook:
        """What the attacker ends up with on average when the target is there, or is not."""
        law = self._law(self.prior)
        above = law.exceeds(Fraction(1, 2), present=present)
        right = above if present else (1.0 - Ball.of(above)).interval(0.0, 1.0)
        return Outlook(self.prior, law.mean(present=present), right, present=present)

    def posterior_from(self, prior: Fraction) -> Interval:
        """The mean posterior of an attacker who believes otherwise beforehand; what is released says the same to all."""
        return self._law(prior).mean()

    def _law(self, prior: Fraction) -> PosteriorLaw:
        from accountant_posterior.semantics.law import PosteriorLaw

        return PosteriorLaw(self.loss, prior, self.scenario.about, ordered=True)
