"""Writes response_peers.json: what other programs say of randomised responses and of shuffled reports.

Run it in an environment of its own that has dp-accounting, with this directory as working directory, and the file
unifiedamplification.py of github.com/wangsw/PrivacyAmplification on the path:

    PYTHONPATH=/path/to/PrivacyAmplification python make_response_vectors.py

Responses: epsilons of dp-accounting's privacy loss distributions, an optimistic and a pessimistic one, and what its
accountant says of an event that is composed with itself. Shuffles: epsilons that the other program finds for its "strong
clone" parameters, by bisection from below and from above, and a delta for those of randomised response over categories.
"""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from typing import Any

from dp_accounting import dp_event
from dp_accounting.pld import pld_privacy_accountant, privacy_loss_distribution as pld
from dp_accounting.privacy_accountant import NeighboringRelation
from unifiedamplification import Delta, amplificationLBCore, amplificationUBCore

STEP = 1e-4
BISECTIONS = 40

RESPONSES = [
    (2, "1", 1, "1e-6"),
    (2, "0.5", 40, "1e-6"),
    (3, "1", 10, "1e-5"),
    (10, "2", 5, "1e-6"),
    (100, "1", 200, "1e-8"),
    (1000, "5", 3, "1e-6"),
]
SHUFFLES = [
    ("1", 100, "1e-4"),
    ("0.1", 1000, "1e-6"),
    ("1", 10000, "1e-6"),
    ("3", 10000, "1e-6"),
    ("5", 10000, "1e-8"),
    ("2", 100000, "1e-6"),
]


def response(categories: int, epsilon: str, count: int, delta: str) -> dict[str, Any]:
    noise = categories / (math.exp(float(epsilon)) + categories - 1)
    ends = []
    for pessimistic in (False, True):
        single = pld.from_randomized_response(noise, categories, pessimistic, STEP)
        ends.append(single.self_compose(count).get_epsilon_for_delta(float(delta)))
    row = {"categories": categories, "epsilon": epsilon, "count": count, "delta": delta}
    return {**row, "lower": ends[0], "upper": ends[1]}


def composed_event() -> dict[str, Any]:
    """Ten responses that are kept with odds 3 to 1, as one event."""
    event = dp_event.SelfComposedDpEvent(dp_event.RandomizedResponseDpEvent(0.5, 2), 10)
    accountant = pld_privacy_accountant.PLDAccountant(NeighboringRelation.REPLACE_ONE)
    accountant.compose(event)
    return {"odds": 3, "count": 10, "delta": "1e-6", "epsilon": accountant.get_epsilon(1e-6)}


def shuffle(epsilon: str, reports: int, delta: str) -> dict[str, Any]:
    odds = math.exp(float(epsilon))
    rate = 1.0 / (odds + 1.0)
    ends = [
        float(bound(odds, rate, rate, rate, reports, float(delta), BISECTIONS))
        for bound in (amplificationLBCore, amplificationUBCore)
    ]
    return {"epsilon": epsilon, "reports": reports, "delta": delta, "lower": ends[0], "upper": ends[1]}


def refined(odds: int, categories: int, reports: int, ratio: float) -> dict[str, Any]:
    """Delta at e^epsilon = ratio, for reports that are known to be randomised responses."""
    rate = 1.0 / (odds + categories - 1.0)
    found = float(Delta(math.log(ratio), rate, rate, rate, reports, float(odds)))
    return {"odds": odds, "categories": categories, "reports": reports, "ratio": ratio, "delta": found}


if __name__ == "__main__":
    document = {
        "versions": {name: version(name) for name in ("dp-accounting", "numpy", "scipy")},
        "responses": [response(*row) for row in RESPONSES],
        "composed_event": composed_event(),
        "shuffles": [shuffle(*row) for row in SHUFFLES],
        "refined": refined(3, 3, 2, 2.5),
    }
    with open("response_peers.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
