"""`accountant bridge`: a plan from what another library wrote."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import ExitStatus
from accountant.cli.options import completed, json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, say_under, visible, working, write_whole
from accountant.cli.sources import SOURCE, PlanSource
from accountant.cli.verdicts import say_status

if TYPE_CHECKING:
    from accountant.plan.history import History
    from accountant.plan.plan import Plan
    from accountant.promise.guarantee import Guarantee
    from accountant.registry.registry import Registry


@click.command("bridge", short_help="Make a plan of what another library wrote.")
@click.argument("name", metavar="FORMAT", shell_complete=completed("bridge_names"))
@click.argument("history", type=SOURCE)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write the plan; beside the history by default, run.json giving run.toml.",
)
@click.option(
    "--neighbours",
    metavar="NAME",
    shell_complete=completed("neighbour_names"),
    help="Which datasets are compared, such as add-remove, where the history does not say.",
)
@click.option("--unit", metavar="TEXT", help="Whose data one record is, such as person.")
@click.option("--title", metavar="TEXT", help="What the plan is called.")
@click.option("--delta", metavar="NUMBER", help="Where the cost is read; 1e-6 by default.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@plugin_options
def command(
    name: str,
    history: PlanSource,
    output: Path | None,
    neighbours: str | None,
    unit: str | None,
    title: str | None,
    delta: str | None,
    force: bool,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Make a plan of HISTORY, which another library wrote, and say what it has cost and what it does not say.

    FORMAT names the library, such as opacus; 'accountant plugins' lists the bridges. HISTORY is a JSON
    file, or '-' for standard input. The plan has what was released, a comment on every line, and as its budget what all of
    it cost. What is not understood is refused, and nothing that the file names is imported or run.

    \b
    Examples:
      accountant bridge opacus history.json --delta 1e-5
      accountant bridge dp-accounting event.json --neighbours add-remove --output training.toml

    \b
    Exit status:
      0  a plan is written
      1  a plan without a budget is written: nothing bounds what the history cost
      2  bad input; nothing is written
    """
    from accountant.analysis.spent import spending
    from accountant.plan.history import read_history

    registry = registry_of(disabled, allowed)
    stated = {"neighbours": neighbours, "unit": unit, "title": title or _called(history)}
    found = read_history(name, history.written(), **stated, registry=registry)
    target = _target(history, output, force=force)
    with working(f"composing {len(found.plan.releases):,} releases"):
        plan, cost = spending(found.plan, {} if delta is None else {"delta": delta}, registry=registry)
    if target is not None:
        write_whole(target, _written(plan, found.remarks, registry))
    if as_json:
        say_json(_data(plan, cost, found, target))
    else:
        _print(plan, cost, found, target)
    return ExitStatus.EXCEEDED if math.isinf(cost.value.upper) else ExitStatus.KEPT


def _target(history: PlanSource, output: Path | None, *, force: bool) -> Path | None:
    """The file to write, which must be free."""
    from accountant.errors import AccountantError

    target = output if output is not None or history.path is None else history.path.with_suffix(".toml")
    if target is None:
        return None
    if target.suffix.lower() == ".json":
        raise AccountantError(f"cannot write {target}: a plan with comments is TOML; give a name that ends in .toml")
    if target.exists() and (not force or history.is_file(target)):
        raise AccountantError(f"cannot write {target}: it is there already; give another name, or --force to replace it")
    return target


def _called(history: PlanSource) -> str | None:
    return None if history.path is None else history.path.stem or None


def _written(plan: Plan, remarks: tuple[str, ...], registry: Registry) -> str:
    """The plan as a file, below what it rests on."""
    from accountant.plan.commented import comment, commented

    lines = [line for remark in ("What the history does not say:", *remarks) for line in comment(remark)]
    return "\n".join([*lines, "", commented(plan, registry)])


def _data(plan: Plan, cost: Guarantee, found: History, target: Path | None) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import named
    from accountant.numbers.exact import plain

    return {
        "file": None if target is None else str(target),
        "divergence": cost.divergence,
        "at": {word: plain(number) for word, number in cost.at.items()},
        "value": write(named(cost.name, cost.value)),
        "between": plan.comparison.between,
        "remarks": list(found.remarks),
        "plan": plan.as_data(),
    }


def _print(plan: Plan, cost: Guarantee, found: History, target: Path | None) -> None:
    say(f"{cost.name} = {cost.value.shown(6)}{cost.at_words}")
    if math.isinf(cost.value.upper):
        say_status("nothing bounds what the history cost, so that the plan has no budget")
    count = "1 release" if len(plan.releases) == 1 else f"{len(plan.releases):,} releases"
    told = [("of", count), ("between", plan.comparison.between), *(("not said", remark) for remark in found.remarks)]
    for label, text in told:
        say_under(label, text, wide=10)
    if target is None:
        say("Plan: not written; --output says where")
        return
    say(f"Plan: {visible(str(target))}")
    say(f"Next: accountant certify {visible(shlex.quote(str(target)))}")
