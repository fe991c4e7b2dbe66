"""What is tried of a composition rule."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from hypothesis import strategies as st

from accountant.loss import FiniteLoss
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, CompositionRule, Divergence
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
    weights = kit.searched(laws.weights_add_up, rule, definition, first=pair, second=pair)
    yield Trial("weights add up to what a rule gives", kit.plugin, name, weights, subject)
    tiny = partial(laws.rule_keeps_what_is_tiny, rule, definition)
    yield Trial("rules never undercut many releases", kit.plugin, f"{name}, what is tiny", tiny, subject)
    many = partial(_on_many, kit, rule, definition)
    yield Trial("rules never undercut many releases", kit.plugin, name, many, subject)
    product = kit.searched(laws.rule_never_undercuts, rule, definition, first=pair, second=pair, count=count)
    yield Trial("rules never undercut the exact product", kit.plugin, name, product, subject)
    ends = kit.searched(laws.rule_reads_upper_ends, rule, definition, first=pair, second=pair, examples=12)
    yield Trial("rules never undercut the exact product", kit.plugin, f"{name}, both ends", ends, subject)
    for words, pairs in (("different releases", _DIFFERENT), ("different leaks", _LEAKS)):
        different = partial(laws.rule_never_undercuts_different, rule, definition, pairs)
        yield Trial("rules never undercut the exact product", kit.plugin, f"{name}, {words}", different, subject)
    if rule.merges:
        merged = kit.searched(laws.merging_loses_nothing, rule, definition, first=pair, second=pair, examples=6)
        yield Trial("rules that merge lose nothing", kit.plugin, name, merged, subject)


_DIFFERENT = tuple(
    FiniteLoss([(Fraction(share, 100), 1 - Fraction(share, 100)), (1 - Fraction(share, 100), Fraction(share, 100))])
    for share in (51, 52, 53, 54, 55, 56, 75)
)
"""Responses of seven different epsilons, of which the last tells more than all others together."""
_LEAKS = tuple(
    FiniteLoss([(Fraction(share, 100), 0), (1 - Fraction(share, 100),) * 2, (0, Fraction(share, 100))])
    for share in (1, 2, 3, 20)
)
"""Releases that tell everything with four different chances, and otherwise nothing."""


def _on_many(kit: Kit, rule: CompositionRule, definition: Divergence) -> None:
    """Telling releases many times; looking harder, random ones."""
    weak, strong, rare, faint = (
        FiniteLoss([(p, q), (1 - p, 1 - q)])
        for p, q in (
            (Fraction(11, 20), Fraction(9, 20)),
            (Fraction(3, 4), Fraction(1, 4)),
            (Fraction(1, 100), Fraction(1, 400)),
            (Fraction(10_001, 20_000), Fraction(9_999, 20_000)),
        )
    )
    share = Fraction(1, 10_000)
    leaky = FiniteLoss([(share, 0), (1 - share, 1 - share), (0, share)])
    for pair, count in ((leaky, 5000), (weak, 10), (strong, 10), (rare, 60), (weak, 300), (faint, 5000)):
        laws.rule_never_undercuts_many(rule, definition, pair, count)
    if kit.depth.level > 1:
        two, many = strategies.finite_losses(size=2, smallest=1), st.sampled_from((10, 60, 400))
        kit.searched(laws.rule_never_undercuts_many, rule, definition, pair=two, count=many, examples=2)()
