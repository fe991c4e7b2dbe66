"""Laws of risk profiles against finite mechanisms, in exact numbers, and errors that they catch."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant import Interval, InvalidValue
from accountant.finite import Pair
from accountant.loss import FiniteLoss
from accountant.numbers import log_of
from accountant_pbdp import Bounded
from accountant_posterior import (
    BoxProfile,
    Constant,
    Custom,
    Difference,
    FixedDisclosure,
    FixedMembership,
    LeeClifton,
    Point,
    TwoDimensional,
    admitted_epsilon,
    admitted_rho,
    approximate_epsilon,
    failure_probability,
    largest_epsilon,
    largest_fall,
    largest_rise,
    per_release,
    probabilistic_epsilon,
)
from accountant_posterior.risk import search
from accountant_posterior.risk.bounds import MEMBERS, NEAR, VALUES, WHOLE
from accountant_posterior.risk.criterion import shown_down
from accountant_posterior.risk.profile import Profile

pytestmark = pytest.mark.slow

ONE = Fraction(1)
beliefs = st.fractions(Fraction(1, 50), 1, max_denominator=50)
ratios = st.fractions(Fraction(11, 10), 12, max_denominator=20)
posteriors = st.fractions(0, Fraction(9, 10), max_denominator=20)
modest = settings(deadline=None, max_examples=40)


# Finite attacks -------------------------------------------------------------------------------------------------------


@frozen
class Attack:
    """Laws of the output given the others and the target's state, and the attacker's beliefs about both.

    The target is absent (state 0), has a sensitive value (states 1 and 2) or another value (states 3 and 4).
    """

    laws: tuple[tuple[tuple[Fraction, ...], ...], ...]
    others: tuple[Fraction, ...]
    states: tuple[Fraction, ...]

    def given_states(self, *states: int) -> list[Fraction]:
        """The law of the output if the target is in one of some states, averaged over the others."""
        weight = sum(self.states[state] for state in states)
        outputs = range(len(self.laws[0][0]))
        return [
            sum(
                self.others[other] * self.states[state] / weight * self.laws[other][state][output]
                for other, state in product(range(len(self.others)), states)
            )
            + Fraction(0)
            for output in outputs
        ]

    @property
    def membership(self) -> Fraction:
        return 1 - self.states[0]

    @property
    def disclosure(self) -> Fraction:
        return (self.states[1] + self.states[2]) / self.membership

    def rises(self) -> list[Fraction]:
        """Posterior over prior for every output, by Bayes' rule."""
        prior = self.membership * self.disclosure
        secret, everything = self.given_states(1, 2), self.given_states(0, 1, 2, 3, 4)
        return [one / whole for one, whole in zip(secret, everything, strict=True)] if prior else []

    def apart(self, pairs: list[tuple[int, int]]) -> Interval:
        """The largest log likelihood ratio between two states of the target, whatever the others are."""
        most = max(
            max(a / b, b / a)
            for laws in self.laws
            for left, right in pairs
            for a, b in zip(laws[left], laws[right], strict=True)
        )
        return log_of(most)


def laws_of(size: int) -> st.SearchStrategy[tuple[Fraction, ...]]:
    weights = st.lists(st.integers(1, 12), min_size=size, max_size=size)
    return weights.map(lambda row: tuple(Fraction(weight, sum(row)) for weight in row))


@st.composite
def attacks(draw: st.DrawFn) -> Attack:
    size, others = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    laws = tuple(tuple(draw(laws_of(size)) for _ in range(5)) for _ in range(others))
    return Attack(laws, draw(laws_of(others)), draw(laws_of(5)))


_REMOVED = [(0, state) for state in range(1, 5)]
_REPLACED = [(left, right) for left in (1, 2) for right in (3, 4)]


@modest
@given(attacks())
def test_no_attack_on_a_finite_mechanism_exceeds_the_bound(attack: Attack) -> None:
    removed, replaced = attack.apart(_REMOVED), attack.apart(_REPLACED)
    for known in (None, replaced):
        most = largest_rise(attack.membership, attack.disclosure, removed, known).upper
        least = largest_fall(attack.membership, attack.disclosure, removed, known).lower
        assert all(Fraction(least) <= rise <= Fraction(most) for rise in attack.rises())


