"""`accountant study sources`: figures and tables of the sources, beside what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accountant.commands import Form, answers, folder_option, json_option, say, say_json, say_under, visible, working


def _answer() -> dict[str, Any]:
    from accountant_posterior.sources.page import schema

    return schema()


@answers(_answer)
@click.command("sources", short_help="Figures and tables of the sources, beside what is printed.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@folder_option("Write a table, a page and figures here.", required=True)
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Repeat what was drawn with this seed.")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", help="How the table is written.")
@json_option
def command(names: tuple[str, ...], output: Path, seed: int | None, form: Form, as_json: bool) -> None:
    """Compute figures and tables of Kazan's thesis again, with what is printed beside them and why it may differ.

    So is the table of decennial censuses of Bailie and others, table-censuses.

    NAME is a figure or table, such as figure-2.4; all are drawn by default. Those that other commands draw on your own data
    are not among them: the reference page on figures of the sources names the command for each.

    \b
    Examples:
      accountant study sources --output sources
      accountant study sources figure-2.4 table-2.7 --output decisions
      accountant study sources figure-4.10 --seed 7 --output likelihood

    \b
    Exit status:
      0  the figures are written
      2  bad input; nothing is written
    """
    import secrets

    from accountant_posterior.sources.page import LABEL, data_of, sources_of, write_sources

    with working("computing what the sources show"):
        found = sources_of(names, secrets.randbits(63) if seed is None else seed)
        write_sources(found, output, form)
    data = data_of(found)
    if as_json:
        say_json({**data, "output": str(output)})
        return
    say(f"STUDY: {LABEL}")
    for item in data["shown"]:
        say(f"  {item['name']}: {item['title']}")
        for one in item["numbers"]:
            why = f"; CORRECTED: {one['why']}" if one["corrected"] else ""
            say_under(one["what"], f"printed {one['printed']}, here {one['here']}{why}", wide=52)
        if item["figures"]:
            say_under("drawn", ", ".join(item["figures"]), wide=52)
    say_under("seed", f"{found.seed}", wide=12)
    say_under("written", visible(str(output)), wide=12)
