"""Calibration: the least noise with which a plan keeps its budgets."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from fractions import Fraction

from attrs import evolve, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.relative import relative
from accountant.errors import Fault, InvalidValue, PlanError, suggest
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.plan.plan import Plan
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.registry.registry import Registry, default_registry

_FARTHEST = 60
_DIGITS = 8
_NEVER = (
    "no amount of noise keeps every budget: releases that are not scaled spend too much already, or the definition asks "
    "for what this noise cannot give; change the budget or the other releases"
)
_ALWAYS = "every budget is kept with hardly any noise at all: there is nothing to calibrate; give a smaller budget"


@frozen
class Calibration:
    """A plan with just enough noise.

    Guarantee: `plan`, which has `factor` times the noise, keeps every budget by `guarantees`; with `less` times the noise,
    smaller by the tolerance, some budget is exceeded or not known to be kept.
    """

    plan: Plan
    factor: Fraction
    less: Fraction
    guarantees: tuple[Guarantee, ...]


def calibrate(
    plan: Plan, *, releases: Collection[str] | None = None, tolerance: ExactLike = "1e-4", registry: Registry | None = None
) -> Calibration:
    """The plan with the smallest common factor on the noise of the named releases, or of all that have any.

    More noise is taken to lose less, as it does for all bundled kinds up to rounding on a lattice; what is returned was
    checked at the factor itself and just below it.
    """
    return _Search(plan, _scalable(plan, releases), _tolerance(tolerance), registry or default_registry()).found()


def _tolerance(value: ExactLike) -> Fraction:
    number = exact(value)
    if not 0 < number < 1:
        raise PlanError((Fault(f"a tolerance must lie strictly between 0 and 1, got {plain(number)}", "tolerance"),))
    return number


def _scalable(plan: Plan, names: Collection[str] | None) -> frozenset[str]:
    """The releases whose noise is scaled; every one that cannot be is a fault."""
    noisy = {release.name for release in plan.releases if release.mechanism.scaled(Fraction(1)) is not None}
    faults = []
    if not plan.specification.budgets and not plan.knowledge and not plan.risks:
        faults.append(Fault("a plan needs at least one budget to be calibrated; add a [[budget]] table", "budget"))
    known = {release.name: index for index, release in enumerate(plan.releases)}
    for name in names or ():
        if name not in known:
            faults.append(Fault(f"no release is called '{name}'{suggest(name, known)}", "release"))
        elif name not in noisy:
            faults.append(Fault(f"'{name}' has no noise to scale", f"release[{known[name]}].mechanism"))
    if not noisy and not names:
        faults.append(Fault("no release has noise to scale", "release"))
    if faults:
        raise PlanError(tuple(faults))
    return frozenset(names or noisy)


def _checked(whole: Account) -> Iterator[tuple[float, Guarantee, Verdict]]:
    """Each limit of a plan, what is spent of it, and whether that keeps it."""
    for budget in whole.plan.specification.budgets:
        guarantee, verdict = whole.check(budget)
        yield float(budget.limit), guarantee, verdict
    for known in whole.plan.knowledge:
        for budget in known.budgets:
            found = relative(whole, known.public, budget)
            if found.between is None:
                raise InvalidValue(f"relative to '{known.public.name}' nothing is known at any noise: {found.remark}")
            yield float(budget.limit), found.between, found.verdict
    for risk in whole.plan.risks:
        assessed = risk.assess(whole)
        yield assessed.admissible.lower, assessed.found, assessed.verdict


class _Search:
    """A secant search for the factor at which the tightest budget is just kept, inside a bracket that it closes."""

    def __init__(self, plan: Plan, names: frozenset[str], tolerance: Fraction, registry: Registry) -> None:
        self.plan, self.names, self.tolerance, self.registry = plan, names, tolerance, registry
        self.seen: dict[Fraction, tuple[float, tuple[Guarantee, ...]]] = {}

    def found(self) -> Calibration:
        low, high = self._bracket()
        while high > low * (1 + self.tolerance):
            guess = self._guess(low, high)
            if self._excess(guess) <= 0.0:
                high = guess
            else:
                low = guess
        return Calibration(self._scaled(high), high, low, self.seen[high][1])

    def _bracket(self) -> tuple[Fraction, Fraction]:
        """A factor that is too small and one that is enough."""
        low = high = Fraction(1)
        if self._excess(high) > 0.0:
            while self._excess(high) > 0.0:
                if high > 2**_FARTHEST or (high > 1 and self._excess(high) >= self._excess(low) == math.inf):
                    raise PlanError((Fault(_NEVER, "budget"),))
                low, high = high, 4 * high
            return low, high
        while self._excess(low) <= 0.0:
            if low < Fraction(1, 2**_FARTHEST):
                raise PlanError((Fault(_ALWAYS, "budget"),))
            low, high = low / 4, low
        return low, high

    def _guess(self, low: Fraction, high: Fraction) -> Fraction:
        """Where the line through both ends, on logarithmic scales, says that the budget is met; a little above it."""
        below, above = self._excess(low), self._excess(high)
        span = math.log(high / low)
        share = below / (below - above) if math.isfinite(below) and math.isfinite(above) else 0.5
        step = min(max(share * span, 0.02 * span), 0.98 * span) + 0.2 * math.log1p(float(self.tolerance))
        guess = _rounded(low * Fraction(math.exp(step)))
        return guess if low < guess < high else (low + high) / 2

    def _excess(self, factor: Fraction) -> float:
        """The logarithm of the largest ratio of what is spent to what may be; not positive if every budget is kept."""
        if factor not in self.seen:
            whole = account(self._scaled(factor), registry=self.registry)
            ratios, guarantees = [], []
            for limit, guarantee, verdict in _checked(whole):
                spent = guarantee.value.upper
                ratio = math.log(spent) - math.log(limit) if 0.0 < spent < math.inf and limit > 0 else math.inf
                ratios.append(min(ratio, 0.0) if verdict is Verdict.IMPLIED else max(ratio, 1e-12))
                guarantees.append(guarantee)
            self.seen[factor] = max(ratios), tuple(guarantees)
        return self.seen[factor][0]

    def _scaled(self, factor: Fraction) -> Plan:
        releases = []
        for release in self.plan.releases:
            mechanism = release.mechanism.scaled(factor) if release.name in self.names else None
            releases.append(release if mechanism is None else evolve(release, mechanism=mechanism))
        return evolve(self.plan, releases=tuple(releases))


def _rounded(value: Fraction) -> Fraction:
    """A number of few digits, so that parameters stay readable."""
    power = 10 ** (_DIGITS - math.floor(math.log10(value)))
    return Fraction(math.ceil(value * power), power) if power >= 1 else Fraction(math.ceil(value))