def two_cells(epsilon: float, reach: int = 6) -> Attack:
    """Two counts, yes and no, each with geometric noise cut at a reach: ratios between outputs stay exact powers."""
    fall = Fraction(math.exp(-epsilon))

    def noise(centre: int) -> list[Fraction]:
        weights = [fall ** abs(place - centre) for place in range(-reach, reach + 2)]
        # Everything beyond an end is released as that end, as clamping does.
        weights[0], weights[-1] = weights[0] / (1 - fall), weights[-1] / (1 - fall)
        return [weight / sum(weights) for weight in weights]

    def law(yes: int, no: int) -> tuple[Fraction, ...]:
        return tuple(a * b for a, b in product(noise(yes), noise(no)))

    states = (law(0, 0), law(1, 0), law(1, 0), law(0, 1), law(0, 1))
    p, q = Fraction(3, 10), Fraction(4, 10)
    return Attack((states,), (ONE,), (1 - p, p * q / 2, p * q / 2, p * (1 - q) / 2, p * (1 - q) / 2))


def test_two_cells_with_geometric_noise_attain_the_bound_and_catch_a_single_epsilon() -> None:
    attack = two_cells(0.7)
    reached = float(max(attack.rises()))
    assert reached == pytest.approx(1.95313581, abs=1e-8)
    # With e^epsilon in place of e^(2 epsilon) the bound would be exceeded.
    wrong = largest_rise(Fraction(3, 10), Fraction(4, 10), Interval.of("0.7"), Interval.of("0.7"))
    assert wrong.upper < reached


@pytest.mark.parametrize("fall", [Fraction(2, 3), Fraction(1, 3)])
def test_a_missing_unit_is_another_in_its_place_and_the_published_epsilon_is_twice_too_large(fall: Fraction) -> None:
    """Of four units one is missing; two counts with geometric noise, e^-epsilon = fall, say which of two sorts it is.

    Read as a prior of 1/4 that is independent of the others, a posterior of a admits log(3 a/(1 - a)). Two steps are right.
    """
    epsilon = -math.log(fall)
    law = two_cells(epsilon).laws[0]
    # The target alone is of the first sort. Without it the counts are (0, 3), without another (1, 2).
    target, other = law[3], law[1]
    found = max(one / (one + 3 * rest) for one, rest in zip(target, other, strict=True))
    assert float(found) == pytest.approx(float(1 / (1 + 3 * fall**2)), rel=1e-12)
    published = 1 / (1 + 3 * fall)
    assert found > published
    assert LeeClifton(4, published).recommend().epsilon.upper == pytest.approx(0.5 * epsilon, rel=1e-12)
    assert LeeClifton(4, 1 / (1 + 3 * fall**2)).recommend().epsilon.upper == pytest.approx(epsilon, rel=1e-12)


# The functions themselves ---------------------------------------------------------------------------------------------


@modest
@given(beliefs, beliefs, st.fractions(0, 5, max_denominator=20), st.fractions(0, 5, max_denominator=20))
def test_the_rise_grows_with_epsilon_from_one_and_is_bounded(
    p: Fraction, q: Fraction, first: Fraction, second: Fraction
) -> None:
    low, high = sorted((first, second))
    small, large = (largest_rise(p, q, Interval.of(epsilon)) for epsilon in (low, high))
    assert small.lower <= large.upper
    assert largest_rise(p, q, Interval.of(0)).contains(1)
    assert large.lower <= min(math.exp(2 * high) * (1 + 1e-12), float(1 / (p * q)))


@modest
@given(beliefs, beliefs, ratios, st.sampled_from([1, 2]))
def test_the_pointwise_epsilon_undoes_the_rise(p: Fraction, q: Fraction, ratio: Fraction, steps: int) -> None:
    found = largest_epsilon(p, q, ratio, steps)
    if ratio * p * q >= 1:
        assert found == Interval.infinite()
        return
    rise = largest_rise(p, q, found, found if steps == 1 else None)
    assert Fraction(rise.lower) <= ratio <= Fraction(rise.upper)
    assert rise.width <= 1e-10 * rise.upper


def test_without_any_privacy_everything_may_be_learned() -> None:
    nothing, half = Interval.infinite(), ONE / 2
    assert largest_rise(half, half, nothing).contains(4)
    assert largest_fall(half, half, nothing).lower == 0.0
    assert largest_fall(half, half, Interval.of(2000)).lower == 0.0
    assert largest_rise(ONE, ONE, nothing).contains(1)


def test_a_ratio_below_one_is_refused() -> None:
    with pytest.raises(InvalidValue, match="at least 1"):
        largest_epsilon(ONE / 2, ONE, Fraction(9, 10))


