"""Compared: what a second promise compares, in steps of a first, block by block.

The second promise must speak about no more datasets than the first, and compare none that the first does not bound. Where
it does, a mechanism that publishes what the first leaves open is a counterexample on two datasets that the second compares.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction

from attrs import frozen

from accountant.analysis.units import Members, entities_of, unit_steps
from accountant.display.brief import Brief
from accountant.promise.datasets import told_apart
from accountant.promise.effect import Effect
from accountant.promise.guarantee import Verdict
from accountant.promise.invariant import Invariant
from accountant.promise.margins import OTHER
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Policy
from accountant.promise.specification import Budget, Specification
from accountant.promise.universe import Universe


@frozen
class Reason(Brief):
    """What one block of a specification contributes to the verdict."""

    block: str
    verdict: Verdict
    words: str


@frozen
class Steps:
    """How far apart datasets are for the first promise, by how many units they differ for the second."""

    per_unit: Fraction
    group: int

    def within(self, units: int) -> int:
        """At most so many steps between neighbours of the first."""
        return math.ceil(self.per_unit * units / self.group)


def steps_between(known: Specification, wanted: Specification, members: Members) -> tuple[list[Reason], Steps]:
    """What each block but the budget says, and how many steps of the first lie between what the second compares."""
    reasons = [_domain(known, wanted), _attacker(known, wanted), _invariants(known, wanted), _attributes(known, wanted)]
    steps = [_unit(known, wanted, members), _relation(known, wanted)]
    per_unit = math.prod((count for _, count in steps), start=Fraction(1))
    return [*reasons, *(reason for reason, _ in steps)], Steps(per_unit, known.neighbours.group)


def stride(wanted: Specification) -> int:
    """What all distances between datasets that are compared are multiples of."""
    relation = wanted.neighbours.relation
    return 2 if wanted.universe.tables and not relation.keeps_size and relation.replacement == 2 else 1


def _domain(known: Specification, wanted: Specification) -> Reason:
    first, second = known.neighbours.entities, wanted.neighbours.entities
    if not first.covers(second):
        words = "entities are not declared alike in both, so whether the first covers the second is not known"
        return Reason("domain", Verdict.UNKNOWN, words)
    if known.domain.covers(wanted.domain):
        return Reason("domain", Verdict.IMPLIED, f"'{known.domain}' covers '{wanted.domain}'")
    return Reason("domain", Verdict.UNKNOWN, f"whether '{known.domain}' covers '{wanted.domain}' is not known")


def _attacker(known: Specification, wanted: Specification) -> Reason:
    if known.attacker == wanted.attacker or known.attacker == "insider":
        return Reason(
            "domain", Verdict.IMPLIED, f"what holds against an {known.attacker} holds against an {wanted.attacker}"
        )
    return Reason("domain", Verdict.UNKNOWN, "an insider knows who was sampled, which may be all that protects")


def _invariants(known: Specification, wanted: Specification) -> Reason:
    unit, universe = wanted.neighbours.unit, wanted.universe
    stated = [item.counting(unit) for item in wanted.invariants]
    asked = [item.counting(known.neighbours.unit) for item in known.invariants]
    missing = [item for item in asked if not _agreed(item, stated, universe)]
    if not missing:
        return Reason("scope", Verdict.IMPLIED, "datasets that it compares agree on the invariants of the first")
    for item in missing:
        if item.counts_by is not None and item.of == unit and (shown := _published(item.counts_by, wanted)):
            return Reason("scope", Verdict.REFUTED, f"publishing '{item.name}' keeps the first and {shown}")
    names = ", ".join(f"'{item.name}'" for item in missing)
    return Reason("scope", Verdict.UNKNOWN, f"whether datasets that it compares agree on {names} is not known")


def _agreed(item: Invariant, stated: Sequence[Invariant], universe: Universe) -> bool:
    """Whether all datasets that a universe compares agree on a statistic.

    What is the same in all datasets of the first tells which these are, and the second may speak about others.
    """
    if item.fixed:
        return any(other.fixed and other.determines(item) for other in stated)
    return not universe.may_change(item) or any(other.determines(item) for other in stated)


def _attributes(known: Specification, wanted: Specification) -> Reason:
    covered, asked = known.neighbours.attributes, wanted.neighbours.attributes
    if covered is None:
        return Reason("unit", Verdict.IMPLIED, "it compares units in no other attributes")
    if known.neighbours.unit != wanted.neighbours.unit:
        return Reason("unit", Verdict.UNKNOWN, "which attributes of one unit are those of another is not declared")
    if wanted.universe.differing <= covered:
        return _same_place(known.neighbours, wanted.neighbours)
    if _matched(known, wanted):
        words = "datasets that agree on an exact table by all other attributes differ in units that are alike in these"
        return Reason("unit", Verdict.IMPLIED, words)
    named = (known.universe.everything | wanted.universe.everything) - covered
    beyond = named if asked is None else named - {OTHER}
    if shown := _published(beyond, wanted):
        words = f"publishing counts by attributes in which the first compares nothing keeps it and {shown}"
        return Reason("unit", Verdict.REFUTED, words)
    words = f"the first compares units in {', '.join(sorted(covered)) or 'nothing'} only"
    return Reason("unit", Verdict.UNKNOWN, words)


def _matched(known: Specification, wanted: Specification) -> bool:
    """Whether an exact table of the second has all attributes in which the first compares nothing.

    Then as many units have each combination of these in both datasets. Those that come can be matched with those that go,
    and each replaced in other attributes: in half as many steps as units come and go, which no replacement undercuts.
    """
    universe, covered = wanted.universe, known.neighbours.attributes or frozenset()
    alone = known.neighbours.unit not in known.neighbours.entities and known.neighbours.relation.by_value
    declared = known.everything and universe.attributes is not None and wanted.neighbours.relation.policy is None
    return alone and declared and any(universe.everything - covered <= table for table in universe.tables)


def _same_place(known: Neighbours, wanted: Neighbours) -> Reason:
    """Whether units that differ in no other attributes are where the first compares them, with the members that it does."""
    entities, unit = wanted.entities, wanted.unit
    moved = Effect(wanted, unit).moves_unit and not Effect(known, unit).moves_unit
    if moved or (unit in entities and entities.inside(unit) and wanted.attributes is None):
        named = ", ".join(sorted(known.attributes or ()))
        words = f"the first compares units that differ in {named} and are where they were, with all that is in them"
        return Reason("unit", Verdict.UNKNOWN, words)
    return Reason("unit", Verdict.IMPLIED, "it compares units in no other attributes")


def _unit(known: Specification, wanted: Specification, members: Members) -> tuple[Reason, Fraction]:
    """How many steps by units of the first, between its neighbours, a step by a unit of the second is."""
    there, here = wanted.neighbours.unit, known.neighbours.unit
    if here == there:
        return Reason("unit", Verdict.IMPLIED, f"both protect one {here}"), Fraction(1)
    entities = known.neighbours.entities or entities_of(members)
    words, steps = unit_steps(known.neighbours, wanted.neighbours, entities)
    if steps is not None and not known.everything:
        words, steps = f"whether the steps from one {there} to another stay in '{known.domain}' is not known", None
    if steps is None:
        return Reason("unit", Verdict.UNKNOWN, words), Fraction(1)
    return Reason("unit", Verdict.IMPLIED, words), Fraction(steps)


def _relation(known: Specification, wanted: Specification) -> tuple[Reason, Fraction]:
    """How many steps between neighbours of the first a step between those of the second is."""
    here, there = known.neighbours.relation, wanted.neighbours.relation
    if known.neighbours.unit != wanted.neighbours.unit:
        words = f"from '{here.name}' to '{there.name}' neighbours by the steps from one unit to the other"
        return Reason("unit", Verdict.IMPLIED, words), Fraction(1)
    if here == there:
        return Reason("unit", Verdict.IMPLIED, f"both compare '{here.name}' neighbours"), Fraction(1)
    if not known.everything:
        words = f"whether steps between '{here.name}' neighbours lead as far in '{known.domain}' is not known"
        return Reason("unit", Verdict.UNKNOWN, words), Fraction(1)
    if here.policy is not None or there.policy is not None:
        return _by_policy(known, wanted)
    if there.moves <= here.moves:
        return Reason("unit", Verdict.IMPLIED, f"'{there.name}' neighbours are '{here.name}' neighbours too"), Fraction(1)
    if here.moves >= ADD_REMOVE.moves and there.moves <= ADD_REMOVE.moves | REPLACE_ONE.moves:
        return Reason("unit", Verdict.IMPLIED, "to replace is to remove and to add: two steps"), Fraction(2)
    if here.keeps_size and not there.keeps_size:
        return _sized(known.neighbours, wanted)
    words = f"no rule leads from '{here.name}' to '{there.name}' neighbours"
    return Reason("unit", Verdict.UNKNOWN, words), Fraction(1)


def _by_policy(known: Specification, wanted: Specification) -> tuple[Reason, Fraction]:
    """As far as the policies of either relation say it."""
    here, there = known.neighbours.relation, wanted.neighbours.relation
    steps = None if there.policy is None else there.policy.steps_in(here)
    if steps is None and here.policy is not None:
        steps = here.policy.steps_for(there)
    if steps is not None:
        at_most = "one step" if steps == 1 else f"at most {steps:,} steps"
        words = f"a step between '{there.name}' neighbours is {at_most} between '{here.name}' ones"
        return Reason("unit", Verdict.IMPLIED, words), Fraction(steps)
    if here.public_size and not there.public_size:
        return _sized(known.neighbours, wanted)
    shown = None if here.policy is None else _values_told(here.policy, wanted)
    if shown is not None:
        return Reason("unit", Verdict.REFUTED, shown), Fraction(1)
    words = f"no rule leads from '{here.name}' to '{there.name}' neighbours"
    return Reason("unit", Verdict.UNKNOWN, words), Fraction(1)


def _values_told(policy: Policy, wanted: Specification) -> str | None:
    """A statistic that keeps what a policy promises, and two values of one record that it tells apart; in words."""
    found, universe = policy.told_apart(wanted.neighbours.relation), wanted.universe
    if found is None or universe.changing or not universe.whole or wanted.neighbours.entities:
        return None
    asked = wanted.neighbours.attributes
    if not (asked is None or (policy.differing or frozenset()) <= asked):
        return None
    if not any(_all_told(budget, 1) for budget in wanted.budgets if budget.cohort is None):
        return None
    statistic, one, other = found
    return (
        f"publishing {statistic} keeps the first and tells datasets apart that the second compares, 1 unit from each "
        f"other, such as one record with {one} and the same with {other}"
    )


def _sized(known: Neighbours, wanted: Specification) -> tuple[Reason, Fraction]:
    """From neighbours of one size to such as come and go: two of their steps are one, where the size is published."""
    same = known.unit == wanted.neighbours.unit
    if same and wanted.universe.tables and known.relation.by_value and _anywhere(known) and stride(wanted) == 2:
        return Reason("unit", Verdict.IMPLIED, "to remove one and add another is to replace it: one step"), Fraction(1, 2)
    shown = _published((), wanted) if same else None
    if shown is None:
        return Reason("unit", Verdict.UNKNOWN, "the first compares datasets of one size only"), Fraction(1)
    return Reason("unit", Verdict.REFUTED, f"publishing the number of units keeps the first and {shown}"), Fraction(1)


def _anywhere(neighbours: Neighbours) -> bool:
    """Whether a unit that is replaced is declared to be anything anywhere: as another that comes where it was not."""
    entities, unit = neighbours.entities, neighbours.unit
    if unit not in entities:
        return True
    containers = [name for name in {unit, *entities.inside(unit)} if entities.inside(name)]
    resized = all(entities[name].may_resize is True for name in containers)
    # What ceases with its last member leaves its place too late for what comes in its stead, if there are only so many.
    lasting = all(entities[name].may_be_empty is True for name in entities.around(unit) if entities[name].within)
    return resized and lasting and (not entities[unit].within or entities[unit].may_move is True)


def _published(statistic: Collection[str], wanted: Specification) -> str | None:
    """Two datasets that the second compares and that counts tell apart, where no budget of it allows that; in words."""
    found = told_apart(statistic, wanted.universe)
    units = None if found is None else found.compared_by(wanted.universe)
    if found is None or units is None or not found.differ_in(statistic):
        return None
    # Whether these datasets differ in units of a cohort is not asked.
    if not any(_all_told(budget, wanted.steps(units)) for budget in wanted.budgets if budget.cohort is None):
        return None
    apart = "1 unit" if units == 1 else f"{units:,} units"
    return f"tells datasets apart that the second compares, {apart} from each other, such as {found}"


def _all_told(budget: Budget, steps: int) -> bool:
    """Whether a budget forbids to tell datasets apart for certain that are so many steps apart."""
    from accountant.loss import TOTAL_LOSS

    allowed = budget.after(steps)
    return allowed is not None and budget.divergence.measure(TOTAL_LOSS, allowed.at).at_most(allowed.limit) is False
