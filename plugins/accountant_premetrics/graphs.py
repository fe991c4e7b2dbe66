"""Neighbours of graphs: by one edge, or by one node with all its edges.

A dataset is a simple undirected graph. It has a record for each node, `{"node": name}`, and one for each edge,
`{"edge": (name, name)}`; both may have attributes of their own, which do not depend on other records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import field, frozen

from accountant.fields import about, at_least, at_most, whole
from accountant.plugin import ADD_REMOVE, Policy, Record, Relation

_LIMIT = [at_least(1), at_most(1_000_000)]
_INSTEAD = dict.fromkeys(("max_degree", "degree_bound", "at_most", "bound"), "did you mean 'degree'?")


def _bound(value: int | None) -> int | None:
    return None if value is None else whole(value)


def _is_edge(record: Record) -> bool:
    return record is not None and "edge" in record


@frozen
class Edge(Policy):
    """One edge is there in one graph and not in the other, between nodes that are there in both.

    Definition: two graphs of the same nodes are neighbours if one has an edge more. Where `degree` is given, the promise is
    about graphs in which no node has more edges.
    """

    kind: ClassVar[str] = "edge"
    unit: ClassVar[str] = "edge"
    instead: ClassVar[Mapping[str, str]] = _INSTEAD

    degree: int | None = field(
        default=None,
        converter=_bound,
        validator=_LIMIT,
        metadata=about(
            "how many edges a node has at most in every graph that the promise is about",
            {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        ),
    )

    @property
    def moves(self) -> frozenset[tuple[int, int]]:
        return ADD_REMOVE.moves

    @property
    def meaning(self) -> str:
        return "one edge between nodes that are there in both is there in one graph and not in the other"

    @property
    def leaves_open(self) -> str:
        said = "Which nodes there are is not protected, and who has many edges is protected for each of them alone."
        return said if self.degree is None else f"{said} {_bounded(self.degree)}"

    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        return len(gone) + len(come) == 1 and all(map(_is_edge, (*gone, *come)))

    def steps_in(self, other: Relation) -> int | None:
        there = other.policy
        if isinstance(there, Edge):
            return 1 if there.degree is None or _within(self.degree, there.degree) else None
        if isinstance(there, Node):
            # To remove one of its nodes with all edges, and add it with all but that.
            return 2 if _within(self.degree, there.degree) else None
        return 1 if there is None and ADD_REMOVE.moves <= other.moves else None


def _within(degree: int | None, bound: int) -> bool:
    return degree is not None and degree <= bound


def _bounded(degree: int) -> str:
    return f"It is about graphs in which no node has more than {degree:,} edges."


@frozen
class Node(Policy):
    """One node is there, with all its edges, in one graph and not in the other.

    Definition: two graphs in which no node has more than `degree` edges are neighbours if one is the other without one node
    and the edges that end there.
    """

    kind: ClassVar[str] = "node"
    unit: ClassVar[str] = "node"
    instead: ClassVar[Mapping[str, str]] = _INSTEAD

    degree: int = field(
        converter=whole,
        validator=_LIMIT,
        metadata=about("how many edges a node has at most in every graph that the promise is about"),
    )

    @property
    def moves(self) -> frozenset[tuple[int, int]]:
        most = self.degree + 1
        return frozenset({(most, 0), (0, most)})

    @property
    def meaning(self) -> str:
        return f"one node with its edges, at most {self.degree:,}, is there in one graph and not in the other"

    @property
    def leaves_open(self) -> str:
        return _bounded(self.degree)

    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        if gone and come:
            return False
        nodes = [record["node"] for record in (*gone, *come) if record is not None and "node" in record]
        edges = [record["edge"] for record in (*gone, *come) if record is not None and "edge" in record]
        whole_difference = len(nodes) + len(edges) == len(gone) + len(come)
        return (
            whole_difference and len(nodes) == 1 and len(edges) <= self.degree and all(nodes[0] in edge for edge in edges)
        )

    def steps_in(self, other: Relation) -> int | None:
        there: Any = other.policy
        return 1 if isinstance(there, Node) and self.degree <= there.degree else None
