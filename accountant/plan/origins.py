"""Origins: where the parts of a plan stand in the file that it was read from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from accountant.errors import Fault
from accountant.promise.specification import Scenario
from accountant.release.release import Release
from accountant.values.lines import line_of
from accountant.values.reading import inside
from accountant.values.source import Written

_OWNER = re.compile(r"(?P<key>release|scenario)\[(?P<index>\d+)\]")

Row = tuple[str | None, str, int | None]
"""The name of a release that stands in a row, the file and the line."""


@frozen
class Origins:
    """The text of a plan, and the place in it of every release and scenario."""

    written: Written
    places: Mapping[str, Release | Scenario]
    rows: Mapping[str, Row]

    def located(self, fault: Fault, items: Mapping[str, Sequence[Release | Scenario]]) -> Fault:
        """A fault of a plan with its file and line, given its releases and scenarios; without where they were changed."""
        owner = _OWNER.match(fault.place)
        if owner is None:
            return in_text(fault, self.written)
        item = items[owner["key"]][int(owner["index"])]
        place = next((place for place, known in self.places.items() if known is item), None)
        if place is None:
            return fault
        if place in self.rows:
            _, file, line = self.rows[place]
            return evolve(fault, file=file, line=line)
        found = in_text(evolve(fault, place=place + fault.place[owner.end() :]), self.written)
        return evolve(fault, file=found.file, line=found.line)


def in_text(fault: Fault, written: Written) -> Fault:
    """A fault with the file that it is of, unless it knows another, and the line where it stands."""
    if fault.file is not None:
        return fault
    place = "" if fault.place == "plan" else fault.place
    place = place if fault.key is None else inside(place, fault.key)
    return evolve(fault, file=written.name, line=line_of(written.content, place, written.language))
