"""Posterior bounds against every attacker by enumeration, closed forms and published figures."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant import Account, Interval, InvalidValue, account, read_plan
from accountant.errors import ReadingError
from accountant.finite import Pair
from accountant.loss import FiniteLoss
from accountant.numbers import larger, log_of
from accountant.testing import strategies
from accountant_posterior import Counterfactual, Semantics, chance_over_curve
from accountant_posterior.semantics.odds import updated

HALF = Fraction(1, 2)


def accounted(
    mechanism: Mapping[str, Any],
    neighbours: str = "add-remove",
    query: Mapping[str, Any] | None = None,
    times: int = 1,
    specification: Mapping[str, Any] | None = None,
    **further: Any,
) -> Account:
    release = {"name": "released", "mechanism": dict(mechanism), "times": times, **further}
    if query is not None:
        release["query"] = dict(query)
    return account(read_plan({"specification": {"neighbours": neighbours, **(specification or {})}, "release": [release]}))


def claimed(divergence: str, neighbours: str = "add-remove", **words: str) -> Account:
    return accounted({"kind": "claim", "divergence": divergence, **words}, neighbours)


def table(rows: list[tuple[Fraction, ...]]) -> Account:
    """The account of a mechanism that answers with one of these laws, by the value of one record."""
    texts = [[str(entry) for entry in row] for row in rows]
    return accounted({"kind": "table", "rows": texts}, "replace-one")


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[tuple[Fraction, ...]], tuple[Fraction, ...], frozenset[int]]:
    """Laws of the output for each value of a record, an attacker's prior over the values, and a set of sensitive ones."""
    size = draw(st.integers(2, 3))
    rows = [draw(strategies.priors(3)) for _ in range(size)]
    sensitive = draw(
        st.sampled_from([frozenset(c) for k in range(1, size) for c in itertools.combinations(range(size), k)])
    )
    return rows, draw(strategies.priors(size)), sensitive


def sides(
    rows: list[tuple[Fraction, ...]], prior: tuple[Fraction, ...], sensitive: frozenset[int]
) -> tuple[Fraction, list[tuple[Fraction, Fraction, Fraction]]]:
    """The prior of the secret; and each output's posterior, with its chances when the secret is true and when not."""
    belief = sum((prior[value] for value in sensitive), Fraction(0))
    found = []
    for output in range(len(rows[0])):
        true = sum((prior[value] * rows[value][output] for value in sensitive), Fraction(0))
        false = sum((prior[value] * row[output] for value, row in enumerate(rows) if value not in sensitive), Fraction(0))
        found.append((true / (true + false), true / belief, false / (1 - belief)))
    return belief, found


# The strong adversary ---------------------------------------------------------------------------------------------------


@given(worlds(), st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 10), Fraction(1, 3)]))
@settings(max_examples=60, deadline=None)
def test_no_attacker_leaves_the_bounds_more_often_than_stated(
    world: tuple[list[tuple[Fraction, ...]], tuple[Fraction, ...], frozenset[int]], failure: Fraction
) -> None:
    belief, found = sides(*world)
    semantics = Semantics(table(world[0]))
    bounds = [
        (semantics.posterior(belief, failure), lambda posterior: posterior),
        (semantics.ratio(belief, failure), lambda posterior: posterior / belief),
        (semantics.ratio(None, failure), lambda posterior: posterior / belief),
        (semantics.difference(belief, failure), lambda posterior: posterior - belief),
        (semantics.difference(None, failure), lambda posterior: posterior - belief),
    ]
    for bound, read in bounds:
        for side in (1, 2):
            outside = [item[side] for item in found if not bound.lower <= read(item[0]) <= bound.upper]
            assert sum(outside, Fraction(0)) <= failure


