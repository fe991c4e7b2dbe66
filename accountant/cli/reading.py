"""Commands that read a plan through one definition: what they are asked, and the options that ask it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from attrs import evolve, frozen

from accountant.cli.failure import caution
from accountant.cli.options import (
    Registered,
    completed,
    json_option,
    plan_argument,
    plugin_options,
    registry_of,
    word_options,
)
from accountant.cli.output import working
from accountant.cli.sources import PlanSource
from accountant.progress import stage

T = TypeVar("T")

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.plan.plan import Plan
    from accountant.promise.divergence import Divergence
    from accountant.promise.guarantee import Guarantee
    from accountant.registry.registry import Registry
    from accountant.values.reading import Reader


@frozen
class Inquiry:
    """What a command is asked: a plan, a definition, and the words at which it is read."""

    plan: Plan
    definition: Divergence
    at: Mapping[str, Fraction]
    registry: Registry
    as_json: bool

    @property
    def vacuous(self) -> bool:
        """Whether no two datasets are compared."""
        return self.plan.specification.universe.closest.vacuous

    @property
    def digits(self) -> int:
        """How many figures the precision that is asked for takes."""
        return 2 + math.ceil(-math.log10(self.plan.precision))

    def found(self, guarantee: Guarantee) -> str:
        """The value in one line, with as many figures as were asked for."""
        return f"{guarantee.name} = {guarantee.value.shown(max(6, self.digits))}{guarantee.at_words}"

    def data(self, guarantee: Guarantee) -> dict[str, Any]:
        """The value as plain data: of which definition, where it is read, and between which datasets it holds."""
        from accountant.certificate.data import write
        from accountant.certificate.findings import DIGITS, named
        from accountant.numbers.exact import plain

        return {
            "divergence": guarantee.divergence,
            "at": {word: plain(number) for word, number in guarantee.at.items()},
            "value": write(named(guarantee.name, guarantee.value, max(DIGITS, self.digits))),
            "between": self.plan.comparison.between,
        }

    def answer(self) -> Guarantee:
        """What holds for all releases together."""
        return self.read(lambda whole: whole.measure(self.definition.name, self.at))

    def read(self, reading: Callable[[Account], T]) -> T:
        """What is read off the account of the plan; what cannot be read is a fault of the options."""
        from accountant.accounting.account import account
        from accountant.errors import Fault, PlanError, ReadingError

        try:
            with working(f"composing {len(self.plan.releases):,} releases"):
                with stage(0.0, 0.2):
                    whole = account(self.plan, registry=self.registry)
                with stage(0.2, 1.0):
                    return reading(whole)
        except ReadingError as error:
            raise PlanError((Fault(str(error), " ".join(f"--{word}" for word in self.at)),)) from error


def asks(name: str, short_help: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A command that is given what it is asked, and the values of options of its own."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        own = list(getattr(function, "__click_params__", ()))

        @wraps(function)
        def callback(
            plan: PlanSource,
            divergence: str,
            precision: str | None,
            as_json: bool,
            disabled: tuple[str, ...],
            allowed: tuple[str, ...],
            **further: Any,
        ) -> Any:
            mine = {item.name: further.pop(item.name) for item in own}
            asked = _asked(plan, divergence, further, registry_of(disabled, allowed), precision)
            return function(evolve(asked, as_json=as_json), **mine)

        wide = "The relative width asked for; 1e-4 by default."
        precise = click.option("--precision", metavar="NUMBER", help=wide, shell_complete=completed("usual", "precision"))
        named: dict[str, Any] = {"metavar": "NAME", "required": True, "shell_complete": completed("definition_names")}
        defined = click.option("--as", "divergence", help="The definition, such as approx.", **named)
        shared: Any = callback
        shared.__click_params__ = []
        shared = defined(precise(json_option(plugin_options(shared))))
        shared.__click_params__ += own
        kind = Registered.kind("precision", word_options)
        return click.command(name, cls=kind, short_help=short_help)(plan_argument(shared))

    return decorate


def _asked(
    source: PlanSource, divergence: str, words: Mapping[str, str | None], registry: Registry, precision: str | None
) -> Inquiry:
    """What the options ask for, with all their faults at once, and those of the plan."""
    from accountant.errors import PlanError
    from accountant.numbers.exact import exact
    from accountant.promise.divergence import DIVERGENCES
    from accountant.values.reading import Reader

    reader = Reader()
    definition: Divergence | None = reader.attempt("--as", registry.find, DIVERGENCES, divergence)
    at = _numbers(reader, definition, {word: value for word, value in words.items() if value is not None})
    if definition is not None and not reader.faults:
        reader.attempt("--as", definition.reading, at)
    sharp = None if precision is None else reader.attempt("--precision", exact, precision)
    try:
        plan = source.plan(registry)
    except PlanError as error:
        raise PlanError((*reader.faults, *error.faults)) from error
    if sharp is not None:
        plan = reader.attempt("--precision", evolve, plan, precision=sharp) or plan
    if definition is None or reader.faults:
        raise PlanError(tuple(reader.faults))
    caution(plan.warnings)
    return Inquiry(plan, definition, at, registry, as_json=False)


def _numbers(reader: Reader, definition: Divergence | None, words: Mapping[str, str]) -> dict[str, Fraction]:
    """The reading words as exact numbers, held to what the definition demands of its own parameters."""
    import attrs

    from accountant.numbers.exact import exact

    members = {} if definition is None else {member.name: member for member in attrs.fields(definition.parameter)}

    def number(word: str, value: str) -> Fraction:
        result = exact(value)
        member = members.get(word)
        if member is not None and member.validator is not None:
            member.validator(None, member, result)
        return result

    found: dict[str, Fraction] = {}
    for word, value in words.items():
        result = reader.attempt(f"--{word}", number, word, value)
        if result is not None:
            found[word] = result
    return found
