"""What reports read off an account is what attackers can achieve: closed forms, and enumeration in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

import accountant
from accountant_posterior.reports.figures import selection
from accountant_posterior.reports.gains import _by_number
from accountant_posterior.reports.view import View, alike, headline, repeated, views
from accountant_posterior.reports.wording import percent

SIGMA = Fraction(4)


def account_of(*releases: dict[str, Any], **specification: Any) -> accountant.Account:
    plan = {
        "title": "a plan",
        "specification": {"neighbours": "add-remove", **specification},
        "release": [{"name": f"release {number}", **release} for number, release in enumerate(releases)],
    }
    return accountant.account(accountant.read_plan(plan))


@pytest.fixture(scope="module")
def gaussian() -> View:
    """A count with Gaussian noise: everything about it has a closed form."""
    return views(account_of({"query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "0.8"}}))[0]


MU = mpmath.mpf(10) / 8


def inverse(probability: Any) -> Any:
    return mpmath.sqrt(2) * mpmath.erfinv(2 * probability - 1)


def close(found: float, truth: Any, slack: float = 2e-3) -> bool:
    """Not below the truth, and hardly above it."""
    return bool(truth <= found * (1 + 1e-12) and found <= truth * (1 + slack))


def test_the_best_guess_is_half_the_distance_above_a_coin(gaussian: View) -> None:
    truth = mpmath.ncdf(MU / 2)
    assert close(gaussian.guess.upper, truth, 1e-4)
    assert gaussian.guess.lower <= truth


@pytest.mark.parametrize("level", ["0.01", "0.05", "0.1", "0.5"])
def test_no_test_has_more_power(gaussian: View, level: str) -> None:
    assert close(gaussian.power(Fraction(level)), mpmath.ncdf(MU - inverse(1 - mpmath.mpf(level))))


@pytest.mark.parametrize("failure", ["0.1", "0.01", "0.0001"])
def test_odds_rarely_grow_more(gaussian: View, failure: str) -> None:
    chance = mpmath.mpf(failure)
    truth = mpmath.log(chance / mpmath.ncdf(inverse(chance) - MU))
    assert close(gaussian.rarely_beyond(Fraction(failure)), truth)
    assert gaussian.exceeding(Fraction(float(mpmath.exp(truth)))) >= chance * (1 - 1e-9)


@pytest.mark.parametrize("prior", ["0.01", "0.5", "0.9"])
def test_beliefs_stay_in_the_band_at_least_as_often_as_promised(gaussian: View, prior: str) -> None:
    """The log odds move by a normal variable of mean mu^2/2 and variance mu^2 when the truth is there, minus that else."""
    band = gaussian.belief(Fraction(prior), Fraction(1, 20))
    odds = mpmath.log(mpmath.mpf(prior) / (1 - mpmath.mpf(prior)))
    ends = [mpmath.log(mpmath.mpf(end) / (1 - mpmath.mpf(end))) - odds for end in (band.lower, band.upper)]
    for mean in (MU**2 / 2, -(MU**2) / 2):
        inside = mpmath.ncdf((ends[1] - mean) / MU) - mpmath.ncdf((ends[0] - mean) / MU)
        assert inside >= mpmath.mpf(19) / 20


rows = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)


@given(st.lists(rows, min_size=3, max_size=4), st.lists(st.integers(1, 5), min_size=4, max_size=4), st.integers(1, 2))
@settings(deadline=None, max_examples=40)
def test_no_guess_at_a_set_of_values_beats_the_bound(weights: list[list[int]], law: list[int], cut: int) -> None:
    """Every guess is tried: a set of values against the others, each with a law of its own, both sets equally likely."""
    table = [[Fraction(part, sum(row)) for part in row] for row in weights]
    release = {"mechanism": {"kind": "table", "rows": [[str(part) for part in row] for row in table]}}
    bound = views(account_of(release, neighbours="replace-one"))[0].guess

    def mixed(first: int, last: int) -> list[Fraction]:
        total = sum(law[first:last])
        return [sum((law[k] * table[k][w] for k in range(first, last)), Fraction(0)) / total for w in range(3)]

    inside, outside = mixed(0, cut), mixed(cut, len(table))
    best = max(
        sum(Fraction(1, 2) * (inside[w] if guess else outside[w]) for w, guess in enumerate(guesses))
        for guesses in product((False, True), repeat=3)
    )
    assert best <= Fraction(bound.upper)
    # Two values alone attain it, so that any smaller number would be caught.
    pairs = [
        Fraction(1, 2) * sum(max(a, b) for a, b in zip(one, two, strict=True)) for one, two in product(table, repeat=2)
    ]
    assert bound.contains(max(pairs)) or abs(float(max(pairs)) - bound.upper) < 1e-9


CENSUS = [
    {
        "name": "by race",
        "query": {"kind": "histogram", "attributes": ["race"]},
        "mechanism": {"kind": "gaussian", "sigma": "2"},
    },
    {
        "name": "by age",
        "query": {"kind": "histogram", "attributes": ["age"]},
        "mechanism": {"kind": "gaussian", "sigma": "4"},
    },
]


def census(**specification: Any) -> accountant.Account:
    plan = {
        "title": "two tables",
        "specification": {"neighbours": "replace-one", **specification},
        "release": CENSUS,
        "scenario": [{"name": "R", "attributes": ["race"]}, {"name": "A", "attributes": ["age"]}],
    }
    return accountant.account(accountant.read_plan(plan))


def test_scenarios_are_views_of_their_own() -> None:
    whole, race, age = views(census())
    assert (race.topic, age.label) == ("Jessie’s race", "age (A)")
    for view, variance in ((whole, Fraction(2, 4) + Fraction(2, 16)), (race, Fraction(2, 4)), (age, Fraction(2, 16))):
        assert close(
            view.guess.upper, mpmath.ncdf(mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator) / 2), 1e-4
        )
    assert [view.label for view in headline((whole, race, age))] == ["the whole record", "race (R)", "age (A)"]


def test_what_exact_counts_settle_is_not_protected() -> None:
    whole, race, age = views(census(invariants=[{"name": "people by race", "counts_by": ["race"]}]))
    assert race.settled
    assert race.guess.exact == 1
    assert race.belief(Fraction(1, 10), Fraction(1, 20)).upper == 1
    assert not age.settled
    assert whole.label == "any open question"


def test_releasing_again_teaches_more() -> None:
    whole = views(census())[0]
    assert close(repeated(whole, 4).guess.upper, mpmath.ncdf(mpmath.sqrt(mpmath.mpf(5) / 8 * 4) / 2), 1e-4)


def test_an_output_that_shows_everything_has_no_limit() -> None:
    view = views(account_of({"mechanism": {"kind": "non-private"}}, neighbours="replace-one"))[0]
    assert view.guess.upper == 1
    assert view.power(Fraction(1, 20)) == 1
    assert view.belief(Fraction(1, 2), Fraction(1, 20)).upper == 1


EIGHT = ("race", "age", "sex", "block", "tract", "tenure", "size", "year")


def eight() -> accountant.Account:
    """One table for each attribute, with ever more noise: from what is learned best to what is learned least."""
    releases = [
        {
            "name": name,
            "query": {"kind": "histogram", "attributes": [name]},
            "mechanism": {"kind": "gaussian", "sigma": str(2 + min(number, 6))},
        }
        for number, name in enumerate(EIGHT)
    ]
    scenarios = [{"name": name.upper(), "attributes": [name]} for name in EIGHT]
    scenarios.append({"name": "BOTH", "attributes": ["race", "age"]})
    plan = {
        "title": "eight tables",
        "specification": {"neighbours": "replace-one"},
        "release": releases,
        "scenario": scenarios,
    }
    return accountant.account(accountant.read_plan(plan))


def test_reports_say_which_scenarios_their_figures_draw_and_why_not_the_others() -> None:
    account = eight()
    seen = views(account)
    told = headline(seen)
    ((table,),) = (aside.blocks for aside in selection(seen, told))
    said = dict(table.rows)
    assert len(said) == len(seen) == 10
    drawn = {label for label, words in said.items() if words == "drawn"}
    assert drawn == {view.label for view in told}
    assert len(drawn) == 3
    assert said["BOTH (age and race)"] == "not drawn: names more attributes than other scenarios do"
    # The last two tables have the same noise, so that one stands for the other.
    assert (
        sum(words == "not drawn: as many right guesses of 100 as for YEAR" for words in said.values())
        + sum(words == "not drawn: as many right guesses of 100 as for SIZE" for words in said.values())
        == 1
    )
    between = [view for view in seen if said[view.label] == "not drawn: lies between those that are drawn"]
    ends = sorted(view.guess.upper for view in told[1:])
    assert between
    assert all(ends[0] < view.guess.upper < ends[1] for view in between)


def test_what_is_drawn_completely_needs_no_table() -> None:
    seen = views(census())
    assert selection(seen, headline(seen)) == ()
    settled = views(census(invariants=[{"name": "people by race", "counts_by": ["race"]}]))
    assert selection(settled, headline(settled)) == ()
    ((table,),) = (aside.blocks for aside in selection(settled, headline(settled), settled=False))
    assert ("race (R)", "not drawn: what is published exactly settles it, so there is no curve") in table.rows


@pytest.mark.parametrize(("sigma", "readings"), [("8", 4), ("0.2", 1), ("0.5", 2)])
def test_once_all_guesses_are_right_nothing_is_read_for_more_that_are_alike(
    monkeypatch: pytest.MonkeyPatch, sigma: str, readings: int
) -> None:
    """Counted: what is read for 2, 5, 10 and 100 who are alike. What is said is what every reading says."""
    view = views(account_of({"query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": sigma}}))[0]
    grown = [alike(view, units) for units in (2, 5, 10, 100)]
    expected = [percent(item.guess.upper, up=True) for item in grown if item is not None]
    asked = []
    measure = accountant.Account.measure

    def counted(self: accountant.Account, *args: Any, **words: Any) -> Any:
        asked.append(words)
        return measure(self, *args, **words)

    monkeypatch.setattr(accountant.Account, "measure", counted)
    said = _by_number(view)
    assert [statement.text for statement in said.values()] == expected
    assert len(asked) == readings
