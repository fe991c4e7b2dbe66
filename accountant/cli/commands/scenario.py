"""`accountant scenario`: what an attacker can gain about some attributes only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.options import json_option, plan_argument, plugin_options, reading_options, registry_of
from accountant.cli.output import say, say_json

if TYPE_CHECKING:
    from accountant.plan.plan import Plan
    from accountant.promise.guarantee import Guarantee
    from accountant.promise.specification import Scenario


@click.command("scenario", short_help="Ask what an attacker can gain about some attributes.")
@plan_argument
@click.option("--about", "attributes", multiple=True, metavar="ATTRIBUTE", help="An attribute at stake; repeatable.")
@reading_options
@json_option
@plugin_options
def command(
    plan: Path,
    attributes: tuple[str, ...],
    divergence: str,
    precision: str | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
    **words: str | None,
) -> None:
    """Read PLAN between units that differ in some attributes only: those that an attacker may try to learn.

    Releases that do not depend on any of them cost nothing there. Without --about, every scenario of the plan is read,
    and the whole plan for comparison.

    \b
    Examples:
      accountant scenario examples/census-2020.toml --as zcdp
      accountant scenario examples/census-2020.toml --as fdp --level 0.05
      accountant scenario survey.toml --about race --about age --as approx --delta 1e-6 --json
    """
    from accountant.cli.reading import asked, measured

    registry = registry_of(disabled, allowed)
    stated, definition, at = asked(plan, divergence, words, registry, precision)
    scenarios = _scenarios(stated, attributes)
    plans = [stated, *(stated.within(scenario) for scenario in scenarios)]
    whole, *parts = measured(plans, definition, at, registry)
    if as_json:
        say_json(_data(whole, list(zip(scenarios, parts, strict=True))))
        return
    at_words = "".join(f" at {word} = {number}" for word, number in _plain(whole).items())
    say(f"{definition.title}: {whole.name}{at_words}")
    width = max(len(name) for name in ("everything", *(scenario.name for scenario in scenarios)))
    for scenario, guarantee in zip(scenarios, parts, strict=True):
        say(f"  {scenario.name:<{width}}  {guarantee.value!s:<24}  {', '.join(sorted(scenario.attributes))}")
    say(f"  {'everything':<{width}}  {whole.value}")


def _scenarios(plan: Plan, attributes: tuple[str, ...]) -> tuple[Scenario, ...]:
    from accountant.errors import Fault, InvalidValue, PlanError
    from accountant.promise.specification import Scenario

    if not attributes:
        if not plan.scenarios:
            message = "the plan has no [[scenario]]; say which attributes are at stake with --about"
            raise PlanError((Fault(message, "scenario"),))
        return plan.scenarios
    try:
        asked = Scenario(" and ".join(attributes), attributes)
        plan.within(asked)
    except InvalidValue as error:
        raise PlanError((Fault(str(error), "--about"),)) from error
    return (asked,)


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
