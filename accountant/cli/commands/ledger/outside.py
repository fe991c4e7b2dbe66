"""`accountant ledger checkpoint`, `prove` and `check-proof`: a ledger as it is seen from outside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.commands.ledger.common import ledger_options, opened
from accountant.cli.commands.ledger.files import FILE, checkpoint_in, key_option, keys_in, keys_options, output_option, read
from accountant.cli.failure import ExitStatus
from accountant.cli.options import json_option, passphrase_option, registry_of
from accountant.cli.output import say, say_json, visible, working, write_whole
from accountant.cli.passphrase import passphrase
from accountant.cli.verdicts import conclude, say_status

if TYPE_CHECKING:
    from accountant.ledger import ConsistencyProof, InclusionProof


@click.command("checkpoint", short_help="Sign how many entries there are, and the root of their tree.")
@ledger_options
@click.option("--origin", required=True, metavar="NAME", help="What the ledger is called outside, as example.org/survey.")
@key_option
@output_option
@passphrase_option
def checkpoint(
    ledger: str,
    name: str,
    origin: str,
    key: Path,
    output: Path,
    passphrase_file: str | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Sign how many entries LEDGER has and the root of their tree, so that whoever holds that sees if any of them changes.

    Hand checkpoints to those who should be able to tell, and let them keep them. The origin names this ledger and no
    other, in all its checkpoints. The file is a C2SP checkpoint, which other programs read.

    \b
    Example:
      accountant ledger checkpoint survey.ledger --origin example.org/survey --key survey.key -o monday.checkpoint
    """
    from accountant.certificate.signing.disk import load_key
    from accountant.certificate.signing.note import SignatureKind, base64_text, key_text

    signer = load_key(key, passphrase(passphrase_file))
    with opened(ledger, name, registry_of(disabled, allowed)) as found, working("hashing every entry"):
        made = found.checkpoint(origin, signer)
    write_whole(output, made.content)
    verifier = key_text(origin, SignatureKind.NOTE, signer.public)
    if as_json:
        root = base64_text(made.root)
        say_json({"checkpoint": str(output), "origin": origin, "size": made.size, "root": root, "verifier": verifier})
        return
    say(f"Checkpoint: {visible(str(output))} ({made.size:,} entries of {visible(origin)})")
    say(f"root: {base64_text(made.root)}")
    say(f"key, for other programs: {visible(verifier)}")


@click.command("prove", short_help="Prove an entry, or that a ledger was only added to.")
@ledger_options
@click.argument("number", type=int, required=False)
@click.option("--checkpoint", "under", type=FILE, metavar="FILE", help="The checkpoint that has the entry.")
@click.option("--from", "old", type=FILE, metavar="FILE", help="The earlier of two checkpoints.")
@click.option("--to", "new", type=FILE, metavar="FILE", help="The later of two checkpoints.")
@output_option
def prove(
    ledger: str,
    name: str,
    number: int | None,
    under: Path | None,
    old: Path | None,
    new: Path | None,
    output: Path,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Write a proof for somebody who does not have LEDGER.

    With NUMBER and --checkpoint: that the entry is one of those in the checkpoint. The proof holds that entry and shows
    nothing of the others but hashes. With --from and --to: that the entries of one checkpoint begin with those of another,
    which is what a witness asks for. Check either with `check-proof`.

    \b
    Examples:
      accountant ledger prove survey.ledger 1 --checkpoint monday.checkpoint -o entry.tlog-proof
      accountant ledger prove survey.ledger --from monday.checkpoint --to friday.checkpoint -o week.proof
    """
    one, two = number is not None and under is not None, old is not None and new is not None
    if one == two or (number is None) != (under is None) or (old is None) != (new is None):
        raise click.UsageError("give NUMBER and --checkpoint, or --from and --to")
    made: InclusionProof | ConsistencyProof
    with opened(ledger, name, registry_of(disabled, allowed)) as found, working("hashing every entry"):
        if number is not None and under is not None:
            made = found.prove_entry(number, checkpoint_in(under))
            what = f"entry {number} is one of {made.checkpoint.size:,} in {made.checkpoint.origin}"
        else:
            assert old is not None
            assert new is not None
            made = found.prove_growth(checkpoint_in(old), checkpoint_in(new))
            what = f"the {made.checkpoint.size:,} entries in {made.checkpoint.origin} begin with {made.old:,} earlier ones"
    write_whole(output, made.content)
    if as_json:
        say_json({"proof": str(output), "proves": what})
    else:
        say(f"Proof: {visible(str(output))} ({visible(what)})")


@click.command("check-proof", short_help="Check a proof without the ledger.")
@click.argument("proof", type=FILE)
@click.option("--from", "old", type=FILE, metavar="FILE", help="The earlier checkpoint, where the proof is of two.")
@keys_options(needed=True)
@json_option
def check_proof(proof: Path, old: Path | None, log_key: Path, witness_keys: tuple[Path, ...], as_json: bool) -> int:
    """Check what `prove` wrote, with the key that checkpoints are signed with and nothing else.

    A proof of an entry shows the entry. A proof that a ledger was only added to needs the earlier checkpoint, which you
    kept.

    \b
    Examples:
      accountant ledger check-proof entry.tlog-proof --log-key survey.pub
      accountant ledger check-proof week.proof --from monday.checkpoint --log-key survey.pub --witness-key witness.pub

    \b
    Exit status:
      0  proved
      1  not proved, or not signed by those whose keys are given; every reason is listed
      2  the files cannot be read
    """
    from accountant.ledger import ConsistencyProof, InclusionProof

    keys, of_entry = keys_in(log_key, witness_keys), read(proof, _speaks_of_an_entry)
    if of_entry == (old is not None):
        raise click.UsageError(
            "the proof is of one entry, and needs no --from" if of_entry else "the proof is of two checkpoints: give --from"
        )
    if old is None:
        found = read(proof, InclusionProof.parse)
        whole = f"{found.checkpoint.size:,} entries of {found.checkpoint.origin}"
        said = f"entry {found.entry.number} ({found.entry.kind}) is one of the {whole}"
        return _told(list(found.faults(keys)), said, {"entry": found.entry.as_data()}, as_json)
    grown = read(proof, ConsistencyProof.parse)
    whole = f"{grown.checkpoint.size:,} entries of {grown.checkpoint.origin}"
    return _told(
        list(grown.faults(keys, checkpoint_in(old))), f"the {whole} begin with the {grown.old:,} of {old}", {}, as_json
    )


def _speaks_of_an_entry(content: bytes) -> bool:
    from accountant.errors import SigningError
    from accountant.ledger.transparency.proof import is_consistency, is_inclusion

    if not is_inclusion(content) and not is_consistency(content):
        raise SigningError("this is no proof; 'accountant ledger prove' writes one")
    return is_inclusion(content)


def _told(faults: list[str], said: str, data: dict[str, Any], as_json: bool) -> int:
    from accountant.values.source import canonical

    if as_json:
        say_json({"proved": not faults, "faults": faults, **({} if faults else data)})
    elif faults:
        conclude("bad", f"refused: {len(faults):,} {'fault' if len(faults) == 1 else 'faults'}")
        say_status("nothing is proved")
        for fault in faults:
            say(f"  {visible(fault)}")
    else:
        conclude("good", f"proved: {visible(said)}")
        for key, value in data.get("entry", {}).items():
            say(f"  {key}: {visible(value if isinstance(value, str) else canonical(value))}")
    return ExitStatus.EXCEEDED if faults else ExitStatus.KEPT
