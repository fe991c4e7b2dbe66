"""Files that cannot be parsed are refused in words that say as what they were read."""

from __future__ import annotations

from pathlib import Path

import pytest

from accountant.errors import PlanError
from accountant.values.source import load_data


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("plan.toml", "cannot be parsed as TOML", False),
        ("plan", "cannot be parsed as TOML", False),
        ("plan.yaml", "cannot be parsed as TOML", True),
        ("plan.JSON", "cannot be parsed as JSON", False),
    ],
)
def test_a_file_that_cannot_be_parsed_says_as_what_it_was_read(tmp_path: Path, name: str, said: str, hint: bool) -> None:
    path = tmp_path / name
    path.write_text("title: County health survey\n", "utf-8")
    with pytest.raises(PlanError, match=said) as refusal:
        load_data(path)
    assert ("a file whose name does not end in .json is read as TOML" in str(refusal.value)) is hint
