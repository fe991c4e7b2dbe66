"""Writes peers.json: epsilons as other accountants report them.

Run it in an environment of its own that has dp-accounting and prv-accountant, with this directory as working directory:

    python make_peer_vectors.py

Each row names releases, a delta, and the interval that the peer stands by. dp-accounting gives a pessimistic and an
optimistic privacy loss distribution for a pair; prv-accountant gives a lower and an upper bound, and its own errors
(eps_error, delta_error) are part of the row. Both take the worse of the two directions of add-or-remove.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from typing import Any

from dp_accounting.pld import privacy_loss_distribution as pld
from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

STEP = 1e-4
EPS_ERROR, DELTA_FACTOR = 0.01, 1e-3

SAMPLED = [
    ("1", "0.01", 1000, "1e-5"),
    ("1", "0.01", 1000, "1e-8"),
    ("1", "0.001", 10000, "1e-6"),
    ("0.8", "0.02", 500, "1e-5"),
    ("2", "0.1", 300, "1e-6"),
    ("0.5", "0.001", 200, "1e-5"),
    ("4", "0.2", 1000, "1e-7"),
    ("1.5", "0.004", 5000, "1e-8"),
]
MIXES: list[tuple[list[dict[str, Any]], str]] = [
    ([{"kind": "laplace", "scale": "2", "count": 20}], "1e-5"),
    ([{"kind": "laplace", "scale": "10", "count": 400}], "1e-8"),
    ([{"kind": "laplace", "scale": "1", "count": 3}, {"kind": "gaussian", "sigma": "3", "count": 4}], "1e-6"),
    ([{"kind": "gaussian", "sigma": "5", "count": 30}], "1e-5"),
    ([{"kind": "discrete gaussian", "sigma": "3", "count": 10}], "1e-5"),
    ([{"kind": "discrete gaussian", "sigma": "10", "count": 50}, {"kind": "laplace", "scale": "5", "count": 6}], "1e-6"),
    (
        [
            {"kind": "discrete gaussian", "sigma": "2", "count": 3},
            {"kind": "laplace", "scale": "4", "count": 5},
            {"kind": "gaussian", "sigma": "4", "count": 5},
        ],
        "1e-7",
    ),
    ([{"kind": "laplace", "scale": "3", "move": "2", "count": 10}], "1e-6"),
    ([{"kind": "geometric", "scale": "2", "count": 20}], "1e-5"),
    ([{"kind": "geometric", "scale": "5", "move": "3", "count": 1}], "1e-3"),
    ([{"kind": "geometric", "scale": "5", "move": "3", "count": 30}], "1e-6"),
    ([{"kind": "geometric", "scale": "40", "move": "100", "count": 4}], "1e-8"),
    ([{"kind": "discrete gaussian", "sigma": "2", "move": "3", "count": 2}], "1e-6"),
    ([{"kind": "discrete gaussian", "sigma": "20", "move": "5", "count": 40}], "1e-8"),
    (
        [
            {"kind": "geometric", "scale": "8", "move": "4", "count": 6},
            {"kind": "discrete gaussian", "sigma": "6", "move": "2", "count": 5},
            {"kind": "laplace", "scale": "9", "move": "2", "count": 3},
        ],
        "1e-7",
    ),
    (
        [{"kind": "sampled", "sigma": "1", "rate": "0.01", "count": 500}, {"kind": "laplace", "scale": "8", "count": 4}],
        "1e-5",
    ),
    (
        [{"kind": "sampled", "sigma": "2", "rate": "0.05", "count": 200}, {"kind": "gaussian", "sigma": "6", "count": 2}],
        "1e-6",
    ),
]


def distribution(part: dict[str, Any], pessimistic: bool) -> Any:
    options: dict[str, Any] = {"value_discretization_interval": STEP, "pessimistic_estimate": pessimistic}
    move = int(part.get("move", "1"))
    if part["kind"] == "laplace":
        single = pld.from_laplace_mechanism(float(part["scale"]), sensitivity=move, **options)
    elif part["kind"] == "geometric":
        # The peer's parameter is what this calls 1/scale.
        single = pld.from_discrete_laplace_mechanism(1.0 / float(part["scale"]), sensitivity=move, **options)
    elif part["kind"] == "gaussian":
        single = pld.from_gaussian_mechanism(float(part["sigma"]), **options)
    elif part["kind"] == "discrete gaussian":
        single = pld.from_discrete_gaussian_mechanism(float(part["sigma"]), sensitivity=move, **options)
    else:
        single = pld.from_gaussian_mechanism(float(part["sigma"]), sampling_prob=float(part["rate"]), **options)
    return single.self_compose(part["count"]) if part["count"] > 1 else single


def by_distributions(parts: list[dict[str, Any]], delta: str) -> dict[str, Any]:
    ends = []
    for pessimistic in (False, True):
        whole = distribution(parts[0], pessimistic)
        for part in parts[1:]:
            whole = whole.compose(distribution(part, pessimistic))
        ends.append(whole.get_epsilon_for_delta(float(delta)))
    return {"peer": "dp-accounting", "parts": parts, "delta": delta, "lower": ends[0], "upper": ends[1]}


def by_variables(sigma: str, rate: str, count: int, delta: str) -> dict[str, Any]:
    accountant = PRVAccountant(
        prvs=PoissonSubsampledGaussianMechanism(sampling_probability=float(rate), noise_multiplier=float(sigma)),
        max_self_compositions=count,
        eps_error=EPS_ERROR,
        delta_error=DELTA_FACTOR * float(delta),
    )
    low, _, high = accountant.compute_epsilon(delta=float(delta), num_self_compositions=count)
    parts = [{"kind": "sampled", "sigma": sigma, "rate": rate, "count": count}]
    return {"peer": "prv-accountant", "parts": parts, "delta": delta, "lower": float(low), "upper": float(high)}


def rows() -> list[dict[str, Any]]:
    found = []
    for sigma, rate, count, delta in SAMPLED:
        found.append(by_distributions([{"kind": "sampled", "sigma": sigma, "rate": rate, "count": count}], delta))
        found.append(by_variables(sigma, rate, count, delta))
    found += [by_distributions(parts, delta) for parts, delta in MIXES]
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    document = {
        "versions": {name: version(name) for name in ("dp-accounting", "prv-accountant", "numpy", "scipy")},
        "settings": {"step": STEP, "eps_error": EPS_ERROR, "delta_error": DELTA_FACTOR},
        "rows": rows(),
    }
    with open("peers.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
