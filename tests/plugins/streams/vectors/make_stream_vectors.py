"""Writes streams.json: sensitivities and epsilons of streams as other libraries report them.

Run it in an environment of its own that has jax-privacy and dp-accounting, with the file privacy.py of
github.com/google-research/DP-FTRL (commit 513500a8) on the path and this directory as working directory:

    PYTHONPATH=DP-FTRL python make_stream_vectors.py

Strategies are written down as decimals, and the peers get the doubles next to them.
"""

from __future__ import annotations

import json
import math
import random
from importlib.metadata import version
from typing import Any

import dp_accounting
import jax
import numpy as np
from dp_accounting.rdp import RdpAccountant
from jax_privacy.matrix_factorization import sensitivity
from privacy import compute_epsilon_tree, get_total_sensitivity_sq_same_order

Rows = list[list[str]]
DELTA = "1e-5"


def toeplitz(coefficients: list[str], steps: int) -> Rows:
    bands = len(coefficients)
    return [[coefficients[i - j] if 0 <= i - j < bands else "0" for j in range(steps)] for i in range(steps)]


def square_root(bands: int) -> list[str]:
    return [f"{math.comb(2 * k, k) / 4**k:.6f}" for k in range(bands)]


def strategies() -> dict[str, Rows]:
    rng = random.Random(1)
    drawn = [[f"{rng.random():.3f}" if j <= i else "0" for j in range(24)] for i in range(24)]
    signed = [[f"{rng.uniform(-1, 1):.3f}" if j <= i else "0" for j in range(24)] for i in range(24)]
    return {
        "prefix sums": toeplitz(["1"] * 24, 24),
        "square root": toeplitz(square_root(24), 24),
        "square root of 6 bands": toeplitz(square_root(6), 24),
        "drawn": drawn,
        "drawn with signs": signed,
    }


def matrix_rows(name: str, rows: Rows) -> list[dict[str, Any]]:
    matrix = np.array([[float(entry) for entry in row] for row in rows])
    found: list[tuple[str, int, int, float]] = [("one", 1, 1, float(sensitivity.single_participation_sensitivity(matrix)))]
    for participations, separation in ((2, 1), (3, 4), (4, 6), (6, 4), (3, 8)):
        bound = sensitivity.get_min_sep_sensitivity_upper_bound(matrix, separation, participations)
        found.append(("upper", participations, separation, bound))
        if name == "square root of 6 bands" and separation >= 6:
            exact = sensitivity.get_sensitivity_banded(matrix, separation, participations)
            found.append(("banded", participations, separation, exact))
        if participations * separation == len(rows):
            epochs = sensitivity.fixed_epoch_sensitivity(matrix, participations)
            found.append(("epochs", participations, separation, epochs))
    return [
        {"strategy": name, "what": what, "participations": k, "separation": b, "sensitivity": float(value)}
        for what, k, b, value in found
    ]


def tree_orders(leaves: int, sigma: str) -> dict[str, Any]:
    relation = dp_accounting.NeighboringRelation.REPLACE_SPECIAL
    accountant = RdpAccountant(orders=[2, 17], neighboring_relation=relation)
    accountant.compose(dp_accounting.SingleEpochTreeAggregationDpEvent(float(sigma), leaves))
    return {"leaves": leaves, "sigma": sigma, "renyi": {"2": float(accountant._rdp[0]), "17": float(accountant._rdp[1])}}


def tree_epochs(steps: int, epochs: int) -> dict[str, Any]:
    squared = get_total_sensitivity_sq_same_order(steps, epochs, 0)[0]
    return {"steps": steps, "epochs": epochs, "squared": squared}


def tree_epsilon(steps: int, epochs: int, sigma: str) -> dict[str, Any]:
    epsilon = compute_epsilon_tree(steps, [epochs], float(sigma), float(DELTA), False, verbose=False)
    return {"steps": steps, "epochs": epochs, "sigma": sigma, "delta": DELTA, "epsilon": float(epsilon)}


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    given = strategies()
    document = {
        "versions": {name: version(name) for name in ("jax-privacy", "dp-accounting", "jax", "numpy")},
        "strategies": given,
        "matrices": [row for name, rows in given.items() for row in matrix_rows(name, rows)],
        "orders": [
            tree_orders(leaves, sigma) for leaves, sigma in ((1, "2"), (2, "2"), (1000, "5"), (1024, "5"), (1500, "7"))
        ],
        "epochs": [
            tree_epochs(steps, epochs)
            for steps, epochs in ((1, 7), (2, 4), (3, 5), (3, 11), (7, 6), (10, 10), (16, 8), (100, 20), (63, 40))
        ],
        "epsilons": [tree_epsilon(*row) for row in ((100, 20, "46.3"), (64, 8, "30"), (500, 2, "10"))],
    }
    with open("streams.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
