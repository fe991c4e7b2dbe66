"""What an attack evaluation is not, and what an attacker wants to know: one count attack answers several questions."""

from __future__ import annotations

from attrs import frozen

SIMULATED = "simulated attack, not a guarantee"
"""Said of every result here: one attacker with one method is followed, and a better one may learn more."""

BLOCK = "block"
"""The attacker who knows every record of the target's smallest area but the target's own."""


@frozen
class AttackScenario:
    """A question that a count attack answers: what the attacker knows, and what the probability is about.

    All of them have the same numbers. Only what the prior means differs.
    """

    name: str
    knows: str
    about: str


ATTRIBUTE = AttackScenario(
    "attribute", "every record of the area but the target's", "the target has the characteristics that are counted"
)
PARTICIPATION = AttackScenario("participation", "every record of the area, the target's among them", "the target took part")
HONESTY = AttackScenario(
    "honesty", "every record of the area, the target's among them", "the target reported the correct characteristics"
)
ONE_VARIABLE = AttackScenario(
    "one variable", "everything about the area except one variable of the target", "that variable has the counted value"
)
SCENARIOS = (ATTRIBUTE, PARTICIPATION, HONESTY, ONE_VARIABLE)
