"""Shifts inside a universe: at most what is said for each unit of distance, between all datasets, and attained."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from accountant import (
    Budget,
    Entity,
    Gaussian,
    Histogram,
    Invariant,
    Laplace,
    Neighbours,
    Plan,
    Specification,
    Verdict,
    account,
    certify,
    load_plan,
    read_plan,
)
from accountant.errors import PlanError
from accountant.plugin import Shift
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant.release.inside import shift_inside
from accountant.release.query import STILL
from tests.analysis.worlds import ATTRIBUTES, moves, steps

RELATIONS = {"add-remove": ADD_REMOVE, "replace-one": REPLACE_ONE}
SETS = [frozenset(chosen) for size in range(4) for chosen in itertools.combinations(ATTRIBUTES, size)]
NOISE = Gaussian(sigma="1")


def cases(seeds: range) -> list[tuple[Specification, frozenset[str]]]:
    """Promises with exact tables, and what a histogram looks at."""
    found = []
    for seed in seeds:
        chance = random.Random(seed)
        relation = chance.choice(["add-remove", "replace-one", "replace-one"])
        differing = chance.choice([None, *filter(None, SETS)]) if relation == "replace-one" else None
        neighbours = Neighbours(RELATIONS[relation], "person", differing, chance.choice([1, 1, 2]))
        tables = chance.sample(SETS, chance.choice([1, 1, 2]))
        invariants = tuple(Invariant(f"by {sorted(table)}", table) for table in tables)
        found.append((Specification(neighbours, invariants, inside=True), chance.choice(SETS)))
    return found


def ratios(promised: Specification, looked_at: frozenset[str]) -> tuple[float, float, float]:
    """The most that a histogram moves for each step between any two datasets of the universe, in three norms."""
    apart, moved = steps(promised), moves(looked_at)
    compared = np.isfinite(apart) & (apart > 0)
    if not compared.any():
        return 0.0, 0.0, 0.0
    count, size = apart[compared], np.abs(moved[compared])
    return (
        float((size.sum(axis=1) / count).max()),
        float(((size**2).sum(axis=1) / count**2).max()),
        float((size.max(axis=1) / count).max()),
    )


def said(promised: Specification, looked_at: frozenset[str]) -> Shift:
    """What is said of it, or what holds between all neighbours."""
    query = Histogram(looked_at)
    return shift_inside(NOISE.on(query), promised.universe) or query.shift(promised.neighbours)


def exceeded(shift: Shift, found: tuple[float, float, float]) -> bool:
    return any(
        float(most) < value - 1e-9 for most, value in zip((shift.l1, shift.l2_squared, shift.linf), found, strict=True)
    )


def check(seeds: range) -> tuple[int, int]:
    """How many rules were used, and how many of them attained: groups may stop short of it in worlds of four records."""
    used = attained = 0
    for promised, looked_at in cases(seeds):
        shift, found = said(promised, looked_at), ratios(promised, looked_at)
        assert not exceeded(shift, found), (promised, looked_at, shift, found)
        if shift != Histogram(looked_at).shift(promised.neighbours):
            used += 1
            attained += abs(float(shift.l2_squared) - found[1]) < 1e-9
    return used, attained


def test_no_pair_of_datasets_moves_farther_inside_a_universe_than_is_said() -> None:
    used, attained = check(range(120))
    assert used > 20
    assert attained > 0.5 * used


@pytest.mark.sweep
def test_no_pair_of_datasets_moves_farther_over_many_universes() -> None:
    assert min(check(range(120, 3_000))) > 200


def test_a_shift_that_forgets_who_agrees_or_is_too_small_is_caught() -> None:
    """Said of more datasets than agree, or a little too small, it is exceeded somewhere."""
    forgotten = small = 0
    for promised, looked_at in cases(range(50)):
        shift = said(promised, looked_at)
        forgotten += exceeded(shift, ratios(evolve(promised, invariants=()), looked_at))
        less = Shift(shift.l1, shift.l2_squared * Fraction(99, 100), shift.linf)
        small += exceeded(less, ratios(promised, looked_at))
    assert min(forgotten, small) > 2


def program(values: tuple[int, int], distance: int, exact_first: bool) -> float:
    """The most that a cell rises between datasets at most so far apart, by an integer program.

    Records keep the second of two attributes and move in the first, whose counts are exact or not.
    """
    cells = list(itertools.product(range(values[0]), range(values[1])))
    ways = [(one, other) for one in cells for other in cells if one != other and one[1] == other[1]]
    rises: NDArray[np.float64] = np.array(
        [[float(other == cell) - float(one == cell) for one, other in ways] for cell in cells]
    )
    rows = [np.ones(len(ways))]
    limits = [float(distance)]
    for value in range(values[0]) if exact_first else ():
        rows.append(rises[[place for place, cell in enumerate(cells) if cell[0] == value]].sum(axis=0))
        limits.append(0.0)
    found = milp(
        -rises[0],
        constraints=LinearConstraint(np.array(rows), [0.0] * len(limits), limits),
        integrality=np.ones(len(ways)),
        bounds=Bounds(0, distance),
    )
    assert found.success
    return -float(found.fun)


@pytest.mark.parametrize("values", [(2, 2), (3, 2), (2, 4), (3, 3)])
@pytest.mark.parametrize("distance", [2, 3, 6, 17])
def test_an_integer_program_finds_no_cell_that_rises_by_more_than_half_the_distance(
    values: tuple[int, int], distance: int
) -> None:
    assert program(values, distance, exact_first=True) == distance // 2
    assert program(values, distance, exact_first=False) == distance


@pytest.mark.parametrize(
    "mechanism",
    [{"kind": "randomised-response", "epsilon": "1"}, {"kind": "tree", "leaves": 8, "sigma": "2"}],
    ids=["reports", "over time"],
)
def test_what_shows_more_than_the_answer_costs_as_much_though_the_answer_is_exact(mechanism: dict[str, object]) -> None:
    """Two persons who exchange their votes leave every count by vote as it is, and neither their reports nor when."""
    release = {"name": "r", "query": {"kind": "count", "attributes": ["vote"]}, "mechanism": mechanism}
    promised = {"neighbours": "replace-one", "invariants": [{"name": "votes", "counts_by": ["vote"]}]}
    usual = account(read_plan({"specification": promised, "release": [release]})).measure("approx", delta="1e-6").value
    inside = read_plan({"specification": {**promised, "inside": True}, "release": [release]})
    assert account(inside).measure("approx", delta="1e-6").value.upper == usual.upper > 0


RACE = Neighbours(REPLACE_ONE, "person", ["county"])
COUNTIES = Invariant("counties", ["county"])


def test_where_places_are_exact_noise_on_them_costs_half_and_on_what_is_exact_nothing() -> None:
    releases = [NOISE.on(Histogram(["county", "race"])), Laplace(scale="1").on(Histogram(["county"]))]
    plan = Plan.of(*releases, neighbours=RACE, invariants=[COUNTIES])
    outside, within = account(plan), account(plan.inside)
    assert outside.alone(outside.entries[0]).measure("zcdp").value.upper == 1
    assert within.alone(within.entries[0]).measure("zcdp").value.upper == 0.5
    assert within.measure("zcdp").value.lower == 0
    assert within.entries[1].shift == STILL
    # Two apart, two units of one half each: the rule for groups of zero-concentrated differential privacy.
    assert within.measure_between(2, "zcdp").value.upper == 2


def test_a_budget_inside_the_universe_is_kept_and_the_certificate_says_by_which_theorem() -> None:
    budget = Budget.of("zcdp", rho="0.5")
    plan = Plan.of(NOISE.on(Histogram(["county", "race"])), neighbours=RACE, invariants=[COUNTIES], budgets=[budget])
    assert account(plan).check(budget)[1] is Verdict.UNKNOWN
    assert account(plan.inside).check(budget)[1] is Verdict.IMPLIED
    steps_said = certify(plan.inside).contents.steps
    assert "inside-the-universe" in {step.theorem.name for step in steps_said}


@pytest.mark.parametrize(
    ("release", "why"),
    [
        (NOISE.on(Histogram()), "it may look at everything"),
        (Laplace(scale="1").on(Histogram(["county", "race"])), "its noise goes by another norm"),
    ],
)
def test_where_nothing_smaller_is_known_what_holds_between_all_neighbours_is_used(release: object, why: str) -> None:
    plan = Plan.of(release, neighbours=RACE, invariants=[COUNTIES])
    between, within = (account(read).measure("pure").value for read in (plan, plan.inside))
    assert (within.lower, within.upper) == (0, between.upper), why
    assert not any(entry.inside for entry in account(plan.inside).entries)


def test_counts_of_other_entities_fix_queries_of_those_only() -> None:
    entities = [
        Entity("person", "household", at_most=2, attributes=["age"]),
        Entity("household", may_be_empty=False, attributes=["tenure"]),
    ]
    neighbours = Neighbours.of("replace-one", entities=entities)
    known = Invariant("households by tenure", ["tenure"], "household")
    promised = Specification(neighbours, (known,), inside=True)
    assert shift_inside(NOISE.on(Histogram(["tenure"], of="household")), promised.universe) == STILL
    assert shift_inside(NOISE.on(Histogram(["tenure"])), promised.universe) is None


def test_inside_and_public_information_are_not_asked_together() -> None:
    from accountant import read_plan

    data = Plan.of(NOISE.on(Histogram(["county"])), neighbours="replace-one").as_data()
    data["specification"]["inside"] = True
    data["public"] = [{"kind": "independent", "name": "all", "budget": [{"divergence": "pure", "epsilon": "1"}]}]
    with pytest.raises(PlanError, match="leave 'inside' out"):
        read_plan(data)
    data["specification"]["inside"] = "yes"
    with pytest.raises(PlanError, match="expected true or false"):
        read_plan(data)


def test_the_census_pays_nothing_for_state_populations_inside_its_universe() -> None:
    """What remains is the sum of all other shares, worked out from the printed tables."""
    plan = load_plan("examples/census-2020.toml")
    states = Fraction("2.56") * Fraction(1440, 4099) * Fraction(3773, 4097)
    found = account(plan.inside).measure("zcdp").value
    assert found.upper == pytest.approx(float(Fraction("2.63") - states), rel=1e-12)
    assert [entry.release.name for entry in account(plan.inside).entries if entry.inside] == ["State: TOTAL"]
    race = next(scenario for scenario in plan.scenarios if scenario.attributes == {"race"})
    assert account(plan.inside).within(race).measure("zcdp").value == account(plan).within(race).measure("zcdp").value
