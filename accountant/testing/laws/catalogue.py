"""Laws of what a plugin registers: everything is documented, justified and exercised."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import attrs

from accountant.errors import ShiftError, suggest
from accountant.plugin.cases import ConformanceCase, MechanismCase, ParameterCase
from accountant.plugin.oracles import MechanismOracle
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES
from accountant.registry.registry import Registry
from accountant.release.claim import Claim
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.testing.counterexamples import broken
from accountant.values.family import Family
from accountant.values.schema import schema

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_TWO = Shift.along([1, 1])


def plugin_registers_something(plugin: str, registers: Mapping[str, Collection[str]]) -> None:
    """A plugin that registers nothing would pass without being tried."""
    if not any(registers.values()):
        broken(
            f"the plugin '{plugin}' registers nothing, so there is nothing to try",
            remedy="implement a hook of accountant.plugin.hookspecs in the module that the entry point names",
        )


def family_has_laws(family: Family[Any], tried: Collection[Family[Any]]) -> None:
    """Whatever a hook can register is tried."""
    if family not in tried:
        broken(f"the kit has no law for a {family.word} yet, so nothing of it was tried: this is an error of the kit")


def case_speaks_of_an_item(case: ConformanceCase, registry: Registry) -> None:
    """A case or an oracle names something that is registered; otherwise nothing would be tried with it."""
    items = registry[case.family]
    if case.item not in items:
        hint = suggest(case.item, items)
        broken(f"'{case.name}' speaks of the {case.family.word} '{case.item}', which nobody registers{hint}")


def item_is_documented(word: str, name: str, item: Any, base: type | tuple[type, ...] = ()) -> None:
    """An item has a name for plans, a summary, and a description and a schema of every parameter.

    An item that is a plain value of the family's own class has words of its own instead: a meaning, a statement, a help.
    """
    cls = item if isinstance(item, type) else type(item)
    if cls is base:
        _value_is_documented(word, name, item)
        return
    missing = []
    if not _is_name(word, name):
        missing.append("a name of small letters and hyphens")
    if not (cls.__dict__.get("__doc__") or "").strip():
        missing.append("a docstring")
    for value in ("title", "meaning"):
        asked = any(value in inspect.get_annotations(base) for base in cls.__mro__)
        if asked and not str(getattr(item, value, "")).strip():
            missing.append(f"a {value}")
    parameters = getattr(item, "parameter", None) or cls
    if attrs.has(parameters) and not issubclass(cls, Claim):
        missing.extend(_undescribed(parameters))
    if missing:
        broken(
            f"the {word} '{name}' must be documented", **{f"missing_{k}": what for k, what in enumerate(missing, start=1)}
        )


def _is_name(word: str, name: str) -> bool:
    """Whether an item is called as plans and shells can write it. Commands of one group have its name before theirs."""
    return all(map(_NAME.fullmatch, name.split(" ") if word == "command" else [name]))


def _value_is_documented(word: str, name: str, item: Any) -> None:
    said = [getattr(item, words) for words in ("meaning", "statement", "help") if hasattr(item, words)]
    if not _is_name(word, name) or not any(str(words or "").strip() for words in said):
        broken(
            f"the {word} '{name}' must be documented",
            needs="a name of small letters and hyphens, and a meaning, a statement or a help text",
        )


def _undescribed(parameters: type[Any]) -> Iterator[str]:
    known = schema(parameters)["properties"]
    for member in attrs.fields(parameters):
        key = member.alias or member.name
        if not member.metadata.get("about"):
            yield f"a description of the parameter '{key}'; pass metadata=fields.about(...)"
        if set(known[key]) <= {"description"}:
            yield f"a schema of the parameter '{key}'; use a converter of accountant.fields or about(..., schema=...)"


def usual_item_is_alone(word: str, name: str, item: Any, others: Mapping[str, Any]) -> None:
    """Of those that may be meant where nobody names one at most one says that it is: two make it nobody's choice.

    Definitions may be meant by their words, so that it is about those which share a reading. Of mechanisms one is that of
    training.
    """
    rivals = [other for other, known in others.items() if other != name and is_usual(known) and _shares(item, known)]
    if rivals:
        broken(
            f"the {word} '{name}' must not say that it is the usual one, which others say too",
            others=", ".join(f"'{rival}'" for rival in rivals),
            look_at="'in_training'" if getattr(item, "in_training", None) else "'usual'",
            remedy="leave it out, so that whoever wants this one names it",
        )


def is_usual(item: Any) -> bool:
    """Whether an item says that it is meant where nobody names one."""
    return getattr(item, "usual", False) is True or getattr(item, "in_training", None) is not None


def _shares(item: Any, other: Any) -> bool:
    one, two = (
        {(reading.value, frozenset(reading.at)) for reading in getattr(each, "readings", ())} for each in (item, other)
    )
    return bool(one & two) or not (one or two)


def mechanism_has_cases(kind: str, mechanism: type[Mechanism], cases: Collection[ConformanceCase]) -> None:
    """What a mechanism does is said for all parameters: by an oracle, or by running it and cases with exact pairs, one of
    which moves several coordinates if the mechanism accepts that. Cases alone may be right where all else is wrong.
    """
    if kind == Claim.kind:
        if not any(isinstance(case, ParameterCase) for case in cases):
            broken("no definition offers a parameter to claim")
        return
    if any(isinstance(case, MechanismOracle) and case.item == kind and case.says_outputs for case in cases):
        return
    own = [case for case in cases if isinstance(case, MechanismCase) and case.mechanism.kind == kind]
    _require_told(kind, mechanism, own)
    _require_several_coordinates(kind, own)


def _require_told(kind: str, mechanism: type[Mechanism], own: Collection[MechanismCase]) -> None:
    """It can be run, and a case has exact pairs."""
    if not any(case.pairs for case in own) or not hasattr(mechanism, "simulate"):
        broken(
            f"nothing says what the mechanism '{kind}' does, so that it may be wrong wherever no case is",
            cases=", ".join(case.name for case in own) or "none",
            remedy="yield from accountant_conformance_cases the output law of one answer, in a line that does not use the "
            f"loss: MechanismOracle('{kind}', law=lambda mechanism, answer: {{output: chance, ...}}), or 'tail' where "
            "outputs are numbers, and 'moves' where it looks at several numbers at once; or let it be run by 'simulate', "
            "beside a MechanismCase with exact pairs",
        )


def _require_several_coordinates(kind: str, own: Collection[MechanismCase]) -> None:
    """A case with exact pairs moves several coordinates, if the mechanism accepts that."""
    with_pairs = [case for case in own if case.pairs]
    first = with_pairs[0].mechanism
    if not first.asks_query or any(case.shift.coordinates and len(case.shift.coordinates) > 1 for case in with_pairs):
        return
    try:
        first.loss(_TWO)
    except ShiftError:
        return
    broken(
        f"the mechanism '{kind}' accepts queries that move in several coordinates, but no case shows what that costs",
        cases=", ".join(case.name for case in own),
        remedy="yield a MechanismCase with such a shift and exact pairs, or raise ShiftError",
    )


def definition_has_cases(name: str, cases: Collection[ConformanceCase]) -> None:
    """A definition is exercised: it offers a parameter."""
    if not any(isinstance(case, ParameterCase) and case.divergence == name for case in cases):
        broken(
            f"the definition '{name}' needs a conformance case",
            remedy="yield a ParameterCase from accountant_conformance_cases",
        )


def conversion_names_definitions(name: str, registry: Registry) -> None:
    """A conversion leads from one registered definition to another."""
    conversion = registry[CONVERSIONS][name]
    for word in (conversion.source, conversion.target):
        if word not in registry[DIVERGENCES]:
            broken(f"the conversion '{name}' speaks about the definition '{word}', which nobody registers")


def rule_names_a_definition(name: str, registry: Registry) -> None:
    """A composition rule speaks about a registered definition, at places that its first reading has words for."""
    rule = registry[COMPOSITION_RULES][name]
    if rule.divergence not in registry[DIVERGENCES]:
        broken(f"the rule '{name}' speaks about the definition '{rule.divergence}', which nobody registers")
    words = registry[DIVERGENCES][rule.divergence].primary.at
    for place in rule.places:
        if set(place) != set(words):
            broken(
                f"the rule '{name}' must add up where '{rule.divergence}' is read",
                place=", ".join(place) or "no words",
                words_of_the_first_reading=", ".join(words) or "none",
            )