# Profiles -------------------------------------------------------------------------------------------------------------


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    ratio, posterior = draw(ratios), draw(posteriors)
    ends = [sorted((draw(beliefs), draw(beliefs))) for _ in range(2)]
    return draw(
        st.sampled_from(
            [
                Constant(ratio),
                FixedDisclosure(draw(beliefs), ratio, posterior),
                FixedMembership(draw(beliefs), ratio, posterior),
                BoxProfile(ratio, *ends[0], *ends[1]),
                TwoDimensional(ratio, posterior),
                Difference(draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))),
                Point(ratio, draw(beliefs), draw(beliefs)),
            ]
        )
    )


GRID = [Fraction(step, 24) for step in range(1, 25)]


@settings(deadline=None, max_examples=40)
@given(profiles(), beliefs, beliefs)
def test_no_prior_admits_less_than_what_is_recommended(profile: Profile, first: Fraction, second: Fraction) -> None:
    own = {getattr(profile, name, first) for name in ("membership", "membership_from", "membership_to")}
    values = {getattr(profile, name, second) for name in ("disclosure", "disclosure_from", "disclosure_to")}
    for view in (WHOLE, NEAR, MEMBERS, VALUES):
        if not profile.speaks_of(view):
            continue
        admitted = profile.admits(view)
        for p, q in product({*GRID[::3], ONE, *own}, {*GRID[::3], ONE, *values}):
            tolerated = profile.tolerance(p, q).exact
            if view.sees(p, q) and tolerated is not None:
                assert admitted.epsilon.lower <= largest_epsilon(p, q, tolerated, view.steps).upper


@modest
@given(profiles())
def test_the_prior_that_decides_admits_no_more(profile: Profile) -> None:
    found = profile.recommend()
    if found.membership and found.disclosure:
        tolerated = profile.tolerance(found.membership, found.disclosure).exact
        assert tolerated is not None
        at_prior = largest_epsilon(found.membership, found.disclosure, tolerated)
        assert found.epsilon.upper <= at_prior.upper
        assert at_prior.lower - found.epsilon.lower <= 1e-12


@modest
@given(profiles())
def test_what_is_printed_never_exceeds_the_profile(profile: Profile) -> None:
    epsilon = profile.recommend().epsilon
    if math.isinf(epsilon.lower):
        return
    printed = Interval.of(shown_down(epsilon))
    for p, q in product(GRID[::4], repeat=2):
        tolerated = profile.tolerance(p, q)
        assert math.isinf(tolerated.lower) or largest_rise(p, q, printed).lower <= tolerated.upper
    found = profile.recommend()
    if found.membership and found.disclosure and printed.lower > 0.01:
        rise = largest_rise(found.membership, found.disclosure, printed)
        assert rise.upper <= profile.tolerance(found.membership, found.disclosure).lower


@modest
@given(beliefs, ratios, posteriors)
def test_fixed_priors_admit_at_least_what_the_constant_profile_does(
    belief: Fraction, ratio: Fraction, posterior: Fraction
) -> None:
    least = Constant(ratio).recommend().epsilon.lower
    assert FixedDisclosure(belief, ratio, posterior).recommend().epsilon.upper >= least
    assert FixedMembership(belief, ratio, posterior).recommend().epsilon.upper >= least


# Grids are unsafe -----------------------------------------------------------------------------------------------------


def grid_minimum(profile: Profile, ps: list[Fraction], qs: list[Fraction]) -> float:
    tolerances = ((p, q, profile.tolerance(p, q).exact) for p, q in product(ps, qs))
    return min(largest_epsilon(p, q, r).upper for p, q, r in tolerances if r is not None)


THOUSANDTHS = [Fraction(step, 1000) for step in range(1, 1001)]


@pytest.mark.parametrize(
    ("profile", "ps", "qs", "grid", "custom"),
    [
        (Constant(3), [ONE], THOUSANDTHS, 0.55031, Custom(lambda p, q: 3, trend=("constant", "constant"))),
        (
            FixedDisclosure(1, 3, "0.25"),
            THOUSANDTHS,
            [ONE],
            1.30123,
            Custom(lambda p, q: max(3, 1 / (4 * p * q)), disclosure=(1, 1), trend=("falling", "falling"), precision="1e-4"),
        ),
        (
            TwoDimensional(3, "0.25"),
            [ONE],
            THOUSANDTHS,
            0.65061,
            Custom(lambda p, q: max(3, 1 / (4 * p * q)), trend=("falling", "falling")),
        ),
    ],
    ids=["constant", "example 1", "two-dimensional"],
)
def test_a_grid_admits_too_much_and_the_search_does_not(
    profile: Profile, ps: list[Fraction], qs: list[Fraction], grid: float, custom: Profile
) -> None:
    admitted = profile.recommend().epsilon
    assert grid_minimum(profile, ps, qs) == pytest.approx(grid, abs=5.1e-6)
    assert grid > admitted.upper
    searched = custom.recommend().epsilon
    assert admitted.lower <= searched.upper
    assert searched.lower <= admitted.upper
    assert searched.lower >= 0.998 * admitted.lower


