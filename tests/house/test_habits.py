"""What is said about the house is true of it: contributing, hooks, licence and citation follow the code."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LAYERS = {contract["name"]: contract["layers"] for contract in PROJECT["tool"]["importlinter"]["contracts"]}


def section(title: str) -> str:
    return CONTRIBUTING.split(f"\n## {title}\n")[1].split("\n## ")[0]


def paths() -> list[str]:
    """Everything in the contributing guide that looks like a path of the repository."""
    prose = re.sub(r"^```.*?^```$", "", CONTRIBUTING, flags=re.MULTILINE | re.DOTALL)
    quoted = [word for word in re.findall(r"`([^`]+)`", prose) if re.fullmatch(r"[\w./-]+", word)]
    named = [word for word in quoted if "/" in word or word.endswith((".md", ".toml", ".py"))]
    linked = re.findall(r"\]\(((?!https?:)[^)#]+)\)", prose)
    run = re.findall(r"(?<![\w./-])(?:tests|docs)/[\w./-]+", CONTRIBUTING)
    return sorted({*named, *linked, *run})


@pytest.mark.parametrize("path", paths())
def test_every_path_in_the_contributing_guide_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_paths_in_the_contributing_guide_are_found() -> None:
    found = set(paths())
    assert len(found) > 60
    assert {".ci/run", "plugins/accountant_noise/laplace.py", "tests/plugins/noise", "SECURITY.md", "README.md"} <= found


def test_the_guide_lists_the_rooms_of_the_layers_in_their_order() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", section("The rooms"), re.MULTILINE)
    layers = LAYERS["A plan flows one way"]
    assert listed == [room for layer in layers for room in layer.split(" | ")]
    (inside,) = re.findall(r"^.*Inside `loss`: (.*) at the bottom\.$", section("The rooms"), re.MULTILINE)
    assert re.findall(r"`(\w+)`", inside) == LAYERS["Losses are made of simpler ones"]


def test_the_guide_lists_the_rooms_of_the_directory() -> None:
    core = ROOT / "accountant"
    found = {path.parent.name for path in core.glob("*/__init__.py")} | {path.stem for path in core.glob("[!_]*.py")}
    assert set(re.findall(r"^\| `(\w+)` \|", section("The rooms"), re.MULTILINE)) == found


def test_the_guide_says_what_twelve_ordinary_changes_touch() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", section("Twelve ordinary changes"), re.MULTILINE)
    assert len(rows) - 1 == 12
    assert all(re.search(r"`[\w./-]+/[\w./-]+`", files) for change, files in rows if change != "change")


def test_the_guide_sets_up_as_the_readme_does() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^## Run the tests\n\n(```sh\n.*?```)", readme, re.MULTILINE | re.DOTALL)
    assert command in section("Set up")


def test_the_hooks_run_what_is_checked_after_the_tests_and_nothing_else() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    slow, *checks = [line for line in script.split('bash -euo pipefail -c "$commands"\n')[1].splitlines() if line]
    assert f"```sh\n{slow}\n```" in section("Run some tests")
    assert len(checks) >= 4
    hooks = [
        hook
        for repository in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
        for hook in repository["hooks"]
    ]
    assert [shlex.split(hook["entry"]) for hook in hooks] == [shlex.split(check) for check in checks]
    for hook in hooks:
        # The versions are those of the environment, and every file is checked, as it is there.
        assert hook["language"] == "system"
        assert hook["always_run"] is True
        assert hook["pass_filenames"] is False


def test_the_citation_says_what_the_project_says() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = PROJECT["project"]
    assert cited["cff-version"] == "1.2.0"
    assert (cited["title"], cited["type"]) == ("accountant", "software")
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert (cited["abstract"], cited["keywords"]) == (project["description"], project["keywords"])
    assert cited["authors"] == [{"name": "The accountant authors"}]


def test_the_licence_is_the_one_that_the_project_names() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert text.split()[:6] == ["Apache", "License", "Version", "2.0,", "January", "2004"]
    assert "END OF TERMS AND CONDITIONS" in text
