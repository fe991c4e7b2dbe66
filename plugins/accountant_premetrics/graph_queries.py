"""Queries of graphs."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant import Neighbours, ShiftError, Theorem
from accountant.plugin import Query, Shift
from accountant_premetrics.graphs import Edge, Node
from accountant_premetrics.theorems import GRAPH_SHIFT


@frozen
class OfGraph(Query):
    """A query of a whole graph, between neighbours by edges or nodes."""

    theorem: ClassVar[Theorem] = GRAPH_SHIFT

    def _shift(self, neighbours: Neighbours) -> Shift:
        policy = neighbours.relation.policy
        if isinstance(policy, Edge):
            return self._by_edge(policy.degree).times(neighbours.group)
        if isinstance(policy, Node):
            return self._by_node(policy.degree).times(neighbours.group)
        raise ShiftError(
            f"'{self.kind}' reads a graph, and '{neighbours.relation.name}' neighbours are none; promise 'edge' or 'node'"
        )

    def check_plain(self, neighbours: Neighbours, what: str) -> None:
        raise ShiftError(f"'{self.kind}' looks at a whole graph, and {what} is not accounted for there; leave one out")

    @abstractmethod
    def _by_edge(self, degree: int | None) -> Shift:
        """The worst move where one edge comes or goes."""

    @abstractmethod
    def _by_node(self, degree: int) -> Shift:
        """The worst move where one node comes or goes with at most so many edges."""


@frozen
class EdgeCount(OfGraph):
    """How many edges a graph has.

    Guarantee: it moves by one between neighbours by edges, and by the bound on degrees between neighbours by nodes.
    """

    kind: ClassVar[str] = "edge-count"

    def _by_edge(self, degree: int | None) -> Shift:
        return Shift.at([1])

    def _by_node(self, degree: int) -> Shift:
        return Shift.at([degree])


@frozen
class DegreeHistogram(OfGraph):
    """How many nodes have each number of edges.

    Guarantee: where one edge comes or goes two nodes change cells. Where a node of d edges does, d others change cells, and
    the node itself comes or goes: at most d + 1 nodes leave a cell and d enter one, or the other way round.
    """

    kind: ClassVar[str] = "degree-histogram"

    def _by_edge(self, degree: int | None) -> Shift:
        return _cells(2, 2)

    def _by_node(self, degree: int) -> Shift:
        return _cells(degree + 1, degree)


def _cells(one: int, other: int) -> Shift:
    """So many nodes leave cells and so many enter them, all of them one and the same at worst."""
    gathered = (Fraction(one), Fraction(-other))
    return Shift(Fraction(one + other), Fraction(one**2 + other**2), Fraction(max(one, other)), gathered=gathered)


@frozen
class Triangles(OfGraph):
    """How many triangles a graph has.

    Guarantee: in graphs in which no node has more than d edges it moves by at most d - 1 where an edge comes or goes, and
    by d(d - 1)/2 where a node does. Without a bound nothing bounds it, and it is refused.
    """

    kind: ClassVar[str] = "triangles"

    def _by_edge(self, degree: int | None) -> Shift:
        if degree is None:
            raise ShiftError(
                "one edge may close any number of triangles; say how many edges a node has at most: neighbours = { kind = "
                '"edge", degree = ... }'
            )
        return Shift.at([degree - 1])

    def _by_node(self, degree: int) -> Shift:
        return Shift.at([degree * (degree - 1) // 2])
