"""Proofs: that one entry stands in a ledger, and that a ledger was only added to, for whoever does not have it.

Reference: C2SP tlog-proof, https://c2sp.org/tlog-proof, with the entry as extra data; and what witnesses are sent by
https://c2sp.org/tlog-witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen

from accountant.certificate.signing.note import base64_bytes, base64_text
from accountant.display.brief import Brief
from accountant.errors import SigningError
from accountant.ledger.entries import Posting
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys, decimal, hashes
from accountant.ledger.transparency.merkle import continues, includes, leaf_hash

_LARGEST = 1 << 26
"""No proof of more bytes is read."""
_LONGEST = 63
"""No path has more steps."""


@frozen
class InclusionProof(Brief):
    """An entry, the way from it to the root, and a checkpoint that has the root."""

    HEADER: ClassVar[str] = "c2sp.org/tlog-proof@v1"

    entry: Posting
    path: tuple[bytes, ...]
    checkpoint: Checkpoint

    @classmethod
    def parse(cls, content: bytes) -> InclusionProof:
        """The proof in a file. Nothing is known of it yet."""
        lines, checkpoint = _parts(content)
        if len(lines) < 3 or lines[0] != cls.HEADER:
            raise SigningError(f"it is no proof of an entry: that begins with '{cls.HEADER}', an entry and its number")
        entry = Posting.parse(base64_bytes(_after(lines[1], "extra"), "the entry"))
        if decimal(_after(lines[2], "index"), "the number of an entry") != entry.number:
            raise SigningError("the proof speaks of another entry than the one that it holds")
        return cls(entry, _path(lines[3:]), checkpoint)

    @property
    def content(self) -> str:
        """The proof as it is written."""
        extra = base64_text(self.entry.content.encode())
        return _written([self.HEADER, f"extra {extra}", f"index {self.entry.number}"], self.path, self.checkpoint)

    def faults(self, keys: CheckpointKeys) -> Iterator[str]:
        """Why the entry is not shown to stand in the ledger that the keys speak for; nothing where it is."""
        yield from keys.faults(self.checkpoint)
        leaf = leaf_hash(self.entry.content.encode())
        if not includes(leaf, self.entry.number, self.checkpoint.size, self.path, self.checkpoint.root):
            yield f"the entry is not number {self.entry.number} of those in the checkpoint: one of them was changed"


@frozen
class ConsistencyProof(Brief):
    """That the entries in a checkpoint begin with those in an earlier one."""

    old: int
    path: tuple[bytes, ...]
    checkpoint: Checkpoint

    @classmethod
    def parse(cls, content: bytes) -> ConsistencyProof:
        """The proof in a file. Nothing is known of it yet."""
        lines, checkpoint = _parts(content)
        return cls(decimal(_after(lines[0], "old"), "the size before"), _path(lines[1:]), checkpoint)

    @property
    def content(self) -> str:
        """The proof as it is written."""
        return _written([f"old {self.old}"], self.path, self.checkpoint)

    def faults(self, keys: CheckpointKeys, before: Checkpoint) -> Iterator[str]:
        """Why the entries are not shown to begin with those in an earlier checkpoint; nothing where they are."""
        for checkpoint in (before, self.checkpoint):
            yield from keys.faults(checkpoint)
        yield from self.contradictions(before)

    def contradictions(self, before: Checkpoint) -> Iterator[str]:
        """As `faults`, but for signatures that were checked already."""
        after = self.checkpoint
        if before.origin != after.origin:
            yield f"the checkpoints are of two ledgers: '{before.origin}' and '{after.origin}'"
        if before.size != self.old:
            yield f"the proof begins with {self.old:,} entries, the earlier checkpoint has {before.size:,}"
        elif not continues(self.old, after.size, before.root, after.root, self.path):
            yield (
                f"the {after.size:,} entries are not shown to begin with the {self.old:,} in the earlier checkpoint: the "
                "history was rewritten or forked, or the proof was changed"
            )


def is_inclusion(content: bytes) -> bool:
    """Whether a file says that it proves an entry."""
    return content.startswith(InclusionProof.HEADER.encode())


def is_consistency(content: bytes) -> bool:
    """Whether a file says that it proves that a ledger was only added to."""
    return content.startswith(b"old ")


def _parts(content: bytes) -> tuple[list[str], Checkpoint]:
    """The lines of a proof and the checkpoint below them."""
    if len(content) > _LARGEST:
        raise SigningError(f"a proof has at most {_LARGEST:,} bytes, not {len(content):,}")
    lines, _, rest = content.partition(b"\n\n")
    try:
        return lines.decode("ascii").split("\n"), Checkpoint.parse(rest)
    except UnicodeDecodeError as error:
        raise SigningError("it is no proof: above the checkpoint it has plain letters only") from error


def _after(line: str, word: str) -> str:
    if not line.startswith(f"{word} "):
        raise SigningError(f"expected a line that begins with '{word}'")
    return line.removeprefix(f"{word} ")


def _path(lines: list[str]) -> tuple[bytes, ...]:
    if len(lines) > _LONGEST:
        raise SigningError(f"a proof has at most {_LONGEST} hashes, not {len(lines)}")
    return hashes(lines, "a hash of a proof")


def _written(lines: list[str], path: tuple[bytes, ...], checkpoint: Checkpoint) -> str:
    return "\n".join([*lines, *map(base64_text, path), "", checkpoint.content])
