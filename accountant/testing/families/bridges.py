"""What is tried of a bridge."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hypothesis import strategies as st

from accountant.plan.bridge import BRIDGES, Bridge
from accountant.plugin.oracles import BridgeOracle
from accountant.testing import laws
from accountant.testing.tampered import HOSTILE
from accountant.testing.trial import Kit, Trial

FAMILY = BRIDGES


def trials(kit: Kit, name: str, bridge: Bridge) -> Iterator[Trial]:
    """What its author knows of histories, then all that can be done to one."""
    subject = f"bridge {name}"
    oracle = kit.oracle(BridgeOracle, name)
    asked = partial(laws.bridge_has_an_oracle, name, oracle)
    yield Trial("bridges show what they read", kit.plugin, subject, asked, subject)
    if oracle is None:
        return
    known = partial(laws.known_histories_become_known_releases, bridge, oracle, kit.registry)
    yield Trial("known histories become known releases", kit.plugin, subject, known, subject)
    of = (bridge, oracle, kit.registry)
    history = st.deferred(oracle.histories)
    costs = kit.searched(
        laws.history_costs_what_happened, *of, first=history, second=history, times=st.integers(2, 5), examples=15
    )
    yield Trial("histories cost what happened", kit.plugin, subject, costs, subject)
    plans = kit.searched(laws.history_becomes_a_plan, *of, history=history, examples=3)
    yield Trial("histories become plans", kit.plugin, subject, plans, subject)
    counts = kit.searched(laws.nothing_in_a_history_is_overlooked, *of, history=history, examples=8)
    yield Trial("nothing in a history is overlooked", kit.plugin, subject, counts, subject)
    hostile = kit.searched(
        laws.hostile_histories_are_refused_in_words,
        *of,
        history=history,
        value=st.sampled_from(HOSTILE) | st.recursive(st.just("planted"), st.lists, max_leaves=3),
        examples=30,
    )
    yield Trial("hostile histories are refused in words", kit.plugin, subject, hostile, subject)
    runs = kit.searched(laws.histories_run_nothing, *of, history=history, examples=3)
    yield Trial("histories run nothing", kit.plugin, subject, runs, subject)
