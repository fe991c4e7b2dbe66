"""What may go wrong in a neighbour relation."""

from __future__ import annotations

from attrs import evolve

from accountant.promise.neighbours import NEIGHBOURS, Relation

FAMILY = NEIGHBOURS


def smallest_move_left_out(relation: Relation) -> Relation | None:
    """A move is forgotten that is possible."""
    kept = frozenset(relation.moves - {min(relation.moves, key=lambda move: (sum(move), move))})
    back = {move[::-1] for move in kept}
    # A relation is the same whichever way its moves are written, so one way of two is no error.
    return evolve(relation, moves=kept) if kept and not relation.moves <= kept | back else None


def a_record_more(relation: Relation) -> Relation:
    """Neighbours may have a record more as well."""
    return evolve(relation, moves=relation.moves | {(2, 1), (1, 2)}, edits=False)


def fewer_named(relation: Relation) -> Relation | None:
    """Its meaning speaks of one record where more may come, go or change."""
    several = any(max(move) > 1 for move in relation.moves)
    return evolve(relation, meaning="one record is another in one dataset than in the other") if several else None


def two_at_once(relation: Relation) -> Relation:
    """Two units are taken for one."""
    return evolve(relation, moves=frozenset((2 * appear, 2 * gone) for appear, gone in relation.moves))


def replaced_instead_of_absent(relation: Relation) -> Relation | None:
    """Whoever comes or goes is taken for somebody with other values."""
    return evolve(relation, moves=frozenset({(1, 1)})) if relation.by_presence else None


def absent_instead_of_replaced(relation: Relation) -> Relation | None:
    """Whoever has other values is taken for somebody who comes or goes."""
    return evolve(relation, moves=frozenset({(1, 0), (0, 1)}), edits=False) if relation.keeps_size else None
