"""`accountant individuals`: what each unit's own releases lose, from a table of who took part in what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from accountant import InvalidValue
from accountant.commands import (
    PlanSource,
    answers,
    completed,
    engine_option,
    json_option,
    plan_argument,
    say,
    say_json,
    say_under,
    visible,
    working,
    write_whole,
)

if TYPE_CHECKING:
    from accountant.certificate import Verification
    from accountant_scale.individuals.own import Participation
    from accountant_scale.individuals.run import Individuals


def _answer() -> dict[str, Any]:
    from accountant_scale.individuals.answer import schema

    return schema()


@answers(_answer)
@click.command("individuals", short_help="Account for every unit of a table of who took part in what.")
@plan_argument
@click.argument("events", metavar="EVENTS", type=click.Path())
@click.option(
    "--participation",
    type=click.Choice(["design", "data"]),
    default="data",
    help="What decided who took part: a design fixed beforehand, or the data (assumed by default).",
)
@click.option(
    "--before",
    metavar="RELEASE",
    shell_complete=completed("release_names"),
    help="Which units must be left out of one more of this release.",
)
@engine_option
@click.option("--output", metavar="FOLDER", type=click.Path(path_type=Path), help="Write units with their readings here.")
@click.option(
    "--certificate",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write what is promised to the units here, for others to verify; by design only.",
)
@click.option(
    "--verify",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Recompute such a certificate, and refuse it if anything differs.",
)
@json_option
def command(
    plan: PlanSource,
    events: str,
    participation: str,
    before: str | None,
    engine: str | None,
    output: Path | None,
    certificate: Path | None,
    verify: Path | None,
    as_json: bool,
) -> int:
    """Account for every unit of EVENTS under PLAN.

    EVENTS is a CSV or Parquet file, or a folder of such: a column `unit`, a column `release` that names a release of the
    plan, and perhaps `times`. The budgets and questions of the plan are read for every different set of releases that some
    unit took part in, once; units share the answer.

    Where who took part was fixed beforehand (a rotating panel, a training schedule), the largest loss is a promise. Where
    it depends on the data, the losses are confidential themselves. With --output, units are written with their readings
    as Parquet; work that was cut off is taken up again when the same is asked once more.

    With --certificate, what is promised by design is written as canonical JSON: how many units have each signature and what
    it loses, the worst, and the digests of the plan and of the events; no unit is named. Whoever has all three asks with
    --verify whether it follows. Losses that depend on the data are refused.

    \b
    Examples:
      accountant individuals panel.toml events.parquet --participation design
      accountant individuals panel.toml events.csv --before "month 36" --output losses
      accountant individuals panel.toml events.csv --participation design --certificate panel.units.json
      accountant individuals panel.toml events.csv --participation design --verify panel.units.json
      accountant individuals panel.toml events/ --engine spark://127.0.0.1:7077 --json

    \b
    Exit status:
      0  every unit keeps every budget, or none was stated; with --verify: the certificate follows
      1  some unit is not shown to keep a budget; with --verify: the certificate is refused
      2  bad input; nothing is written
    """
    from accountant.certificate import Sealed
    from accountant.engines import engine_at
    from accountant_scale.individuals.answer import data_of, verified_data
    from accountant_scale.individuals.certificate import FORMAT, UnitContents, certifiable
    from accountant_scale.individuals.run import individuals

    kind = cast("Participation", participation)
    if certificate is not None or verify is not None:
        certifiable(kind)
    if certificate is not None:
        _free(certificate, plan, events, verify)
    stated = None if verify is None else Sealed.load(verify, FORMAT)
    loaded = plan.plan()
    with working(f"accounting for the units of {events}"), engine_at(engine) as chosen:
        found = individuals(
            loaded, events, participation=kind, engine=chosen, output=output, before=before, finished=data_of
        )
        verified = None if stated is None else UnitContents.of(loaded, found).verifies(stated)
        if certificate is not None:
            write_whole(certificate, UnitContents.of(loaded, found).to_json())
    if as_json:
        say_json(data_of(found) | ({} if verified is None else verified_data(verified)))
    elif verified is None or _say_verified(verified):
        _print(found)
        if certificate is not None:
            say(f"Certificate: {visible(str(certificate))}")
    if verified is not None:
        return 1 if verified.differences else 0
    return 1 if any(spread.beyond for spread in found.spreads) else 0


def _free(certificate: Path, plan: PlanSource, events: str, verify: Path | None) -> None:
    """Refuse to write a certificate where one is to be verified, where nothing can be written, or over what it is about."""
    if verify is not None:
        raise InvalidValue("'--certificate' writes a certificate, and '--verify' recomputes one; ask for one of both")
    target = certificate.resolve()
    if not target.parent.is_dir():
        raise InvalidValue(f"cannot write {certificate}: there is no folder {certificate.parent}; name another file")
    if plan.is_file(certificate) or Path(events).resolve() in (target, target.parent):
        raise InvalidValue(f"cannot write {certificate}: it is the plan or among the events; name another file")


def _say_verified(found: Verification) -> bool:
    """Say whether a certificate follows, and otherwise every difference."""
    if not found.differences:
        say(f"verified: the certificate follows from the plan and the events, {found.how}")
        return True
    many = len(found.differences)
    say(f"refused: {many:,} {'difference' if many == 1 else 'differences'}")
    for fault in found.differences:
        say(f"  {visible(str(fault))}")
    return False


def _print(found: Individuals) -> None:
    from accountant_scale.individuals.answer import lines_of, named

    beyond = [(reading, spread) for reading, spread in named(found) if spread.beyond]
    for reading, spread in beyond:
        told = ", ".join(f"{units:,} {word}" for word, units in spread.verdicts)
        word = "NOT KEPT" if dict(spread.verdicts).get("refuted") == spread.beyond else "NOT SHOWN TO BE KEPT"
        say(f"{word} by {spread.beyond:,} of {found.units:,} units: {reading} ({told})")
    if not beyond:
        kept = any(spread.verdicts for spread in found.spreads)
        say(f"KEPT by all {found.units:,} units" if kept else f"READ for all {found.units:,} units")
    for label, text in lines_of(found):
        say_under(label, text, wide=12)
