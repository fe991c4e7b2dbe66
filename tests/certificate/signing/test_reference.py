"""The reference of signatures has exactly what is signed, and what a policy may say."""

from __future__ import annotations

import json
import re
from pathlib import Path

from accountant.certificate.signing.statement import PARTS, PREDICATE_TYPE
from tests.certificate.signing.conftest import Signed

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "signatures.md").read_text("utf-8")


def rows(heading: str, which: int = 0) -> set[str]:
    """The first cells of a table under a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    tables = re.split(r"^\|---.*$", section, flags=re.MULTILINE)[1:]
    return set(re.findall(r"^\| `([\w.]+)` \|", tables[which], re.MULTILINE))


def test_the_reference_has_every_key_that_is_signed(once: Signed) -> None:
    envelope = json.loads(once.signatures.read_text("utf-8").splitlines()[0])
    assert rows("The file with signatures") == set(envelope)
    statement = json.loads(once.envelopes[0].payload)
    assert rows("Statements", 0) == set(PARTS) == {item["annotations"]["part"] for item in statement["subject"]}
    assert rows("Statements", 1) == set(statement["predicate"])
    assert PREDICATE_TYPE in PAGE


def test_the_reference_has_every_key_of_a_policy(once: Signed) -> None:
    data = once.policy_data()
    keys = {f"key.{key}" for item in data["key"] for key in item} | {"key.until"}
    assert rows("Policies") == set(data) | keys