def test_a_function_that_nothing_is_known_of_admits_nothing_for_sure() -> None:
    found = Custom(lambda p, q: 1 + Fraction(1, 5) / (p * q)).recommend()
    assert found.epsilon.lower == 0.0
    assert found.epsilon.upper >= Difference("0.2").recommend().epsilon.lower
    assert "unknown" in found.remarks[0]


@settings(deadline=None, max_examples=6)
@given(st.fractions(Fraction(1, 10), Fraction(1, 2), max_denominator=10), st.sampled_from(["independent", "strong"]))
def test_a_search_encloses_the_closed_form_of_a_difference(most: Fraction, adversary: str) -> None:
    function = Custom(lambda p, q: 1 + most / (p * q), trend=("falling", "falling"), adversary=adversary, precision="0.02")
    exact, searched = Difference(most, adversary=adversary).recommend().epsilon, function.recommend().epsilon
    assert searched.lower <= exact.upper
    assert exact.lower <= searched.upper


def test_a_floor_serves_where_a_tolerance_has_no_trend() -> None:
    def tolerated(p: Fraction, q: Fraction) -> Fraction:
        return 2 + 3 * p * (1 - q)

    found = Custom(tolerated, floor=lambda p, q: 2 + 3 * p[0] * (1 - q[1])).recommend().epsilon
    assert found.lower <= math.log(2) <= found.upper * (1 + 1e-3)
    assert all(found.lower <= largest_epsilon(p, q, tolerated(p, q)).upper for p, q in product(GRID, repeat=2))


def test_a_search_that_stops_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_BOXES", 50)
    found = Custom(lambda p, q: 1 + Fraction(1, 5) / (p * q), trend=("falling", "falling")).recommend()
    assert found.epsilon.lower <= Difference("0.2").recommend().epsilon.lower <= found.epsilon.upper
    assert "stopped short" in found.remarks[-1]


def test_a_trend_that_is_not_kept_is_noticed() -> None:
    with pytest.raises(InvalidValue, match="below the bound 4"):
        Custom(lambda p, q: 2 + 2 * p, trend=("falling", "constant")).recommend()


def test_a_floor_that_is_too_high_is_noticed() -> None:
    with pytest.raises(InvalidValue, match="below the bound infinity"):
        Custom(lambda p, q: 2, floor=lambda p, q: math.inf).recommend()


def test_what_asks_nothing_admits_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_BOXES", 50)
    found = Custom(lambda p, q: math.inf, trend=("constant", "constant")).recommend()
    assert found.epsilon == Interval.infinite()
    loose = Custom(lambda p, q: math.inf, floor=lambda p, q: 2).recommend()
    assert loose.epsilon.lower == pytest.approx(0.5 * math.log(2))
    assert loose.remarks[0] == "no prior was found that decides"


def test_a_tolerance_below_one_is_refused() -> None:
    with pytest.raises(InvalidValue, match="tolerate at least 1"):
        Custom(lambda p, q: Fraction(1, 2), trend=("constant", "constant")).recommend()


def test_a_function_without_a_value_and_trends_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidValue, match="no value at membership 0"):
        Custom(lambda p, q: 3 + math.log(p), trend=("rising", "constant")).recommend()
    with pytest.raises(InvalidValue, match="trend must be two of"):
        Custom(lambda p, q: 2, trend=3)  # type: ignore[arg-type]


# Failures -------------------------------------------------------------------------------------------------------------


def exceeding(attack: Attack, epsilon: Interval) -> tuple[Fraction, Fraction]:
    """How often the rise exceeds that of a pure epsilon, given the secret and given its opposite."""
    most = Fraction(largest_rise(attack.membership, attack.disclosure, epsilon).upper)
    beyond = [rise > most for rise in attack.rises()]
    laws = attack.given_states(1, 2), attack.given_states(0, 3, 4)
    given, opposite = (sum((mass for mass, out in zip(law, beyond, strict=True) if out), Fraction(0)) for law in laws)
    return given, opposite


