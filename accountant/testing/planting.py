"""Planting: an honest item with one error in it, under a name of its own, beside everything that is registered."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any, TypeVar, cast

import attrs
import click
from attrs import evolve, field, frozen

from accountant.plugin.cases import CASES, ConformanceCase, MechanismCase, ParameterCase
from accountant.plugin.hookspecs import hookimpl
from accountant.registry.registry import Registry, default_registry
from accountant.values.family import Family

T = TypeVar("T")
Cases = tuple[ConformanceCase, ...]
Offered = Callable[[Cases], Iterable[ConformanceCase]]
"""What is offered beside an item, changed."""

PLUGIN = "planted"
"""What the plugin is called that registers a faulty item."""


@frozen
class Operator:
    """One plausible error: `operator(item)` is the item of its family with that error, None where there is no place for it.

    `name` says what the error is. An error of what is `offered` beside an item leaves the item alone and changes its cases.
    """

    name: str
    family: Family[Any]
    about: str
    plant: Callable[[Any], Any | None] = field(repr=False)
    offered: Offered | None = field(default=None, repr=False)

    def __call__(self, item: Any) -> Any | None:
        return self.plant(item)

    def __str__(self) -> str:
        return f"{self.family.word}: {self.name}"


def plant(operator: Operator, name: str, registry: Registry | None = None) -> Registry | None:
    """The registry beside which a plugin 'planted' registers an item with the error, as `NAME-planted`, with its cases.

    None where the item has no place for such an error.
    """
    known = registry or default_registry()
    made = _made(operator, name, known)
    if made is None:
        return None
    item, cases = made
    module = ModuleType(PLUGIN)
    module.__file__ = known.file(known.owner(operator.family, name).name)
    for hook, items in ((operator.family.hook, (item,)), (CASES.hook, cases)):
        setattr(module, hook, _offering(items))
    return known.adding(module)


def has_place(operator: Operator, name: str, registry: Registry) -> bool:
    """Whether an item, or what is offered beside it, has a place for an error."""
    return _made(operator, name, registry) is not None


def _made(operator: Operator, name: str, known: Registry) -> tuple[Any, Cases] | None:
    """The item with the error, and what is offered beside it."""
    honest = _not_usual(known.find(operator.family, name))
    faulty = operator(honest)
    if faulty is None:
        return None
    new = f"{name}-planted"
    item = renamed(operator.family, faulty, new)
    cases = tuple(_cases(operator.family, known, name, new, item))
    if operator.offered is None:
        return item, cases
    offered = tuple(operator.offered(cases))
    return None if faulty is honest and offered == cases else (item, offered)


def offering(change: Offered) -> Callable[[T], T]:
    """Mark an error as one of what is offered beside an item."""

    def marked(function: T) -> T:
        function.offered = change  # type: ignore[attr-defined]
        return function

    return marked


def _offering(items: tuple[Any, ...]) -> Callable[[], tuple[Any, ...]]:
    def offered() -> tuple[Any, ...]:
        return items

    return hookimpl(offered)


def renamed(family: Family[Any], item: Any, name: str) -> Any:
    """An item under another name."""
    if isinstance(item, click.Command):
        return _renamed_command(item, name)
    if family.classes:
        return faulty(item, **{family.named_by: name})
    if family.named_by in {member.name for member in attrs.fields(type(item))}:
        return evolve(item, **{family.named_by: name})
    return changed(item, **{family.named_by: name})


def _renamed_command(command: click.Command, name: str) -> click.Command:
    new = copy.copy(command)
    old, new.name = command.name, name
    for words in ("help", "epilog"):
        said = getattr(command, words)
        setattr(new, words, None if said is None else said.replace(f"accountant {old}", f"accountant {name}"))
    return new


def faulty(cls: type[T], /, **members: Any) -> type[T]:
    """A subclass that differs in some members, with the words of the first."""
    told = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    made = type(cls)(cls.__name__, (cls,), {**told, **members})  # type: ignore[misc]
    return cast(type[T], frozen(made))


def changed(value: T, /, **members: Any) -> T:
    """A value of an attrs class with other members than its class has."""
    return as_a(faulty(type(value), **members), value)


def as_a(cls: type[T], value: Any) -> T:
    """A value of a class with the fields of another one."""
    members = [member for member in attrs.fields(cast(Any, cls)) if member.init and hasattr(value, member.name)]
    return cls(**{member.alias or member.name: getattr(value, member.name) for member in members})


def with_field(cls: type[T], name: str, **other: Any) -> type[T]:
    """A subclass one of whose parameters is declared otherwise."""
    known = attrs.fields_dict(cast(Any, cls)).get(name)
    said = (
        {} if known is None else {word: getattr(known, word) for word in ("converter", "validator", "metadata", "default")}
    )
    return faulty(cls, __annotations__={name: Any}, **{name: field(**{**said, "kw_only": True, **other})})


def number_fields(cls: type[Any]) -> Iterator[str]:
    """The parameters that are exact numbers."""
    from accountant.fields import exact

    for member in attrs.fields(cls):
        if member.converter is exact:
            yield member.name


def _not_usual(item: Any) -> Any:
    """The item, which is not the one that is meant where nobody names one: that is the honest one beside it."""
    if getattr(item, "in_training", None) is not None:
        return faulty(item, in_training=None)
    return changed(item, usual=False) if getattr(item, "usual", False) is True else item


def _cases(family: Family[Any], registry: Registry, old: str, new: str, item: Any) -> Iterator[ConformanceCase]:
    """What is offered of an item, for the one with an error."""
    for case in registry.offered(CASES, registry.owner(family, old).name).values():
        if case.family is not family or case.item != old:
            continue
        if isinstance(case, MechanismCase):
            yield evolve(case, name=f"{case.name} planted", mechanism=as_a(item, case.mechanism))
        elif isinstance(case, ParameterCase):
            parameter = as_a(item.parameter, case.parameter)
            yield evolve(case, name=f"{case.name} planted", divergence=new, parameter=parameter)
        else:
            given = getattr(case, "instances", None)
            drawn: dict[str, Any] = {} if given is None else {"instances": partial(_drawn, given, item)}
            yield evolve(case, item=new, **drawn)


def _drawn(instances: Callable[[], Any], cls: type[Any]) -> Any:
    return instances().map(partial(as_a, cls))


TENTH = Fraction(9, 10)
"""What is left where a tenth is missing."""
