"""The three odds of a secret: before anything is published, given what is public, and after a release."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from attrs import frozen

from accountant import InvalidValue
from accountant.finite import FiniteMechanism
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.public_variable import PublicVariable
from accountant_pufferfish.setting.secret import Secret


@frozen
class Odds:
    """The probability of a secret before anything is published, given what is public, and after a release.

    A promise relative to what is public bounds the last step only: what the public variable says about the secret by itself
    is in no budget.
    """

    secret: str
    before: Fraction
    given: Fraction
    after: Fraction

    @property
    def by_public(self) -> Fraction | None:
        """By what the public variable multiplied the odds of the secret; None: infinite."""
        return _factor(self.before, self.given)

    @property
    def by_release(self) -> Fraction | None:
        """By what the release multiplied the odds of the secret; None: infinite."""
        return _factor(self.given, self.after)

    @property
    def together(self) -> Fraction | None:
        """By what both multiplied the odds of the secret; None: infinite."""
        return _factor(self.before, self.after)

    def __str__(self) -> str:
        return f"P({self.secret}): {self.before} before, {self.given} given what is public, {self.after} after the release"


def three_odds(
    secret: Secret,
    scenario: Law,
    public: PublicVariable,
    value: Hashable,
    mechanism: FiniteMechanism,
    output: Hashable,
) -> Odds:
    """What a scenario believes of a secret, step by step, by Bayes' rule."""
    known = public.given(value, scenario)
    weights = {dataset: mass * mechanism.law(dataset).get(output, Fraction(0)) for dataset, mass in known.items()}
    if not any(weights.values()):
        raise InvalidValue(f"the output {output!r} is impossible under this scenario given {public.name} = {value!r}")
    chances = (law.probability(secret) for law in (scenario, known, Law.weighted(weights)))
    return Odds(secret.name, *chances)


def _factor(before: Fraction, after: Fraction) -> Fraction | None:
    if before in (0, 1):
        return Fraction(1)
    if after == 1:
        return None
    return after / (1 - after) / (before / (1 - before))
