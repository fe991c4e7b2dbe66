"""Writes sampling.json: epsilons of releases on samples, as other accountants report them.

Run it in an environment of its own that has dp-accounting and autodp, with this directory as working directory:

    python make_sampling_vectors.py

Rows of dp-accounting's privacy loss distributions have a pessimistic and an optimistic end, which they stand by. Moment
accountants only bound epsilon from above, so their rows have no lower end. For samples without replacement `ratio` is how
far the answer moves when a record is replaced, in standard deviations; for Poisson samples how far one record moves it.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from importlib.metadata import version
from typing import Any

from autodp.mechanism_zoo import GaussianMechanism
from autodp.transformer_zoo import AmplificationBySampling, Composition
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.rdp import RdpAccountant

STEP = 1e-4

LAPLACE = [
    ("1", "0.01", 100, "1e-6"),
    ("1", "0.01", 5000, "1e-6"),
    ("1/2", "0.1", 300, "1e-5"),
    ("2", "0.05", 50, "1e-8"),
    ("1/4", "0.3", 2000, "1e-6"),
]
REPLACED = [
    ("1", "0.01", 1000, "1e-5"),
    ("1", "0.01", 10, "1e-6"),
    ("1/2", "0.1", 300, "1e-6"),
    ("2", "0.001", 2000, "1e-6"),
    ("1/4", "0.02", 10000, "1e-8"),
    ("1", "0.6", 3, "1e-5"),
]
FIXED = [
    ("1", 10, 1000, 1000, "1e-5"),
    ("1/2", 100, 1000, 300, "1e-6"),
    ("2", 20, 1000, 500, "1e-6"),
    ("1", 1, 100, 10000, "1e-6"),
]


def number(text: str) -> float:
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


def by_distributions(kind: str, ratio: str, rate: str, count: int, delta: str) -> dict[str, Any]:
    ends = []
    for pessimistic in (False, True):
        options: dict[str, Any] = {
            "value_discretization_interval": STEP,
            "pessimistic_estimate": pessimistic,
            "sampling_prob": float(rate),
        }
        if kind == "laplace":
            single = pld.from_laplace_mechanism(1.0 / number(ratio), **options)
        else:
            relation = NeighboringRelation.REPLACE_ONE
            single = pld.from_gaussian_mechanism(1.0 / number(ratio), neighboring_relation=relation, **options)
        ends.append(single.self_compose(count).get_epsilon_for_delta(float(delta)))
    stated = {"kind": kind, "ratio": ratio, "rate": rate, "count": count, "delta": delta}
    return {"peer": "dp-accounting", **stated, "lower": ends[0], "upper": ends[1]}


def by_moments(ratio: str, sample: int, population: int, count: int, delta: str) -> list[dict[str, Any]]:
    accountant = RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)
    single = dp_event.GaussianDpEvent(1.0 / number(ratio))
    accountant.compose(dp_event.SampledWithoutReplacementDpEvent(population, sample, single), count)
    mechanism = GaussianMechanism(1.0 / number(ratio), name="noise")
    mechanism.neighboring = "replace_one"
    sampled = AmplificationBySampling(PoissonSampling=False)(mechanism, sample / population, improved_bound_flag=True)
    whole = Composition()([sampled], [count])
    found = {
        "dp-accounting": accountant.get_epsilon(float(delta)),
        "autodp": whole.get_approxDP(float(delta)),
    }
    stated = {"kind": "fixed", "ratio": ratio, "sample": sample, "population": population, "count": count, "delta": delta}
    return [{"peer": peer, **stated, "upper": float(value)} for peer, value in found.items()]


def rows() -> list[dict[str, Any]]:
    found = [by_distributions("laplace", *row) for row in LAPLACE]
    found += [by_distributions("replaced", *row) for row in REPLACED]
    for row in FIXED:
        found += by_moments(*row)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        measured = rows()
    document = {
        "versions": {name: version(name) for name in ("dp-accounting", "autodp", "numpy", "scipy")},
        "settings": {"step": STEP},
        "rows": measured,
    }
    with open("sampling.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
