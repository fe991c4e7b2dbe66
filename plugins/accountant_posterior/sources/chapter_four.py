"""Chapter 4 of the thesis: inference from a noisy mean and variance, and from noisy sums, of bounded data."""

from __future__ import annotations

import numpy as np
from attrs import evolve
from numpy.random import Generator
from scipy import special

from accountant.loss import Floats
from accountant.report import Axis, Curves, Series, Table
from accountant_posterior.inference.baselines.lines import ApproximateLines, run_lines
from accountant_posterior.inference.baselines.moments import AugmentedState
from accountant_posterior.inference.draws import Draws, highest_density, most_likely
from accountant_posterior.inference.gamma_mixture import TruncatedGammaMixture
from accountant_posterior.inference.gibbs import infer
from accountant_posterior.inference.lines.priors import ConjugateLine, GaussianDesign
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.sampler import LineDraws, infer_line
from accountant_posterior.inference.moments import MomentsRelease, NoisyMoments
from accountant_posterior.inference.noise import LaplaceNoise
from accountant_posterior.inference.page import largest_deviation
from accountant_posterior.inference.priors import Flat
from accountant_posterior.inference.together import together
from accountant_posterior.sources.shown import Drawn, Number, Shown
from accountant_posterior.studies.intervals import StudySetting

_LEAD = NoisyMoments(MomentsRelease(43, 0, 100, "1/4", "1/4"), 34.30, 47.16**2)
"""Example 4: blood lead of 43 children, in micrograms per decilitre."""
_INFERENCE = "INFERENCE"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def predictions(generator: Generator) -> Shown:
    """Figure 4.4: a new value, with and without the constraints of bounded data."""
    kept, free = (
        infer(_LEAD, Flat(), generator, constrained=constrained, iterations=1500) for constrained in (True, False)
    )
    new, unbounded = kept.predictive(generator), free.predictive(generator)
    cut = evolve(free, constrained=True).predictive(generator)
    numbers = (
        Number("predictions below 0 without constraints", "24 %", _percent(float((unbounded < 0).mean()))),
        Number("predictions above 100 without constraints", "10 %", _percent(float((unbounded > 100).mean()))),
        Number("deviation without constraints", "53", f"{unbounded.std():.1f}"),
        Number("deviation of these moved to 0 and 100", "35", f"{np.clip(unbounded, 0, 100).std():.1f}"),
        Number("deviation of a cut Gaussian law", "27", f"{cut.std():.1f}"),
        Number("deviation with constraints", "25", f"{new.std():.1f}"),
    )
    figure = _histograms(
        "a new value, micrograms per decilitre",
        {"with constraints": new, "without constraints": unbounded},
        (-150.0, 250.0),
    )
    return Shown("figure-4.4", "Predictions from the noisy mean and variance of Example 4", numbers, (figure,))


