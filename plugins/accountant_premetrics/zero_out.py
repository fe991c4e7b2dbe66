"""Neighbours by null records: whoever is taken out leaves an empty record behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from accountant.plugin import ADD_REMOVE, Policy, Record, Relation


@frozen
class ZeroOut(Policy):
    """One unit has a null record in one dataset, which adds nothing to any answer, and its own record in the other.

    Definition: two datasets of equally many records are neighbours if they are alike but for one record, and that is null
    in one of them. A null record is in no cell, satisfies no condition and adds 0 to every sum.
    Guarantee: what records do is what they do between add-remove neighbours, and how many there are is public.
    """

    kind: ClassVar[str] = "zero-out"
    public_size: ClassVar[bool] = True

    @property
    def moves(self) -> frozenset[tuple[int, int]]:
        return ADD_REMOVE.moves

    @property
    def meaning(self) -> str:
        return "one unit has a null record, which adds nothing to any answer, instead of its own"

    @property
    def leaves_open(self) -> str:
        return "How many records there are, null records among them, is not protected."

    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        return len(gone) == len(come) == 1 and (gone[0] is None) != (come[0] is None)

    def steps_in(self, other: Relation) -> int | None:
        # To remove a record and add a null one: at most that, whether or not those who add or remove see null records.
        return 2 if other.policy is None and ADD_REMOVE.moves <= other.moves else None

    def steps_for(self, other: Relation) -> int | None:
        # To take a record out and put another in its place.
        return 2 if other.by_value else None
