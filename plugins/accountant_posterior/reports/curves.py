"""Curves of the composed loss, for the technical report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from accountant.report import Axis, Curves, Paragraph, Section, Series, Statement, Table, in_a_row, say
from accountant_posterior.reports.figures import powers, selection
from accountant_posterior.reports.hand import PRECISE
from accountant_posterior.reports.view import View
from accountant_posterior.reports.wording import decimal, number

_DELTAS = [Fraction(1, 10) ** power for power in (1, 2, 4, 6, 8)]
_LEAST_DELTA = 1e-8
_PLACES = 32
_LEVELS = [Fraction(step, 1000) for step in (10, 50, 100, 500, 900)]


def curves(seen: tuple[View, ...], chosen: tuple[View, ...]) -> Section:
    """Three readings of one loss. Where exact facts settle the answer no loss is compared with any other."""
    told = [view for view in chosen if not view.settled]
    title = say("technical.curves.title")
    if not told:
        return Section(title, (Paragraph(say("technical.curves.none")),))
    return Section(
        title,
        (
            Paragraph(say("technical.curves.says")),
            *selection(seen, chosen, settled=False),
            _approximate(told),
            _power(told),
            _bounded(told),
        ),
    )


def _approximate(told: Sequence[View]) -> Curves:
    whole = told[0]
    ends = [(delta, whole.account.measure("approx", delta=delta).value) for delta in _DELTAS]
    farthest = next((value.upper for _, value in reversed(ends) if value.upper < math.inf), 0.0) or 1.0
    places = [Fraction(math.ceil(1000 * farthest * step / _PLACES), 1000) for step in range(_PLACES + 1)]
    return Curves(
        say("technical.approx.title"),
        say(
            "technical.approx.says",
            labels=in_a_row(view.label for view in told),
            delta=number(_DELTAS[-1], 3),
            epsilon=number(ends[-1][1].upper, 7),
        ),
        Axis("epsilon", "number", 0.0, farthest),
        Axis(say("technical.approx.axis"), "logarithmic", _LEAST_DELTA, 1.0),
        tuple(_slack(view, places) for view in told),
        Table(
            say("technical.approx.table", label=whole.label),
            ("delta", say("column.at_least"), say("column.at_most")),
            tuple((number(delta, 3), number(value.lower, 7, up=False), number(value.upper, 7)) for delta, value in ends),
            read_off(whole, "approx", [(decimal(value.upper, 7), {"delta": delta}) for delta, value in ends]),
        ),
    )


def _slack(view: View, places: Sequence[Fraction]) -> Series:
    """As far as the drawing reaches."""
    points = []
    for place in places:
        slack = view.slack(place)
        points.append((float(place), slack, slack))
        if slack < _LEAST_DELTA:
            break
    return Series(view.label, tuple(points))


def _power(told: Sequence[View]) -> Curves:
    whole = told[0]
    ends = [(level, whole.account.measure("fdp", level=level).value) for level in _LEVELS]
    drawn = powers(told, PRECISE)
    at = Fraction(1, 20)
    upper = number(dict(ends)[at].upper, 7)
    return Curves(
        say("technical.power.title"),
        say("technical.power.says", level=number(at), power=upper, label=whole.label),
        Axis(say("technical.power.level"), "share", 0.0, 1.0),
        Axis(say("technical.power.axis"), "share", 0.0, 1.0),
        drawn.series,
        Table(
            say("technical.power.table", label=whole.label),
            (say("technical.power.level"), say("column.at_least"), say("column.at_most")),
            tuple((number(level, 4), number(value.lower, 7, up=False), number(value.upper, 7)) for level, value in ends),
            read_off(whole, "fdp", [(decimal(value.upper, 7), {"level": level}) for level, value in ends]),
        ),
        drawn.reference,
    )


def _bounded(told: Sequence[View]) -> Curves:
    deltas = [Fraction(1, 10) ** power * share for power in range(1, 7) for share in (5, 2, 1)]
    largest = max((view.rarely_beyond(deltas[-1]) for view in told), default=1.0)
    return Curves(
        say("technical.bounded.title"),
        say("technical.bounded.says"),
        Axis("delta", "logarithmic", 1e-6, 1.0),
        Axis(say("technical.bounded.axis"), "number", 0.0, None if math.isinf(largest) else largest * 1.05),
        tuple(
            Series(
                view.label,
                tuple((float(delta), value, value) for delta in deltas for value in (view.rarely_beyond(delta),)),
            )
            for view in told
        ),
        Table(
            say("technical.bounded.table"),
            ("delta", *(view.label for view in told)),
            tuple((number(delta, 3), *(number(view.rarely_beyond(delta), 6) for view in told)) for delta in deltas[2::3]),
            tuple(
                statement
                for view in told
                for delta in deltas[2::3]
                for statement in read_off(view, "pbdp", [(decimal(view.rarely_beyond(delta), 6), {"delta": delta})])
            ),
        ),
    )


def read_off(view: View, name: str, written: Sequence[tuple[str, Mapping[str, Fraction]]]) -> tuple[Statement, ...]:
    """What values of a definition say, as they are written; no bound says nothing."""
    definition = view.definition(name)
    return tuple(
        Statement(number(Fraction(text), 12), view.comparison, definition.quantity(at), Fraction(text), at)
        for text, at in written
        if text != "infinite"
    )
