"""Small flat worlds: all datasets of up to two records, every relation and cohort there, and the most that is allowed.

Nothing here knows the rules that are tried with it. A budget bounds datasets of one universe by how many steps lead from
one to the other, and several budgets together by the shortest way over datasets of the universe. As much can be lost:
noise on how far a dataset is away from one of them, by these ways, keeps every budget and spends that.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any

from attrs import frozen

from accountant import Budget, Cohort, Invariant, Neighbours, Specification
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Policy, Relation
from accountant.promise.domain import Domain
from accountant_premetrics.values import Blowfish, Metric
from accountant_premetrics.zero_out import ZeroOut

Record = tuple[str, str] | None
Dataset = tuple[Record, ...]
Distances = dict[Dataset, dict[Dataset, float]]
VALUES = {"a": ("0", "1", "2", "3"), "b": ("0", "1")}
RECORDS: list[Record] = list(itertools.product(*VALUES.values()))
PLACES = {"a": 0, "b": 1}


@cache
def datasets(with_null: bool) -> list[Dataset]:
    kinds = [*RECORDS, None] if with_null else RECORDS
    return [found for size in range(3) for found in itertools.combinations_with_replacement(kinds, size)]


@cache
def difference(left: Dataset, right: Dataset) -> tuple[list[Any], list[Any]]:
    before, after = Counter(left), Counter(right)
    return list((before - after).elements()), list((after - before).elements())


@cache
def counts(data: Dataset, by: frozenset[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(record[PLACES[name]] for name in sorted(by)) for record in data if record is not None)


def one_step(neighbours: Neighbours, left: Dataset, right: Dataset) -> bool:
    """Whether datasets differ in one unit, as the definitions say it."""
    gone, come = difference(left, right)
    policy = neighbours.relation.policy
    if neighbours.relation == ADD_REMOVE:
        return len(gone) + len(come) == 1
    if len(gone) != 1 or len(come) != 1:
        return False
    before, after = gone[0], come[0]
    if isinstance(policy, ZeroOut):
        return (before is None) != (after is None)
    if before is None or after is None:
        return False
    changed = {name for name, place in PLACES.items() if before[place] != after[place]}
    if policy is None:
        return neighbours.attributes is None or changed <= neighbours.attributes
    if changed != {"a"}:
        return False
    if isinstance(policy, Metric):
        return abs(int(before[0]) - int(after[0])) <= policy.step
    assert isinstance(policy, Blowfish)
    return any({before[0], after[0]} <= set(listed) for listed in policy.edges)


def reached(near: Mapping[Dataset, Iterable[Dataset]], start: Dataset) -> dict[Dataset, int]:
    found, edge, depth = {start: 0}, [start], 0
    while edge:
        depth += 1
        edge = list(dict.fromkeys(other for here in edge for other in near[here] if other not in found))
        found.update(dict.fromkeys(edge, depth))
    return found


@frozen
class Promise:
    """A specification of one definition, a dataset that has what it says is the same in all, and whether records may be
    null.
    """

    specification: Specification
    same: Dataset = ()
    nulls: bool = False

    @cached_property
    def domain(self) -> list[Dataset]:
        """The datasets that it speaks about."""
        fixed = [known.counts_by or frozenset() for known in self.specification.invariants if known.fixed]
        return [data for data in datasets(self.nulls) if all(counts(data, by) == counts(self.same, by) for by in fixed)]

    @cached_property
    def steps(self) -> dict[Dataset, dict[Dataset, list[Any]]]:
        """All neighbours, with the values of the units in which they differ."""
        neighbours, domain = self.specification.neighbours, self.domain
        near: dict[Dataset, list[Dataset]] = {data: [] for data in domain}
        for left, right in itertools.combinations(domain, 2):
            if one_step(neighbours, left, right):
                near[left].append(right)
                near[right].append(left)
        return {
            data: {
                other: [record for record in itertools.chain(*difference(data, other)) if record is not None]
                for other, steps in reached(near, data).items()
                if 0 < steps <= neighbours.group
            }
            for data in domain
        }

    def _agreeing(self) -> Iterable[list[Dataset]]:
        tables = [known.counts_by or frozenset() for known in self.specification.invariants]
        found: dict[tuple[Any, ...], list[Dataset]] = {}
        for data in self.domain:
            found.setdefault(tuple(frozenset(counts(data, by).items()) for by in tables), []).append(data)
        return found.values()

    def apart(self, cohort: Cohort | None) -> Distances:
        """How many steps of a cohort lead from each dataset to each other one of its universe."""
        found: Distances = {}
        for members in self._agreeing():
            near = {
                data: [other for other, units in others.items() if in_cohort(cohort, units, members[0])]
                for data, others in self.steps.items()
            }
            for data in members:
                away = reached(near, data)
                found[data] = {other: away[other] for other in members if other != data and other in away}
        return found

    def lost(self) -> Distances:
        """The most that something loses which keeps all budgets, between any two datasets that are bounded at all."""
        found: Distances = {data: {} for data in self.domain}
        for budget in self.specification.budgets:
            for data, others in self.apart(budget.cohort).items():
                for other, steps in others.items():
                    found[data][other] = min(found[data].get(other, math.inf), steps * per_step(budget))
        for middle in self.domain if len(self.specification.budgets) > 1 else ():
            for data in [data for data in self.domain if middle in found[data]]:
                for other, more in found[middle].items():
                    if other != data:
                        found[data][other] = min(found[data].get(other, math.inf), found[data][middle] + more)
        return found


def per_step(budget: Budget) -> float:
    """What a budget allows for a step, in the scale in which steps add up."""
    return math.sqrt(budget.limit) if budget.divergence.name == "zcdp" else float(budget.limit)


def in_cohort(cohort: Cohort | None, units: list[Any], data: Dataset) -> bool:
    """Whether units belong to a cohort in the universe of a dataset."""
    if cohort is None:
        return True
    names = sorted(cohort.by)
    cells = [tuple(unit[PLACES[name]] for name in names) for unit in units]
    if cohort.values is not None:
        return all(cell[0] in cohort.values for cell in cells)
    sizes = counts(data, cohort.by)
    return all((cohort.at_least or 1) <= sizes[cell] <= (cohort.at_most or math.inf) for cell in cells)


def broken(known: Promise, wanted: Promise) -> tuple[Dataset, Dataset] | bool | None:
    """Two datasets between which what keeps the first passes a budget of the second; False where none are compared."""
    lost, compared = known.lost(), False
    for budget in wanted.specification.budgets:
        for data, others in wanted.apart(budget.cohort).items():
            for other, steps in others.items():
                compared = True
                if lost.get(data, {}).get(other, math.inf) > steps * per_step(budget) + 1e-9:
                    return data, other
    return None if compared else False


# At random ------------------------------------------------------------------------------------------------------------


def random_neighbours(chance: random.Random) -> Neighbours:
    kind = chance.choice(["add-remove", "replace-one", "replace-one", "blowfish", "blowfish", "metric", "zero-out"])
    relation: Relation | Policy = REPLACE_ONE
    attributes = None
    match kind:
        case "add-remove":
            relation = ADD_REMOVE
        case "zero-out":
            relation = ZeroOut()
        case "metric":
            relation = Metric("a", chance.choice("123"))
        case "blowfish":
            lists = [chance.sample(VALUES["a"], chance.choice((2, 2, 3))) for _ in range(chance.randint(1, 3))]
            relation = Blowfish("a", VALUES["a"], lists)
        case _:
            attributes = chance.choice([None, ("a",), ("b",), ("a", "b")])
    return Neighbours(relation, attributes=attributes, group=chance.choice([1, 1, 1, 2]))


def random_cohort(chance: random.Random, tables: list[tuple[str, ...]]) -> Cohort | None:
    kind, counted = chance.random(), [table for table in tables if table]
    if kind < 0.4:
        by = chance.choice("ab")
        return Cohort(by, values=chance.sample(VALUES[by], chance.choice([1, 2])))
    if kind < 0.55 and counted:
        low, high = sorted(chance.choices([1, 2], k=2))
        return Cohort(chance.choice(counted), at_least=low, at_most=high)
    return None


def random_promise(chance: random.Random, definition: str, like: Neighbours | None = None) -> Specification:
    """A promise, by the neighbours of another one for a third of the time."""
    neighbours = like if like is not None and chance.random() < 0.4 else random_neighbours(chance)
    tables = chance.sample([(), ("a",), ("b",), ("a", "b")], chance.choice([0, 0, 1, 1, 2]))
    invariants = tuple(Invariant(f"by {' and '.join(by)}", by, fixed=chance.random() < 0.15) for by in tables)
    word = {"pure": "epsilon", "zcdp": "rho"}[definition]
    budgets = tuple(
        Budget.of(definition, cohort=random_cohort(chance, tables), **{word: chance.choice(["1/2", "1", "2", "4", "9"])})
        for _ in range(chance.choice([1, 1, 2]))
    )
    return Specification(neighbours, invariants, Domain(attributes=["a", "b"]), budgets)


def random_promises(seed: int) -> tuple[Promise, Promise]:
    chance = random.Random(seed)
    same: Dataset = chance.choice(datasets(False))
    definition = chance.choice(["pure", "zcdp"])
    known = random_promise(chance, definition)
    wanted = random_promise(chance, definition, known.neighbours)
    nulls = any(isinstance(item.neighbours.relation.policy, ZeroOut) for item in (known, wanted))
    return Promise(known, same, nulls), Promise(wanted, same, nulls)
