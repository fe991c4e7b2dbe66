"""What is tried of a neighbour policy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from accountant.plugin.oracles import PolicyOracle
from accountant.promise.neighbours import POLICIES, Policy
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = POLICIES


def trials(kit: Kit, kind: str, cls: type[Policy]) -> Iterator[Trial]:
    """Whom it joins and how far its steps lead, against the author's own word for which datasets are neighbours."""
    subject = f"neighbour policy {kind}"
    oracle = kit.oracle(PolicyOracle, kind)
    asked = partial(laws.policy_has_an_oracle, kind, oracle)
    yield Trial("policies say who is related", kit.plugin, subject, asked, subject)
    if oracle is None:
        return
    joins = kit.searched(laws.policies_join_neighbours, oracle, policy=oracle.instances(), examples=8)
    yield Trial("policies join neighbours", kit.plugin, subject, joins, subject)
    lead, policy = laws.policies_lead_as_far_as_they_say, oracle.instances()
    leads = kit.searched(lead, oracle, examples=8, policy=policy, other=oracle.instances())
    yield Trial("policies lead as far as they say", kit.plugin, subject, leads, subject)
