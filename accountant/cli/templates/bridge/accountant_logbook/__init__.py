"""A logbook that somebody keeps by hand: what was released, at which epsilon, and how often."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Fault, PlanError, fields
from accountant.plugin import Bridge, BridgeOracle, Brought, ConformanceCase, Reader, hookimpl


# What a file holds is a frozen class: its fields say what may stand there, and everything else is refused.
@frozen
class Entry:
    """One entry: what was released, at which epsilon, and in how many runs."""

    what: str = field(converter=fields.text, metadata=fields.about("what was released"))
    epsilon: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the epsilon of one run")
    )
    runs: int = field(converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("how often it was run"))

    def release(self, place: str) -> dict[str, Any]:
        """The entry as a release of a plan."""
        claim = {"kind": "claim", "divergence": "pure", "epsilon": fields.plain(self.epsilon)}
        return {"name": f"{self.what} ({place})", "mechanism": claim, "times": self.runs}


# A bridge reads plain data. A reader collects all faults, each with its place; nothing is left out and nothing is guessed.
@frozen
class Logbook(Bridge):
    """A list of entries, each of which becomes a claim, as often as it was run."""

    name: ClassVar[str] = "logbook"
    meaning: ClassVar[str] = "a list of entries with what, epsilon and runs, as JSON"

    def read(self, history: Any, neighbours: str | None) -> Brought:
        reader = Reader()
        found = {place: reader.value(Entry, table, place) for place, table in reader.tables(history, "history")}
        if neighbours is None:
            reader.faults.append(Fault("it is not said between which datasets; give the neighbours", "history"))
        if reader.faults or neighbours is None:
            raise PlanError(tuple(reader.faults))
        releases = {place: entry.release(place) for place, entry in found.items() if entry is not None}
        return Brought(releases, neighbours, remarks=("Why each entry has its epsilon: that is taken on trust.",))


# What histories look like, for the laws: small ones to draw, how one happens again, how two happen in turn, and one whose
# releases were worked out by hand.
def _histories() -> Any:
    from hypothesis import strategies as st

    entry = {"what": st.just("counts"), "epsilon": st.sampled_from((0.5, 0.25)), "runs": st.integers(1, 3)}
    return st.lists(st.fixed_dictionaries(entry), min_size=1, max_size=2)


def _again(history: Any, times: int) -> Any:
    return [{**entry, "runs": entry["runs"] * times} for entry in history]


# Hooks hand everything to the registry.
@hookimpl
def accountant_bridges() -> Iterable[Bridge]:
    return (Logbook(),)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield BridgeOracle(
        "logbook",
        histories=_histories,
        again=_again,
        joined=lambda first, second: [*first, *second],
        known=(
            (
                [{"what": "counts", "epsilon": 0.1, "runs": 3}],
                ({"mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "1/10"}, "times": 3},),
            ),
        ),
        neighbours="add-remove",
    )
