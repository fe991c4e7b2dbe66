"""Implication: whether a whole promise, with its units, attributes, invariants and budgets, implies another.

Every mechanism that keeps the first promise keeps the second if the second speaks about no more datasets, compares no pairs
that the first does not bound, and at every distance allows at least what the first allows there. Where one of these
fails, a mechanism that publishes what the first leaves open, or spends what it allows, is a counterexample on two
datasets that the second compares. See docs/explanation/invariants.md.
"""

from __future__ import annotations

from attrs import evolve, frozen

from accountant.analysis.compared import Reason, Steps, steps_between, stride
from accountant.analysis.comparison import compare, witness
from accountant.analysis.units import Members
from accountant.display.brief import Rich
from accountant.display.card import Card, CardRows
from accountant.fields import expect
from accountant.numbers.exact import plain
from accountant.promise.among import vacuous
from accountant.promise.cards import verdict_label
from accountant.promise.datasets import Contrast, nearest
from accountant.promise.guarantee import Verdict
from accountant.promise.specification import Budget, Specification
from accountant.registry.registry import Registry, default_registry

FARTHEST = 256
"""How many distances are compared one by one before the answer is that it is not known."""

_SENTENCES = {
    Verdict.IMPLIED: "whatever keeps the first promise keeps the second",
    Verdict.REFUTED: "something keeps the first promise and not the second",
    Verdict.UNKNOWN: "whether the first promise implies the second is not settled",
    Verdict.VACUOUS: "the second promise compares no two datasets, so that everything keeps it and nothing is promised",
}


@frozen
class Implication(Rich):
    """Whether one specification implies another, block by block."""

    verdict: Verdict
    reasons: tuple[Reason, ...]

    def _card(self) -> Card:
        """The verdict, and what each block of the specifications contributes."""
        rows = tuple((reason.block, verdict_label(reason.verdict.value), reason.words) for reason in self.reasons)
        table = CardRows(("block", "verdict", "because"), rows)
        return Card(_SENTENCES[self.verdict], verdict_label(self.verdict.value), (), (table,))


def implies(
    known: Specification, wanted: Specification, *, members: Members | None = None, registry: Registry | None = None
) -> Implication:
    """Whether every mechanism that keeps `known` keeps `wanted`.

    Guarantee: implied holds for every mechanism; refuted has a mechanism that is a counterexample, named in the reason
    with two datasets that the second compares; vacuous means that the second promise compares nothing, in units that any
    of its budgets is for, so that everything keeps it.
    """
    for promised in (known, wanted):
        expect(Specification, promised, "give that of a plan, or read one with load_specification")
    if nothing := _nothing_compared(wanted):
        return Implication(Verdict.VACUOUS, nothing)
    reasons, steps = steps_between(known, wanted, members or {})
    if all(reason.verdict is Verdict.IMPLIED for reason in reasons):
        reasons += _budgets(known, wanted, steps, registry or default_registry())
    order = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.IMPLIED)
    verdict = next(verdict for verdict in order if any(reason.verdict is verdict for reason in reasons))
    return Implication(verdict, tuple(reasons))


def _nothing_compared(wanted: Specification) -> tuple[Reason, ...]:
    """Why no budget of a promise compares any two datasets; nothing where one may."""
    if vacuous(wanted):
        words = f"no two datasets of '{wanted.domain}' that agree on all invariants differ"
        return (Reason("scope", Verdict.VACUOUS, words),)
    if not wanted.budgets or not all(vacuous(wanted, budget.cohort) for budget in wanted.budgets):
        return ()
    return tuple(_nobody(budget) for budget in wanted.budgets)


def _nobody(budget: Budget) -> Reason:
    words = f"{budget.of_everybody}: no two datasets that agree on all invariants differ in {budget.cohort} only"
    return Reason("budget", Verdict.VACUOUS, words)


# How much is allowed --------------------------------------------------------------------------------------------------