@given(st.fractions(Fraction(1, 10), 3, max_denominator=10), st.fractions(Fraction(1, 50), Fraction(49, 50)))
@settings(max_examples=25, deadline=None)
def test_randomised_response_attains_every_bound_that_always_holds(epsilon: Fraction, prior: Fraction) -> None:
    semantics = Semantics(claimed("pure", epsilon=str(epsilon)))
    e = math.exp(epsilon)
    p = float(prior)
    posterior, ratio, difference = semantics.posterior(prior), semantics.ratio(prior), semantics.difference(prior)
    assert posterior.upper == pytest.approx(p * e / (p * e + 1 - p), rel=1e-13)
    assert posterior.lower == pytest.approx(p / (p + (1 - p) * e), rel=1e-13)
    assert ratio.upper == pytest.approx(e / (p * e + 1 - p), rel=1e-13)
    assert difference.upper == pytest.approx(posterior.upper - p, rel=1e-12)
    assert semantics.ratio().upper == pytest.approx(e, rel=1e-13)
    assert semantics.ratio().lower == pytest.approx(1 / e, rel=1e-13)
    mirrored = semantics.posterior(1 - prior)
    assert posterior.upper + mirrored.lower == pytest.approx(1.0, abs=1e-13)
    worst = semantics.difference()
    assert max(difference.upper, -difference.lower) <= worst.upper * (1 + 1e-13)
    assert worst.upper == pytest.approx(math.tanh(float(epsilon) / 4), rel=1e-13)
    assert worst.worst_prior is not None
    star = Fraction(worst.worst_prior.lower)
    assert float(star) == pytest.approx(1 / (1 + math.exp(epsilon / 2)), rel=1e-13)
    assert semantics.difference(star).upper == pytest.approx(worst.upper, rel=1e-13)


def test_the_published_example_of_one_release() -> None:
    """epsilon = 0.1, delta = 1e-7, failure probability 0.01; the print rounds the interval inward to 48% to 52%."""
    whole = claimed("approx", epsilon="0.1", delta="1e-7")
    for semantics, tolerance in ((Semantics(whole, slack="1e-7"), 1e-9), (Semantics(whole), 1e-6)):
        posterior, ratio = semantics.posterior("1/2", "0.01"), semantics.ratio(None, "0.01")
        assert posterior.gain.upper == pytest.approx(0.1000190483832446, abs=tolerance)
        assert posterior.lower == pytest.approx(0.4750160623129348, abs=tolerance)
        assert posterior.upper == pytest.approx(0.5249839376870653, abs=tolerance)
        assert ratio.lower == pytest.approx(0.9048201825102017, abs=tolerance)
        assert ratio.upper == pytest.approx(1.1051919699953479, abs=tolerance)
        assert semantics.difference(None, "0.01").upper == pytest.approx(0.024999552088595143, abs=tolerance)
        assert "0.475 and 0.525" in posterior.statement
    assert Semantics(whole).posterior("1/2").trivial


def test_a_difference_of_a_fifth() -> None:
    whole = Semantics(claimed("pure", epsilon="0.8109302162163287"))
    assert whole.difference().upper == pytest.approx(0.2, abs=1e-12)
    two = Semantics(claimed("pure", epsilon="2")).difference()
    assert two.worst_prior is not None
    assert two.worst_prior.lower == pytest.approx(0.26894, abs=1e-5)
    assert two.upper == pytest.approx(0.46212, abs=1e-5)


def test_the_classic_conversion_of_rho() -> None:
    found = {item.conversion: item.value for item in claimed("zcdp", rho="2.56").by_formulas("approx", delta="1e-10")}
    assert found["zcdp-to-approx-classic"].upper == pytest.approx(17.91528291900186, abs=1e-9)


def test_a_month_of_counts_by_tighter_ways() -> None:
    """rho = 0.3 in all: 0.96305 by the classic way, 0.9351 by moments, 0.9139 for Gaussian noise and what is made of it."""
    month = Semantics(claimed("zcdp", rho="0.3")).posterior("1/2", "0.01")
    assert 0.93 < month.upper < 0.93515
    noise = Semantics(accounted({"kind": "gaussian", "sigma": "5"}, query={"kind": "count"}, times=15))
    assert noise.gain("0.01").value.upper == pytest.approx(2.3626, abs=6e-5)
    assert noise.posterior("1/2", "0.01").upper == pytest.approx(0.9139, abs=6e-5)
    exact = noise.law("1/2").outside("2.127989700177434")
    assert exact.lower - 1e-9 <= 0.01 <= exact.upper + 1e-9


