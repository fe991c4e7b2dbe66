"""Claims by the power of tests and by bounded probability, where several units differ: against rows of exact laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant import account, default_registry, read_plan
from accountant.loss import FiniteLoss
from accountant.plugin import DIVERGENCES
from accountant.testing import laws, search, strategies
from accountant_fdp import PowerOfTests, PowerParameter
from accountant_pbdp import Bounded, BoundedParameter
from tests.laws.quick import QUICK

FDP, PBDP = PowerOfTests(), Bounded()
Chain = list[tuple[Fraction, ...]]


def largest(chain: Chain, level: Fraction) -> Fraction:
    """The most power that any step of a row, in either direction, gives tests of a level."""
    steps = (FiniteLoss(zip(left, right, strict=True)) for left, right in pairwise(chain))
    found = [FDP.measure(step, {"level": level}).exact for step in steps]
    assert None not in found
    return max(value for value in found if value is not None)


@settings(max_examples=60)
@given(strategies.chains(3), st.lists(st.fractions(Fraction(1, 50), Fraction(49, 50)), min_size=1, max_size=3, unique=True))
def test_the_ends_of_a_row_keep_what_a_curve_says_of_a_group(chain: Chain, levels: list[Fraction]) -> None:
    points = [PowerParameter(level, largest(chain, level)) for level in levels]
    grown = FDP.group_of(points, len(chain) - 1)
    ends = FiniteLoss(zip(chain[0], chain[-1], strict=True))
    for point in grown:
        assert point.power >= largest([chain[0], chain[-1]], point.level)
    # Also read at other levels: the claim about the group stands for a whole curve again.
    worst = FDP.worst_case_of(grown)
    for level in ("1/7", "1/3", "4/5"):
        reached = FDP.measure(ends, {"level": Fraction(level)}).exact
        assert reached is not None
        assert reached <= Fraction(FDP.measure(worst, {"level": Fraction(level)}).upper)


def test_randomised_response_in_a_row_attains_the_rule() -> None:
    """Odds of 2 to 1, twice, are 4 to 1: a level of 1/10 has the power 2/5, as long as nothing else limits it."""
    twice = FDP.group(PowerParameter("1/10", "1/5"), 2)
    assert twice.level == Fraction(1, 10)
    assert twice.power == Fraction(2, 5)


def test_a_curve_says_more_about_a_group_than_its_points_do() -> None:
    points = [PowerParameter("1/10", "1/5"), PowerParameter("1/5", "3/10")]
    together, apart = FDP.group_of(points, 2), [FDP.group(point, 2) for point in points]
    assert together[0].power == Fraction(3, 10) < apart[0].power == Fraction(2, 5)


def test_large_groups_are_answered_and_stay_above() -> None:
    """Ten thousand steps of next to no gain: exact powers would have a million digits."""
    grown = FDP.group(PowerParameter("1/1000000007", "2/1999999999"), 10_000)
    assert Fraction(1, 1000000007) < grown.power <= 1
    assert grown.power.denominator.bit_length() < 2000


@frozen
class OneStep(PowerOfTests):
    """Planted: a group rule that takes the curve once, however many units differ."""

    def group(self, parameter: PowerParameter, size: int) -> PowerParameter:
        return parameter


@frozen
class SameChance(Bounded):
    """Planted: epsilon grows with the group, and the chance of failure stays what it was."""

    def group(self, parameter: BoundedParameter, size: int) -> BoundedParameter:
        return BoundedParameter(size * parameter.epsilon, parameter.delta)


def test_a_power_that_does_not_grow_with_the_group_is_caught() -> None:
    search(laws.groups_never_exceed, FDP, chain=strategies.chains())
    with pytest.raises(AssertionError, match="a group must keep what"):
        search(laws.groups_never_exceed, OneStep(), chain=strategies.chains(), depth=QUICK)


def test_a_chance_of_failure_that_does_not_grow_with_the_group_is_caught() -> None:
    """An event that the first dataset never shows, the second 5 times and the third 39/4 times in a hundred."""
    never = [(Fraction(part), 1 - Fraction(part)) for part in ("0", "1/20", "39/400")]
    search(laws.groups_never_exceed, PBDP, chain=strategies.chains())
    laws.groups_never_exceed(PBDP, never)
    with pytest.raises(AssertionError, match="a group must keep what"):
        laws.groups_never_exceed(SameChance(), never)


@settings(max_examples=60)
@given(strategies.chains(3), st.fractions(Fraction(1, 20), Fraction(1, 2)))
def test_bounded_probabilities_of_a_group_hold_between_the_ends(chain: Chain, delta: Fraction) -> None:
    steps = [FiniteLoss(zip(left, right, strict=True)) for left, right in pairwise(chain)]
    held = max(PBDP.measure(step, {"delta": delta}).upper for step in steps)
    if not 0.0 < held < 50.0:
        return
    grown = PBDP.group(BoundedParameter(Fraction(held), delta), len(steps))
    if grown is not None:
        ends = FiniteLoss(zip(chain[0], chain[-1], strict=True))
        assert PBDP.measure(ends, {"delta": grown.delta}).lower <= float(grown.epsilon) * (1 + 1e-12)


def test_a_failure_that_would_be_certain_is_no_rule() -> None:
    assert PBDP.group(BoundedParameter("3", "0.1"), 2) is None
    assert PBDP.group(BoundedParameter("300", "1e-6"), 10) is None
    grown = PBDP.group(BoundedParameter("1", "1e-6"), 3)
    assert grown is not None
    assert grown.epsilon == 3
    assert 7.38905e-6 < float(grown.delta) < 7.38907e-6


@pytest.mark.parametrize(
    ("claim", "at"),
    [
        ({"divergence": "fdp", "level": "0.05", "power": "0.07"}, {"level": "0.05"}),
        ({"divergence": "pbdp", "epsilon": "1", "delta": "1e-6"}, None),
    ],
    ids=["fdp", "pbdp"],
)
def test_a_claim_of_every_definition_is_accounted_for_in_groups(claim: dict[str, str], at: dict[str, str] | None) -> None:
    plan = {
        "specification": {"neighbours": "replace-one", "group": 2},
        "release": [{"name": "bought", "mechanism": {"kind": "claim", **claim}}],
    }
    whole = account(read_plan(plan))
    if at is not None:
        assert whole.measure("fdp", at).value.upper == pytest.approx(0.098)
    grown = whole.entries[0].claim
    assert grown is not None
    found = default_registry()[DIVERGENCES][claim["divergence"]].values(grown.points[0])
    assert all(found[word] >= Fraction(value) for word, value in claim.items() if word != "divergence")
