"""Ways to release county counts beside a public total, compared at the same budget: one month at one budget.

Public: last month's cases and deaths of every county, this month's cases altogether, and that no county has more deaths
than cases. Secret: the county and the fate of any one case. Another county and another fate move two counts of cases and
two of deaths by 1, a distance of 4 in all; different cases are taken to be independent given what is public.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from accountant.commands import Plain
from accountant_pufferfish.inference import CongenialCounts, Contraction, Counts, projected

DISTANCE = 4
READING_ALPHA = 1.0
_FLOOR = 0.5
_READ = 21
DOUBLED = "at twice the rate"
"""What the name of the method ends in that may lose twice the budget."""


def done(part: Plain) -> Plain:
    """One month at one budget: what every method does to every county, over several releases."""
    digest = hashlib.sha256(json.dumps(part, sort_keys=True).encode()).digest()
    generator = np.random.default_rng([part["seed"], int.from_bytes(digest[:8], "big")])
    truth = Counts(part["cases"], part["deaths"])
    released = dict(releases_by_method(part, generator))
    third = max(1, len(truth.cases) // 3)
    groups = {"smallest third": slice(-third, None), "others": slice(None, -third)}
    return {
        "methods": {name: _errors(truth, found, part["shown"]) for name, found in released.items()},
        "contracted": {
            name: _contracted(released["noise"], released["noise, projected"], group) for name, group in groups.items()
        },
    }


def releases_by_method(part: Plain, generator: Generator) -> Iterator[tuple[str, list[Counts]]]:
    """What each method publishes, or lets its readers estimate, several times over."""
    truth = Counts(part["cases"], part["deaths"])
    epsilon, size, total = part["epsilon"], part["repeats"], int(sum(truth.cases))
    noisy = [
        _plus(truth, *(_geometric(DISTANCE / epsilon, len(truth.cases), generator) for _ in range(2))) for _ in range(size)
    ]
    yield "noise", noisy
    yield "noise, projected", [projected(counts, total) for counts in noisy]
    # A reading takes as long as many releases.
    reads = noisy[: max(1, size // 10)]
    yield "noise, read beside the total", [_read(part, counts, total, epsilon, generator) for counts in reads]
    # Survivors and deaths add up to cases: no case is in two cells, a distance of 2.
    apart = []
    for _ in range(size):
        survivors, deaths = (_geometric(DISTANCE / 2 / epsilon, len(truth.cases), generator) for _ in range(2))
        apart.append(_plus(truth, [a + b for a, b in zip(survivors, deaths, strict=True)], deaths))
    yield "noise on disjoint counts", apart
    yield "the same, projected", [projected(counts, total) for counts in apart]
    # Since counts cannot fall below 0, the normalising sum depends on the data and only half the rate is certified.
    certified = epsilon / (2 * DISTANCE)
    yield "congenial", CongenialCounts(truth, total, certified).draw(generator, size)
    for alpha in part["alphas"]:
        mechanism = CongenialCounts(truth, total, certified, _shapes(part, alpha))
        yield f"congenial, alpha {alpha:g}", mechanism.draw(generator, size)
    printed = CongenialCounts(truth, total, 2 * certified, _shapes(part, READING_ALPHA))
    yield f"alpha {READING_ALPHA:g} {DOUBLED}", printed.draw(generator, size)


def _shapes(part: Plain, alpha: float) -> list[float]:
    """The prior's weight of every county: last month's cases, with a floor for counties that had none."""
    return [alpha * max(float(cases), _FLOOR) for cases in part["earlier_cases"]]


def _geometric(scale: float, cells: int, generator: Generator) -> list[int]:
    """Geometric noise for each of some cells: the difference of two counts of whole steps. For studies only."""
    steps = np.floor(scale * generator.standard_exponential((2, cells))).astype(int)
    return list((steps[0] - steps[1]).tolist())


def _plus(counts: Counts, cases: list[int], deaths: list[int]) -> Counts:
    return Counts(
        [count + extra for count, extra in zip(counts.cases, cases, strict=True)],
        [count + extra for count, extra in zip(counts.deaths, deaths, strict=True)],
    )


def _read(part: Plain, noisy: Counts, total: int, epsilon: float, generator: Generator) -> Counts:
    """The posterior median of every count, given the noisy counts and what is public."""
    draws = CongenialCounts(noisy, total, epsilon / DISTANCE, _shapes(part, READING_ALPHA)).draw(generator, _READ)
    return Counts(
        np.median([draw.cases for draw in draws], axis=0).astype(int).tolist(),
        np.median([draw.deaths for draw in draws], axis=0).astype(int).tolist(),
    )


def _errors(truth: Counts, released: list[Counts], shown: int) -> Plain:
    """Mean total errors, mean relative errors of cases by county, and quantiles of what the shown county gets."""
    exact = np.array([truth.cases, truth.deaths], dtype=float)
    found = np.array([[counts.cases, counts.deaths] for counts in released], dtype=float)
    away = np.abs(found - exact)
    cases, deaths = away.sum(axis=2).mean(axis=0)
    relative = (away[:, 0] / np.maximum(exact[0], 1.0)).mean(axis=0)
    low, middle, high = np.quantile(found[:, 0, shown], (0.05, 0.5, 0.95))
    return {
        "cases": float(cases),
        "deaths": float(deaths),
        "relative": relative.tolist(),
        "shown": [float(low), float(middle), float(high)],
    }


def _contracted(noisy: list[Counts], shown: list[Counts], group: slice) -> list[float]:
    """The shares of a group's counties that projection contracts: cases to 0, deaths to 0, cases to deaths."""
    pairs = zip(noisy, shown, strict=True)
    shares = [Contraction.between(_part(before, group), _part(after, group)).shares for before, after in pairs]
    return [float(sum(share)) / len(shares) for share in zip(*shares, strict=True)]


def _part(counts: Counts, group: slice) -> Counts:
    return Counts(counts.cases[group], counts.deaths[group])