def test_releases_until_a_posterior_of_four_fifths() -> None:
    """0.05 each time from an even prior: basic 28, at one delta 45 and 102, along the whole curve 134, by the law 174."""
    whole = claimed("pure", epsilon="0.05")
    assert Semantics(whole).releases_until("0.8", HALF) == 28
    assert Semantics(whole, slack="1e-6").releases_until("0.8", HALF, "0.05") == 45
    assert Semantics(whole, slack="1e-3").releases_until("0.8", HALF, "0.05") == 102

    def often(times: int) -> Semantics:
        return Semantics(accounted({"kind": "claim", "divergence": "pure", "epsilon": "0.05"}, times=times))

    assert often(133).posterior(HALF, "0.05").upper <= 0.8 < often(134).posterior(HALF, "0.05").upper

    def responses(times: int) -> Semantics:
        """A claim says no law; randomised responses have one."""
        return Semantics(accounted({"kind": "randomised-response", "epsilon": "0.05"}, times=times))

    outside = {times: responses(times).law(HALF).outside_ratio(Fraction(4)) for times in (172, 173, 174)}
    assert max(outside[172].upper, outside[173].upper) <= 0.05 < outside[174].lower


def test_the_law_and_the_bounds_count_releases_apart() -> None:
    """By bounds that hold for whatever is made of the outputs fewer times than by the binomial law of the outputs."""
    semantics, epsilon = Semantics(accounted({"kind": "randomised-response", "epsilon": "0.4"})), 0.4

    def outside(count: int) -> float:
        chances = [
            math.comb(count, wrong) * math.exp((count - wrong) * epsilon) / (1 + math.exp(epsilon)) ** count
            for wrong in range(count + 1)
        ]
        return sum(c for wrong, c in enumerate(chances) if abs(count - 2 * wrong) * epsilon > math.log(9))

    truth = next(count for count in itertools.count(1) if outside(count) > 0.2)
    assert semantics.releases_until_likely("0.9", HALF, "0.2") == truth
    bounded = semantics.releases_until("0.9", HALF, "0.2")
    assert bounded is not None
    assert math.log(9) / epsilon < bounded < truth


def test_what_is_never_exceeded() -> None:
    assert Semantics(accounted({"kind": "no-op"})).releases_until("0.6", HALF) is None
    assert Semantics(claimed("pure", epsilon="1")).releases_until(1, HALF) is None
    assert Semantics(claimed("pure", epsilon="1")).releases_until("0.1", reading="difference") == 1


def test_frequentist_power_at_a_level() -> None:
    pure = {"0.1": (0.0111, 0.0553, 0.1105), "1": (0.0272, 0.1359, 0.2718), "4": (0.5460, 0.9826, 0.9835)}
    for epsilon, powers in pure.items():
        semantics = Semantics(claimed("pure", epsilon=epsilon))
        for level, power in zip(("0.01", "0.05", "0.10"), powers, strict=True):
            assert semantics.power(level).value.upper == pytest.approx(power, abs=1e-4)
    census = Semantics(
        accounted({"kind": "gaussian", "sigma": "1"}, query={"kind": "vector", "shift": ["2.2934689882359433"]})
    )
    for level, power in (("0.01", 0.4869), ("0.05", 0.7417), ("0.10", 0.8442)):
        assert census.power(level).value.upper == pytest.approx(power, abs=1e-4)


# The independent adversary -----------------------------------------------------------------------------------------------


def geometric_cells(ratio: Fraction) -> dict[str, list[Fraction]]:
    """Output laws of two counts with geometric noise, e^-epsilon = ratio, cut at three apart: by what the target is."""
    reach = 3

    def noise(centre: int) -> list[Fraction]:
        inner = [(1 - ratio) / (1 + ratio) * ratio ** abs(k - centre) for k in range(-reach + 1, reach)]
        return [ratio ** (reach + centre) / (1 + ratio), *inner, ratio ** (reach - centre) / (1 + ratio)]

    def joint(yes: int, no: int) -> list[Fraction]:
        return [a * b for a in noise(yes) for b in noise(no)]

    return {"yes": joint(1, 0), "no": joint(0, 1), "absent": joint(0, 0)}


