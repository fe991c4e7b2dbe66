"""A witness signs what continues all that it signed before, and keeps that."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from accountant import Ledger, LedgerError
from accountant.certificate.signing.keys import PrivateKey
from accountant.certificate.signing.note import NoteKey
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys
from accountant.ledger.transparency.proof import ConsistencyProof
from accountant.ledger.transparency.witness import Witness, WitnessRefused
from tests.ledger.attacks import ORIGIN, SIGNER
from tests.ledger.cases import Place, claim, terms

LOG = NoteKey(SIGNER.public)
KEY = PrivateKey.of_seed(bytes(32))


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness("witness.example/w1", KEY, tmp_path / "seen")


@pytest.fixture
def grown(tmp_path: Path) -> Callable[[str, int], tuple[Ledger, list[Checkpoint]]]:
    """Ledgers that grow in steps, with a checkpoint after each."""

    def make(name: str, steps: int) -> tuple[Ledger, list[Checkpoint]]:
        ledger = Place(str(tmp_path / f"{name}.ledger")).create(terms())
        found = []
        for step in range(steps):
            ledger.reserve(claim("1/1000", f"{name} {step}"))
            found.append(ledger.checkpoint(ORIGIN, SIGNER))
        return ledger, found

    return make


Grown = Callable[[str, int], tuple[Ledger, list[Checkpoint]]]


def test_a_ledger_that_grows_is_cosigned_each_time(witness: Witness, grown: Grown) -> None:
    ledger, found = grown("a", 4)
    with ledger:
        seen = witness.cosign(found[0], LOG)
        for checkpoint in found[1:]:
            seen = witness.cosign(ledger.prove_growth(seen, checkpoint), LOG)
        assert list(CheckpointKeys(LOG, (NoteKey(KEY.public, witness.name),)).faults(seen)) == []
        assert witness.last(ORIGIN) == seen
        again = witness.cosign(found[-1], LOG)  # nothing new, seen at a later moment
        assert (again.size, again.root) == (seen.size, seen.root)


def test_a_step_back_is_refused_also_where_it_would_fit(witness: Witness, grown: Grown) -> None:
    ledger, found = grown("a", 2)
    with ledger:
        witness.cosign(found[1], LOG)
        for asked in (found[0], ConsistencyProof(2, (), found[0])):
            with pytest.raises(WitnessRefused, match=r"rolled back: the witness saw 3 entries .* and is shown 2"):
                witness.cosign(asked, LOG)


def test_a_fork_is_refused_with_or_without_a_proof(witness: Witness, grown: Grown) -> None:
    (left, one), (right, two) = grown("a", 3), grown("b", 3)
    with left, right:
        seen = witness.cosign(one[1], LOG)
        with pytest.raises(WitnessRefused, match="forked: the witness saw other 3 entries"):
            witness.cosign(two[1], LOG)
        with pytest.raises(WitnessRefused, match="a proof is needed"):
            witness.cosign(two[2], LOG)
        with pytest.raises(WitnessRefused, match="forked or rewritten"):
            witness.cosign(right.prove_growth(two[1], two[2]), LOG)
        with pytest.raises(WitnessRefused, match="the earlier checkpoint has 3"):
            witness.cosign(left.prove_growth(one[0], one[2]), LOG)
        assert witness.last(ORIGIN) == seen


def test_what_the_ledger_did_not_sign_is_refused(witness: Witness, grown: Grown) -> None:
    ledger, _ = grown("a", 1)
    with ledger, pytest.raises(WitnessRefused, match="not signed under its origin"):
        witness.cosign(ledger.checkpoint(ORIGIN, KEY), LOG)
    assert witness.last(ORIGIN) is None


def test_ledgers_are_told_apart_by_their_origins(witness: Witness, grown: Grown) -> None:
    ledger, found = grown("a", 1)
    with ledger:
        witness.cosign(found[0], LOG)
        other = witness.cosign(ledger.checkpoint("example.org/other", SIGNER), LOG)
    assert witness.last("example.org/other") == other
    assert witness.last(ORIGIN) != other


def test_of_many_forks_at_once_one_is_signed(witness: Witness, tmp_path: Path) -> None:
    root = [Checkpoint.sign(ORIGIN, 5, bytes([number] * 32), SIGNER) for number in range(8)]

    def ask(checkpoint: Checkpoint) -> bool:
        try:
            witness.cosign(checkpoint, LOG)
        except WitnessRefused:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, root)) == 1


@pytest.mark.parametrize("spoiled", ["text", "size", "file"])
def test_what_was_seen_is_not_taken_from_a_file_that_was_changed(witness: Witness, grown: Grown, spoiled: str) -> None:
    """Whoever puts another checkpoint there, of fewer entries perhaps, does not have the witness's key."""
    ledger, found = grown("a", 2)
    with ledger:
        witness.cosign(found[1], LOG)
    if spoiled == "file":
        witness.file.write_bytes(b"nothing")
    else:
        other = "nothing" if spoiled == "text" else found[0].content
        with closing(sqlite3.connect(witness.file)) as connection, connection:
            connection.execute("UPDATE seen SET checkpoint = ?", (other,))
    with pytest.raises(LedgerError, match="what the witness saw"):
        witness.cosign(found[1], LOG)
