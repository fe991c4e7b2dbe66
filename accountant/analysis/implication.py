"""Implication: whether a whole promise, with its units, attributes, invariants and budgets, implies another.

Every mechanism that keeps the first promise keeps the second if the second speaks about no more datasets, compares no pairs
that the first does not bound, and its budgets follow from the first's after as many steps as it takes. Where one of these
fails, a mechanism that publishes what the first leaves open is a counterexample. See docs/explanation/invariants.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import evolve, frozen

from accountant.analysis.comparison import compare
from accountant.promise.guarantee import Verdict
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Relation
from accountant.promise.specification import Budget, Specification
from accountant.promise.universe import Dataset, closest, refines
from accountant.registry.registry import Registry, default_registry

EVERYTHING = "all datasets"
Members = Mapping[tuple[str, str], int]
"""How many of a small unit a large one has at most, by (large, small)."""


@frozen
class Reason:
    """What one block of a specification contributes to the verdict."""

    block: str
    verdict: Verdict
    words: str


@frozen
class Implication:
    """Whether one specification implies another, block by block."""

    verdict: Verdict
    reasons: tuple[Reason, ...]


def implies(
    known: Specification, wanted: Specification, *, members: Members | None = None, registry: Registry | None = None
) -> Implication:
    """Whether every mechanism that keeps `known` keeps `wanted`.

    Guarantee: implied holds for every mechanism; refuted has a mechanism that is a counterexample, named in the reason;
    vacuous means that the second promise compares nothing, so that everything keeps it.
    """
    if closest(wanted.invariants, wanted.neighbours).vacuous:
        return Implication(Verdict.VACUOUS, (_no_pairs(wanted),))
    reasons, growth = steps_between(known, wanted, members or {})
    if all(reason.verdict is Verdict.IMPLIED for reason in reasons):
        reasons += _budgets(known, wanted, growth, registry or default_registry())
    order = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.IMPLIED)
    verdict = next(verdict for verdict in order if any(reason.verdict is verdict for reason in reasons))
    return Implication(verdict, tuple(reasons))


def steps_between(known: Specification, wanted: Specification, members: Members) -> tuple[list[Reason], int]:
    """What each block but the budget says, and how many steps of the first lie between what the second compares."""
    reasons = [_domain(known, wanted), _attacker(known, wanted), _invariants(known, wanted), _attributes(known, wanted)]
    steps = [_unit(known.neighbours, wanted.neighbours, members), _relation(known, wanted)]
    factor = math.prod(count for _, count in steps)
    growth = -(-factor * wanted.neighbours.group // known.neighbours.group)
    return [*reasons, *(reason for reason, _ in steps)], growth


def _no_pairs(wanted: Specification) -> Reason:
    return Reason("scope", Verdict.VACUOUS, f"no two datasets of '{wanted.domain}' that agree on all invariants differ")


def _domain(known: Specification, wanted: Specification) -> Reason:
    if known.domain in (EVERYTHING, wanted.domain):
        return Reason("domain", Verdict.IMPLIED, f"'{known.domain}' covers '{wanted.domain}'")
    return Reason("domain", Verdict.UNKNOWN, f"whether '{known.domain}' covers '{wanted.domain}' is not known")


def _attacker(known: Specification, wanted: Specification) -> Reason:
    if known.attacker == wanted.attacker or known.attacker == "insider":
        return Reason(
            "domain", Verdict.IMPLIED, f"what holds against an {known.attacker} holds against an {wanted.attacker}"
        )
    return Reason("domain", Verdict.UNKNOWN, "an insider knows who was sampled, which may be all that protects")


def _invariants(known: Specification, wanted: Specification) -> Reason:
    found = refines(wanted.invariants, [item for item in known.invariants if _may_change(item, wanted.neighbours)])
    if found.holds:
        return Reason("scope", Verdict.IMPLIED, "datasets that it compares agree on the invariants of the first")
    names = ", ".join(f"'{invariant.name}'" for invariant in found.missing)
    if found.holds is None:
        return Reason("scope", Verdict.UNKNOWN, f"whether its invariants fix {names} is not known")
    assert found.witness is not None
    left, right = (_records(dataset) for dataset in found.witness)
    return Reason(
        "scope",
        Verdict.REFUTED,
        f"publishing {names} keeps the first and tells datasets apart that the second compares, such as {left} and {right}",
    )


def _may_change(invariant: Invariant, neighbours: Neighbours) -> bool:
    """Whether neighbours can differ in an invariant: not in counts of other units, or by attributes that stay the same."""
    if invariant.of is not None and invariant.of != neighbours.unit:
        return False
    asked = neighbours.attributes
    return invariant.counts_by is None or asked is None or bool(asked & invariant.counts_by)


def _records(dataset: Dataset) -> str:
    """Two-valued records in words."""
    return (
        "no record"
        if not dataset
        else "; ".join(
            f"one with a second value in {', '.join(sorted(record))}" if record else "one with only first values"
            for record in dataset
        )
    )


def _attributes(known: Specification, wanted: Specification) -> Reason:
    covered, asked = known.neighbours.attributes, wanted.neighbours.attributes
    if covered is None or (asked is not None and asked <= covered):
        return Reason("unit", Verdict.IMPLIED, "it compares units in no other attributes")
    beyond = "other attributes" if asked is None else ", ".join(sorted(asked - covered))
    words = f"publishing counts by {beyond} keeps the first, which compares units in other attributes only"
    return Reason("unit", _unless_fixed(wanted), words)


def _unless_fixed(wanted: Specification) -> Verdict:
    """A counterexample that publishes counts is one where none are invariants already."""
    return Verdict.UNKNOWN if wanted.invariants else Verdict.REFUTED


def _unit(known: Neighbours, wanted: Neighbours, members: Members) -> tuple[Reason, int]:
    """How many steps by units of the first a step by a unit of the second is."""
    small, large = wanted.unit, known.unit
    if large == small:
        return Reason("unit", Verdict.IMPLIED, f"both protect one {large}"), 1
    if (large, small) in members:
        if known.relation.edits and wanted.relation.edits:
            return Reason("unit", Verdict.IMPLIED, f"a change of one {small} changes one {large}"), 1
        return Reason("unit", Verdict.IMPLIED, f"to change one {small} is to remove one {large} and add another"), 2
    if (small, large) in members:
        size = members[small, large]
        kept = f", as long as each {small} keeps how many it has" if known.relation.edits else ""
        return Reason("unit", Verdict.IMPLIED, f"one {small} has at most {size} of unit {large}{kept}"), size
    return Reason("unit", Verdict.UNKNOWN, f"how many of unit {large} one {small} has at most is not declared"), 1


def _relation(known: Specification, wanted: Specification) -> tuple[Reason, int]:
    """How many steps between neighbours of the first a step between those of the second is."""
    here, there = known.neighbours.relation, wanted.neighbours.relation
    if here == there:
        return Reason("unit", Verdict.IMPLIED, f"both compare '{here.name}' neighbours"), 1
    if there.moves <= here.moves:
        return Reason("unit", Verdict.IMPLIED, f"'{there.name}' neighbours are '{here.name}' neighbours too"), 1
    if here.moves >= ADD_REMOVE.moves and there.moves <= ADD_REMOVE.moves | REPLACE_ONE.moves:
        return Reason("unit", Verdict.IMPLIED, "to replace is to remove and to add: two steps"), 2
    if _keeps_number(here) and not _keeps_number(there):
        words = "publishing the number of units keeps the first, which never changes it"
        return Reason("unit", _unless_fixed(wanted), words), 1
    return Reason("unit", Verdict.UNKNOWN, f"no rule leads from '{here.name}' to '{there.name}' neighbours"), 1


def _keeps_number(relation: Relation) -> bool:
    """Whether neighbours have as many units as each other."""
    return all(appear == disappear for appear, disappear in relation.moves)


def _budgets(known: Specification, wanted: Specification, growth: int, registry: Registry) -> list[Reason]:
    """Each budget of the second, from those of the first after as many steps as it takes."""
    grown = [
        evolve(budget, parameter=parameter)
        for budget in known.budgets
        if (parameter := budget.parameter if growth == 1 else budget.divergence.group(budget.parameter, growth)) is not None
    ]
    return [_budget(grown, budget, growth, registry) for budget in wanted.budgets]


def _budget(grown: list[Budget], wanted: Budget, growth: int, registry: Registry) -> Reason:
    if not grown:
        return Reason("budget", Verdict.UNKNOWN, f"no budget of the first has a rule for {growth} steps")
    found = compare(grown, [wanted], registry=registry)
    (guarantee,) = found.guarantees
    after = "" if growth == 1 else f" after {growth} steps"
    words = f"{guarantee.divergence}: {guarantee.name} = {guarantee.value}{guarantee.at_words}{after}, asked {wanted}"
    if found.verdict is Verdict.REFUTED and growth == 1:
        return Reason("budget", Verdict.REFUTED, f"{words}; {found.witness}")
    verdict = Verdict.IMPLIED if found.verdict is Verdict.IMPLIED else Verdict.UNKNOWN
    return Reason("budget", verdict, words)