def _budgets(known: Specification, wanted: Specification, steps: Steps, registry: Registry) -> list[Reason]:
    """Each budget of the second, from those of the first at every distance; those that compare nothing are kept anyway."""
    return [
        _nobody(budget) if vacuous(wanted, budget.cohort) else _budget(known, wanted, budget, steps, registry)
        for budget in wanted.budgets
    ]


def _budget(known: Specification, wanted: Specification, budget: Budget, steps: Steps, registry: Registry) -> Reason:
    """Whether a budget follows from those that bound all the units that it is for.

    Steps that change units of a cohort only are steps that change units of a larger one. What keeps all budgets of the
    first as if they were for everybody keeps those of cohorts too, so that it may be a counterexample.
    """
    bounding = tuple(
        item.of_everybody
        for item in known.budgets
        if item.cohort is None or (_bounds(item, known, budget, wanted) and _through(known, wanted, steps))
    )
    found = _followed(evolve(known, budgets=bounding), wanted, budget.of_everybody, steps, registry)
    if found.verdict is not Verdict.IMPLIED and budget.cohort is None:
        everybody = evolve(known, budgets=tuple(item.of_everybody for item in known.budgets))
        found = _exceeded(everybody, wanted, budget, registry) or found
    return found if budget.cohort is None else evolve(found, words=f"{found.words}, for {budget.cohort}")


def _bounds(item: Budget, known: Specification, budget: Budget, wanted: Specification) -> bool:
    """Whether a budget of a cohort of the first is for all units that one of the second is for."""
    same = known.neighbours.unit == wanted.neighbours.unit
    # How many share some attributes is counted in the exact tables of the first, and these are among those of the second.
    return same and item.covers(budget.cohort)


def _through(known: Specification, wanted: Specification, steps: Steps) -> bool:
    """Whether steps of the first lead from units of a cohort to others through such: a policy may join them by others."""
    return known.neighbours.relation.policy is None or steps.within(wanted.neighbours.group) <= 1


def _followed(known: Specification, wanted: Specification, budget: Budget, steps: Steps, registry: Registry) -> Reason:
    """Whether a budget follows at every distance.

    One distance settles all others if each is so many hops of it: where a parameter of the same definition is as small
    there, by the rule for groups of either; and where the hops lead through the universe, by that of the second.
    """
    hop = _hop(wanted)
    if hop is not None:
        once = _at_distance(known, wanted, budget, steps, hop, registry)
        if once.verdict is Verdict.IMPLIED and (wanted.universe.connected or _same_rule(known, wanted, budget, steps, hop)):
            return once
    return _everywhere(known, wanted, budget, steps, registry)


def _hop(wanted: Specification) -> int | None:
    """So many units that all distances are hops of at most as many, and the fewest steps are those of the hops."""
    group, apart = wanted.neighbours.group, stride(wanted)
    return group if group % apart == 0 else apart if group == 1 else None


def _at_distance(
    known: Specification, wanted: Specification, budget: Budget, steps: Steps, units: int, registry: Registry
) -> Reason:
    """Whether a budget follows between datasets that differ in so many units."""
    allowed, count = budget.after(wanted.steps(units)), steps.within(units)
    grown = [item for item in (stated.after(count) for stated in known.budgets) if item is not None]
    if not grown:
        none = "no budget of the first is for all these units" if not known.budgets else "no budget of the first has a rule"
        return Reason("budget", Verdict.UNKNOWN, none if not known.budgets else f"{none} for {count} steps")
    if allowed is None:
        return Reason("budget", Verdict.UNKNOWN, f"{budget} has no rule for {wanted.steps(units)} steps")
    found = compare(grown, [allowed], registry=registry)
    (guarantee,) = found.guarantees
    after = "" if count == 1 else f" after {count} steps"
    words = f"{guarantee.divergence}: {guarantee.name} = {guarantee.value}{guarantee.at_words}{after}, asked {allowed}"
    return Reason("budget", Verdict.IMPLIED if found.verdict is Verdict.IMPLIED else Verdict.UNKNOWN, words)


