"""Checkpoints and proofs are checked without the ledger, and whatever was changed in one is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import evolve, frozen

from accountant import AccountantError, LedgerError
from accountant.certificate.signing.keys import PrivateKey
from accountant.certificate.signing.note import NoteKey
from accountant.ledger import Posting
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys
from accountant.ledger.transparency.proof import ConsistencyProof, InclusionProof
from accountant.ledger.transparency.witness import Witness
from accountant.values.source import canonical
from tests.ledger.attacks import ORIGIN, SIGNER, fill
from tests.ledger.cases import Place, claim, terms

WITNESS = PrivateKey.of_seed(bytes(32))
KEYS = CheckpointKeys(NoteKey(SIGNER.public), (NoteKey(WITNESS.public),))


@frozen
class Held:
    """What somebody outside holds."""

    old: Checkpoint
    new: Checkpoint
    entry: InclusionProof
    growth: ConsistencyProof


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    folder = tmp_path_factory.mktemp("held")
    witness = Witness("witness.example/w1", WITNESS, folder / "seen")
    with Place(str(folder / "a.ledger")).create(terms()) as ledger:
        fill(ledger)
        old = witness.cosign(ledger.checkpoint(ORIGIN, SIGNER), NoteKey(SIGNER.public))
        for name in "efg":
            ledger.reserve(claim("1/100", name))
        growth = ledger.prove_growth(old, ledger.checkpoint(ORIGIN, SIGNER))
        new = witness.cosign(growth, NoteKey(SIGNER.public))
        return Held(old, new, ledger.prove_entry(1, new), ledger.prove_growth(old, new))


def faults(held: Held, what: str, content: bytes) -> list[str]:
    """What is wrong with a file; something that cannot be read is wrong as well."""
    try:
        if what == "checkpoint":
            return list(KEYS.faults(Checkpoint.parse(content)))
        if what == "entry":
            return list(InclusionProof.parse(content).faults(KEYS))
        return list(ConsistencyProof.parse(content).faults(KEYS, held.old))
    except AccountantError as error:
        return [str(error)]


def written(held: Held) -> dict[str, bytes]:
    return {
        "checkpoint": held.new.content.encode(),
        "entry": held.entry.content.encode(),
        "growth": held.growth.content.encode(),
    }


@pytest.mark.parametrize("what", ["checkpoint", "entry", "growth"])
def test_what_is_held_is_believed_and_read_as_it_is_written(held: Held, what: str) -> None:
    assert faults(held, what, written(held)[what]) == []
    assert Checkpoint.parse(held.new.content.encode()) == held.new
    assert InclusionProof.parse(held.entry.content.encode()) == held.entry
    assert ConsistencyProof.parse(held.growth.content.encode()) == held.growth
    assert held.entry.entry.data["releases"][0]["name"] == "a"


def changed(content: bytes, times: int, seed: int) -> Iterator[bytes]:
    """The content with one byte changed, taken out or put in."""
    chance = random.Random(seed)
    for _ in range(times):
        place, other = chance.randrange(len(content)), chance.randrange(1, 256)
        yield chance.choice(
            [
                content[:place] + bytes([content[place] ^ other]) + content[place + 1 :],
                content[:place] + bytes([content[place] ^ 1 << other % 8]) + content[place + 1 :],
                content[:place] + content[place + 1 :],
                content[:place] + bytes([other]) + content[place:],
            ]
        )


def every_change_is_refused(held: Held, what: str, times: int, seed: int) -> None:
    content = written(held)[what]
    missed = [item for item in changed(content, times, seed) if item != content and not faults(held, what, item)]
    assert missed == []


@pytest.mark.parametrize("what", ["checkpoint", "entry", "growth"])
def test_every_changed_byte_is_refused(held: Held, what: str) -> None:
    every_change_is_refused(held, what, 300, 5)


@pytest.mark.sweep
@pytest.mark.parametrize("what", ["checkpoint", "entry", "growth"])
def test_every_changed_byte_is_refused_ten_thousand_times(held: Held, what: str) -> None:
    every_change_is_refused(held, what, 10_000, 6)


def test_a_proof_of_one_entry_is_none_of_another_nor_under_another_checkpoint(held: Held) -> None:
    other = InclusionProof(held.entry.entry, held.entry.path, held.old)
    assert "is not number 1 of those in the checkpoint" in "".join(other.faults(KEYS))
    assert "the proof begins with 8 entries" in "".join(held.growth.faults(KEYS, held.new))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (CheckpointKeys(NoteKey(WITNESS.public)), "is not signed under its origin"),
        (CheckpointKeys(NoteKey(SIGNER.public), (NoteKey(SIGNER.public),)), "is not cosigned with the key"),
        (CheckpointKeys(NoteKey(SIGNER.public, "example.org/other")), "is not signed under its origin"),
        (CheckpointKeys(NoteKey(SIGNER.public), (NoteKey(WITNESS.public, "w2"),)), "is not cosigned with the key"),
    ],
)
def test_the_wrong_key_is_refused(held: Held, keys: CheckpointKeys, message: str) -> None:
    assert message in "".join(keys.faults(held.new))


def test_signatures_of_others_are_left_aside(held: Held) -> None:
    assert list(CheckpointKeys(NoteKey(SIGNER.public)).faults(held.new)) == []
    assert [name for name, _ in KEYS.cosigned(held.new)] == ["witness.example/w1"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("\n11\n", "\n011\n"),
        lambda text: text.replace("\n11\n", "\n-11\n"),
        lambda text: text.replace("\n11\n", "\n" + "1" * 30 + "\n"),
        lambda text: text.replace("\n11\n", "\n11\nmore\n"),
        lambda text: text.replace("example.org/survey\n11", "\n11"),
    ],
)
def test_a_checkpoint_is_written_in_one_way(held: Held, spoil: Callable[[str], str]) -> None:
    content = spoil(held.new.content)
    assert content != held.new.content
    with pytest.raises(AccountantError):
        Checkpoint.parse(content.encode())


def test_nothing_is_proved_of_entries_that_are_not_there(tmp_path: Path, held: Held) -> None:
    with Place(str(tmp_path / "b.ledger")).create(terms()) as ledger:
        ledger.reserve(claim("1/100"))
        own = ledger.checkpoint(ORIGIN, SIGNER)
        ledger.reserve(claim("1/100"))
        for action, message in (
            (lambda: ledger.prove_entry(9, own), "there is no entry 9"),
            (lambda: ledger.prove_entry(2, own), "entry 2 is not among the first 2"),
            (lambda: ledger.prove_entry(1, held.new), "does not begin with the 11 entries"),
            (lambda: ledger.prove_growth(own, held.new), "does not begin with the 11 entries"),
            (lambda: ledger.prove_growth(held.new, own), "turn them round"),
            (lambda: ledger.prove_growth(own, ledger.checkpoint("other", SIGNER)), "two ledgers"),
            (lambda: ledger.verify(checkpoints=[own]), "give the key"),
        ):
            with pytest.raises(LedgerError, match=message):
                action()
        assert "it is of the ledger 'other'" in "".join(
            map(str, ledger.verify(checkpoints=[own, ledger.checkpoint("other", SIGNER)], keys=CheckpointKeys(KEYS.log)))
        )
        with pytest.raises(AccountantError, match="cannot name a key"):
            ledger.checkpoint("health survey", SIGNER)


@pytest.mark.parametrize("body", ["[]", "1", "nothing", '{"a":' * 2000])
def test_an_entry_whose_body_is_no_table_is_no_entry(held: Held, body: str) -> None:
    entry = evolve(held.entry.entry, body=body)
    with pytest.raises(LedgerError, match="this is no entry of a ledger"):
        InclusionProof.parse(evolve(held.entry, entry=entry).content.encode())


@pytest.mark.parametrize(
    "change", [{"number": "1"}, {"number": True}, {"settles": ""}, {"key": 1}, {"more": 1}, {"kind": []}]
)
def test_an_entry_has_the_types_that_a_ledger_writes(held: Held, change: dict[str, object]) -> None:
    content = canonical({**json.loads(held.entry.entry.content), **change}).encode()
    with pytest.raises(LedgerError, match="this is no entry of a ledger"):
        Posting.parse(content)