def slack(attack: Attack, power: Fraction, pairs: list[tuple[int, int]]) -> Fraction:
    """The delta of approximate differential privacy at e^epsilon = power."""
    return max(
        sum((max(a - power * b, Fraction(0)) for a, b in zip(laws[left], laws[right], strict=True)), Fraction(0))
        for laws in attack.laws
        for one, other in pairs
        for left, right in ((one, other), (other, one))
    )


@modest
@given(attacks(), st.sampled_from(["11/10", "3/2", "2"]), st.sampled_from(["21/20", "3/2", "3"]))
def test_approximate_privacy_keeps_an_independent_attacker_but_with_the_stated_chance(
    attack: Attack, power: str, growth: str
) -> None:
    inner, outer = Fraction(power), Fraction(power) * Fraction(growth)
    chance = slack(attack, inner, _REMOVED) * (1 + inner) / (1 - (inner / outer) ** 2)
    assert max(exceeding(attack, log_of(outer))) <= chance


@modest
@given(attacks(), st.sampled_from(["11/10", "3/2", "2"]))
def test_bounded_losses_keep_an_independent_attacker_but_with_the_stated_chance(attack: Attack, power: str) -> None:
    epsilon = log_of(Fraction(power)).upper
    secret, other, absent = (attack.given_states(*states) for states in ((1, 2), (3, 4), (0,)))
    chances = [
        Bounded().measure(FiniteLoss(zip(secret, law, strict=True)), {"epsilon": Fraction(multiple * epsilon)}).upper
        for law, multiple in ((absent, 1), (other, 2))
    ]
    assert max(exceeding(attack, Interval(epsilon, epsilon))) <= Fraction(max(chances))


def chain(power: Fraction, delta: Fraction) -> Attack:
    """An output that betrays a sensitive value twice as strongly as delta says, since another value is two steps away."""
    betrayed = (Fraction(0), delta, delta * (1 + power))
    other, absent, secret = ((1 - mass, mass) for mass in betrayed)
    half = Fraction(1, 2)
    return Attack(((absent, secret, secret, other, other),), (ONE,), (Fraction(0), half / 2, half / 2, half / 2, half / 2))


def test_the_theorem_for_a_strong_attacker_is_false_for_an_independent_one() -> None:
    power, delta = Fraction(2), Fraction(1, 100)
    attack, outer = chain(power, delta), Fraction(40)
    assert slack(attack, power, [(0, 1), (0, 3)]) == delta
    happens = max(exceeding(attack, log_of(outer)))
    assert happens == delta * (1 + power)
    assert happens > failure_probability(log_of(power), delta, log_of(outer)).upper
    assert happens <= delta * (1 + power) / (1 - (power / outer) ** 2)


@modest
@given(st.fractions(Fraction(1, 20), Fraction(1, 2), max_denominator=20), st.sampled_from(["1e-9", "1e-5", "1e-4"]))
def test_the_admitted_epsilon_undoes_what_approximate_privacy_leaves(most: Fraction, delta: str) -> None:
    pure = Difference(most).recommend().epsilon
    found = admitted_epsilon(Difference(most, failure="0.01"), delta)
    chance = float(Fraction(delta)) * (1 + math.exp(found.lower)) / -math.expm1(2 * (found.lower - pure.lower))
    assert chance == pytest.approx(0.01, rel=1e-6)
    strong = Difference(most, adversary="strong", failure="0.01")
    kept = admitted_epsilon(strong, delta)
    assert probabilistic_epsilon(Interval(kept.lower, kept.lower), delta, "0.01").upper <= strong.recommend().epsilon.lower
    assert approximate_epsilon(strong.recommend().epsilon, delta, "0.01") == kept


@modest
@given(st.fractions(Fraction(1, 20), Fraction(1, 2), max_denominator=20), st.sampled_from(["0.001", "0.05"]))
def test_the_admitted_rho_keeps_an_independent_attacker_and_is_not_far_from_the_largest(
    most: Fraction, failure: str
) -> None:
    found, pure = admitted_rho(Difference(most, failure=failure)), Difference(most).recommend().epsilon
    chance = math.exp(-((pure.lower - 2 * found.lower) ** 2) / (4 * found.lower))
    assert chance == pytest.approx(float(Fraction(failure)), rel=1e-6)
    # Gaussian noise with the upper end betrays opposite values of one record more often than allowed.
    place = (pure.upper - 2 * found.upper) / math.sqrt(2 * found.upper)
    assert 0.5 * math.erfc(place / math.sqrt(2)) >= float(Fraction(failure)) * (1 - 1e-9)
    assert found.lower < found.upper < 3 * found.lower


