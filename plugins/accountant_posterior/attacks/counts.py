"""Attacks on counts that are released with discrete Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant import Interval, InvalidValue, fields
from accountant.numbers.rounding import Ball
from accountant.plugin import Shift
from accountant_posterior.attacks.beliefs import belief, posterior, ratio, sign
from accountant_posterior.attacks.scenario import ATTRIBUTE, BLOCK, SIMULATED, AttackScenario
from accountant_posterior.semantics.odds import log_odds

if TYPE_CHECKING:
    from accountant_posterior.attacks.evidence import CountEvidence


def _step(instance: object, attribute: object, value: int) -> None:
    if value == 0:
        raise InvalidValue("a count to which the target adds nothing says nothing about the target; leave it out")


@frozen
class NoisyCount:
    """A count that is released with discrete Gaussian noise, and what the target adds to it.

    Definition: the noise is k with a chance proportional to e^(-k^2/(2 scale)). The scale is hardly more than the variance.
    """

    scale: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the scale of the noise, hardly more than its variance"),
    )
    known: int = field(
        default=0,
        converter=fields.whole,
        metadata=fields.about("the count of everyone but the target, which the attacker knows"),
    )
    step: int = field(
        default=1,
        converter=fields.whole,
        validator=_step,
        metadata=fields.about("what the target adds to the count; -1 where the target is missing from it"),
    )

    @classmethod
    def spending(cls, rho: Fraction | str, shift: Shift, *, known: int = 0, step: int = 1) -> NoisyCount:
        """A count in a release that spends `rho` of zero-concentrated privacy on a query that moves by `shift`.

        Definition: scale = |shift|^2/(2 rho). A count alone moves by one, `Shift.along([1])`. A histogram whose units
        may be replaced moves in two cells, `Shift.along([1, -1])`, and needs twice that scale in every cell.
        """
        spent = fields.exact(rho)
        if spent <= 0:
            raise InvalidValue(f"a release spends more than nothing, got rho = {Interval.of(spent)}")
        return cls(shift.l2_squared / (2 * spent), known, step)

    def evidence(self, released: int) -> Fraction:
        """The log of the ratio of the chances of what was released, with the target over without."""
        return Fraction(self.step * (2 * (fields.whole(released) - self.known) - self.step)) / (2 * self.scale)

    def chance(self, released: int, *, present: bool = True) -> Interval:
        """The chance that this number is released when the target is there, or is not."""
        from accountant_posterior.attacks.whole_noise import NoiseMasses

        centre = self.known + (self.step if present else 0)
        return NoiseMasses.discrete_gaussian(self.scale).chance(fields.whole(released) - centre)


@frozen
class Belief:
    """A simulated attack, not a guarantee: what the attacker believes after seeing something, and guesses.

    `guess` is whether presence is strictly the likelier hypothesis; an exact tie counts as absence.
    """

    prior: Interval
    posterior: Interval
    guess: bool
    label: str = SIMULATED
    adversary: str = BLOCK

    @property
    def risk(self) -> Interval:
        """Posterior over prior."""
        return ratio(self.posterior, self.prior)


@frozen
class Outlook:
    """A simulated attack, not a guarantee: what the attacker ends up with on average, the target being there or not.

    `correct` is the chance of a right guess: presence where the target is `present`, absence where not. The mean is over
    the noise given the truth. It is not an expectation under the attacker's own prior, and the risks of several releases
    do not multiply.
    """

    prior: Fraction
    posterior: Interval
    correct: Interval
    label: str = SIMULATED
    adversary: str = BLOCK
    present: bool = True

    @property
    def risk(self) -> Interval:
        """Mean posterior over prior."""
        return ratio(self.posterior, Interval.of(self.prior))


@frozen
class CountAttack:
    """A simulated attack, not a guarantee: is the target among the people that these noisy counts count?

    Definition: every count is `known` without the target and `known` + `step` with the target; presence has probability
    `prior` beforehand. The counts have independent noise and nothing else about them is unknown, so that the log-odds
    of presence are those of the prior plus the evidence of each count. Several counts are several levels of geography
    at which the attacker knows everyone else, several releases of one count, or several cells of a histogram.

    Guarantee: intervals contain the exact numbers of this model. The model is one attacker's: others may learn more.
    """

    prior: Fraction = field(
        converter=belief, metadata=fields.about("the attacker's probability that the target is counted, before any release")
    )
    counts: tuple[NoisyCount, ...] = field(
        converter=fields.several,
        validator=fields.each(NoisyCount),
        metadata=fields.about("the counts that are released"),
    )
    scenario: AttackScenario = field(default=ATTRIBUTE, metadata=fields.about("what the probability is about"))

    def belief(self, *released: int) -> Belief:
        """What the attacker believes once these numbers were released, one for each count."""
        return self._belief(Interval.of(self.prior), self._evidence(released))

    def sequence(self, *released: int) -> tuple[Belief, ...]:
        """The belief after each count in turn, its prior being the posterior before it; the risks multiply."""
        found: list[Belief] = []
        total, before = Fraction(0), Interval.of(self.prior)
        for count, number in zip(self.counts, self._checked(released), strict=True):
            total += count.evidence(number)
            found.append(self._belief(before, total))
            before = found[-1].posterior
        return tuple(found)

    def outlook(self, *, present: bool = True, errors: Sequence[int] | None = None) -> Outlook:
        """What the attacker ends up with on average when the target is there, or is not.

        `errors` says for each count how many more others it counts in truth than the attacker takes for known; none when
        left out. A guess is right where it is presence and the target is there, or absence, ties included, and not.
        """
        wrong = (0,) * len(self.counts) if errors is None else tuple(map(fields.whole, errors))
        if len(wrong) != len(self.counts):
            raise InvalidValue(f"the attack looks at {len(self.counts)} counts, got {len(wrong)} errors")
        # Evidence is linear in the noise, so that another truth moves it by a constant.
        pairs = zip(self.counts, wrong, strict=True)
        offset = sum(
            ((Fraction(count.step * (more - (0 if present else count.step))) / count.scale) for count, more in pairs),
            Fraction(0),
        )
        law = self._law.moved(offset)
        right = law.correct(self.prior)
        if not present:
            right = (1.0 - Ball.of(right)).interval(0.0, 1.0)
        return Outlook(self.prior, law.posterior(self.prior), right, present=present)

    def posterior_from(self, prior: Fraction) -> Interval:
        """The mean posterior of an attacker who believes otherwise beforehand; what the counts say is the same to all."""
        return self._law.posterior(prior)

    def threshold(self) -> int:
        """The smallest released number from which on the attacker guesses presence, for one count that the target raises.

        Definition: with m known others and step 1, m + floor(1/2 + scale log((1 - p)/p)) + 1; ties count as absence.
        """
        if len(self.counts) != 1 or self.counts[0].step < 0:
            raise InvalidValue("there is a threshold for a single count that the target raises; ask for beliefs instead")
        (count,) = self.counts
        odds = log_odds(self.prior)
        middle = 0.5 * (odds.lower + odds.upper)
        found = count.known + math.floor(count.step / 2 - float(count.scale) * middle / count.step) + 1
        while sign(self.prior, count.evidence(found)) <= 0:
            found += 1
        while sign(self.prior, count.evidence(found - 1)) > 0:
            found -= 1
        return found

    @cached_property
    def _law(self) -> CountEvidence:
        from accountant_posterior.attacks.evidence import CountEvidence

        return CountEvidence.of((count.scale, abs(count.step)) for count in self.counts)

    def _checked(self, released: tuple[int, ...]) -> tuple[int, ...]:
        if len(released) != len(self.counts):
            raise InvalidValue(f"the attack looks at {len(self.counts)} counts, got {len(released)} released numbers")
        return released

    def _evidence(self, released: tuple[int, ...]) -> Fraction:
        pairs = zip(self.counts, self._checked(released), strict=True)
        return sum((count.evidence(number) for count, number in pairs), Fraction(0))

    def _belief(self, before: Interval, evidence: Fraction) -> Belief:
        odds = log_odds(self.prior) + Interval.of(evidence)
        return Belief(before, posterior(odds), sign(self.prior, evidence) > 0)
