"""`accountant figures`: every figure of a plan, as pictures and as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.commands import (
    PlanSource,
    answers,
    folder_option,
    json_option,
    plan_argument,
    say,
    say_json,
    say_under,
    visible,
    working,
)

if TYPE_CHECKING:
    from accountant_posterior.pictures.everything import Figures

_TEXT: dict[str, Any] = {"type": "string"}


def _table(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _many(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _answer() -> dict[str, Any]:
    picture = _table(
        name=_TEXT, title=_TEXT, says=_many(_TEXT), panels=_many(_TEXT), standings=_many(_TEXT), files=_many(_TEXT)
    )
    return _table(
        plan=_TEXT,
        output=_TEXT,
        figures=_many(picture),
        tables=_many(_table(name=_TEXT, title=_TEXT, files=_many(_TEXT))),
        left_out=_many(_table(name=_TEXT, why=_TEXT)),
    )


@answers(_answer)
@click.command("figures", short_help="Draw every figure of a plan, with its numbers.")
@plan_argument
@folder_option("A folder to make.", required=True)
@json_option
def command(plan: PlanSource, output: Path, as_json: bool) -> None:
    """Draw what PLAN means as SVG and PNG, with a CSV file beside each figure, into a new folder.

    \b
      power                 level against power: these releases, Gaussian noise, any mechanism with that rho
      failure               delta over epsilon, approximate and probabilistically bounded
      posteriors            posterior to posterior, with the assumptions of each theorem
      releases              beliefs over a sequence of releases
      scenarios-power       level against power for every scenario
      scenarios-posteriors  posterior to posterior for every scenario
      scenarios-releases    beliefs over a sequence of releases for every scenario
      suppositions-power    level against power where releases are left out, others ask, or records change together
      profiles              risk profiles, and the epsilon that they allow at each prior
      levels, pure, shares  tables: power at three levels, what pure privacy allows, the rho of each release

    Both ends of every value are certified. Curves are steps: between two places nothing is drawn but what is known there,
    and the CSV files say what that is. Each figure says in words what it speaks of, and which lines are guarantees. What
    cannot be drawn is named, with the reason.

    \b
    Examples:
      accountant figures examples/census-2020.toml --output census-figures
      accountant figures survey.toml --output figures --json

    \b
    Exit status:
      0  the figures are written
      2  bad input, or the folder is there already; nothing is written
    """
    from accountant import InvalidValue, account
    from accountant_posterior.pictures.everything import figures_of, write_figures

    if output.exists():
        raise InvalidValue(f"'{visible(str(output))}' is there already; name a folder that is not")
    loaded = plan.plan()
    with working(f"drawing {len(loaded.releases):,} releases"):
        found = figures_of(account(loaded))
        files = write_figures(found, output)
    if as_json:
        say_json(_data(found, output, files))
        return
    say(f"Figures: {visible(str(output))}")
    titles = {item.name: item.title for item in found.pictures} | {item.name: item.title for item in found.numbers}
    for name, title in titles.items():
        say_under(name, f"{title}: {', '.join(files[name])}", wide=22)
    for name, why in found.left_out:
        say_under("left out", f"{visible(name)}: {why}", wide=22)


def _data(found: Figures, output: Path, files: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    return {
        "plan": found.title,
        "output": str(output),
        "figures": [
            {
                "name": picture.name,
                "title": picture.title,
                "says": list(picture.says),
                "panels": [panel.title for panel in picture.panels],
                "standings": list(picture.standings),
                "files": list(files[picture.name]),
            }
            for picture in found.pictures
        ],
        "tables": [{"name": item.name, "title": item.title, "files": list(files[item.name])} for item in found.numbers],
        "left_out": [{"name": name, "why": why} for name, why in found.left_out],
    }
