"""Figures that several reports share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from accountant import Interval
from accountant.numbers import float_above
from accountant.report import (
    Aside,
    Axis,
    Bar,
    Bars,
    Curves,
    Frequencies,
    Frequency,
    KeyFigure,
    KeyFigures,
    Series,
    Statement,
    Table,
    in_a_row,
    say,
)
from accountant_posterior.reports.hand import PLAIN, Hand
from accountant_posterior.reports.view import View, why_not_told, without_noise
from accountant_posterior.reports.wording import number, of_100, out_of_100, unless

_EVEN = Fraction(1, 2)
LEVELS = [
    *(Fraction(step, 10_000) for step in (1, 2, 5)),
    *(Fraction(step, 1000) for step in (1, 2, 5, 10, 15, 20, 30, 40, 50, 65, 80, 100, 125, 150, 175)),
    *(Fraction(step, 40) for step in range(8, 41)),
]
SHOWN_LEVELS = [Fraction(step, 100) for step in (1, 5, 10, 20, 50)]
# Evenly by the logarithm of the odds: a curve bends most near its corners.
PRIORS = [Fraction(round(1e6 / (1 + math.exp(-step / 2.5))), 10**6) for step in range(-28, 29)]
SHOWN_PRIORS = [Fraction(step, 100) for step in (1, 10, 25, 50, 75, 90, 99)]
FACTORS = [Fraction(round(10 ** (step / 8) * 1000), 1000) for step in range(33)]
SHOWN_FACTORS = [Fraction(step) for step in (2, 3, 5, 10, 20, 50, 100, 1000, 10000)]


def selection(seen: tuple[View, ...], told: tuple[View, ...], *, settled: bool = True) -> tuple[Aside, ...]:
    """Which scenarios figures draw, and why not the others, for those who look for theirs; nothing where they draw all.

    With `settled` false those that exact facts settle are not drawn either.
    """
    rows, all_drawn = [], True
    for view in seen:
        why = why_not_told(view, seen, told)
        if why is None and view.settled and not settled:
            why = say("drawn.settled")
        all_drawn = all_drawn and why is None
        rows.append((view.label, say("drawn.yes") if why is None else say("drawn.no", why=why)))
    if all_drawn:
        return ()
    table = Table(say("drawn.title"), (say("column.at_stake"), say("drawn.column")), tuple(rows))
    return (Aside(say("drawn.aside"), (table,)),)


def key_figures(told: Sequence[View], hand: Hand) -> KeyFigures:
    """How often the best guess about each topic is right, beside a coin, and beside what exact tables would allow."""
    return KeyFigures(tuple(_key_figure(view, hand) for view in told))


def _key_figure(view: View, hand: Hand) -> KeyFigure:
    written, bare = hand.guess(view), without_noise(view)
    coin = hand.guessed(Interval.of(_EVEN))
    note = say("card.coin", coin=coin) if bare is None else say("card.coin_and_exact", coin=coin, exact=hand.guessed(bare))
    apart = f" {view.apart}" if view.apart else ""
    return KeyFigure(written.text, say("card.label", topic=view.short), f"{note}.{apart}", written)


def frequencies(seen: Sequence[View], told: Sequence[View]) -> Frequencies:
    """Of a hundred even questions, how many an attacker answers rightly at most: the few that tell most, and all below."""
    ranked = sorted(((view.label, of_100(view.guess), out_of_100(view.guess)) for view in seen), key=lambda row: -row[1])
    (most, highest, top), (least, lowest, bottom) = ranked[0], ranked[-1]
    if len(ranked) == 1:
        said = say("dots.one", count=top, label=most)
    elif lowest == highest:
        said = say("dots.same", count=top)
    else:
        said = say("dots.range", low=bottom, least=least, high=top, most=most)
    drawn = sorted(told, key=lambda view: -of_100(view.guess))
    coin = out_of_100(Interval.of(_EVEN))
    return Frequencies(
        say("dots.title"),
        say("dots.says", said=said),
        tuple(Frequency(view.label, of_100(view.guess)) for view in drawn),
        50,
        (say("dots.by_chance"), say("dots.by_publication"), say("dots.wrong")),
        Table(
            say("dots.table"),
            (say("dots.question"), say("dots.chance_column"), say("dots.publication_column")),
            tuple((label, coin, written) for label, _, written in ranked),
            tuple(PLAIN.guess(view) for view in seen),
        ),
    )


def guesses(seen: Sequence[View], hand: Hand) -> Bars:
    """The share of right guesses, side by side."""
    ranked = sorted(seen, key=lambda view: -view.guess.upper)
    stated = [hand.guess(view) for view in ranked]
    attained = [hand.attained(view) for view in ranked]
    first = say("bars.first", share=stated[0].text, label=ranked[0].label)
    last = say("bars.last", share=stated[-1].text, label=ranked[-1].label) if len(ranked) > 1 else ""
    return Bars(
        say("bars.title"),
        say("bars.says", said=first + last),
        Axis(say("bars.axis"), "share", 0.0, 1.0),
        tuple(Bar(view.label, view.guess.upper, shown.text) for view, shown in zip(ranked, stated, strict=True)),
        Table(
            say("bars.table"),
            (say("column.scenario"), say("bars.attained"), say("column.at_most")),
            tuple(
                (view.label, say("words.unknown") if low is None else low.text, shown.text)
                for view, low, shown in zip(ranked, attained, stated, strict=True)
            ),
            (*stated, *(low for low in attained if low is not None)),
        ),
        (0.5, say("bars.by_chance"), say("bars.by_releases")),
    )


def stated_rows(title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Statement]]]) -> Table:
    """A table of statements, each row under a word of its own."""
    written = tuple((label, *(cell.text for cell in cells)) for label, cells in rows)
    return Table(title, tuple(columns), written, tuple(cell for _, cells in rows for cell in cells))


def beliefs(seen: Sequence[View], failure: Fraction, hand: Hand) -> Curves:
    """Belief before against belief after, with the band in which it stays."""
    rows = [(hand.share(prior), [hand.band(view, prior, failure) for view in seen]) for prior in SHOWN_PRIORS]
    middle = in_a_row(say("words.for", what=hand.band(view, _EVEN, failure).text, label=view.label) for view in seen)
    return Curves(
        say("beliefs.title"),
        say("beliefs.says", cases=cases(seen, failure), middle=middle, even=hand.share(_EVEN)),
        Axis(say("beliefs.before"), "share", 0.0, 1.0),
        Axis(say("beliefs.after"), "share", 0.0, 1.0),
        tuple(
            Series(
                view.label,
                (
                    (0.0, 0.0, 0.0),
                    *((float(prior), (held := view.belief(prior, failure)).lower, held.upper) for prior in PRIORS),
                    (1.0, 1.0, 1.0),
                ),
            )
            for view in seen
        ),
        stated_rows(
            say("beliefs.table", cases=cases(seen, failure)),
            (say("beliefs.before"), *(view.label for view in seen)),
            rows,
        ),
        Series(say("beliefs.nothing_learned"), ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),
    )


def powers(seen: Sequence[View], hand: Hand) -> Curves:
    """The largest power at each level."""
    level = Fraction(1, 20)
    said = in_a_row(say("power.of_time", share=hand.power(view, level).text, label=view.label) for view in seen)
    return Curves(
        say("power.title"),
        say("power.says", level=hand.share(level), said=said),
        Axis(say("power.level_axis"), "share", 0.0, 1.0),
        Axis(say("power.power_axis"), "share", 0.0, 1.0),
        tuple(_upper(view.label, [(float(level), float_above(view.power(level))) for level in LEVELS]) for view in seen),
        stated_rows(
            say("power.table"),
            (say("power.level"), *(view.label for view in seen)),
            [(hand.share(level), [hand.power(view, level) for view in seen]) for level in SHOWN_LEVELS],
        ),
        Series(say("power.ignores"), ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),
    )


def factors(seen: Sequence[View], hand: Hand) -> Curves:
    """How often the belief with someone's record in the data exceeds that without it by a factor."""
    ten = in_a_row(
        say("factors.with_label", share=hand.exceeding(view, Fraction(10)).text, label=view.label) for view in seen
    )
    return Curves(
        say("factors.title"),
        say("factors.says", ten=ten),
        Axis(say("factors.times_axis"), "logarithmic", 1.0, 10_000.0),
        Axis(say("factors.often_axis"), "share", 0.0, 1.0),
        tuple(_upper(view.label, [(float(times), view.exceeding(times)) for times in FACTORS]) for view in seen),
        stated_rows(
            say("factors.table"),
            (say("factors.times"), *(view.label for view in seen)),
            [(number(times), [hand.exceeding(view, times) for view in seen]) for times in SHOWN_FACTORS],
        ),
    )


def cases(seen: Sequence[View], failure: Fraction) -> str:
    """In which cases bounds hold: in all, or in all but a few."""
    if all(view.never_fails(failure) for view in seen):
        return say("cases.every")
    return say("cases.most", share=unless(failure))


def _upper(label: str, points: Sequence[tuple[float, float]]) -> Series:
    return Series(label, tuple((place, value, value) for place, value in points))
