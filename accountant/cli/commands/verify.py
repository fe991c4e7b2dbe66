"""`accountant verify`: recompute a certificate from its plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.certified import registry_for
from accountant.cli.failure import ExitStatus, caution, fault_data
from accountant.cli.options import json_option, plan_argument, plugin_options
from accountant.cli.output import say, say_json, visible, working, wrapped
from accountant.cli.sources import PlanSource

if TYPE_CHECKING:
    from accountant.certificate.certificate import Certificate
    from accountant.certificate.signing.trust import Trust
    from accountant.certificate.verification import Verification


@click.command("verify", short_help="Recompute a certificate from its plan.")
@click.argument("certificate", type=click.Path(path_type=Path))
@plan_argument
@click.option(
    "--trust", type=click.Path(path_type=Path), metavar="POLICY", help="Demand the signatures that a policy needs."
)
@click.option(
    "--signatures",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where signatures are; beside the certificate by default, x.certificate.json having x.certificate.intoto.jsonl.",
)
@click.option(
    "--released",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file that must be signed as released; repeatable.",
)
@json_option
@plugin_options
def command(
    certificate: Path,
    plan: PlanSource,
    trust: Path | None,
    signatures: Path | None,
    released: tuple[Path, ...],
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Recompute CERTIFICATE from PLAN and refuse it if anything differs.

    The plugins behind the certificate are compared first: version and digest of each must be the same here. Plugins of
    others that it does not rest on are not loaded. The file must be the bytes that were written, and all that is no number
    must be equal. Another platform or library may compute other last digits: an interval is verified if the one that is
    recomputed here lies inside it, if need be at more precision than the plan asks for, and the answer says so. A verified
    certificate says truly what it says, which may be that a budget is exceeded, and it says who answers for what it rests
    on.

    With --trust it must also be signed, by as many people in each role as the policy needs, and nothing is recomputed that
    is not: the certificate, the plan, its tables and what was --released, each by the bytes of the file.

    It is done by a worker whose answer is demanded, within 10 minutes and 8 GB unless --within and --memory say otherwise.

    \b
    Examples:
      accountant verify survey.certificate.json survey.toml
      accountant verify survey.certificate.json survey.toml --trust policy.toml --released tables.csv

    \b
    Exit status:
      0  verified
      1  refused; every difference, and every reason not to trust a signature, is listed with its place
      2  a file or the policy cannot be read
    """
    from accountant.certificate.loaded import plugin_differences
    from accountant.certificate.verification import Verification, verify
    from accountant.cli.trust import trust_data, trusted
    from accountant.promise.guarantee import Verdict

    signed = trusted(certificate, plan, trust, signatures, released)
    if signed is not None and not signed[1].trusted:
        return _refuse(signed[1], as_json)
    stated = _stated(certificate, plan) if signed is None else signed[0].certificate
    registry = registry_for(stated.data, disabled, allowed)
    found = Verification(Verdict.REFUTED, plugin_differences(stated, registry))
    if not found.differences:
        loaded = plan.plan(registry) if signed is None else signed[0].plan(registry)
        caution(loaded.warnings)
        with working("recomputing the certificate"):
            found = verify(stated, loaded, registry=registry)
    if as_json:
        say_json(_data(stated, found) | ({} if signed is None else {"trust": trust_data(signed[1])}))
    else:
        _print(stated, found, None if signed is None else signed[1])
    return ExitStatus.EXCEEDED if found.differences else ExitStatus.KEPT


def _stated(certificate: Path, plan: PlanSource) -> Certificate:
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


def _refuse(found: Trust, as_json: bool) -> int:
    """Say why nothing was recomputed: it is not signed as it must be."""
    from accountant.cli.trust import say_refused, trust_data

    if as_json:
        say_json({"verified": False, "verdicts": [], "decisions": [], "differences": [], "trust": trust_data(found)})
    else:
        say_refused(found)
    return ExitStatus.EXCEEDED


def _data(certificate: Certificate, found: Verification) -> dict[str, object]:
    from accountant.certificate.data import write
    from accountant.certificate.decisions import decisions
    from accountant.numbers.exact import plain

    refused = bool(found.differences)
    decided = () if refused else decisions(certificate.contents)
    answer: dict[str, object] = {
        "verified": not refused,
        "verdicts": [item.verdict.value for item in decided],
        "decisions": [{"of": item.subject, "verdict": item.verdict.value, "why": item.why} for item in decided],
        "differences": [fault_data(fault) for fault in found.differences],
    }
    if refused:
        return answer
    how = {
        "equal": found.equal,
        "at_least_as_good": list(found.better),
        "refined": list(found.refined),
        "precision": None if found.precision is None else plain(found.precision),
    }
    unchecked = [fault_data(fault) for fault in found.unchecked]
    return {**answer, "recomputed": how, "layers": write(certificate.contents.layers), "unchecked": unchecked}


def _print(certificate: Certificate, found: Verification, signed: Trust | None) -> None:
    from accountant.certificate.decisions import decisions, unkept
    from accountant.cli.layers import say_layers
    from accountant.cli.trust import say_signers
    from accountant.cli.verdicts import conclude, overall, say_decisions, say_status

    differences = found.differences
    if differences:
        many = f"{len(differences):,} {'difference' if len(differences) == 1 else 'differences'}"
        conclude("bad", f"refused: {many}")
        say_status("the certificate does not follow from the plan as recomputed here")
        for fault in differences:
            say(f"  {visible(str(fault))}")
        return
    decided = decisions(certificate.contents)
    follows = f"verified: {'' if signed is None else 'signed, and '}the certificate follows from the plan, {found.how}"
    conclude("good", follows if certificate.kept else f"{follows}; it says {overall(decided)[1]}")
    if signed is not None:
        say_signers(signed)
    say_decisions(decided)
    if not certificate.kept:
        say(wrapped("The certificate is true, and says that not everything is kept:"))
        for item in unkept(certificate.contents):
            say(wrapped(f"- {visible(str(item))}", indent=2, first=0))
    say_layers(certificate.contents)
    for fault in found.unchecked:
        say(wrapped(f"Not checked: {visible(fault.message)}."))
