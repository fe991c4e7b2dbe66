"""Released numbers, read by the name of the release, and matched with the plan that says how they came about."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from accountant import AccountantError, Fault, InvalidValue, Plan, PlanError, Release, fields
from accountant.commands import Source
from accountant.plugin import Mechanism
from accountant_posterior.inference.moments import NoisyMoments, StatedMoments
from accountant_posterior.inference.noise import GaussianNoise, LaplaceNoise, StatisticNoise
from accountant_posterior.inference.priors import Flat
from accountant_posterior.inference.problems import MomentsProblem, Priors, Problem, ShareProblem
from accountant_posterior.inference.proportions import MOST_RECORDS, Beta, NoisyCount

_HEAD = ["release", "value"]
_FARTHEST = -230.0
"""The log of a chance so small, about 1e-100, that a number cannot be what the plan released."""
_MOST = 1000


class Faults:
    """What is wrong with released numbers, all of it at once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Fault] = []

    def add(self, message: str, place: str) -> None:
        self.found.append(Fault(message, place, file=self.file))

    def end(self) -> None:
        if self.found:
            raise PlanError(tuple(self.found))


def read_observed(source: Source) -> dict[str, Fraction]:
    """Released numbers by the names of releases, from TOML, JSON or a CSV file with the columns release and value."""
    written = source.written()
    faults = Faults(written.name)
    if source.path is not None and source.path.suffix.lower() == ".csv":
        rows = _csv_rows(written.content, faults)
    else:
        data = written.data()
        if not isinstance(data, dict):
            faults.add("expected a table with the name of each release and its released number", written.name)
        rows = list(data.items()) if isinstance(data, dict) else []
    found: dict[str, Fraction] = {}
    if not rows and not faults.found:
        faults.add("there are no released numbers; write for example  smokers = 0.23", written.name)
    if len(rows) > _MOST:
        faults.add(f"there are {len(rows):,} released numbers; inference takes at most {_MOST:,} at once", written.name)
        faults.end()
    for name, value in rows:
        if name in found:
            faults.add("is given twice", name)
            continue
        try:
            if isinstance(value, bool):
                raise AccountantError("expected a number, got true or false")
            found[name] = _finite(fields.exact(value))
        except AccountantError as error:
            faults.add(str(error), name)
    faults.end()
    return found


def _csv_rows(content: str, faults: Faults) -> list[tuple[str, Any]]:
    try:
        head, *rows = list(csv.reader(content.splitlines(), strict=True)) or [[]]
    except csv.Error as error:
        faults.add(f"cannot be parsed as CSV: {error}", faults.file)
        return []
    if [cell.strip() for cell in head] != _HEAD:
        faults.add(f"expected the columns {' and '.join(_HEAD)}, got {', '.join(head) or 'nothing'}", faults.file)
        return []
    for number, row in enumerate(rows, start=2):
        if row and len(row) != 2:
            faults.add(f"expected a release and a value, got {len(row)} cells", f"line {number}")
    return [(row[0].strip(), row[1].strip()) for row in rows if len(row) == 2]


def _finite(value: Fraction) -> Fraction:
    if not math.isfinite(_float(value)):
        raise AccountantError("is too large")
    return value


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def problems_of(
    plan: Plan, observed: Mapping[str, Fraction], priors: Priors, size: int | None, file: str
) -> tuple[Problem, ...]:
    """What is asked. PlanError with all faults where a release cannot be followed, or a number is not from the plan."""
    faults = Faults(file)
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
    shares = [release for release in releases if release.query and release.query.kind in ("proportion", "count")]
    _used(priors, size, pairs, shares)
    return (
        *(_moments(pair, observed, priors) for pair in pairs),
        *(_share(release, observed[release.name], priors, size) for release in shares),
    )


def _used(priors: Priors, size: int | None, pairs: Sequence[object], shares: Sequence[Release]) -> None:
    """Raise InvalidValue for what is said about nothing that was released."""
    if size is not None and not any(release.query and release.query.kind == "count" for release in shares):
        raise InvalidValue("--size is for counts, and no released number is one; leave it out")
    if priors.moments is not None and not pairs:
        raise InvalidValue("--prior speaks of a mean and a variance, and none were released; write beta:YES,NO for shares")
    if priors.share is not None and not shares:
        raise InvalidValue("--prior speaks of shares, and none were released; write flat or conjugate:MEAN,VARIANCE")


def _not_followed(release: Release, size: int | None) -> str | None:
    """Why nothing is inferred from a release, if so."""
    kind = None if release.query is None else release.query.kind
    if kind not in ("mean", "variance", "proportion", "count"):
        asked = "no query" if kind is None else f"the query '{kind}'"
        return f"has {asked}; inference is from mean and variance, proportion, and count"
    if kind == "count" and size is None:
        return "is a count; say with --size among how many records"
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
            "for counts from geometric and discrete Gaussian noise too"
        )
    if _whole(release.mechanism) and kind != "count":
        return f"has whole noise '{release.mechanism.kind}' on a {kind}, which is no whole number"
    return None


def _within_floats(release: Release) -> bool:
    """Whether bounds and noise are numbers that a sampler can compute with."""
    try:
        noise_of(release.mechanism)
        return all(float(getattr(release.query, name, 0)) ** 2 >= 0.0 for name in ("lower", "upper"))
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


def _impossible(release: Release, value: Fraction, size: int | None) -> str | None:
    """Why a number cannot be what a release gave, if so."""
    query: Any = release.query
    if _whole(release.mechanism) and value.denominator != 1:
        return f"is {float(value):g}, which is no whole number, as counts with noise '{release.mechanism.kind}' are"
    noise = noise_of(release.mechanism)
    assert noise is not None
    away = float(abs(value - _nearest(query, value, size)))
    if away and not float(noise.log_weights(np.asarray(away))) > _FARTHEST:
        return (
            f"is {float(value):g}, and the noise of the plan never carries a {query.kind} so far: from the nearest one "
            "that is possible the chance is below 1e-99; is it in the same unit?"
        )
    return None


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


def _moments(pair: tuple[Release, Release], observed: Mapping[str, Fraction], priors: Priors) -> MomentsProblem:
    """The variance of a plan divides by n, that of the model by n - 1."""
    mean, variance = pair
    query: Any = mean.query
    mean_noise, variance_noise = noise_of(mean.mechanism), noise_of(variance.mechanism)
    assert mean_noise is not None
    assert variance_noise is not None
    factor = Fraction(query.size, query.size - 1)
    stated = StatedMoments(query.size, query.lower, query.upper, mean_noise, variance_noise.scaled(float(factor)))
    seen = NoisyMoments(stated, float(observed[mean.name]), float(factor * observed[variance.name]))
    return MomentsProblem((mean.name, variance.name), seen, priors.moments or Flat())


def _share(release: Release, value: Fraction, priors: Priors, size: int | None) -> ShareProblem:
    """A share is a count divided by the number of records, and so is its noise."""
    query: Any = release.query
    noise = noise_of(release.mechanism)
    assert noise is not None
    if query.kind == "count":
        assert size is not None
        return ShareProblem((release.name,), NoisyCount(size, noise, float(value)), priors.share or Beta())
    seen = NoisyCount(query.size, noise.scaled(query.size), float(value * query.size))
    return ShareProblem((release.name,), seen, priors.share or Beta())
