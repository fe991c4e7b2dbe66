"""Everything that is tried of a plugin: every law together with everything registered that it speaks about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from accountant.plugin.cases import MechanismCase
from accountant.plugin.families import FAMILIES
from accountant.promise.divergence import DIVERGENCES
from accountant.registry.registry import Registry, default_registry
from accountant.testing import laws
from accountant.testing.examples import USUAL, Depth
from accountant.testing.families import tried
from accountant.testing.families.mechanisms import on_case
from accountant.testing.trial import Kit, Trial
from accountant.values.family import Family


def trials(plugin: str | None = None, *, registry: Registry | None = None, depth: Depth = USUAL) -> tuple[Trial, ...]:
    """Every law over everything that one plugin registers, or all of them."""
    known = registry or default_registry()
    chosen = list(known.plugins) if plugin is None else [plugin]
    return tuple(trial for name in chosen for trial in _of_plugin(Kit(name, known, depth)))


def _of_plugin(kit: Kit) -> Iterator[Trial]:
    registers = kit.registry.plugins[kit.plugin].registers
    something = partial(laws.plugin_registers_something, kit.plugin, registers)
    yield Trial("plugins register something", kit.plugin, kit.plugin, something, f"plugin {kit.plugin}")
    for family in FAMILIES:
        if registers.get(family.name):
            speaks = partial(laws.family_has_laws, family, tried())
            yield Trial("families have laws", kit.plugin, family.word, speaks, family.word)
        for name in registers.get(family.name, ()):
            item = kit.registry.find(family, name)
            yield from _catalogue(kit, family, name, item)
            if family in tried():
                yield from tried()[family](kit, name, item)
    yield from _cases(kit)


def _cases(kit: Kit) -> Iterator[Trial]:
    """Cases speak of something that is registered, and those of other plugins' mechanisms are tried as well."""
    registers = kit.registry.plugins[kit.plugin].registers
    for case in kit.own_cases:
        known = partial(laws.case_speaks_of_an_item, case, kit.registry)
        yield Trial("cases speak of what is registered", kit.plugin, case.name, known, f"case {case.name}")
        if isinstance(case, MechanismCase) and case.item not in registers.get(case.family.name, ()):
            yield from on_case(kit, case, f"{case.family.word} {case.item}")


def _catalogue(kit: Kit, family: Family[Any], name: str, item: Any) -> Iterator[Trial]:
    """What holds of items of every family."""
    word = "definition" if family is DIVERGENCES else family.word
    subject = f"{word} {name}"
    documented = partial(laws.item_is_documented, word, name, item, family.base)
    yield Trial("items are documented", kit.plugin, subject, documented, subject)
    if laws.is_usual(item):
        alone = partial(laws.usual_item_is_alone, word, name, item, kit.registry[family])
        yield Trial("one at most is the usual one", kit.plugin, subject, alone, subject)
    if family.cites:
        within = partial(laws.item_stays_within_its_theorem, word, name, item)
        yield Trial("items stay within their theorems", kit.plugin, subject, within, subject)
