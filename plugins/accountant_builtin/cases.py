"""Conformance cases of the built-in kinds."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from accountant.finite import FiniteMechanism, TableMechanism, mix, post_process
from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, Shift
from accountant_builtin.combinators import Mixture, Part, PostProcessed
from accountant_builtin.oracles import oracles
from accountant_builtin.steps import NonPrivate, NoOperation


def cases() -> Iterable[ConformanceCase]:
    """All of them; claims are exercised by the cases of each divergence."""
    yield from _steps()
    yield from _combinators()
    yield from oracles()


def _steps() -> Iterable[ConformanceCase]:

    one = Shift.along([1])
    yield MechanismCase("no-op", NoOperation(), one, (FiniteLoss([("1/2", "1/2"), ("1/2", "1/2")]),))
    yield MechanismCase("non-private", NonPrivate(), one, (FiniteLoss([(1, 0), (0, 1)]),))
    rows = (("1/2", "1/3", "1/6"), ("1/4", "1/4", "1/2"), ("1/6", "1/2", "1/3"))
    pairs = tuple(FiniteLoss(zip(left, right, strict=True)) for left in rows for right in rows if left != right)
    yield MechanismCase("table of three answers", TableMechanism(rows), one, pairs)


def _combinators() -> Iterable[ConformanceCase]:
    """Tables sent through a channel, and drawn by lot with and without saying which was drawn."""

    one = Shift.along([1])
    first = FiniteMechanism({1: {"a": "1/2", "b": "1/3", "c": "1/6"}, 2: {"a": "1/5", "b": "1/5", "c": "3/5"}})
    second = FiniteMechanism({1: {"a": "3/4", "b": "1/4"}, 2: {"a": "1/3", "b": "2/3"}})
    merged = post_process(first, lambda output: {"a": 1} if output == "a" else {"b": "1/2", "c": "1/2"})
    processed = PostProcessed(TableMechanism.of(first), "mixing up two of the outputs")
    yield MechanismCase("post-processed table", processed, one, _pairs(first, merged))

    chance = Fraction(1, 3)
    tables = (Part(chance, TableMechanism.of(first)), Part(1 - chance, TableMechanism.of(second)))
    shown = FiniteLoss(
        (share * p, share * q)
        for share, table in ((chance, first), (1 - chance, second))
        for p, q in table.pair(1, 2).atoms
    )
    yield MechanismCase("mixture of tables", Mixture(tables), one, (shown, *_pairs(mix(first, second, chance))))
    leak = Mixture((Part("1/100", NonPrivate()), Part("99/100", TableMechanism.of(second))))
    leaked = FiniteLoss([("1/100", 0), (0, "1/100"), *((99 * p / 100, 99 * q / 100) for p, q in second.pair(1, 2).atoms)])
    yield MechanismCase("mixture that may tell all", leak, one, (leaked,))


def _pairs(*tables: Any) -> tuple[Any, ...]:

    return tuple(FiniteLoss(table.pair(*ends).atoms) for table in tables for ends in ((1, 2), (2, 1)))
