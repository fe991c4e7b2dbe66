"""Opacus: the history of an accountant, triples of noise multiplier, sample rate and number of steps."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import field, fields_dict, frozen

from accountant import PlanError
from accountant.fields import about, above, at_least, at_most, exact, plain, shown, whole
from accountant.plugin import Brought, Reader

_ACCOUNTANTS = ("rdp", "gdp", "prv")
_SHAPE = "expected what accountant.state_dict() holds, a table with 'history', or the list of its triples"

_NEIGHBOURS = "Between which datasets: 'add-remove' ones are taken, which the numbers of Opacus are for."
_SAMPLES = (
    "How batches were drawn: by a coin for each record, as numbers of Opacus take it. Nothing here holds for a loader that "
    "shuffles (poisson_sampling=False), nor where the sample rate is not that of the data, as with a weighted sampler."
)
_CLIPPED = "Whether the gradient of every record was clipped: that is taken to be so, and the noise to be on their sum."
_LIMIT = "The number of Opacus itself is of a limit theorem ('gdp'), which is no bound: it may be smaller than what holds."


@frozen
class _Steps:
    """Steps of one kind: what a triple says, in its order."""

    noise_multiplier: Fraction = field(
        converter=exact, validator=above(0), metadata=about("the noise over the norm that gradients are clipped to")
    )
    sample_rate: Fraction = field(
        converter=exact, validator=[above(0), at_most(1)], metadata=about("the chance that a record is in a batch")
    )
    steps: int = field(converter=whole, validator=at_least(1), metadata=about("how many batches were drawn"))

    def release(self) -> dict[str, Any]:
        """The steps as a release of a plan."""
        return {
            "query": {"kind": "gradient", "norm": 1},
            "mechanism": {"kind": "gaussian", "sigma": plain(self.noise_multiplier)},
            "sampling": {"kind": "poisson", "rate": plain(self.sample_rate)},
            "times": self.steps,
        }


def data_of(live: Any) -> Any:
    """The state of an accountant, or of the accountant of a privacy engine."""
    accountant = getattr(live, "accountant", live)
    if not hasattr(accountant, "history"):
        return live
    named = getattr(accountant, "mechanism", None)
    return {"history": accountant.history, **({"mechanism": named()} if callable(named) else {})}


def read(history: Any, neighbours: str | None) -> Brought:
    """The releases of a history."""
    reader = Reader()
    triples, mechanism = _parts(reader, history)
    found = {place: _steps(reader, triple, place) for place, triple in triples.items()}
    if reader.faults:
        raise PlanError(tuple(reader.faults))
    remarks = [_NEIGHBOURS] if neighbours is None else []
    remarks += [_SAMPLES, _CLIPPED, *([_LIMIT] if mechanism == "gdp" else [])]
    releases = {place: steps.release() for place, steps in found.items() if steps is not None}
    return Brought(releases, neighbours or "add-remove", "example", tuple(remarks))


def _parts(reader: Reader, history: Any) -> tuple[dict[str, Any], str | None]:
    """The triples with their places, and which accountant kept them where that is said."""
    mechanism = None
    if isinstance(history, Mapping):
        reader.keys(history, ("history", "mechanism"), "history")
        mechanism = history.get("mechanism")
        if "mechanism" in history and mechanism not in _ACCOUNTANTS:
            known = ", ".join(f"'{name}'" for name in _ACCOUNTANTS)
            reader.fault(f"expected one of {known}, got {shown(mechanism)}; what others keep is not known", "mechanism")
        history = history.get("history")
    if not isinstance(history, list):
        reader.fault(_SHAPE, "history")
        return {}, None
    return {f"history[{index}]": triple for index, triple in enumerate(history)}, mechanism


def _steps(reader: Reader, triple: Any, place: str) -> _Steps | None:
    names = list(fields_dict(_Steps))
    if not isinstance(triple, list) or len(triple) != len(names):
        reader.fault(f"expected {', '.join(names)}, got {shown(triple)}", place)
        return None
    return reader.value(_Steps, dict(zip(names, triple, strict=True)), place)
