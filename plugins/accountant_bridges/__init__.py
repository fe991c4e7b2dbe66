"""Bridges from other libraries: the events of dp-accounting, the training histories of Opacus and some measurements of
OpenDP become plans. None of these libraries is needed for it, and nothing that a file names is imported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from attrs import frozen

from accountant.plugin import Bridge, Brought, ConformanceCase, hookimpl


@frozen
class DpAccounting(Bridge):
    """Events of dp-accounting: each leaf of their tree becomes a release, as often and on such a sample as it happened.

    Guarantee: the plan has every event. An event on a sample that repeats Gaussian ones answers each on that one sample,
    which is one answer with the noise that they have together. Events that are not understood are refused.
    """

    name: ClassVar[str] = "dp-accounting"
    meaning: ClassVar[str] = "events of dp-accounting, written as json.dumps(event.to_named_tuple())"

    def data_of(self, live: Any) -> Any:
        from accountant_bridges import dp_accounting

        return dp_accounting.data_of(live)

    def read(self, history: Any, neighbours: str | None) -> Brought:
        from accountant_bridges import dp_accounting

        return dp_accounting.read(history, neighbours)


@frozen
class Opacus(Bridge):
    """The history that an accountant of Opacus keeps: each triple becomes that many steps of training with DP-SGD.

    Guarantee: the plan has the steps of every triple. The history names no neighbours, no delta and no dataset, and what it
    assumes of the batches is said in remarks.
    """

    name: ClassVar[str] = "opacus"
    meaning: ClassVar[str] = "the history of an accountant of Opacus, written as json.dumps(accountant.state_dict())"

    def data_of(self, live: Any) -> Any:
        from accountant_bridges import opacus

        return opacus.data_of(live)

    def read(self, history: Any, neighbours: str | None) -> Brought:
        from accountant_bridges import opacus

        return opacus.read(history, neighbours)


@frozen
class OpenDp(Bridge):
    """Measurements of OpenDP: noise on whole counts and bounded sums, randomised response, and compositions of these.

    Guarantee: the plan has every measurement, each with the noise that OpenDP adds. What else a chain may do is refused,
    and so is noise on floats, which is drawn on a lattice: what the map of such a measurement says is a claim.
    """

    name: ClassVar[str] = "opendp"
    meaning: ClassVar[str] = "a measurement of OpenDP, written as dp.serialize(measurement)"

    def read(self, history: Any, neighbours: str | None) -> Brought:
        from accountant_bridges import opendp

        return opendp.read(history, neighbours)


@hookimpl
def accountant_bridges() -> Iterable[Bridge]:
    return DpAccounting(), Opacus(), OpenDp()


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_bridges.oracles import oracles

    return oracles()
