"""`accountant scenario`: what an attacker can gain about some attributes only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from accountant.cli.output import say, say_json
from accountant.cli.reading import Asked, asks

if TYPE_CHECKING:
    from accountant.plan.plan import Plan
    from accountant.promise.guarantee import Guarantee
    from accountant.promise.specification import Scenario


@asks("scenario", "Ask what an attacker can gain about some attributes.")
@click.option("--about", "attributes", multiple=True, metavar="ATTRIBUTE", help="An attribute at stake; repeatable.")
def command(asked: Asked, attributes: tuple[str, ...]) -> None:
    """Read PLAN between units that differ in some attributes only: those that an attacker may try to learn.

    Releases that do not depend on any of them cost nothing there. Without --about, every scenario of the plan is read,
    and the whole plan for comparison.

    \b
    Examples:
      accountant scenario examples/census-2020.toml --as zcdp
      accountant scenario examples/census-2020.toml --as fdp --level 0.05
      accountant scenario survey.toml --about race --about age --as approx --delta 1e-6 --json
    """
    scenarios = _scenarios(asked.plan, attributes)
    whole, *parts = asked.answers([asked.plan, *(asked.plan.within(scenario) for scenario in scenarios)])
    if asked.as_json:
        say_json(_data(whole, list(zip(scenarios, parts, strict=True))))
        return
    say(f"{asked.definition.title}: {whole.name}{whole.at_words}")
    width = max(len(name) for name in ("everything", *(scenario.name for scenario in scenarios)))
    for scenario, guarantee in zip(scenarios, parts, strict=True):
        say(f"  {scenario.name:<{width}}  {guarantee.value!s:<24}  {', '.join(sorted(scenario.attributes))}")
    say(f"  {'everything':<{width}}  {whole.value}")
    compared, several = asked.plan.comparison, asked.plan.within(scenarios[0]).comparison
    named = evolve(several, neighbours=evolve(several.neighbours, attributes=["attributes named"]))
    say(f"A scenario compares {named.between}, everything {compared.between}.")
    say(" ".join(named.conditions))


def _scenarios(plan: Plan, attributes: tuple[str, ...]) -> tuple[Scenario, ...]:
    from accountant.errors import Fault, InvalidValue, PlanError
    from accountant.promise.specification import Scenario

    if not attributes:
        if not plan.scenarios:
            message = "the plan has no [[scenario]]; say which attributes are at stake with --about"
            raise PlanError((Fault(message, "scenario"),))
        return plan.scenarios
    try:
        singled = Scenario(" and ".join(attributes), attributes)
        plan.within(singled)
    except InvalidValue as error:
        raise PlanError((Fault(str(error), "--about"),)) from error
    return (singled,)


def _plain(guarantee: Guarantee) -> dict[str, str]:
    from accountant.numbers.exact import plain

    return {word: plain(number) for word, number in guarantee.at.items()}


def _data(whole: Guarantee, parts: list[tuple[Scenario, Guarantee]]) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import named

    return {
        "divergence": whole.divergence,
        "at": _plain(whole),
        "everything": write(named(whole.name, whole.value)),
        "scenarios": [
            {
                "name": scenario.name,
                "attributes": sorted(scenario.attributes),
                "value": write(named(guarantee.name, guarantee.value)),
            }
            for scenario, guarantee in parts
        ],
    }
