"""What plans, and all that is about their releases, say of them."""

from __future__ import annotations

import re

from accountant.display.card import CardRows
from accountant.numbers.interval import Interval
from accountant.release.release import Release
from accountant.values.writing import in_words, kind_data

LONGEST_KIND = 80
_MOST_ROWS = 100
_LONG_RATIO = re.compile(r"\b\d+/\d{4,}\b")


def release_table(releases: tuple[Release, ...]) -> CardRows:
    """What is released, one release a row."""
    rows = tuple(map(_row, releases[:_MOST_ROWS]))
    return CardRows(("release", "mechanism", "query", "times"), rows, len(releases) - len(rows))


def _decimal(words: str) -> str:
    """Long ratios as the first digits of their decimals."""
    return _LONG_RATIO.sub(lambda found: f"{Interval.of(found[0]).rounded(6)[0]}…", words)


def _row(release: Release) -> tuple[str, str, str, str]:
    scope, sampling = release.scope, release.sampling
    name = release.name if scope is None else f"{release.name} [{scope.partition}: {scope.part}]"
    mechanism = _decimal(in_words(kind_data(release.mechanism), LONGEST_KIND))
    if sampling is not None:
        mechanism += f" on a sample: {in_words(kind_data(sampling), LONGEST_KIND)}"
    query = "" if release.query is None else in_words(kind_data(release.query), LONGEST_KIND)
    return name, mechanism, query, f"{release.times:,}"
