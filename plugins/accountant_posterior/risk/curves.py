"""Curves of risk profiles: what each tolerates at every prior, and the epsilon that this admits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from accountant import Interval
from accountant.commands import Form, new_folder, write_page, write_table
from accountant.report import Axis, Bar, Bars, Callout, Curves, Document, Paragraph, Section, Series, Table
from accountant_posterior.risk.bounds import largest_epsilon
from accountant_posterior.risk.profile import Ceiling, Profile

_STEPS = 100
_SLICES = (Fraction(1, 4), Fraction(1, 2), Fraction(1))
_HIGHEST = 20.0
"""Ratios beyond this are not drawn: a prior that goes to 0 would leave nothing else to be seen."""
_WHAT = (
    "At each prior, the largest ratio of posterior to prior that a profile tolerates, and the largest epsilon of pure "
    "differential privacy that keeps to it there. What is recommended is the smallest epsilon over all priors; where a "
    "curve is missing, any epsilon will do."
)

Line = tuple[str, Profile, str, Fraction]
"""A label, a profile, which of the two priors varies, and what the other one is."""


def write_curves(
    profiles: Sequence[tuple[str, Profile]],
    folder: Path,
    form: Form,
    answer: Mapping[str, Any],
    distances: Sequence[int] = (),
) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    labels = [label for label, _ in profiles]
    compared = bars_of(labels, answer["recommendations"], distances) if len(profiles) > 1 else []
    figures: list[Curves | Bars] = [*figures_of(profiles), *compared]
    rows: dict[str, list[Any]] = {"profile": [], "varies": [], "prior": [], "other": [], "tolerated": [], "epsilon": []}
    for label, profile, varies, other in _lines(profiles):
        for prior in _priors():
            tolerated, epsilon = _at(profile, varies, prior, other)
            values = (label, varies, float(prior), float(other), tolerated.upper, epsilon.lower)
            for column, value in zip(rows.values(), values, strict=True):
                column.append(value)
    page = Document(
        "Risk profiles",
        (Callout("note", "What this is", (Paragraph(_WHAT),)), Section("Pictures", tuple(figures))),
        subtitle="what is tolerated, and the epsilon that it admits",
        small_print=(_WHAT,),
    )
    with new_folder(folder) as draft:
        write_table(rows, draft / f"profile-curves.{form}", form)
        write_page("profile", draft, answer, page, figures)


def figures_of(profiles: Sequence[tuple[str, Profile]]) -> list[Curves]:
    """What is tolerated, and the epsilon that is admitted, over the prior that varies: membership, or the value."""
    found = []
    lines = list(_lines(profiles))
    for varies in dict.fromkeys(line[2] for line in lines):
        chosen = [line for line in lines if line[2] == varies]
        for place, word in enumerate(("tolerated posterior over prior", "admitted epsilon")):
            series = tuple(_series(line, place) for line in chosen)
            found.append(_figure(word, varies, tuple(one for one in series if one.points)))
    return [figure for figure in found if figure.series]


def bars_of(labels: Sequence[str], found: Sequence[Mapping[str, Any]], distances: Sequence[int]) -> list[Bars]:
    """Figure 3.2 of the thesis: for each profile its epsilon, and what that leaves of a count with geometric noise."""
    wanted: list[tuple[str, str, list[float]]] = [
        ("recommended epsilon", "number", [float(one["epsilon"]["lower"]) for one in found])
    ]
    counted = [one["count"] for one in found if "count" in one]
    if len(counted) == len(found):
        wanted.append(("deviation of a noisy count, in people", "number", [float(one["deviation"]) for one in counted]))
        for place, distance in enumerate(distances):
            word = f"chance that a count {distance} from a threshold lands on it or beyond"
            wanted.append((word, "share", [float(one["turned"][place]) for one in counted]))
    return [_bars(word, scale, labels, values) for word, scale, values in wanted if all(map(math.isfinite, values))]


def _bars(word: str, scale: str, labels: Sequence[str], values: Sequence[float]) -> Bars:
    shown = [f"{value:.4g}" for value in values]
    return Bars(
        f"RISK PROFILES: {word}",
        "One bar for each profile.",
        Axis(word, "share" if scale == "share" else "number", 0.0, 1.05 * max(values)),
        tuple(Bar(*one) for one in zip(labels, values, shown, strict=True)),
        Table(word.capitalize(), ("Profile", word), tuple(zip(labels, shown, strict=True))),
    )


def _lines(profiles: Sequence[tuple[str, Profile]]) -> list[Line]:
    found: list[Line] = []
    for label, profile in profiles:
        box = profile.box if isinstance(profile, Ceiling) else None
        if box is not None and box.disclosure[0] == box.disclosure[1]:
            found.append((label, profile, "membership", box.disclosure[0]))
        elif box is not None and box.membership[0] == box.membership[1]:
            found.append((label, profile, "disclosure", box.membership[0]))
        else:
            found += [(f"{label}, membership {other}", profile, "disclosure", other) for other in _SLICES]
    return found


def _priors() -> list[Fraction]:
    return [Fraction(step, _STEPS) for step in range(1, _STEPS + 1)]


def _at(profile: Profile, varies: str, prior: Fraction, other: Fraction) -> tuple[Interval, Interval]:
    """What is tolerated at two priors, and the epsilon that it admits; both infinite where nothing is asked."""
    pair = (prior, other) if varies == "membership" else (other, prior)
    tolerated = profile.tolerance(*pair)
    if math.isinf(tolerated.upper) or not profile.asks(*pair):
        return Interval.infinite(), Interval.infinite()
    return tolerated, largest_epsilon(*pair, Fraction(tolerated.lower), profile.view.steps)


def _series(line: Line, place: int) -> Series:
    label, profile, varies, other = line
    points = []
    for prior in _priors():
        value = _at(profile, varies, prior, other)[place]
        if value.upper < _HIGHEST:
            points.append((float(prior), value.lower, value.upper))
    return Series(label, tuple(points))


def _figure(word: str, varies: str, series: tuple[Series, ...]) -> Curves:
    named = {"membership": "prior of membership", "disclosure": "prior of the sensitive value"}[varies]
    most = max((point[2] for one in series for point in one.points), default=1.0)
    rows = tuple(
        (f"{at:g}", *(next((f"{low:.4g}" for x, low, _ in one.points if abs(x - at) < 1e-9), "any") for one in series))
        for at in (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
    )
    return Curves(
        f"RISK PROFILE: {word}, by the {named}",
        "One curve for each profile; where one is missing, or beyond 20, it is not drawn.",
        Axis(named, "share", 0.0, 1.0),
        Axis(word, "number", 0.0, most),
        series,
        Table(word.capitalize(), (named, *(one.label for one in series)), rows),
    )
