"""Laws of public information: how far apart the data may be is held against scenarios that can be written down."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from accountant.errors import AccountantError
from accountant.plugin.oracles import PublicOracle
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.public_facts import Public
from accountant.testing.counterexamples import broken
from accountant.values.writing import in_words, kind_data

Dataset = tuple[Any, ...]
Law = Mapping[Dataset, Fraction]


def public_has_an_oracle(kind: str, oracle: PublicOracle | None) -> None:
    """Public information is tried on scenarios that its author writes down."""
    if oracle is None:
        broken(
            f"nothing says which data the public information '{kind}' leaves possible, so its reach cannot be tried",
            remedy=f'yield PublicOracle("{kind}", scenarios=lambda public: [...], instances=lambda: ...) from '
            "accountant_conformance_cases",
        )


def reach_covers_the_scenarios(oracle: PublicOracle, relation: Relation, public: Public) -> None:
    """Under no two secrets of a scenario are the data further apart than `reach` says, and some two are left open."""
    try:
        reach = public.reach(Neighbours(relation))
    except AccountantError:
        return
    facts = {"public": in_words(kind_data(public)), "neighbours": relation.name}
    open_pairs = 0
    for number, scenario in enumerate(oracle.scenarios(public), start=1):
        for (one, left), (other, right) in itertools.combinations(scenario.items(), 2):
            for law in (left, right):
                if sum(law.values()) != 1:
                    broken(f"the law of the data under a secret must sum to one, in scenario {number}", **facts, law=law)
            open_pairs += 1
            apart = distance(left, right, relation)
            if reach.units is not None and apart > reach.units:
                broken(
                    f"the data must not be further apart than '{public.kind}' says",
                    **facts,
                    scenario=number,
                    secrets=f"{one} and {other}",
                    **{f"law under {one}": _shown(left), f"law under {other}": _shown(right)},
                    they_are_apart=f"{apart} units" if apart < math.inf else "beyond any coupling",
                    said_to_be_at_most=f"{reach.units} units",
                    look_at="'reach'",
                )
    if open_pairs and reach.vacuous:
        broken(
            f"'{public.kind}' leaves secrets open, and must not say that it decides all of them",
            **facts,
            pairs_of_secrets_left_open=open_pairs,
            look_at="'reach', whose 'live' is 0",
        )
    if not open_pairs and not reach.vacuous:
        broken(
            f"'{public.kind}' decides every secret, and must say so: nothing is promised",
            **facts,
            look_at="'reach', whose 'live' must be 0",
        )


def distance(left: Law, right: Law, relation: Relation) -> float:
    """The least number of moves that some coupling of two laws never exceeds: the distance of order infinity."""
    costs = {(one, other): _moves(one, other, relation) for one in left for other in right}
    for most in sorted({cost for cost in costs.values() if cost < math.inf}):
        allowed = {one: [other for other in right if costs[one, other] <= most] for one in left}
        if _coupled(left, right, allowed):
            return most
    return math.inf


def _moves(left: Dataset, right: Dataset, relation: Relation) -> float:
    """How many moves lead from one dataset to another, unit by unit; None stands for a unit that is not there."""
    replacing = relation.replacement
    total = 0.0
    for old, new in zip(left, right, strict=True):
        if old == new:
            continue
        if old is None or new is None:
            total += 1 if relation.by_presence else math.inf
        else:
            total += math.inf if replacing is None else replacing
    return total


def _coupled(left: Law, right: Law, allowed: Mapping[Dataset, list[Dataset]]) -> bool:
    """Whether the mass of one law can be carried to the other along what is allowed: a flow, path by path."""
    room, carried = dict(right), {(one, other): Fraction(0) for one in left for other in allowed[one]}
    for source, mass in left.items():
        remaining = mass
        while remaining:
            path = _path(source, room, allowed, carried)
            if path is None:
                return False
            steps = list(itertools.pairwise(path))
            back = [carried[second, first] for index, (first, second) in enumerate(steps) if index % 2]
            amount = min([remaining, room[path[-1]], *back])
            for index, (first, second) in enumerate(steps):
                if index % 2:
                    carried[second, first] -= amount
                else:
                    carried[first, second] += amount
            room[path[-1]] -= amount
            remaining -= amount
    return True


def _path(
    source: Dataset,
    room: Mapping[Dataset, Fraction],
    allowed: Mapping[Dataset, list[Dataset]],
    carried: Mapping[tuple[Dataset, Dataset], Fraction],
) -> list[Dataset] | None:
    """A way from a source to a place with room, forth along what is allowed and back along what is carried."""
    waiting, seen = [[source]], set[Dataset]()
    while waiting:
        path = waiting.pop(0)
        for place in allowed[path[-1]]:
            if place in seen:
                continue
            seen.add(place)
            if room[place]:
                return [*path, place]
            waiting += [[*path, place, other] for other in allowed if place in allowed[other] and carried[other, place]]
    return None


def _shown(law: Law) -> str:
    return ", ".join(f"{dataset}: {chance}" for dataset, chance in law.items())
