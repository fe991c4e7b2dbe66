"""Conformance cases: conditional mechanisms with the exact loss of what is shown."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from accountant.finite import FiniteMechanism, TableMechanism
from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, MechanismOracle, Shift
from accountant_pufferfish.facts.oracles import oracles
from accountant_pufferfish.mechanisms.conditional import Conditional
from accountant_pufferfish.mechanisms.conditioned import condition

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def cases() -> Iterable[ConformanceCase]:
    """Tables of which only some outputs are shown."""
    near = FiniteMechanism({1: {"a": "1/2", "b": "1/3", "c": "1/6"}, 2: {"a": "1/4", "b": "1/3", "c": "5/12"}})
    # The two outputs that are shown lean opposite ways, and one of them is rare: almost twice the largest loss.
    far = FiniteMechanism({1: {"a": "3/100", "b": "1/3", "c": "191/300"}, 2: {"a": "1/100", "b": "97/100", "c": "2/100"}})
    for name, table, shown in (("two of three", near, {"a", "c"}), ("rare output", far, {"a", "b"})):
        kept = condition(table, shown)
        pairs = tuple(FiniteLoss(kept.pair(*ends).atoms) for ends in ((1, 2), (2, 1)))
        yield MechanismCase(f"conditional, {name}", Conditional(TableMechanism.of(table), name), Shift.along([1]), pairs)
    yield MechanismOracle(Conditional.kind, law=_kept, moves=_constrained, instances=_tables)
    yield from oracles()


def _kept(mechanism: Conditional, answer: tuple[int, tuple[int, ...]]) -> dict[Hashable, Fraction]:
    """A row of a table, of which some outputs are kept and all others drawn again."""
    row, shown = answer
    chances = _rows(mechanism)[row]
    whole = sum(chances[output] for output in shown)
    return {output: chances[output] / whole for output in shown}


def _constrained(mechanism: Conditional) -> Iterable[tuple[Any, Any, Shift]]:
    """Any two rows, under every constraint that keeps more than one output."""
    rows = _rows(mechanism)
    outputs = range(len(rows[0]))
    for size in range(2, len(outputs) + 1):
        for shown in combinations(outputs, size):
            for one, other in combinations(range(len(rows)), 2):
                yield (one, shown), (other, shown), Shift.along([1])


def _rows(mechanism: Conditional) -> tuple[tuple[Fraction, ...], ...]:
    assert isinstance(mechanism.mechanism, TableMechanism)
    return mechanism.mechanism.rows


def _tables() -> SearchStrategy[Any]:
    """Tables of two or three rows, in which every output is possible."""
    from hypothesis import strategies as st

    weights = st.lists(st.sampled_from((1, 2, 5, 30, 1000)), min_size=3, max_size=3)
    row = weights.map(lambda parts: [Fraction(part, sum(parts)) for part in parts])
    table = st.lists(row, min_size=2, max_size=3).map(TableMechanism)
    return st.builds(Conditional, table, st.just("some outputs"))
