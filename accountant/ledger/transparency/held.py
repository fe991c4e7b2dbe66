"""What is held against a ledger from outside: its entries as a tree, and the checkpoints that speak of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field

from accountant.errors import Fault, LedgerError
from accountant.ledger.entries import NOTHING, Posting
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys
from accountant.ledger.transparency.merkle import Frontier, consistency, inclusion, leaf_hash, root
from accountant.ledger.transparency.proof import ConsistencyProof, InclusionProof


@define
class HeldCheckpoints:
    """Checkpoints of a ledger, compared with its entries while these are read."""

    checkpoints: Sequence[Checkpoint]
    keys: CheckpointKeys | None
    _tree: Frontier = field(factory=Frontier, init=False)
    _roots: dict[int, bytes] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        if self.checkpoints and self.keys is None:
            raise LedgerError("a checkpoint is worth what its signature is: give the key that it is signed with")
        self._note_root()

    def follow(self, entry: Posting) -> None:
        """Take in the next entry."""
        if self.checkpoints:
            self._tree.add(leaf_of(entry))
            self._note_root()

    def _note_root(self) -> None:
        if any(checkpoint.size == self._tree.size for checkpoint in self.checkpoints):
            self._roots[self._tree.size] = self._tree.root

    def faults(self) -> Iterator[Fault]:
        """Where checkpoints are not signed as they should be, or contradict each other or the entries."""
        for checkpoint in self.checkpoints:
            for message in (*(self.keys.faults(checkpoint) if self.keys else ()), *self._contradictions(checkpoint)):
                yield Fault(message, checkpoint.place)
        first: dict[int, Checkpoint] = {}
        for checkpoint in self.checkpoints:
            other = first.setdefault(checkpoint.size, checkpoint)
            if checkpoint.origin != self.checkpoints[0].origin:
                others = self.checkpoints[0].origin
                yield Fault(f"it is of the ledger '{checkpoint.origin}', another of '{others}'", checkpoint.place)
            elif checkpoint.root != other.root:
                yield Fault(
                    f"it contradicts another checkpoint of {other.size:,} entries ({other.place}): whoever signed both "
                    "showed two histories",
                    checkpoint.place,
                )

    def _contradictions(self, checkpoint: Checkpoint) -> Iterator[str]:
        if checkpoint.size > self._tree.size:
            yield (
                f"it speaks of {checkpoint.size:,} entries, and the ledger has {self._tree.size:,}: entries were cut off, "
                "or an older copy was put in its place"
            )
        elif self._roots[checkpoint.size] != checkpoint.root:
            what = "the history was rewritten or forked"
            yield f"the first {checkpoint.size:,} entries are not those that it speaks of: {what}"


def leaf_of(entry: Posting) -> bytes:
    """The hash of an entry as a leaf."""
    return leaf_hash(entry.content.encode())


def leaves_of(rows: Iterable[tuple[Posting, str]]) -> list[bytes]:
    """The hashes of all entries as leaves. Entries that do not fit each other are refused: nobody should sign them."""
    found: list[bytes] = []
    previous = NOTHING
    for entry, stored in rows:
        if (entry.number, entry.previous, entry.digest) != (len(found), previous, stored):
            raise LedgerError(
                f"entry {entry.number} does not follow from the one before it; run 'accountant ledger verify' first"
            )
        found.append(leaf_of(entry))
        previous = stored
    return found


def _matched(leaves: list[bytes], checkpoint: Checkpoint) -> list[bytes]:
    """The leaves that a checkpoint speaks of."""
    held = leaves[: checkpoint.size]
    if len(held) != checkpoint.size or root(held) != checkpoint.root:
        raise LedgerError(
            f"the ledger does not begin with the {checkpoint.size:,} entries of the checkpoint in {checkpoint.place}, so "
            "that nothing can be proved about them; run 'accountant ledger verify --checkpoint'"
        )
    return held


def entry_proof(leaves: list[bytes], entry: Posting, checkpoint: Checkpoint) -> InclusionProof:
    """That an entry is one of those in a checkpoint."""
    held = _matched(leaves, checkpoint)
    if entry.number >= len(held):
        raise LedgerError(f"entry {entry.number} is not among the first {len(held):,}; make a checkpoint that has it")
    return InclusionProof(entry, tuple(inclusion(held, entry.number)), checkpoint)


def growth_proof(leaves: list[bytes], old: Checkpoint, new: Checkpoint) -> ConsistencyProof:
    """That the entries in a checkpoint begin with those in an earlier one."""
    if old.origin != new.origin:
        raise LedgerError(f"the checkpoints are of two ledgers: '{old.origin}' and '{new.origin}'")
    if old.size > new.size:
        raise LedgerError(f"the earlier checkpoint has {old.size:,} entries, the later one {new.size:,}: turn them round")
    _matched(leaves, old)
    held = _matched(leaves, new)
    return ConsistencyProof(old.size, tuple(consistency(held, old.size)) if old.size else (), new)
