"""Reports of one category against enumeration of everything that may be reported."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from attrs import frozen

from accountant import InvalidValue, PlanError, PrivacyLoss, ShiftError, account, read_plan
from accountant.loss import NO_LOSS, AtomicLoss, Atoms, FiniteLoss, ResponseLoss, compose
from accountant.numbers.interval import Interval
from accountant.plugin import Mechanism, MechanismCase, Shift
from accountant.testing import laws
from accountant_response import (
    KRandomisedResponse,
    OptimisedUnaryEncoding,
    RandomisedResponse,
    Shuffle,
    SubsetSelection,
    UnaryEncoding,
)
from accountant_response.partial_response_loss import PartialResponseLoss
from tests.plugins.response.enumeration import Law, bits, categories, delta, dominates, every_pair, pair, shuffled, subsets

ONE = Shift.along([1])
Rows = Callable[[mpmath.mpf], list[Law]]


def unary(odds: mpmath.mpf) -> list[Law]:
    half = mpmath.sqrt(odds)
    return bits(3, half / (half + 1), 1 / (half + 1))


def optimised(odds: mpmath.mpf) -> list[Law]:
    return bits(3, mpmath.mpf(1) / 2, 1 / (odds + 1))


REPORTS: list[tuple[Mechanism, Rows]] = [
    *((KRandomisedResponse(k, e), lambda odds, k=k: categories(k, odds)) for k, e in ((2, "1"), (3, "0.01"), (7, "30"))),
    *(
        (SubsetSelection(k, s, e), lambda odds, k=k, s=s: subsets(k, s, odds))
        for k, s, e in ((4, 1, "2"), (4, 3, "1"), (5, 2, "0.1"), (6, 3, "4"))
    ),
    *((UnaryEncoding(e), unary) for e in ("0.2", "3")),
    *((OptimisedUnaryEncoding(e), optimised) for e in ("0.2", "3")),
]
NAMES = [str(mechanism) for mechanism, _ in REPORTS]


def exponential(epsilon: Fraction | float) -> mpmath.mpf:
    number = Fraction(epsilon)
    return mpmath.exp(mpmath.mpf(number.numerator) / number.denominator)


def contains(value: Interval, truth: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper))


@pytest.mark.parametrize(("mechanism", "rows"), REPORTS, ids=NAMES)
def test_every_pair_of_categories_has_exactly_this_loss(mechanism: Mechanism, rows: Rows) -> None:
    epsilon: Fraction = mechanism.epsilon  # type: ignore[attr-defined]
    with mpmath.workdps(60):
        loss = mechanism.loss(ONE)
        for atoms in every_pair(rows(exponential(epsilon))):
            for share in (-1.5, -0.5, 0.0, 0.3, 0.9, 0.999):
                point = float(epsilon) * share
                found = loss.delta(point)
                assert contains(found, delta(atoms, exponential(point)))
                assert found.width <= 1e-9
        assert loss.supremum().exact == epsilon


@pytest.mark.parametrize(("mechanism", "rows"), REPORTS[1:7:2], ids=NAMES[1:7:2])
@pytest.mark.parametrize("order", ["1.01", "2", "9"])
def test_renyi_is_the_sum_over_all_reports(mechanism: Mechanism, rows: Rows, order: str) -> None:
    with mpmath.workdps(60):
        atoms = every_pair(rows(exponential(mechanism.epsilon)))[0]  # type: ignore[attr-defined]
        power = mpmath.mpf(Fraction(order).numerator) / Fraction(order).denominator
        truth = mpmath.log(mpmath.fsum(p**power * q ** (1 - power) for p, q in atoms)) / (power - 1)
        assert contains(mechanism.loss(ONE).renyi(order), truth)


@pytest.mark.parametrize(
    "rows",
    [
        lambda odds: categories(4, odds),
        lambda odds: subsets(5, 2, odds),
        lambda odds: subsets(5, 4, odds),
        lambda odds: bits(4, Fraction(1, 2), 1 / (odds + 1)),
        lambda odds: bits(4, odds / (odds + 1), 1 / (odds + 1)),
    ],
)
def test_all_pairs_of_categories_dominate_each_other(rows: Callable[[Fraction], list[Law]]) -> None:
    pairs = every_pair(rows(Fraction(7, 3)))
    assert all(dominates(pairs[0], other) and dominates(other, pairs[0]) for other in pairs)


# Edges -----------------------------------------------------------------------------------------------------------------


def test_one_category_or_all_of_them_tell_nothing() -> None:
    assert KRandomisedResponse(1, "3").loss(ONE) is NO_LOSS
    assert SubsetSelection(5, 5, "3").loss(ONE) is NO_LOSS


def test_two_categories_are_randomised_response() -> None:
    expected = RandomisedResponse("0.7").loss(ONE)
    assert KRandomisedResponse(2, "0.7").loss(ONE) == SubsetSelection(2, 1, "0.7").loss(ONE) == expected


def test_subsets_of_one_are_single_categories() -> None:
    assert SubsetSelection(9, 1, "2").loss(ONE) == KRandomisedResponse(9, "2").loss(ONE)


def test_more_categories_never_cost_more() -> None:
    costs = [KRandomisedResponse(k, "1").loss(ONE).delta("1/2") for k in (2, 3, 10, 10**6, 10**30)]
    assert all(after.upper < before.lower for before, after in pairwise(costs))
    assert costs[-1].upper < 1e-29


def test_an_optimised_encoding_is_half_a_response() -> None:
    for epsilon in ("0.3", "5"):
        half, whole = OptimisedUnaryEncoding(epsilon).loss(ONE), ResponseLoss(epsilon)
        for point in ("0.1", "0.25"):
            found, other = half.delta(point), whole.delta(point)
            assert found.lower <= other.upper / 2
            assert other.lower / 2 <= found.upper
            assert found.width < 1e-13


@pytest.mark.parametrize("epsilon", ["1e-30", "800", "5000"])
def test_extreme_parameters_are_read_soundly(epsilon: str) -> None:
    for loss in (KRandomisedResponse(10**50, epsilon).loss(ONE), OptimisedUnaryEncoding(epsilon).loss(ONE)):
        assert 0.0 <= loss.delta(0).lower <= loss.delta(0).upper <= 1.0
        assert loss.supremum().exact == Fraction(epsilon)
    with mpmath.workdps(400):
        truth = (1 - mpmath.exp(-mpmath.mpf(epsilon))) / (1 + mpmath.exp(-mpmath.mpf(epsilon))) / 2
        assert contains(OptimisedUnaryEncoding(epsilon).loss(ONE).delta(0), truth)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: KRandomisedResponse(0, "1"), "must be at least 1, got 0"),
        (lambda: KRandomisedResponse("2.5", "1"), "expected a whole number"),
        (lambda: KRandomisedResponse(3, "0"), "must be above 0"),
        (lambda: SubsetSelection(3, 4, "1"), "a subset of 4 cannot be chosen from 3 categories"),
        (lambda: SubsetSelection(3, 0, "1"), "must be at least 1"),
        (lambda: UnaryEncoding("-1"), "must be above 0"),
        (lambda: OptimisedUnaryEncoding("nan"), "not a finite number"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(build: Callable[[], Mechanism], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        build()


LOCAL = [
    KRandomisedResponse(3, "1"),
    SubsetSelection(4, 2, "1"),
    UnaryEncoding("1"),
    OptimisedUnaryEncoding("1"),
    Shuffle("1", 3),
]


@pytest.mark.parametrize("mechanism", LOCAL, ids=lambda mechanism: mechanism.kind)
def test_a_query_that_may_hide_several_answers_is_refused(mechanism: Mechanism) -> None:
    for shift in (Shift.along([3]), Shift.along([1, "1/2"]), Shift(Fraction(2), Fraction(2), Fraction(1))):
        with pytest.raises(ShiftError, match="reports answers one by one"):
            mechanism.loss(shift)


@pytest.mark.parametrize(
    ("mechanism", "rows"),
    [
        (KRandomisedResponse(3, "1"), lambda odds: categories(3, odds)),
        (SubsetSelection(4, 2, "1"), lambda odds: subsets(4, 2, odds)),
        (UnaryEncoding("1"), unary),
        (OptimisedUnaryEncoding("1"), optimised),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_a_group_loses_what_its_reports_lose_together(mechanism: Mechanism, rows: Rows) -> None:
    from accountant.values.writing import unstructure

    plan = {
        "specification": {"neighbours": "replace-one", "group": 2},
        "release": [{"name": "answers", "mechanism": {"kind": mechanism.kind, **unstructure(mechanism)}}],
    }
    with mpmath.workdps(40):
        one = every_pair(rows(exponential(Fraction(1))))[0]
        both = [(p * r, q * s) for p, q in one for r, s in one]
        for point in ("0.25", "1.5"):
            found = account(read_plan(plan)).measure("approx", epsilon=point).value
            assert contains(found, delta(both, exponential(Fraction(point))))
            assert found.width < 1e-9


def test_several_reports_that_change_in_one_shuffle_are_refused() -> None:
    """Two reports of two that change lose more than twice what one of them loses."""
    plan = {
        "specification": {"neighbours": "replace-one", "group": 2},
        "release": [{"name": "answers", "mechanism": {"kind": "shuffle", "epsilon": "1", "reports": 9}}],
    }
    with pytest.raises(PlanError, match=r"where one report changes, but here several do.* @ release\[0\]\.mechanism"):
        account(read_plan(plan))
    yes, no = categories(2, Fraction(3))
    single = pair(shuffled([yes, no]), shuffled([no, no]))
    squared = [(p * r, q * s) for p, q in single for r, s in single]
    assert not dominates(squared, pair(shuffled([yes, yes]), shuffled([no, no])))


def test_a_count_of_a_group_is_not_taken_for_one_answer() -> None:
    plan = {
        "specification": {"neighbours": "replace-one", "group": 3},
        "release": [
            {
                "name": "answers",
                "query": {"kind": "count"},
                "mechanism": {"kind": "k-randomised-response", "categories": 3, "epsilon": "1"},
            }
        ],
    }
    with pytest.raises(PlanError, match="reports answers one by one"):
        account(read_plan(plan))


@pytest.mark.parametrize("mechanism", LOCAL, ids=lambda mechanism: mechanism.kind)
def test_neighbours_that_add_or_remove_a_report_are_refused(mechanism: Mechanism) -> None:
    from accountant.values.writing import unstructure

    data = {
        "specification": {"neighbours": "replace-one"},
        "release": [{"name": "answers", "mechanism": {"kind": mechanism.kind, **unstructure(mechanism)}}],
    }
    assert account(read_plan(data)).measure("pure").value.upper == 1.0
    data["specification"] = {"neighbours": "add-remove"}
    with pytest.raises(PlanError, match=r"between 'replace-one' neighbours only.* @ release\[0\]\.mechanism"):
        read_plan(data)


def test_a_fixed_report_in_place_of_an_absent_one_loses_no_more() -> None:
    """What is documented, but not claimed: whoever is absent is answered for with a report that reads no data."""
    odds = Fraction(5)
    for rows in (categories(2, odds), categories(4, odds), subsets(4, 2, odds)):
        stand_in = {seen: sum(row[seen] for row in rows) / len(rows) for seen in rows[0]}
        replaced = every_pair(rows)[0]
        for row in rows:
            there = [(row[seen], stand_in[seen]) for seen in row]
            assert dominates(replaced, there)
            assert dominates(replaced, [(q, p) for p, q in there])
            assert not dominates(there, replaced)


# Composition -----------------------------------------------------------------------------------------------------------


def test_ten_reports_are_ten_times_one() -> None:
    with mpmath.workdps(60):
        odds, count, point = exponential(Fraction(1)), 10, 3
        up, down = odds / (odds + 4), 1 / (odds + 4)
        truth = mpmath.fsum(
            mpmath.binomial(count, i)
            * mpmath.binomial(count - i, j)
            * up**i
            * down**j
            * (1 - up - down) ** (count - i - j)
            * max(0, 1 - mpmath.exp(point - (i - j)))
            for i in range(count + 1)
            for j in range(count + 1 - i)
        )
        loss = KRandomisedResponse(5, "1").loss(ONE)
        for composed in (compose([(loss, count)]), compose([(loss, 1)] * count)):
            assert contains(composed.delta(point), truth)
            assert composed.delta(point).width < 1e-9


# Planted errors --------------------------------------------------------------------------------------------------------


@frozen
class Stated(AtomicLoss):
    """The losses -1, 0 and 1 with any masses."""

    symmetric = True

    masses: tuple[float, float, float]

    def find_atoms(self) -> Atoms:
        masses = np.array(self.masses)
        return Atoms(np.array([-1.0, 0.0, 1.0]), masses, masses * 2.0**-50)


UP, DOWN = 1 / (1 + 3 * math.exp(-1)), 1 / (math.e + 3)


@frozen
class Exchanged(KRandomisedResponse):
    """The loss in the wrong direction."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return Stated((UP, 2 * DOWN, DOWN))


