"""Lines: on which line of a TOML text a place stands."""

from __future__ import annotations

import re

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'")
_LONG = re.compile(r'"""(?:[^\\]|\\.)*?"""' + r"|'''.*?'''", re.DOTALL)
_HEADER = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<key>[\w\-.\s]+?)\s*\]\]?\s*$", re.ASCII)
_KEY = re.compile(r"\s*(?P<key>[\w\-]+(\s*\.\s*[\w\-]+)*)\s*=", re.ASCII)


def line_of(content: str, place: str) -> int | None:
    """The line of a place such as `release[2].mechanism.sigma`, or of what it stands in, counted from 1.

    Tables and keys are found, what stands inside a value is not; keys in quotes are overlooked.
    """
    found = _places(content)
    while place:
        if place in found:
            return found[place]
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return None


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
