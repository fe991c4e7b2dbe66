"""The page of an inference: what was found, a histogram of each parameter, and mean and deviation together."""

from __future__ import annotations

import numpy as np

from accountant.loss import Floats
from accountant.report import Axis, Callout, Curves, Document, KeyFigure, KeyFigures, Paragraph, Section, Series, Table
from accountant_posterior.inference.answer import LABEL, SHARES, Inference, Inferred, Parameter, rough, shown
from accountant_posterior.inference.lines.pictures import line_figures
from accountant_posterior.inference.lines.problem import LineProblem
from accountant_posterior.inference.problems import MomentsProblem
from accountant_posterior.inference.together import together

_BARS = 40
_CUT = 0.001
"""What is left out of histograms on either side, so that one far draw does not hide all others."""
_WHAT = (
    "This says what released numbers tell about the law that the data come from, under a model and a prior that are "
    "stated below. It is not a statement about privacy: what the releases promise is what the plan promises."
)
_UNSETTLED = "The chains do not agree yet, or are worth too few independent draws. Ask for more draws before using a digit."


def figures_of(inference: Inference) -> list[Curves]:
    """The figures of all that was inferred, each with the table behind it."""
    return [figure for item in inference.found for figure in _figures(item)]


def document_of(inference: Inference) -> Document:
    """The page."""
    warning = () if inference.settled else (Callout("warning", "Not settled", (Paragraph(_UNSETTLED),)),)
    return Document(
        f"Inference: {inference.plan}",
        (
            Callout("note", "What this is", (Paragraph(_WHAT),)),
            *warning,
            *(_section(item, inference) for item in inference.found),
        ),
        subtitle=LABEL,
        small_print=(_WHAT,),
    )


def _section(item: Inferred, inference: Inference) -> Section:
    problem = item.problem
    said = (
        f"The model: {problem.model}. The prior: {problem.believed}. Draws were made with seed {inference.seed}, so that "
        "the same can be computed again."
    )
    return Section(
        f"From {' and '.join(problem.releases)}",
        (
            KeyFigures(tuple(_key(one, inference.level) for one in item.parameters)),
            Paragraph(said),
            *_results(item, inference.level),
            *_others(item),
            *_baselines(item),
            *_figures(item),
        ),
    )


def _key(parameter: Parameter, level: float) -> KeyFigure:
    low, high = map(shown, parameter.interval)
    return KeyFigure(
        f"{low} to {high}",
        f"holds the {parameter.name} with probability {100 * level:g} %",
        f"mean {shown(parameter.mean)}",
    )


def _results(item: Inferred, level: float) -> tuple[Table, Table]:
    said = tuple(
        (
            one.name,
            f"{shown(one.mean)} (error {rough(one.error)})",
            shown(one.mode),
            " to ".join(map(shown, one.interval)),
            f"{one.effective_size:,.0f} of {one.draws.size:,}",
            f"{one.r_hat:.3f}",
        )
        for one in item.parameters
    )
    head = ("Parameter", "Mean", "Mode", f"{100 * level:g} % credible", "Worth draws", "Split R-hat")
    quantiles = tuple((one.name, *map(shown, one.quantiles)) for one in item.parameters)
    shares = ("Parameter", *(f"{100 * share:g} %" for share in SHARES))
    return Table("What the draws say", head, said), Table("Quantiles", shares, quantiles)


def _others(item: Inferred) -> list[Table]:
    """What is found under other priors, parameter by parameter."""
    if not item.beside:
        return []
    rows = tuple(
        (
            f"{one.problem.believed}{told}",
            parameter.name,
            shown(parameter.mean),
            " to ".join(map(shown, parameter.interval)),
        )
        for one, told in ((one, "" if one is item or one.settled else " (not settled)") for one in (item, *item.beside))
        for parameter in one.parameters
    )
    return [Table("How far the answer moves with the prior", ("Prior", "Parameter", "Mean", "Credible"), rows)]


def _baselines(item: Inferred) -> list[Paragraph | Table]:
    """What methods of the literature find, beside ours."""
    if not item.baselines:
        return []
    methods = [("ours", item), *((one.problem.model.partition(":")[0], one) for one in item.baselines)]
    rows = tuple(
        (
            name,
            parameter.name,
            shown(parameter.mean),
            " to ".join(map(shown, parameter.interval)),
            f"{parameter.effective_size:,.0f} of {parameter.draws.size:,}",
            f"{parameter.r_hat:.3f}",
        )
        for name, one in methods
        for parameter in one.parameters
    )
    head = ("Method", "Parameter", "Mean", "Credible", "Worth draws", "Split R-hat")
    told = ". ".join(f"{one.problem.model[0].upper()}{one.problem.model[1:]}" for one in item.baselines)
    return [Table("Beside methods of the literature", head, rows), Paragraph(f"{told}.")]


def _figures(item: Inferred) -> list[Curves]:
    found = [_histogram(item, one) for one in item.parameters]
    if isinstance(item.problem, LineProblem):
        return [*found, *line_figures(item, item.problem)]
    return [*found, _joint(item)] if isinstance(item.problem, MomentsProblem) else found


def _histogram(item: Inferred, parameter: Parameter) -> Curves:
    """The share of draws in each of several equal parts of where nearly all of the draws lie."""
    counts, edges = np.histogram(parameter.draws, *_parts(parameter.draws))
    shares = counts / parameter.draws.size
    points = []
    for share, left, right in zip(shares.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        points += [(left, share, share), (right, share, share)]
    rows = tuple(
        (f"{shown(left)} to {shown(right)}", f"{100 * shares[place : place + 4].sum():.1f} %")
        for place, left, right in zip(range(0, len(shares), 4), edges[:-1:4], [*edges[4::4], edges[-1]], strict=False)
    )
    return Curves(
        f"INFERENCE: the {parameter.name} behind {' and '.join(item.problem.releases)}",
        f"Histogram of {parameter.draws.size:,} draws from the posterior law, without one in a thousand on either side.",
        Axis(parameter.name, "number", float(edges[0]), float(edges[-1])),
        Axis("share of draws", "share", 0.0, float(1.05 * shares.max())),
        (Series(parameter.name, tuple(points)),),
        Table("Share of draws", (parameter.name, "Draws"), rows),
    )


def _parts(draws: Floats) -> tuple[int, tuple[float, float]]:
    """How many parts, and where they begin and end; each of few values at equal distances is in the middle of one."""
    low, high = (float(np.quantile(draws, end, method="nearest")) for end in (_CUT, 1.0 - _CUT))
    if high == low:
        return _BARS, (low - 0.5, low + 0.5)
    step = float(np.diff(np.unique(draws)).min())
    if step * _BARS > high - low:
        return round((high - low) / step) + 1, (low - 0.5 * step, high + 0.5 * step)
    return _BARS, (low, high)


def _joint(item: Inferred) -> Curves:
    """Which deviations go with each mean, below what the bounds leave."""
    by_name = {parameter.name: parameter.draws for parameter in item.parameters}
    low, high = item.problem.range("mean")
    return together(
        f"INFERENCE: mean and deviation together, behind {' and '.join(item.problem.releases)}",
        ("mean", "deviation"),
        by_name["mean"],
        by_name["deviation"],
        (low, high),
        lambda mean: largest_deviation(mean, low, high),
    )


def largest_deviation(mean: Floats, low: float, high: float) -> Floats:
    """The largest deviation of a law between two bounds with this mean; rounding may put a mean just outside."""
    found: Floats = np.sqrt(np.maximum((mean - low) * (high - mean), 0.0))
    return found
