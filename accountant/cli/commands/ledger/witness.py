"""`accountant ledger witness`: cosign a ledger that is somebody else's."""

from __future__ import annotations

from pathlib import Path

import click

from accountant.cli.commands.ledger.files import FILE, key_option, keys_in, output_option, read
from accountant.cli.failure import ExitStatus
from accountant.cli.options import json_option, passphrase_option
from accountant.cli.output import say, say_json, visible, write_whole
from accountant.cli.passphrase import passphrase
from accountant.cli.verdicts import conclude, say_status


@click.command("witness", short_help="Cosign what continues all that you cosigned before.")
@click.argument("asked", metavar="CHECKPOINT", type=FILE)
@click.option("--log-key", required=True, type=FILE, metavar="FILE", help="The public key of the ledger.")
@click.option("--as", "called", required=True, metavar="NAME", help="What the witness is called, as example.net/witness.")
@click.option(
    "--seen", required=True, type=FILE, metavar="FILE", help="Where the witness keeps what it saw; made if need be."
)
@key_option
@output_option
@passphrase_option
@json_option
def witness(
    asked: Path,
    log_key: Path,
    called: str,
    seen: Path,
    key: Path,
    output: Path,
    passphrase_file: str | None,
    as_json: bool,
) -> int:
    """Cosign CHECKPOINT if its entries begin with all that this witness saw of the ledger before, and keep that.

    The first checkpoint of a ledger is believed. For each later one CHECKPOINT is what `ledger prove --from --to` wrote
    from the last one that the witness cosigned: it holds the later checkpoint and the proof. A step back and a second
    history are refused.

    \b
    Examples:
      accountant ledger witness a.checkpoint --log-key survey.pub --as example.net/w1 --key w1.key --seen w1.seen -o b
      accountant ledger witness week.proof --log-key survey.pub --as example.net/w1 --key w1.key --seen w1.seen -o c

    \b
    Exit status:
      0  cosigned
      1  refused: rolled back, forked, rewritten, without proof or not signed; nothing is signed
      2  bad input; nothing is signed
    """
    from accountant.certificate.signing.disk import load_key
    from accountant.certificate.signing.note import SignatureKind, key_text
    from accountant.ledger import Checkpoint, ConsistencyProof, Witness, WitnessRefused
    from accountant.ledger.transparency.proof import is_consistency

    def parse(content: bytes) -> Checkpoint | ConsistencyProof:
        return ConsistencyProof.parse(content) if is_consistency(content) else Checkpoint.parse(content, str(asked))

    wanted, log = read(asked, parse), keys_in(log_key, ()).log
    signer = load_key(key, passphrase(passphrase_file))
    try:
        made = Witness(called, signer, seen).cosign(wanted, log)
    except WitnessRefused as error:
        if as_json:
            say_json({"cosigned": False, "message": str(error)})
        else:
            conclude("bad", f"refused: {error}")
            say_status("nothing is signed")
        return ExitStatus.EXCEEDED
    write_whole(output, made.content)
    verifier = key_text(called, SignatureKind.COSIGNATURE, signer.public)
    if as_json:
        say_json(
            {"cosigned": True, "checkpoint": str(output), "origin": made.origin, "size": made.size, "verifier": verifier}
        )
    else:
        conclude("good", f"cosigned: {made.size:,} entries of {visible(made.origin)}, in {visible(str(output))}")
        say(f"key, for other programs: {visible(verifier)}")
    return ExitStatus.KEPT
