"""What may go wrong in a risk profile."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import evolve

from accountant.accounting.account import Account, account as accounted
from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Verdict
from accountant.promise.risk import RISK_PROFILES, Assessment, Recommendation, RiskProfile
from accountant.testing.planting import as_a, faulty

FAMILY = RISK_PROFILES


def tolerance_ignored(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It recommends four times as much as is admissible."""
    return faulty(cls, recommend=lambda self: _more(cls.recommend(self), 4))


def more_recommended_than_is_assessed(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It recommends four times as much as is admissible, and assesses by what is."""
    return faulty(
        cls,
        recommend=lambda self: _more(cls.recommend(self), 4),
        assess=lambda self, account: cls.assess(as_a(cls, self), account),
    )


def beliefs_that_decide_nothing(cls: type[RiskProfile]) -> type[RiskProfile]:
    """What is recommended is said to be decided by those who are nearly certain, who learn hardly anything."""
    sure = Fraction(99, 100)
    return faulty(cls, recommend=lambda self: evolve(cls.recommend(self), membership=sure, disclosure=sure))


def nobody_asked(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It speaks of no attacker, so that whatever it recommends is right."""
    return faulty(
        cls, asks=lambda self, membership, disclosure: False, recommend=lambda self: _more(cls.recommend(self), 10)
    )


def second_step_forgotten(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It admits twice as much, as if somebody with another value were one step away, and not two."""
    return faulty(cls, recommend=lambda self: _more(cls.recommend(self), 2))


def other_neighbours_called_kept(cls: type[RiskProfile]) -> type[RiskProfile]:
    """Its theorem is about who is there, and other neighbours are assessed all the same."""

    def recommend(self: Any) -> Recommendation:
        found = cls.recommend(self)
        return evolve(found, theorem=evolve(found.theorem, relations=("add-remove",)))

    return faulty(cls, recommend=recommend)


def exact_numbers_ignored(cls: type[RiskProfile]) -> type[RiskProfile]:
    """What is published exactly beside the releases makes no difference."""

    def assess(self: RiskProfile, account: Account) -> Assessment:
        plan = account.plan
        without = evolve(plan, specification=evolve(plan.specification, invariants=()))
        return cls.assess(self, accounted(without, registry=account.registry))

    return faulty(cls, assess=assess)


def everything_called_kept(cls: type[RiskProfile]) -> type[RiskProfile]:
    """Whatever an account promises, it is said to stay within."""
    return faulty(cls, assess=lambda self, account: evolve(cls.assess(self, account), verdict=Verdict.IMPLIED))


def lower_end_compared(cls: type[RiskProfile]) -> type[RiskProfile]:
    """What is lost at least is compared with what is admissible, and not what may be lost."""

    def assess(self: RiskProfile, account: Account) -> Assessment:
        found = cls.assess(self, account)
        kept = found.found.value.lower <= found.admissible.lower
        return evolve(found, verdict=Verdict.IMPLIED) if kept else found

    return faulty(cls, assess=assess)


def exceeded_where_it_is_not_known(cls: type[RiskProfile]) -> type[RiskProfile]:
    """What is not known to stay within is said to exceed."""

    def assess(self: RiskProfile, account: Account) -> Assessment:
        found = cls.assess(self, account)
        return evolve(found, verdict=Verdict.REFUTED) if found.verdict is Verdict.UNKNOWN else found

    return faulty(cls, assess=assess)


def small_tolerances_taken_for_larger(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It never recommends less than a twentieth."""

    def recommend(self: RiskProfile) -> Recommendation:
        found = cls.recommend(self)
        return found if found.epsilon.lower > 0.05 else evolve(found, epsilon=Interval.of(Fraction(1, 20)))

    return faulty(cls, recommend=recommend)


def rare_leak_ignored(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It looks at what is lost but for a chance of one in a thousand, and does not say so."""

    def assess(self: RiskProfile, account: Account) -> Assessment:
        found, mostly = cls.assess(self, account), account.loss.epsilon(Fraction(1, 1000))
        return evolve(found, verdict=Verdict.IMPLIED) if mostly.upper <= found.admissible.lower else found

    return faulty(cls, assess=assess)


def less_than_nothing_tolerated(cls: type[RiskProfile]) -> type[RiskProfile]:
    """Where membership is unlikely, less is tolerated than that nothing is learned."""

    def tolerance(self: RiskProfile, membership: Fraction, disclosure: Fraction) -> Interval:
        found = cls.tolerance(self, membership, disclosure)
        return Interval(float(membership) * found.lower, float(membership) * found.upper)

    return faulty(cls, tolerance=tolerance)


def difference_taken_for_ratio(cls: type[RiskProfile]) -> type[RiskProfile]:
    """What a posterior may exceed its prior by is taken for a ratio."""

    def tolerance(self: RiskProfile, membership: Fraction, disclosure: Fraction) -> Interval:
        found = cls.tolerance(self, membership, disclosure)
        return Interval(found.lower - 1.0, found.upper - 1.0)

    return faulty(cls, tolerance=tolerance)


def failure_hidden(cls: type[RiskProfile]) -> type[RiskProfile]:
    """It asks of nobody, so that everything is tolerated, and recommends as much as anybody likes."""
    return faulty(cls, recommend=lambda self: _more(cls.recommend(self), 100))


def _more(found: Recommendation, times: int) -> Any:
    return evolve(found, epsilon=Interval(times * found.epsilon.lower, times * found.epsilon.upper))
