"""`accountant scenario`: what somebody can gain, about some attributes, from some releases, who knows more or less."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve, frozen

from accountant.cli.failure import ExitStatus
from accountant.cli.options import completed
from accountant.cli.output import say, say_json, wrapped
from accountant.cli.reading import Inquiry, asks
from accountant.values.writing import listed

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.errors import Fault
    from accountant.plan.plan import Plan
    from accountant.promise.guarantee import Guarantee
    from accountant.promise.specification import Scenario
    from accountant.promise.universe import Closest


@asks("scenario", "Ask what an attacker can gain about some attributes.")
@click.option(
    "--about",
    "attributes",
    multiple=True,
    metavar="ATTRIBUTE",
    shell_complete=completed("attribute_names"),
    help="An attribute at stake; repeatable.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="RELEASE",
    shell_complete=completed("release_names"),
    help="A release that is supposed to be left out; * stands for any text; repeatable.",
)
@click.option("--attacker", metavar="WHO", help="Who asks: an insider, who knows who was sampled, or an outsider.")
@click.option(
    "--records",
    type=click.IntRange(1),
    default=1,
    metavar="NUMBER",
    help="How many records change with what is asked: dependent ones, or all that the attacker misses.",
)
def command(
    asked: Inquiry, attributes: tuple[str, ...], without: tuple[str, ...], attacker: str | None, records: int
) -> int:
    """Ask PLAN a question: what if only some attributes were at stake, some releases were left out, or somebody else asked.

    With --about it is read between units that differ in some attributes only: those that an attacker may try to learn.
    Releases that do not depend on any of them cost nothing there. Where something is published exactly, a scenario is read
    between the closest datasets that are compared and differ in it. Without any question, every scenario of the plan is
    read, and the whole plan for comparison.

    \b
    Examples:
      accountant scenario examples/census-2020.toml --as zcdp
      accountant scenario examples/census-2020.toml --as fdp --level 0.05
      accountant scenario survey.toml --about race --about age --as approx --delta 1e-6 --json
      accountant scenario examples/census-2020.toml --about race --without "Tract*" --without "Block*" --as zcdp
      accountant scenario survey.toml --attacker insider --records 3 --as approx --delta 1e-6

    \b
    Exit status:
      0  every scenario is read
      1  one is vacuous: no two datasets that are compared differ in it
      2  bad input
    """
    scenarios = _scenarios(asked.plan, attributes, without, attacker, records)
    whole, parts = asked.read(
        lambda account: (
            account.measure(asked.definition.name, asked.at),
            [_learned(account, scenario, asked) for scenario in scenarios],
        )
    )
    if asked.as_json:
        say_json(_data(whole, parts))
    else:
        _print(asked, whole, parts)
    return ExitStatus.EXCEEDED if any(part.guarantee is None for part in parts) else ExitStatus.KEPT


def _print(asked: Inquiry, whole: Guarantee, parts: list[Learned]) -> None:
    say(f"{asked.definition.title}: {whole.name}{whole.at_words}")
    vacuous = [part.scenario.name for part in parts if part.guarantee is None]
    if vacuous:
        from accountant.cli.verdicts import say_status

        say_status(f"no two datasets that are compared differ in {listed(vacuous)}, so that nothing is promised there")
    width = max(len(name) for name in ("everything", *(part.scenario.name for part in parts)))
    unit = asked.plan.specification.neighbours.unit
    alike = set.intersection(*(set(part.remarks(unit)) for part in parts)) if len(parts) > 1 else set()
    for part in parts:
        value = "vacuous" if part.guarantee is None else str(part.guarantee.value)
        say(f"  {part.scenario.name:<{width}}  {value:<24}  {part.scenario.question}")
        for line in part.remarks(unit):
            if line not in alike:
                say(wrapped(line, indent=width + 4))
    say(f"  {'everything':<{width}}  {whole.value}")
    for line in sorted(alike):
        say(wrapped(f"Each scenario is read {line}." if line.startswith("between") else f"Of each scenario: {line}."))
    compared, several = asked.plan.comparison, asked.plan.within(parts[0].scenario).comparison
    if any(part.scenario.attributes is not None for part in parts):
        several = evolve(several, neighbours=evolve(several.neighbours, attributes=["attributes named"]))
    together = min(part.scenario.records for part in parts)
    several = evolve(several, neighbours=evolve(several.neighbours, group=max(together, several.neighbours.group)))
    say(wrapped(f"A scenario compares {several.between}, everything {compared.between}."))
    if any(part.scenario.without for part in parts):
        say(wrapped("What is supposed to be left out is part of the plan: its budgets and its certificate count it."))
    if several.conditions:
        say(wrapped(" ".join(several.conditions)))


@frozen
class Learned:
    """What can be gained in a scenario between the closest datasets that are compared; None where none are."""

    scenario: Scenario
    closest: Closest
    exposed: tuple[str, ...]
    guarantee: Guarantee | None

    def remarks(self, unit: str) -> Iterator[str]:
        """What a reader must know beside the number."""
        if self.closest.least is None:
            yield "no two datasets that agree on what is published exactly differ in it"
        elif self.scenario.records > max(1, self.closest.least):
            yield f"between datasets that differ in {self.scenario.records:,} units ({unit})"
        elif self.closest.least > 1 and self.closest.most == self.closest.least:
            yield f"between the closest datasets that are compared, {self.closest.least} units ({unit}) apart"
        elif self.closest.least > 1:
            yield (
                f"between datasets {self.closest.least} units ({unit}) apart, if any that are compared are so near: how "
                "far apart the closest are is not known"
            )
        elif self.closest.most is None:
            yield "between neighbours, if any that are compared differ in it: not all that is exact says how it changes"
        if self.exposed:
            yield f"who knows every other {unit} reads {', '.join(self.exposed)} off what is published exactly"


def _learned(account: Account, scenario: Scenario, asked: Inquiry) -> Learned:
    inside = account.within(scenario)
    exposed = inside.plan.specification.universe.exposed & (scenario.attributes or frozenset())
    found = account.learned(scenario, asked.definition.name, asked.at)
    return Learned(scenario, inside.closest, tuple(sorted(exposed)), found)


def _scenarios(
    plan: Plan, attributes: tuple[str, ...], without: tuple[str, ...], attacker: str | None, records: int
) -> tuple[Scenario, ...]:
    from accountant.errors import Fault, PlanError
    from accountant.promise.specification import Scenario
    from accountant.values.reading import Reader

    if not (attributes or without or attacker or records > 1):
        if not plan.scenarios:
            message = "the plan has no [[scenario]]; say which attributes are at stake with --about, or ask something else"
            raise PlanError((Fault(message, "scenario"),))
        return plan.scenarios
    reader = Reader()
    reader.faults.extend(_misspelt(plan, attributes))
    left = reader.attempt("--without", plan.without, without)
    name = " and ".join(attributes) or "question"
    singled = reader.attempt("--attacker", Scenario, name, attributes or None, without, attacker, records)
    if left is not None and singled is not None and not reader.faults:
        reader.attempt("--about", plan.within, singled)
    if reader.faults or singled is None:
        raise PlanError(tuple(reader.faults))
    return (singled,)


def _misspelt(plan: Plan, attributes: tuple[str, ...]) -> Iterator[Fault]:
    """Attributes that nothing names but that look like one which is named: a claim would answer for any word."""
    from accountant.errors import Fault, nearest

    promised = plan.specification
    known = {name for release in plan.releases if release.query is not None for name in release.query.attributes or ()}
    known |= {*(promised.neighbours.attributes or ()), *(promised.domain.attributes or ())}
    for attribute in attributes:
        near = None if attribute in known else nearest(attribute, known)
        if near is not None:
            yield Fault(f"no release depends on '{attribute}'; did you mean '{near}'?", "--about")


def _plain(guarantee: Guarantee) -> dict[str, str]:
    from accountant.numbers.exact import plain

    return {word: plain(number) for word, number in guarantee.at.items()}


def _supposed(scenario: Scenario) -> dict[str, Any]:
    """What a scenario asks and supposes, as plans write it."""
    from accountant.values.writing import unstructure

    return {"attributes": None, **unstructure(scenario)}


def _data(whole: Guarantee, parts: list[Learned]) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import named

    return {
        "divergence": whole.divergence,
        "at": _plain(whole),
        "everything": write(named(whole.name, whole.value)),
        "scenarios": [
            {
                "name": part.scenario.name,
                **_supposed(part.scenario),
                "closest": write(part.closest),
                "exposed": list(part.exposed),
                "value": None if part.guarantee is None else write(named(part.guarantee.name, part.guarantee.value)),
            }
            for part in parts
        ],
    }
