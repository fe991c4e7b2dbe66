"""Laws of queries between neighbours by policies: by values that are joined, or by records that are taken out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from accountant.finite.domain import moves
from accountant.plugin.oracles import PolicyOracle, QueryOracle
from accountant.promise.neighbours import Neighbours, Policy, Relation
from accountant.release.query import Query
from accountant.testing.laws.query import MOST_KINDS, Dataset, answer_of, difference, require_within, shift_of

_MOST_DATASETS = 40


def query_moves_no_further_by_policies(oracle: QueryOracle, related: PolicyOracle, query: Query, policy: Policy) -> None:
    """Between no two neighbours by a policy does the answer move further than the query says.

    Of the policy's datasets those are looked at that the query speaks of too.
    """
    neighbours = Neighbours(Relation.of(policy), policy.unit or "person")
    shift = shift_of(query, neighbours)
    known = [record for record in oracle.records(query) if isinstance(record, Mapping)]
    if shift is None or not known:
        return
    pairs = _taken_out(policy, known) if _about_nulls(policy) else _joined(neighbours.relation, related, policy, known)
    for before, after in pairs:
        first, second = answer_of(oracle, query, before), answer_of(oracle, query, after)
        if first is not None and second is not None:
            require_within(query, neighbours, shift, (before, after), difference(first, second))


def query_and_policy_share_attributes(oracle: QueryOracle, related: PolicyOracle, query: Query, policy: Policy) -> bool:
    """Whether a record that a query knows has only attributes of which a policy's datasets speak too.

    Where records are taken out, they may have any attributes.
    """
    if _about_nulls(policy):
        return True
    spoken_of = {name for data in related.datasets(policy) for record in data for name in dict(record or ())}
    return any(isinstance(record, Mapping) and set(record) <= spoken_of for record in oracle.records(query))


def _about_nulls(policy: Policy) -> bool:
    """Whether neighbours by a policy have null records for others of any attributes."""
    return policy.public_size and policy.differing is None


def _taken_out(policy: Policy, known: list[Mapping[str, Any]]) -> Iterator[tuple[Dataset, Dataset]]:
    """One record beside at most one other, and the other alone: a null record adds nothing to any answer."""
    for others in ((), *((record,) for record in known[:MOST_KINDS])):
        for record in known[:MOST_KINDS]:
            if policy.joins([record], [None]) or policy.joins([None], [record]):
                yield (*others, record), others


def _joined(
    relation: Relation, related: PolicyOracle, policy: Policy, known: list[Mapping[str, Any]]
) -> Iterator[tuple[Dataset, Dataset]]:
    """Neighbours among the datasets of a policy as a query sees them."""
    joined = moves(relation)
    spoken_of = [(data, seen) for data in related.datasets(policy) if (seen := _seen(data, known)) is not None]
    for (left, before), (right, after) in itertools.permutations(spoken_of[:_MOST_DATASETS], 2):
        if joined(left, right) or joined(right, left):
            yield before, after


def _seen(dataset: Dataset, known: list[Mapping[str, Any]]) -> Dataset | None:
    """The records of a policy's dataset as a query sees them; None where it knows nothing of one."""
    found = []
    for record in dataset:
        values = {} if record is None else dict(record)
        own = next((one for one in known if all(name in values and values[name] == one[name] for name in one)), None)
        if own is None:
            return None
        found.append(own)
    return tuple(found)
