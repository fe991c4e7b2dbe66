"""Pictures of a line: where it runs over each regressor, and which slopes go with which intercept."""

from __future__ import annotations

import numpy as np

from accountant.loss import Floats
from accountant.report import Axis, Curves, Series, Table
from accountant_posterior.inference.answer import SHARES, Inferred, shown
from accountant_posterior.inference.lines.problem import LineProblem
from accountant_posterior.inference.together import together

_PLACES, _DRAWS = 41, 20_000


def line_figures(item: Inferred, problem: LineProblem) -> list[Curves]:
    """For every regressor where the line runs, and its slope beside the value of the line in the middle of the bounds."""
    draws = np.array([one.draws.ravel() for one in item.parameters[: problem.seen.coefficients]])
    found = []
    for regressor in range(1, problem.seen.coefficients):
        found += [_band(item, problem, draws, regressor), _joint(item, problem, draws, regressor)]
    return found


def _middle(problem: LineProblem) -> Floats:
    """The middle of the bounds of each regressor, with a one in front."""
    seen = problem.seen
    return np.array([1.0, *(float(low + high) / 2 for low, high in zip(seen.lower[:-1], seen.upper[:-1], strict=True))])


def _name(problem: LineProblem, regressor: int) -> str:
    return "regressor" if problem.seen.coefficients == 2 else f"regressor {regressor}"


def _band(item: Inferred, problem: LineProblem, draws: Floats, regressor: int) -> Curves:
    """Quantiles of the line at places between the bounds of a regressor, the others being in the middle of theirs."""
    few = draws[:, :: max(1, draws.shape[1] // _DRAWS)]
    low, high = float(problem.seen.lower[regressor - 1]), float(problem.seen.upper[regressor - 1])
    rows = []
    for place in np.linspace(low, high, _PLACES):
        at = _middle(problem)
        at[regressor] = place
        rows.append((float(place), *(float(value) for value in np.quantile(at @ few, SHARES))))
    bottom, top = float(problem.seen.lower[-1]), float(problem.seen.upper[-1])
    labels = [f"{100 * share:g} %" for share in SHARES]
    others = "" if problem.seen.coefficients == 2 else ", the other regressors being in the middle of their bounds"
    return Curves(
        f"INFERENCE: the line behind {item.problem.releases[0]}",
        f"At every place below each curve lies that share of the lines that were drawn{others}.",
        Axis(_name(problem, regressor), "number", low, high),
        Axis("response", "number", bottom, top),
        tuple(
            Series(f"{label} of lines", _held([(row[0], row[column]) for row in rows], bottom, top))
            for column, label in enumerate(labels, start=1)
        ),
        Table(
            "Where the line runs", (_name(problem, regressor), *labels), tuple(tuple(map(shown, row)) for row in rows[::8])
        ),
    )


def _held(points: list[tuple[float, float]], bottom: float, top: float) -> tuple[tuple[float, float, float], ...]:
    """Points of a curve, cut where they leave the picture."""
    held = [(place, min(max(value, bottom), top)) for place, value in points]
    return tuple((place, value, value) for place, value in held)


def _joint(item: Inferred, problem: LineProblem, draws: Floats, regressor: int) -> Curves:
    """Which slopes go with each value of the line in the middle of the bounds."""
    slope = item.parameters[regressor].name
    return together(
        f"INFERENCE: {slope} and height together, behind {item.problem.releases[0]}",
        ("line in the middle of the bounds", slope),
        _middle(problem) @ draws,
        draws[regressor],
    )