@frozen
class Missing(KRandomisedResponse):
    """Some mass of the largest loss is forgotten."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return Stated((DOWN, 2 * DOWN, 0.999 * UP))


@frozen
class Honest(KRandomisedResponse):
    """The same without an error."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return Stated((DOWN, 2 * DOWN, UP))


def test_planted_errors_are_caught_by_the_laws() -> None:
    odds = Fraction(math.e)
    pair = FiniteLoss(every_pair(categories(4, odds))[0])
    for honest in (KRandomisedResponse(4, "1"), Honest(4, "1")):
        laws.exact_pairs_never_beat_the_claim(MechanismCase("honest", honest, ONE, (pair,)))
    for planted in (Exchanged(4, "1"), Missing(4, "1")):
        # Some bounds that a wrong loss states also contradict each other, which is noticed first.
        with pytest.raises(AssertionError, match=r"beats its claimed loss|contradict each other"):
            laws.exact_pairs_never_beat_the_claim(MechanismCase("planted", planted, ONE, (pair,)))


def test_a_partial_response_that_keeps_too_little_is_noticed() -> None:
    with mpmath.workdps(60):
        truth = delta(every_pair(categories(4, exponential(Fraction(1))))[0], mpmath.mpf(1))
        assert contains(PartialResponseLoss("1", 0, 2).delta(0), truth)
        assert not contains(PartialResponseLoss("1", 0, 3).delta(0), truth)
        assert not contains(PartialResponseLoss("1", 1, 2).delta(0), truth)