@pytest.mark.parametrize(("membership", "disclosure"), [("3/10", "2/5"), ("1", "1/10"), ("1/2", "1")])
def test_two_noisy_cells_attain_the_bound_on_value_and_membership(membership: str, disclosure: str) -> None:
    p, q, ratio = Fraction(membership), Fraction(disclosure), Fraction(1, 2)
    laws = geometric_cells(ratio)
    assert all(sum(law) == 1 for law in laws.values())
    weights = {"yes": p * q, "no": p * (1 - q), "absent": 1 - p}
    outputs = range(len(laws["yes"]))
    totals = [sum(weights[key] * laws[key][output] for key in laws) for output in outputs]
    rises = [laws["yes"][output] / total for output, total in zip(outputs, totals, strict=True)]
    whole = Semantics(claimed("pure", epsilon=str(Fraction(math.log(2)) + Fraction(1, 2**54))), "independent")
    bound = whole.ratio(p * q, membership=p)
    assert max(rises) <= Fraction(bound.upper)
    assert bound.upper == pytest.approx(float(max(rises)), rel=1e-12)
    assert Fraction(bound.lower) <= min(rises)
    assert bound.lower == pytest.approx(float(min(rises)), rel=1e-12)
    # The bound for membership alone is no bound for a value: the planted reading is caught.
    if q < 1:
        planted = Semantics(claimed("pure", epsilon=str(Fraction(math.log(2)) + Fraction(1, 2**54)))).ratio(p * q)
        assert max(rises) > Fraction(planted.upper)
    else:
        same = Semantics(claimed("pure", epsilon=str(Fraction(math.log(2)) + Fraction(1, 2**54)))).ratio(p)
        assert bound.upper == pytest.approx(same.upper, rel=1e-12)


@st.composite
def populations(
    draw: st.DrawFn,
) -> tuple[dict[tuple[int, ...], tuple[Fraction, ...]], tuple[Fraction, ...], tuple[Fraction, ...]]:
    """A mechanism on up to two records of two values, the law of the other record (absent, 0, 1) and of the target's."""
    datasets = [data for size in range(3) for data in itertools.combinations_with_replacement((0, 1), size)]
    return {data: draw(strategies.priors(3)) for data in datasets}, draw(strategies.priors(3)), draw(strategies.priors(3))


@given(populations(), st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 4)]))
@settings(max_examples=40, deadline=None)
def test_no_independent_model_leaves_the_bound(
    population: tuple[dict[tuple[int, ...], tuple[Fraction, ...]], tuple[Fraction, ...], tuple[Fraction, ...]],
    failure: Fraction,
) -> None:
    laws, other, target = population

    def law(own: tuple[int, ...]) -> list[Fraction]:
        """The output given the target's record, the other drawn independently."""
        mixed = [Fraction(0)] * 3
        for chance, rest in zip(other, ((), (0,), (1,)), strict=True):
            for output, mass in enumerate(laws[tuple(sorted(own + rest))]):
                mixed[output] += chance * mass
        return mixed

    ratios = [
        laws[tuple(sorted((*data, value)))][output] / laws[data][output]
        for data in laws
        if len(data) < 2
        for value in (0, 1)
        for output in range(3)
    ]
    worst = max(max(ratios), 1 / min(ratios))
    assume(worst > 1)
    epsilon = Fraction(log_of(worst).upper)
    absent, secret, _ = target
    weights, given_target = target, [law(()), law((1,)), law((0,))]
    semantics = Semantics(claimed("pure", epsilon=str(epsilon)), "independent")
    bounds = [semantics.posterior(secret, failure), semantics.posterior(secret, 0, membership=1 - absent)]
    for output in range(3):
        total = sum(weight * row[output] for weight, row in zip(weights, given_target, strict=True))
        posterior = secret * given_target[1][output] / total
        assert bounds[1].lower <= posterior <= bounds[1].upper
        if not failure:
            assert bounds[0].lower <= posterior <= bounds[0].upper
    false = [(absent * given_target[0][o] + target[2] * given_target[2][o]) / (1 - secret) for o in range(3)]
    for side in (given_target[1], false):
        outside = [
            side[o]
            for o in range(3)
            if not bounds[0].lower
            <= secret * given_target[1][o] / (secret * given_target[1][o] + (1 - secret) * false[o])
            <= bounds[0].upper
        ]
        assert sum(outside, Fraction(0)) <= failure


def test_a_sum_far_from_zero_moves_more_with_a_unit_than_with_its_value() -> None:
    """Values between 9 and 10: leaving moves the sum by 10, another value by 1; the worst counts where it is open."""
    whole = accounted({"kind": "laplace", "scale": "10"}, query={"kind": "sum", "lower": "9", "upper": "10"})
    gain = Semantics(whole, "independent").gain()
    assert (gain.membership.exact, gain.value.exact) == (1, Fraction(1, 10))
    assert Semantics(whole, "independent").ratio().upper == pytest.approx(math.e, rel=1e-13)
    assert Semantics(whole, "independent").ratio("1/100", membership=1).upper < math.exp(0.1)


