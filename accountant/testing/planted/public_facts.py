"""What may go wrong in public information."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from accountant.promise.neighbours import Neighbours
from accountant.promise.public_facts import PUBLIC_FACTS, Public, Reach
from accountant.testing.planting import faulty

FAMILY = PUBLIC_FACTS


def one_move_for_all(cls: type[Public]) -> type[Public]:
    """The data are said to be one move apart, whatever is public."""
    return _reaching(cls, lambda reach, neighbours: evolve(reach, units=1 if reach.units else reach.units))


def one_unit_forgotten(cls: type[Public]) -> type[Public]:
    """One of those who change with the secret is forgotten."""

    def less(reach: Reach, neighbours: Neighbours) -> Reach:
        return evolve(reach, units=None if reach.units is None else max(0, reach.units - 1))

    return _reaching(cls, less)


def replaced_by_one_move(cls: type[Public]) -> type[Public]:
    """A record is said to change by one move where it leaves and comes back."""

    def less(reach: Reach, neighbours: Neighbours) -> Reach:
        moves = neighbours.relation.replacement or 1
        return evolve(reach, units=None if reach.units is None else reach.units // moves)

    return _reaching(cls, less)


def nothing_moves(cls: type[Public]) -> type[Public]:
    """The data are said not to differ at all."""
    return _reaching(cls, lambda reach, neighbours: evolve(reach, units=0))


def decided_secrets_promised(cls: type[Public]) -> type[Public]:
    """It is not said that public information decides every secret."""
    return _reaching(cls, lambda reach, neighbours: evolve(reach, live=None))


def open_secrets_called_decided(cls: type[Public]) -> type[Public]:
    """It is said that public information decides every secret, which it leaves open."""
    return _reaching(cls, lambda reach, neighbours: evolve(reach, live=0))


def _reaching(cls: type[Public], other: Callable[[Reach, Neighbours], Reach]) -> type[Public]:
    return faulty(cls, reach=lambda public, neighbours: other(cls.reach(public, neighbours), neighbours))
