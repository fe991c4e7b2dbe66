"""Histories of dp-accounting, Opacus and OpenDP, as these libraries write them, and what they say of them themselves.

Run with all on the path, `python -m tests.plugins.bridges.peers` prints them as JSON, which is kept in `peers.json`.
Where the peers are, their live objects are read too, and must be the same plans as what they write.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import accountant as ac

DELTA = 1e-5
RELATIONS = {"ADD_OR_REMOVE_ONE": "add-remove", "REPLACE_ONE": "replace-one"}


def events() -> Iterator[tuple[str, str, Any]]:
    """Events of many kinds, by a name, with the neighbours that they are asked between."""
    import dp_accounting as dp  # type: ignore[import-not-found]

    gaussian, laplace = dp.GaussianDpEvent(2.0), dp.LaplaceDpEvent(4.0)
    step = dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.1))
    training = dp.SelfComposedDpEvent(step, 10_000)
    yield "training", "ADD_OR_REMOVE_ONE", training
    yield "training, replaced", "REPLACE_ONE", training
    later = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.02, dp.GaussianDpEvent(1.4)), 500)
    yield "two phases", "ADD_OR_REMOVE_ONE", dp.ComposedDpEvent([dp.SelfComposedDpEvent(step, 400), later])
    yield "Gaussian", "ADD_OR_REMOVE_ONE", dp.SelfComposedDpEvent(dp.SelfComposedDpEvent(gaussian, 2), 5)
    yield "Gaussian, replaced", "REPLACE_ONE", gaussian
    yield "Laplace", "ADD_OR_REMOVE_ONE", dp.SelfComposedDpEvent(laplace, 3)
    yield "Laplace on a sample", "ADD_OR_REMOVE_ONE", dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.3, laplace), 3)
    yield "discrete Laplace", "ADD_OR_REMOVE_ONE", dp.SelfComposedDpEvent(dp.dp_event.DiscreteLaplaceDpEvent(0.25, 2), 2)
    yield "randomised response", "REPLACE_ONE", dp.RandomizedResponseDpEvent(0.5, 4)
    yield "ten randomised responses", "REPLACE_ONE", dp.SelfComposedDpEvent(dp.RandomizedResponseDpEvent(0.5, 4), 10)
    yield "four on one sample", "ADD_OR_REMOVE_ONE", dp.PoissonSampledDpEvent(0.1, dp.SelfComposedDpEvent(gaussian, 4))
    yield "a fixed size", "REPLACE_ONE", dp.SampledWithoutReplacementDpEvent(1000, 10, gaussian)
    yield "stated", "ADD_OR_REMOVE_ONE", dp.ComposedDpEvent([dp.ZCDpEvent(0.05), gaussian, dp.NoOpDpEvent()])


def dp_accounting() -> Iterator[dict[str, Any]]:
    """What dp-accounting writes and says."""
    import dp_accounting as dp
    from dp_accounting.pld import PLDAccountant  # type: ignore[import-not-found]
    from dp_accounting.rdp import RdpAccountant  # type: ignore[import-not-found]

    for name, relation, event in events():
        says: dict[str, float] = {}
        for word, cls in (("pld", PLDAccountant), ("rdp", RdpAccountant)):
            made = cls(neighboring_relation=dp.NeighboringRelation[relation])
            if made.supports(event):
                says[word] = float(made.compose(event).get_epsilon(DELTA))
                # What an accountant composed says its neighbours itself.
                composed = ac.read_history("dp-accounting", made)
                assert composed.plan.specification.neighbours.relation.name == RELATIONS[relation]
                assert released(composed) == released(
                    ac.read_history("dp-accounting", event, neighbours=RELATIONS[relation])
                )
        written = json.loads(json.dumps(event.to_named_tuple()))
        for live in (event, event.to_named_tuple(), written):
            found = ac.read_history("dp-accounting", live, neighbours=RELATIONS[relation])
            assert found == ac.read_history("dp-accounting", written, neighbours=RELATIONS[relation])
        yield {"name": name, "neighbours": RELATIONS[relation], "history": written, "says": says}


def released(history: ac.History) -> list[dict[str, Any]]:
    """The releases of a plan, whatever they are called."""
    return [{**release, "name": ""} for release in history.plan.as_data()["release"]]


def opacus() -> Iterator[dict[str, Any]]:
    """What Opacus writes and says."""
    # Opacus has a package of this name too, so that it is read by its place.
    source = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "systems" / "opacus_source.py"))
    for cls in source["accountants"]():
        made = cls()
        for noise, rate, steps in ((1.1, 0.01, 3000), (1.1, 0.02, 500)):
            for _ in range(steps):
                made.step(noise_multiplier=noise, sample_rate=rate)
        state = json.loads(json.dumps(made.state_dict()))
        assert ac.read_history("opacus", made) == ac.read_history("opacus", state)
        yield {
            "name": f"training, {made.mechanism()}",
            "history": state,
            "says": {made.mechanism(): made.get_epsilon(DELTA)},
        }


def measurements() -> Iterator[tuple[str, Any]]:
    """Measurements of OpenDP that are read."""
    import opendp.prelude as dp  # type: ignore[import-not-found]

    dp.enable_features("contrib")
    metric = dp.symmetric_distance()
    count = dp.t.make_count(dp.vector_domain(dp.atom_domain(T=int)), metric)
    yield "count", count >> dp.m.then_laplace(scale=2.0)
    yield "count, geometric", count >> dp.m.then_geometric(scale=4.0)
    yield "count, Gaussian", count >> dp.m.then_gaussian(scale=3.0)
    amounts, signed = (dp.vector_domain(dp.atom_domain(bounds=bounds)) for bounds in ((0, 10), (-3, 10)))
    total = dp.t.make_sum(amounts, metric)
    yield "sum", total >> dp.m.then_laplace(scale=20.0)
    yield "sum of both signs", dp.t.make_sum(signed, metric) >> dp.m.then_gaussian(scale=20.0)
    parts = [total >> dp.m.then_laplace(scale=scale) for scale in (20.0, 50.0)]
    yield "composed", dp.c.make_composition(parts)
    yield "one of three", dp.m.make_randomized_response(categories=["a", "b", "c"], prob=0.8)
    yield "yes or no", dp.m.make_randomized_response_bool(prob=0.75)


def opendp() -> Iterator[dict[str, Any]]:
    """What OpenDP writes, and what its maps say for inputs one apart."""
    import opendp.prelude as dp

    divergences = {"MaxDivergence": "pure", "ZeroConcentratedDivergence": "zcdp"}
    for name, measurement in measurements():
        says = {divergences[str(measurement.output_measure)]: measurement.map(1)}
        yield {"name": name, "history": json.loads(dp.serialize(measurement)), "says": says}


def main() -> None:
    """Print everything."""
    versions = {name: version(name) for name in ("dp-accounting", "opacus", "opendp")}
    said = {"dp-accounting": list(dp_accounting()), "opacus": list(opacus()), "opendp": list(opendp())}
    json.dump({"delta": DELTA, "versions": versions, **said}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