def test_values_between_neighbours_that_replace_cost_one_step() -> None:
    whole = claimed("pure", "replace-one", epsilon="0.5")
    assert Semantics(whole, "independent").ratio().upper == pytest.approx(math.exp(0.5), rel=1e-13)
    assert Semantics(whole, "independent").ratio("1/10", membership=1).upper < math.exp(0.5)
    with pytest.raises(InvalidValue, match="promise nothing about membership"):
        Semantics(whole, "independent").ratio("1/10", membership="1/2")


# Records that depend on each other ----------------------------------------------------------------------------------------


def responses(*records: int) -> Fraction:
    """The chance of all-ones answers to randomised response with odds 3 to 2, as a multiple."""
    return math.prod((Fraction(3, 5) if record else Fraction(2, 5) for record in records), start=Fraction(1))


def response_account(neighbours: str = "replace-one") -> Account:
    return accounted(
        {"kind": "randomised-response", "epsilon": str(Fraction(math.log(1.5)) + Fraction(1, 2**53))}, neighbours
    )


@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        ((HALF, 0, 0, HALF), Fraction(9, 4)),
        ((Fraction(2, 5), Fraction(1, 10), Fraction(1, 10), Fraction(2, 5)), Fraction(21, 11)),
    ],
)
def test_two_dependent_records(joint: tuple[Fraction, ...], expected: Fraction) -> None:
    """Records that are equal give e^(2 epsilon); the strong bound e^epsilon is broken, the one for two records is not."""
    both, first, second, none = (Fraction(item) for item in joint)
    true = (both * responses(1, 1) + first * responses(1, 0)) / (both + first)
    false = (second * responses(0, 1) + none * responses(0, 0)) / (second + none)
    assert true / false == expected
    belief = both + first
    posterior = belief * true / (belief * true + (1 - belief) * false)
    assert posterior > Fraction(Semantics(response_account()).posterior(belief).upper)
    bound = Semantics(response_account(), dependence=2).posterior(belief)
    assert posterior <= Fraction(bound.upper)
    if expected == Fraction(9, 4):
        assert bound.upper == pytest.approx(float(posterior), rel=1e-12)
    assert "at most 2 records" in bound.statement


def test_the_markov_boundary_is_too_small() -> None:
    """A chain of three records that rarely changes: its first record's neighbour screens it off, and two are too few."""
    flip, start = Fraction(1, 100), Fraction(1, 100)
    ratios = []
    for answers in itertools.product((0, 1), repeat=3):
        true, false = Fraction(0), Fraction(0)
        for chain in itertools.product((0, 1), repeat=3):
            weight = start if chain[0] else 1 - start
            for one, two in itertools.pairwise(chain):
                weight *= flip if one != two else 1 - flip
            weight *= responses(*(int(record == answer) for record, answer in zip(chain, answers, strict=True)))
            true, false = (true + weight, false) if chain[0] else (true, false + weight)
        ratios.append(true / (true + false) / start)
    assert max(abs(math.log(ratio)) for ratio in ratios) / math.log(1.5) == pytest.approx(2.9184, abs=5e-5)
    two, three = (Semantics(response_account(), dependence=size).ratio(start) for size in (2, 3))
    assert min(ratios) < Fraction(two.lower)
    assert max(ratios) > Fraction(two.upper)
    assert Fraction(three.lower) <= min(ratios) <= max(ratios) <= Fraction(three.upper)


def test_dependence_without_group_costs_goes_by_steps() -> None:
    """Nobody says what a sampled release loses between groups, but steps between neighbours add up."""
    sampled = accounted(
        {"kind": "laplace", "scale": "1"}, query={"kind": "count"}, sampling={"kind": "poisson", "rate": "0.1"}
    )
    once, thrice = Semantics(sampled).gain().value, Semantics(sampled, dependence=3).gain().value
    assert thrice.upper == pytest.approx(3 * once.upper, rel=1e-12)
    assert (
        Semantics(sampled, dependence=3).posterior("1/2", "0.01").upper
        == Semantics(sampled, dependence=3).posterior("1/2").upper
    )


# What an account may be -----------------------------------------------------------------------------------------------


def test_who_knows_the_sample_is_not_kept_from_anything() -> None:
    sampled = Semantics(
        accounted({"kind": "laplace", "scale": "1"}, query={"kind": "count"}, sampling={"kind": "poisson", "rate": "0.1"})
    )
    assert sampled.ratio().upper == pytest.approx(1 + 0.1 * (math.e - 1), rel=1e-12)
    assert sampled.against("insider").ratio().upper == pytest.approx(math.e, rel=1e-12)


