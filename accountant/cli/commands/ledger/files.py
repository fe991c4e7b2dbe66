"""What commands of a ledger read that comes from outside: checkpoints, proofs, and the keys that they are signed with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from accountant.ledger import Checkpoint, CheckpointKeys

Command = TypeVar("Command", bound=Callable[..., Any])
Read = TypeVar("Read")
FILE = click.Path(path_type=Path)
_LARGEST = 1 << 26

key_option = click.option("--key", required=True, type=FILE, metavar="FILE", help="The private key to sign with.")
output_option = click.option("--output", "-o", required=True, type=FILE, metavar="FILE", help="Where it is written.")


def keys_options(*, needed: bool) -> Callable[[Command], Command]:
    """Whose signatures checkpoints must carry."""

    def decorate(function: Command) -> Command:
        log = click.option(
            "--log-key", required=needed, type=FILE, metavar="FILE", help="The public key that checkpoints are signed with."
        )
        witness = click.option(
            "--witness-key",
            "witness_keys",
            multiple=True,
            type=FILE,
            metavar="FILE",
            help="The public key of a witness who must have cosigned; repeatable.",
        )
        return log(witness(function))

    return decorate


def content_of(path: Path) -> bytes:
    """The bytes of a file from outside, of which no more are read than anybody needs."""
    from accountant.errors import AccountantError

    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise AccountantError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > _LARGEST:
        raise AccountantError(f"cannot read {path}: it is larger than {_LARGEST:,} bytes")
    return content


def read(path: Path, parse: Callable[[bytes], Read]) -> Read:
    """What a file holds; a fault names the file."""
    from accountant.errors import LedgerError, SigningError

    try:
        return parse(content_of(path))
    except (SigningError, LedgerError) as error:
        raise type(error)(f"{path}: {error}") from error


def checkpoint_in(path: Path) -> Checkpoint:
    """The checkpoint in a file."""
    from accountant.ledger import Checkpoint

    return read(path, lambda content: Checkpoint.parse(content, str(path)))


def keys_in(log: Path, witnesses: tuple[Path, ...]) -> CheckpointKeys:
    """The keys in files."""
    from accountant.certificate.signing.note import NoteKey, SignatureKind
    from accountant.ledger import CheckpointKeys

    def found(path: Path, kind: SignatureKind) -> NoteKey:
        return read(path, lambda content: NoteKey.parse(content.decode("ascii", "replace"), kind))

    return CheckpointKeys(
        found(log, SignatureKind.NOTE), tuple(found(path, SignatureKind.COSIGNATURE) for path in witnesses)
    )
