"""What histories of each library look like, as the laws draw them, and a few whose releases were worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from accountant.plugin import BridgeOracle, ConformanceCase

_MODULE = "dp_accounting.dp_event"


def oracles() -> Iterable[ConformanceCase]:
    """An oracle for each bridge."""
    return _dp_accounting(), _opacus(), _opendp()


# dp-accounting --------------------------------------------------------------------------------------------------------


def _event(name: str, **fields: Any) -> dict[str, Any]:
    return {"module_name": _MODULE, "class_name": name, **fields}


def _events() -> Any:
    """Trees of events in both ways to write them; noise is large, so that what they cost is read soon."""
    from hypothesis import strategies as st

    noise, share = st.sampled_from((2, 5, 8)), st.sampled_from((0.25, 0.5))
    gaussian = noise.map(lambda sigma: _event("GaussianDpEvent", noise_multiplier=sigma))
    laplace = noise.map(lambda scale: _event("LaplaceDpEvent", noise_multiplier=scale))
    listed = noise.map(lambda scale: [_MODULE, "LaplaceDpEvent", scale])
    geometric = share.map(lambda a: _event("DiscreteLaplaceDpEvent", noise_parameter=a, sensitivity=2))
    stated = share.map(lambda rho: _event("ZCDpEvent", rho=rho, xi=0))
    leaves = gaussian | laplace | listed | geometric | stated
    counts = st.integers(1, 3)
    several = st.builds(lambda event, count: _event("SelfComposedDpEvent", event=event, count=count), gaussian, counts)
    sampled = st.builds(
        lambda rate, event: _event("PoissonSampledDpEvent", sampling_probability=rate, event=event),
        share,
        gaussian | several,
    )
    once = leaves | sampled
    composed = st.lists(once, min_size=1, max_size=2).map(lambda events: _event("ComposedDpEvent", events=events))
    return st.builds(_repeated, once | composed, counts)


def _repeated(event: Any, count: int) -> dict[str, Any]:
    return _event("SelfComposedDpEvent", event=event, count=count)


def _dp_accounting() -> BridgeOracle:
    gaussian = _event("GaussianDpEvent", noise_multiplier=1.5)
    gradient = {"kind": "gradient", "norm": 1}
    steps = _event("PoissonSampledDpEvent", sampling_probability=0.01, event=gaussian)
    # Four answers on one sample, each with standard deviation 3, tell as much as one with 3/2.
    on_one_sample = _event(
        "PoissonSampledDpEvent",
        sampling_probability=0.5,
        event=_repeated(_event("GaussianDpEvent", noise_multiplier=3), 4),
    )
    known: tuple[tuple[Any, tuple[dict[str, Any], ...]], ...] = (
        (
            _repeated(steps, 1000),
            (
                {
                    "query": gradient,
                    "mechanism": {"kind": "gaussian", "sigma": "1.5"},
                    "sampling": {"kind": "poisson", "rate": "0.01"},
                    "times": 1000,
                },
            ),
        ),
        (
            _event("ComposedDpEvent", events=[_repeated(_repeated(gaussian, 2), 3), on_one_sample]),
            (
                {"query": gradient, "mechanism": {"kind": "gaussian", "sigma": "1.5"}, "times": 6},
                {
                    "query": gradient,
                    "mechanism": {"kind": "gaussian", "covariance": [["2.25"]]},
                    "sampling": {"kind": "poisson", "rate": "0.5"},
                },
            ),
        ),
        (
            [_MODULE, "DiscreteLaplaceDpEvent", 0.25, 3],
            ({"query": {"kind": "sum", "lower": -3, "upper": 3}, "mechanism": {"kind": "geometric", "scale": 4}},),
        ),
        (
            [_MODULE, "SelfComposedDpEvent", [_MODULE, "LaplaceDpEvent", 7], 2],
            (
                {
                    "query": {"kind": "sum", "lower": -1, "upper": 1},
                    "mechanism": {"kind": "laplace", "scale": 7},
                    "times": 2,
                },
            ),
        ),
        (_event("ZCDpEvent", rho=0.1, xi=0), ({"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}},)),
    )
    return BridgeOracle(
        "dp-accounting",
        histories=_events,
        again=_repeated,
        joined=lambda first, second: _event("ComposedDpEvent", events=[first, second]),
        known=known,
        neighbours="add-remove",
    )


# Opacus ---------------------------------------------------------------------------------------------------------------


def _state(*history: list[Any]) -> dict[str, Any]:
    return {"history": list(history), "mechanism": "prv"}


def _states() -> Any:
    from hypothesis import strategies as st

    noise, rates = st.sampled_from((2, 2.5, 4)), st.sampled_from((0.01, 0.25, 0.5))
    triple = st.tuples(noise, rates, st.integers(1, 5)).map(list)
    return st.lists(triple, min_size=1, max_size=2).map(lambda triples: _state(*triples))


def _opacus() -> BridgeOracle:
    training = {
        "query": {"kind": "gradient", "norm": 1},
        "mechanism": {"kind": "gaussian", "sigma": "1.1"},
        "sampling": {"kind": "poisson", "rate": "0.01"},
        "times": 6000,
    }
    return BridgeOracle(
        "opacus",
        histories=_states,
        again=lambda state, times: _state(*([noise, rate, steps * times] for noise, rate, steps in state["history"])),
        joined=lambda first, second: _state(*first["history"], *second["history"]),
        known=((_state([1.1, 0.01, 6000]), (training,)),),
    )


# OpenDP ---------------------------------------------------------------------------------------------------------------


def _call(module: str, function: str, **given: Any) -> dict[str, Any]:
    return {"__function__": function, "__module__": module, "__kwargs__": given, "__version__": "0.16.0"}


def _chain(noise: str, measure: str, scale: float, bounds: tuple[int, int] | None) -> dict[str, Any]:
    """Noise over a sum of records between bounds, or over a count where there are none."""
    atom = {"bounds": None if bounds is None else {"__tuple__": list(bounds)}, "nan": None, "T": "i32"}
    domain = _call("domains", "vector_domain", atom_domain=_call("domains", "atom_domain", **atom), size=None)
    metric = _call("metrics", "symmetric_distance")
    made = "make_count" if bounds is None else "make_sum"
    further = {"TO": "i32"} if bounds is None else {}
    computed = _call("transformations", made, input_domain=domain, input_metric=metric, **further)
    said = {
        "input_domain": _call("core", "transformation_output_domain", this=computed),
        "input_metric": _call("core", "transformation_output_metric", this=computed),
    }
    measurement = _call("measurements", noise, **said, scale=scale, k=None, MO=measure)
    return _call("combinators", "make_chain_mt", measurement1=measurement, transformation0=computed)


def _composition(measurements: list[Any]) -> dict[str, Any]:
    return _call("combinators", "make_composition", measurements=measurements)


def _measurements() -> Any:
    from hypothesis import strategies as st

    noise = st.sampled_from((("make_laplace", "MaxDivergence"), ("make_gaussian", "ZeroConcentratedDivergence")))
    scale, bounds = st.sampled_from((4.0, 6.5)), st.sampled_from((None, (0, 3), (-2, 1)))
    chain = st.builds(lambda made, scale, bounds: _chain(made[0], made[1], scale, bounds), noise, scale, bounds)
    return chain | st.lists(chain, min_size=1, max_size=2).map(_composition)


def _opendp() -> BridgeOracle:
    counted = {"query": {"kind": "count", "attributes": []}, "mechanism": {"kind": "geometric", "scale": 2}}
    summed = {
        "query": {"kind": "sum", "lower": -3, "upper": 10},
        "mechanism": {"kind": "discrete-gaussian", "sigma": "20.5"},
    }
    laplace, gaussian = ("make_laplace", "MaxDivergence"), ("make_gaussian", "ZeroConcentratedDivergence")
    response = _call("measurements", "make_randomized_response", categories=["a", "b", "c"], prob=0.8, T="String")
    rows = [["0.8", "0.1", "0.1"], ["0.1", "0.8", "0.1"]]
    return BridgeOracle(
        "opendp",
        histories=_measurements,
        again=lambda measurement, times: _composition([measurement] * times),
        joined=lambda first, second: _composition([first, second]),
        known=(
            (_composition([_chain(*laplace, 2.0, None), _chain(*gaussian, 20.5, (-3, 10))]), (counted, summed)),
            (response, ({"mechanism": {"kind": "table", "rows": rows}},)),
        ),
    )
