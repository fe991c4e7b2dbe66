"""The page of a study: what was found, with figures, and above all what it is not."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from accountant import Interval
from accountant.commands import visible
from accountant.numbers import plain
from accountant.plugin import Mechanism
from accountant.report import (
    Axis,
    Bar,
    Bars,
    Callout,
    Curves,
    Document,
    KeyFigure,
    KeyFigures,
    Paragraph,
    Section,
    Series,
    Table,
)
from accountant_posterior.attacks.cells.answer import risk, truth_of, words_of
from accountant_posterior.attacks.cells.attacker import Attacker, Looked
from accountant_posterior.attacks.cells.level_figures import levels_of, parents_of
from accountant_posterior.attacks.cells.run import beliefs_of
from accountant_posterior.attacks.cells.study import CellStudy, Followed
from accountant_posterior.attacks.cells.summary import by_area, expected
from accountant_posterior.attacks.cells.weights import Missed

_SHOWN = 15
_STEPS = 8
_FACTORS = (
    *(Fraction(2) ** power * (1 + Fraction(step, _STEPS)) for power in range(-4, 4) for step in range(_STEPS)),
    Fraction(16),
)
"""By how much noise is divided: powers of two, which the table has, and places between them, since guesses jump."""
_NOT = (
    "This follows one attacker with declared beliefs through noise that was drawn for this page. It is no guarantee: "
    "somebody who knows more, or looks at more, may learn more. What no attacker can exceed is what the plan promises."
)


_JUMPS = " It jumps where another count is the first at which presence is guessed, so that less noise may make it smaller."


def figures_of(study: CellStudy, level: int) -> list[Curves | Bars]:
    """The figures of a study, each with the table behind it."""
    finest = max(
        (table for table in study.tables.looked if table.level == 0 and table.mechanism is not None),
        key=lambda table: len(table.columns),
        default=None,
    )
    found: list[Curves | Bars] = [_distribution(study), _areas(study, level)]
    if finest is not None and finest.mechanism is not None:
        found += [_released(study.followed, finest), *_noise(study.followed, finest, finest.mechanism)]
    return [*found, *levels_of(study), *parents_of(study)]


def document_of(study: CellStudy, level: int) -> Document:
    """The page."""
    first = study.followed[0]
    attacker = first.attacker
    return Document(
        f"Simulated attack: {study.plan.title}",
        (
            Callout("simulation", "What this is", (Paragraph(_NOT),)),
            KeyFigures(
                (
                    KeyFigure(f"{first.outcome.cells:,}", f"cells with at most {study.rarest:,} people were attacked"),
                    KeyFigure(
                        _between(first.outcome.mean),
                        "is the attacker's mean probability afterwards",
                        f"{_number(attacker.prior)} beforehand",
                    ),
                    KeyFigure(_between(first.outcome.right), "of the attacker's guesses are right"),
                )
            ),
            Section(
                "Who attacks",
                (
                    Paragraph(
                        f"The attacker {words_of(attacker)}. In truth {truth_of(attacker)}. Noise was drawn with seed "
                        f"{study.seed}, so that the same can be computed again."
                    ),
                    _tables(study),
                    _results(study),
                    *_over_all_noise(study),
                ),
            ),
            Section("Pictures", tuple(figures_of(study, level))),
        ),
        subtitle="simulated attack, not a guarantee",
        small_print=(_NOT,),
    )


def _tables(study: CellStudy) -> Table:
    rows = tuple((item.table, item.place, f"{item.cells:,}", f"{item.unique:,}", f"{item.rare:,}") for item in study.rare)
    head = ("Table that is looked at", "Areas", "Cells", "One person", f"At most {study.rarest:,}")
    return Table("How many cells hold somebody who is unique, or rare", head, rows)


def _results(study: CellStudy) -> Table:
    rows = tuple(
        (
            _number(item.attacker.prior),
            _between(item.outcome.mean),
            _between(item.outcome.largest),
            _between(risk(item.outcome.mean, item.attacker)),
            _between(item.outcome.right),
        )
        for item in study.followed
    )
    head = ("Before", "Mean after", "Largest after", "Mean risk", "Right guesses")
    return Table("What the attacker ends up with, by what it believes beforehand", head, rows)


def _over_all_noise(study: CellStudy) -> tuple[Table | Paragraph, ...]:
    """The means over all noise: worked out, estimated, or said to be neither."""
    rows: list[tuple[str, ...]] = []
    for item in study.followed:
        before, exact, drawn = _number(item.attacker.prior), item.expected, item.estimated
        if exact is not None:
            rows.append((before, _between(exact.posterior), _between(exact.right), "worked out"))
        if drawn is not None:
            means = ((drawn.posterior, drawn.posterior_error), (drawn.right, drawn.right_error))
            told = (f"{_between(mean)} (error {error:.1g})" for mean, error in means)
            rows.append((before, *told, f"estimated from {drawn.draws:,} draws"))
    if not rows:
        return (Paragraph("The mean over all noise is not worked out for this attacker; more draws would estimate it."),)
    return (Table("On average over all noise", ("Before", "Mean after", "Right guesses", "How it is known"), tuple(rows)),)


def _distribution(study: CellStudy) -> Curves:
    """Which share of the cells has at most so much."""
    shares = [step / 40 for step in range(41)]
    series = []
    for item in study.followed:
        ends = [np.quantile(values, shares, method="lower") for values in (item.found.lower, item.found.upper)]
        points = tuple((share, float(low), float(high)) for share, low, high in zip(shares, *ends, strict=True))
        series.append(Series(f"before {_number(item.attacker.prior)}", points))
    rows = tuple(
        (f"{100 * shares[place]:g} %", *(_between(Interval(*item.points[place][1:])) for item in series))
        for place in range(0, 41, 10)
    )
    table = Table("Probability that at most this share of cells stays below", ("Cells", *(s.label for s in series)), rows)
    return Curves(
        "SIMULATED ATTACK: the attacker's probability afterwards, over all cells",
        "Cells in the order of what the attacker believes about them afterwards.",
        Axis("share of cells", "share", 0.0, 1.0),
        Axis("probability afterwards", "share", 0.0, 1.0),
        tuple(series),
        table,
    )


def _areas(study: CellStudy, level: int) -> Bars:
    item = study.followed[0]
    told = by_area(item.found, study.cells, level, item.attacker.present)[:_SHOWN]
    bars = tuple(Bar(visible(name), outcome.mean.upper, _between(outcome.mean)) for name, outcome in told)
    rows = tuple(
        (visible(name), f"{outcome.cells:,}", _between(outcome.mean), _between(outcome.largest), _between(outcome.right))
        for name, outcome in told
    )
    place = study.cells.places[level]
    head = (place, "Cells", "Mean after", "Largest after", "Right guesses")
    return Bars(
        f"SIMULATED ATTACK: the mean probability afterwards in each {place}",
        f"The {len(told)} areas in which it is largest, for an attacker with {_number(item.attacker.prior)} beforehand.",
        Axis("mean probability afterwards", "share", 0.0, 1.0),
        bars,
        Table(f"The areas with the largest mean, by {place}", head, rows),
        (float(item.attacker.prior), "believed beforehand", "learned"),
    )


def _released(followed: Sequence[Followed], finest: Looked) -> Curves:
    """Figure 2.1 of the thesis: the belief after each number that may be released, nobody else being counted."""
    reach = min(finest.noise.reach(-7.0), 40)
    places = np.arange(-reach, reach + 2, dtype=np.float64)
    series = []
    for item in followed:
        beliefs = beliefs_of(item.attacker.prior, [finest.noise], [places], None, Missed())
        ends = zip(places, *beliefs.posterior(), strict=True)
        points = tuple((float(place), float(low), float(high)) for place, low, high in ends)
        series.append(Series(f"before {_number(item.attacker.prior)}", points))
    shown = [place for place in range(len(places)) if -2 <= places[place] <= 6]
    rows = tuple((f"{places[k]:g}", *(_between(Interval(*item.points[k][1:])) for item in series)) for k in shown)
    return Curves(
        "SIMULATED ATTACK: what one noisy count does to a belief",
        f"The belief that the target is there after the noisy count of '{finest.name}', where nobody else is counted.",
        Axis("released count, less those who are known", "number", float(places[0]), float(places[-1])),
        Axis("probability afterwards", "share", 0.0, 1.0),
        tuple(series),
        Table("Probability afterwards, by what is released", ("Released", *(s.label for s in series)), rows),
    )


def _noise(followed: Sequence[Followed], finest: Looked, mechanism: Mechanism) -> list[Curves]:
    """Figures 2.2 and 2.3 of the thesis: means over all noise, as the noise of the finest table is scaled."""
    posterior, right = [], []
    for item in followed:
        first: list[tuple[float, float, float]] = []
        second: list[tuple[float, float, float]] = []
        alone = Attacker(item.attacker.prior, present=item.attacker.present)
        for factor in _FACTORS:
            table = Looked(finest.name, 0, finest.columns, finest.noise, 1, mechanism.scaled(1 / factor))
            mean = expected(alone, [table])
            assert mean is not None
            first.append((float(factor), mean.posterior.lower, mean.posterior.upper))
            second.append((float(factor), mean.right.lower, mean.right.upper))
        label = f"before {_number(item.attacker.prior)}"
        posterior.append(Series(label, tuple(first)))
        right.append(Series(label, tuple(second)))
    figures = (
        ("the attacker's mean probability if the noise were other", "mean probability afterwards", posterior, ""),
        ("right guesses if the noise were other", "chance of a right guess", right, _JUMPS),
    )
    told = f"Noise of '{finest.name}' divided by the number on the axis; at 1 it is as planned. Means over all noise."
    return [
        Curves(
            f"SIMULATED ATTACK: {title}",
            f"{told}{more}",
            Axis("noise divided by", "logarithmic", float(_FACTORS[0]), float(_FACTORS[-1])),
            Axis(word, "share", 0.0, 1.0),
            tuple(series),
            Table(
                word.capitalize(),
                ("Noise divided by", *(one.label for one in series)),
                tuple(
                    (f"{float(factor):g}", *(_between(Interval(*one.points[place][1:])) for one in series))
                    for place, factor in enumerate(_FACTORS)
                    if place % _STEPS == 0
                ),
            ),
        )
        for title, word, series, more in figures
    ]


def _number(value: Fraction) -> str:
    return plain(value)


def _between(value: Interval) -> str:
    return value.shown(3)
