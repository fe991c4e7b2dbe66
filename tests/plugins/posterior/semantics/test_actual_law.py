"""The law of a posterior is that of what the releases themselves show, against enumeration of their outputs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Account, InvalidValue, account, read_plan
from accountant_posterior import Semantics

Row = tuple[Fraction, ...]
BELIEFS = st.fractions(Fraction(1, 9), Fraction(8, 9))
ROWS = [["9/10", "1/10"], ["1/2", "1/2"]]


def of(*releases: dict[str, Any], neighbours: str = "replace-one") -> Account:
    named = [{"name": f"release {number}", **release} for number, release in enumerate(releases)]
    return account(read_plan({"specification": {"neighbours": neighbours}, "release": named}))


def table(rows: object, times: int = 1) -> dict[str, Any]:
    return {"mechanism": {"kind": "table", "rows": rows}, "times": times}


def above(first: Row, second: Row, prior: Fraction, level: Fraction, present: bool) -> Fraction:
    """The chance that the posterior of the first row is above a level, output by output."""
    return sum(
        (
            p if present else q
            for p, q in zip(first, second, strict=True)
            if p + q and prior * p > level * (prior * p + (1 - prior) * q)
        ),
        Fraction(0),
    )


def test_a_table_has_the_law_of_its_rows_and_not_of_what_dominates_them() -> None:
    """If the first row is true the posterior is 9/14 nine times of ten; what dominates both orders says one half."""
    semantics = Semantics(of(table(ROWS)))
    assert semantics.law("1/2", rows=(1, 2)).exceeds("0.6").exact == Fraction(9, 10)
    assert semantics.law("1/2", rows=(2, 1)).exceeds("0.6").exact == Fraction(1, 2)
    either = semantics.law("1/2").exceeds("0.6")
    assert (either.lower, either.upper) == (0.5, 0.9)
    mean = Fraction(9, 10) * Fraction(9, 14) + Fraction(1, 10) * Fraction(1, 6)
    assert semantics.law("1/2", rows=(1, 2)).mean().exact == mean


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    columns = draw(st.integers(2, 3))
    rows = draw(
        st.lists(
            st.lists(st.integers(0, 6), min_size=columns, max_size=columns).filter(any),
            min_size=2,
            max_size=3,
        )
    )
    return [tuple(Fraction(weight, sum(row)) for weight in row) for row in rows]


@settings(max_examples=15, deadline=None)
@given(
    tables(), st.integers(1, 2), st.fractions(Fraction(1, 9), Fraction(8, 9)), st.fractions(Fraction(1, 9), Fraction(8, 9))
)
def test_laws_of_tables_are_those_of_all_their_outputs(
    rows: list[Row], times: int, prior: Fraction, level: Fraction
) -> None:
    semantics = Semantics(of(table([[str(value) for value in row] for row in rows], times)))
    repeated = [tuple(math.prod(part, start=Fraction(1)) for part in itertools.product(row, repeat=times)) for row in rows]
    for first, second in itertools.permutations(range(len(rows)), 2):
        for present in (True, False):
            truth = above(repeated[first], repeated[second], prior, level, present)
            named = semantics.law(prior, rows=(first + 1, second + 1)).exceeds(level, present=present)
            any_rows = semantics.law(prior).exceeds(level, present=present)
            for read in (named, any_rows):
                assert Fraction(read.lower) <= truth <= Fraction(read.upper)
            assert named.width <= 1e-12


def gaussian(place: int) -> float:
    return math.exp(-(place**2) / 4.0)


def geometric(place: int) -> float:
    return math.exp(-abs(place) / 2.0)


@pytest.mark.parametrize(
    ("mechanism", "mass"),
    [({"kind": "discrete-gaussian", "variance": "2"}, gaussian), ({"kind": "geometric", "scale": "2"}, geometric)],
    ids=["discrete-gaussian", "geometric"],
)
@pytest.mark.parametrize("group", [1, 2])
def test_laws_of_noise_on_a_histogram_are_those_of_all_its_outputs(
    mechanism: dict[str, str], mass: Callable[[int], float], group: int
) -> None:
    plan = {
        "specification": {"neighbours": "replace-one", "group": group},
        "release": [{"name": "r", "query": {"kind": "histogram"}, "mechanism": mechanism}],
    }
    found = Semantics(account(read_plan(plan))).law("1/3")
    assert not found.dominating
    places, total = range(-60, 61), math.fsum(mass(place) for place in range(-200, 201))
    for level in (0.205, 0.505, 0.805):
        truth = 0.0
        for up, down in itertools.product(places, repeat=2):
            p, q = mass(up) * mass(down), mass(up + group) * mass(down - group)
            if p > level * (p + 2 * q):
                truth += p / total**2
        read = found.exceeds(Fraction(str(level)))
        assert read.lower - 1e-7 <= truth <= read.upper + 1e-7


@pytest.mark.parametrize(("categories", "epsilon"), [(2, "1"), (4, "1/2")])
def test_laws_of_randomised_categories_are_those_of_their_outputs(categories: int, epsilon: str) -> None:
    kind = {"kind": "k-randomised-response", "categories": categories, "epsilon": epsilon}
    read = Semantics(of({"mechanism": kind})).law("1/2").exceeds("0.55")
    odds = math.exp(float(Fraction(epsilon)))
    truth = odds / (odds + categories - 1)
    assert read.lower - 1e-12 <= truth <= read.upper + 1e-12


CLAIM = {"kind": "claim", "divergence": "pure", "epsilon": "1"}


@pytest.mark.parametrize(
    "mechanism",
    [CLAIM, {"kind": "post-processed", "mechanism": CLAIM, "by": "rounding"}],
    ids=["claimed", "inside"],
)
def test_no_law_stands_behind_a_claim(mechanism: dict[str, Any]) -> None:
    semantics = Semantics(of({"mechanism": mechanism}))
    with pytest.raises(InvalidValue, match="known by a claim only"):
        semantics.law("1/2")
    with pytest.raises(InvalidValue, match="known by a claim only"):
        semantics.releases_until_likely("0.8", "1/2", "0.05")


def test_where_only_a_dominating_pair_is_known_the_words_say_so() -> None:
    """Rounding a response away shows nothing, whatever the pair that dominates it would show."""
    hidden = {"kind": "post-processed", "mechanism": {"kind": "randomised-response", "epsilon": "1"}, "by": "deleting it"}
    semantics = Semantics(of({"mechanism": hidden}))
    found = semantics.law("1/2")
    assert found.dominating
    assert "the pair that dominates all releases" in found.statement
    assert found.theorem.name == "posterior-law-of-the-dominating-pair"
    with pytest.raises(InvalidValue, match="only a pair that dominates them is known"):
        semantics.releases_until_likely("0.8", "1/2", "0.05")
    actual = Semantics(of({"mechanism": {"kind": "randomised-response", "epsilon": "1"}})).law("1/2")
    assert not actual.dominating
    assert "dominates" not in actual.statement


def test_sampled_releases_have_no_known_law() -> None:
    sampled = {
        "query": {"kind": "count"},
        "mechanism": {"kind": "laplace", "scale": "1"},
        "sampling": {"kind": "poisson", "rate": "0.1"},
    }
    assert Semantics(of(sampled, neighbours="add-remove")).law("1/2").dominating


def test_rows_are_named_where_there_are_any() -> None:
    semantics = Semantics(of(table(ROWS)))
    for rows in ((1, 1), (0, 1), (1, 3)):
        with pytest.raises(InvalidValue, match="has rows 1 to 2"):
            semantics.law("1/2", rows=rows)
    with pytest.raises(InvalidValue, match="is no table"):
        Semantics(of({"mechanism": {"kind": "randomised-response", "epsilon": "1"}})).law("1/2", rows=(1, 2))
