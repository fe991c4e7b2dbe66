"""Grouped tables: where releases come from that are rows of a table, counted by what they say."""

from __future__ import annotations

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.fields import about, at_least, text, whole


@frozen
class GroupedTable(Brief):
    """A table whose rows a plan holds as different releases with their counts: which file, and how it was when read."""

    file: str = field(converter=text, metadata=about("the file beside the plan that the rows stood in"))
    rows: int = field(converter=whole, validator=at_least(1), metadata=about("how many rows it had"))
    digest: str = field(converter=text, metadata=about("the SHA-256 digest of the file"))