def _same_rule(known: Specification, wanted: Specification, budget: Budget, steps: Steps, units: int) -> bool:
    """Whether a parameter of the same definition is as small at a distance: then it is at all multiples of it."""
    allowed = budget.after(wanted.steps(units))
    grown = [item.after(steps.within(units)) for item in known.budgets if item.divergence == budget.divergence]
    return allowed is not None and any(
        item is not None and item.at == allowed.at and item.limit <= allowed.limit for item in grown
    )


def _everywhere(known: Specification, wanted: Specification, budget: Budget, steps: Steps, registry: Registry) -> Reason:
    """Whether a budget follows at every distance, one by one until it allows everything."""
    least, apart = wanted.universe.closest.least, stride(wanted)
    assert least is not None
    nearest_found: Reason | None = None
    for units in range(least, least + FARTHEST * apart, apart):
        found = _at_distance(known, wanted, budget, steps, units, registry)
        if found.verdict is not Verdict.IMPLIED:
            return nearest_found if nearest_found and budget.after(wanted.steps(units)) is None else found
        nearest_found = nearest_found or found
    words = f"whether {budget} follows between datasets that are any number of units apart is not known"
    return Reason("budget", Verdict.UNKNOWN, words)


def _exceeded(known: Specification, wanted: Specification, budget: Budget, registry: Registry) -> Reason | None:
    """A mechanism that spends what the first allows between two datasets that the second compares, and exceeds it there."""
    found = _compared_by_both(known, wanted)
    if found is None:
        return None
    pair, there, here = found
    allowed = budget.after(wanted.steps(there))
    shown = None if allowed is None else witness(known.budgets, allowed, known.steps(here), registry=registry)
    if shown is None or allowed is None:
        return None
    loss, guarantee, low = shown
    return Reason(
        "budget",
        Verdict.REFUTED,
        f"{budget.divergence.name}: {loss} keeps the first and has {guarantee} at least {low}, above "
        f"{plain(allowed.limit)}, between {pair}",
    )


def _compared_by_both(known: Specification, wanted: Specification) -> tuple[str, int, int] | None:
    """Two datasets that both compare, in words, and how many units of the second and of the first they are apart."""
    if known.neighbours.unit != wanted.neighbours.unit:
        return None
    policies = {promised.neighbours.relation.policy for promised in (known, wanted)} - {None}
    if len(policies) > 1:
        # What are neighbouring values to one are not to the other.
        return None
    closest = nearest(wanted.universe)
    if closest is None:
        return _any_neighbours(known, wanted)
    found = _spread(closest, wanted)
    there, here = found.compared_by(wanted.universe), found.distance(known.neighbours)
    if there is None or here is None or any(map(found.differ_in, known.universe.tables)):
        return None
    near = "".join(f", first and second values being joined by '{policy.kind}'" for policy in policies if policy)
    return f"{found}{near}", there, here


def _any_neighbours(known: Specification, wanted: Specification) -> tuple[str, int, int] | None:
    """Neighbours of both, whichever they are, where both compare the same ones and all of them."""
    promised = (known, wanted)
    if known.neighbours != wanted.neighbours or any(item.invariants or not item.everything for item in promised):
        return None
    if wanted.neighbours.relation.replacement is not None and wanted.universe.closest.most is None:
        # Units that nobody says may move, and that have nothing of their own, may have no neighbours.
        return None
    group = wanted.neighbours.group
    return "any two neighbours", group, group


def _spread(closest: Contrast, wanted: Specification) -> Contrast:
    """As many copies of two datasets side by side as one step covers."""
    units = closest.distance(wanted.neighbours)
    assert units is not None
    return closest.repeated(max(1, wanted.neighbours.group // units))
