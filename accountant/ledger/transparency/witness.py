"""Witnesses: somebody outside who signs what continues all that they signed before, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import time

from attrs import frozen

from accountant.certificate.signing.keys import Signer
from accountant.certificate.signing.note import NoteKey, cosigned
from accountant.errors import LedgerError, SigningError
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys, cosignature_faults
from accountant.ledger.transparency.proof import ConsistencyProof

_PATIENCE = 60
_TABLE = "CREATE TABLE IF NOT EXISTS seen (origin TEXT PRIMARY KEY, checkpoint TEXT NOT NULL)"


class WitnessRefused(LedgerError):
    """A checkpoint that a witness does not sign, because it does not continue what the witness signed before."""


@frozen
class Witness:
    """A name, a key, and a file with the last checkpoint that was signed for each ledger.

    Guarantee: of any two checkpoints that it signed for one ledger, one continues the other, also where several
    processes use the file. What was signed is durable in the file before the signature is given out.
    """

    name: str
    signer: Signer
    file: Path

    def cosign(self, asked: Checkpoint | ConsistencyProof, log: NoteKey) -> Checkpoint:
        """The checkpoint with the witness's signature.

        The first checkpoint of a ledger is believed. Each later one needs a proof that it continues the last.
        """
        checkpoint = asked.checkpoint if isinstance(asked, ConsistencyProof) else asked
        for fault in CheckpointKeys(log).faults(checkpoint):
            raise WitnessRefused(fault)
        with self._opened() as connection:
            before = self._last(connection, checkpoint.origin)
            if before is not None:
                _continued(before, checkpoint, asked if isinstance(asked, ConsistencyProof) else None)
            moment = max(1, int(time()))
            note = checkpoint.note.with_signature(cosigned(checkpoint.note.text, self.name, self.signer, moment))
            connection.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (checkpoint.origin, note.content))
        return Checkpoint.of(note)

    def last(self, origin: str) -> Checkpoint | None:
        """The last checkpoint that was signed for a ledger."""
        with self._opened() as connection:
            return self._last(connection, origin)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, held until the block ends."""
        try:
            with closing(sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(_TABLE)
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise LedgerError(f"what the witness saw is not to be had from {self.file}: {error}") from error

    def _last(self, connection: sqlite3.Connection, origin: str) -> Checkpoint | None:
        row = connection.execute("SELECT checkpoint FROM seen WHERE origin = ?", (origin,)).fetchone()
        if row is None:
            return None
        try:
            found = Checkpoint.parse(str(row[0]).encode())
        except SigningError as error:
            raise LedgerError(f"what the witness saw of '{origin}' is damaged in {self.file}: {error}") from error
        for fault in cosignature_faults(found, NoteKey(self.signer.public, self.name)):
            raise LedgerError(f"what the witness saw of '{origin}' is damaged in {self.file}: {fault}")
        return found


def _continued(before: Checkpoint, now: Checkpoint, proof: ConsistencyProof | None) -> None:
    """Refuse what does not continue what was signed before."""
    if now.size < before.size:
        raise WitnessRefused(
            f"rolled back: the witness saw {before.size:,} entries of '{now.origin}' already, and is shown {now.size:,}"
        )
    if now.size == before.size:
        if now.root != before.root:
            raise WitnessRefused(
                f"forked: the witness saw other {before.size:,} entries of '{now.origin}'; two checkpoints of one size and "
                "two roots, both signed, prove that"
            )
        return
    if proof is None:
        raise WitnessRefused(
            f"a proof is needed that these {now.size:,} entries begin with the {before.size:,} that the witness saw; make "
            "one with 'accountant ledger prove LEDGER --from OLD --to NEW'"
        )
    for fault in proof.contradictions(before):
        raise WitnessRefused(f"forked or rewritten: {fault}")
