"""Conformance cases: conditional mechanisms with the exact loss of what is shown."""

from __future__ import annotations

from collections.abc import Iterable

from accountant.finite import FiniteMechanism, TableMechanism
from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, Shift
from accountant_pufferfish.facts.oracles import oracles
from accountant_pufferfish.mechanisms.conditional import Conditional
from accountant_pufferfish.mechanisms.conditioned import condition


def cases() -> Iterable[ConformanceCase]:
    """Tables of which only some outputs are shown."""
    near = FiniteMechanism({1: {"a": "1/2", "b": "1/3", "c": "1/6"}, 2: {"a": "1/4", "b": "1/3", "c": "5/12"}})
    # The two outputs that are shown lean opposite ways, and one of them is rare: almost twice the largest loss.
    far = FiniteMechanism({1: {"a": "3/100", "b": "1/3", "c": "191/300"}, 2: {"a": "1/100", "b": "97/100", "c": "2/100"}})
    for name, table, shown in (("two of three", near, {"a", "c"}), ("rare output", far, {"a", "b"})):
        kept = condition(table, shown)
        pairs = tuple(FiniteLoss(kept.pair(*ends).atoms) for ends in ((1, 2), (2, 1)))
        yield MechanismCase(f"conditional, {name}", Conditional(TableMechanism.of(table), name), Shift.along([1]), pairs)
    yield from oracles()
