"""All figures and tables of a plan, and why those that are missing are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import InvalidValue
from accountant.commands import new_folder
from accountant_posterior.pictures import columns, drawn, failure, power, profiles, releases, suppositions, tables, worlds
from accountant_posterior.pictures.picture import Picture
from accountant_posterior.pictures.tables import Numbers
from accountant_posterior.reports.view import View, views

if TYPE_CHECKING:
    from accountant import Account, Scenario


@frozen
class Figures:
    """What a plan shows: pictures, tables, and for whatever is left out the reason."""

    title: str
    pictures: tuple[Picture, ...]
    numbers: tuple[Numbers, ...]
    left_out: tuple[tuple[str, str], ...]


def figures_of(account: Account) -> Figures:
    """Everything that can be drawn of an account. Where exact facts settle an answer, no number speaks of it."""
    seen = views(account)
    told = [view for view in seen if not view.settled]
    left = [(view.label, "what is published exactly settles it") for view in seen if view.settled]
    scenarios = [view for view in told if view.attributes is not None]
    supposed, empty = suppositions.supposing(account)
    left += empty
    pictures = []
    for name, draw in _wanted(account, told, scenarios, supposed):
        try:
            pictures.append(draw())
        except InvalidValue as error:
            left.append((name, str(error)))
    numbers = tuple(tables.tables(account, told))
    return Figures(account.plan.title, tuple(pictures), numbers, tuple(left))


def _wanted(
    account: Account, told: list[View], scenarios: list[View], supposed: list[Scenario]
) -> Iterator[tuple[str, Callable[[], Picture]]]:
    if told and told[0].account is account:
        whole = told[0]
        yield "power", lambda: power.picture(whole)
        yield "failure", lambda: failure.picture(whole)
        yield "posteriors", lambda: worlds.picture(whole)
        yield "releases", lambda: releases.picture(whole)
    if scenarios:
        yield "scenarios-power", lambda: power.multiples(scenarios)
        yield "scenarios-posteriors", lambda: worlds.multiples(scenarios)
        yield "scenarios-releases", lambda: releases.multiples(scenarios)
    if supposed:
        yield "suppositions-power", lambda: suppositions.multiples(account, supposed)
    yield "profiles", lambda: profiles.picture(account)


def write_figures(figures: Figures, folder: Path) -> dict[str, tuple[str, ...]]:
    """A new folder with every picture as SVG, PNG and CSV, and every table as CSV; returns the files by name."""
    with new_folder(folder) as draft:
        files = {
            picture.name: (
                *drawn.write(picture, draft),
                columns.write(picture.name, columns.COLUMNS, columns.rows(picture), draft),
            )
            for picture in figures.pictures
        }
        written = {table.name: (columns.write(table.name, table.columns, table.rows, draft),) for table in figures.numbers}
    return {**files, **written}
