"""What is tried of a report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from accountant.report.interface import REPORTS, Report
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial
from accountant.testing.worlds import empty, grouped, in_worlds, met, telling

FAMILY = REPORTS
_FEW = 1


def trials(kit: Kit, name: str, report: Report) -> Iterator[Trial]:
    """Whatever it states is held against small worlds."""
    told = partial(in_worlds, laws.report_is_never_false, report, kit.registry, 3, kit.depth)
    yield Trial("reports are never false", kit.plugin, name, told, f"report {name}")
    written = partial(_in_languages, kit, report)
    yield Trial("reports are never false", kit.plugin, f"{name}, in its languages", written, f"report {name}")
    nothing = partial(_where_nothing_is_compared, kit, report)
    yield Trial("reports are never false", kit.plugin, f"{name}, where nothing is compared", nothing, f"report {name}")


def _where_nothing_is_compared(kit: Kit, report: Report) -> None:
    laws.report_says_where_nothing_is_promised(report, met(empty(kit.registry)))


def _in_languages(kit: Kit, report: Report) -> None:
    for world in telling(kit.registry)[:_FEW]:
        laws.report_is_written_in_its_languages(report, met(world))
    several, alone = (met(world) for world in grouped(kit.registry))
    laws.report_tells_groups_from_one(report, several, alone)
