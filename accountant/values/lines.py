"""Lines: on which line of a TOML or JSON text a place stands."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'")
_LONG = re.compile(r'"""(?:[^\\]|\\.)*?"""' + r"|'''.*?'''", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_LONGEST_JSON = 4_000_000
_HEADER = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<key>[\w\-.\s]+?)\s*\]\]?\s*$", re.ASCII)
_KEY = re.compile(r"\s*(?P<key>[\w\-]+(\s*\.\s*[\w\-]+)*)\s*=", re.ASCII)


def line_of(content: str, place: str, language: Literal["json", "toml"] = "toml") -> int | None:
    """The line of a place such as `release[2].mechanism.sigma`, or of what it stands in, counted from 1.

    Of TOML tables and keys are found, what stands inside a value is not; keys in quotes are overlooked. JSON is asked only
    where it is laid out in lines, and is not too long.
    """
    found = _places(content) if language == "toml" else _json_places(content)
    while place:
        if place in found:
            return found[place]
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return None


# Of one text there may be a thousand faults.
@lru_cache(maxsize=1)
def _places(content: str) -> dict[str, int]:
    """The first line of every table and key."""
    places: dict[str, int] = {}
    counts: dict[str, int] = {}
    table, depth = "", 0
    for number, line in enumerate(_bare(content).split("\n"), start=1):
        header, key = (_HEADER.match(line), _KEY.match(line)) if depth == 0 else (None, None)
        if header is not None:
            table = _entered(header, counts)
            places.setdefault(table, number)
            continue
        if key is not None:
            name = re.sub(r"\s", "", key["key"])
            places.setdefault(f"{table}.{name}" if table else name, number)
        depth = max(0, depth + sum(line.count(mark) for mark in "[{") - sum(line.count(mark) for mark in "]}"))
    return places


@lru_cache(maxsize=1)
def _json_places(content: str) -> dict[str, int]:
    """The line of every key and item of a JSON text that can be parsed."""
    places: dict[str, int] = {}
    if "\n" not in content.strip() or len(content) > _LONGEST_JSON:
        return places
    line, done = 1, 0
    above: list[tuple[str, int | None]] = []  # what is open: its place, and of a list how many items are behind
    place, awaited = "", False  # where the next value stands, and whether a key comes before it
    for token in _TOKEN.finditer(content):
        line, done = line + content.count("\n", done, token.start()), token.start()
        mark = token.group()
        if awaited and mark not in "]}":
            place, awaited = f"{above[-1][0]}.{mark[1:-1]}".lstrip("."), False
        if mark not in "]},:":
            places.setdefault(place, line)
        if mark in "{[":
            above.append((place, None if mark == "{" else 0))
            awaited, place = mark == "{", place if mark == "{" else f"{place}[0]"
        elif mark in "]}" and above:
            above.pop()
        elif mark == "," and above:
            owner, count = above[-1]
            above[-1] = (owner, None if count is None else count + 1)
            awaited, place = count is None, owner if count is None else f"{owner}[{count + 1}]"
    return places


def _bare(content: str) -> str:
    """The text with as many lines, without what strings and comments say."""
    for form in (_LONG, _STRING):
        content = form.sub(lambda found: '""' + "\n" * found.group().count("\n"), content)
    return re.sub(r"#[^\n]*", "", content)


def _entered(header: re.Match[str], counts: dict[str, int]) -> str:
    """The place of a table, those in lists counted from 0; one that stands in a list is in its last table."""
    *above, last = re.sub(r"\s", "", header["key"]).split(".")
    place = ""
    for part in above:
        place = f"{place}.{part}" if place else part
        place = f"{place}[{counts[place]}]" if place in counts else place
    place = f"{place}.{last}" if place else last
    if header["open"] == "[[":
        counts[place] = counts.get(place, -1) + 1
        return f"{place}[{counts[place]}]"
    return place
