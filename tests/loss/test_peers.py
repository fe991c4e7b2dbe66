"""Epsilons of other accountants, as they reported them: every interval of theirs meets ours."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp
import pytest

from accountant.loss import GaussianLoss, PrivacyLoss, SampledLoss, compose
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss

DOCUMENT = json.loads((Path(__file__).parent / "vectors" / "peers.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = DOCUMENT["rows"]

PEER_ROUNDING = 1e-9
"""What peers leave out: their ends answer for discretisation, and not for rounding. A test shows that it is theirs."""


def loss_of(part: dict[str, Any]) -> PrivacyLoss:
    move = int(part.get("move", "1"))
    if part["kind"] == "laplace":
        return LaplaceLoss(move / Fraction(part["scale"]))
    if part["kind"] == "geometric":
        return GeometricLoss(1 / Fraction(part["scale"]), move)
    square = Fraction(part["sigma"]) ** 2
    if part["kind"] == "discrete gaussian":
        return DiscreteGaussianLoss(square, move)
    return GaussianLoss(1 / square) if part["kind"] == "gaussian" else SampledLoss(GaussianLoss(1 / square), part["rate"])


def label(row: dict[str, Any]) -> str:
    parts = (
        " ".join(str(part[name]) for name in ("count", "kind", "sigma", "scale", "rate", "move") if name in part)
        for part in row["parts"]
    )
    return f"{row['peer']}: {', '.join(parts)} at {row['delta']}"


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_the_interval_of_a_peer_meets_ours(row: dict[str, Any]) -> None:
    forward = compose([(loss_of(part), part["count"]) for part in row["parts"]])
    both = [forward.epsilon(row["delta"]), forward.reverse().epsilon(row["delta"])]
    lower, upper = max(value.lower for value in both), max(value.upper for value in both)
    assert lower <= row["upper"] * (1.0 + PEER_ROUNDING)
    assert row["lower"] * (1.0 - PEER_ROUNDING) <= upper
    assert upper - lower <= 1e-3 * upper


def test_peers_were_asked_in_the_versions_that_are_written_down() -> None:
    assert {"dp-accounting", "prv-accountant"} <= DOCUMENT["versions"].keys()
    assert {row["peer"] for row in ROWS} == {"dp-accounting", "prv-accountant"}
    assert len(ROWS) >= 25


@pytest.mark.parametrize("row", ROWS[:4], ids=label)
def test_another_count_would_not_meet_the_peer(row: dict[str, Any]) -> None:
    forward = compose([(loss_of(part), 2 * part["count"]) for part in row["parts"]])
    assert forward.epsilon(row["delta"]).lower > row["upper"]


def test_where_the_lower_end_of_a_peer_lies_above_our_upper_end_enumeration_is_with_us() -> None:
    """Two discrete Gaussians of sigma 2 that move by 3, all pairs of outcomes up to 60, at delta 1e-6."""
    sums: dict[int, mp.mpf] = defaultdict(mp.mpf)
    with mp.workdps(40):
        weights = {k: mp.exp(-mp.mpf(k * k) / 8) for k in range(-60, 61)}
        whole = mp.fsum(weights.values())
        for one, mass in weights.items():
            for other, more in weights.items():
                # At k + 3 the loss is (6 k + 9)/8.
                sums[one + other] += mass * more / whole**2

        def excess(epsilon: mp.mpf) -> mp.mpf:
            losses = {k: mp.mpf(6 * k + 18) / 8 for k in sums}
            gains = (mass * (1 - mp.exp(epsilon - losses[k])) for k, mass in sums.items() if losses[k] > epsilon)
            return mp.fsum(gains) - mp.mpf(10) ** -6

        truth = mp.findroot(excess, (11, 12), solver="anderson")
        row = next(row for row in ROWS if label(row) == "dp-accounting: 2 discrete gaussian 2 3 at 1e-6")
        ours = compose([(loss_of(part), part["count"]) for part in row["parts"]]).epsilon(row["delta"])
        assert ours.lower <= truth <= ours.upper < row["lower"]
