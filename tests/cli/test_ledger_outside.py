"""A ledger audited from outside, by the commands that its owner, a witness and a stranger run."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from accountant.certificate.signing.disk import save_key
from accountant.certificate.signing.keys import PrivateKey
from accountant.cli import main

PASSPHRASE = "five words nobody would guess"
RELEASE = '{"name": "smokers", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "30"}}'


@frozen
class Desk:
    """A folder in which commands are run."""

    folder: Path

    def run(self, *words: str) -> Result:
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            result = CliRunner().invoke(main, ["ledger", *words], env={"ACCOUNTANT_PASSPHRASE": PASSPHRASE})
        finally:
            os.chdir(before)
        assert PASSPHRASE not in result.output
        assert result.exit_code in (0, 1, 2), result.output
        return result

    def done(self, *words: str) -> str:
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        return result.output

    def checkpoint(self, name: str, ledger: str = "a.ledger") -> None:
        self.done("checkpoint", ledger, "--origin", "example.org/a", "--key", "a.key", "-o", name)

    def witness(self, asked: str, output: str) -> Result:
        named = ("--as", "example.net/w", "--key", "w.key", "--seen", "w.seen")
        return self.run("witness", asked, "--log-key", "a.pub", *named, "-o", output)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A ledger, two checkpoints with the signatures of a witness, and two proofs."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    for name in "aw":
        save_key(PrivateKey.new(), desk.folder / f"{name}.key", PASSPHRASE)
    desk.done("open", "a.ledger", "--neighbours", "add-remove", "--budget", "zcdp rho=0.1")
    for name in ("first", "second"):
        desk.done("reserve", "a.ledger", RELEASE, "--commit")
        desk.checkpoint(name)
        (desk.folder / "older.ledger").write_bytes((desk.folder / "a.ledger").read_bytes()) if name == "first" else None
    assert desk.witness("first", "first.cosigned").exit_code == 0
    desk.done("prove", "a.ledger", "--from", "first.cosigned", "--to", "second", "-o", "growth")
    assert desk.witness("growth", "second.cosigned").exit_code == 0
    desk.done("prove", "a.ledger", "1", "--checkpoint", "second.cosigned", "-o", "entry")
    return desk


HELD = ("--log-key", "a.pub", "--witness-key", "w.pub")


def test_checkpoints_are_held_against_a_ledger_in_any_order(desk: Desk) -> None:
    for order in (("first.cosigned", "second.cosigned"), ("second.cosigned", "first.cosigned")):
        given = [word for name in order for word in ("--checkpoint", name)]
        said = desk.done("verify", "a.ledger", *given, *HELD)
        assert said.startswith("verified: ")
        assert "the first 5 entries are those of second.cosigned, cosigned by example.net/w at 20" in said


def test_an_older_copy_is_refused_by_whoever_holds_a_checkpoint(desk: Desk) -> None:
    assert desk.done("verify", "older.ledger").startswith("verified")
    refused = desk.run("verify", "older.ledger", "--checkpoint", "second", "--log-key", "a.pub")
    assert refused.exit_code == 1
    assert refused.output.startswith("refused: 1 fault\n")
    assert "it speaks of 5 entries, and the ledger has 3: entries were cut off, or an older copy" in refused.output
    assert "@ second" in refused.output


def test_a_proof_shows_one_entry_and_is_checked_without_the_ledger(desk: Desk, tmp_path: Path) -> None:
    alone = Desk(tmp_path)
    for name in ("entry", "growth", "first", "a.pub", "w.pub"):
        (tmp_path / name).write_bytes((desk.folder / name).read_bytes())
    said = alone.done("check-proof", "entry", *HELD)
    assert said.startswith("proved: entry 1 (reserved) is one of the 5 entries of example.org/a\n")
    assert '"name":"smokers"' in said
    assert "the 5 entries of example.org/a begin with the 3 of first" in alone.done(
        "check-proof", "growth", "--from", "first", "--log-key", "a.pub"
    )
    data = json.loads(alone.done("check-proof", "entry", "--log-key", "a.pub", "--json"))
    assert data["entry"]["charge"] == {"0.0": "1/1800"}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("check-proof", "entry", "--log-key", "w.pub"), 1, "is not signed under its origin"),
        (("check-proof", "growth", "--from", "second", "--log-key", "a.pub"), 1, "the proof begins with 3 entries"),
        (("check-proof", "growth", *HELD, "--from", "first"), 1, "is not cosigned with the key"),
        (("check-proof", "growth", "--log-key", "a.pub"), 2, "give --from"),
        (("check-proof", "entry", "--from", "first", "--log-key", "a.pub"), 2, "needs no --from"),
        (("check-proof", "first", "--log-key", "a.pub"), 2, "this is no proof"),
        (("check-proof", "absent", "--log-key", "a.pub"), 2, "cannot read absent"),
        (("check-proof", "entry", "--log-key", "a.key"), 2, "public key"),
        (("verify", "a.ledger", "--checkpoint", "first"), 2, "give --checkpoint and --log-key"),
        (("verify", "a.ledger", "--log-key", "a.pub"), 2, "give --checkpoint and --log-key"),
        (("verify", "a.ledger", "--checkpoint", "a.ledger", "--log-key", "a.pub"), 2, "no signed note"),
        (("verify", "a.ledger", "--checkpoint", "first", *HELD), 1, "is not cosigned with the key"),
        (("prove", "a.ledger", "-o", "x"), 2, "give NUMBER and --checkpoint, or --from and --to"),
        (("prove", "a.ledger", "1", "--from", "first", "-o", "x"), 2, "give NUMBER and --checkpoint"),
        (("prove", "a.ledger", "4", "--checkpoint", "first", "-o", "x"), 2, "is not among the first 3"),
        (("prove", "older.ledger", "1", "--checkpoint", "second", "-o", "x"), 2, "does not begin with the 5 entries"),
        (("checkpoint", "a.ledger", "--origin", "a b", "--key", "a.key", "-o", "x"), 2, "cannot name a key"),
        (("roles", "a.ledger", "--writers", "w"), 2, "is a file"),
        (("roles", "a.ledger"), 2, "give --writers, --readers or both"),
    ],
)
def test_what_is_not_shown_is_refused_with_its_reason(desk: Desk, words: tuple[str, ...], code: int, message: str) -> None:
    result = desk.run(*words)
    assert (result.exit_code, message in result.output) == (code, True), result.output
    assert not (desk.folder / "x").exists()


def test_a_witness_refuses_a_step_back_and_a_second_history(desk: Desk) -> None:
    back = desk.witness("first", "x")
    assert (back.exit_code, "refused: rolled back: the witness saw 5 entries" in back.output) == (1, True)
    other = RELEASE.replace("smokers", "others")
    (desk.folder / "fork.ledger").write_bytes((desk.folder / "older.ledger").read_bytes())
    desk.done("reserve", "fork.ledger", other, "--commit")
    desk.checkpoint("forked", "fork.ledger")
    fork = desk.witness("forked", "x")
    assert (fork.exit_code, "refused: forked: the witness saw other 5 entries" in fork.output) == (1, True)
    desk.done("reserve", "fork.ledger", other, "--commit")
    desk.checkpoint("longer", "fork.ledger")
    assert "a proof is needed" in desk.witness("longer", "x").output
    desk.done("prove", "fork.ledger", "--from", "forked", "--to", "longer", "-o", "forked.growth")
    longer = desk.witness("forked.growth", "x")
    assert (longer.exit_code, "refused: forked or rewritten" in longer.output) == (1, True)
    assert not (desk.folder / "x").exists()


def test_a_chain_that_was_broken_is_not_signed(desk: Desk) -> None:
    (desk.folder / "broken.ledger").write_bytes((desk.folder / "a.ledger").read_bytes())
    with closing(sqlite3.connect(desk.folder / "broken.ledger")) as connection, connection:
        connection.execute("DROP TRIGGER entry_is_not_changed")
        connection.execute("UPDATE entry SET moment = 'never' WHERE number = 2")
    refused = desk.run("checkpoint", "broken.ledger", "--origin", "example.org/a", "--key", "a.key", "-o", "x")
    assert (refused.exit_code, "entry 2 does not follow" in refused.output) == (2, True)


COMMANDS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "second.cosigned": lambda name: ("verify", "a.ledger", "--checkpoint", name, *HELD),
    "entry": lambda name: ("check-proof", name, *HELD),
    "growth": lambda name: ("check-proof", name, "--from", "first", "--log-key", "a.pub"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_changed_byte_is_refused_by_the_command_and_no_defect(desk: Desk, name: str) -> None:
    chance, content = random.Random(11), (desk.folder / name).read_bytes()
    for _ in range(8):
        place = chance.randrange(len(content))
        spoiled = content[:place] + bytes([content[place] ^ chance.randrange(1, 256)]) + content[place + 1 :]
        (desk.folder / "spoiled").write_bytes(spoiled)
        assert desk.run(*COMMANDS[name]("spoiled")).exit_code in (1, 2)
