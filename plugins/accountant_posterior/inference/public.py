"""Public figures: what another source says of the same statistic, with a stated standard error."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from accountant import AccountantError, InvalidValue, fields
from accountant.commands import PlanSource
from accountant.loss import Floats
from accountant_posterior.inference.faults import Faults

_HEAD = ["release", "value", "error"]


@frozen
class PublicFigure:
    """A public estimate of a statistic of the same records, say from a survey, whose error is Gaussian.

    Definition: it has the density of a Gaussian law around the statistic with deviation `error`, independent of the noise
    of releases.
    """

    value: float = field(converter=float)
    error: float = field(converter=float)

    def __attrs_post_init__(self) -> None:
        if not (math.isfinite(self.value) and math.isfinite(self.error) and self.error > 0.0):
            raise InvalidValue("a public figure has a finite value and a standard error above 0")

    @property
    def precision(self) -> float:
        """One over the variance of its error."""
        return 1.0 / (self.error * self.error)

    def moved(self, start: float, factor: float) -> PublicFigure:
        """The figure for a statistic from which something is taken, and which is multiplied then."""
        return PublicFigure((self.value - start) * factor, self.error * factor)

    def log_weights(self, statistics: Floats) -> Floats:
        """The logs of its density given the statistic, up to a constant."""
        logs: Floats = -0.5 * ((self.value - statistics) / self.error) ** 2
        return logs


def read_public(source: PlanSource) -> dict[tuple[str, int], PublicFigure]:
    """Public figures by release and place: TOML or JSON with a value and an error each, or CSV with three columns.

    A place is 0, and for a release of several numbers written behind its name, from 1 on: "fit 3" is the third.
    """
    written = source.written()
    faults = Faults(written.name)
    if source.path is not None and source.path.suffix.lower() == ".csv":
        head, *rows = list(csv.reader(written.content.splitlines())) or [[]]
        if [cell.strip() for cell in head] != _HEAD or any(len(row) != 3 for row in rows if row):
            faults.add(f"expected the columns {', '.join(_HEAD)}", written.name)
            faults.end()
        items = [(row[0].strip(), {"value": row[1].strip(), "error": row[2].strip()}) for row in rows if row]
    else:
        data = written.data()
        items = list(data.items()) if isinstance(data, dict) else []
    if not items:
        faults.add("there are no public figures; write for example  income = { value = 31, error = 2 }", written.name)
    found: dict[tuple[str, int], PublicFigure] = {}
    for name, figure in items:
        matched = re.fullmatch(r"(.*\S)\s+(\d{1,4})", name)
        key = (matched[1], int(matched[2])) if matched else (name, 0)
        if key in found:
            faults.add("is given twice", name)
        try:
            found[key] = _figure(figure)
        except (AccountantError, OverflowError) as error:
            faults.add(str(error), name)
    faults.end()
    return found


def _figure(written: Any) -> PublicFigure:
    if not isinstance(written, Mapping) or set(written) != {"value", "error"}:
        raise InvalidValue("expected a value and an error, for example { value = 31, error = 2 }")
    return PublicFigure(*(float(fields.exact(written[name])) for name in ("value", "error")))
