"""`accountant compare`: does one set of parameters imply another?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import ExitStatus
from accountant.cli.options import completed, json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, working, wrapped
from accountant.cli.sources import SOURCE, PlanSource
from accountant.promise.divergence import DIVERGENCES

if TYPE_CHECKING:
    from accountant.analysis.comparison import Comparison
    from accountant.promise.specification import Budget
    from accountant.registry.registry import Registry

_STATUS = {
    "refuted": "what is asked does not follow from what is known, as the witness shows",
    "unknown": "whether what is asked follows from what is known is not settled",
    "vacuous": "nothing is compared, so that nothing is promised",
}


@click.command("compare", short_help="Ask whether one promise implies another.")
@click.argument("files", nargs=-1, metavar="[FILE FILE ...]", type=SOURCE)
@click.option(
    "--has",
    "known",
    multiple=True,
    metavar="PARAMETER",
    shell_complete=completed("definition_names"),
    help="What is known; repeatable.",
)
@click.option(
    "--implies",
    "wanted",
    multiple=True,
    metavar="PARAMETER",
    shell_complete=completed("definition_names"),
    help="What is asked; repeatable.",
)
@click.option("--at-most", "sizes", multiple=True, metavar="SIZE", help='Such as "10 person per household"; repeatable.')
@click.option(
    "--format",
    "-f",
    "form",
    metavar="NAME",
    shell_complete=completed("renderer_names"),
    help="Write a page about the files: html, markdown, text or json.",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Where to write the page; '-' prints it."
)
@json_option
@plugin_options
def command(
    files: tuple[PlanSource, ...],
    known: tuple[str, ...],
    wanted: tuple[str, ...],
    sizes: tuple[str, ...],
    form: str | None,
    output: Path | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Ask whether one promise implies another: of files, or of two sets of parameters under the same neighbours.

    A FILE has a [specification] and budgets, as a plan has. All are shown side by side, block by block, and whether each
    implies each other. Where neither of two does, what both say of the same datasets follows.

    A PARAMETER is the name of a definition and its values:
    "approx epsilon=1 delta=1e-6". Several of one definition are a curve.

    \b
    Examples:
      accountant compare topdown.toml swapping.toml
      accountant compare persons.toml households.toml --at-most "20 person per household"
      accountant compare topdown.toml swapping.toml --output comparison.html
      accountant compare --has "zcdp rho=0.1" --implies "approx epsilon=3 delta=1e-6"
      accountant compare --has "pure epsilon=1" --implies "zcdp rho=0.5" --implies "gdp mu=1.3"
      accountant compare --has "renyi order=8 gamma=0.1" --has "renyi order=32 gamma=0.5" --implies "fdp level=.05 power=.2"

    \b
    Exit status:
      0  implied: of two files, the first implies the second; of more than two, whatever was found
      1  refuted, with a mechanism that is a counterexample, unknown, or vacuous
      2  bad input
    """
    from accountant.analysis.comparison import compare
    from accountant.errors import PlanError
    from accountant.values.reading import Reader

    registry = registry_of(disabled, allowed)
    if files:
        from accountant.cli.promises import Page, compare_files

        if known or wanted:
            raise click.UsageError("give two files or parameters, not both")
        page = Page.of(form, output, registry)
        return ExitStatus.KEPT if compare_files(files, sizes, registry, as_json=as_json, page=page) else ExitStatus.EXCEEDED
    if form is not None or output is not None:
        raise click.UsageError("a page is written about files; --format and --output need two of them")
    if not known or not wanted:
        raise click.UsageError("give two files, or parameters with --has and --implies")
    reader = Reader()
    stated = [_budget(reader, registry, text, f"--has {text!r}") for text in known]
    asked = [_budget(reader, registry, text, f"--implies {text!r}") for text in wanted]
    if reader.faults:
        raise PlanError(tuple(reader.faults))
    with working("comparing"):
        found = compare([b for b in stated if b], [b for b in asked if b], registry=registry)
    if as_json:
        say_json(_data(found))
    else:
        _print(found)
    return ExitStatus.KEPT if found.verdict.value == "implied" else ExitStatus.EXCEEDED


def _budget(reader: Any, registry: Registry, text: str, place: str) -> Budget | None:
    """A parameter written as a name and values."""
    from accountant.promise.specification import Budget

    name, *pairs = re.sub(r"\s*=\s*", "=", text).split() or [""]
    divergence = reader.attempt(place, registry.find, DIVERGENCES, name)
    loose = [pair for pair in pairs if "=" not in pair]
    for pair in loose:
        reader.fault(f"expected 'name=value', got {pair!r}", place)
    if divergence is None or loose:
        return None
    parameter = reader.value(divergence.parameter, dict(pair.split("=", 1) for pair in pairs), place)
    return None if parameter is None else Budget(divergence, parameter)


def _data(found: Comparison) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import certified, formulas

    return {
        "verdict": found.verdict.value,
        "guarantees": [write(certified(guarantee)) for guarantee in found.guarantees],
        "witness": found.witness,
        "published": write(formulas(found.published)),
    }


def _print(found: Comparison) -> None:
    from accountant.cli.verdicts import conclude, say_status, tone_of

    conclude(tone_of(found.verdict), found.verdict.value)
    if found.verdict.value in _STATUS:
        say_status(_STATUS[found.verdict.value])
    for guarantee in found.guarantees:
        value = f"{guarantee.value}{guarantee.at_words}"
        say(wrapped(f"{guarantee.divergence}: {guarantee.name} = {value}, by the {guarantee.evidence}", 4, 2))
    if found.witness is not None:
        say(wrapped(f"witness: {found.witness}", 4, 2))
    for item in found.published:
        say(f"  published: {item.conversion} gives {item.value}")
