"""What other programs say of randomised responses and of shuffled reports, and where they are wrong."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from accountant import account, read_plan
from accountant.loss import compose
from accountant.plugin import Shift
from accountant_response import KRandomisedResponse, Shuffle
from tests.plugins.response.enumeration import categories, delta, pair, shuffled

DOCUMENT = json.loads((Path(__file__).parent / "vectors" / "response_peers.json").read_text(encoding="utf-8"))
ONE = Shift.along([1])


def label(row: dict[str, Any]) -> str:
    return " ".join(f"{name} {value}" for name, value in row.items() if name not in ("lower", "upper"))


@pytest.mark.parametrize("row", DOCUMENT["responses"], ids=label)
def test_the_interval_of_the_peer_meets_ours(row: dict[str, Any]) -> None:
    loss = KRandomisedResponse(row["categories"], row["epsilon"]).loss(ONE)
    found = compose([(loss, row["count"])]).epsilon(row["delta"])
    assert found.lower <= row["upper"]
    assert row["lower"] <= found.upper
    assert found.width <= 1e-6 * found.upper


@pytest.mark.parametrize("row", DOCUMENT["responses"][1:4], ids=label)
def test_another_number_of_categories_would_not_meet_the_peer(row: dict[str, Any]) -> None:
    loss = KRandomisedResponse(row["categories"] + 1, row["epsilon"]).loss(ONE)
    assert compose([(loss, row["count"])]).epsilon(row["delta"]).upper < row["lower"]


def test_ten_responses_are_not_one() -> None:
    """The peer's accountant forgets the count of an event that is composed with itself."""
    row = DOCUMENT["composed_event"]
    with mpmath.workdps(40):
        kept, count = mpmath.mpf(row["odds"]) / (row["odds"] + 1), row["count"]

        def gain(epsilon: mpmath.mpf) -> mpmath.mpf:
            return mpmath.fsum(
                mpmath.binomial(count, k)
                * kept**k
                * (1 - kept) ** (count - k)
                * max(0, 1 - mpmath.exp(epsilon) * mpmath.mpf(row["odds"]) ** (count - 2 * k))
                for k in range(count + 1)
            ) - mpmath.mpf(row["delta"])

        truth = float(mpmath.findroot(gain, (10.9, 10.98), solver="anderson"))
        epsilon = mpmath.nstr(mpmath.log(row["odds"]), 17)
    assert row["epsilon"] == pytest.approx(1.0987, abs=1e-4)
    assert truth == pytest.approx(10.987, abs=1.5e-3)
    plan = {
        "specification": {"neighbours": "replace-one"},
        "release": [
            {"name": "ten", "mechanism": {"kind": "randomised-response", "epsilon": epsilon}, "times": count},
        ],
    }
    found = account(read_plan(plan)).measure("approx", delta=row["delta"]).value
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    assert found.lower > 9 * row["epsilon"]


@pytest.mark.parametrize("row", DOCUMENT["shuffles"], ids=label)
def test_the_upper_end_of_a_shuffle_is_what_the_peer_finds(row: dict[str, Any]) -> None:
    found = Shuffle(row["epsilon"], row["reports"]).loss(ONE).dominating().epsilon(row["delta"])
    assert row["lower"] <= found.upper <= row["upper"] * (1 + 3e-5)


def covered(row: dict[str, Any]) -> bool:
    """Whether epsilon is small enough for the formula below."""
    return float(row["epsilon"]) <= math.log(row["reports"] / (16 * math.log(2 / float(row["delta"]))))


@pytest.mark.parametrize("row", [row for row in DOCUMENT["shuffles"] if covered(row)], ids=label)
def test_a_formula_from_the_literature_is_never_below_ours(row: dict[str, Any]) -> None:
    """Theorem 3.1 of Feldman, McMillan and Talwar 2021."""
    epsilon, reports, target = mpmath.mpf(row["epsilon"]), row["reports"], mpmath.mpf(row["delta"])
    odds = mpmath.exp(epsilon)
    spread = 8 * mpmath.sqrt(odds * mpmath.log(4 / target) / reports) + 8 * odds / reports
    formula = mpmath.log(1 + (odds - 1) / (odds + 1) * spread)
    assert Shuffle(row["epsilon"], reports).loss(ONE).dominating().epsilon(row["delta"]).upper < formula


def test_a_refinement_that_a_peer_offers_is_too_small() -> None:
    """Two reports over three categories, the other one of the first category: three times what the peer says."""
    row = DOCUMENT["refined"]
    rows = categories(row["categories"], Fraction(row["odds"]))
    found = pair(*(shuffled([own, rows[0]]) for own in rows[:2]))
    truth = delta(found, Fraction(row["ratio"]))
    assert truth == Fraction(3, 50)
    assert row["delta"] == pytest.approx(1 / 50, abs=1e-9)


def test_peers_were_asked_in_the_versions_that_are_written_down() -> None:
    assert {"dp-accounting", "numpy", "scipy"} == DOCUMENT["versions"].keys()
    assert len(DOCUMENT["responses"]) == len(DOCUMENT["shuffles"]) == 6
