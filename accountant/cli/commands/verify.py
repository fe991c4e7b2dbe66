"""`accountant verify`: recompute a certificate from its plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.failure import ExitStatus, caution, fault_data
from accountant.cli.options import json_option, plan_argument, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, working, wrapped
from accountant.cli.sources import Source

if TYPE_CHECKING:
    from accountant.certificate.certificate import Certificate
    from accountant.errors import Fault


@click.command("verify", short_help="Recompute a certificate from its plan.")
@click.argument("certificate", type=click.Path(path_type=Path))
@plan_argument
@json_option
@plugin_options
def command(certificate: Path, plan: Source, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> int:
    """Recompute CERTIFICATE from PLAN and refuse it if anything differs.

    The plugins behind the certificate are compared first: version and digest of each must be the same here. A verified
    certificate says truly what it says, which may be that a budget is exceeded.

    \b
    Example:
      accountant verify survey.certificate.json survey.toml

    \b
    Exit status:
      0  verified
      1  refused; every difference is listed with its place
      2  the certificate or the plan cannot be read
    """
    from accountant.certificate.verification import plugin_differences, verify

    registry = registry_of(disabled, allowed)
    stated = _stated(certificate, plan)
    differences = plugin_differences(stated, registry)
    if not differences:
        loaded = plan.plan(registry)
        caution(loaded.warnings)
        with working("recomputing the certificate"):
            differences = verify(stated, loaded, registry=registry).differences
    if as_json:
        say_json(_data(stated, differences))
    else:
        _print(stated, differences)
    return ExitStatus.EXCEEDED if differences else ExitStatus.KEPT


def _stated(certificate: Path, plan: Source) -> Certificate:
    """The certificate in a file; an error that says so where the files are exchanged."""
    from accountant.certificate.certificate import Certificate
    from accountant.errors import CertificateError

    try:
        return Certificate.load(certificate)
    except CertificateError as error:
        try:
            Certificate.load(plan.path or "")
        except CertificateError:
            raise error from None
        raise CertificateError(f"{plan} is the certificate: give it first, and then the plan, {certificate}") from error


def _data(certificate: Certificate, differences: tuple[Fault, ...]) -> dict[str, object]:
    from accountant.certificate.decisions import decisions

    found = () if differences else decisions(certificate.contents)
    return {
        "verified": not differences,
        "verdicts": [item.verdict.value for item in found],
        "decisions": [{"of": item.subject, "verdict": item.verdict.value, "why": item.why} for item in found],
        "differences": [fault_data(fault) for fault in differences],
    }


def _print(certificate: Certificate, differences: tuple[Fault, ...]) -> None:
    from accountant.certificate.decisions import decisions, unkept
    from accountant.cli.verdicts import conclude, overall, say_decisions, say_status

    if differences:
        many = f"{len(differences):,} {'difference' if len(differences) == 1 else 'differences'}"
        conclude("bad", f"refused: {many}")
        say_status("the certificate does not follow from the plan as recomputed here")
        for fault in differences:
            say(f"  {visible(str(fault))}")
        return
    found = decisions(certificate.contents)
    follows = "verified: the certificate follows from the plan, digit by digit"
    conclude("good", follows if certificate.holds else f"{follows}; it says {overall(found)[1]}")
    say_decisions(found)
    if not certificate.holds:
        say(wrapped("The certificate is true, and says that not everything is kept:"))
        for item in unkept(certificate.contents):
            say(wrapped(f"- {visible(str(item))}", indent=2, first=0))
