"""What is tried of a composition rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hypothesis import strategies as st

from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, CompositionRule
from accountant.testing import laws, strategies
from accountant.testing.trial import Kit, Trial

FAMILY = COMPOSITION_RULES


def trials(kit: Kit, name: str, rule: CompositionRule) -> Iterator[Trial]:
    """Every law of rules, on exact pairs."""
    subject = f"composition rule {name}"
    names = partial(laws.rule_names_a_definition, name, kit.registry)
    yield Trial("rules name a definition", kit.plugin, name, names, subject)
    definition = kit.registry[DIVERGENCES].get(rule.divergence)
    if definition is None:
        return
    pair, count = strategies.finite_losses(size=3, smallest=1), st.integers(2, 4)
    counts = kit.searched(laws.rule_counts_repetition, rule, definition, pair=pair, count=count)
    yield Trial("count equals repetition", kit.plugin, name, counts, subject)
    order = kit.searched(laws.rule_ignores_order, rule, definition, first=pair, second=pair)
    yield Trial("order is irrelevant", kit.plugin, name, order, subject)
    product = kit.searched(laws.rule_never_undercuts, rule, definition, first=pair, second=pair, count=count)
    yield Trial("rules never undercut the exact product", kit.plugin, name, product, subject)
