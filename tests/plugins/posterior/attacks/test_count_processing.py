"""What post-processing leaves to an attacker, and how budgets are split."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import mpmath as mp
import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant_posterior.attacks import (
    SIMULATED,
    CountAttack,
    NoisyCount,
    ProjectionAttack,
    RhoShares,
    expected_posterior,
)
from tests.plugins.posterior.attacks.references import ALONE, RHO_BLOCK, real, weights


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(40):
        yield


def processed(total: int | None, known: int = 0, parent: int = 1, prior: str = "1/2") -> ProjectionAttack:
    return ProjectionAttack(prior, 1 / (2 * RHO_BLOCK), 27, parent, total, known)


def summed(noise: dict[int, Any], number: int) -> dict[int, Any]:
    """The law of the sum of so many independent draws, added up."""
    total = {0: mp.mpf(1)}
    for _ in range(number):
        longer: dict[int, Any] = {}
        for (a, u), (b, v) in product(total.items(), noise.items()):
            longer[a + b] = longer.get(a + b, mp.mpf(0)) + u * v
        total = longer
    return total


def test_a_known_answer_where_one_discrete_gaussian_is_not_the_sum_of_two() -> None:
    """Worked out elsewhere; one of twice the scale instead of the sum gives 0.62599379396."""
    found = ProjectionAttack("1/2", 1, 2, 2, 3).outlook().posterior
    assert found.lower <= 0.62599579817 + 5e-12
    assert found.upper >= 0.62599579817 - 5e-12
    assert found.width < 1e-9


def test_the_baseline_says_whether_it_approximates() -> None:
    assert ProjectionAttack("1/2", 1, 2, 2, 3).measured.approximated
    assert ProjectionAttack("1/2", 1, 2, 2, 3).measured.total_variation.upper < 1e-3
    assert not ProjectionAttack("1/2", "1/2", 2, 2, 3).measured.approximated


@pytest.mark.parametrize(("parent", "total", "known"), [(1, None, 0), (2, 5, 0), (6, 6, 2), (3, 0, 1)])
def test_the_law_of_a_processed_count_is_the_sum_over_all_noise(parent: int, total: int | None, known: int) -> None:
    attack = ProjectionAttack("1/3", "3/2", 3, parent, total, known)
    goal = parent if total is None else total
    own = weights(Fraction(3, 2), 14)
    beside = summed(own, 3)
    laws = []
    for count in (known + 1, known):
        law = [mp.mpf(0)] * (goal + 1)
        for (a, u), (b, v) in product(own.items(), beside.items()):
            moved = Fraction(3 * (count + a) + goal - (parent - count + b), 4)
            law[max(0, min(goal, round(moved)))] += u * v
        laws.append(law)
    p = real(Fraction(1, 3))
    pairs = list(zip(*laws, strict=True))
    mean = mp.fsum(p * a * a / (p * a + (1 - p) * b) for a, b in pairs)
    correct = mp.fsum(a for a, b in pairs if p * a > (1 - p) * b)
    found = attack.outlook()
    assert found.posterior.lower <= mean <= found.posterior.upper
    assert found.posterior.width < 1e-9
    assert found.correct.lower <= correct <= found.correct.upper
    assert found.label == SIMULATED


@pytest.mark.parametrize("total", [1, 10, 100])
@pytest.mark.parametrize("prior", ["1/2", "1/50"])
def test_processing_never_helps_an_attacker_who_could_see_all_that_was_measured(total: int, prior: str) -> None:
    attack = processed(total, prior=prior)
    assert attack.outlook().posterior.upper <= attack.baseline().posterior.lower


def test_the_noisy_count_alone_is_no_baseline_though_the_print_takes_it_for_one() -> None:
    alone = CountAttack("1/2", (NoisyCount.spending(RHO_BLOCK, ALONE),)).outlook()
    after = processed(100).outlook()
    assert alone.risk.upper == pytest.approx(1.0473, abs=5e-5)
    assert after.risk.lower == pytest.approx(1.0480, abs=1e-4)
    assert after.risk.lower > alone.risk.upper
    assert processed(100).baseline().risk.lower > after.risk.upper


def test_a_larger_total_leaves_more_to_work_back_from() -> None:
    risks = [processed(total).outlook().risk for total in (1, 2, 5, 20, 100)]
    assert all(small.upper < large.lower for small, large in pairwise(risks))


# Any channel ---------------------------------------------------------------------------------------------------------

masses = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


def law(numbers: list[int]) -> list[Fraction]:
    return [Fraction(number, sum(numbers)) for number in numbers]


@settings(deadline=None, max_examples=150)
@given(masses, masses, st.lists(masses, min_size=3, max_size=3), st.fractions(Fraction(1, 50), Fraction(49, 50)))
def test_mean_risk_never_grows_under_processing_and_is_at_least_one(
    present: list[int], absent: list[int], channel: list[list[int]], prior: Fraction
) -> None:
    first, second = law(present), law(absent)
    rows = [law(row) for row in channel]
    before = expected_posterior(first, second, prior)
    after = expected_posterior(
        [sum((first[i] * rows[i][j] for i in range(3)), Fraction(0)) for j in range(3)],
        [sum((second[i] * rows[i][j] for i in range(3)), Fraction(0)) for j in range(3)],
        prior,
    )
    assert prior <= after <= before <= 1


def test_a_channel_that_tells_all_leads_to_certainty() -> None:
    assert expected_posterior([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], "1/7") == 1
    with pytest.raises(InvalidValue, match="sum to exactly 1"):
        expected_posterior([Fraction(1)], [Fraction(1, 2)], "1/7")


# Budgets -------------------------------------------------------------------------------------------------------------

SHARES = {
    "US": ("104/4099", "189/241", 0.0649524, 0.05093780),
    "State": ("1440/4099", "230/4097", 0.8993413, 0.05048780),
    "County": ("447/4099", "754/4097", 0.2791705, 0.05137773),
    "Tract": ("687/4099", "241/2051", 0.4290607, 0.05041621),
    "Optimized block group": ("1256/4099", "1288/4099", 0.7844255, 0.24648451),
    "Block": ("165/4099", "3945/4097", 0.1030495, 0.09922635),
}


def test_recorded_budgets_of_the_detailed_query_at_every_level() -> None:
    split = RhoShares(
        "2.56",
        {level: row[0] for level, row in SHARES.items()},
        {level: {"detailed": row[1], "others": 1 - Fraction(row[1])} for level, row in SHARES.items()},
    )
    for level, (_, _, whole, detailed) in SHARES.items():
        assert float(split.rho(level)) == pytest.approx(whole, abs=5e-8)
        assert float(split.rho(level, "detailed")) == pytest.approx(detailed, abs=5e-9)


@settings(deadline=None, max_examples=50)
@given(
    st.fractions(Fraction(1, 100), 50, max_denominator=1000),
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=4),
)
def test_parts_sum_exactly_to_what_is_split(total: Fraction, parts: list[list[int]]) -> None:
    whole = sum(map(sum, parts))
    levels = {str(i): Fraction(sum(part), whole) for i, part in enumerate(parts)}
    queries = {str(i): {str(j): Fraction(n, sum(part)) for j, n in enumerate(part)} for i, part in enumerate(parts)}
    split = RhoShares(total, levels, queries)
    for level in levels:
        assert sum(split.rho(level, query) for query in queries[level]) == split.rho(level)
    assert sum(split.rho(level) for level in levels) == total


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RhoShares(1, {"a": "0.3", "b": "0.6"}, {"a": {"q": 1}, "b": {"q": 1}}), "sum to 0.9, not to exactly 1"),
        (lambda: RhoShares(1, {"a": 1}, {"a": {"q": "1/2"}}), "level 'a': the shares sum to 0.5"),
        (lambda: RhoShares(1, {"a": 2, "b": -1}, {"a": {"q": 1}, "b": {"q": 1}}), "'b' is negative"),
        (lambda: RhoShares(1, {"a": 1}, {"b": {"q": 1}}), "different levels: 'a', 'b'"),
        (lambda: RhoShares(1, {"a": 1}, {"a": {"q": 1}}).rho("c"), "no level 'c'"),
        (lambda: RhoShares(1, {"a": 1}, {"a": {"q": 1}}).rho("a", "r"), "no query 'r'"),
        (lambda: RhoShares(0, {"a": 1}, {"a": {"q": 1}}), "above 0"),
        (lambda: ProjectionAttack("1/2", 1, 0, 1), "at least 1"),
        (lambda: ProjectionAttack("1/2", 10**5, 50, 3).outlook(), "outcomes"),
        (lambda: ProjectionAttack("1/2", 1, 2, 1, known=1).baseline(), "no room for the target"),
    ],
)
def test_bad_budgets_and_processing_get_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()
