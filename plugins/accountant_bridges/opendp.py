"""OpenDP: measurements as `dp.serialize` writes them, which is the call of their constructor.

Read is what is sure: noise on whole numbers over a count or a bounded sum of records, randomised response, and
compositions of these. Noise on floats is drawn on a lattice and loses a little more than noise on the line, so that it is
left to a claim with what the map of the measurement says.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from accountant import PlanError
from accountant.fields import plain, shown
from accountant.plugin import Brought, Reader
from accountant_bridges.calls import (
    INSTEAD,
    WHOLE,
    AnyRecords,
    Call,
    Chain,
    Composition,
    Count,
    NoiseCall,
    Nothing,
    OneRecord,
    Response,
    Same,
    Sum,
    TwoNumbers,
    YesOrNo,
    no_whole_numbers,
)

_VERSION = "0.16."
_ADDED, _REPLACED = "add-remove", "replace-one"

_MODULES = {
    "make_composition": "combinators",
    "make_chain_mt": "combinators",
    "make_laplace": "measurements",
    "make_geometric": "measurements",
    "make_gaussian": "measurements",
    "make_randomized_response": "measurements",
    "make_randomized_response_bool": "measurements",
    "make_count": "transformations",
    "make_sum": "transformations",
    "transformation_output_domain": "core",
    "transformation_output_metric": "core",
    "vector_domain": "domains",
    "atom_domain": "domains",
    "symmetric_distance": "metrics",
}
"""The constructors that are understood, and where they are."""

_NEIGHBOURS = (
    f"Between which datasets: '{_ADDED}' ones are taken, those at symmetric distance 1 where a unit has one record."
)
_UNITS = "How many records a unit has: one. For contributions of k records the neighbours are groups of k."


_NOISE = {
    "make_laplace": ("geometric", "scale", "MaxDivergence"),
    "make_geometric": ("geometric", "scale", "MaxDivergence"),
    "make_gaussian": ("discrete-gaussian", "sigma", "ZeroConcentratedDivergence"),
}
"""What noise on whole numbers is here, what its scale is called, and what its map speaks of."""


def read(history: Any, neighbours: str | None) -> Brought:
    """The releases of a measurement."""
    calls = _Calls()
    calls.measurement(history, "")
    local = any("query" not in release for release in calls.releases.values())
    said = neighbours or (_REPLACED if local else _ADDED)
    if local and said != _REPLACED:
        calls.fault(f"randomised response is about '{_REPLACED}' neighbours, and not about '{said}'", "history")
    if calls.faults:
        raise PlanError(tuple(calls.faults))
    remarks = () if local else (*((_NEIGHBOURS,) if neighbours is None else ()), _UNITS)
    return Brought(calls.releases, said, None, remarks)


class _Calls(Reader):
    """Walks the calls of constructors, and notes what they release and what is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.releases: dict[str, dict[str, Any]] = {}

    def fault(self, message: str, place: str, key: str | None = None) -> None:
        """Note one thing wrong; what is wrong with the outermost call has a place too."""
        super().fault(message, _named(place), key)

    def measurement(self, data: Any, place: str) -> None:
        """Note what a measurement releases."""
        call = self._call(data, place)
        if call is None:
            return
        given = _below(place, "__kwargs__")
        if call.function == "make_composition":
            parts = self.value(Composition, call.given, given)
            if parts is not None:
                self._composed(parts.measurements, _below(given, "measurements"))
        elif call.function == "make_chain_mt":
            chain = self.value(Chain, call.given, given)
            if chain is not None:
                self._chained(chain, place, given)
        elif call.function == "make_randomized_response":
            answered = self.value(Response, call.given, given)
            if answered is not None:
                self._response(answered.prob, answered.categories, place, _below(given, "categories"))
        elif call.function == "make_randomized_response_bool":
            either = self.value(YesOrNo, call.given, given)
            if either is not None:
                self._response(either.prob, [True, False], place, given)
        elif call.function in _NOISE:
            self.fault(
                f"{call.function} alone does not say how far its input moves; serialise the whole chain", _named(place)
            )
        else:
            self.fault(f"{call.function} is no measurement that is read here; {INSTEAD}", place)

    def _composed(self, parts: Any, place: str) -> None:
        if not isinstance(parts, list) or not parts:
            self.fault(f"expected a list of at least one measurement, got {shown(parts)}", place)
            return
        for index, part in enumerate(parts):
            self.measurement(part, f"{place}[{index}]")

    def _chained(self, chain: Chain, place: str, given: str) -> None:
        """Noise over a transformation, which must be the one that the noise was made for."""
        query = self._query(chain.transformation0, _below(given, "transformation0"))
        where = _below(given, "measurement1")
        call = self._call(chain.measurement1, where)
        if call is None:
            return
        if call.function not in _NOISE:
            self.fault(f"{call.function} over a transformation is not read here; {INSTEAD}", where)
            return
        inner = _below(where, "__kwargs__")
        noise = self.value(NoiseCall, call.given, inner)
        if noise is None:
            return
        kind, word, measure = _NOISE[call.function]
        if noise.measure != measure:
            self.fault(f"expected '{measure}', got '{noise.measure}'; {INSTEAD}", _below(inner, "MO"))
        for key, function in (
            ("input_domain", "transformation_output_domain"),
            ("input_metric", "transformation_output_metric"),
        ):
            same = self._made(getattr(noise, key), function, Same, _below(inner, key))
            if same is not None and same.this != chain.transformation0:
                self.fault("the noise was made for another transformation than it is chained to", _below(inner, key))
        if query is not None:
            mechanism = {"kind": kind, word: plain(noise.scale)}
            self.releases[_named(place)] = {"query": query, "mechanism": mechanism}

    def _query(self, data: Any, place: str) -> dict[str, Any] | None:
        """What a transformation computes."""
        call = self._call(data, place)
        if call is None:
            return None
        given = _below(place, "__kwargs__")
        if call.function not in ("make_count", "make_sum"):
            self.fault(f"{call.function} is no query that is read here; {INSTEAD}", place)
            return None
        cls: type[Count | Sum] = Count if call.function == "make_count" else Sum
        found = self.value(cls, call.given, given)
        if found is None:
            return None
        self._made(found.input_metric, "symmetric_distance", Nothing, _below(given, "input_metric"))
        record = self._record(found.input_domain, _below(given, "input_domain"))
        if record is None:
            return None
        return {"kind": "count", "attributes": []} if cls is Count else self._sum(record, _below(given, "input_domain"))

    def _sum(self, record: OneRecord, place: str) -> dict[str, Any] | None:
        if record.type not in WHOLE:
            self.fault(no_whole_numbers(record.type), place)
            return None
        if record.bounds is None:
            self.fault("a sum needs bounds on its records", place)
            return None
        table = self.table(record.bounds, f"{place}.bounds")
        bounds = None if table is None else self.value(TwoNumbers, table, f"{place}.bounds")
        if bounds is None or bounds.items is None:
            return None
        lower, upper = bounds.items
        return {"kind": "sum", "lower": plain(lower), "upper": plain(upper)}

    def _record(self, data: Any, place: str) -> OneRecord | None:
        """What a record is, in a domain of any number of records."""
        records = self._made(data, "vector_domain", AnyRecords, place)
        where = _below(place, "__kwargs__.atom_domain")
        return None if records is None else self._made(records.atom_domain, "atom_domain", OneRecord, where)

    def _response(self, prob: Fraction, categories: Any, place: str, where: str) -> None:
        """The chances of one true answer, of another one, and of all others together."""
        if not isinstance(categories, list) or len(categories) < 2 or len(set(map(str, categories))) < len(categories):
            self.fault("expected a list of at least two different answers", where)
            return
        if not all(isinstance(answer, (str, int)) for answer in categories):
            self.fault("expected answers that are texts or whole numbers", where)
            return
        other = (1 - prob) / (len(categories) - 1)
        rest = other * (len(categories) - 2)
        rows = [[plain(chance) for chance in row] for row in ((prob, other, rest), (other, prob, rest))]
        self.releases[_named(place)] = {"mechanism": {"kind": "table", "rows": rows}}

    def _made(self, data: Any, function: str, cls: type[Any], place: str) -> Any:
        """What one constructor was given."""
        call = self._call(data, place)
        if call is None:
            return None
        if call.function != function:
            self.fault(f"expected {function}, got {call.function}; {INSTEAD}", place)
            return None
        return self.value(cls, call.given, _below(place, "__kwargs__"))

    def _call(self, data: Any, place: str) -> Call | None:
        """A call that is understood."""
        table = self.table(data, place)
        call = None if table is None else self.value(Call, table, place)
        if call is None:
            return None
        if not call.version.startswith(_VERSION):
            self.fault(f"written by OpenDP {call.version}, and only {_VERSION}x is known", _below(place, "__version__"))
            return None
        if _MODULES.get(call.function) != call.module:
            self.fault(f"{call.module}.{call.function} is not read here; {INSTEAD}", place)
            return None
        if not isinstance(call.given, Mapping):
            self.fault(f"expected a table, got {shown(call.given)}", _below(place, "__kwargs__"))
            return None
        return call


def _below(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _named(place: str) -> str:
    return place or "measurement"
