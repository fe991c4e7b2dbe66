"""What may go wrong in a neighbour policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accountant.promise.neighbours import POLICIES, Policy, Relation
from accountant.testing.planting import faulty

FAMILY = POLICIES


def all_that_moves_reach(cls: type[Policy]) -> type[Policy]:
    """All datasets that the moves reach are taken for neighbours."""

    def joins(policy: Any, gone: Sequence[Any], come: Sequence[Any]) -> bool:
        return (len(come), len(gone)) in Relation.of(policy).moves

    return faulty(cls, joins=joins)


def nobody_joined(cls: type[Policy]) -> type[Policy]:
    """No two datasets are taken for neighbours."""
    return faulty(cls, joins=lambda policy, gone, come: False)


def one_way_only(cls: type[Policy]) -> type[Policy]:
    """Of two neighbours one is joined to the other, and that not to it."""

    def joins(policy: Any, gone: Sequence[Any], come: Sequence[Any]) -> bool:
        return cls.joins(policy, gone, come) and str(gone) < str(come)

    return faulty(cls, joins=joins)


def edits_not_said(cls: type[Policy]) -> type[Policy] | None:
    """It names attributes in which neighbours differ, and does not say that records are edited."""
    return faulty(cls, edits=False) if cls.edits else None


def a_step_too_few(cls: type[Policy]) -> type[Policy]:
    """A record is said to need a step more than it does to become another."""
    return faulty(cls, reaches=lambda policy, before, after, steps: cls.reaches(policy, before, after, steps - 1))


def one_step_for_all(cls: type[Policy]) -> type[Policy]:
    """Neighbours of every other relation are said to be one step apart."""
    return faulty(cls, steps_for=lambda policy, other: 1)


def neighbours_everywhere(cls: type[Policy]) -> type[Policy]:
    """Its neighbours are said to be neighbours of every other relation."""
    return faulty(cls, steps_in=lambda policy, other: 1)


def smaller_moves(cls: type[Policy]) -> type[Policy]:
    """Records are said not to come or go, or not to change."""

    def moves(policy: Any) -> frozenset[tuple[int, int]]:
        own = property.__get__(vars(_home(cls, "moves"))["moves"], policy)
        return frozenset({(1, 0), (0, 1)} if (1, 1) in own else {(1, 1)})

    return faulty(cls, moves=property(moves), edits=False)


def _home(cls: type[Policy], name: str) -> type[Any]:
    """The class that says what a member is."""
    return next(base for base in cls.__mro__ if name in vars(base))
