"""Small worlds: all datasets of up to four records with three attributes of two values, and what promises say there.

What two promises of one definition with a known extremal mechanism allow is decided pair by pair: between datasets that are
s steps apart for the first, as much as s steps of it allow can be spent (randomised responses for pure epsilon, Gaussian
noise for zero-concentrated rho), and nothing is bounded between datasets that it does not compare.
"""

from __future__ import annotations

import itertools
import random
from functools import cache

import numpy as np
from numpy.typing import NDArray

from accountant import Invariant, Neighbours, Specification
from accountant.promise.domain import Domain

ATTRIBUTES = ("a", "b", "c")
"""Of records; promises that do not declare the last say nothing of it."""

DECLARED, UNDECLARED = Domain(attributes=ATTRIBUTES), Domain()
RECORDS = [frozenset(chosen) for size in range(4) for chosen in itertools.combinations(ATTRIBUTES, size)]
FAR = np.inf


@cache
def datasets(most: int = 4) -> NDArray[np.int64]:
    """How often each dataset has each record."""
    rows = []
    for size in range(most + 1):
        for chosen in itertools.combinations_with_replacement(range(len(RECORDS)), size):
            rows.append(np.bincount(chosen, minlength=len(RECORDS)))
    return np.array(rows, dtype=np.int64)


def _totals(groups: dict[frozenset[str], list[int]]) -> NDArray[np.int64]:
    return np.stack([datasets()[:, members].sum(axis=1) for members in groups.values()], axis=1)


def _grouped(attributes: frozenset[str]) -> dict[frozenset[str], list[int]]:
    found: dict[frozenset[str], list[int]] = {}
    for place, record in enumerate(RECORDS):
        found.setdefault(record & attributes, []).append(place)
    return found


@cache
def agree(counted: frozenset[str]) -> NDArray[np.bool_]:
    """Which datasets have the same counts by some attributes."""
    totals = _totals(_grouped(counted))
    return (totals[:, None, :] == totals[None, :, :]).all(axis=2)


@cache
def moves(attributes: frozenset[str]) -> NDArray[np.int64]:
    """How far the cells of a histogram by some attributes move between any two datasets."""
    totals = _totals(_grouped(attributes))
    return totals[:, None, :] - totals[None, :, :]


@cache
def _moved() -> NDArray[np.int64]:
    rows = datasets()
    return np.abs(rows[:, None, :] - rows[None, :, :]).sum(axis=2)


@cache
def units_apart(name: str, attributes: frozenset[str] | None) -> NDArray[np.float64]:
    """How many units datasets are apart."""
    if name == "add-remove":
        return _moved().astype(float)
    fixed = frozenset() if attributes is None else frozenset(ATTRIBUTES) - attributes
    return np.where(agree(fixed), _moved() / 2, FAR)


def steps(specification: Specification) -> NDArray[np.float64]:
    """How many steps between neighbours datasets are apart that a promise compares; infinitely many elsewhere."""
    neighbours = specification.neighbours
    found = np.ceil(units_apart(neighbours.relation.name, neighbours.attributes) / neighbours.group)
    for invariant in specification.invariants:
        assert invariant.counts_by is not None
        found = np.where(agree(invariant.counts_by), found, FAR)
    return found


def truth(known: Specification, wanted: Specification, allowed: float, asked: float, power: int) -> bool | None:
    """Whether all that keeps the first keeps the second here, each step allowing so much; None if nothing is compared."""
    first, second = steps(known), steps(wanted)
    compared = np.isfinite(second) & (second > 0)
    if not compared.any():
        return None
    return bool((allowed * first[compared] ** power <= asked * second[compared] ** power * (1 + 1e-12)).all())


def random_neighbours(chance: random.Random, relations: dict[str, object], named: str = "ab") -> Neighbours:
    """Neighbours of either relation, sometimes in groups or by some attributes only."""
    name = chance.choice(["add-remove", "replace-one", "replace-one"])
    attributes = None
    if name == "replace-one" and chance.random() < 0.5:
        attributes = tuple(chance.sample(named, chance.randint(1, len(named))))
    return Neighbours(relations[name], "person", attributes, chance.choice([1, 1, 1, 2, 3]))  # type: ignore[arg-type]


def random_invariants(chance: random.Random, named: str = "ab") -> tuple[Invariant, ...]:
    """Up to three exact tables by attributes that have names."""
    tables = [chosen for size in range(len(named) + 1) for chosen in itertools.combinations(named, size)]
    chosen = chance.sample(tables, chance.choice([0, 0, 1, 1, 2, 3]))
    return tuple(Invariant(f"by {'-'.join(table) or 'nothing'}", table) for table in chosen)