def test_parts_of_the_records_are_read_in_their_worst_case() -> None:
    def release(name: str, part: str, scale: str) -> dict[str, Any]:
        return {
            "name": name,
            "query": {"kind": "count"},
            "mechanism": {"kind": "laplace", "scale": scale},
            "scope": {"partition": "region", "part": part},
        }

    plan = {
        "specification": {"neighbours": "add-remove"},
        "release": [release("north", "north", "1"), release("south", "south", "2")],
    }
    semantics = Semantics(account(read_plan(plan)))
    assert semantics.ratio().upper == pytest.approx(math.e, rel=1e-12)
    assert semantics.posterior("1/2", "0.01").upper <= semantics.posterior("1/2").upper
    with pytest.raises(ReadingError, match="cases"):
        semantics.law("1/2")
    assert Semantics(semantics.account.whereabouts[1]).law("1/2").exceeds("1/2").lower > 0.5


def test_sets_of_values_in_several_parts_need_the_whole_curve() -> None:
    """A mixture of two pairs may need more than each of them at one point, but never more delta than the worse of them."""
    first = [(Fraction(1, 100), Fraction(0)), (Fraction(99, 100), Fraction(1))]
    second = [(Fraction(1, 5), Fraction(1, 12)), (Fraction(4, 5), Fraction(11, 12))]
    pairs = [Pair(first), Pair(second)]
    mixed = Pair([(p / 2, q / 2) for p, q in (*first, *second)])

    def chance(pair: Pair, epsilon: Fraction) -> float:
        return chance_over_curve(lambda place: FiniteLoss(pair.atoms).delta(place), epsilon).upper

    def worst(place: float) -> Interval:
        return larger(FiniteLoss(pair.atoms).delta(place) for pair in pairs)

    epsilon = Fraction(1)
    assert chance(mixed, epsilon) > 2 * max(chance(pair, epsilon) for pair in pairs)
    # A test that says yes on both rare outcomes shows it.
    level, power = Fraction(3, 10) * Fraction(1, 24), Fraction(1, 200) + Fraction(3, 10) * Fraction(1, 10)
    assert power > max(chance(pair, epsilon) for pair in pairs)
    assert float(power / level) > math.e
    assert chance(mixed, epsilon) <= chance_over_curve(worst, epsilon).upper

    plan = {
        "specification": {"neighbours": "replace-one"},
        "release": [
            {
                "name": part,
                "query": {"kind": "count", "attributes": ["smoking"]},
                "mechanism": {"kind": "gaussian", "sigma": sigma},
                "scope": {"partition": "region", "part": part},
            }
            for part, sigma in (("north", "1"), ("south", "2"))
        ],
    }
    whole = account(read_plan(plan))
    assert len(whole.whereabouts) > 1
    bound = Semantics(whole).posterior("1/2", "0.01")
    assert bound.derivation[-2].theorem.name == "probabilistic-from-approximate"
    assert bound.gain.upper >= max(Semantics(case).gain("0.01").value.upper for case in whole.whereabouts) * (1 - 1e-4)


def test_a_bound_that_may_fail_is_never_wider_than_one_that_may_not() -> None:
    """A count moves no further by a replacement than by a removal, which datasets that differ in two units do not show."""
    count = {"kind": "count"}
    alone = accounted({"kind": "geometric", "scale": "2"}, query=count)
    parts = [
        {
            "name": part,
            "query": count,
            "mechanism": {"kind": "geometric", "scale": scale},
            "scope": {"partition": "region", "part": part},
        }
        for part, scale in (("north", "2"), ("south", "5"))
    ]
    apart = account(read_plan({"specification": {"neighbours": "add-remove"}, "release": parts}))
    for whole, adversary in itertools.product((alone, apart), ("strong", "independent")):
        semantics = Semantics(whole, adversary)
        always = semantics.posterior("1/3")
        for failure in ("1e-9", "0.01", "0.5"):
            rarely = semantics.posterior("1/3", failure)
            assert always.lower <= rarely.lower
            assert rarely.upper <= always.upper


