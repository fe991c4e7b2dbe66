"""Scaffold: a distribution of one's own, copied from one that works.

A template is a distribution that runs and passes the laws as it stands, under a name that its project states. Whoever
begins with it gets the same under another name: nothing else is filled in, so that what is tested is what is handed out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from accountant.errors import InvalidValue

_TEMPLATES = Path(__file__).parent / "templates"
_PREFIX = "accountant"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@cache
def kinds() -> tuple[str, ...]:
    """What there are templates of."""
    return tuple(sorted(folder.name for folder in _TEMPLATES.iterdir() if (folder / "pyproject.toml").is_file()))


def template_name(kind: str) -> str:
    """The name under which a template works."""
    project = tomllib.loads((_TEMPLATES / kind / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (name,) = project["entry-points"][_PREFIX]
    return str(name)


def checked_name(name: str) -> str:
    """A name that a plugin may have; an error that says what one looks like otherwise."""
    if not _NAME.fullmatch(name):
        raise InvalidValue(f"expected a name of small letters, digits and hyphens, such as 'night-bus', got {name!r}")
    return name


def module_name(name: str) -> str:
    """The package that the distribution of a plugin is imported as."""
    return f"{_PREFIX}_{name.replace('-', '_')}"


def distribution_files(kind: str, name: str) -> dict[str, str]:
    """The files of a distribution, by their path in it, that registers something of a kind under a name."""
    old = template_name(kind)
    _check_class(kind, old, name)
    return {
        _renamed(path.relative_to(_TEMPLATES / kind).as_posix(), old, name): _renamed(
            path.read_text(encoding="utf-8"), old, name
        )
        for path in _files(_TEMPLATES / kind)
    }


def _check_class(kind: str, old: str, new: str) -> None:
    """Refuse a name whose class would be called like something that the code uses."""
    code = "".join(path.read_text(encoding="utf-8") for path in _files(_TEMPLATES / kind) if path.suffix == ".py")
    words = set(re.findall(r"\w+", code))
    made = {word for word in words if old.capitalize() in word}
    clashes = {_renamed(word, old, new) for word in made} & (words - made)
    if clashes:
        raise InvalidValue(f"a {kind} called '{new}' would have a class '{min(clashes)}', which it uses already")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path


def _renamed(text: str, old: str, new: str) -> str:
    """A text with one name in the place of another: in identifiers, as a class, and wherever else it stands."""
    snake, camel = new.replace("-", "_"), "".join(part.capitalize() for part in new.split("-"))
    text = re.sub(rf"(?<=_){old}|{old}(?=_)", snake, text)
    return text.replace(old.capitalize(), camel).replace(old, new)
