"""Writes selection_peers.json: what other libraries say of selections.

Run in an environment of its own: `pip install dp-accounting==0.6.0 autodp==0.2.3.1 opendp==0.16.0`, then
`python selection_peers.py`. None of them is imported by the tests.
"""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path

import opendp.prelude as dp
from autodp.mechanism_zoo import ExponentialMechanism
from autodp.transformer_zoo import Composition
from dp_accounting.pld import privacy_loss_distribution

CASES = (("1", 1), ("1", 10), ("0.1", 100), ("0.5", 20))
DELTA = 1e-6


def composed() -> list[dict[str, object]]:
    """Exponential mechanisms: an upper bound by concentration, and pairs with a common t by a discretised distribution."""
    rows: list[dict[str, object]] = []
    for epsilon, count in CASES:
        mechanism = Composition()([ExponentialMechanism(float(epsilon))], [count])
        row = {"epsilon": epsilon, "count": count, "autodp": float(mechanism.get_approxDP(DELTA))}
        row["fixed"] = max(fixed(float(epsilon), count, place / 64) for place in range(1, 64))
        rows.append(row)
    return rows


def fixed(epsilon: float, count: int, share: float) -> float:
    """The epsilon of selections that all have the losses t and t - epsilon, t a share of epsilon."""
    t = share * epsilon
    p = math.expm1(t - epsilon) / math.expm1(-epsilon)
    first, second = {0: math.log(p), 1: math.log1p(-p)}, {0: math.log(p) - t, 1: math.log1p(-p) - t + epsilon}
    distribution = privacy_loss_distribution.from_two_probability_mass_functions(
        second, first, pessimistic_estimate=False, value_discretization_interval=1e-5
    )
    return float(distribution.self_compose(count).get_epsilon_for_delta(DELTA))


def noisy_max() -> list[dict[str, object]]:
    """Report noisy max with exponential noise (pure) and Gumbel noise (concentrated), on scores that move by 1 and 3."""
    dp.enable_features("contrib")
    rows: list[dict[str, object]] = []
    for monotone in (False, True):
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(monotonic=monotone, T=int)
        for measure, noise in ((dp.max_divergence(), "exponential"), (dp.zero_concentrated_divergence(), "gumbel")):
            mechanism = dp.m.make_noisy_max(*space, measure, scale=2.0)
            for move in (1, 3):
                value = mechanism.map(move)
                rows.append({"monotone": monotone, "noise": noise, "scale": "2", "move": move, "value": value})
    return rows


if __name__ == "__main__":
    peers = {name: version(name) for name in ("dp-accounting", "autodp", "opendp")}
    data = {"versions": peers, "delta": "1e-6", "composed": composed(), "noisy_max": noisy_max()}
    Path(__file__).with_suffix(".json").write_text(json.dumps(data, indent=2) + "\n")
