"""A policy says whom to believe; all that is wrong with one is said at once."""

from __future__ import annotations

import itertools
import random
from datetime import date
from pathlib import Path

import pytest

from accountant import InvalidValue, PolicyError, PrivateKey, TrustPolicy
from accountant.certificate.signing.policy import TrustedKey
from accountant.certificate.signing.roles import Role
from tests.certificate.signing.test_byte_changes import changed

ADA, BOB = PrivateKey.new().public, PrivateKey.new().public


def text(first: str = "", second: str = "", need: str = "curator = 1") -> str:
    return f"""
until = 2030-12-31

[[key]]
name = "Ada"
public = "{ADA.text}"
roles = ["curator"]
{first}

[[key]]
name = "Bob"
public = "{BOB.text}"
roles = ["checker", "curator"]
{second}

[need]
{need}
"""


def load(content: str, folder: Path) -> TrustPolicy:
    file = folder / "policy.toml"
    file.write_text(content, "utf-8")
    return TrustPolicy.load(file)


def faults(content: str, folder: Path) -> list[tuple[str, str, int | None]]:
    with pytest.raises(PolicyError) as refused:
        load(content, folder)
    return [(fault.message, fault.place, fault.line) for fault in refused.value.faults]


def test_a_policy_is_read(tmp_path: Path) -> None:
    found = load(text("until = 2029-01-31", need="curator = 2\nchecker = 1"), tmp_path)
    assert found.until == date(2030, 12, 31)
    assert found.keys == (
        TrustedKey("Ada", ADA, frozenset({Role.CURATOR}), date(2029, 1, 31)),
        TrustedKey("Bob", BOB, frozenset({Role.CURATOR, Role.CHECKER})),
    )
    assert found.need == {Role.CURATOR: 2, Role.CHECKER: 1}
    assert found.key(ADA.key_id) == found.keys[0]
    assert found.key(ADA.key_id[:-1]) is None


def test_all_faults_of_a_policy_are_said_at_once_with_their_lines(tmp_path: Path) -> None:
    content = f"""
untill = 2030-12-31

[[key]]
name = ""
public = "nonsense"
roles = ["curator", "auditor"]
until = "2030-01-01"

[[key]]
public = "{BOB.text}"
roles = []

[need]
checkers = 1
curator = 0
"""
    found = faults(content, tmp_path)
    assert [(place, line) for _, place, line in found] == [
        ("trust", 2),
        ("key[0].name", 5),
        ("key[0].public", 6),
        ("key[0].roles", 7),
        ("key[0].until", 8),
        ("key[1]", 10),
        ("key[1].roles", 12),
        ("need.checkers", 15),
        ("need.curator", 16),
    ]
    words = [message for message, _, _ in found]
    assert "did you mean 'until'?" in words[0]
    assert "a line of base64" in words[2] or "Ed25519" in words[2]
    assert "unknown role 'auditor'" in words[3]
    assert "without quotes" in words[4]
    assert "missing 'name'" in words[5]
    assert "did you mean 'checker'?" in words[7]
    assert "at least 1" in words[8]


def test_a_key_under_two_names_is_refused(tmp_path: Path) -> None:
    content = text().replace(BOB.text, ADA.text)
    ((message, place, line),) = faults(content, tmp_path)
    assert message == "the key of 'Ada' again; a key belongs to one person"
    assert (place, line) == ("key[1].public", 12)


def test_a_name_of_two_keys_is_refused(tmp_path: Path) -> None:
    ((message, place, _),) = faults(text().replace('"Bob"', '"Ada"'), tmp_path)
    assert "'Ada' is the name of another key already" in message
    assert place == "key[1].name"


@pytest.mark.parametrize(
    ("content", "reason", "place"),
    [
        (text(need=""), "needs no signature is kept by anything", "need"),
        (text().partition("[need]")[0], "needs no signature is kept by anything", "need"),
        (text(need="checker = 2"), "needs 2 keys, and 1 of those listed may sign as checker", "need.checker"),
        (text(need="checker = true"), "whole number of at least 1", "need.checker"),
        (text(need="checker = 1.5"), "whole number of at least 1", "need.checker"),
        (text(need="checker = -1"), "whole number of at least 1", "need.checker"),
        (text().replace("2030-12-31", "2030-12-31T00:00:00Z"), "expected a day", "until"),
        (text().replace("until = 2030-12-31", ""), "missing 'until'", "trust"),
        ("until = 2030-12-31\n[need]\ncurator = 1", "names no key believes nobody", "key"),
        ("until = 2030-12-31\nkey = 7\n[need]\ncurator = 1", "expected a list of tables", "key"),
        ("until = 2030-12-31\nneed = 7", "expected a table", "need"),
        (text('name = "\\u001b[2J"').replace('name = "Ada"\n', ""), "control character", "key[0].name"),
        (text("more = 1"), "unknown key 'more'", "key[0]"),
    ],
    ids=map(str, itertools.count()),  # keys are new ones each time, and names of tests must not be
)
def test_a_policy_that_could_not_be_meant_is_refused(content: str, reason: str, place: str, tmp_path: Path) -> None:
    found = faults(content, tmp_path)
    assert any(reason in message and where == place for message, where, _ in found), found


def test_what_is_no_toml_is_refused(tmp_path: Path) -> None:
    ((message, _, _),) = faults("until = ", tmp_path)
    assert "cannot be parsed as TOML" in message
    with pytest.raises(PolicyError, match="cannot be read"):
        TrustPolicy.load(tmp_path / "none.toml")
    with pytest.raises(PolicyError, match="expected a table"):
        TrustPolicy.read([])


def test_a_damaged_policy_is_refused_or_another_policy_and_nothing_else(tmp_path: Path) -> None:
    chance, content = random.Random(4), text("until = 2029-01-31").encode()
    file, refused = tmp_path / "policy.toml", 0
    for _ in range(300):
        file.write_bytes(changed(changed(content, chance), chance))
        try:
            found = TrustPolicy.load(file)
        except PolicyError as error:
            refused += len(error.faults) > 0
        else:
            assert found.need
            assert found.keys
    assert refused > 200


def test_python_makes_no_policy_that_a_file_could_not(tmp_path: Path) -> None:
    ada = TrustedKey("Ada", ADA, frozenset(Role))
    for need in ({}, {Role.CURATOR: 0}):
        with pytest.raises(InvalidValue, match="at least one signature"):
            TrustPolicy(date.max, (ada,), need)
    for other in (TrustedKey("Ada", BOB, frozenset(Role)), TrustedKey("Bob", ADA, frozenset(Role))):
        with pytest.raises(InvalidValue, match="every key and every name once"):
            TrustPolicy(date.max, (ada, other), {Role.CURATOR: 1})
