"""One byte of what is signed, or of who signed it, is changed, added or taken away: refused, whichever it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from accountant import TrustPolicy, verify_signed
from accountant.cli import main
from tests.certificate.signing.conftest import Signed

TELLING = b' \t\r\n\x00\xff"{}[]:,=+-_/\\#.0e'
"""Bytes that a lenient reader might take for nothing, or for another."""


def changed(content: bytes, chance: random.Random) -> bytes:
    """The content with one byte replaced, added or taken away."""
    place, how = chance.randrange(len(content)), chance.random()
    if how < 0.15:
        return content[:place] + content[place + 1 :]
    byte = chance.choice(TELLING) if chance.random() < 0.5 else chance.randrange(256)
    if how < 0.3:
        return content[:place] + bytes([byte]) + content[place:]
    return content[:place] + bytes([byte if byte != content[place] else byte ^ 1]) + content[place + 1 :]


def changes(signed: Signed, count: int, seed: int) -> Iterator[tuple[Path, bytes]]:
    """Each file with a change, in turn; it has its own bytes again when the next one comes."""
    chance = random.Random(seed)
    files = (signed.signatures, signed.certificate, signed.plan, signed.table, signed.released)
    for number in range(count):
        file = files[number % len(files)]
        before = file.read_bytes()
        after = changed(before, chance)
        file.write_bytes(after)
        yield file, after
        file.write_bytes(before)


def refuse_all(signed: Signed, count: int, seed: int) -> None:
    policy = TrustPolicy.read(signed.policy_data())
    for file, content in changes(signed, count, seed):
        found = verify_signed(signed.certificate, signed.plan, policy, released=[signed.released])
        assert found.verdict.value == "refuted", (file.name, content)
        assert found.verification is None
        assert all(fault.message and fault.place for fault in found.faults)
    assert verify_signed(signed.certificate, signed.plan, policy, released=[signed.released]).verdict.value == "implied"


def test_a_changed_byte_is_refused(signed: Signed) -> None:
    refuse_all(signed, 150, seed=1)


@pytest.mark.sweep
def test_every_one_of_ten_thousand_changed_bytes_is_refused(signed: Signed) -> None:
    refuse_all(signed, 10_000, seed=20261117)


def refuse_on_the_command_line(signed: Signed, count: int, seed: int) -> None:
    keys = "".join(
        f'[[key]]\nname = "{item["name"]}"\npublic = "{item["public"]}"\nroles = ["{item["roles"][0]}"]\n'
        for item in signed.policy_data()["key"]
    )
    policy = signed.folder / "policy.toml"
    policy.write_text(f"until = 9999-12-31\n{keys}[need]\ncurator = 1\nchecker = 1\n", "utf-8")
    words = [
        "verify",
        *map(str, (signed.certificate, signed.plan)),
        "--trust",
        str(policy),
        "--released",
        str(signed.released),
    ]
    assert CliRunner().invoke(main, words).exit_code == 0
    for file, content in changes(signed, count, seed):
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 1, (file.name, content, result.output)
        assert result.stdout.startswith("refused: not signed as the policy needs")
        assert "Traceback" not in result.output


@pytest.mark.slow
def test_a_changed_byte_is_refused_on_the_command_line(signed: Signed) -> None:
    refuse_on_the_command_line(signed, 15, seed=2)


@pytest.mark.sweep
def test_a_thousand_changed_bytes_are_refused_on_the_command_line(signed: Signed) -> None:
    refuse_on_the_command_line(signed, 1_000, seed=3)
