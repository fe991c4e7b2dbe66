"""What could be learned in small nested worlds, counted out: what a dataset is compared with, and what the best test, guess
and belief make of geometric noise on counts.

Nothing here knows the rules that are tried with it, nor what a report takes its numbers for: neighbours are made thing by
thing, counts are counted, and each quantity is worked out from its definition on the two laws of all outputs.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, cached_property

from attrs import field, frozen

from accountant import Budget, Histogram, Invariant, Neighbours, Plan, Scenario
from accountant.errors import PlanError
from accountant.plugin import ComparedPairs
from accountant.promise.entities import Entities
from accountant.report import Statement
from accountant_noise import Geometric
from tests.promise.nested import Dataset, Tree, World, random_dataset, random_neighbours, random_world

Law = list[tuple[float, float]]
FEW, FAR, WIDE = 12, 3, 6
"""How many pairs a statement is held to, those that lose most; how many steps are taken; how many ways are followed."""


@cache
def cell(move: int, scale: Fraction) -> tuple[tuple[float, float], ...]:
    """A count with geometric noise and the same a few steps farther: outcomes on either side of both are one."""
    ratio = math.exp(-1 / scale)
    between = [
        ((1 - ratio) * ratio**place / (1 + ratio), (1 - ratio) * ratio ** (move - place) / (1 + ratio))
        for place in range(1, move)
    ]
    near, far = 1 / (1 + ratio), ratio**move / (1 + ratio)
    return (near, far), *between, (far, near)


def merged(law: Law) -> Law:
    """The same with outcomes that speak alike taken together."""
    found: dict[float, tuple[float, float]] = {}
    for p, q in law:
        place = round(math.log(p) - math.log(q), 9) if p and q else math.inf if p else -math.inf
        before = found.get(place, (0.0, 0.0))
        found[place] = before[0] + p, before[1] + q
    return list(found.values())


def together(moves: tuple[tuple[int, Fraction], ...]) -> Law:
    """The two laws of noisy counts that move so far, each by its scale."""
    found: Law = [(1.0, 1.0)]
    for move, scale in moves:
        found = merged([(p * r, q * s) for p, q in found for r, s in cell(move, scale)])
    return found


# What is counted, from the definitions --------------------------------------------------------------------------------


def guesses(law: Law, at: Mapping[str, Fraction]) -> float:
    return sum(max(pair) for pair in law) / 2


def power(law: Law, at: Mapping[str, Fraction]) -> float:
    """The most that a test finds out whose false alarms are at most the level: by all thresholds and a coin."""
    level, found, spent = float(at["level"]), 0.0, 0.0
    for p, q in sorted(law, key=lambda pair: pair[1] / (pair[0] + pair[1])):
        if spent + q >= level:
            return found + (p * (level - spent) / q if q else p)
        found, spent = found + p, spent + q
    return found


def outside(law: Law, at: Mapping[str, Fraction]) -> float:
    prior, low, high = (float(at[word]) for word in ("prior", "low", "high"))
    posterior = [(prior * p / (prior * p + (1 - prior) * q), p, q) for p, q in law]
    beyond = [(p, q) for after, p, q in posterior if after < low - 1e-12 or after > high + 1e-12]
    return max(sum(p for p, _ in beyond), sum(q for _, q in beyond))


def exceeding(law: Law, at: Mapping[str, Fraction]) -> float:
    return sum(p for p, q in law if p > float(at["times"]) * q * (1 + 1e-12))


def epsilon_of(law: Law, at: Mapping[str, Fraction]) -> float:
    """The least epsilon: always, or with a delta, which is halved until nothing is left between two ends."""
    delta = float(at.get("delta", 0))
    if sum(p for p, q in law if not q) > delta:
        return math.inf
    low, high = 0.0, max((math.log(p / q) for p, q in law if p and q), default=0.0)
    for _ in range(60):
        middle = (low + high) / 2
        missed = sum(max(0.0, p - math.exp(middle) * q) for p, q in law)
        low, high = (low, middle) if missed <= delta else (middle, high)
    return low if delta else max((math.log(p / q) for p, q in law if p and q), default=0.0)


def bounded(law: Law, at: Mapping[str, Fraction]) -> float:
    """The least bound on how much an output speaks for its side that is passed with at most some chance."""
    delta, left = float(at.get("delta", 0)), 0.0
    for ratio, p in sorted(((math.log(p / q) if q else math.inf, p) for p, q in law if p), reverse=True):
        left += p
        if left > delta * (1 + 1e-12):
            return max(0.0, ratio)
    return 0.0


QUANTITIES: dict[str, Callable[[Law, Mapping[str, Fraction]], float]] = {
    "how often the best guess at the side is right, both being equally likely": guesses,
    "how often the best test at a level says rightly that it is the first side": power,
    "how often the belief in the first side, from a prior, is not between two ends, whichever is true": outside,
    "how often an output is more than so many times as likely on the side that is true": exceeding,
    "epsilon of pure differential privacy": epsilon_of,
    "epsilon of approximate differential privacy": epsilon_of,
    "epsilon of probabilistically bounded differential privacy": bounded,
    "power of differential privacy by the power of tests (f-DP)": power,
}


# Worlds ---------------------------------------------------------------------------------------------------------------


@frozen
class Told:
    """A plan about things inside things, and datasets to begin with."""

    world: World
    plan: Plan
    starts: tuple[Dataset, ...] = field(repr=False)
    _laws: dict[tuple[Neighbours, tuple[Invariant, ...], str | None], list[Law]] = field(
        factory=dict, init=False, repr=False
    )

    @cached_property
    def scales(self) -> list[tuple[str, str, frozenset[str], Fraction]]:
        """Of each release its name, what it counts, by what, and its noise."""
        unit = self.plan.specification.neighbours.unit
        return [
            (item.name, item.query.of or unit, item.query.attributes or frozenset(), item.mechanism.scale)  # type: ignore[union-attr,attr-defined]
            for item in self.plan.releases
        ]

    def compared(self, compared: ComparedPairs) -> Iterator[tuple[Dataset, Dataset]]:
        """Datasets that a number speaks of: up to so many steps apart, alike in what it says is exact."""
        for start in self.starts:
            own, edge = self._exact(start, compared.invariants), {self.world.canonical(start)}
            reached = set(edge)
            for _ in range(min(FAR, compared.neighbours.group)):
                edge = self._next(set(sorted(edge)[:WIDE]), compared.neighbours) - reached
                reached |= edge
                for trees in edge:
                    other = self.world.read(trees)
                    if self._exact(other, compared.invariants) == own:
                        yield start, other

    def _next(self, edge: set[tuple[Tree, ...]], neighbours: Neighbours) -> set[tuple[Tree, ...]]:
        steps = (self.world.steps(self.world.read(trees), neighbours) for trees in edge)
        return {self.world.canonical(other) for other in itertools.chain.from_iterable(steps)}

    def _exact(self, data: Dataset, invariants: tuple[Invariant, ...]) -> list[Counter[tuple[tuple[str, int], ...]]]:
        unit = self.plan.specification.neighbours.unit
        return [self.world.counted(data, item.of or unit, item.counts_by or frozenset()) for item in invariants]

    def laws(self, compared: ComparedPairs, release: str | None) -> list[Law]:
        """The laws of all outputs, or of one, between such datasets; what is exact tells apart all that differ in it."""
        key = compared.neighbours, compared.invariants, release
        if key not in self._laws:
            self._laws[key] = list(self._worst(compared, release))
        return self._laws[key]

    def _worst(self, compared: ComparedPairs, release: str | None) -> Iterator[Law]:
        found = set()
        for left, right in self.compared(compared):
            exact = self.plan.specification.invariants
            told = release is None and self._exact(left, exact) != self._exact(right, exact)
            found.add(None if told else self._moved(left, right, release))
        worst = sorted((moves for moves in found if moves), key=lambda moves: -sum(move / scale for move, scale in moves))
        yield from ([[(1.0, 0.0), (0.0, 1.0)]] if None in found else [])
        yield from map(together, worst[:FEW])

    def _moved(self, left: Dataset, right: Dataset, release: str | None) -> tuple[tuple[int, Fraction], ...]:
        found = []
        for name, sort, by, scale in self.scales:
            if release in (None, name):
                before, after = self.world.counted(left, sort, by), self.world.counted(right, sort, by)
                found += [(abs(before[key] - after[key]), scale) for key in before.keys() | after.keys()]
        return tuple(sorted(item for item in found if item[0]))

    def violated(self, statement: Statement) -> str | None:
        """What is found where a statement says that there is less; None where it holds, or is of another kind."""
        of = QUANTITIES.get(statement.quantity.name)
        if of is None or statement.direction == "at least":
            return None
        for law in self.laws(statement.comparison, statement.release):
            for side in (law, [(q, p) for p, q in law]):
                found = of(side, dict(statement.at))
                if found > statement.number * (1 + Fraction(1, 10**9)):
                    return f"{statement.as_data()}, and {found} was found"
        return None


def random_told(seed: int) -> Told | None:
    """A plan about a nested world; None where the declaration or the plan says that it cannot be."""
    chance = random.Random(seed)
    world = random_world(chance)
    neighbours = random_neighbours(world, chance)
    if neighbours is None:
        return None
    entities = Entities(tuple(world.sorts.values()))

    def table() -> tuple[str, list[str]]:
        sort = chance.choice(sorted(world.sorts))
        had = sorted(entities.record(sort) or ())
        return sort, chance.sample(had, min(len(had), chance.choice([0, 1, 1, 2])))

    exact = [table() for _ in range(chance.choice([0, 0, 1, 1, 2]))]
    noisy = [table() for _ in range(chance.choice([1, 1, 2]))]
    own = sorted(world.own[neighbours.unit])
    asked = chance.choice([(), (Scenario("asked", own),)]) if neighbours.attributes is None else ()
    try:
        plan = Plan.of(
            *(
                Geometric(chance.choice([1, 2, 4])).on(Histogram(by, of=sort)).named(f"table {number}")
                for number, (sort, by) in enumerate(noisy)
            ),
            neighbours=neighbours,
            invariants=[Invariant(f"exact {number}", by, sort) for number, (sort, by) in enumerate(exact)],
            budgets=[Budget.of("pure", epsilon=8)],
            scenarios=asked if neighbours.relation.keeps_size else (),
            title="A nested world",
        )
    except PlanError:
        return None
    return Told(world, plan, tuple(random_dataset(world, chance) for _ in range(4)))
