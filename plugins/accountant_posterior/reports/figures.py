"""Figures that several reports share."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from accountant.numbers import float_above
from accountant.plugin import joined
from accountant.report import (
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
)
from accountant_posterior.reports.said import EXCEEDING, GUESS, POWER, at_least, at_most, stays_within
from accountant_posterior.reports.view import View, why_not_told
from accountant_posterior.reports.wording import between, number, of_100, percent, unless

LEVELS = [Fraction(step, 1000) for step in (1, 2, 5, 10, 15, 20, 30, 40, 50, 65, 80, 100, 125, 150, 175)] + [
    Fraction(step, 40) for step in range(8, 40)
]
SHOWN_LEVELS = [Fraction(step, 100) for step in (1, 5, 10, 20, 50)]
PRIORS = [Fraction(step, 100) for step in (1, 2, 3, 5, 7, *range(10, 91, 5), 93, 95, 97, 98, 99)]
SHOWN_PRIORS = [Fraction(step, 100) for step in (1, 10, 25, 50, 75, 90, 99)]
FACTORS = [Fraction(round(10 ** (step / 8) * 1000), 1000) for step in range(33)]
SHOWN_FACTORS = [Fraction(step) for step in (2, 3, 5, 10, 20, 50, 100, 1000, 10000)]


def selection(seen: tuple[View, ...], told: tuple[View, ...], *, settled: bool = True) -> tuple[Table, ...]:
    """Which scenarios figures draw, and why not the others; nothing where they draw all.

    With `settled` false those that exact facts settle are not drawn either.
    """
    rows = []
    for view in seen:
        why = why_not_told(view, seen, told)
        if why is None and view.settled and not settled:
            why = "what is published exactly settles it, so there is no curve"
        rows.append((view.label, view.name or "—", "drawn" if why is None else f"not drawn: {why}"))
    if all(row[2] == "drawn" for row in rows):
        return ()
    title = "Which scenarios the figures draw: more than a few curves cannot be told apart"
    return (Table(title, ("at stake", "scenario", "in figures"), tuple(rows)),)


def key_figures(told: Sequence[View]) -> KeyFigures:
    """How often the best guess about each topic is right, beside a coin."""
    return KeyFigures(
        tuple(
            KeyFigure(
                written := f"{of_100(view.guess)} of 100",
                f"right guesses about {view.topic}, at most",
                "tossing a coin: 50 of 100",
                at_most(written, view.comparison, GUESS),
            )
            for view in told
        )
    )


def frequencies(seen: Sequence[View], topics: str) -> Frequencies:
    """Of a hundred even questions, how many an attacker answers rightly at most."""
    counts = [(view.label, of_100(view.guess)) for view in seen]
    ranked = sorted(counts, key=lambda item: -item[1])
    (most, highest), (least, lowest) = ranked[0], ranked[-1]
    if len(ranked) == 1:
        said = f"{highest} of 100 times about {most}"
    elif lowest == highest:
        said = f"{highest} of 100 times, whatever the question is about"
    else:
        said = f"{lowest} of 100 times ({least}) to {highest} of 100 times ({most}), depending on {topics}"
    return Frequencies(
        "Right guesses out of 100, at most",
        "Each dot is one question with two equally likely answers. A coin is right 50 times out of 100. With "
        f"everything that is published, the best possible guesses are right at most {said}.",
        tuple(Frequency(label, count) for label, count in ranked),
        50,
        ("right by chance", "right because of the publication, at most", "wrong, at least"),
        Table(
            "Of 100 questions with two equally likely answers",
            ("question about", "right by chance, of 100", "right with the publication, at most"),
            tuple((label, "50", f"{count} of 100") for label, count in ranked),
            tuple(at_most(f"{of_100(view.guess)} of 100", view.comparison, GUESS) for view in seen),
        ),
    )


def guesses(seen: Sequence[View]) -> Bars:
    """The share of right guesses, side by side."""
    ranked = sorted(seen, key=lambda view: -view.guess.upper)
    said = f"{percent(ranked[0].guess.upper, up=True)} of the time for {ranked[0].label}"
    if len(ranked) > 1:
        said += f", and {percent(ranked[-1].guess.upper, up=True)} for {ranked[-1].label}"
    return Bars(
        "How often the best possible guess is right, at most",
        "For a question with two equally likely answers. A coin is right half of the time; the best use of all releases is "
        f"right at most {said}.",
        Axis("right guesses", "share", 0.0, 1.0),
        tuple(Bar(view.label, view.guess.upper, percent(view.guess.upper, up=True)) for view in ranked),
        Table(
            "Right guesses about an even question",
            ("scenario", "some attacker attains", "at most"),
            tuple((view.label, _attained(view) or "not known", percent(view.guess.upper, up=True)) for view in ranked),
            (
                *(at_most(percent(view.guess.upper, up=True), view.comparison, GUESS) for view in ranked),
                *(at_least(low, view.comparison, GUESS) for view in ranked if (low := _attained(view)) is not None),
            ),
        ),
        (0.5, "a coin would be right", "right because of the releases, at most"),
    )


def _attained(view: View) -> str | None:
    """The share of right guesses that somebody attains; None where that is not known.

    Who only claims or states how much is lost may lose less, datasets that are told apart best need not agree on what is
    exact, and those that one release tells apart best need not be those of another.
    """
    compared, releases = view.comparison, view.account.plan.releases
    known = len(releases) == 1 and releases[0].query is not None and not releases[0].query.stated
    return percent(view.guess.lower, up=False) if known and not (compared.claimed or compared.invariants) else None


def band(view: View, prior: Fraction, failure: Fraction) -> Statement:
    """Between which ends a belief stays, but with some probability, as it is written."""
    return stays_within(between(view.belief(prior, failure)), view.comparison, prior, failure_of(view, failure))


def failure_of(view: View, failure: Fraction) -> Fraction:
    """The chance with which a bound may fail that is allowed to fail with some probability."""
    return Fraction(0) if view.never_fails(failure) else failure


def power_of(view: View, level: Fraction) -> Statement:
    """The largest power of a test at a level, as it is written."""
    return at_most(percent(view.power(level), up=True), view.comparison, POWER, level=level)


def exceeding(view: View, times: Fraction) -> Statement:
    """How often at most the belief in the truth grows by more than a factor, as it is written."""
    return at_most(percent(view.exceeding(times), up=True), view.comparison, EXCEEDING, times=times)


def stated_rows(title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Statement]]]) -> Table:
    """A table of statements, each row under a word of its own."""
    written = tuple((label, *(cell.text for cell in cells)) for label, cells in rows)
    return Table(title, tuple(columns), written, tuple(cell for _, cells in rows for cell in cells))


def beliefs(seen: Sequence[View], failure: Fraction) -> Curves:
    """Belief before against belief after, with the band in which it stays."""
    rows = [(percent(prior, up=True), [band(view, prior, failure) for view in seen]) for prior in SHOWN_PRIORS]
    middle = joined(f"{between(seen_view.belief(Fraction(1, 2), failure))} for {seen_view.label}" for seen_view in seen)
    return Curves(
        "What someone believes before, and may believe after",
        f"Each band holds the belief afterwards {cases(seen, failure)}. Someone who starts out at 50% stays "
        f"within {middle}. Nearer to the dotted line means less learned.",
        Axis("belief before", "share", 0.0, 1.0),
        Axis("belief after", "share", 0.0, 1.0),
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
            f"Belief after the publication, {cases(seen, failure)}", ("belief before", *(view.label for view in seen)), rows
        ),
        Series("nothing learned", ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),
    )


def powers(seen: Sequence[View]) -> Curves:
    """The largest power at each level."""
    said = joined(f"{percent(view.power(Fraction(1, 20)), up=True)} of the time for {view.label}" for view in seen)
    return Curves(
        "How well the best test can tell the two answers apart",
        f"A test that raises a false alarm 5% of the time detects the truth at most {said}. A test that ignores the data "
        "lies on the dotted line.",
        Axis("false alarms (significance level)", "share", 0.0, 1.0),
        Axis("detections (power), at most", "share", 0.0, 1.0),
        tuple(_upper(view.label, [(float(level), float_above(view.power(level))) for level in LEVELS]) for view in seen),
        stated_rows(
            "Largest power of any test",
            ("significance level", *(view.label for view in seen)),
            [(percent(level, up=True), [power_of(view, level) for view in seen]) for level in SHOWN_LEVELS],
        ),
        Series("a test that ignores the data", ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),
    )


def factors(seen: Sequence[View]) -> Curves:
    """How often the belief with someone's record in the data exceeds that without it by a factor."""
    ten = joined(f"{percent(view.exceeding(Fraction(10)), up=True)} ({view.label})" for view in seen)
    return Curves(
        "How much more is learned because the record is there",
        f"How often, at most, the belief in the truth is more than ten times what it would be in the second world: {ten}.",
        Axis("times as probable as in the second world", "logarithmic", 1.0, 10_000.0),
        Axis("how often that is exceeded, at most", "share", 0.0, 1.0),
        tuple(_upper(view.label, [(float(times), view.exceeding(times)) for times in FACTORS]) for view in seen),
        stated_rows(
            "How often, at most, the belief in the truth is more than so many times what it would be in the second world",
            ("times", *(view.label for view in seen)),
            [(number(times), [exceeding(view, times) for view in seen]) for times in SHOWN_FACTORS],
        ),
    )


def cases(seen: Sequence[View], failure: Fraction) -> str:
    """In which cases bounds hold: in all, or in all but a few."""
    return "in every case" if all(view.never_fails(failure) for view in seen) else f"in at least {unless(failure)} cases"


def _upper(label: str, points: Sequence[tuple[float, float]]) -> Series:
    return Series(label, tuple((place, value, value) for place, value in points))
