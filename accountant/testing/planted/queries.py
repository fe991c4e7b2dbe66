"""What may go wrong in a query."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs
from attrs import evolve

from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Relation
from accountant.registry.registry import default_registry
from accountant.release.query import QUERIES, STILL, Query, Records, Shift
from accountant.testing.instances import edge_cases
from accountant.testing.planting import TENTH, faulty, number_fields, with_field

FAMILY = QUERIES


def group_forgotten(cls: type[Query]) -> type[Query] | None:
    """A group moves it no further than one unit does."""
    return _with_shift(cls, lambda query, neighbours: cls._shift(query, evolve(neighbours, group=1)))


def groups_of_four_forgotten(cls: type[Query]) -> type[Query] | None:
    """A group of four or more moves it no further than one unit does."""

    def shift(query: Query, near: Neighbours) -> Shift:
        return cls._shift(query, evolve(near, group=1) if near.group > 3 else near)

    return _with_shift(cls, shift)


def attributes_forgotten(cls: type[Query]) -> type[Query] | None:
    """Where only some attributes differ, it is said not to move."""
    return _with_shift(cls, lambda query, near: STILL if near.attributes is not None else cls._shift(query, near))


def replaced_taken_for_absent(cls: type[Query]) -> type[Query] | None:
    """Whoever is replaced is taken for somebody who comes or goes."""
    return _with_shift(cls, lambda query, near: cls._shift(query, Neighbours(ADD_REMOVE, group=near.group)))


def half_the_move(cls: type[Query]) -> type[Query] | None:
    """It moves twice as far as it says."""
    return _with_shift(cls, lambda query, near: _scaled(cls._shift(query, near), Fraction(1, 2)))


def large_parameters_halved(cls: type[Query]) -> type[Query] | None:
    """Where a parameter is large, it moves twice as far as it says."""
    names = list(number_fields(cls))

    def shift(query: Query, near: Neighbours) -> Shift:
        large = any(getattr(query, name) > 20 for name in names)
        return _scaled(cls._shift(query, near), Fraction(1, 2) if large else Fraction(1))

    return faulty(cls, _shift=shift) if names else None


def a_tenth_too_short(cls: type[Query]) -> type[Query] | None:
    """It moves a little further than it says."""
    return _with_shift(cls, lambda query, near: _scaled(cls._shift(query, near), TENTH))


def twice_the_move_as_worst(cls: type[Query]) -> type[Query] | None:
    """It names a worst move that no two datasets have."""
    return _with_shift(cls, lambda query, near: _doubled(cls._shift(query, near)))


def one_coordinate_of_several(cls: type[Query]) -> type[Query] | None:
    """Only the largest of all coordinates that move is counted."""
    return _with_shift(cls, lambda query, near: _first(cls._shift(query, near)))


def l2_of_one_coordinate(cls: type[Query]) -> type[Query] | None:
    """The L2 norm is that of the coordinate that moves most."""
    return _with_shift(cls, lambda query, near: _norms(cls._shift(query, near)))


def one_sided_though_not(cls: type[Query]) -> type[Query] | None:
    """All coordinates are said to rise together."""
    return _with_shift(cls, lambda query, near: _risen(cls._shift(query, near)))


def nobody_moves_it_alone(cls: type[Query]) -> type[Query] | None:
    """It is said to move only where two or more differ."""
    return _with_shift(cls, lambda query, near: STILL if near.group == 1 else cls._shift(query, near))


def policies_forgotten(cls: type[Query]) -> type[Query] | None:
    """Between neighbours by a policy of which it knows something, it is said to move by one."""

    def shift(query: Query, near: Neighbours) -> Shift:
        return cls._shift(query, near) if near.relation.policy is None else Shift.along([1] * near.group)

    asks = attrs.fields(Relation).policy.name in cls._shift.__code__.co_names
    return faulty(cls, _shift=shift) if asks and not cls.stated else None


def null_records_forgotten(cls: type[Query]) -> type[Query] | None:
    """Where whoever is taken out leaves a null record behind, it is said not to move."""

    def shift(query: Query, near: Neighbours) -> Shift:
        policy = near.relation.policy
        return STILL if policy is not None and policy.public_size else cls._shift(query, near)

    return None if cls.stated else faulty(cls, _shift=shift)


def broken_moves_gathered(cls: type[Query]) -> type[Query] | None:
    """It is said to move by whole numbers, though it has parameters that are not."""

    def shift(query: Query, near: Neighbours) -> Shift:
        found = cls._shift(query, near)
        return evolve(found, coordinates=None, placed=None, gathered=None if found.in_l1 is None else (found.in_l1,))

    return faulty(cls, _shift=shift) if any(number_fields(cls)) else None


def nothing_between_the_extremes(cls: type[Query]) -> type[Query] | None:
    """Records are said to add the extremes and nothing between them."""
    return _with_records(cls, lambda known: evolve(known, all_of_them=True))


def records_add_the_half(cls: type[Query]) -> type[Query] | None:
    """Records are said to add half of what they do."""
    halves = Fraction(1, 2)
    return _with_records(
        cls, lambda known: evolve(known, vectors=tuple(tuple(v * halves for v in r) for r in known.vectors))
    )


def parameter_halved_when_read(cls: type[Query]) -> type[Query] | None:
    """A parameter is halved when it is read."""
    from accountant.fields import exact

    names = list(number_fields(cls))
    return with_field(cls, names[0], converter=lambda value: exact(value) / 2) if names else None


def _with_shift(cls: type[Query], shift: Callable[[Query, Neighbours], Shift]) -> type[Query] | None:
    return None if cls.stated or _same(cls, shift) else faulty(cls, _shift=shift)


def _same(cls: type[Query], shift: Callable[[Query, Neighbours], Shift]) -> bool:
    """Whether another shift is the honest one after all, for this class."""

    def told(found: Shift) -> tuple[Shift, bool]:
        return found, found.one_sided

    near = [Neighbours(relation, group=group) for relation in (ADD_REMOVE, REPLACE_ONE) for group in (1, 2, 3, 4)]
    near.append(Neighbours(REPLACE_ONE, attributes=["age"]))
    known = edge_cases(cls, default_registry(), 8)
    return all(told(cls._shift(query, each)) == told(shift(query, each)) for query in known for each in near)


def _with_records(cls: type[Query], records: Callable[[Records], Records]) -> type[Query] | None:
    def said(query: Query) -> Records | None:
        known = cls.records(query)
        return None if known is None else records(known)

    if cls.stated or cls.records is Query.records:
        return None
    known = edge_cases(cls, default_registry(), 8)
    return None if all(cls.records(query) == said(query) for query in known) else faulty(cls, records=said)


def _scaled(shift: Shift, share: Fraction) -> Shift:
    def less(vector: tuple[Fraction, ...] | None) -> tuple[Fraction, ...] | None:
        return None if vector is None else tuple(value * share for value in vector)

    return evolve(
        shift,
        l1=None if shift.in_l1 is None else shift.in_l1 * share,
        l2_squared=shift.l2_squared * share**2,
        linf=shift.linf * share,
        coordinates=less(shift.coordinates),
        placed=less(shift.placed),
        gathered=less(shift.gathered),
    )


def _doubled(shift: Shift) -> Shift:
    return shift if shift.coordinates is None else Shift.along([2 * move for move in shift.coordinates])


def _first(shift: Shift) -> Shift:
    return Shift.along([shift.linf]) if _several(shift) else shift


def _norms(shift: Shift) -> Shift:
    return evolve(shift, l2_squared=shift.linf**2, coordinates=None, gathered=None) if _several(shift) else shift


def _risen(shift: Shift) -> Shift:
    return evolve(shift, one_sided=True) if _several(shift) else shift


def _several(shift: Shift) -> bool:
    """Whether several coordinates may move at once."""
    return shift.in_l1 is None or shift.in_l1 > shift.linf
