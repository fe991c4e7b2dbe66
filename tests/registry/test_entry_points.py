"""Discovery reads what installers leave behind, and finds what the standard library finds."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from accountant.registry import entry_points as room
from accountant.registry.discovery import GROUP, installed
from accountant.registry.entry_points import EntryPoint, Unusual, entry_points

FOLDERS = (
    "one-1.0.dist-info",
    "One-2.0.dist-info",
    "o.n_e-1.dist-info",
    "two-1.dist-info",
    "two-1.0.egg-info",
    "-1.dist-info",
)
FOLDERS += ("three.DIST-INFO", "four.dist-info", "nothing.txt")
LINES = (
    f"[{GROUP}]",
    "[other]",
    "first = some.module",
    "second = some:thing.inner",
    "third = some [extra]",
    "fourth=some : thing",
)
LINES += ("# first = hidden", "  ", "no equals sign", f"[[{GROUP}]]", " fifth = other ", "fifth = other", "", "sixth = ")
TOPS = (
    "Metadata-Version: 2.1\nName: one\nVersion: 1\n",
    "Metadata-Version: 2.1\r\nName: Two.x\r\nVersion: 2\r\n\r\nText: no\r\n",
)
TOPS += (
    "Name: late\nSummary: s\nMetadata-Version: 1\nVersion: 3\n",
    "Metadata-Version: 2.1\nName: folded\n name\nVersion: 1\n\n",
)
TOPS += (
    "Metadata-Version: 2.1\nName: one\nVersion: 1\n more\n",
    "Version: 1\nName: turned\nMetadata-Version: 2\n\nName: text\n",
)
TOPS += ("Metadata-Version: 2.1\nName: one two\nVersion: 1\n", "Metadata-Version: 2.1\nNAME: loud\nVersion: 1\n")

places = st.lists(
    st.lists(
        st.tuples(st.sampled_from(FOLDERS), st.lists(st.sampled_from(LINES), max_size=6), st.sampled_from(TOPS)),
        max_size=4,
        unique_by=lambda found: found[0].lower(),
    ),
    min_size=1,
    max_size=3,
)
HIDDEN = [[("one-1.0.dist-info", [LINES[0], LINES[2]], TOPS[0])], [("One-2.0.dist-info", [LINES[0], LINES[3]], TOPS[0])]]
"""A distribution, and one of the same name that it hides: what is drawn may have none."""


def lay_out(root: Path, found: list[tuple[str, list[str], str]]) -> None:
    root.mkdir()
    for folder, lines, top in found:
        (root / folder).mkdir()
        (root / folder / "entry_points.txt").write_bytes("\n".join(lines).encode())
        (root / folder / "METADATA").write_bytes(top.encode())


def careless(group: str) -> list[EntryPoint]:
    return [point for folder in room._distributions() for point in room._of_distribution(folder, group)]


def answer(ask: Callable[[str], object]) -> object:
    """What is found, in order of names, or that the files cannot be read."""
    try:
        return sorted(ask(GROUP))  # type: ignore[call-overload]
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("planted", [False, True])
def test_what_is_found_is_what_the_standard_library_finds(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, planted: bool
) -> None:
    """Planted: a reader that takes every distribution, hidden by an earlier one of its name or not."""
    differed = 0

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(places)
    def compare(trees: list[list[tuple[str, list[str], str]]]) -> None:
        nonlocal differed
        base = tmp_path_factory.mktemp("path")
        for number, tree in enumerate(trees):
            lay_out(base / str(number), tree)
        with monkeypatch.context() as path:
            path.setattr(sys, "path", [str(base / str(number)) for number in range(len(trees))])
            if planted:
                path.setattr(
                    room,
                    "_plain",
                    lambda group: [p for f in room._distributions() for p in room._of_distribution(f, group)],
                )
            found, expected = answer(entry_points), answer(room._standard)
        # What the standard library fails on need not be met here: files of others are not looked at.
        differed += not isinstance(expected, type) and found != expected

    compare()
    compare.hypothesis.inner_test(HIDDEN)  # type: ignore[attr-defined]
    assert (differed > 0) == planted


def test_most_environments_need_no_standard_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path / "site", [("one-1.0.dist-info", [f"[{GROUP}]", "first = some.module"], TOPS[0])])
    monkeypatch.setattr(sys, "path", [str(tmp_path / "nowhere"), str(tmp_path / "site")])
    assert list(room._plain(GROUP)) == [EntryPoint("first", "some.module", "one", "1")]
    program = "import sys; from accountant.registry.discovery import installed; print(len(installed()), *sys.modules)"
    count, *loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(count) >= 14
    assert not {"importlib.metadata", "email", "zipfile", "socket"} & set(loaded)


def test_archives_and_finders_of_others_are_left_to_the_standard_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("one-1.0.dist-info/entry_points.txt", f"[{GROUP}]\nfirst = some.module\n")
        file.writestr("one-1.0.dist-info/METADATA", TOPS[0])
    monkeypatch.setattr(sys, "path", [str(archive)])
    assert list(entry_points(GROUP)) == [EntryPoint("first", "some.module", "one", "1")]
    monkeypatch.setattr(sys, "path", [])

    class Finder:
        @staticmethod
        def find_distributions(context: object) -> list[object]:
            return []

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    with pytest.raises(Unusual):
        list(room._plain(GROUP))


def test_an_installation_that_changes_is_seen_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    before = {candidate.name for candidate in installed()}
    folder = tmp_path / "late-1.0.dist-info"
    for line in ("late = one", "later = one"):
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(TOPS[0])
        (folder / "entry_points.txt").write_text(f"[{GROUP}]\n{line}\n")
        assert {candidate.name for candidate in installed()} - before == {line.partition(" ")[0]}
