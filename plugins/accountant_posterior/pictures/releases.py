"""Beliefs over a sequence of releases: between which ends they stay if everything is released again and again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from accountant import Interval, InvalidValue
from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture, read
from accountant_posterior.pictures.spoken import spoken_of
from accountant_posterior.reports.view import View, repeated
from accountant_posterior.semantics.adversary import STRONG
from accountant_posterior.semantics.odds import updated, written
from accountant_posterior.semantics.semantics import Semantics

COUNTS = tuple(Fraction(count) for count in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 26, 32))
PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))
_SUSPICION = Fraction(1, 10)
_FAILURES = (Fraction(0), Fraction(1, 20))
_WORDS = ("releases", "belief")


def picture(view: View) -> Picture:
    """A panel for each prior."""
    held = _held(view)
    panels = tuple(_panel(view, held, prior, f"Believed beforehand: {written(prior)}") for prior in PRIORS)
    return Picture("releases", "Beliefs over a sequence of releases", tuple(_says([view], panels)), panels)


def multiples(views: Sequence[View]) -> Picture:
    """A panel for each scenario, at one prior."""
    panels = tuple(_panel(view, _held(view), _SUSPICION, view.label) for view in views)
    title = f"Beliefs over a sequence of releases, from {written(_SUSPICION)} beforehand, by scenario"
    return Picture("scenarios-releases", title, tuple(_says(views, panels)), panels)


def _held(view: View) -> dict[Fraction, Semantics]:
    return {count: Semantics(repeated(view, int(count)).account) for count in COUNTS}


def _says(views: Sequence[View], panels: Sequence[Panel]) -> Iterator[str]:
    yield (
        "Everything is released as many times as the axis across says, from the same data, with fresh noise each time. It "
        f"is about an attacker {STRONG.who}, for what is at stake."
    )
    if any(line.standing == "simulation" for panel in panels for line in panel.lines):
        yield (
            "SIMULATED ATTACKER: the mean belief of one who sees the outputs themselves, where the secret is true; it is "
            "no guarantee, and others may come to believe more."
        )
    yield from spoken_of(views)


def _panel(view: View, held: Mapping[Fraction, Semantics], prior: Fraction, title: str) -> Panel:
    lines = []
    for failure in _FAILURES:
        gains = {count: meaning.gain(failure).larger for count, meaning in held.items()}
        if all(math.isinf(gain.upper) for gain in gains.values()):
            continue
        sure = "always" if not failure else f"except with probability {written(failure)}"
        for word, up in (("largest", True), ("smallest", False)):
            reach = partial(_moved, prior, gains, up)
            curve = read(view.account, "posterior", _WORDS, COUNTS, reach, "grows" if up else "falls")
            lines.append(DrawnLine(f"{word} belief, {sure}", curve))
    return Panel(title, "times released", "belief afterwards", (*lines, *_seen(view, held, prior)), shares=True)


def _moved(prior: Fraction, gains: Mapping[Fraction, Interval], up: bool, count: Fraction) -> Interval:
    """The belief where evidence goes as far up, or down, as a gain that is known from both sides."""
    gain = gains[count]
    ends = (gain.lower, gain.upper) if up else (-gain.upper, -gain.lower)
    low, high = (updated(prior, Interval(end, end)) for end in ends)
    return Interval(low.lower, high.upper)


def _seen(view: View, held: Mapping[Fraction, Semantics], prior: Fraction) -> Iterator[DrawnLine]:
    """The mean belief of one attacker, where the law of the outputs themselves is known."""
    counts = COUNTS[::2]
    try:
        if any(held[count].law(prior).dominating for count in counts[:1]):
            return
        means = {count: held[count].law(prior).mean() for count in counts}
    except InvalidValue:
        return
    curve = read(view.account, "posterior", _WORDS, counts, means.__getitem__, "grows")
    yield DrawnLine("SIMULATED ATTACKER: mean belief", curve, "simulation")
