"""Relative: what a plan promises about secrets, given what is public anyway."""

from __future__ import annotations

from attrs import evolve, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.theorems import COUPLED
from accountant.display.brief import Rich
from accountant.display.card import Card
from accountant.errors import AccountantError, InvalidValue, ReadingError
from accountant.loss import NO_LOSS, PrivacyLoss, both_orders
from accountant.numbers.interval import Interval
from accountant.promise.cards import BUDGETS, verdict_label
from accountant.promise.divergence import Divergence
from accountant.promise.guarantee import Guarantee, Step, Verdict, folded
from accountant.promise.public_facts import Public, Reach
from accountant.promise.specification import Budget


@frozen
class Relative(Rich):
    """A budget relative to public information, and whether it is kept.

    `between` is what holds between any two datasets as far apart as a secret can move them. By `COUPLED` that bounds what
    the output tells about the secrets from above; from below nothing is known, so that a budget is never refuted. Where
    there is no such bound, `remark` says why.
    """

    budget: Budget
    reach: Reach
    between: Guarantee | None
    verdict: Verdict
    remark: str | None = None

    @property
    def value(self) -> Interval:
        """At most what holds between the datasets."""
        return Interval(0.0, float("inf") if self.between is None else self.between.value.upper)

    def _card(self) -> Card:
        """Whether the budget is kept, how far a secret can move the data, and the bound or why there is none."""
        units, held = self.reach.units, self.between
        moved = "any number of units" if units is None else "1 unit" if units == 1 else f"{units:,} units"
        bound = "none" if held is None else f"{held.name} at most {held.value.rounded(6)[1]}{held.at_words}"
        facts = (
            ("a secret moves", moved),
            ("bound", bound),
            *([] if self.remark is None else [("because", self.remark)]),
        )
        title, label = f"{self.budget}, relative to public information", verdict_label(self.verdict.value, BUDGETS)
        return Card(title, label, facts, folded(held.derivation) if held is not None else ())


def relative(whole: Account, public: Public, budget: Budget) -> Relative:
    """What all releases together promise relative to public information, and whether that keeps a budget."""
    found = public.reach(whole.plan.specification.neighbours)
    if found.vacuous:
        return Relative(budget, found, None, Verdict.VACUOUS, "public information decides every secret")
    if found.units is None:
        return _unknown(budget, found, "under some scenario the data can be arbitrarily far apart")
    if found.units > 1 and (why := whole.one_step_only):
        return _unknown(budget, found, why)
    try:
        between = _between(whole, public, budget, found.units)
    except AccountantError as error:
        return _unknown(budget, found, str(error))
    return Relative(budget, found, between, Verdict.IMPLIED if between.value.at_most(budget.limit) else Verdict.UNKNOWN)


def _unknown(budget: Budget, found: Reach, remark: str) -> Relative:
    return Relative(budget, found, None, Verdict.UNKNOWN, remark)


def _single(inside: Account, definition: Divergence) -> PrivacyLoss:
    """The loss that dominates wherever the unit is; where there is none, a mixture of the cases may be worse than each."""
    if len(inside.whereabouts) > 1:
        raise ReadingError(
            f"one point of '{definition.name}' does not survive mixing, and no single loss stands for "
            f"{len(inside.whereabouts):,} cases of where a unit may be; give the budget in 'approx' or another "
            "convex definition"
        )
    return inside.loss


def _between(whole: Account, public: Public, budget: Budget, units: int) -> Guarantee:
    """What holds between datasets that differ in so many units, with the step from there to the secrets."""
    specification, definition = whole.plan.specification, budget.divergence
    at = budget.at
    if units == 0:
        value = definition.measure(NO_LOSS, at)
        held = evolve(whole.check(budget)[0], value=value, evidence="equal laws", derivation=(), remark=None)
    else:
        try:
            neighbours = evolve(specification.neighbours, group=units)
        except InvalidValue as error:
            raise InvalidValue(f"a secret can move {units:,} units, and how many are compared at once {error}") from error
        plan = evolve(whole.plan.bare, specification=evolve(specification, neighbours=neighbours))
        inside = account(plan, registry=whole.registry)
        held = inside.measure(definition.name, at)
        if not definition.properties.convexity:
            # A point of such a definition does not survive mixing; a loss that dominates all pairs, in both orders, does.
            loss = both_orders(_single(inside, definition))
            if held.evidence != "product pair" or loss is not inside.loss:
                held = evolve(held, value=definition.measure(loss, at), evidence="product pair")
    steps = held.derivation
    far = "1 unit" if units == 1 else f"{units:,} units"
    moved = f"given '{public.name}', the data under both sides of any pair of secrets can be coupled within {far}"
    step = Step(moved, public.theorem)
    last = Step(
        f"{held.name} of all releases together relative to '{public.name}' is at most that between such datasets",
        COUPLED,
        (len(steps), len(steps) + 1) if steps else (1,),
        Interval(0.0, held.value.upper),
    )
    return evolve(held, specification=specification, derivation=(*steps, step, last))
