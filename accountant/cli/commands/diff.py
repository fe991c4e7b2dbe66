"""`accountant diff`: what changed from one plan to another, and what that does to what they cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from accountant.cli.failure import ExitStatus, caution
from accountant.cli.options import json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, working

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.analysis.changes import Change
    from accountant.analysis.difference import CostChange, PlanDifference, Spent
    from accountant.analysis.implication import Implication
    from accountant.errors import Fault
    from accountant.numbers.interval import Interval
    from accountant.plan.plan import Plan
    from accountant.promise.guarantee import Verdict
    from accountant.registry.registry import Registry

_LARGEST_INPUT = 64 * 2**20
_LONGEST = 80
_STDIN = "-"


@click.command("diff", short_help="Show what changed in a plan and in what it costs.")
@click.argument("old")
@click.argument("new")
@json_option
@plugin_options
def command(old: str, new: str, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> int:
    """Show what changed from OLD to NEW: first the verdict, then what both cost, then every part of the plan that differs.

    OLD and NEW are plans, or certificates, which say which plan they are about: files, JSON itself, or for one of them '-',
    which is standard input.
    All numbers are computed here: those of a certificate are checked by verify. Numbers of different specifications are
    shown and not subtracted.

    \b
    Examples:
      accountant diff survey.toml calibrated.json
      accountant diff survey.certificate.json survey.toml
      git show HEAD:survey.toml | accountant diff - survey.toml

    \b
    Exit status:
      0  NEW keeps every budget and tolerates every risk, whatever changed
      1  NEW has a budget that is exceeded, unknown or vacuous, a risk that is not tolerated, or no budget at all
      2  bad input
    """
    from accountant.analysis.difference import difference

    if old == new == _STDIN:
        raise click.UsageError("only one of OLD and NEW may be standard input")
    registry = registry_of(disabled, allowed)
    with working("composing both plans"):
        before, after = _accounts(old, new, registry)
        found = difference(before, after, registry=registry)
    caution(after.plan.warnings)
    if as_json:
        say_json(_data(found))
    else:
        _print(found)
    return ExitStatus.KEPT if found.kept else ExitStatus.EXCEEDED


# What is compared -----------------------------------------------------------------------------------------------------


def _accounts(old: str, new: str, registry: Registry) -> tuple[Account, Account]:
    """The accounts of both plans; what is wrong with either of them is said at once."""
    from accountant.accounting.account import account
    from accountant.errors import PlanError

    faults: list[Fault] = []
    found: list[Account] = []
    for source in (old, new):
        try:
            with _located(source):
                found.append(account(_plan(source, registry), registry=registry))
        except PlanError as error:
            faults.extend(error.faults)
    if faults:
        raise PlanError(tuple(faults))
    before, after = found
    return before, after


@contextmanager
def _located(source: str) -> Iterator[None]:
    """Faults inside say which of the two inputs they are of."""
    from accountant.errors import CertificateError, Fault, PlanError

    name = _called(source)
    try:
        yield
    except CertificateError as error:
        raise PlanError((Fault(str(error), name),)) from error
    except PlanError as error:
        raise PlanError(
            tuple(fault if fault.file or fault.place == name else evolve(fault, file=name) for fault in error.faults)
        ) from error


def _plan(source: str, registry: Registry) -> Plan:
    """The plan in a file or on standard input, or the one that a certificate there is about."""
    from accountant.certificate.certificate import Certificate, is_certificate
    from accountant.plan.reader import load_plan, read_plan
    from accountant.values.source import load_data, parse

    inside = source == _STDIN or _is_json(source)
    if inside:
        content = sys.stdin.read(_LARGEST_INPUT) if source == _STDIN else source
        data = parse(content, "json" if _is_json(content) else "toml", _called(source))
    elif Path(source).suffix.lower() == ".json":
        data = load_data(source)
    else:
        return load_plan(source, registry=registry)
    if is_certificate(data):
        return Certificate(data).plan(registry=registry)
    return read_plan(data, registry=registry, folder=None if inside else Path(source).parent)


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _called(source: str) -> str:
    """What an input is called in messages."""
    return "standard input" if source == _STDIN else "the argument" if _is_json(source) else source


# What is printed ------------------------------------------------------------------------------------------------------


def _print(found: PlanDifference) -> None:
    say(_conclusion(found))
    if not found.kept:
        say(f"exit status 1: {_REASONS[found.verdicts[1] is None]}")
    for decided in found.decisions:
        if decided.before is not decided.after:
            was, now = (_word(verdict) for verdict in (decided.before, decided.after))
            say(f"  {visible(decided.subject)}: {was} before, {now} after")
    if not found.comparable:
        _explain(found)
    if found.costs:
        say("\nWhat they cost")
    for cost in found.costs:
        _show_cost(cost, found.comparable)
    if found.changes:
        say("\nWhat changed")
    part = None
    for change in found.changes:
        if change.field and change.part != part:
            say(f"  {visible(change.part)}")
        part = change.part if change.field else None
        say(f"  {_shown(change)}")
    if found.reordered:
        say("\nParts that both plans have stand in another order, which changes no number.")


def _conclusion(found: PlanDifference) -> str:
    before, after = (_OVERALL[_value(verdict)] for verdict in found.verdicts)
    said = f"{after.upper()}, as before" if before == after else f"{after.upper()}; {before} before"
    return said if found.changes or found.reordered else f"{said}: the plans are the same"


def _word(verdict: Verdict | None) -> str:
    return "not asked" if verdict is None else {"implied": "kept", "refuted": "EXCEEDED"}.get(verdict.value, verdict.value)


_OVERALL = {
    None: "nothing is asked",
    "implied": "kept",
    "refuted": "not kept",
    "unknown": "unknown",
    "vacuous": "vacuous",
}
_REASONS = {
    False: "the new plan does not keep all that it promises",
    True: "the new plan has no budget, so that nothing is promised",
}


def _explain(found: PlanDifference) -> None:
    """Why numbers of two specifications are not subtracted, and which promise implies which."""
    fields = ", ".join(change.field for change in found.incomparable)
    say(f"\nThe plans differ in what they promise ({fields}): their numbers are not comparable.")
    directions = ("old promise implies the new", "new promise implies the old") if found.promises else ()
    for words, implication in zip(directions, found.promises or (), strict=True):
        say(f"  The {words}: {implication.verdict.value}")
        for reason in _reasons(implication) if implication.verdict.value != "implied" else ():
            say(f"    {visible(reason)}")


def _reasons(found: Implication) -> list[str]:
    return [f"{reason.block}: {reason.words}" for reason in found.reasons if reason.verdict is found.verdict]


def _show_cost(cost: CostChange, comparable: bool) -> None:
    say(f"  {visible(cost.reading)}")
    say(f"    before  {_spent(cost.before)}")
    say(f"    after   {_spent(cost.after)}")
    if cost.growth is not None:
        say(f"    change  {_grown(cost.growth)}")
    elif comparable:
        say("    change  not known")


def _spent(side: Spent | None) -> str:
    from accountant.numbers.exact import plain

    if side is None:
        return "cannot be read"
    limit = "no limit" if side.limit is None else f"limit {plain(side.limit)}: {_word(side.verdict)}"
    why = side.guarantee.remark if _value(side.verdict) == "unknown" else None
    return f"{_decimals(side.guarantee.value)}, {limit}" + ("" if why is None else f" ({visible(why)})")


def _decimals(value: Interval) -> str:
    """A value in words, a ratio as the decimals that it lies between."""
    from accountant.numbers.interval import Interval

    return str(Interval(value.lower, value.upper) if "/" in str(value) else value)


def _grown(growth: Interval) -> str:
    """A difference in words: more, less, or so much less to so much more."""
    from accountant.numbers.interval import Interval

    if growth.exact == 0:
        return "none"
    if growth.lower >= 0.0:
        return f"{_decimals(growth)} more"
    if growth.upper <= 0.0:
        exact = None if growth.exact is None else -growth.exact
        return f"{_decimals(Interval(-growth.upper, -growth.lower, exact))} less"
    low, high = growth.rounded(2)
    return f"within {low} and {high}, so that it is not settled which costs more"


def _shown(change: Change) -> str:
    from accountant.values.writing import in_words

    before, after = (visible(in_words(item, _LONGEST)) for item in (change.before, change.after))
    if change.word == "changed":
        said = f"{before} -> {after}"
    else:
        said = f"{change.word}: {after if change.before is None else before}"
    return f"  {change.field}: {said}" if change.field else f"{visible(change.part)} {said}"


# As data --------------------------------------------------------------------------------------------------------------


def _data(found: PlanDifference) -> dict[str, Any]:
    before, after = found.verdicts
    return {
        "kept": found.kept,
        "verdict": {"before": _value(before), "after": _value(after)},
        "decisions": [
            {"of": item.subject, "before": _value(item.before), "after": _value(item.after)} for item in found.decisions
        ],
        "comparable": found.comparable,
        "promises": None if found.promises is None else [_promise(item) for item in found.promises],
        "costs": [
            {
                "reading": cost.reading,
                "before": _side(cost.before),
                "after": _side(cost.after),
                "growth": None if cost.growth is None else _ends(cost.growth),
            }
            for cost in found.costs
        ],
        "changes": [
            {"part": change.part, "field": change.field, "before": change.before, "after": change.after}
            for change in found.changes
        ],
        "reordered": found.reordered,
    }


def _value(verdict: Verdict | None) -> str | None:
    return None if verdict is None else verdict.value


def _promise(found: Implication) -> dict[str, Any]:
    return {"verdict": found.verdict.value, "reasons": _reasons(found)}


def _side(side: Spent | None) -> dict[str, Any] | None:
    from accountant.numbers.exact import plain

    if side is None:
        return None
    limit = None if side.limit is None else plain(side.limit)
    return {"value": _ends(side.guarantee.value), "limit": limit, "verdict": _value(side.verdict)}


def _ends(value: Interval) -> dict[str, str]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import enclosure

    written: dict[str, str] = write(enclosure(value))
    return written
