"""`accountant sign`: state in a role what a certificate says, and sign it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.failure import ExitStatus, fault_data
from accountant.cli.options import json_option, passphrase_option, plugin_options, registry_of
from accountant.cli.output import alone, say, say_json, visible, working, write_whole

if TYPE_CHECKING:
    from accountant.certificate.signing.envelope import Envelope
    from accountant.certificate.signing.statement import SignedStatement
    from accountant.errors import Fault


@click.command("sign", short_help="Sign a certificate, its plan and what was released.")
@click.argument("certificate", type=click.Path(path_type=Path))
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--key", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The private key.")
@click.option(
    "--role",
    required=True,
    type=click.Choice(["curator", "checker"]),
    help="What you state: curator, that the plan describes what is run; checker, that the numbers were recomputed.",
)
@click.option(
    "--released",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file that was released; repeatable.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where signatures are; beside the certificate by default, x.certificate.json giving x.certificate.intoto.jsonl.",
)
@passphrase_option
@json_option
@plugin_options
def command(
    certificate: Path,
    plan: Path,
    key: Path,
    role: str,
    released: tuple[Path, ...],
    output: Path | None,
    passphrase_file: str | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Sign CERTIFICATE and PLAN, by the bytes of the files, with the tables of the plan and the files that were released.

    A curator states that the plan describes what is run. A checker states that the numbers were recomputed: they are, now,
    and nothing is signed where they differ. Each signature is a line that is added to those of others.

    \b
    Examples:
      accountant sign survey.certificate.json survey.toml --key ada.key --role curator --released tables.csv
      accountant sign survey.certificate.json survey.toml --key bob.key --role checker

    \b
    Exit status:
      0  signed
      1  the certificate does not follow from the plan; nothing is signed
      2  bad input; nothing is signed
    """
    from accountant.certificate.signing.disk import load_key
    from accountant.certificate.signing.envelope import written
    from accountant.certificate.signing.sign import sign
    from accountant.certificate.signing.statement import read_statement
    from accountant.certificate.signing.verification import signatures_beside
    from accountant.cli.passphrase import passphrase
    from accountant.errors import NotVerified

    registry = registry_of(disabled, allowed)
    target = signatures_beside(certificate) if output is None else output
    _before(target)  # a file that cannot be added to is told before anything is computed
    signer = load_key(key, passphrase(passphrase_file))
    try:
        with working("recomputing the certificate"):
            made = sign(certificate, plan, signer=signer, role=role, released=released, registry=registry)
    except NotVerified as error:
        _refuse(error.differences, as_json)
        return ExitStatus.EXCEEDED
    said = read_statement(made.payload)
    with alone(target):
        before = _before(target)  # somebody else may have signed meanwhile
        _check(before, made, said, target)
        write_whole(target, written((*before, made)))
    if as_json:
        say_json({"signed": True, "signatures": str(target), "key": signer.public.key_id, **_data(said), "differences": []})
    else:
        _print(said, signer.public.key_id, target, len(before) + 1)
    return ExitStatus.KEPT


def _before(target: Path) -> tuple[Envelope, ...]:
    """What others have signed; a damaged file is not added to."""
    from accountant.certificate.signing.envelope import Envelope, parsed
    from accountant.certificate.signing.files import Stored
    from accountant.errors import PlanError, SigningError

    if not target.exists():
        return ()
    try:
        found = list(parsed(Stored.read(target).text))
    except PlanError as error:
        raise SigningError(f"cannot add to {target}: {error}") from error
    for item in found:
        if not isinstance(item, Envelope):
            raise SigningError(f"cannot add to {target}: {item}")
    return tuple(item for item in found if isinstance(item, Envelope))


def _check(before: tuple[Envelope, ...], made: Envelope, said: SignedStatement, target: Path) -> None:
    """Refuse to add a signature to those of other files, or one that is there already."""
    from accountant.certificate.signing.statement import read_statement
    from accountant.errors import AccountantError

    mine = {item.key_id for item in made.signatures}
    for envelope in before:
        there = read_statement(envelope.payload)
        for part in ("certificate", "plan"):
            if set(there.of_part(part).values()) != set(said.of_part(part).values()):
                raise AccountantError(f"cannot add to {target}: it has signatures of another {part}; name another --output")
        if there.role is said.role and mine & {item.key_id for item in envelope.signatures}:
            raise AccountantError(f"cannot add to {target}: this key has signed as {said.role} already, and counts once")


def _refuse(differences: tuple[Fault, ...], as_json: bool) -> None:
    from accountant.cli.verdicts import conclude, say_status

    if as_json:
        say_json({"signed": False, "differences": [fault_data(fault) for fault in differences]})
        return
    many = f"{len(differences):,} {'difference' if len(differences) == 1 else 'differences'}"
    conclude("bad", f"not signed: {many}")
    say_status("the certificate does not follow from the plan as recomputed here")
    for fault in differences:
        say(f"  {visible(str(fault))}")


def _data(said: SignedStatement) -> dict[str, object]:
    subjects = [{"part": item.part, "name": item.name, "sha256": item.digest} for item in said.subjects]
    return {"role": said.role.value, "result": said.says["result"], "subjects": subjects}


def _print(said: SignedStatement, key_id: str, target: Path, count: int) -> None:
    from accountant.cli.verdicts import conclude

    stated = said.role.statements[0]["text"]
    conclude("good", f"signed: as {said.role}, you state that {stated}")
    if said.says["result"] != "PASSED":
        say("What the certificate says is that not everything is kept.")
    for item in said.subjects:
        say(f"  {item.part:<11}  {item.digest}  {visible(item.name)}")
    say(f"  {'by the key':<11}  {key_id}")
    say(f"Signatures: {visible(str(target))}, {count:,} now")
