"""Which datasets are neighbours and what queries compute, in one line each, for the laws to hold them to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any

from accountant.plugin import Oracle, PolicyOracle, QueryOracle
from accountant_premetrics.graph_queries import DegreeHistogram, EdgeCount, Triangles
from accountant_premetrics.graphs import Edge, Node
from accountant_premetrics.value_queries import AttributeSum, Thresholds
from accountant_premetrics.values import Blowfish, Metric
from accountant_premetrics.zero_out import ZeroOut

Dataset = tuple[Any, ...]
_VALUE, _OTHER = "value", "other"
_NAMES = "abc"


def oracles() -> Iterable[Oracle]:
    """Of every policy and every query."""
    yield PolicyOracle(Blowfish.kind, _changed_along_an_edge, _valued, _graphs_of_values)
    yield PolicyOracle(Metric.kind, _changed_by_a_step, _numbered, _steps)
    yield PolicyOracle(ZeroOut.kind, _nulled, _with_nulls, _single(ZeroOut))
    yield PolicyOracle(Edge.kind, _one_edge_more, _graphs, _bounded(Edge, 2, 3))
    yield PolicyOracle(Node.kind, _one_node_more, _graphs, _bounded(Node, 1, 2, 3))
    yield QueryOracle(AttributeSum.kind, _clamped_sum, _numbers, instances=_sums)
    yield QueryOracle(Thresholds.kind, _counts, _numbers, instances=_thresholds)
    yield QueryOracle(EdgeCount.kind, lambda query, records: [len(_edges(records))], _of_a_graph)
    yield QueryOracle(DegreeHistogram.kind, lambda query, records: _degrees(records), _of_a_graph)
    yield QueryOracle(Triangles.kind, lambda query, records: [_closed(records)], _of_a_graph)


def _multisets(records: Iterable[Any], most: int) -> Iterator[Dataset]:
    kinds = list(records)
    return chain.from_iterable(combinations_with_replacement(kinds, size) for size in range(most + 1))


def _one_of_each(first: Dataset, second: Dataset) -> tuple[Any, Any] | None:
    """The two records in which datasets of one size differ; None where they differ in more or fewer."""
    rest, new = list(first), []
    for record in second:
        if record in rest:
            rest.remove(record)
        else:
            new.append(record)
    return (rest[0], new[0]) if len(rest) == len(new) == 1 else None


def _values_of(first: Dataset, second: Dataset) -> tuple[Any, Any] | None:
    """The two values of one attribute in which records differ that are otherwise alike."""
    pair = _one_of_each(first, second)
    one, two = ({}, {}) if pair is None else map(dict, pair)
    return (one[_VALUE], two[_VALUE]) if pair is not None and one[_OTHER] == two[_OTHER] else None


# Values ---------------------------------------------------------------------------------------------------------------


def _changed_along_an_edge(policy: Blowfish, first: Dataset, second: Dataset) -> bool:
    values = _values_of(first, second)
    return values is not None and any(set(values) <= set(joined) for joined in policy.edges)


def _changed_by_a_step(policy: Metric, first: Dataset, second: Dataset) -> bool:
    values = _values_of(first, second)
    return values is not None and abs(values[0] - values[1]) <= policy.step


def _valued(policy: Blowfish) -> Iterator[Dataset]:
    return _pairs_and_others(policy.values)


def _numbered(policy: Metric) -> Iterator[Dataset]:
    return _pairs_and_others([Fraction(half, 2) for half in range(5)])


def _pairs_and_others(values: Iterable[Any]) -> Iterator[Dataset]:
    """Up to two records that are alike in all else, and single ones that are not."""
    records = [[((_OTHER, other), (_VALUE, value)) for value in values] for other in (0, 1)]
    return chain(_multisets(records[0], 2), ((record,) for record in records[1]))


def _graphs_of_values() -> Any:
    from hypothesis import strategies as st

    values = ("0", "1", "3", "4")
    lists = st.lists(st.permutations(values).flatmap(lambda order: st.sampled_from((order[:2], order[:3]))), min_size=1)
    return lists.map(lambda edges: Blowfish(_VALUE, values, edges[:3]))


def _steps() -> Any:
    from hypothesis import strategies as st

    return st.sampled_from([Metric(_VALUE, step) for step in ("1/2", "1", "3/2")])


# Null records ---------------------------------------------------------------------------------------------------------


def _nulled(policy: ZeroOut, first: Dataset, second: Dataset) -> bool:
    pair = _one_of_each(first, second)
    return pair is not None and pair.count(None) == 1


def _with_nulls(policy: ZeroOut) -> Iterator[Dataset]:
    return _multisets((None, *(((_VALUE, value),) for value in (0, 1, 2))), 3)


# Graphs ---------------------------------------------------------------------------------------------------------------


def _one_edge_more(policy: Edge, first: Dataset, second: Dataset) -> bool:
    return _nodes(first) == _nodes(second) and len(_edges(second)) == len(_edges(first)) + 1 and set(first) < set(second)


def _one_node_more(policy: Node, first: Dataset, second: Dataset) -> bool:
    new = _nodes(second) - _nodes(first)
    kept = {edge for edge in _edges(second) if not new & set(edge)}
    return len(_nodes(second)) == len(_nodes(first)) + 1 and len(new) == 1 and _edges(first) == kept


def _graphs(policy: Edge | Node) -> Iterator[Dataset]:
    """All graphs of at most three nodes in which none has too many edges."""
    bound = policy.degree
    for size in range(len(_NAMES) + 1):
        for nodes in combinations(_NAMES, size):
            ends = list(combinations(nodes, 2))
            for chosen in product((False, True), repeat=len(ends)):
                edges = [pair for pair, taken in zip(ends, chosen, strict=True) if taken]
                if bound is None or all(sum(name in pair for pair in edges) <= bound for name in nodes):
                    yield (*((("node", name),) for name in nodes), *((("edge", pair),) for pair in edges))


def _bounded(cls: type[Edge] | type[Node], *degrees: int) -> Any:
    def instances() -> Any:
        from hypothesis import strategies as st

        return st.sampled_from([*([Edge()] if cls is Edge else []), *(cls(degree) for degree in degrees)])

    return instances


def _single(cls: type[ZeroOut]) -> Any:
    def instances() -> Any:
        from hypothesis import strategies as st

        return st.just(cls())

    return instances


def _held(records: Iterable[Any], key: str) -> set[Any]:
    return {dict(record)[key] for record in records if record is not None and key in dict(record)}


def _nodes(records: Iterable[Any]) -> set[Any]:
    return _held(records, "node")


def _edges(records: Iterable[Any]) -> set[Any]:
    """The edges between nodes that are there."""
    return {edge for edge in _held(records, "edge") if set(edge) <= _nodes(records)}


# Queries --------------------------------------------------------------------------------------------------------------


def _numbers(query: Any) -> Iterator[dict[str, Any]]:
    for value in (0, 1, 3, 4):
        yield {query.attribute: Fraction(value)}


def _clamped_sum(query: AttributeSum, records: tuple[Any, ...]) -> list[Fraction]:
    values = (record[query.attribute] for record in records)
    return [sum((sorted((query.lower, value, query.upper))[1] for value in values), Fraction(0))]


def _counts(query: Thresholds, records: tuple[Any, ...]) -> list[int]:
    return [sum(record[query.attribute] <= most for record in records) for most in query.thresholds]


def _sums() -> Any:
    from hypothesis import strategies as st

    # Bounds that some record has: further ones are never attained by these.
    bounds = st.sampled_from([(0, 4), (1, 3), (0, 1), (3, 4), (1, 1)])
    return bounds.map(lambda ends: AttributeSum(_VALUE, *ends))


def _thresholds() -> Any:
    from hypothesis import strategies as st

    return st.sampled_from([Thresholds(_VALUE, found) for found in (["0"], ["0", "1"], ["1/2", "3"], ["0", "1", "3"])])


def _of_a_graph(query: Any) -> Iterator[dict[str, Any]]:
    yield from ({"node": "a"}, {"node": "b"}, {"edge": ("a", "b")})


def _degrees(records: Iterable[Any]) -> list[int]:
    nodes, edges = _nodes(records), _edges(records)
    degrees = [sum(node in edge for edge in edges) for node in nodes]
    return [degrees.count(degree) for degree in range(len(_NAMES))]


def _closed(records: Iterable[Any]) -> int:
    edges = {frozenset(edge) for edge in _edges(records)}
    return sum(
        all(frozenset(pair) in edges for pair in combinations(three, 2)) for three in combinations(_nodes(records), 3)
    )