@settings(deadline=None, max_examples=3)
@given(st.integers(1, 12), st.sampled_from(["1e-9", "1e-4"]))
def test_releases_together_never_exceed_the_total(count: int, delta: str) -> None:
    profile = Difference("0.3", adversary="strong", failure="0.01")
    split, total = per_release(profile, count, delta), admitted_epsilon(profile, delta)
    assert split.basic.lower * count <= total.lower
    assert split.best.lower >= split.basic.lower * (1 - 1e-9)
    each = split.advanced.lower
    nats = math.log(1 / float(Fraction(delta)))
    assert count * each * math.tanh(each / 2) + math.sqrt(2 * count * nats) * each <= total.lower


def test_releases_against_an_independent_attacker_are_two_steps_apart() -> None:
    """Each loses twice as much between two values, which may lose twice as much: half of what one pair admits."""
    independent, failure = Difference("0.3", failure="0.01"), Fraction("0.01")
    pair = Fraction(independent.recommend().epsilon.lower) * 2
    strong = Difference("0.3", adversary="strong", failure=failure * (1 + Fraction(math.exp(-pair))))
    assert 2 * per_release(independent, 30).curve.lower == pytest.approx(per_release(strong, 30).curve.lower, rel=1e-4)


def composed_epsilon(epsilon: float, lost: Fraction, count: int, delta: Fraction) -> float:
    """How much the loss of several responses, each losing everything with a chance, exceeds with probability delta.

    The definition itself: log(delta/level) at the level of the best test that has power delta, over all outcomes.
    """
    odds = Fraction(math.exp(epsilon))
    kept = 1 - lost
    one = [(lost, Fraction(0)), (Fraction(0), lost), (kept * odds / (1 + odds), kept / (1 + odds))]
    one.append((one[2][1], one[2][0]))
    pair = Pair(
        (math.prod(part[0] for part in outcome), math.prod(part[1] for part in outcome))
        for outcome in product(one, repeat=count)
    )
    for (low, weak), (high, strong) in pairwise(pair.corners()):
        if weak <= delta <= strong and strong > weak:
            level = low + (high - low) * (delta - weak) / (strong - weak)
            return math.log(delta / level) if level else math.inf
    raise AssertionError


@pytest.mark.parametrize("each", ["1e-5", "1e-3"])
@pytest.mark.parametrize("count", [1, 2])
def test_releases_with_a_delta_of_their_own_are_split_along_the_curve(each: str, count: int) -> None:
    profile = Difference("0.3", adversary="strong", failure="0.01")
    lost = Fraction(each)
    split = per_release(profile, count, "4e-3", each)
    admitted = profile.recommend().epsilon
    chance = Fraction("0.01") / (1 + Fraction(math.exp(-admitted.upper)))
    assert split.curve.lower > split.optimal.lower * (1 - 1e-6)
    # What is admitted stays within the profile, and a little more does not.
    assert composed_epsilon(split.curve.lower, lost, count, chance) <= admitted.upper * (1 + 1e-5)
    assert composed_epsilon(split.curve.upper * 1.001, lost, count, chance) > admitted.lower
    assert split.curve.lower < per_release(profile, count, "4e-3").curve.upper


def test_two_values_may_lose_everything_more_often_than_one_step() -> None:
    """For the independent attacker each release counts between two values, two steps apart."""
    profile = Difference("0.3", failure="0.01")
    with_delta, pure = (per_release(profile, 2, "0.001", each).curve for each in ("0.0005", 0))
    assert 0.0 < with_delta.lower < with_delta.upper < pure.lower


def test_what_never_fails_admits_no_slack() -> None:
    for call in (lambda p: admitted_epsilon(p, "1e-6"), admitted_rho):
        with pytest.raises(InvalidValue, match="probability of failure"):
            call(Difference("0.2"))
    with pytest.raises(InvalidValue, match="no epsilon is small enough"):
        admitted_epsilon(Difference("0.2", failure="1e-6"), "1e-6")
    with pytest.raises(InvalidValue, match="in total"):
        per_release(Difference("0.2", failure="0.01"), 12, "1e-6", "1e-6")
