"""What the comparison of counties says and writes: figures, a page, tables, and an answer as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from attrs import frozen

from accountant.commands import Form, Plain, new_folder, write_page, write_table
from accountant.loss import Floats
from accountant.report import Axis, Callout, Curves, Document, Paragraph, Section, Series, Table
from accountant_pufferfish.studies.counties import DISTANCE, DOUBLED
from accountant_pufferfish.studies.months import Months

LABEL = "simulation of releases beside public counts, not a release"
_WHAT = (
    "Counts of the table were released many times over by each method, at the same budget relative to what is public: last "
    "month's counts, this month's total, and that deaths are cases. Noise is drawn in floating point: never release it. "
    "True counts are among what is shown: it is as confidential as the table."
)
_GROUPS = 10
_CONTRACTIONS = ("cases put to 0", "deaths put to 0", "cases made equal to deaths")


@frozen
class CountyStudy:
    """What was found: for each month and budget, in this order, what every method does."""

    months: Months
    epsilons: tuple[float, ...]
    repeats: int
    shown: int
    seed: int
    found: tuple[tuple[Plain, ...], ...]

    @property
    def size(self) -> str:
        """How much was compared, in words."""
        months = len(self.months.months)
        return f"{months:,} {'month' if months == 1 else 'months'} of {len(self.months.counties):,} counties"

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(self.found[0][0]["methods"])

    def values(self, method: str, what: str) -> Floats:
        """A row for each month, a column for each budget; for relative errors one more axis, of counties."""
        return np.array([[cell["methods"][method][what] for cell in row] for row in self.found])

    @property
    def contracted(self) -> dict[str, Floats]:
        """By group of counties: months, budgets, and which contraction."""
        names = self.found[0][0]["contracted"]
        return {name: np.array([[cell["contracted"][name] for cell in row] for row in self.found]) for name in names}


def data_of(study: CountyStudy) -> dict[str, Any]:
    """What was found, as plain data: means over all months."""
    return {
        "label": LABEL,
        "seed": str(study.seed),
        "counties": len(study.months.counties),
        "months": [month.name for month in study.months.months],
        "releases": study.repeats,
        "methods": [
            {
                "method": method,
                "may_lose_twice_the_budget": DOUBLED in method,
                "errors": [
                    {
                        "epsilon": f"{epsilon:g}",
                        "cases": f"{study.values(method, 'cases')[:, place].mean():.6g}",
                        "deaths": f"{study.values(method, 'deaths')[:, place].mean():.6g}",
                        "relative_small": f"{_small(study, method)[:, place].mean():.6g}",
                    }
                    for place, epsilon in enumerate(study.epsilons)
                ],
            }
            for method in study.methods
        ],
    }


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, number, whole = {"type": "string"}, {"$ref": "#/$defs/number"}, {"type": "integer", "minimum": 1}
    errors = _table(dict.fromkeys(("epsilon", "cases", "deaths", "relative_small"), number))
    method = _table({"method": text, "may_lose_twice_the_budget": {"type": "boolean"}, "errors": _many(errors)})
    return _table(
        {
            "label": text,
            "seed": text,
            "counties": whole,
            "months": _many(text),
            "releases": whole,
            "methods": _many(method),
            "output": text,
        }
    )


def _many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def write_counties(study: CountyStudy, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    with new_folder(folder) as draft:
        write_table(_losses(study), draft / f"counties-errors.{form}", form)
        write_table(_relative(study), draft / f"counties-relative-errors.{form}", form)
        write_table(_contractions(study), draft / f"counties-contracted.{form}", form)
        write_page("counties", draft, {**data_of(study), "output": str(folder)}, document_of(study), figures_of(study))


def _losses(study: CountyStudy) -> dict[str, Any]:
    rows = [
        (month.name, epsilon, method, *(float(study.values(method, what)[at, place]) for what in ("cases", "deaths")))
        for at, month in enumerate(study.months.months)
        for place, epsilon in enumerate(study.epsilons)
        for method in study.methods
    ]
    return _columns(("month", "epsilon", "method", "error_of_cases", "error_of_deaths"), rows)


def _relative(study: CountyStudy) -> dict[str, Any]:
    rows = [
        (county, epsilon, method, float(study.values(method, "relative")[:, place, at].mean()))
        for at, county in enumerate(study.months.counties)
        for place, epsilon in enumerate(study.epsilons)
        for method in study.methods
    ]
    return _columns(("county", "epsilon", "method", "mean_relative_error_of_cases"), rows)


def _contractions(study: CountyStudy) -> dict[str, Any]:
    rows = [
        (month.name, epsilon, group, *map(float, shares[at, place]))
        for at, month in enumerate(study.months.months)
        for place, epsilon in enumerate(study.epsilons)
        for group, shares in study.contracted.items()
    ]
    return _columns(("month", "epsilon", "counties", *(name.replace(" ", "_") for name in _CONTRACTIONS)), rows)


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def document_of(study: CountyStudy) -> Document:
    """The page."""
    said = (
        f"{study.repeats:,} releases of {study.size} by each method, with seed {study.seed}. One case that moves to "
        f"another county, with another fate, is at a distance of {DISTANCE}. A method that is called '{DOUBLED}' has the "
        "scale that was first published, which forgets the normalising sum: it may lose twice the budget."
    )
    return Document(
        "Counts of counties beside a public total, by method",
        (
            Callout("warning", "What this is", (Paragraph(_WHAT),)),
            Section("Results", (Paragraph(said), _results(study))),
            Section("Pictures", tuple(figures_of(study))),
        ),
        subtitle=LABEL,
        small_print=(_WHAT,),
    )


def _small(study: CountyStudy, method: str) -> Floats:
    third = max(1, len(study.months.counties) // 3)
    found: Floats = study.values(method, "relative")[:, :, -third:].mean(axis=2)
    return found


def _results(study: CountyStudy) -> Table:
    rows = []
    for method in study.methods:
        cases, deaths = (study.values(method, what).mean(axis=0) for what in ("cases", "deaths"))
        small = _small(study, method).mean(axis=0)
        rows.append((method, *(f"{a:,.0f} / {b:,.0f} / {c:.2f}" for a, b, c in zip(cases, deaths, small, strict=True))))
    head = ("Method", *(f"epsilon {epsilon:g}" for epsilon in study.epsilons))
    title = "Mean error of cases / of deaths / relative error of cases in the smallest third of counties, over all months"
    return Table(title, head, tuple(rows))


def figures_of(study: CountyStudy) -> list[Curves]:
    """The data, errors by budget, by month and by county, one county's estimates, and what projection contracts."""
    epsilons = list(study.epsilons)
    scale: Literal["logarithmic", "number"] = "logarithmic" if epsilons[-1] >= 4 * epsilons[0] else "number"
    across = Axis("epsilon", scale, epsilons[0], epsilons[-1] if len(epsilons) > 1 else epsilons[0] + 1.0)
    first = f" at epsilon {epsilons[0]:g}"
    names = [month.name for month in study.months.months]
    over = Axis("month, counted from the second of the table", "number", 1.0, float(max(2, len(names))))
    numbers = [float(number) for number in range(1, len(names) + 1)]
    totals = {
        "cases": [float(sum(month.cases)) for month in study.months.months],
        "deaths": [float(sum(month.deaths)) for month in study.months.months],
    }
    by_budget = {method: study.values(method, "cases").mean(axis=0) for method in study.methods}
    by_month = {method: study.values(method, "cases")[:, 0] for method in study.methods}
    groups = np.array_split(np.arange(len(study.months.counties)), min(_GROUPS, len(study.months.counties)))
    by_county = {
        method: [float(study.values(method, "relative")[:, 0, group].mean()) for group in groups]
        for method in study.methods
    }
    counties = [float(number) for number in range(1, len(groups) + 1)]
    ranks = Axis(f"{len(groups)} groups of counties, the largest first", "number", 1.0, float(len(groups)))
    contracted = {
        f"{word}, {group}": shares[:, :, kind].mean(axis=0)
        for kind, word in enumerate(_CONTRACTIONS)
        for group, shares in study.contracted.items()
    }
    return [
        _curves("the counts of the table", over, "people", numbers, totals, logarithmic=True),
        _curves("mean total error of cases, by budget", across, "total error", epsilons, by_budget, True),
        _curves(f"total error of cases, by month{first}", over, "total error", numbers, by_month, True),
        _curves(f"relative error by county{first}", ranks, "mean relative error", counties, by_county, True),
        _shown(study, over, numbers, first),
        _curves("what projection contracts", across, "share of counties", epsilons, contracted, False),
    ]