def _histograms(word: str, draws: dict[str, Floats], inside: tuple[float, float]) -> Curves:
    """Histograms over the same bars."""
    series, columns, edges = [], [], np.linspace(*inside, 81)
    for label, values in draws.items():
        shares = np.histogram(values, bins=edges)[0] / values.size
        points: list[tuple[float, float, float]] = []
        for share, left, right in zip(shares.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            points += [(left, share, share), (right, share, share)]
        series.append(Series(label, tuple(points)))
        columns.append(shares)
    rows = tuple(
        (f"{edges[place]:g} to {edges[place + 8]:g}", *(_percent(float(own[place : place + 8].sum())) for own in columns))
        for place in range(0, 80, 8)
    )
    return Curves(
        f"{_INFERENCE}: {word}",
        "Shares of draws in bars of the same width.",
        Axis(word, "number", *inside),
        Axis("share of draws", "share", 0.0, 1.05 * float(max(own.max() for own in columns))),
        tuple(series),
        Table("Shares of draws", (word, *draws), rows),
    )


_RECORDS, _NOISE = 46, 10.0
_PRIOR = ConjugateLine([1, 0], 4, 20, "1/2")


def regression(generator: Generator) -> Shown:
    """Figure 4.5: a line from noisy sums, as others draw it and with constraints, on synthetic data of that size."""
    x = generator.beta(2, 3, _RECORDS)
    y = np.clip(0.1 + 0.6 * x + 0.1 * generator.standard_normal(_RECORDS), 0.0, 1.0)
    columns = np.array([np.ones(_RECORDS), x, y])
    sums = (columns @ columns.T)[np.triu_indices(3)][1:] + generator.laplace(0.0, _NOISE, 5)
    seen = NoisySums(_RECORDS, [0, 0], [1, 1], LaplaceNoise(_NOISE), sums.tolist())
    state = ApproximateLines(seen, _PRIOR, GaussianDesign(4), 100, generator)
    methods = {
        "as others draw it": run_lines(state, generator, iterations=300, burn=200),
        "with constraints": infer_line(seen, _PRIOR, generator, chains=100, iterations=300, burn=150),
    }
    figures, numbers = [], []
    for label, draws in methods.items():
        totals, lines = _infeasible(draws)
        first = label == "as others draw it"
        numbers += [
            Number(f"sums that no data have, {label}", "nearly 20 % (other data)" if first else "none", _percent(totals)),
            Number(f"lines that no data have, {label}", "below 5 % (other data)" if first else "none", _percent(lines)),
        ]
        pairs = {
            "sums": (("sum of y", "sum of squares of y"), draws.sums[1], draws.sums[4]),
            "coefficients": (("slope", "intercept"), draws.coefficients[1], draws.coefficients[0]),
        }
        for what, (words, one, other) in pairs.items():
            figures.append(together(f"{_INFERENCE}: {what} {label}", words, one, other))
    return Shown(
        "figure-4.5", "A line from noisy sums (synthetic data: its own are not given)", tuple(numbers), tuple(figures)
    )


def _infeasible(draws: LineDraws) -> tuple[float, float]:
    """The shares of sums, and of lines, that no data between 0 and 1 have: 0 <= y'y <= y'1 <= n, and some value inside."""
    total, squares = draws.sums[1], draws.sums[4]
    possible = (squares >= 0.0) & (squares <= total) & (total <= _RECORDS)
    intercept, slope = draws.coefficients
    ends = np.sort(np.array([intercept, intercept + slope]), axis=0)
    return float((~possible).mean()), float(((ends[1] < 0.0) | (ends[0] > 1.0)).mean())


def mixture(generator: Generator) -> Shown:
    """Figure 4.6: a truncated gamma mixture beside the gamma law with the same shape and rate."""
    law = TruncatedGammaMixture(2.0, 2.0, 1.0, 1.0)
    places = np.linspace(0.02, 4.0, 200)
    lines = {
        "truncated gamma mixture": np.asarray(law.density(places)),
        "gamma": 4.0 * places * np.exp(-2.0 * places),
    }
    below = special.gammainc(2.0, 2.0)
    numbers = (
        Number("mass below the kink", "-", f"{float(law.share_below):.7f}"),
        Number("mass of the gamma law there", "-", f"{float(below):.7f}"),
    )
    series = tuple(
        Series(label, tuple((x, y, y) for x, y in zip(places.tolist(), values.tolist(), strict=True)))
        for label, values in lines.items()
    )
    figure = Curves(
        "A truncated gamma mixture with shape 2, rate 2, slope 1 and kink 1",
        "What is known of a gamma variable after it was seen as 1 with Laplace noise of scale 1. The kink is at 1.",
        Axis("value", "number", 0.0, 4.0),
        Axis("density", "number", 0.0, 1.05 * float(max(values.max() for values in lines.values()))),
        series,
        Table(
            "Density",
            ("Value", *lines),
            tuple((f"{places[at]:.2f}", *(f"{v[at]:.4f}" for v in lines.values())) for at in range(0, 200, 25)),
        ),
    )
    return Shown("figure-4.6", "The truncated gamma mixture", numbers, (figure,))


def _both(generator: Generator, upper: int, mean: float, deviation: float) -> tuple[NoisyMoments, dict[str, Draws]]:
    """Draws where statistics are constrained, and where the likelihood is."""
    seen = NoisyMoments(MomentsRelease(50, 0, upper, "1/4", "1/4"), mean, deviation**2)
    own = infer(seen, Flat(), generator, iterations=1500)
    others = infer(seen, Flat(), generator, method=AugmentedState, iterations=800, burn=400)
    return seen, {"statistics constrained": own, "likelihood constrained": others}


def _compared(name: str, title: str, said: tuple[str, ...], found: tuple[NoisyMoments, dict[str, Draws]]) -> Shown:
    seen, methods = found
    low, high = float(seen.release.lower), float(seen.release.upper)
    told = iter(said)
    numbers = []
    for label, draws in methods.items():
        for word, values in (("mean", draws.mean), ("deviation", draws.deviation)):
            numbers.append(Number(f"mode of the {word}, {label}", next(told), f"{most_likely(values):.3g}"))
    figures = tuple(
        together(
            f"{_INFERENCE}: mean and deviation, {label}",
            ("mean", "deviation"),
            draws.mean,
            draws.deviation,
            (low, high),
            lambda mean: largest_deviation(mean, low, high),
        )
        for label, draws in methods.items()
    )
    return Shown(name, title, tuple(numbers), figures)


def likelihoods(generator: Generator) -> Shown:
    """Figure 4.10: data between 0 and 1 whose mean lies in the middle."""
    said = ("around 0.43", "around 0.28", "close to 0.43", "considerably smaller than 0.28")
    return _compared(
        "figure-4.10", "Constrained statistics beside a constrained likelihood", said, _both(generator, 1, 0.43, 0.28)
    )


def near_a_bound(generator: Generator) -> Shown:
    """Figure 4.11: the same data where bounds are 0 and 25, so that they lie near one of them."""
    said = ("near the bound", "-", "not near the bound", "-")
    return _compared("figure-4.11", "The same near a bound", said, _both(generator, 25, -1.3, 4.82))


_DATASETS, _SWEEPS, _BURN = 100, 500, 300
_COUNTS = (10, 32, 100)
_LAWS = {"mean 0.1": "normal:0.1,0.04", "mean 0.5": "normal:0.5,0.2"}


def coverage(generator: Generator) -> Shown:
    """Figure 4.12: how often intervals cover where statistics are constrained, and where the likelihood is."""
    covered: dict[str, list[float]] = {}
    lengths: dict[str, list[float]] = {}
    for word, law in _LAWS.items():
        for count in _COUNTS:
            told = {"count": count, "epsilon": "0.1", "law": law, "model": "constrained", "prior": "flat"}
            setting = StudySetting.of({**told, "level": "0.95", "lower": "0", "upper": "1"})
            seen = setting.simulated(generator, _DATASETS)
            own = setting.read(*seen)[0]
            for label, low, high in (
                ("statistics constrained", own.low, own.high),
                ("likelihood constrained", *_augmented(setting, seen, generator)),
            ):
                inside = (low <= setting.truths[0]) & (setting.truths[0] <= high)
                covered.setdefault(f"{label}, {word}", []).append(float(inside.mean()))
                lengths.setdefault(f"{label}, {word}", []).append(float((high - low).mean()))
    share = {name: [_percent(one) for one in row] for name, row in covered.items()}
    likelihood, statistics = (share[f"{label} constrained, mean 0.1"] for label in ("likelihood", "statistics"))
    numbers = (
        Number("epsilon of both releases", "1 in the caption", "0.1", "the text reuses runs at 0.1, and holds there only"),
        Number("likelihood constrained, mean 0.1, n 10", "near zero", likelihood[0]),
        Number("likelihood constrained, mean 0.1, n 32", "below 70 %", likelihood[1]),
        Number("likelihood constrained, mean 0.1, n 100", "notably below 95 %", likelihood[2]),
        Number("statistics constrained, mean 0.1, n 100", "nearly 95 %", statistics[2]),
        Number("likelihood constrained, mean 0.5, n 10", "near 100 %", share["likelihood constrained, mean 0.5"][0]),
    )
    title = f"Coverage beside a constrained likelihood, epsilon 0.1, {_DATASETS} datasets each (10,000 in print)"
    figures = (_over_counts("coverage of 95 % intervals", covered, 1.0), _over_counts("length of intervals", lengths, None))
    return Shown("figure-4.12", title, numbers, figures)


def _augmented(setting: StudySetting, seen: tuple[Floats, Floats], generator: Generator) -> tuple[Floats, Floats]:
    """Both ends of intervals for the mean by data augmentation, a chain for each dataset."""
    state = AugmentedState(setting.release, *seen, Flat().scaled(setting.release), True)
    state.scatter(generator)
    kept = np.empty((_SWEEPS, _DATASETS))
    for sweep in range(-_BURN, _SWEEPS):
        state.step(generator)
        if sweep >= 0:
            kept[sweep] = state.mean
    ends = np.array([highest_density(kept[:, place : place + 1], 0.95) for place in range(_DATASETS)])
    return ends[:, 0], ends[:, 1]


def _over_counts(word: str, lines: dict[str, list[float]], top: float | None) -> Curves:
    series = tuple(
        Series(label, tuple((float(x), y, y) for x, y in zip(_COUNTS, row, strict=True))) for label, row in lines.items()
    )
    most = 1.05 * max(max(row) for row in lines.values()) if top is None else top
    return Curves(
        f"SIMULATION: {word}, by the number of records",
        f"Over {_DATASETS} datasets of each setting.",
        Axis("records", "logarithmic", float(_COUNTS[0]), float(_COUNTS[-1])),
        Axis(word, "number" if top is None else "share", 0.0, most),
        series,
        Table(
            word.capitalize(),
            ("Records", *lines),
            tuple((f"{x}", *(f"{row[at]:.3f}" for row in lines.values())) for at, x in enumerate(_COUNTS)),
        ),
    )


DRAWN: dict[str, Drawn] = {
    "figure-4.4": predictions,
    "figure-4.5": regression,
    "figure-4.6": mixture,
    "figure-4.10": likelihoods,
    "figure-4.11": near_a_bound,
    "figure-4.12": coverage,
}
