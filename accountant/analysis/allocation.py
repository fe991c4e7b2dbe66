"""Allocation: the same budgets, shared out among releases so that a stated error is as small as can be found."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Literal, get_args

from attrs import evolve, frozen

from accountant import fields
from accountant.accounting.account import account
from accountant.analysis.calibration import Calibration, calibrate
from accountant.analysis.cards import guarantee_row
from accountant.analysis.limits import limits_of
from accountant.analysis.scaling import rounded, scalable, scaled, unknown
from accountant.display.brief import Brief, Rich
from accountant.display.card import Card, CardRows
from accountant.errors import Fault, InvalidValue, PlanError
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, sqrt
from accountant.plan.given import PlanLike, plan_of
from accountant.plan.plan import Plan
from accountant.progress import stage, steps
from accountant.promise.guarantee import Guarantee
from accountant.registry.registry import Registry, default_registry

Minimised = Literal["squares", "largest"]
_ROUNDS, _EVEN = 8, 1.02
_STEP = Fraction(21, 20)
_COARSE, _FINE = "1e-3", "1e-4"
_DIGITS = 3


@frozen
class Allotment(Brief):
    """What one release gets: how many times its noise, and how far its numbers are from the exact ones, before and after.

    `factor` is None where the noise is as it was: there is none to scale, its law is not known, or it costs nothing.
    Distances are kept with the probability that was asked for; None where they are not known.
    """

    name: str
    weight: Fraction
    factor: Fraction | None
    before: Interval | None
    after: Interval | None


@frozen
class Allocation(Rich):
    """A plan whose budgets are shared out anew.

    Guarantee: `plan` keeps every limit by `guarantees`; `error`, the stated one of its releases, has no larger upper end
    than `common`, that of just enough noise by one common factor. That no other plan has less is not claimed.
    """

    plan: Plan
    minimised: Minimised
    share: Fraction
    allotments: tuple[Allotment, ...]
    error: Interval
    common: Interval
    guarantees: tuple[Guarantee, ...]
    labels: tuple[str, ...]

    def _card(self) -> Card:
        """The stated error beside that of a common factor, and what every release gets."""
        rows = tuple(
            (item.name, "as it was" if item.factor is None else plain(item.factor), _shown(item.before), _shown(item.after))
            for item in self.allotments
        )
        limits = tuple((label, *guarantee_row(found)) for label, found in zip(self.labels, self.guarantees, strict=True))
        return Card(
            f"{stated(self.minimised, self.share)}: {self.error}",
            None,
            (("with a common factor", str(self.common)),),
            (
                CardRows(("release", "times the noise", "distance before", "after"), rows),
                CardRows(("limit", "reading", "value"), limits),
            ),
        )


def stated(minimised: Minimised, share: Fraction) -> str:
    """The error that is made small, in words."""
    kept = f"distance from the exact number that noise keeps with probability {plain(share)}"
    return f"root of the weighted mean square of each {kept}" if minimised == "squares" else f"largest weighted {kept}"


def _shown(value: Interval | None) -> str:
    return "unknown" if value is None else str(value)


def reallocate(
    plan: PlanLike,
    *,
    without: Collection[str] = (),
    weights: Mapping[str, ExactLike] | None = None,
    minimise: Minimised = "squares",
    share: ExactLike = "0.95",
    registry: Registry | None = None,
) -> Allocation:
    """The plan with the noise of each release chosen so that all limits are kept and a stated error is small.

    The error of a release is the distance from the exact number that its noise keeps with probability `share`, for each
    number by itself. Made small is the weighted mean of its squares over the releases, or the largest weighted one; a
    weight is 1 where none is given. Releases in `without` are left out, and the others share what they cost.

    The largest error is least where all are equal. For squares, noise is moved between releases until the tightest limit
    falls equally fast, for each, by what it adds to the error: the condition of Lagrange, at which no small exchange helps.
    Then a common factor makes it just enough. The plan that is returned was checked as it stands.
    """
    known = registry or default_registry()
    given = plan_of(plan, registry=known)
    wanted = _Wanted.of(given, fields.names(without) or (), weights or {}, minimise, share)
    found = _Search(wanted, known).found()
    return wanted.allocated(given, *found)


@frozen
class _Wanted:
    """The releases that are left, and how their errors count."""

    plan: Plan
    weights: Mapping[str, Fraction]
    minimised: Minimised
    share: Fraction

    @classmethod
    def of(
        cls,
        plan: Plan,
        without: Collection[str],
        weights: Mapping[str, ExactLike],
        minimised: Minimised,
        share: ExactLike,
    ) -> _Wanted:
        if minimised not in get_args(Minimised):
            raise InvalidValue(f"what is minimised is 'squares' or 'largest', not {minimised!r}")
        faults = [*unknown(plan, without), *unknown(plan, weights)]
        exact_weights = {name: exact(weight) for name, weight in weights.items()}
        faults += [
            Fault(f"the weight of '{name}' must be above 0, got {plain(weight)}", "weight")
            for name, weight in exact_weights.items()
            if weight <= 0
        ]
        faults += [
            Fault(f"'{name}' is left out, so that its error has no weight", "weight") for name in weights if name in without
        ]
        number = exact(share)
        if not 0 < number < 1:
            faults.append(Fault(f"a probability must lie strictly between 0 and 1, got {plain(number)}", "share"))
        if faults:
            raise PlanError(tuple(faults))
        left = tuple(release for release in plan.releases if release.name not in without)
        if not left:
            raise PlanError((Fault("every release is left out: there is nothing to share a budget among", "release"),))
        return cls(evolve(plan, releases=left), exact_weights, minimised, number)

    def weight(self, name: str) -> Fraction:
        return self.weights.get(name, Fraction(1))

    def errors(self, plan: Plan, names: Collection[str]) -> dict[str, Interval]:
        """How far from the exact ones the numbers of each named release are, where that is known."""
        found = ((release.name, release.mechanism.error(self.share)) for release in plan.releases if release.name in names)
        return {name: error for name, error in found if error is not None and error.upper < math.inf}

    def total(self, errors: Mapping[str, Interval]) -> Interval:
        """The stated error of all."""
        if self.minimised == "largest":
            sides = [[(Ball.of(self.weight(name)) * end(error)) for name, error in errors.items()] for end in _ENDS]
            return Interval(max(side.lower for side in sides[0]), max(side.upper for side in sides[1]))
        low, high = (self._mean({name: end(error) for name, error in errors.items()}) for end in _ENDS)
        return Interval(max(0.0, low.lower), high.upper)

    def _mean(self, distances: Mapping[str, float]) -> Ball:
        whole = sum((Ball.of(self.weight(name)) for name in distances), Ball(0.0))
        squares = (Ball.of(self.weight(name)) * distance * distance for name, distance in distances.items())
        return sqrt(sum(squares, Ball(0.0)) / whole)

    def allocated(
        self, given: Plan, factors: Mapping[str, Fraction], found: Calibration, error: Interval, common: Interval
    ) -> Allocation:
        everything = [release.name for release in given.releases]
        before, after = self.errors(given, everything), self.errors(found.plan, everything)
        lines = (
            Allotment(
                release.name,
                self.weight(release.name),
                factors.get(release.name),
                *(errors.get(release.name) for errors in (before, after)),
            )
            for release in self.plan.releases
        )
        return Allocation(
            found.plan, self.minimised, self.share, tuple(lines), error, common, found.guarantees, found.labels
        )


def _lower(error: Interval) -> float:
    return error.lower


def _upper(error: Interval) -> float:
    return error.upper


_ENDS = (_lower, _upper)


class _Search:
    """Noise that is moved between releases while that makes the stated error smaller."""

    def __init__(self, wanted: _Wanted, registry: Registry) -> None:
        self.wanted, self.registry = wanted, registry
        plan = wanted.plan
        self.alone = wanted.errors(plan, scalable(plan))
        if not self.alone:
            why = "of no release is it known how far its noise takes a number from the exact one"
            raise PlanError((Fault(why, "release"),))
        self.alike = _alike(plan, self.alone, wanted)

    def found(self) -> tuple[dict[str, Fraction], Calibration, Interval, Interval]:
        """The best factors, the plan with just enough noise by them, its stated error, and that of one factor for all."""
        with stage(0.0, 0.1):
            best = common = self._just_enough(dict.fromkeys(self.alone, Fraction(1)), _FINE)
        with stage(0.1, 0.9):
            factors = self._equal() if self.wanted.minimised == "largest" else self._exchanged(common)
        with stage(0.9, 1.0):
            tried = self._just_enough({name: rounded(factor, _DIGITS) for name, factor in factors.items()}, _FINE)
        if tried[2].upper < best[2].upper:
            best = tried
        return (*best, common[2])

    def _just_enough(
        self, factors: Mapping[str, Fraction], tolerance: str
    ) -> tuple[dict[str, Fraction], Calibration, Interval]:
        """The factors, by a common one, at which every limit is just kept; and the stated error there."""
        found = calibrate(
            scaled(self.wanted.plan, factors), releases=list(self.alone), tolerance=tolerance, registry=self.registry
        )
        error = self.wanted.total(self.wanted.errors(found.plan, self.alone))
        return {name: factor * found.factor for name, factor in factors.items()}, found, error

    def _equal(self) -> dict[str, Fraction]:
        """Factors with which all errors weigh the same, about."""
        return {name: 1 / (self.wanted.weight(name) * Fraction(error.upper)) for name, error in self.alone.items()}

    def _exchanged(self, start: tuple[dict[str, Fraction], Calibration, Interval]) -> dict[str, Fraction]:
        """Factors with which the tightest limit falls equally fast by what each release adds to the error, about."""
        (best, _, least), power = start, 0.25
        rates = self._rates(best)
        for number in range(_ROUNDS):
            if not rates or max(rates.values()) <= _EVEN * min(rates.values()):
                break
            with stage(number / _ROUNDS, (number + 1) / _ROUNDS):
                middle = math.exp(sum(map(math.log, rates.values())) / len(rates))
                pushed = {name: Fraction((rate / middle) ** power) for name, rate in rates.items()}
                moved = {name: rounded(factor * pushed.get(name, 1), _DIGITS) for name, factor in best.items()}
                tried, _, error = self._just_enough(moved, _COARSE)
                if error.upper < least.upper:
                    best, least, rates = tried, error, self._rates(tried)
                else:
                    power /= 2.0
        return best

    def _rates(self, factors: Mapping[str, Fraction]) -> dict[str, float]:
        """How fast the tightest limit falls with the noise of a release, by how fast the stated error grows with it.

        Releases with which it does not fall are left out.
        """
        spent, tightest = max((excess, place) for place, excess in enumerate(self._excesses(factors)))
        rates = {}
        for names in steps(self.alike):
            moved = {**factors, **{name: factors[name] * _STEP for name in names}}
            fall = spent - self._excesses(moved)[tightest]
            for name in names:
                grown = float(self.wanted.weight(name)) * (float(factors[name]) * self.alone[name].upper) ** 2
                if fall > 0.0:
                    rates[name] = fall / len(names) / grown
        return rates

    def _excesses(self, factors: Mapping[str, Fraction]) -> list[float]:
        """What is spent of each limit, as the logarithm of its share."""
        whole = account(scaled(self.wanted.plan, factors), registry=self.registry)
        return [limit.excess for limit in limits_of(whole)]


def _alike(plan: Plan, names: Collection[str], wanted: _Wanted) -> list[list[str]]:
    """The names of releases, those together that nothing tells apart but their names."""
    groups: dict[object, list[str]] = {}
    for release in plan.releases:
        if release.name in names:
            groups.setdefault((evolve(release, name="-"), wanted.weight(release.name)), []).append(release.name)
    return list(groups.values())
