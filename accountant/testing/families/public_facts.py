"""What is tried of public information."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from accountant.plugin.oracles import PublicOracle
from accountant.promise.neighbours import NEIGHBOURS, Relation
from accountant.promise.public_facts import PUBLIC_FACTS, Public
from accountant.testing import laws
from accountant.testing.instances import instances
from accountant.testing.trial import Kit, Trial

FAMILY = PUBLIC_FACTS


def trials(kit: Kit, kind: str, cls: type[Public]) -> Iterator[Trial]:
    """How far apart it lets the data be, against its author's scenarios."""
    subject = f"public information {kind}"
    oracle = kit.oracle(PublicOracle, kind)
    asked = partial(laws.public_has_an_oracle, kind, oracle)
    yield Trial("public information says what it leaves possible", kit.plugin, subject, asked, subject)
    if oracle is None:
        return
    for name, relation in kit.registry[NEIGHBOURS].items():
        covers = partial(_tried, kit, cls, oracle, relation)
        yield Trial("reach covers the scenarios", kit.plugin, f"{subject}, {name}", covers, subject)


def _tried(kit: Kit, cls: type[Public], oracle: PublicOracle, relation: Relation) -> None:
    public = instances(cls, kit.registry, oracle)
    kit.searched(laws.reach_covers_the_scenarios, oracle, relation, public=public, examples=20)()
