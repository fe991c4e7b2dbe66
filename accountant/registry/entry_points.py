"""Entry points: the lines by which installed distributions name their plugins, read straight from what installers leave.

The standard library answers the same question after parsing the metadata of every distribution; loading what it parses with
takes longer than all of our discovery. Nothing is kept between runs, so nothing can be out of date.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from typing import NamedTuple

_VALUE = re.compile(r"[\w.]+(:[\w.]+)?")
_HEADER = re.compile(r"([A-Za-z-]+):[ \t]*(\S+)")
_METADATA = (".dist-info", ".egg-info")


class Unusual(Exception):
    """What is left to the standard library: archives, eggs, finders of others, lines that are not plain."""


class EntryPoint(NamedTuple):
    """A plugin as a distribution names it. `value` is a module, or names an object in one."""

    name: str
    value: str
    distribution: str
    version: str


def metadata_folders() -> Iterator[str]:
    """The folders in which installers left what they know of distributions, in the order of the path; of archives none."""
    for root in sys.path:
        try:
            children = os.listdir(root or ".")
        except (OSError, TypeError):
            continue
        yield from (os.path.join(root, child) for child in sorted(children) if child.endswith(_METADATA))


def entry_points(group: str) -> Iterable[EntryPoint]:
    """The entry points of a group, of every distribution that is found on the path before another of its name.

    Guarantee: the answer of `importlib.metadata`; files that do not mention the group are not looked at further.
    """
    try:
        return list(_plain(group))
    except Unusual:
        return _standard(group)


def _standard(group: str) -> list[EntryPoint]:
    import importlib.metadata

    found = []
    for point in importlib.metadata.entry_points(group=group):
        name, version = ("unknown", "unknown") if point.dist is None else (point.dist.name, point.dist.version)
        found.append(EntryPoint(point.name, point.value, name, version))
    return found


def _plain(group: str) -> Iterator[EntryPoint]:
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        raise Unusual
    seen = set()
    for folder in _distributions():
        name = re.sub(r"[-_.]+", "_", os.path.basename(folder).rpartition(".")[0].partition("-")[0]).lower()
        if not name:
            raise Unusual
        if name not in seen:
            seen.add(name)
            yield from _of_distribution(folder, group)


def _distributions() -> Iterator[str]:
    """The folders with metadata on the path, in its order."""
    for root in sys.path:
        if not isinstance(root, str) or root.lower().endswith(".egg"):
            raise Unusual
        try:
            children = os.listdir(root or ".")
        except OSError:
            if os.path.exists(root):
                raise Unusual from None
            continue
        for child in children:
            if child.lower().endswith(_METADATA):
                if not child.endswith(_METADATA):
                    raise Unusual
                yield os.path.join(root, child)


def _of_distribution(folder: str, group: str) -> Iterator[EntryPoint]:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb", buffering=0) as file:
            written = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        raise Unusual from None
    if group.encode() not in written:
        return
    points = list(_points(_text(written), group))
    if points:
        distribution, version = _origin(folder)
        for name, value in points:
            yield EntryPoint(name, value, distribution, version)


def _points(text: str, group: str) -> Iterator[tuple[str, str]]:
    section = None
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line.strip("[]")
            continue
        name, equals, value = map(str.strip, line.partition("="))
        if not equals:
            raise Unusual
        if section == group:
            if not _VALUE.fullmatch(value):
                raise Unusual
            yield name, value


def _origin(folder: str) -> tuple[str, str]:
    """The name and the version of a distribution, which stand at the top of its metadata, each on a line of its own."""
    try:
        with open(os.path.join(folder, "METADATA"), "rb", buffering=0) as file:
            top = _text(file.read()).split("\n", 4)[:4]
    except OSError:
        raise Unusual from None
    headers = [_HEADER.fullmatch(line) for line in top[:3]]
    named = {match[1]: match[2] for match in headers if match is not None}
    # A line that starts with a blank would go on with the one before.
    if set(named) != {"Metadata-Version", "Name", "Version"} or top[3:] == [] or top[3][:1] in (" ", "\t"):
        raise Unusual
    return named["Name"], named["Version"]


def _text(written: bytes) -> str:
    try:
        return written.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise Unusual from None
