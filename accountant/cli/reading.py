"""A plan read through one definition, as the command line asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from accountant.cli.output import working
from accountant.promise.divergence import DIVERGENCES

if TYPE_CHECKING:
    from accountant.plan.plan import Plan
    from accountant.promise.divergence import Divergence
    from accountant.promise.guarantee import Guarantee
    from accountant.registry.registry import Registry
    from accountant.values.reading import Reader


def asked(
    path: Path, divergence: str, words: Mapping[str, str | None], registry: Registry, precision: str | None
) -> tuple[Plan, Divergence, dict[str, Fraction]]:
    """The plan, the definition and the reading that the options ask for, with all their faults at once."""
    from attrs import evolve

    from accountant.errors import PlanError
    from accountant.numbers.exact import exact
    from accountant.plan.reader import load_plan
    from accountant.values.reading import Reader

    reader = Reader()
    definition: Divergence | None = reader.attempt("--as", registry.find, DIVERGENCES, divergence)
    at = _numbers(reader, definition, {word: value for word, value in words.items() if value is not None})
    if definition is not None and not reader.faults:
        reader.attempt("--as", definition.reading, at)
    sharp = None if precision is None else reader.attempt("--precision", exact, precision)
    try:
        plan = load_plan(path, registry=registry)
    except PlanError as error:
        raise PlanError((*reader.faults, *error.faults)) from error
    if sharp is not None:
        plan = reader.attempt("--precision", evolve, plan, precision=sharp) or plan
    if definition is None or reader.faults:
        raise PlanError(tuple(reader.faults))
    return plan, definition, at


def read_through(
    path: Path, divergence: str, words: Mapping[str, str | None], registry: Registry, precision: str | None
) -> tuple[Plan, Divergence, Guarantee]:
    """The guarantee that the options ask for. Faults of the options and of the plan are reported together."""
    plan, definition, at = asked(path, divergence, words, registry, precision)
    (guarantee,) = measured([plan], definition, at, registry)
    return plan, definition, guarantee


def measured(
    plans: Sequence[Plan], definition: Divergence, at: Mapping[str, Fraction], registry: Registry
) -> list[Guarantee]:
    """Plans read through one definition; what cannot be read is a fault of the options."""
    from accountant.accounting.account import account
    from accountant.errors import Fault, PlanError, ReadingError

    try:
        with working(f"composing {len(plans[0].releases):,} releases"):
            return [account(plan, registry=registry).measure(definition.name, at) for plan in plans]
    except ReadingError as error:
        raise PlanError((Fault(str(error), " ".join(f"--{word}" for word in at)),)) from error


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
