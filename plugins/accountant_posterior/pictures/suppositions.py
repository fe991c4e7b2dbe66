"""Scenarios that suppose something else than the plan: releases left out, another attacker, several records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from accountant import Interval
from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture, read
from accountant_posterior.pictures.power import LEVELS

if TYPE_CHECKING:
    from accountant import Account, Scenario

_MEANS = (
    "Each panel has the largest power of any test at each level as a scenario supposes it, and beside it as planned. What "
    "is supposed to be left out is part of the plan all the same."
)


def supposing(account: Account) -> tuple[list[Scenario], list[tuple[str, str]]]:
    """The scenarios that suppose something else, and those between whose datasets nothing is compared, with the reason."""
    asked = [scenario for scenario in account.plan.scenarios if not scenario.plain]
    empty = [scenario for scenario in asked if account.within(scenario).closest.vacuous]
    left = [(scenario.name, "no two datasets that agree on what is exact differ in it") for scenario in empty]
    return [scenario for scenario in asked if scenario not in empty], left


def multiples(account: Account, scenarios: Sequence[Scenario]) -> Picture:
    """Level and power for each of them."""
    title = "How well any test can tell what is at stake, if something else is supposed"
    spoken = (f"'{scenario.name}' speaks of {_compared(account, scenario)}." for scenario in scenarios)
    conditions = dict.fromkeys(
        sentence for scenario in scenarios for sentence in account.within(scenario).plan.comparison.conditions
    )
    panels = tuple(_panel(account, scenario) for scenario in scenarios)
    return Picture("suppositions-power", title, (_MEANS, *spoken, *conditions), panels)


def _units(account: Account, scenario: Scenario) -> int:
    """How many units apart what a scenario compares is: as it says, or as far as the closest are."""
    inside = account.within(scenario)
    return max(scenario.records, inside.closest.least or 1, inside.plan.specification.neighbours.group)


def _compared(account: Account, scenario: Scenario) -> str:
    compared, units = account.within(scenario).plan.comparison, _units(account, scenario)
    return evolve(compared, neighbours=evolve(compared.neighbours, group=units)).between


def _panel(account: Account, scenario: Scenario) -> Panel:
    inside, units = account.within(scenario), _units(account, scenario)

    def power(level: Fraction) -> Interval:
        return inside.measure_between(units, "fdp", level=level).value

    lines = (
        DrawnLine("as supposed", read(inside, "fdp", ("level", "power"), LEVELS, power, "grows")),
        DrawnLine("as planned", account.curve("fdp", "level", places=LEVELS)),
    )
    return Panel(
        f"{scenario.name}: {scenario.question}", "significance level", "largest power of any test", lines, shares=True
    )
