"""Reports that are drawn for audits have the chances that enumeration gives."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from accountant.analysis.auditing.binomial import chance_at_least, chance_at_most
from accountant.plugin import Mechanism
from accountant_response import KRandomisedResponse, OptimisedUnaryEncoding, SubsetSelection, UnaryEncoding
from tests.plugins.response.enumeration import Law, bits, categories, subsets

RUNS, UNLIKELY = 100_000, 1e-10
ODDS, HALF = math.exp(0.8), math.exp(0.4)

SUBSETS: list[Law] = [
    {tuple(float(k in subset) for k in range(5)): chance for subset, chance in law.items()}  # type: ignore[operator]
    for law in subsets(5, 2, ODDS)
]
REPORTS: list[tuple[Mechanism, list[Law]]] = [
    (KRandomisedResponse(4, "0.8"), [{(float(k),): v for k, v in law.items()} for law in categories(4, ODDS)]),  # type: ignore[arg-type]
    (KRandomisedResponse(1, "0.8"), [{(0.0,): 1.0}]),
    (SubsetSelection(5, 2, "0.8"), SUBSETS),
    (SubsetSelection(2, 2, "0.8"), [{(1.0, 1.0): 1.0}] * 2),
    (UnaryEncoding("0.8"), bits(2, HALF / (HALF + 1), 1 / (HALF + 1))),
    (OptimisedUnaryEncoding("0.8"), bits(2, 0.5, 1 / (ODDS + 1))),
]


def misfits(mechanism: Mechanism, answer: int, law: Law) -> list[object]:
    """The reports whose frequency excludes their chance, and those that cannot happen."""
    answers = np.full((RUNS, 1), float(answer))
    outputs = mechanism.simulate(answers, np.random.default_rng(answer))  # type: ignore[attr-defined]
    seen = Counter(map(tuple, outputs.reshape(RUNS, -1).tolist()))
    wrong = [
        report
        for report, chance in law.items()
        if not chance_at_least(seen[report], RUNS, UNLIKELY) <= chance <= chance_at_most(seen[report], RUNS, UNLIKELY)  # type: ignore[index]
    ]
    return [*wrong, *(set(seen) - set(law))]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "laws"), REPORTS, ids=[str(mechanism) for mechanism, _ in REPORTS])
def test_reports_are_drawn_with_their_chances(mechanism: Mechanism, laws: list[Law]) -> None:
    for answer, law in enumerate(laws):
        assert misfits(mechanism, answer, law) == []


@pytest.mark.parametrize(("mechanism", "laws"), [REPORTS[k] for k in (0, 2, 5)], ids=["categories", "subsets", "bits"])
def test_several_answers_are_reported_side_by_side(mechanism: Mechanism, laws: list[Law]) -> None:
    """Each half of a row has the chances of its own answer."""
    answers = np.tile([1.0, 0.0], (RUNS, 1))
    outputs = mechanism.simulate(answers, np.random.default_rng(5)).reshape(RUNS, 2, -1)  # type: ignore[attr-defined]
    for half, answer in enumerate((1, 0)):
        seen = Counter(map(tuple, outputs[:, half].tolist()))
        for report, chance in laws[answer].items():
            count = seen[report]  # type: ignore[index]
            assert chance_at_least(count, RUNS, UNLIKELY) <= chance <= chance_at_most(count, RUNS, UNLIKELY)


def test_other_odds_are_noticed() -> None:
    assert misfits(SubsetSelection(5, 2, "1.1"), 0, SUBSETS[0]) != []
    assert misfits(OptimisedUnaryEncoding("1.1"), 0, REPORTS[5][1][0]) != []
