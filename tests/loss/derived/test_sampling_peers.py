"""Epsilons of other accountants on samples, as they reported them: none contradicts ours, and no bound of ours is wider."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from accountant import Neighbours, PrivacyLoss
from accountant.loss import GaussianLoss, compose
from accountant.plugin import Relation
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant_builtin.samplings import Poisson, WithoutReplacement
from accountant_noise.laplace_loss import LaplaceLoss

DOCUMENT = json.loads((Path(__file__).parents[1] / "vectors" / "sampling.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = DOCUMENT["rows"]


def loss_of(row: dict[str, Any]) -> PrivacyLoss:
    """The loss as a plan would have it; a replaced record moves the answer twice as far as an absent one."""
    ratio = Fraction(row["ratio"])

    def gaussian(relation: Relation) -> PrivacyLoss:
        return GaussianLoss((ratio if relation == ADD_REMOVE else 2 * ratio) ** 2)

    if row["kind"] == "laplace":
        return Poisson(row["rate"]).loss(lambda relation: LaplaceLoss(ratio), Neighbours(ADD_REMOVE))
    if row["kind"] == "replaced":
        return Poisson(row["rate"]).loss(gaussian, Neighbours(REPLACE_ONE))
    drawn = WithoutReplacement(row["sample"], row["population"])
    return drawn.loss(lambda relation: GaussianLoss(ratio**2), Neighbours(REPLACE_ONE))


def label(row: dict[str, Any]) -> str:
    share = row.get("rate") or f"{row['sample']} of {row['population']}"
    return f"{row['peer']}: {row['count']} {row['kind']} {row['ratio']}, {share} at {row['delta']}"


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_what_a_peer_reports_does_not_contradict_ours(row: dict[str, Any]) -> None:
    whole = compose([(loss_of(row), row["count"])])
    both = [side.epsilon(row["delta"]) for side in {whole, whole.reverse()}]
    lower, upper = max(value.lower for value in both), max(value.upper for value in both)
    assert lower <= row["upper"]
    # What dp-accounting grants its grid and its truncation is a part in ten thousand.
    assert upper <= row["upper"] * (1.0 + 1e-4)
    if "lower" in row:
        assert row["lower"] <= upper
        assert upper - lower <= 2e-4 * upper


@pytest.mark.parametrize("row", [ROWS[0], ROWS[5], ROWS[7]], ids=label)
def test_another_count_would_not_meet_the_peer(row: dict[str, Any]) -> None:
    whole = compose([(loss_of(row), 2 * row["count"])])
    assert max(side.epsilon(row["delta"]).lower for side in {whole, whole.reverse()}) > row["upper"]


def test_peers_were_asked_in_the_versions_that_are_written_down() -> None:
    assert {"dp-accounting", "autodp"} <= DOCUMENT["versions"].keys()
    assert {(row["peer"], row["kind"]) for row in ROWS} >= {("dp-accounting", "replaced"), ("autodp", "fixed")}
