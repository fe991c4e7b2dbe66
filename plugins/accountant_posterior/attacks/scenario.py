"""What an attacker wants to know: the same count attack answers several questions."""

from __future__ import annotations

from attrs import frozen


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
