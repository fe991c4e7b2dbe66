"""Released numbers, matched with the plan that says how they came about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from accountant import InvalidValue, Plan, Release
from accountant.plugin import Mechanism
from accountant_posterior.inference.believed import Priors
from accountant_posterior.inference.faults import Faults
from accountant_posterior.inference.lines.problem import LineProblem, line_problem, not_a_line, sums_of as line_sums
from accountant_posterior.inference.moments import NoisyMoments, StatedMoments
from accountant_posterior.inference.noise import GaussianNoise, LaplaceNoise, StatisticNoise
from accountant_posterior.inference.priors import Flat
from accountant_posterior.inference.problems import MomentsProblem, Problem, ShareProblem
from accountant_posterior.inference.proportions import MOST_RECORDS, Beta, NoisyProportion
from accountant_posterior.inference.public import PublicFigure
from accountant_posterior.inference.released import Observed

_FARTHEST = -230.0
"""The log of a chance so small, about 1e-100, that a number cannot be what the plan released."""
_FOLLOWED = ("mean", "variance", "proportion", "count", "cross-product")


Public = Mapping[tuple[str, int], PublicFigure]


def problems_of(
    plan: Plan, observed: Observed, priors: Priors, size: int | None, file: str, public: Public | None = None
) -> tuple[Problem, ...]:
    """What is asked. PlanError with all faults where a release cannot be followed, or a number is not from the plan."""
    faults, public = Faults(file), public or {}
    known = {release.name: release for release in plan.releases}
    releases: list[Release] = []
    for name in observed:
        if name not in known:
            faults.add(f"the plan has no release of this name; it has {', '.join(map(repr, list(known)[:10]))}", name)
        elif reason := _not_followed(known[name], size) or _impossible(known[name], observed[name], size):
            faults.add(reason, name)
        else:
            releases.append(known[name])
    pairs = _pairs(releases, faults)
    faults.end()
    by_kind = {kind: [one for one in releases if one.query and one.query.kind == kind] for kind in _FOLLOWED}
    shares = [release for release in releases if release.query and release.query.kind in ("proportion", "count")]
    lines = by_kind["cross-product"]
    _used(priors, size, pairs, shares, lines)
    _matched(public, pairs, shares, lines)
    return (
        *(_moments(pair, observed, priors, public) for pair in pairs),
        *(_share(release, observed[release.name], priors, size, public) for release in shares),
        *(_line(release, observed[release.name], priors, size, public) for release in lines),
    )


def _used(
    priors: Priors, size: int | None, pairs: Sequence[object], shares: Sequence[Release], lines: Sequence[Release]
) -> None:
    """Raise InvalidValue for what is said about nothing that was released."""
    if size is not None and not lines and not any(release.query and release.query.kind == "count" for release in shares):
        raise InvalidValue("--size is for counts and cross-products, and no released number is one; leave it out")
    if priors.moments is not None and not pairs:
        raise InvalidValue("--prior speaks of a mean and a variance, and none were released; write beta:YES,NO for shares")
    if priors.share is not None and not shares:
        raise InvalidValue("--prior speaks of shares, and none were released; write flat or conjugate:MEAN,VARIANCE")
    if priors.line is not None and not lines:
        raise InvalidValue("--prior speaks of a line, and no cross-product was released")


def _matched(
    public: Public, pairs: Sequence[tuple[Release, Release]], shares: Sequence[Release], lines: Sequence[Release]
) -> None:
    """Raise InvalidValue for a public figure beside no released number."""
    one = {release.name for release in (*shares, *(mean for mean, _ in pairs))}
    several = {release.name: len(line_sums(release.query)) for release in lines}
    for name, place in public:
        if not (name in one and place == 0) and not 1 <= place <= several.get(name, 0):
            shown = f"{name} {place}" if place else name
            raise InvalidValue(
                f"--public has a figure for '{shown}', which stands beside no released mean, share or count, nor beside a "
                "sum of a cross-product, which is named with its place, such as 'fit 3'"
            )


def _not_followed(release: Release, size: int | None) -> str | None:
    """Why nothing is inferred from a release, if so."""
    kind = None if release.query is None else release.query.kind
    if kind not in _FOLLOWED:
        asked = "no query" if kind is None else f"the query '{kind}'"
        return f"has {asked}; inference is from mean and variance, proportion, count, and cross-product"
    if kind in ("count", "cross-product") and size is None:
        return f"is a {kind}; say with --size among how many records"
    among: int = getattr(release.query, "size", size or 0)
    if among > MOST_RECORDS:
        return f"is among {among:,} records; inference takes at most {MOST_RECORDS:,}"
    if release.sampling is not None or release.scope is not None:
        return "looks at some records only; inference is from releases of all records"
    if release.times != 1:
        return f"is made {release.times:,} times; give each a name of its own"
    if not _within_floats(release):
        return "has bounds or noise too large or too small to be followed"
    if noise_of(release.mechanism) is None:
        return (
            f"has the mechanism '{release.mechanism.kind}'; inference is from Laplace and independent Gaussian noise, and "
            "for counts and cross-products from geometric and discrete Gaussian noise too"
        )
    if kind == "cross-product":
        return not_a_line(release, whole=_whole(release.mechanism))
    if _whole(release.mechanism) and kind != "count":
        return f"has whole noise '{release.mechanism.kind}' on a {kind}, which is no whole number"
    return None


def _within_floats(release: Release) -> bool:
    """Whether bounds and noise are numbers that a sampler can compute with."""
    try:
        noise_of(release.mechanism)
        ends = [getattr(release.query, name, 0) for name in ("lower", "upper")]
        return all(float(end) ** 2 >= 0.0 for group in ends for end in (group if isinstance(group, tuple) else (group,)))
    except (OverflowError, InvalidValue):
        return False


def noise_of(mechanism: Mechanism) -> StatisticNoise | None:
    """The noise of a mechanism as samplers weigh it. That on whole numbers falls as its like on all numbers does."""
    made: Any = mechanism
    if mechanism.kind in ("laplace", "geometric"):
        return LaplaceNoise(made.scale)
    if mechanism.kind == "gaussian" and made.sigma is not None:
        return GaussianNoise(made.sigma)
    if mechanism.kind == "discrete-gaussian":
        return GaussianNoise(made.sigma if made.sigma is not None else math.sqrt(made.variance))
    return None


def _whole(mechanism: Mechanism) -> bool:
    return mechanism.kind in ("geometric", "discrete-gaussian")


def _impossible(release: Release, values: Sequence[Fraction], size: int | None) -> str | None:
    """Why numbers cannot be what a release gave, if so."""
    query: Any = release.query
    ranges = line_sums(query) if query.kind == "cross-product" else None
    expected = 1 if ranges is None else len(ranges)
    if len(values) != expected:
        return f"has {expected} numbers, got {len(values)}"
    for place, value in enumerate(values, start=1):
        which = f"number {place} is" if ranges else "is"
        if _whole(release.mechanism) and value.denominator != 1:
            return f"{which} {float(value):g}, which is no whole number, as sums with '{release.mechanism.kind}' noise are"
        nearest = _nearest(query, value, size) if ranges is None else _between(value, ranges[place - 1], size)
        noise = noise_of(release.mechanism)
        assert noise is not None
        away = float(abs(value - nearest))
        if away and not float(noise.log_weights(np.asarray(away))) > _FARTHEST:
            return (
                f"{which} {float(value):g}, and the noise of the plan never carries a {query.kind} so far: from the "
                "nearest one that is possible the chance is below 1e-99; is it in the same unit?"
            )
    return None


def _between(value: Fraction, ends: tuple[Fraction, Fraction], size: int | None) -> Fraction:
    """The sum of so many products between two ends that lies nearest to a number."""
    assert size is not None
    return min(max(value, size * ends[0]), size * ends[1])


def _nearest(query: Any, value: Fraction, size: int | None) -> Fraction:
    """The possible answer of a query that lies nearest to a number."""
    if query.kind == "mean":
        return min(max(value, Fraction(query.lower)), Fraction(query.upper))
    if query.kind == "variance":
        return min(max(value, Fraction(0)), Fraction(query.upper - query.lower) ** 2 / 4)
    whole, of = (value, size) if query.kind == "count" else (value * query.size, query.size)
    assert of is not None
    nearest = Fraction(min(max(round(whole), 0), of))
    return nearest if query.kind == "count" else nearest / of


def _pairs(releases: Sequence[Release], faults: Faults) -> list[tuple[Release, Release]]:
    """Every mean with the variance of the same values."""
    groups: dict[object, list[Release]] = {}
    for release in releases:
        query: Any = release.query
        if query.kind in ("mean", "variance"):
            groups.setdefault((query.attributes, query.lower, query.upper, query.size), []).append(release)
    found = []
    for group in groups.values():
        group.sort(key=lambda release: release.query.kind if release.query else "")
        kinds = [release.query.kind for release in group if release.query]
        if kinds == ["mean", "variance"]:
            found.append((group[0], group[1]))
            continue
        for release in group:
            faults.add(
                f"is a {release.query.kind if release.query else ''}; inference needs one mean and one variance of the "
                "same attributes, bounds and size",
                release.name,
            )
    return found


def _moments(pair: tuple[Release, Release], observed: Observed, priors: Priors, public: Public) -> MomentsProblem:
    """The variance of a plan divides by n, that of the model by n - 1."""
    mean, variance = pair
    query: Any = mean.query
    mean_noise, variance_noise = noise_of(mean.mechanism), noise_of(variance.mechanism)
    assert mean_noise is not None
    assert variance_noise is not None
    factor = Fraction(query.size, query.size - 1)
    stated = StatedMoments(query.size, query.lower, query.upper, mean_noise, variance_noise.scaled(float(factor)))
    figures = float(observed[mean.name][0]), float(factor * observed[variance.name][0])
    seen = NoisyMoments(stated, *figures, public.get((mean.name, 0)))
    return MomentsProblem((mean.name, variance.name), seen, priors.moments or Flat())


def _share(release: Release, values: Sequence[Fraction], priors: Priors, size: int | None, public: Public) -> ShareProblem:
    """A share is a count divided by the number of records, and so is its noise."""
    query: Any = release.query
    noise, figure = noise_of(release.mechanism), public.get((release.name, 0))
    assert noise is not None
    if query.kind == "count":
        assert size is not None
        return ShareProblem((release.name,), NoisyProportion(size, noise, float(values[0]), figure), priors.share or Beta())
    seen = float(values[0] * query.size)
    counted = NoisyProportion(query.size, noise.scaled(query.size), seen, figure and figure.moved(0.0, query.size))
    return ShareProblem((release.name,), counted, priors.share or Beta())


def _line(release: Release, values: Sequence[Fraction], priors: Priors, size: int | None, public: Public) -> LineProblem:
    noise = noise_of(release.mechanism)
    assert noise is not None
    assert size is not None
    figures = {place: figure for (name, place), figure in public.items() if name == release.name}
    return line_problem(release, values, size, noise, priors.line, figures, whole=_whole(release.mechanism))
