"""What is tried of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import evolve
from hypothesis import strategies as st

from accountant.plugin.oracles import PolicyOracle, QueryOracle
from accountant.promise.neighbours import NEIGHBOURS, POLICIES
from accountant.release.query import QUERIES, Query
from accountant.testing import laws
from accountant.testing.examples import examples
from accountant.testing.instances import edge_cases, instances
from accountant.testing.trial import Kit, Trial

FAMILY = QUERIES


def trials(kit: Kit, kind: str, cls: type[Query]) -> Iterator[Trial]:
    """What it says of its moves, against all small datasets and against itself."""
    subject = f"query {kind}"
    oracle = kit.oracle(QueryOracle, kind)
    asked = partial(laws.query_has_an_oracle, cls, oracle)
    yield Trial("queries say what they compute", kit.plugin, subject, asked, subject)
    for name, relation in kit.registry[NEIGHBOURS].items():
        between = f"{subject}, {name}"
        if oracle is not None:
            further = partial(_tried, kit, cls, oracle, partial(laws.query_moves_no_further, oracle, relation))
            yield Trial("queries move no further than they say", kit.plugin, between, further, subject)
        grouped = partial(laws.groups_move_as_far_as_their_moves, relation)
        groups = partial(_tried, kit, cls, oracle, grouped, size=st.integers(2, 4))
        yield Trial("groups move as far as their moves", kit.plugin, between, groups, subject)
    if oracle is not None:
        for name in kit.registry[POLICIES]:
            related = kit.oracle(PolicyOracle, name)
            if related is not None:
                further = partial(_tried_by, kit, cls, oracle, related)
                yield Trial("queries move no further than they say", kit.plugin, f"{subject}, {name}", further, subject)
        adds = partial(_tried, kit, cls, oracle, partial(laws.records_add_what_they_are_said_to, oracle))
        yield Trial("records add what they are said to", kit.plugin, subject, adds, subject)


def _tried(kit: Kit, cls: type[Query], oracle: QueryOracle | None, law: Callable[..., None], **drawn: Any) -> None:
    """A law on queries at the bounds of their parameters, and on others."""
    known = st.sampled_from(edge_cases(cls, kit.registry)) if oracle is None or oracle.instances is None else st.nothing()
    query = (known | instances(cls, kit.registry, oracle)).flatmap(partial(_stated, oracle))
    kit.searched(law, query=query, examples=15, **drawn)()
    if not drawn and (oracle is None or oracle.instances is None):
        for edge in edge_cases(cls, kit.registry):
            law(query=evolve(edge, attributes=None))


def _tried_by(kit: Kit, cls: type[Query], oracle: QueryOracle, related: PolicyOracle) -> None:
    """A query between neighbours by a policy, both of which are drawn, where they speak of the same attributes."""
    query = instances(cls, kit.registry, oracle).map(partial(evolve, attributes=None))
    policy = related.instances()
    queries, policies = examples(query, 1), examples(policy, 1)
    if queries and policies and laws.query_and_policy_share_attributes(oracle, related, queries[0], policies[0]):
        by = partial(laws.query_moves_no_further_by_policies, oracle, related)
        kit.searched(by, examples=10, query=query, policy=policy)()


def _stated(oracle: QueryOracle | None, query: Query) -> st.SearchStrategy[Query]:
    """The query as plans state it: nothing is said about attributes, or that it looks at all that a record has.

    Where its records have whatever attribute is named, it looks at that one and at none of the others that they have.
    """
    open_ended, named = evolve(query, attributes=None), evolve(query, attributes=[_NAMED])
    record, other = (None if oracle is None else next(iter(oracle.records(each)), None) for each in (open_ended, named))
    every = evolve(query, attributes=list(record)) if isinstance(record, Mapping) else open_ended
    by_name = named if isinstance(other, Mapping) and _NAMED in other else open_ended
    return st.sampled_from((open_ended, every, by_name))


_NAMED = "anything"
