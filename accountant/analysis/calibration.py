"""Calibration: just enough noise for a plan to keep its budgets."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from fractions import Fraction
from itertools import count
from typing import overload

import attrs
from attrs import evolve, field, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.lens import stated_by
from accountant.accounting.width import known_twice
from accountant.analysis.cards import guarantee_row
from accountant.analysis.limits import Limit, limits_of
from accountant.analysis.scaling import limited, rounded, scalable, scaled
from accountant.display.brief import Rich
from accountant.display.card import Card, CardRows
from accountant.errors import AccountantError, Fault, InvalidValue, PlanError
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.plan.card import release_table
from accountant.plan.given import PlanLike, plan_of
from accountant.plan.plan import Plan
from accountant.progress import stage
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.specification import Budget
from accountant.registry.registry import Registry, default_registry
from accountant.release.release import Mechanism

_FARTHEST = 60
_FAR_ENOUGH = math.log(256.0)
_SMOOTH = 6
"""So many steps are enough for every smooth loss."""
_LOOKED_AT = tuple(Fraction(share, 100) for share in (98, 95, 90, 85, 80, 70, 60, 50))
"""Where smaller factors are tried, as shares of one that is enough."""
_ROUNDS = 4
_NEVER = "no amount of noise keeps every budget"
_CHANGE = "change this limit, or what else the plan releases or publishes exactly"
_ALWAYS = "every budget is kept with hardly any noise at all: there is nothing to calibrate; give a smaller budget"


@frozen
class Calibration(Rich):
    """A plan with just enough noise.

    Guarantee: `plan`, which has `factor` times the noise, keeps every budget by `guarantees`; with `less` times the noise,
    smaller by the tolerance, some budget is exceeded or not known to be kept. `labels` say which limit of the plan each
    guarantee is about.
    """

    plan: Plan
    factor: Fraction
    less: Fraction
    guarantees: tuple[Guarantee, ...]
    labels: tuple[str, ...] = ()

    def _card(self) -> Card:
        """The factor that is enough and the one that is not known to be, and what holds with it."""
        labels = self.labels or ("",) * len(self.guarantees)
        rows = tuple((label, *guarantee_row(item)) for label, item in zip(labels, self.guarantees, strict=True))
        less = f"{plain(self.less)} times the noise: some limit is exceeded, or not known to be kept"
        return Card(
            f"{plain(self.factor)} times the noise keeps every limit",
            None,
            (("too little", less),),
            (CardRows(("limit", "reading", "value"), rows), release_table(self.plan.releases)),
        )


@frozen(repr=False)
class Calibrated(Account):
    """An account with just enough noise for its budgets, which say what was asked for.

    Guarantee: as for `Calibration`, whose `factor`, `less`, `guarantees` and `labels` it has.
    """

    factor: Fraction = field(kw_only=True)
    less: Fraction = field(kw_only=True)
    guarantees: tuple[Guarantee, ...] = field(kw_only=True)
    labels: tuple[str, ...] = field(kw_only=True)
    noise: Mapping[str, Mapping[str, Fraction]] = field(kw_only=True)
    """The noise that was found: of every release that was scaled, by its name, the parameters that changed, by theirs."""

    def _card(self) -> Card:
        """What the account says, after the noise that was found."""
        found = (f"{name}: {key} = {plain(value)}" for name, noise in self.noise.items() for key, value in noise.items())
        card = super()._card()
        return evolve(card, facts=(("least noise", "; ".join(found)), *card.facts))

    @classmethod
    def found(cls, start: Plan, result: Calibration, registry: Registry) -> Calibrated:
        """The account of what was found, and how its noise differs from that of the plan that was calibrated."""
        made = account(result.plan, registry=registry)
        pairs = zip(start.releases, result.plan.releases, strict=True)
        noise = {old.name: changed for old, new in pairs if (changed := _changed(old.mechanism, new.mechanism))}
        return cls(
            made.plan,
            made.composed,
            made.whereabouts,
            factor=result.factor,
            less=result.less,
            guarantees=result.guarantees,
            labels=result.labels,
            noise=noise,
        )


def _changed(old: Mechanism, new: Mechanism) -> dict[str, Fraction]:
    """The numbers among the parameters of a mechanism that another one has otherwise, by name."""
    members = {member.alias or member.name: member.name for member in attrs.fields(type(new))}
    values = {alias: (getattr(old, name), getattr(new, name)) for alias, name in members.items()}
    return {alias: after for alias, (before, after) in values.items() if isinstance(after, Fraction) and before != after}


@overload
def calibrate(
    plan: Account,
    *,
    releases: Collection[str] | None = None,
    tolerance: ExactLike = "1e-4",
    registry: Registry | None = None,
    **parameter: ExactLike,
) -> Calibrated: ...


@overload
def calibrate(
    plan: PlanLike,
    *,
    releases: Collection[str] | None = None,
    tolerance: ExactLike = "1e-4",
    registry: Registry | None = None,
    **parameter: ExactLike,
) -> Calibration: ...


def calibrate(
    plan: PlanLike | Account,
    *,
    releases: Collection[str] | None = None,
    tolerance: ExactLike = "1e-4",
    registry: Registry | None = None,
    **parameter: ExactLike,
) -> Calibration | Calibrated:
    """The plan with a common factor on the noise of the named releases, or of all that have any, that is just enough.

    An account gives another account, with the least noise and what it is. Where a `parameter` is given, such as
    `epsilon="3", delta="1e-5"`, it is the only thing to be kept; otherwise all budgets of the plan are, those relative to
    public information and its risk profiles.

    What is returned was checked at the factor itself and just below it, and nothing between them is claimed. It is the
    smallest factor where what is known to be lost falls as noise grows: that can fail by rounding on a lattice, and where
    bounds are wide by an amount that jumps. Where numbers left the bounds wide just below the factor, eight smaller ones
    are tried, down to half of it, and the search goes on below the smallest of them that is enough.
    """
    known = registry or (plan.registry if isinstance(plan, Account) else default_registry())
    given = plan.plan if isinstance(plan, Account) else plan_of(plan, registry=known)
    if isinstance(plan, Account) and not parameter and not limited(given):
        raise InvalidValue('say what is to be kept, such as calibrate(run, epsilon="3", delta="1e-5")')
    wanted = _keeping(given, parameter, known) if parameter else given
    result = _Search(wanted, scalable(wanted, releases), _tolerance(tolerance), known).found()
    return Calibrated.found(given, result, known) if isinstance(plan, Account) else result


def _keeping(plan: Plan, parameter: Mapping[str, ExactLike], registry: Registry) -> Plan:
    """The plan with nothing to be kept but a budget."""
    definition = stated_by(registry, *parameter)
    budget = Budget(definition, definition.stating(parameter))
    return evolve(plan.bare, specification=evolve(plan.specification, budgets=(budget,)))


def _tolerance(value: ExactLike) -> Fraction:
    number = exact(value)
    if not 0 < number < 1:
        raise PlanError((Fault(f"a tolerance must lie strictly between 0 and 1, got {plain(number)}", "tolerance"),))
    return number


class _Search:
    """A secant search for a factor at which the tightest limit is just kept, inside a bracket that it closes."""

    def __init__(self, plan: Plan, names: frozenset[str], tolerance: Fraction, registry: Registry) -> None:
        self.plan, self.names, self.tolerance, self.registry = plan, names, tolerance, registry
        self.seen: dict[Fraction, tuple[float, tuple[Limit, ...]]] = {}
        self.obstacle = ""

    def found(self) -> Calibration:
        self._check_the_rest()
        low, high = self._closed(*self._bracket())
        for _ in range(_ROUNDS):
            if not self._erratic(low) or (smaller := self._smaller(high)) is None:
                break
            low, high = self._closed(*smaller)
        limits = self.seen[high][1]
        guarantees, labels = tuple(limit.guarantee for limit in limits), tuple(limit.label for limit in limits)
        return Calibration(self._scaled(high), high, low, guarantees, labels)

    def _closed(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """A bracket as narrow as the tolerance inside the given one."""
        for number in count():
            if high <= low * (1 + self.tolerance):
                break
            # Where the loss is no smooth function of the noise, every other step halves what is left.
            guess = self._guess(low, high) if number < _SMOOTH or number % 2 else self._between(low, high, 0.5)
            if self._excess(guess) <= 0.0:
                high = guess
            else:
                low = guess
        return low, high

    def _erratic(self, factor: Fraction) -> bool:
        """Whether numbers alone kept a limit from being settled, so that less noise may be known to be enough."""
        limits = self.seen[factor][1]
        if not any(limit.verdict is Verdict.UNKNOWN and limit.guarantee.remark is not None for limit in limits):
            return False
        whole = account(self._scaled(factor), registry=self.registry)
        return not any(known_twice(place.composed) for place in whole.whereabouts or (whole,))

    def _smaller(self, factor: Fraction) -> tuple[Fraction, Fraction] | None:
        """The smallest of some smaller factors that is enough, and the next below it; None where none is."""
        looked_at = [rounded(factor * share) for share in _LOOKED_AT]
        enough = [place for place, smaller in enumerate(looked_at) if self._excess(smaller) <= 0.0]
        if not enough:
            return None
        below = enough[-1] + 1
        low = looked_at[below] if below < len(looked_at) else looked_at[-1] / 2
        return (low, looked_at[enough[-1]]) if self._excess(low) > 0.0 else (looked_at[-1] / 4, low)

    def _check_the_rest(self) -> None:
        """Refuse limits that are not kept by what is not scaled alone: however much noise there is, that stays."""
        rest = tuple(release for release in self.plan.releases if release.name not in self.names)
        whole = account(evolve(self.plan, releases=rest), registry=self.registry)
        said = "of the releases that are not scaled alone," if rest else "even if nothing were released,"
        faults = [
            Fault(f"{_NEVER}: {said} {limit.why}; {_CHANGE}", limit.place)
            for limit in limits_of(whole)
            if limit.verdict is not Verdict.IMPLIED
        ]
        if faults:
            raise PlanError(tuple(faults))

    def _bracket(self) -> tuple[Fraction, Fraction]:
        """A factor that is too small and one that is enough."""
        low = high = step = Fraction(1)
        if self._excess(high) > 0.0:
            while self._excess(high) > 0.0:
                if high > 2**_FARTHEST:
                    raise self._never(high)
                step = self._next(step, high)
                if not self._readable(rounded(high * step)):
                    step = Fraction(4)
                    if not self._readable(high * step):
                        raise self._never(high)
                low, high = high, rounded(high * step)
            return low, high
        while self._excess(low) <= 0.0:
            if low < Fraction(1, 2**_FARTHEST):
                raise PlanError((Fault(_ALWAYS, "budget"),))
            step = self._next(step, low)
            low, high = rounded(low / step), low
        return low, high

    def _next(self, step: Fraction, factor: Fraction) -> Fraction:
        """How far to go on: as far as is enough where the loss falls at least like the noise grows, then ever farther."""
        excess = abs(self._excess(factor))
        if not math.isfinite(excess):
            return min(max(step, Fraction(4)) ** 2, Fraction(2**_FARTHEST))
        least = 1 + self.tolerance / 2 if step == 1 else min(step**2, Fraction(4))
        return max(rounded(Fraction(math.exp(min(excess, _FAR_ENOUGH)))), least)

    def _readable(self, factor: Fraction) -> bool:
        """Whether anything can be said with so much noise; what keeps it from being said is remembered."""
        try:
            self._excess(factor)
        except AccountantError as error:
            self.obstacle = f", and with more nothing can be read ({error})"
            return False
        return True

    def _never(self, factor: Fraction) -> PlanError:
        """What to say where no noise was enough: which limits are still not kept."""
        missed = [limit for limit in self.seen[factor][1] if limit.verdict is not Verdict.IMPLIED]
        said = f"{_NEVER}: with {float(factor):.1e} times the noise"
        return PlanError(tuple(Fault(f"{said} {limit.why}{self.obstacle}; {_CHANGE}", limit.place) for limit in missed))

    def _guess(self, low: Fraction, high: Fraction) -> Fraction:
        """A little above where the budget seems to be met, or a little below it where a factor just above is known."""
        share = self._met(low, high)
        margin = 0.45 * math.log1p(float(self.tolerance)) / math.log(high / low)
        return self._between(low, high, share - margin if share + 1.5 * margin > 1.0 else share + margin)

    def _between(self, low: Fraction, high: Fraction, share: float) -> Fraction:
        """So far from one factor to another on a logarithmic scale, and strictly between them."""
        guess = rounded(low * Fraction(math.exp(share * math.log(high / low))))
        return guess if low < guess < high else (low + high) / 2

    def _met(self, low: Fraction, high: Fraction) -> float:
        """How far from one end to the other a curve through what was seen, on logarithmic scales, says the budget is met.

        It is a parabola through both ends and the closest third place, or the line through the ends.
        """
        span = math.log(high / low)
        places = sorted((abs(math.log(factor / low)), factor) for factor in self.seen if factor not in (low, high))
        points = [(self._excess(factor), math.log(factor / low) / span) for factor in (low, high)]
        if not all(math.isfinite(excess) for excess, _ in points):
            return 0.5
        for _, factor in places[:1]:
            points.append((self._excess(factor), math.log(factor / low) / span))
        shares = [_at_zero(some) for some in (points, points[:2])]
        return next((share for share in shares if 0.0 < share < 1.0), 0.5)

    def _excess(self, factor: Fraction) -> float:
        """The logarithm of the largest ratio of what is spent to what may be; not positive if every limit is kept."""
        if factor not in self.seen:
            # Nobody knows how many it takes; ten factors are usual, and so many are nine tenths of the way.
            tried = len(self.seen)
            with stage(1.0 - 0.8**tried, 1.0 - 0.8 ** (tried + 1)):
                limits = tuple(limits_of(account(self._scaled(factor), registry=self.registry)))
            self.seen[factor] = max(limit.excess for limit in limits), limits
        return self.seen[factor][0]

    def _scaled(self, factor: Fraction) -> Plan:
        return scaled(self.plan, dict.fromkeys(self.names, factor))


def _at_zero(points: list[tuple[float, float]]) -> float:
    """Where a polynomial through points is at 0; nowhere if two are at one height or at none."""
    heights = [height for height, _ in points]
    if len(set(heights)) < len(heights) or not all(map(math.isfinite, heights)):
        return math.nan
    shares = (
        place * math.prod(other / (other - height) for other in heights if other != height) for height, place in points
    )
    return sum(shares)
