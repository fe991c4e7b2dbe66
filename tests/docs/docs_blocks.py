"""Runs the examples of a page and compares what they print with what the page shows.

- A block of `python` is executed; all blocks of a page share one namespace. A block of `text` right after it shows what
  it prints.
- A block of `console` has lines `$ command` and what each prints, both streams together. `$ echo $?` shows the exit code.
- A block whose first line is a comment with a file name, such as `# plan.toml`, is written to that file for later blocks,
  a table or JSON without that line.
- `$ pip install ./DIRECTORY` leaves behind what pip would, without building anything; the real thing is done by
  tests/third_party.
- `...` stands for any text. Other blocks are not run.

`python -m tests.docs.docs_blocks PAGE ...` rewrites what pages show with what their examples print, except where they show
an ellipsis.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from attrs import define, frozen

from tests.docs import warm

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(?P<language>[\w-]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_INCLUDED = re.compile(r"^```{literalinclude} (?P<path>\S+)$", re.MULTILINE)
_INSTALL = re.compile(r"pip install \./(?P<directory>[\w-]+)")
_FILE = re.compile(r"# (?P<name>[\w-]+\.(toml|json|py|csv))\n")


@frozen
class Block:
    """A fenced block and where it stands in the page."""

    language: str
    body: str
    start: int
    end: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page that name a language."""
    return [Block(m["language"], m["body"], m.start("body"), m.end("body")) for m in _FENCE.finditer(page)]


def written() -> list[Path]:
    """Every page of the documentation, leaving out what a build wrote."""
    return sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)


def pages() -> list[Path]:
    """Every page with examples that are run."""
    found = [ROOT / "README.md", *written()]
    return [page for page in found if any(b.language in ("python", "console") for b in blocks(page.read_text("utf-8")))]


def included(page: str) -> list[Path]:
    """The files that a page shows parts of."""
    return [(DOCS / "tutorial" / match["path"]).resolve() for match in _INCLUDED.finditer(page)]


def install(distribution: Path, site: Path) -> None:
    """Put the packages of a distribution where Python finds them, with its name, version, README and entry points."""
    project = tomllib.loads((distribution / "pyproject.toml").read_text("utf-8"))["project"]
    about = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(f"{metadata}\n{(distribution / project['readme']).read_text('utf-8')}", "utf-8")
    points = [f"{name} = {target}" for name, target in project["entry-points"]["accountant"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[accountant]", *points, ""]), "utf-8")
    for package in distribution.glob("*/__init__.py"):
        shutil.copytree(package.parent, site / package.parent.name)


@define
class Session:
    """One page being executed in a directory of its own, which starts with a copy of the examples."""

    place: Path
    namespace: dict[str, object]
    code: int = 0

    @classmethod
    def start(cls, place: Path) -> Session:
        shutil.copytree(ROOT / "examples", place / "examples", ignore=shutil.ignore_patterns("*.certificate.json"))
        return cls(place, {"__name__": "__main__"})

    def python(self, body: str) -> str:
        output = io.StringIO()
        before = Path.cwd()
        os.chdir(self.place)
        sys.path.insert(0, str(self.place))
        try:
            with contextlib.redirect_stdout(output):
                exec(compile(body, "<example>", "exec"), self.namespace)
        finally:
            sys.path.remove(str(self.place))
            os.chdir(before)
        return output.getvalue()

    def command(self, line: str) -> str:
        if line == "echo $?":
            return f"{self.code}\n"
        if wanted := _INSTALL.fullmatch(line):
            install(self.place / wanted["directory"], self.place / "site")
            return ""
        tools = str(Path(sys.executable).parent)
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([tools, os.environ.get("PATH", "")]),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(self.place / "site"), os.environ.get("PYTHONPATH")])),
            "COLUMNS": "110",
            "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        if warm.answers(line) and not (self.place / "site").exists():
            output, self.code = warm.run(line, self.place, environment)
            return output
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.place,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        self.code = done.returncode
        return done.stdout


@frozen
class Shown:
    """What a page shows, what was printed instead, and where the page shows it."""

    source: str
    wanted: str
    got: str
    start: int
    end: int

    @property
    def agrees(self) -> bool:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE if "..." in self.wanted else doctest.NORMALIZE_WHITESPACE
        return doctest.OutputChecker().check_output(_marked(self.wanted), _marked(self.got), flags)


def _marked(text: str) -> str:
    return text.strip().replace("<BLANKLINE>", "") + "\n"


def run(page: str, place: Path) -> Iterator[Shown]:
    """Execute a page from top to bottom."""
    session = Session.start(place)
    found = blocks(page)
    for index, block in enumerate(found):
        named = _FILE.match(block.body)
        if named:
            # Tables and JSON have no comments.
            body = block.body[named.end() :] if named["name"].endswith((".csv", ".json")) else block.body
            (place / named["name"]).write_text(body, "utf-8")
        elif block.language == "python":
            printed = session.python(block.body)
            following = found[index + 1 : index + 2]
            for shown in following:
                if shown.language == "text" and page[block.end : shown.start].split() == ["```", "```text"]:
                    yield Shown(block.body, shown.body, printed, shown.start, shown.end)
        elif block.language == "console":
            yield from _console(session, block)


def _console(session: Session, block: Block) -> Iterator[Shown]:
    position = block.start
    lines = block.body.splitlines(keepends=True)
    index = 0
    while index < len(lines):
        line = lines[index]
        position += len(line)
        index += 1
        if not line.startswith("$ "):
            raise ValueError(f"expected a command, got {line!r}")
        command = line[2:]
        while command.rstrip("\n").endswith("\\"):
            position += len(lines[index])
            command = command.rstrip("\n")[:-1] + lines[index].removeprefix("> ")
            index += 1
        start, wanted = position, ""
        while index < len(lines) and not lines[index].startswith("$ "):
            wanted += lines[index]
            position += len(lines[index])
            index += 1
        yield Shown(command.strip(), wanted, session.command(command.strip()), start, position)


def updated(page: str, place: Path) -> str:
    """The page with what its examples print, except where it shows `...`."""
    for shown in sorted(run(page, place), key=lambda item: -item.start):
        if "..." not in shown.wanted:
            page = page[: shown.start] + (shown.got.strip("\n") + "\n" if shown.got.strip() else "") + page[shown.end :]
    return page


if __name__ == "__main__":
    import tempfile

    for argument in sys.argv[1:]:
        target = Path(argument)
        with tempfile.TemporaryDirectory() as directory:
            target.write_text(updated(target.read_text("utf-8"), Path(directory)), "utf-8")
