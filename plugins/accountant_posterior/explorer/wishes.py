"""A risk profile that a reader draws: up to each prior a tolerated posterior, and the epsilon that keeps it."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.report import Wish
from accountant_posterior.explorer.axes import GAINS, per_cent
from accountant_posterior.reports.wording import number
from accountant_posterior.risk.bounds import largest_epsilon

PRIORS = ("1", "5", "10", "25", "50", "75", "90")
TOLERANCES = (
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "15",
    "20",
    "25",
    "30",
    "35",
    "40",
    "45",
    "50",
    "55",
    "60",
    "65",
    "70",
    "75",
    "80",
    "85",
    "90",
    "92",
    "94",
    "96",
    "97",
    "98",
    "99",
    "99.5",
    "100",
)
_START = ("5", "15", "25", "45", "70", "90", "97")
_WORDS = {
    "title": "Draw a risk profile, and see the epsilon",
    "about": "For whoever believed up to so much beforehand, how much may they believe afterwards? Of all beliefs "
    "up to a step the largest decides, so that the epsilon below holds for those between the steps too; beyond the last "
    "step nothing is asked.",
    "up_to": "Believed up to {prior}%: afterwards at most",
    "across": "believed beforehand",
    "up": "tolerated afterwards",
    "answer": "Pure differential privacy with an epsilon of {epsilon} keeps this profile; those who believe {prior}% "
    "decide it.",
    "none": "No epsilon keeps this profile: it asks that those who believe {prior}% believe less afterwards, whatever is "
    "released.",
    "anything": "This profile asks for nothing: any belief is tolerated.",
    "kept": "As set above, these releases keep it {failure}.",
    "unknown": "It is not shown that these releases, as set above, keep it {failure}: their limits here are wider.",
    "bets": "Not sure? Let bets decide",
    "bets_about": "Who believes 25% would stake 25 cents on a bet that pays a dollar. A few such questions find how far "
    "beliefs may move for you; the answers set the profile above.",
    "ask": "Ask me",
    "question": "Somebody would have staked {prior} cents beforehand that an answer about a person is right, to win a "
    "dollar. Is it acceptable to you if after the publication they would stake {tolerance} cents?",
    "accept": "Acceptable",
    "refuse": "Not acceptable",
    "done": "That is your profile; ask again to change it.",
}


def wish() -> Wish:
    """The steps and what each tolerance admits there, for the attacker who knows all other records."""
    texts: dict[str, int] = {"any": 0}
    epsilon, reach = [], []
    ordered: list[tuple[float, int, int]] = []
    for row, prior in enumerate(map(per_cent, PRIORS)):
        for column, tolerated in enumerate(map(per_cent, TOLERANCES)):
            if tolerated < prior:
                ordered.append((-1.0, row, column))
            elif tolerated == 1:
                ordered.append((math.inf, row, column))
            else:
                found = largest_epsilon(Fraction(1), prior, tolerated / prior, 1)
                ordered.append((found.lower, row, column))
    # Texts are numbered from what admits most to what admits least but "any", so that their numbers compare as epsilons do.
    finite = sorted({value for value, _, _ in ordered if 0.0 <= value < math.inf})
    for value in finite:
        texts.setdefault(str(number(value, 4, up=False)), len(texts))
    for value, _, _ in ordered:
        if value < 0.0:
            epsilon.append(1)
            reach.append(-1)
        elif math.isinf(value):
            epsilon.append(0)
            reach.append(len(GAINS))
        else:
            epsilon.append(texts[str(number(value, 4, up=False))])
            reach.append(max(k for k, gain in enumerate(GAINS) if gain <= value))
    start = tuple(TOLERANCES.index(tolerance) for tolerance in _START)
    return Wish(PRIORS, TOLERANCES, start, tuple(epsilon), tuple(reach), tuple(texts), "gain", _WORDS)
