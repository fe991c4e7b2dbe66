"""Common ground: what two promises that cannot be ranked say of the same datasets.

To publish more exactly weakens a promise and never breaks it: whatever keeps a promise keeps it between those datasets that
agree on further statistics, with the same budget. So on the datasets that agree on all that either publishes exactly, both
promises hold, each for its own unit and in its own definition. See docs/explanation/invariants.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from accountant.accounting.account import Account
from accountant.analysis.comparison import claimed
from accountant.analysis.implication import implies
from accountant.display.brief import Brief
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.invariant import Invariant
from accountant.promise.specification import Specification
from accountant.promise.words import ComparedPairs, joined
from accountant.registry.registry import Registry, default_registry


@frozen
class CommonGround(Brief):
    """Two promises on the datasets on which both hold.

    `first` and `second` are the promises there, and `implied` says whether either implies the other. `in_other_words` has,
    for each of them, what it gives in the definitions of the other's budgets, for its own unit and steps.
    """

    first: Specification
    second: Specification
    implied: tuple[bool, bool]
    in_other_words: tuple[tuple[Guarantee, ...], tuple[Guarantee, ...]]

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        """On what the datasets agree."""
        return self.first.invariants

    def words(self, names: tuple[str, str]) -> tuple[str, ...]:
        """In words: on which datasets, and what each promises there."""
        agreeing = joined([f"'{known.name}'" for known in self.invariants])
        where = f"datasets of '{self.first.domain}'" + (f" that agree on {agreeing}" if agreeing else "")
        there = (self.first, self.second)
        told = (
            f"There {name} {_promised(promised, read)}"
            for name, promised, read in zip(names, there, self.in_other_words, strict=True)
        )
        stronger = [
            f"There {one} implies {other}: whatever keeps the first keeps the second."
            for (one, other), holds in zip((names, names[::-1]), self.implied, strict=True)
            if holds
        ]
        return f"Both speak about {where}.", *told, *stronger


def _promised(there: Specification, read: Sequence[Guarantee]) -> str:
    if there.universe.closest.vacuous:
        return "compares no two datasets, and promises nothing."
    budgets = joined([str(budget) for budget in there.budgets])
    between = ComparedPairs(there.neighbours, there.invariants).datasets
    more = [f"{item.divergence} {item.name} of at most {item.value.rounded(6)[1]}{item.at_words}" for item in read]
    bounded = [words for item, words in zip(read, more, strict=True) if item.value.upper < float("inf")]
    nothing = [item.divergence for item in read if item.value.upper == float("inf")]
    other = f"; that gives {joined(bounded)}" if bounded else ""
    none = f"; it gives no bound in the definition {joined(sorted(set(nothing)))}" if nothing else ""
    return f"promises {budgets}, between {between}{other}{none}."


def common_ground(first: Specification, second: Specification, *, registry: Registry | None = None) -> CommonGround | str:
    """Both promises on the datasets that agree on what either publishes exactly, or in words why these are not known.

    Guarantee: each of the two follows from the promise that it was made of.
    """
    one, other = first.neighbours.entities, second.neighbours.entities
    if not one.covers(other) and not other.covers(one):
        return "the entities of one are not those of the other, so whether they speak about the same datasets is not known"
    smaller = second.domain if first.domain.covers(second.domain) else first.domain
    if not (first.domain.covers(smaller) and second.domain.covers(smaller)):
        return f"whether '{first.domain}' and '{second.domain}' have datasets in common is not known"
    known = registry or default_registry()
    invariants = _all_of(first, second)
    there = (evolve(first, invariants=invariants, domain=smaller), evolve(second, invariants=invariants, domain=smaller))
    pairs = there, there[::-1]
    implied = tuple(implies(left, right, registry=known).verdict is Verdict.IMPLIED for left, right in pairs)
    return CommonGround(*there, (implied[0], implied[1]), (_read(first, second, known), _read(second, first, known)))


def _all_of(first: Specification, second: Specification) -> tuple[Invariant, ...]:
    """What either publishes exactly, each said with what it counts, without what another one says as well."""
    every = [item.counting(promised.neighbours.unit) for promised in (first, second) for item in promised.invariants]
    kept: list[Invariant] = []
    for item in dict.fromkeys(every):
        if not any(_says(other, item) for other in kept):
            kept = [other for other in kept if not _says(item, other)] + [item]
    return tuple(kept)


def _says(one: Invariant, other: Invariant) -> bool:
    """Whether one statistic says what another does; only what is the same in a whole domain says which datasets it has."""
    return one.determines(other) and (one.fixed or not other.fixed)


def _read(promised: Specification, other: Specification, registry: Registry) -> tuple[Guarantee, ...]:
    """What the budgets of a promise give, in the definitions of another's where these are not its own."""
    own = {budget.divergence.name for budget in promised.budgets}
    accounts: list[Account] = [claimed(name, promised.budgets, registry) for name in sorted(own)]
    asked = [budget for budget in other.budgets if budget.divergence.name not in own]
    found = (
        min((whole.measure(budget.divergence.name, budget.at) for whole in accounts), key=lambda item: item.value.upper)
        for budget in asked
        if accounts
    )
    return tuple(found)
