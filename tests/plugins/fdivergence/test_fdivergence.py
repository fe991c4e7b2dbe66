"""f-divergences are read as they are defined, and nothing that keeps one escapes its worst case."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from accountant import Interval, account, certify, default_registry, loss as losses, read_plan
from accountant.plugin import DIVERGENCES
from accountant_fdivergence.definitions import ChiSquare, Hellinger, RelativeEntropy, StatisticalDistance
from accountant_fdivergence.integrals import integral
from accountant_fdivergence.products import grown, told_apart

Pair = list[tuple[Fraction, Fraction]]


def relative_entropy(pair: Pair) -> Any:
    return mpmath.fsum(number(p) * mpmath.log(number(p) / number(q)) for p, q in pair if p)


def chi_square(pair: Pair) -> Any:
    return mpmath.fsum((number(p) - number(q)) ** 2 / number(q) for p, q in pair)


def hellinger(pair: Pair) -> Any:
    return 1 - mpmath.fsum(mpmath.sqrt(number(p) * number(q)) for p, q in pair)


def total_variation(pair: Pair) -> Any:
    return mpmath.fsum(abs(number(p) - number(q)) for p, q in pair) / 2


LENSES: list[tuple[Any, Callable[[Pair], Any]]] = [
    (RelativeEntropy(), relative_entropy),
    (ChiSquare(), chi_square),
    (Hellinger(), hellinger),
    (StatisticalDistance(), total_variation),
]
lenses = pytest.mark.parametrize(("lens", "defined"), LENSES, ids=[lens.name for lens, _ in LENSES])


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def some_pair(draw: random.Random, size: int, scale: int = 60) -> Pair:
    """Two laws over a few outcomes, all of them possible, some far more likely than others."""
    p, q = ([Fraction(1, draw.choice((1, 1, 1, 1000))) * draw.randint(1, scale) for _ in range(size)] for _ in range(2))
    return [(one / sum(p), other / sum(q)) for one, other in zip(p, q, strict=True)]


def reversed_pair(pair: Pair) -> Pair:
    return [(q, p) for p, q in pair]


def encloses(found: Interval, truth: Any) -> bool:
    slack = mpmath.mpf(10) ** -40
    return mpmath.mpf(found.lower) <= truth + slack and truth <= mpmath.mpf(found.upper) + slack


@pytest.fixture(autouse=True)
def many_digits() -> Any:
    with mpmath.workdps(50):
        yield


@lenses
def test_a_lens_reads_what_is_defined_in_the_worse_direction(lens: Any, defined: Callable[[Pair], Any]) -> None:
    draw = random.Random(3)
    for _ in range(12):
        pair = some_pair(draw, draw.randint(2, 5))
        truth = max(defined(pair), defined(reversed_pair(pair)))
        found = lens.measure(losses.FiniteLoss(pair), {})
        assert encloses(found, truth)
        assert found.upper - found.lower <= 1e-4 * found.upper


@lenses
def test_products_are_read_from_their_parts(lens: Any, defined: Callable[[Pair], Any]) -> None:
    draw = random.Random(4)
    one, two = some_pair(draw, 2), some_pair(draw, 3)
    product = [(a * c, b * d) for a, b in one for c, d in two]
    product = [(p * a, q * b) for p, q in product for a, b in one]
    truth = max(defined(product), defined(reversed_pair(product)))
    found = lens.measure(losses.compose([(losses.FiniteLoss(one), 2), (losses.FiniteLoss(two), 1)]), {})
    assert encloses(found, truth)
    assert found.upper - found.lower <= 1e-4 * found.upper


@pytest.mark.parametrize("square", ["1e-8", "1/4", "1", "9", "60"])
def test_gaussian_noise_has_its_closed_forms(square: str) -> None:
    loss, shift = losses.GaussianLoss(Fraction(square)), number(Fraction(square))
    assert encloses(RelativeEntropy().measure(loss, {}), shift / 2)
    assert encloses(Hellinger().measure(loss, {}), -mpmath.expm1(-shift / 8))
    assert encloses(ChiSquare().measure(loss, {}), mpmath.expm1(shift))
    assert encloses(StatisticalDistance().measure(loss, {}), mpmath.erf(mpmath.sqrt(shift / 8)))


def test_what_is_claimed_of_moments_bounds_mean_and_variance() -> None:
    """Concentration rho permits a mean of rho and a variance of e^(2 rho) - 1, and Gaussian noise has both."""
    known = default_registry()[DIVERGENCES]
    for rho in ("1e-3", "1/20", "2"):
        number_ = number(Fraction(rho))
        worst = known["zcdp"].worst_case(known["zcdp"].parameter(rho))
        for lens, truth in ((RelativeEntropy(), number_), (ChiSquare(), mpmath.expm1(2 * number_))):
            for loss, count in ((worst, 1), (losses.compose([(worst, 3)]), 3)):
                exact = (
                    truth if count == 1 else count * truth if lens.name == "relative-entropy" else (1 + truth) ** count - 1
                )
                found = lens.measure(loss, {})
                assert encloses(found, exact)
                assert found.upper <= exact * mpmath.mpf("1.001")


def test_what_tells_everything_sometimes_has_infinite_relative_entropy() -> None:
    leaky = losses.FiniteLoss([(Fraction(9, 10), Fraction(9, 10)), (Fraction(1, 10), 0), (0, Fraction(1, 10))])
    assert RelativeEntropy().measure(leaky, {}) == Interval.infinite()
    assert encloses(Hellinger().measure(leaky, {}), mpmath.mpf("0.1"))


def test_nothing_lost_is_zero() -> None:
    for lens, _ in LENSES:
        found = lens.measure(losses.NO_LOSS, {})
        assert (found.lower, found.upper) == (0.0, 0.0)


def test_an_integral_with_its_directions_exchanged_is_noticed() -> None:
    """The two weights of relative entropy belong to one direction each."""
    pair = [(Fraction(9, 10), Fraction(1, 2)), (Fraction(1, 10), Fraction(1, 2))]
    loss = losses.FiniteLoss(pair)
    right = integral(loss, 0.0) + integral(loss.reverse(), 1.0)
    wrong = integral(loss.reverse(), 0.0) + integral(loss, 1.0)
    assert encloses(right, relative_entropy(pair))
    assert not encloses(wrong, relative_entropy(pair))


@lenses
def test_nothing_that_keeps_a_parameter_escapes_its_worst_case(lens: Any, defined: Callable[[Pair], Any]) -> None:
    draw = random.Random(5)
    for _ in range(10):
        pair = some_pair(draw, draw.randint(2, 4))
        truth = max(defined(pair), defined(reversed_pair(pair)))
        limit = Fraction(str(mpmath.nstr(truth * (1 + mpmath.mpf(10) ** -30), 40)))
        worst = lens.worst_case(lens.parameter(limit))
        for epsilon in ("0", "1/10", "1", "3", "8"):
            grown_by = mpmath.exp(number(Fraction(epsilon)))
            gain = mpmath.fsum(max(number(p) - grown_by * number(q), 0) for p, q in pair)
            assert gain <= mpmath.mpf(worst.delta(epsilon).upper) * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize(
    ("lens", "defined", "value"),
    [
        (RelativeEntropy(), relative_entropy, "1/2"),
        (ChiSquare(), chi_square, "1/2"),
        (Hellinger(), hellinger, "1/4"),
    ],
    ids=["relative-entropy", "chi-square", "hellinger"],
)
def test_worst_cases_are_no_worse_than_some_yes_or_no_mechanism(
    lens: Any, defined: Callable[[Pair], Any], value: str
) -> None:
    """Along rays of events, the most that is allowed is found by bisection; the worst case is hardly above the best."""
    worst, limit = lens.worst_case(lens.parameter(value)), number(Fraction(value))
    best = dict.fromkeys(("0", "1/2", "2"), mpmath.mpf(0))
    for step in range(1, 120):
        p = Fraction(step, 120)
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(40):
            middle = (low + high) / 2
            q = Fraction(str(mpmath.nstr(middle, 20))) * p
            pair = [(p, q), (1 - p, 1 - q)]
            allowed = q > 0 and max(defined(pair), defined(reversed_pair(pair))) <= limit
            low, high = (low, middle) if allowed else (middle, high)
        for epsilon in best:
            best[epsilon] = max(best[epsilon], number(p) * (1 - mpmath.exp(number(Fraction(epsilon))) * high))
    for epsilon, most in best.items():
        found = mpmath.mpf(worst.delta(epsilon).upper)
        assert most <= found <= most * mpmath.mpf("1.01")


def test_the_lower_side_of_a_worst_case_keeps_the_parameter() -> None:
    for lens, value in ((RelativeEntropy(), "1/2"), (ChiSquare(), "1/2"), (Hellinger(), "1/4")):
        found = lens.measure(lens.worst_case(lens.parameter(value)).dominated(), {})
        assert found.lower <= float(Fraction(value)) * (1 + 1e-12)


def test_products_round_outward_and_end_at_their_ends() -> None:
    parts = [(Interval.of("1/4"), 3), (Interval.of("1e-9"), 10**6)]
    kept = (1 - Fraction(1, 4)) ** 3
    rest = mpmath.power(1 - mpmath.mpf(10) ** -9, 10**6)
    assert encloses(told_apart(parts), 1 - number(kept) * rest)
    assert encloses(grown(parts), number(Fraction(5, 4) ** 3) * mpmath.power(1 + mpmath.mpf(10) ** -9, 10**6) - 1)
    assert told_apart([(Interval.of(1), 2)]).upper == 1.0
    assert grown([(Interval.infinite(), 1)]).upper == float("inf")


def test_groups_are_as_far_apart_as_chains_of_units() -> None:
    """On aligned chains of laws, the distance over three steps is no more than the rule says for the largest step."""
    draw = random.Random(6)
    for _ in range(20):
        laws = [[p for p, _ in some_pair(draw, 3, 9)] for _ in range(4)]
        for lens, defined in LENSES:
            step = max(defined(list(zip(a, b, strict=True))) for a, b in itertools.pairwise(laws))
            limit = Fraction(str(mpmath.nstr(step * (1 + mpmath.mpf(10) ** -30), 40)))
            group = lens.group(lens.parameter(limit), 3)
            if group is not None:
                (value,) = lens.values(group).values()
                assert defined(list(zip(laws[0], laws[3], strict=True))) <= number(value)
    assert RelativeEntropy().group(RelativeEntropy().parameter("1"), 2) is None


def test_budgets_and_claims_speak_these_definitions() -> None:
    plan = read_plan(
        {
            "specification": {"neighbours": "add-remove"},
            "budget": [
                {"divergence": "relative-entropy", "nats": "1/4"},
                {"divergence": "statistical-distance", "distance": "1/5"},
            ],
            "release": [
                {"name": "count", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "2"}},
                {"name": "told", "mechanism": {"kind": "claim", "divergence": "relative-entropy", "nats": "1/100"}},
            ],
        }
    )
    assert [budget.verdict.value for budget in certify(plan).contents.budgets] == ["implied", "unknown"]
    assert account(plan).lens("relative-entropy").nats().upper <= 0.1351


def test_all_four_are_registered() -> None:
    assert {lens.name for lens, _ in LENSES} <= set(default_registry()[DIVERGENCES])
