"""Checkpoints: how many entries a ledger had and the root of their tree, signed.

Reference: C2SP tlog-checkpoint, https://c2sp.org/tlog-checkpoint, without extension lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from attrs import evolve, field, frozen

from accountant.certificate.signing.keys import Signer
from accountant.certificate.signing.note import (
    Note,
    NoteKey,
    NoteSignature,
    SignatureKind,
    base64_bytes,
    base64_text,
    signed,
)
from accountant.display.brief import Brief
from accountant.errors import SigningError
from accountant.ledger.transparency.merkle import SIZE

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")
_LATEST = 253_402_300_799
"""The last second of the year 9999."""


def decimal(text: str, what: str) -> int:
    """A whole number, as these formats write it."""
    if _DECIMAL.fullmatch(text) is None:
        raise SigningError(f"{what} is a whole number without leading zeros")
    return int(text)


def hashes(lines: list[str], what: str) -> tuple[bytes, ...]:
    """The hashes in lines of base64."""
    found = tuple(base64_bytes(line, what) for line in lines)
    if any(len(item) != SIZE for item in found):
        raise SigningError(f"{what} has {SIZE} bytes")
    return found


@frozen
class Checkpoint(Brief):
    """The size and the root of the tree of a ledger's entries, as somebody signed them.

    Guarantee: whoever holds one, and the key, can tell whether a ledger still begins with exactly those entries.
    """

    origin: str
    size: int
    root: bytes
    note: Note
    place: str = field(default="checkpoint", eq=False)
    """Where it was read, for whoever is told what is wrong with it."""

    @classmethod
    def sign(cls, origin: str, size: int, root: bytes, signer: Signer) -> Checkpoint:
        """A fresh checkpoint under the name of its ledger, which is also that of the key."""
        text = f"{origin}\n{size}\n{base64_text(root)}\n"
        return cls.of(Note(text, (signed(text, origin, signer),)))

    @classmethod
    def of(cls, note: Note) -> Checkpoint:
        """The checkpoint in a note. Nothing is known of its signatures yet."""
        lines = note.text[:-1].split("\n")
        if len(lines) != 3 or not lines[0]:
            raise SigningError("it is no checkpoint: that is an origin, a size and a root, one in each line")
        (root,) = hashes(lines[2:], "the root of a checkpoint")
        return cls(lines[0], decimal(lines[1], "the size of a checkpoint"), root, note)

    @classmethod
    def parse(cls, content: bytes, place: str = "checkpoint") -> Checkpoint:
        """The checkpoint in a file."""
        return evolve(cls.of(Note.parse(content)), place=place)

    @property
    def content(self) -> str:
        """The checkpoint as it is written."""
        return self.note.content


@frozen
class CheckpointKeys(Brief):
    """Whose signatures a checkpoint must carry: that of the ledger's own key, and those of all these witnesses."""

    log: NoteKey
    witnesses: tuple[NoteKey, ...] = ()

    def faults(self, checkpoint: Checkpoint) -> Iterator[str]:
        """What is wrong with the signatures of a checkpoint. Those of keys that are not known are left aside."""
        own = [item for item in _by(self.log, checkpoint, SignatureKind.NOTE) if item.name == checkpoint.origin]
        if not own:
            yield f"the checkpoint is not signed under its origin '{checkpoint.origin}' with the key that was given"
        yield from _changed(own, checkpoint, SignatureKind.NOTE, self.log)
        for key in self.witnesses:
            yield from cosignature_faults(checkpoint, key)

    def cosigned(self, checkpoint: Checkpoint) -> tuple[tuple[str, str], ...]:
        """Which of the witnesses cosigned, and when they say they did."""
        found = [item for key in self.witnesses for item in _by(key, checkpoint, SignatureKind.COSIGNATURE)]
        return tuple((item.name, told_moment(item.moment)) for item in found)


def cosignature_faults(checkpoint: Checkpoint, key: NoteKey) -> Iterator[str]:
    """Why a checkpoint does not count as signed by a witness; nothing where it does."""
    found = _by(key, checkpoint, SignatureKind.COSIGNATURE)
    if not found:
        yield f"the checkpoint is not cosigned with the key {key.public.text} of a witness"
    yield from _changed(found, checkpoint, SignatureKind.COSIGNATURE, key)


def _changed(found: list[NoteSignature], checkpoint: Checkpoint, kind: SignatureKind, key: NoteKey) -> Iterator[str]:
    for item in found:
        if not item.signs(checkpoint.note.text, kind, key.public):
            yield f"the signature of '{item.name}' does not belong to this checkpoint: one of them was changed"


def _by(key: NoteKey, checkpoint: Checkpoint, kind: SignatureKind) -> list[NoteSignature]:
    return [item for item in checkpoint.note.signatures if key.owns(item, kind)]


def told_moment(moment: int) -> str:
    """A moment in seconds since 1970 as people write it."""
    return datetime.fromtimestamp(min(moment, _LATEST), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
