"""How many moves of a neighbour relation change so many records."""

from __future__ import annotations

from accountant import Neighbours, ShiftError


def replacing(neighbours: Neighbours) -> int:
    """The moves that give one unit other values: one, or two where a unit must leave and another come."""
    _require_single(neighbours)
    if neighbours.relation.by_value:
        return 1
    _require_leaving(neighbours)
    return 2


def leaving(neighbours: Neighbours) -> int:
    """The moves that take one unit out of the data: one."""
    _require_single(neighbours)
    if neighbours.relation.by_value:
        raise ShiftError(
            f"'{neighbours.relation.name}' keeps everybody in the data, so nobody can be hidden; use 'add-remove' "
            "neighbours, or secrets about values"
        )
    _require_leaving(neighbours)
    return 1


def _require_leaving(neighbours: Neighbours) -> None:
    if not neighbours.relation.by_presence:
        raise ShiftError(
            f"how many steps of '{neighbours.relation.name}' change a record is not known; use 'replace-one' or "
            "'add-remove' neighbours"
        )


def _require_single(neighbours: Neighbours) -> None:
    if neighbours.group != 1 or neighbours.attributes is not None:
        raise ShiftError(
            f"secrets are about everything that one {neighbours.unit} says; leave 'group' and 'attributes' out of the "
            "neighbours"
        )
