"""Trials: every law put together with everything registered that it speaks about."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

import attrs
from attrs import frozen
from hypothesis import strategies as st

from accountant.errors import AccountantError
from accountant.plugin.cases import CASES, ConformanceCase, MechanismCase, ParameterCase
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, Divergence
from accountant.promise.neighbours import NEIGHBOURS, Relation
from accountant.promise.risk import RISK_PROFILES
from accountant.registry.registry import Registry, default_registry
from accountant.release.mechanism import MECHANISMS
from accountant.release.query import QUERIES
from accountant.release.sampling import SAMPLINGS, Sampling
from accountant.report.interface import REPORTS
from accountant.testing import laws, strategies
from accountant.testing.examples import search
from accountant.testing.worlds import met, telling, worlds
from accountant.values.family import Family

_DOCUMENTED: tuple[Family[Any], ...] = (
    MECHANISMS,
    QUERIES,
    SAMPLINGS,
    DIVERGENCES,
    COMPOSITION_RULES,
    CONVERSIONS,
    RISK_PROFILES,
    REPORTS,
)


@frozen
class Trial:
    """One law on one registered item; calling it raises AssertionError with a counterexample if the law is broken."""

    law: str
    plugin: str
    item: str
    check: Callable[[], None]

    def __call__(self) -> None:
        self.check()

    def __str__(self) -> str:
        return f"law[{self.law}][{self.plugin}: {self.item}]"


def trials(plugin: str | None = None, *, registry: Registry | None = None) -> tuple[Trial, ...]:
    """Every law over everything that one plugin registers, or all of them."""
    known = registry or default_registry()
    chosen = list(known.plugins) if plugin is None else [plugin]
    offered = {name: list(known.offered(CASES, name).values()) for name in known.plugins}
    return tuple(trial for name in chosen for trial in _of_plugin(name, offered, known))


def _of_plugin(plugin: str, offered: Mapping[str, list[ConformanceCase]], registry: Registry) -> Iterator[Trial]:
    every = list(itertools.chain.from_iterable(offered.values()))
    yield from _catalogue(plugin, every, registry)
    cases = strategies.as_mechanisms(offered[plugin], registry)
    others = cases if len(cases) > 1 else [*cases, *strategies.as_mechanisms(every, registry)]
    for index, case in enumerate(cases):
        yield from _mechanism(plugin, case, others[(index + 1) % len(others)], registry)
    for name in registry.plugins[plugin].registers.get(DIVERGENCES.name, ()):
        yield from _definition(plugin, registry[DIVERGENCES][name])
        yield from _meaning(plugin, registry[DIVERGENCES][name], registry)
    for name in registry.plugins[plugin].registers.get(REPORTS.name, ()):
        told = partial(_in_worlds, laws.report_is_never_false, registry[REPORTS][name], registry, 3)
        yield Trial("reports are never false", plugin, name, told)
    for known in offered[plugin]:
        if isinstance(known, ParameterCase):
            definition = registry.find(DIVERGENCES, known.divergence)
            check = partial(laws.parameters_come_back, definition, known.parameter)
            yield Trial("parameters come back", plugin, known.name, check)
            if definition.leak is not None:
                told = partial(laws.leaks_are_told, definition, known.parameter)
                yield Trial("leaks are told", plugin, known.name, told)
    for name in registry.plugins[plugin].registers.get(COMPOSITION_RULES.name, ()):
        yield from _rule(plugin, name, registry)
    for name in registry.plugins[plugin].registers.get(CONVERSIONS.name, ()):
        yield from _conversion(plugin, name, every, registry)
    for kind in registry.plugins[plugin].registers.get(SAMPLINGS.name, ()):
        yield from _sampling(plugin, registry[SAMPLINGS][kind], registry)


def _catalogue(plugin: str, cases: Collection[ConformanceCase], registry: Registry) -> Iterator[Trial]:
    registers = registry.plugins[plugin].registers
    for family in _DOCUMENTED:
        word = "definition" if family is DIVERGENCES else family.word
        for name in registers.get(family.name, ()):
            item = registry.find(family, name)
            label = f"{word} {name}"
            yield Trial("items are documented", plugin, label, partial(laws.item_is_documented, word, name, item))
            if family.cites:
                check = partial(laws.item_cites_registered_theorems, word, name, item, registry)
                yield Trial("items cite registered theorems", plugin, label, check)
    for kind in registers.get(MECHANISMS.name, ()):
        yield Trial("items have cases", plugin, f"mechanism {kind}", partial(laws.mechanism_has_cases, kind, cases))
    for name in registers.get(DIVERGENCES.name, ()):
        yield Trial("items have cases", plugin, f"definition {name}", partial(laws.definition_has_cases, name, cases))


def _mechanism(plugin: str, case: MechanismCase, other: MechanismCase, registry: Registry) -> Iterator[Trial]:
    for name, law in laws.LOSS_LAWS.items():
        yield Trial(name, plugin, case.name, partial(_on_loss, law, case))
    for name, law in laws.MECHANISM_LAWS.items():
        yield Trial(name, plugin, case.name, partial(law, case))
    for name, law in laws.PLAN_LAWS.items():
        yield Trial(name, plugin, case.name, partial(law, case, registry))
    for name, law in laws.COMPANY_LAWS.items():
        yield Trial(name, plugin, case.name, partial(law, case, other, registry))


def _on_loss(law: Callable[..., None], case: MechanismCase) -> None:
    law(case.mechanism.loss(case.shift))


def _definition(plugin: str, definition: Divergence) -> Iterator[Trial]:
    pair, name = strategies.finite_losses(), definition.name
    first = partial(laws.first_reading_names_the_parameter, definition)
    yield Trial("first reading names the parameter", plugin, name, first)
    answers = partial(search, laws.readings_answer, definition, loss=strategies.losses())
    yield Trial("readings answer on every loss", plugin, name, answers)
    dominates = partial(search, laws.worst_case_dominates, definition, loss=strategies.finite_losses(smallest=1))
    yield Trial("worst case dominates", plugin, name, dominates)
    groups = partial(search, laws.groups_never_exceed, definition, chain=strategies.chains())
    yield Trial("groups keep what they cost", plugin, name, groups)
    if definition.properties.post_processing:
        channel = strategies.channels()
        check = partial(search, laws.post_processing_never_raises, definition, pair=pair, channel=channel)
        yield Trial("post-processing never raises the parameter", plugin, name, check)
    if definition.properties.convexity:
        weight = strategies.exact_numbers(0, 1)
        check = partial(search, laws.mixtures_never_raise, definition, first=pair, second=pair, weight=weight)
        yield Trial("mixtures never raise the parameter", plugin, name, check)


def _sampling(plugin: str, cls: type[Sampling], registry: Registry) -> Iterator[Trial]:
    for name, relation in registry[NEIGHBOURS].items():
        check = partial(_on_samplings, cls, registry, relation)
        yield Trial("an insider's number is never below an outsider's", plugin, f"sampling {cls.kind}, {name}", check)
        attained = partial(_on_small_samples, cls, registry, relation)
        yield Trial("lower ends are attained", plugin, f"sampling {cls.kind}, {name}", attained)


def _on_samplings(cls: type[Sampling], registry: Registry, relation: Relation) -> None:
    search(laws.insiders_know_no_less, registry, relation, sampling=strategies.samplings(cls), examples=12)


def _on_small_samples(cls: type[Sampling], registry: Registry, relation: Relation) -> None:
    """Samplings of few records, and every query that says what a record adds."""
    queries = [query for known in registry[QUERIES].values() for query in _made(known, ((), (-1, 2), (2, 3)))]
    for sampling in _made(cls, ((), ("3/10",), (1, 2), (2, 3))):
        for query in queries:
            laws.lower_ends_are_attained(registry, relation, sampling, query)


def _made(cls: Any, choices: Collection[tuple[Any, ...]]) -> Iterator[Any]:
    """Values of a class whose parameters can be filled in with any of these."""
    needed = [member.name for member in attrs.fields(cls) if member.init and member.default is attrs.NOTHING]
    for values in choices:
        if len(values) == len(needed):
            try:
                yield cls(**dict(zip(needed, values, strict=True)))
            except AccountantError:
                continue


def _meaning(plugin: str, definition: Divergence, registry: Registry) -> Iterator[Trial]:
    sides = partial(laws.meaning_names_both_sides, definition)
    yield Trial("meanings leave open what is compared", plugin, definition.name, sides)
    said = partial(_in_worlds, laws.meaning_is_never_false, definition, registry, 15)
    yield Trial("meanings are never false", plugin, definition.name, said)


def _in_worlds(law: Callable[..., None], item: Any, registry: Registry, examples: int) -> None:
    """Try a law in worlds that were chosen to tell, and in random ones."""
    for world in telling(registry):
        law(item, met(world))
    search(law, item, world=worlds(registry).map(met), examples=examples)


def _rule(plugin: str, name: str, registry: Registry) -> Iterator[Trial]:
    yield Trial("rules name a definition", plugin, name, partial(laws.rule_names_a_definition, name, registry))
    rule = registry[COMPOSITION_RULES][name]
    definition = registry[DIVERGENCES].get(rule.divergence)
    if definition is None:
        return
    pair, count = strategies.finite_losses(size=3, smallest=1), st.integers(2, 4)
    counts = partial(search, laws.rule_counts_repetition, rule, definition, pair=pair, count=count)
    yield Trial("count equals repetition", plugin, name, counts)
    order = partial(search, laws.rule_ignores_order, rule, definition, first=pair, second=pair)
    yield Trial("order is irrelevant", plugin, name, order)
    product = partial(search, laws.rule_never_undercuts, rule, definition, first=pair, second=pair, count=count)
    yield Trial("rules never undercut the exact product", plugin, name, product)


def _conversion(plugin: str, name: str, cases: Collection[ConformanceCase], registry: Registry) -> Iterator[Trial]:
    yield Trial("conversions name definitions", plugin, name, partial(laws.conversion_names_definitions, name, registry))
    conversion = registry[CONVERSIONS][name]
    source, target = (registry[DIVERGENCES].get(word) for word in (conversion.source, conversion.target))
    if source is None or target is None:
        return
    holds = partial(search, laws.conversion_holds, conversion, source, target, pair=strategies.finite_losses(smallest=1))
    yield Trial("conversions hold for exact pairs", plugin, name, holds)
    for case in cases:
        if isinstance(case, ParameterCase) and case.divergence == source.name:
            check = partial(laws.conversion_never_beats_the_lens, conversion, source, target, case.parameter)
            yield Trial("conversions never beat what is attained", plugin, f"{name}, {case.name}", check)
