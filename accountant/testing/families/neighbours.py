"""What is tried of a neighbour relation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from accountant.plugin.oracles import RelationOracle
from accountant.promise.neighbours import NEIGHBOURS, Relation
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = NEIGHBOURS


def trials(kit: Kit, name: str, relation: Relation) -> Iterator[Trial]:
    """Its moves, against the author's own word for which datasets are neighbours."""
    subject = f"neighbour relation {name}"
    oracle = kit.oracle(RelationOracle, name)
    asked = partial(laws.relation_has_an_oracle, name, oracle)
    yield Trial("relations say who is related", kit.plugin, subject, asked, subject)
    if oracle is not None:
        same = partial(laws.moves_are_the_relation, relation, oracle)
        yield Trial("moves are the relation", kit.plugin, subject, same, subject)
