"""Whether accounts stay within risk profiles: verdicts, words, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import pytest

from accountant import Account, AccountantError, InvalidValue, Verdict, account, certify, default_registry, read_plan
from accountant.plugin import RISK_PROFILES
from accountant_posterior import (
    BoxProfile,
    Constant,
    Difference,
    FixedDisclosure,
    FixedMembership,
    LeeClifton,
    Point,
    Tabulated,
    TwoDimensional,
    admitted_epsilon,
    admitted_rho,
    gaussian_epsilon,
    probabilistic_epsilon,
)
from accountant_posterior.risk.criterion import shown_down
from accountant_posterior.risk.profile import Profile
from accountant_posterior.risk.profiles import KINDS


def geometric(epsilon: str, **more: Any) -> dict[str, Any]:
    return {"kind": "geometric", "scale": str(1 / Fraction(epsilon)), **more}


def gaussian(rho: str) -> dict[str, Any]:
    """Gaussian noise on a count with that rho; sigma rounded up."""
    return {"kind": "gaussian", "sigma": math.nextafter(math.sqrt(0.5 / float(Fraction(rho))), math.inf)}


def account_with(
    mechanism: dict[str, Any], neighbours: str = "add-remove", query: dict[str, Any] | None = None, **specification: Any
) -> Account:
    release = {"name": "total", "query": query or {"kind": "count"}, "mechanism": mechanism}
    stated = {"neighbours": neighbours, "unit": "person", **specification}
    return account(read_plan({"title": "one count", "specification": stated, "release": [release]}))


HISTOGRAM = {"kind": "histogram", "attributes": ["age"]}


# Verdicts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "adversary", "verdict"),
    [
        ("0.8", "strong", Verdict.IMPLIED),
        ("0.82", "strong", Verdict.REFUTED),
        ("0.4", "independent", Verdict.IMPLIED),
        ("0.82", "independent", Verdict.REFUTED),
    ],
)
def test_a_pure_account_is_compared_with_what_the_profile_admits(epsilon: str, adversary: str, verdict: Verdict) -> None:
    """A difference of 0.2 admits 0.8109 against the strong adversary, who attains it, and half against the other."""
    found = Difference("0.2", adversary=adversary).assess(account_with(geometric(epsilon)))
    assert found.verdict is verdict
    assert found.found.divergence == "pure"
    assert found.derivation[-1].theorem.name == "risk-verdict"
    assert found.derivation[-1].statement.startswith(verdict.value)


def test_a_count_moves_no_further_by_a_replacement_and_so_admits_more() -> None:
    """A histogram does: there two values are two steps apart, and 0.5 is between what is shown and what is refuted."""
    count = Difference("0.2").assess(account_with(geometric("0.5")))
    histogram = Difference("0.2").assess(account_with(geometric("0.5"), query=HISTOGRAM))
    assert count.verdict is Verdict.IMPLIED
    assert count.admissible.lower == pytest.approx(0.8109302162163288)
    assert histogram.verdict is Verdict.REFUTED
    assert histogram.admissible.lower == pytest.approx(0.4054651081081644)
    assert "membership probability 1 and disclosure probability 0.4" in histogram.statement


def test_what_lies_between_what_is_shown_and_what_is_refuted_is_unknown() -> None:
    """At membership 0.05 nobody is sure of membership or of the value, so no attack of the strong adversary decides."""
    profile = BoxProfile(3, "0.05", "0.05", "0.2", "0.2")
    admitted = profile.recommend().epsilon
    found = profile.assess(account_with(geometric("1.2"), query=HISTOGRAM))
    assert admitted.upper < 1.2
    assert found.verdict is Verdict.UNKNOWN
    assert "is not known" in found.statement


@pytest.mark.parametrize("adversary", ["strong", "independent"])
def test_a_gaussian_account_never_keeps_what_may_not_fail(adversary: str) -> None:
    assert Difference("0.2", adversary=adversary).assess(account_with(gaussian("0.001"))).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("rho", "verdict"), [("0.03", Verdict.IMPLIED), ("0.06", Verdict.UNKNOWN), ("0.2", Verdict.REFUTED)]
)
def test_a_gaussian_account_keeps_what_may_fail(rho: str, verdict: Verdict) -> None:
    profile = Difference("0.2", adversary="strong", failure="0.01")
    found = profile.assess(account_with(gaussian(rho)))
    assert found.verdict is verdict
    assert found.found.divergence == "pbdp"
    # The law of Gaussian noise itself says on which side rho lies.
    assert (gaussian_epsilon(rho, "0.01").upper <= found.admissible.lower) is (verdict is Verdict.IMPLIED)


def test_a_failing_bound_is_the_best_point_of_the_curve() -> None:
    """By hand: (epsilon, delta) of the account, widened to failure 0.01, at the best of many deltas."""
    whole, profile = account_with(gaussian("0.03")), Difference("0.2", adversary="strong", failure="0.01")
    deltas = [Fraction(step, 10_000) for step in range(5, 95, 5)]
    by_hand = min(
        probabilistic_epsilon(whole.measure("approx", delta=delta).value, delta, "0.01").upper for delta in deltas
    )
    found = profile.assess(whole)
    assert found.found.value.upper <= by_hand * (1 + 1e-9)
    assert found.found.value.upper >= by_hand * 0.98


def test_an_independent_attacker_is_bounded_through_two_steps() -> None:
    profile = Difference("0.2", failure="0.01")
    found = profile.assess(account_with(gaussian("0.005"), query=HISTOGRAM))
    assert found.verdict is Verdict.IMPLIED
    assert any(step.theorem.name == "risk-independent-failure" for step in found.derivation)
    assert "in the attacker's own model" in found.statement


@pytest.mark.parametrize(("sigma", "verdict"), [("6.8", Verdict.UNKNOWN), ("6.9", Verdict.IMPLIED)])
def test_two_values_of_one_record_may_decide(sigma: str, verdict: Verdict) -> None:
    """A sum of values between -1 and 1: leaving is within the profile either way, changing sides is not."""
    query, noise = {"kind": "sum", "attributes": ["x"], "lower": "-1", "upper": "1"}, {"kind": "gaussian", "sigma": sigma}
    removed, replaced = (
        account_with(noise, neighbours, query).measure("pbdp", delta="0.01").value
        for neighbours in ("add-remove", "replace-one")
    )
    profile = Difference("0.2", failure="0.01")
    admitted = profile.recommend().epsilon.lower
    assert removed.upper < admitted
    assert (replaced.upper <= 2 * admitted) is (verdict is Verdict.IMPLIED)
    assert profile.assess(account_with(noise, query=query)).verdict is verdict


def test_between_replaced_records_membership_is_certain() -> None:
    whole = account_with(geometric("0.8"), "replace-one")
    found = Difference("0.2", neighbours="replace-one").assess(whole)
    assert found.verdict is Verdict.IMPLIED
    assert found.admissible.lower == pytest.approx(0.8109302162163288)
    assert "known to be in the data" in found.statement


@pytest.mark.parametrize(
    ("epsilon", "query", "verdict"),
    [
        ("0.4", {"kind": "count"}, Verdict.IMPLIED),
        ("0.41", {"kind": "count"}, Verdict.REFUTED),
        ("0.2", HISTOGRAM, Verdict.IMPLIED),
        ("0.21", HISTOGRAM, Verdict.REFUTED),
    ],
)
def test_a_missing_unit_is_told_from_another_by_what_a_replacement_moves(
    epsilon: str, query: dict[str, Any], verdict: Verdict
) -> None:
    """log(3/2) = 0.405 for one of four and a posterior of a third, divided by how far a replacement moves the query."""
    assert LeeClifton(4, "1/3").assess(account_with(geometric(epsilon), query=query)).verdict is verdict


@pytest.mark.parametrize(("scale", "verdict"), [("2.5", Verdict.IMPLIED), ("2.4", Verdict.REFUTED)])
def test_a_sum_of_similar_values_hardly_tells_who_is_missing(scale: str, verdict: Verdict) -> None:
    """Values between 9 and 10: leaving moves the sum by 10, another in its place by 1, so ten times 0.405 is admitted."""
    noise = {"kind": "laplace", "scale": scale}
    whole = account_with(noise, query={"kind": "sum", "lower": "9", "upper": "10"})
    assert whole.measure("pure").value.upper >= 4
    assert LeeClifton(4, "1/3").assess(whole).verdict is verdict


@pytest.mark.parametrize(("sigma", "verdict"), [("6.8", Verdict.IMPLIED), ("6.6", Verdict.UNKNOWN)])
def test_a_noisy_sum_of_similar_values_seldom_tells_who_is_missing(sigma: str, verdict: Verdict) -> None:
    """log(d/Phi(z - 1/sigma)) with Phi(z) = d = 0.01 is log(3/2) at sigma = 6.73; leaving would need ten times as much."""
    whole = account_with({"kind": "gaussian", "sigma": sigma}, query={"kind": "sum", "lower": "9", "upper": "10"})
    quantile = NormalDist().inv_cdf(0.01)
    truth = math.log(0.01 / NormalDist().cdf(quantile - 1 / float(sigma)))
    assert (truth <= math.log(1.5)) is (verdict is Verdict.IMPLIED)
    found = LeeClifton(4, "1/3", failure="0.01").assess(whole)
    assert found.verdict is verdict
    assert found.found.value.upper == pytest.approx(truth, rel=1e-5)


@pytest.mark.parametrize(("stated", "promised"), [("add-remove", "replace-one"), ("replace-one", "add-remove")])
def test_neighbours_are_never_mixed(stated: str, promised: str) -> None:
    with pytest.raises(InvalidValue, match=f'say neighbours = "{promised}"'):
        Difference("0.2", neighbours=stated).assess(account_with(geometric("0.1"), promised))


def test_what_is_published_exactly_is_not_promised() -> None:
    whole = account_with(geometric("0.1"), "replace-one", invariants=[{"name": "by state", "counts_by": ["state"]}])
    found = Difference("0.2", neighbours="replace-one").assess(whole)
    assert found.verdict is Verdict.UNKNOWN
    assert "'by state', published exactly" in found.statement


def test_a_total_says_nothing_about_a_value() -> None:
    whole = account_with(geometric("0.1"), "replace-one", invariants=[{"name": "total", "counts_by": []}])
    assert Difference("0.2", neighbours="replace-one").assess(whole).verdict is Verdict.IMPLIED


def test_attributes_that_may_differ_are_named() -> None:
    whole = account_with(
        geometric(
            "0.1",
        ),
        "replace-one",
        query=HISTOGRAM,
        attributes=["age"],
    )
    assert "Values differ in age only." in Difference("0.2", neighbours="replace-one").assess(whole).statement


def test_where_no_datasets_are_compared_nothing_is_said() -> None:
    whole = account_with(
        geometric("0.1"),
        "replace-one",
        query=HISTOGRAM,
        attributes=["age"],
        invariants=[{"name": "by age", "counts_by": ["age"]}],
    )
    verdict = Difference("0.2", neighbours="replace-one").assess(whole).verdict
    assert verdict is (Verdict.VACUOUS if whole.closest.vacuous else Verdict.UNKNOWN)


def test_a_claim_that_is_not_closed_under_averages_serves_the_strong_adversary_only() -> None:
    claim = {"kind": "claim", "divergence": "pbdp", "epsilon": "0.1", "delta": "0.001"}
    whole = account_with(claim)
    assert Difference("0.2", adversary="strong", failure="0.01").assess(whole).verdict is Verdict.IMPLIED
    with pytest.raises(AccountantError, match="averages"):
        Difference("0.2", failure="0.01").assess(whole)


def test_a_refutation_by_a_claim_says_what_it_supposes() -> None:
    """What is claimed bounds a release from above: an attacker is only known where nothing better holds."""
    claim = {"kind": "claim", "divergence": "pure", "epsilon": "5"}
    found = Difference("0.2", adversary="strong").assess(account_with(claim))
    assert found.verdict is Verdict.REFUTED
    assert "for some output, if what is claimed of 'total' is all that holds." in found.statement
    known = Difference("0.2", adversary="strong").assess(account_with(geometric("5")))
    assert known.verdict is Verdict.REFUTED
    assert "claimed" not in known.statement


def test_approximate_claims_serve_both_adversaries() -> None:
    whole = account_with({"kind": "claim", "divergence": "approx", "epsilon": "0.1", "delta": "1e-6"})
    for adversary in ("strong", "independent"):
        assert Difference("0.2", adversary=adversary, failure="0.01").assess(whole).verdict is Verdict.IMPLIED


def test_a_profile_that_asks_nothing_is_kept() -> None:
    assert Point(2).assess(account_with(geometric("9"))).verdict is Verdict.IMPLIED


# Profiles as plans state them ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(1), "above 1"),
        (lambda: Constant(3, adversary="block"), "simulated attack"),
        (lambda: Constant(3, adversary="nobody"), "no adversary"),
        (lambda: Constant(3, neighbours="friends"), "one of add-remove, replace-one"),
        (lambda: Constant(3, failure=1), "below 1"),
        (lambda: FixedDisclosure("0.5", 3, adversary="strong"), "let disclosure be 1"),
        (lambda: FixedMembership("0.5", 3, neighbours="replace-one"), "let membership be 1"),
        (lambda: BoxProfile(3, "0.5", "0.2"), "must run between"),
        (lambda: LeeClifton(4, "1/4"), "already 1/4"),
        (lambda: LeeClifton(4, "1/3", adversary="strong"), "asks who is missing"),
        (lambda: TwoDimensional(3, 1), "below 1"),
        (lambda: Tabulated([["1/2", 1]]), "row 1: expected membership"),
        (lambda: Tabulated([["1/2", 1, 2], ["1/2", 2, 2]]), "row 2: a prior"),
        (lambda: Tabulated([["1/2", 1, "0.9"]]), "tolerate at least 1"),
        (lambda: Tabulated([]), "at least one row"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()


def test_remarks_say_where_a_profile_asks_for_nothing() -> None:
    assert Constant(3).lint() == (
        "a ratio of 3 asks nothing of attackers whose prior is above 1/3: no posterior exceeds 1",
    )
    assert Tabulated([["1/2", "1", "1.5"], ["1/2", "1/2", "5"]]).lint() == (
        "row 2 asks nothing: a ratio of 5 allows any posterior",
    )
    assert FixedMembership("0.05", 3, "0.15").lint() == ()
    assert "limit of disclosure" in Constant(3).recommend().remarks[-1]


def test_nothing_is_asked_outside_the_domain() -> None:
    assert Point(2).tolerance(Fraction(1, 3), Fraction(1)).upper == math.inf
    assert Tabulated([["1/2", 1, 2]]).tolerance(Fraction(1, 3), Fraction(1)).upper == math.inf
    assert TwoDimensional(3, "1/4").tolerance(Fraction(1, 4), Fraction(1, 4)).exact == 4
    assert Difference("0.2").tolerance(Fraction(1, 2), Fraction(1, 2)).exact == Fraction(9, 5)


STATED: list[dict[str, Any]] = [
    {"kind": "constant", "ratio": "3"},
    {"kind": "fixed-disclosure", "disclosure": "1", "ratio": "3", "posterior": "0.25"},
    {"kind": "fixed-membership", "membership": "0.05", "ratio": "3", "posterior": "0.15"},
    {"kind": "box", "ratio": "3", "membership_from": "0.1"},
    {"kind": "difference", "at_most": "0.2", "adversary": "strong", "failure": "0.01"},
    {"kind": "two-dimensional", "ratio": "3", "posterior": "0.25"},
    {"kind": "point", "ratio": "1.5"},
    {"kind": "lee-clifton", "population": 4, "posterior": "1/3"},
    {"kind": "table", "points": [["1/2", "1", "1.5"]]},
]


@pytest.mark.parametrize("stated", STATED, ids=lambda stated: stated["kind"])
def test_every_kind_is_certified_from_a_plan(stated: dict[str, Any]) -> None:
    plan = read_plan(
        {
            "title": "one count",
            "specification": {"neighbours": "add-remove"},
            "release": [{"name": "total", "query": {"kind": "count"}, "mechanism": geometric("0.1")}],
            "risk": stated,
        }
    )
    (profile,) = plan.risks
    assert isinstance(profile, Profile)
    assert profile.recommend().epsilon.lower > 0.1
    assert certify(plan).verdicts == (Verdict.IMPLIED,)


def test_every_kind_is_registered() -> None:
    stated, registry = {stated["kind"] for stated in STATED}, default_registry()
    own = {kind for kind in registry[RISK_PROFILES] if registry.owner(RISK_PROFILES, kind).name == "posterior"}
    assert own == {profile.kind for profile in KINDS}, "list every kind in KINDS, in risk/profiles.py"
    assert own == stated, f"state a profile of each kind in STATED: {', '.join(sorted(own ^ stated))}"
    assert "custom" not in default_registry()[RISK_PROFILES]


# What is recommended is kept -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("adversary", ["strong", "independent"])
@pytest.mark.parametrize("most", ["0.05", "0.2", "0.6"])
def test_claims_of_what_is_recommended_keep_the_profile(adversary: str, most: str) -> None:
    """Rounded down, in each of three definitions."""
    profile = Difference(most, adversary=adversary, failure="0.01")
    claims: list[dict[str, Any]] = [
        {"divergence": "pure", "epsilon": shown_down(profile.recommend().epsilon)},
        {"divergence": "approx", "epsilon": shown_down(admitted_epsilon(profile, "1e-5"), 4), "delta": "1e-5"},
        {"divergence": "zcdp", "rho": shown_down(admitted_rho(profile), 3)},
    ]
    for claim in claims:
        assert profile.assess(account_with({"kind": "claim", **claim})).verdict is Verdict.IMPLIED


def test_a_claim_is_not_read_between_other_neighbours() -> None:
    """Between replaced records 0.5 would be enough, but nothing was claimed about those."""
    whole = account_with({"kind": "claim", "divergence": "pure", "epsilon": "0.5"})
    assert Difference("0.2").assess(whole).verdict is Verdict.UNKNOWN
    assert Difference("0.2").assess(account_with(geometric("0.5"))).verdict is Verdict.IMPLIED