def test_a_claim_of_one_point_is_not_read_for_averages_over_the_other_records() -> None:
    """Two pairs keep the claim, each where the other records are of one sort. Who does not know these sees an average.

    The failure probability is one at which the search for a bound asks for the claimed delta itself.
    """
    pairs = [
        [(Fraction(1, 100), Fraction(0)), (Fraction(99, 100), Fraction(1))],
        [(Fraction(1, 5), Fraction(1, 12)), (Fraction(4, 5), Fraction(11, 12))],
    ]
    for pair in pairs:
        assert chance_over_curve(lambda place, pair=pair: FiniteLoss(pair).delta(place), Fraction(1)).upper <= 0.016
    failure = Fraction("0.02570449055541")
    # Either sort is as likely. Who sees the first outcome of the first sort, or three times in ten of the second, says so.
    power, level = ((pairs[0][0][side] + Fraction(3, 10) * pairs[1][0][side]) / 2 for side in (0, 1))
    assert power > failure
    whole = claimed("pbdp", "replace-one", epsilon="1", delta="0.016")
    assert Semantics(whole, "independent").posterior("1/2", failure).upper >= power / (power + level)
    assert Counterfactual(whole).chance(1, "any-prior").chance.upper >= power


def test_what_is_published_exactly_may_settle_the_secret() -> None:
    total = {"invariants": [{"name": "total", "counts_by": []}]}
    laplace = {"kind": "laplace", "scale": "1"}
    with pytest.raises(InvalidValue, match="dependence=2"):
        Semantics(accounted(laplace, query={"kind": "count"}, specification=total))
    seen = Semantics(accounted(laplace, query={"kind": "count"}, specification=total), dependence=2).posterior("1/2")
    assert "published exactly" in seen.statement
    with pytest.raises(InvalidValue, match="none is independent"):
        Semantics(accounted(laplace, "replace-one", {"kind": "count"}, specification=total), "independent")


def test_models_do_not_mix() -> None:
    whole = claimed("pure", epsilon="1")
    with pytest.raises(InvalidValue, match="simulated attack"):
        Semantics(whole, "block")
    with pytest.raises(InvalidValue, match="known: strong, independent, block"):
        Semantics(whole, "clairvoyant")
    with pytest.raises(InvalidValue, match="belongs to the 'independent' adversary"):
        Semantics(whole).posterior("1/10", membership="1/2")
    with pytest.raises(InvalidValue, match="cannot exceed"):
        Semantics(whole, "independent").posterior("1/2", membership="1/10")
    with pytest.raises(InvalidValue, match="give a prior"):
        Semantics(whole, "independent").difference(membership="1/2")
    with pytest.raises(InvalidValue, match="'strong' adversary"):
        Semantics(whole, "independent").law("1/2")
    with pytest.raises(InvalidValue, match="no reading is called"):
        Semantics(whole).releases_until("0.8", HALF, reading="belief")  # type: ignore[arg-type]


def test_derivations_end_with_what_is_stated() -> None:
    for semantics, failure in ((Semantics(claimed("pure", epsilon="1")), 0), (Semantics(claimed("zcdp", rho="1")), "0.01")):
        bound = semantics.posterior("1/3", failure)
        last = bound.derivation[-1]
        assert last.value is not None
        assert (last.value.lower, last.value.upper) == (bound.lower, bound.upper)
        assert all(use <= place for place, step in enumerate(bound.derivation) for use in step.uses)
    value = Semantics(claimed("pure", epsilon="1"), "independent").posterior("1/3")
    assert all(use <= place for place, step in enumerate(value.derivation) for use in step.uses)


def test_certain_priors_stay() -> None:
    semantics = Semantics(claimed("pure", epsilon="1"))
    for prior in (0, 1):
        bound = semantics.posterior(prior)
        assert (bound.lower, bound.upper) == (prior, prior)
        assert updated(Fraction(prior), bound.gain).exact == prior


def test_a_claim_is_not_chained_through_datasets_that_contradict_what_is_exact() -> None:
    """With a public total no two neighbours agree on it: a claim about such says nothing, and so do two steps."""
    release = {"name": "claimed", "mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "1"}}
    bounds = []
    for invariants in ([], ["total"]):
        specification = {"neighbours": "replace-one", "invariants": invariants}
        plan = read_plan({"specification": specification, "release": [release]})
        meaning = Semantics(account(plan), dependence=2)
        bounds.append((meaning.gain().larger.upper, meaning.posterior("1/2").upper))
    assert bounds[0] == pytest.approx((2.0, 1 / (1 + math.exp(-2))), rel=1e-12)
    assert bounds[1] == (math.inf, 1.0)