def _curves(title: str, across: Axis, word: str, places: list[float], lines: dict[str, Any], logarithmic: bool) -> Curves:
    series = tuple(
        Series(name, tuple((x, max(float(y), 1e-3), max(float(y), 1e-3)) for x, y in zip(places, values, strict=True)))
        if logarithmic
        else Series(name, tuple((x, float(y), float(y)) for x, y in zip(places, values, strict=True)))
        for name, values in lines.items()
    )
    return _figure(title, across, word, series, "logarithmic" if logarithmic else "share")


def _shown(study: CountyStudy, over: Axis, numbers: list[float], first: str) -> Curves:
    """What one county gets: the truth and, for a few methods, where nine of ten releases lie."""
    county = study.months.counties[study.shown]
    chosen = [name for name in study.methods if name in ("noise, projected", "congenial", "congenial, alpha 1")]
    series = []
    for method in chosen:
        found = study.values(method, "shown")[:, 0]
        series.append(
            Series(method, tuple((x, float(low), float(high)) for x, (low, _, high) in zip(numbers, found, strict=True)))
        )
    truth = [float(month.cases[study.shown]) for month in study.months.months]
    line = Series("in truth", tuple((x, y, y) for x, y in zip(numbers, truth, strict=True)))
    return _figure(f"cases of {county}, nine of ten releases{first}", over, "cases", tuple(series), "number", line)


def _figure(
    title: str, across: Axis, word: str, series: tuple[Series, ...], scale: Any, reference: Series | None = None
) -> Curves:
    ends = [
        end for one in (*series, *([reference] if reference else ())) for _, low, high in one.points for end in (low, high)
    ]
    places = [point[0] for point in series[0].points]
    some = range(0, len(places), max(1, -(-len(places) // 8)))
    rows = tuple((f"{places[at]:g}", *(f"{0.5 * sum(one.points[at][1:]):.3g}" for one in series)) for at in some)
    start = 0.9 * min(ends) if scale == "logarithmic" else min(0.0, *ends)
    return Curves(
        f"SIMULATION: {title}",
        "Means over releases; bands where an interval is shown.",
        across,
        Axis(word, scale, start, max(*ends, start + 1e-3)),
        series,
        Table(word.capitalize(), (across.label, *(one.label for one in series)), rows),
        reference,
    )
