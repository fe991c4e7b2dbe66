"""`accountant attack`: follow an attacker through every cell of a table that holds a rare person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from accountant.commands import (
    Form,
    PlanSource,
    answers,
    engine_option,
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
    from accountant_posterior.attacks.cells.study import CellStudy
    from accountant_posterior.attacks.cells.summary import Estimated
    from accountant_posterior.attacks.parents import ParentPrior


def _answer() -> dict[str, Any]:
    from accountant_posterior.attacks.cells.answer import schema

    return schema()


@answers(_answer)
@click.command("attack", short_help="Simulate an attack on the rare people of a table.")
@plan_argument
@click.argument("data", metavar="DATA", type=click.Path())
@click.option("--places", required=True, metavar="A,B,...", help="The columns of the areas, the smallest areas first.")
@click.option("--counts", metavar="COLUMN", help="DATA is a table of counts, in this column; else each row is a person.")
@click.option("--of", metavar="A,B,...", help="Only look at histograms by these attributes and a place.")
@click.option(
    "--knows",
    type=click.Choice(["block", "levels", "hierarchy"]),
    default="block",
    help="What the attacker knows and looks at; block by default.",
)
@click.option(
    "--prior", "priors", multiple=True, metavar="NUMBER", help="What it believes beforehand; repeatable, 1/2 by default."
)
@click.option(
    "--parents",
    default="exchangeable",
    metavar="PRIOR",
    help="For hierarchy: exchangeable (the default), uniform, mean:N, up-to:N or known:N.",
)
@click.option("--missing", default="0", metavar="COUNT", help="How many others of the area the attacker does not know.")
@click.option("--share", metavar="NUMBER", help="Its chance that one of these is counted; the prior by default.")
@click.option("--absent", is_flag=True, help="The target is not in the cell, which the attacker cannot know.")
@click.option(
    "--rare",
    "rarest",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="COUNT",
    help="Attack cells of at most so many; 1 by default.",
)
@click.option("--by", metavar="PLACE", help="Sum up by these areas; the largest by default.")
@click.option("--processed", is_flag=True, help="Also make noisy counts whole, not negative and adding up.")
@click.option(
    "--draws",
    type=click.IntRange(1, 10_000),
    default=1,
    metavar="COUNT",
    help="Draw all noise so often, to estimate the mean over all noise; once by default.",
)
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Repeat what was drawn with this seed.")
@engine_option
@folder_option("Write tables, a page and figures here.")
@click.option("--format", "form", type=click.Choice(["parquet", "csv"]), default="parquet", help="How tables are written.")
@json_option
def command(
    plan: PlanSource,
    data: str,
    places: str,
    counts: str | None,
    of: str | None,
    knows: str,
    priors: tuple[str, ...],
    parents: str,
    missing: str,
    share: str | None,
    absent: bool,
    rarest: int,
    by: str | None,
    processed: bool,
    draws: int,
    seed: int | None,
    engine: str | None,
    output: Path | None,
    form: str,
    as_json: bool,
) -> None:
    """Simulate an attack on the people in DATA who are unique or rare, if PLAN is carried out. This is no guarantee.

    DATA is a CSV or Parquet file with a row for each person, or with --counts one for each cell of a table. Noise is drawn
    for all histograms of the plan by the given places, and at every cell that holds few people the attacker works out
    how likely it is that the target is among them. Data and answers are confidential: true counts are among them.

    \b
    Who attacks:
      block      knows everybody else in the smallest area, and looks at all its tables
      levels     knows everybody else in all areas that hold the target, and looks at all their tables
      hierarchy  knows everybody else in the smallest area, and looks at one table of it, of its siblings and of the
                 areas above, whose counts it has a prior for

    \b
    Examples:
      accountant attack census.toml people.csv --places block,tract,county
      accountant attack census.toml cells.parquet --counts people --places block,tract --of race --knows hierarchy
      accountant attack census.toml people.csv --places block --prior 1/2 --prior 1/10 --seed 7 --output attack
      accountant attack census.toml people.csv --places block,tract --of race --knows hierarchy --draws 50
      accountant attack census.toml people/ --places block,tract --engine spark://127.0.0.1:7077

    \b
    Exit status:
      0  the attack was simulated, whatever it finds
      2  bad input; nothing is written
    """
    import secrets
    from contextlib import nullcontext

    from attrs import evolve

    from accountant import InvalidValue
    from accountant.engines import engine_at
    from accountant_posterior.attacks.cells.answer import data_of
    from accountant_posterior.attacks.cells.attacker import Attacker
    from accountant_posterior.attacks.cells.output import write_study
    from accountant_posterior.attacks.cells.study import study_cells, with_priors

    levels = _names(places)
    if by is not None and by not in levels:
        raise InvalidValue(f"--by names '{visible(by)}', which is none of the places {', '.join(map(visible, levels))}")
    attacker = Attacker(knows=knows, prior="1/2", present=not absent)
    with _given("--parents"):
        attacker = evolve(attacker, above=_parent_prior(parents))
    with _given("--missing"):
        attacker = evolve(attacker, missing=missing)
    with _given("--share"):
        attacker = evolve(attacker, share=share)
    with _given("--prior"):
        attackers = with_priors(attacker, priors or ("1/2",))
    loaded = plan.plan()
    counted_by = nullcontext() if engine is None else engine_at(engine)
    with working(f"attacking the cells of {visible(data)}"), counted_by as chosen:
        study = study_cells(
            loaded,
            data,
            attackers,
            places=levels,
            counts=counts,
            of=None if of is None else _names(of),
            rarest=rarest,
            processing=processed,
            seed=secrets.randbits(63) if seed is None else seed,
            draws=draws,
            engine=chosen,
        )
        level = levels.index(by) if by is not None else len(levels) - 1
        if output is not None:
            write_study(study, output, cast("Form", form), level)
    if as_json:
        say_json({**data_of(study, level), **({} if output is None else {"output": str(output)})})
    else:
        _print(study, level, output)


@contextmanager
def _given(option: str) -> Iterator[None]:
    """Faults in what an option gives have its name as their place."""
    from accountant import InvalidValue

    try:
        yield
    except InvalidValue as error:
        raise InvalidValue(f"{error} @ {option}") from error


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _parent_prior(text: str) -> ParentPrior:
    from accountant import InvalidValue
    from accountant_posterior.attacks.parents import Exchangeable, Known, Uniform, UniformUpTo

    word, _, number = text.partition(":")
    plain: dict[str, ParentPrior] = {"exchangeable": Exchangeable(), "uniform": Uniform()}
    if word in plain and not number:
        return plain[word]
    if word == "mean" and number:
        return Exchangeable(number)
    if word in ("up-to", "known") and number:
        return UniformUpTo(number) if word == "up-to" else Known(number)
    raise InvalidValue(f"expected exchangeable, uniform, mean:N, up-to:N or known:N, got '{visible(text)}'")


def _estimate(found: Estimated) -> str:
    """Means over all noise with their standard errors, in words."""
    mean = f"{found.posterior.shown(4)} (error {found.posterior_error:.1g})"
    right = f"{found.right.shown(4)} (error {found.right_error:.1g})"
    return f"{mean}, and right with probability {right}, on average over all noise, from {found.draws:,} draws of it"


def _print(study: CellStudy, level: int, output: Path | None) -> None:
    from accountant_posterior.attacks.cells.answer import risk, truth_of, words_of
    from accountant_posterior.attacks.cells.summary import by_area

    first = study.followed[0]
    say(f"SIMULATED ATTACK, not a guarantee: {first.outcome.cells:,} cells of {study.cells.people:,} people")
    wide = 12
    say_under("attacker", words_of(first.attacker), wide=wide)
    say_under("truth", truth_of(first.attacker), wide=wide)
    for table in study.rare:
        rare = f"{table.rare:,} at most {study.rarest:,}"
        told = f"{table.table}: {table.unique:,} of {table.cells:,} cells hold one person, {rare}"
        say_under(table.place, told, wide=wide)
    for item in study.followed:
        outcome = item.outcome
        say_under("before", f"{item.attacker.prior}", wide=wide)
        mean = f"{outcome.mean.shown(4)} on average, {risk(outcome.mean, item.attacker).shown(4)} times as much"
        say_under("after", f"{mean}; at most {outcome.largest.shown(4)}", wide=wide)
        open_guesses = f" ({outcome.open:,} are too close to call)" if outcome.open else ""
        say_under("right", f"{outcome.right.shown(4)} of all guesses{open_guesses}", wide=wide)
        if item.expected is not None:
            over = f"{item.expected.posterior.shown(4)}, and right with probability {item.expected.right.shown(4)}"
            say_under("all noise", f"{over}, on average over all noise", wide=wide)
        if item.estimated is not None:
            say_under("estimated", _estimate(item.estimated), wide=wide)
        if study.processed is not None:
            most = "1" if item.processed is None else item.processed.posterior.rounded(4)[1]
            say_under("processed", f"UNKNOWN; for who knows everybody else at most {most} on average", wide=wide)
        name, worst = by_area(item.found, study.cells, level, item.attacker.present)[0]
        say_under("worst", f"{study.cells.places[level]} {visible(name)}: {worst.mean.shown(4)} on average", wide=wide)
    if study.tables.others:
        number = len(study.tables.others)
        tables = "1 table" if number == 1 else f"{number:,} tables"
        say_under("left aside", f"{tables} of the plan, from which more may be learned", wide=wide)
    say_under("seed", f"{study.seed}", wide=wide)
    if output is not None:
        say_under("written", visible(str(output)), wide=wide)
