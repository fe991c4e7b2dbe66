"""A bridge from a diary of what was spent: what for, which rho, and how often.

What has a rho has it as a claim, and what happened several times is released several times, each with that rho.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Fault, PlanError, fields
from accountant.plugin import Bridge, BridgeOracle, Brought, ConformanceCase, Reader, hookimpl


@frozen
class Line:
    """One line of a diary."""

    what: str = field(converter=fields.text)
    rho: Fraction = field(converter=fields.exact, validator=fields.above(0))
    often: int = field(converter=fields.whole, validator=fields.at_least(1))


@frozen
class Spent(Bridge):
    """A diary: a list of tables with what, rho and often."""

    name: ClassVar[str] = "spent"
    meaning: ClassVar[str] = "a diary of what was spent"

    def read(self, history: Any, neighbours: str | None) -> Brought:
        reader = Reader()
        found = {place: reader.value(Line, table, place) for place, table in reader.tables(history, "diary")}
        if neighbours is None:
            reader.faults.append(Fault("a diary does not say between which datasets; give the neighbours", "diary"))
        if reader.faults or neighbours is None:
            raise PlanError(tuple(reader.faults))
        releases = {place: released(line) for place, line in found.items() if line is not None}
        return Brought(releases, neighbours, "person", ("Why each rho holds.",))


def released(line: Line) -> dict[str, Any]:
    claim = {"kind": "claim", "divergence": "zcdp", "rho": fields.plain(line.rho)}
    return {"mechanism": claim, "times": line.often}


def diaries() -> Any:
    from hypothesis import strategies as st

    line = st.fixed_dictionaries(
        {"what": st.sampled_from(("a", "b")), "rho": st.sampled_from((0.5, 0.25)), "often": st.integers(1, 4)}
    )
    return st.lists(line, min_size=1, max_size=3)


@hookimpl
def accountant_bridges() -> Iterable[Bridge]:
    return (Spent(),)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    half = {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "1/2"}, "times": 3}
    yield BridgeOracle(
        "spent",
        histories=diaries,
        again=lambda diary, times: [{**line, "often": line["often"] * times} for line in diary],
        joined=lambda first, second: [*first, *second],
        known=(([{"what": "a", "rho": 0.5, "often": 3}], (half,)),),
        neighbours="add-remove",
    )
