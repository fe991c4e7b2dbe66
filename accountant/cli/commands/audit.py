"""`accountant audit`: run mechanisms and see whether they lose more than the account says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import ExitStatus, caution
from accountant.cli.options import completed, json_option, plan_argument, plugin_options, registry_of
from accountant.cli.output import say, say_json, say_under, visible, working
from accountant.cli.sources import PlanSource
from accountant.values.writing import listed

if TYPE_CHECKING:
    from accountant.analysis.auditing.auditor import Auditor
    from accountant.analysis.auditing.releases import Audit
    from accountant.cli.verdicts import Tone

_TONES: dict[str, Tone] = {"refuted": "bad", "consistent": "good"}


@click.command("audit", short_help="Run mechanisms and compare what they lose with the account.")
@plan_argument
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("release_names"),
    help="Audit this release; repeatable.",
)
@click.option(
    "--delta",
    default="1e-6",
    metavar="NUMBER",
    shell_complete=completed("usual", "delta"),
    help="Bound epsilon at this delta; 1e-6 by default.",
)
@click.option(
    "--samples", default="1000000", metavar="NUMBER", help="Runs that count, on either side; 1,000,000 by default."
)
@click.option(
    "--confidence",
    default="0.999",
    metavar="NUMBER",
    shell_complete=completed("usual", "confidence"),
    help="How surely all bounds hold together; 0.999 by default.",
)
@click.option("--seed", default="0", metavar="NUMBER", help="Where the randomness starts; 0 by default.")
@json_option
@plugin_options
def command(
    plan: PlanSource,
    releases: tuple[str, ...],
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
    **settings: str,
) -> int:
    """Run the mechanisms of PLAN on neighbouring answers, and bound from below what each loses.

    Each release is run as if once, many times over. An event is chosen on some runs and counted on others; one that is
    seen much more often with one answer than with the other proves a loss. If that is more than the account says, the
    mechanism or its account is wrong. Otherwise nothing is proved: an audit only sees what it tries.

    \b
    Examples:
      accountant audit survey.toml
      accountant audit survey.toml --release smokers --delta 0.01
      accountant audit survey.toml --samples 10000000 --confidence 0.999999 --json

    \b
    Exit status:
      0  every audit is consistent with the account, or nothing could be run
      1  an audit refutes the account
      2  bad input
    """
    from accountant.analysis.auditing.auditor import Auditor
    from accountant.analysis.auditing.releases import audit
    from accountant.errors import PlanError
    from accountant.values.reading import Reader

    registry = registry_of(disabled, allowed)
    reader = Reader()
    for name, value in settings.items():
        reader.attempt(f"--{name}", Auditor, **{name: value})
    try:
        loaded = plan.plan(registry)
        caution(loaded.warnings)
    except PlanError as error:
        raise PlanError((*reader.faults, *error.faults)) from error
    if reader.faults:
        raise PlanError(tuple(reader.faults))
    auditor = Auditor(**settings)
    with working(f"running mechanisms {auditor.samples:,} times on either side"):
        audits = audit(loaded, releases=releases or None, **settings, registry=registry)
    if as_json:
        say_json(_data(auditor, audits))
    else:
        _print(auditor, audits)
    return ExitStatus.EXCEEDED if any(item.verdict == "refuted" for item in audits) else ExitStatus.KEPT


def _data(auditor: Auditor, audits: tuple[Audit, ...]) -> dict[str, Any]:
    from accountant.numbers.exact import plain

    return {
        "delta": plain(auditor.delta),
        "samples": auditor.samples,
        "confidence": plain(auditor.confidence),
        "seed": auditor.seed,
        "audits": [_audit_data(item) for item in audits],
    }


def _audit_data(item: Audit) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import enclosure

    data: dict[str, Any] = {"release": item.release.name, "verdict": item.verdict}
    if item.claimed is not None and item.found is not None:
        data["claimed"] = write(enclosure(item.claimed))
        data["found"] = {
            "epsilon": _rounded_down(item.found.epsilon),
            "event": item.found.event,
            "seen": list(item.found.seen),
            "runs": item.found.runs,
        }
    return data if item.remark is None else {**data, "remark": item.remark}


def _rounded_down(number: float) -> str:
    from accountant.numbers.interval import Interval

    return Interval(number, number).rounded(6)[0]


def _print(auditor: Auditor, audits: tuple[Audit, ...]) -> None:
    from accountant.cli.verdicts import conclude, painted, say_status
    from accountant.numbers.exact import plain

    delta, confidence = plain(auditor.delta), plain(auditor.confidence)
    refuted = [item.release.name for item in audits if item.verdict == "refuted"]
    tried = [item for item in audits if item.found is not None]
    if refuted:
        conclude("bad", f"refuted: {len(refuted):,} of {len(audits):,} releases lose more than the account says")
        say_status(f"an audit refutes the account of {listed(refuted)}")
    elif tried:
        conclude("good", f"consistent: no audit of {len(tried):,} releases refutes the account; nothing is proved")
    else:
        conclude("open", "nothing could be run")
    say(f"Each release run once, at delta = {delta}; all bounds hold together with confidence {confidence}")
    for item in audits:
        say(f"{visible(item.release.name)}: {painted(item.verdict, _TONES.get(item.verdict, 'open'))}")
        if item.found is not None:
            often, rarely = item.found.seen
            say(f"  account: epsilon = {item.claimed}")
            say(f"  audit:   epsilon is at least {_rounded_down(item.found.epsilon)}")
            say(f"  event:   {item.found.event}, seen {often:,} and {rarely:,} times in {item.found.runs:,} runs each")
        if item.remark is not None:
            say_under("remark", item.remark, wide=9)
