"""Figures by level: who is known at how many levels, and how much the area above helps, as means over all noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from accountant import Interval, InvalidValue
from accountant.numbers import plain
from accountant.report import Axis, Curves, Series, Table
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.mechanisms import scale_of
from accountant_posterior.attacks.cells.study import CellStudy
from accountant_posterior.attacks.cells.summary import Expected, expected
from accountant_posterior.attacks.hierarchy import Level
from accountant_posterior.attacks.hierarchy_attack import HierarchyAttack

_PARENTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)
_READINGS: tuple[tuple[str, Callable[[Expected], Interval]], ...] = (
    ("mean probability afterwards", lambda found: found.posterior),
    ("chance of a right guess", lambda found: found.right),
)


def levels_of(study: CellStudy) -> list[Curves]:
    """Figure 2.7 of the thesis: the attacker knows everybody else in one level of areas, in two, and so on."""
    looked = [table for table in study.tables.looked if table.mechanism is not None]
    levels = sorted({table.level for table in looked})
    if len(levels) < 2 or levels != list(range(len(levels))):
        return []
    found: dict[str, list[Expected]] = {}
    for item in study.followed:
        attacker = Attacker(item.attacker.prior, "levels", present=item.attacker.present)
        means = [expected(attacker, [table for table in looked if table.level <= level]) for level in levels]
        if any(mean is None for mean in means):
            return []
        found[_label(item.attacker.prior)] = [mean for mean in means if mean is not None]
    names = " below ".join(study.cells.places[: len(levels)])
    return [
        _figure(
            f"{word}, by how many levels the attacker knows",
            f"The attacker knows everybody else in so many levels of areas ({names}), and looks at all their tables.",
            "levels known",
            [float(level + 1) for level in levels],
            word,
            {label: [read(one) for one in row] for label, row in found.items()},
        )
        for word, read in _READINGS
    ]


def parents_of(study: CellStudy) -> list[Curves]:
    """Figures 2.5 and 2.6 of the thesis: a target alone in its area, by how many the area above holds in truth."""
    looked = sorted(study.tables.looked, key=lambda table: table.level)
    first = study.followed[0].attacker
    made = [table.mechanism for table in looked if table.mechanism is not None]
    exact = len(made) == len(looked) == 2 and all(one.kind == "discrete-gaussian" for one in made)
    if first.knows != "hierarchy" or first.missing or not exact or any(table.times > 1 for table in looked):
        return []
    siblings = max(1, round(len(study.cells.names[0]) / len(study.cells.names[1])) - 1)
    levels = (Level(scale_of(made[0]), siblings), Level(scale_of(made[1])))
    right: dict[str, list[Interval]] = {}
    try:
        for item in study.followed:
            attack = HierarchyAttack(item.attacker.prior, levels, item.attacker.above)
            right[_label(item.attacker.prior)] = [attack.outlook(parent).correct for parent in _PARENTS]
    except InvalidValue:
        # The mean over all noise is not worked out for every prior of the area above: then nothing is drawn.
        return []
    return [
        _figure(
            "right guesses, by how many the area above holds",
            f"A target who is alone in an area with {siblings} siblings, as many as areas have here on average. Means over "
            "all noise.",
            "people of the kind in the area above",
            [float(parent) for parent in _PARENTS],
            "chance of a right guess",
            right,
        )
    ]


def _label(prior: Fraction) -> str:
    return f"before {plain(prior)}"


def _figure(
    title: str, description: str, label: str, places: list[float], word: str, lines: dict[str, list[Interval]]
) -> Curves:
    series = tuple(
        Series(name, tuple((x, one.lower, one.upper) for x, one in zip(places, values, strict=True)))
        for name, values in lines.items()
    )
    rows = tuple((f"{x:g}", *(values[at].shown(3) for values in lines.values())) for at, x in enumerate(places))
    return Curves(
        f"SIMULATED ATTACK: {title}",
        description,
        Axis(label, "number", places[0], places[-1]),
        Axis(word, "share", 0.0, 1.0),
        series,
        Table(word.capitalize(), (label, *lines), rows),
    )
