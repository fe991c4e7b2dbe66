"""What a reader may move: dials with their nodes, and how many times, how much noise and how many records are supposed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from accountant.report import Dial
from accountant_posterior.reports.view import View

LEVELS = (
    "0",
    "0.1",
    "0.2",
    "0.5",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "10",
    "13",
    "16",
    "20",
    "25",
    "30",
    "35",
    "40",
    "50",
    "60",
    "70",
    "80",
    "90",
    "100",
)
FAILURES = ("0", "0.0001", "0.01", "0.1", "0.5", "1", "2", "5", "10", "20", "50")
PRIORS = (
    "0",
    "0.1",
    "0.2",
    "0.5",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "13",
    "16",
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
    "93",
    "95",
    "97",
    "98",
    "99",
    "99.5",
    "99.8",
    "99.9",
    "100",
)
GAINS = tuple(
    Fraction(step, 100)
    for start, end, by in ((0, 200, 5), (200, 500, 10), (500, 1000, 25), (1000, 2000, 50), (2000, 4001, 100))
    for step in range(start, end, by)
)
"""Bounds on the log of a factor between odds, in increasing order. After the last comes no bound at all."""
_FEW = 4


def per_cent(node: str) -> Fraction:
    """A node of a dial as a share."""
    return Fraction(node) / 100


def gain_node(bound: float) -> int:
    """The first node that is not below a bound; after the last one where there is none."""
    return len(GAINS) if math.isinf(bound) else next((k for k, node in enumerate(GAINS) if node >= bound), len(GAINS))


def supposed(views: Sequence[View]) -> tuple[tuple[int, ...], tuple[Fraction, ...], tuple[int, ...]]:
    """How often everything is released, how much noise there is, how many records change together; fewer for many views."""
    noises = (Fraction(1, 2), Fraction(1), Fraction(2)) if _scalable(views[0]) else (Fraction(1),)
    return ((1, 4, 12), noises, (1, 3)) if len(views) <= _FEW else ((1, 4), noises, (1, 3))


def _scalable(view: View) -> bool:
    return any(release.mechanism.scaled(Fraction(2)) is not None for release in view.account.plan.releases)


DIALS = (
    Dial("prior", "Believed beforehand", PRIORS, "10", hint="How likely somebody thinks an answer before they look."),
    Dial(
        "failure",
        "Left to chance (failure, delta)",
        FAILURES,
        "5",
        said="except with a probability of {value}%",
        none="always",
        hint="How rarely a limit on beliefs may be passed. At 0 it holds always.",
    ),
    Dial("level", "False alarms of a test (level)", LEVELS, "5", hint="How often a test says yes though the answer is no."),
)
