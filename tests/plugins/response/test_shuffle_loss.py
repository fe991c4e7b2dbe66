"""The losses of shuffled reports against sums over all outcomes in many digits, and against an independent slow route."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from attrs import frozen

from accountant import PrivacyLoss, account, read_plan
from accountant.loss import NO_LOSS, AtomicLoss, ResponseLoss, compose
from accountant.plugin import CASES, Shift
from accountant.testing import laws
from accountant_response import Shuffle, hidden_report_concentration as bounds, hidden_report_loss, strengths
from accountant_response.counted_answers_concentration import least_concentration
from accountant_response.counted_answers_loss import CountedAnswersLoss
from accountant_response.hidden_report_concentration import most_concentration
from accountant_response.hidden_report_loss import HiddenReportLoss
from accountant_response.tallies import binomial, exponentials, sum_of_signs

pytestmark = pytest.mark.slow

ONE = Shift.along([1])
Atoms = list[tuple[mpmath.mpf, mpmath.mpf]]


def exponential(value: str | float | Fraction) -> mpmath.mpf:
    number = Fraction(value)
    return mpmath.exp(mpmath.mpf(number.numerator) / number.denominator)


def hidden(epsilon: str, reports: int, silent: int) -> Atoms:
    """All outcomes by the multinomial law of the other reports."""
    odds = exponential(epsilon)
    rate = 1 / (odds + 1 + silent)
    masses: dict[tuple[int, int], list[mpmath.mpf]] = {}
    others = reports - 1
    for x in range(others + 1):
        for y in range(others + 1 - x):
            crowd = mpmath.binomial(others, x) * mpmath.binomial(others - x, y)
            crowd *= rate ** (x + y) * (1 - 2 * rate) ** (others - x - y)
            moves = (
                ((x + 1, y), odds * rate, rate),
                ((x, y + 1), rate, odds * rate),
                ((x, y), silent * rate, silent * rate),
            )
            for seen, p, q in moves:
                both = masses.setdefault(seen, [mpmath.mpf(0), mpmath.mpf(0)])
                both[0] += crowd * p
                both[1] += crowd * q
    return [(p, q) for p, q in masses.values() if p]


def counted(epsilon: str, reports: int) -> Atoms:
    """All numbers of yeses, from a binomial number of those of others and one answer more."""
    odds = exponential(epsilon)
    yes, no = odds / (odds + 1), 1 / (odds + 1)

    def others(k: int) -> mpmath.mpf:
        return mpmath.binomial(reports - 1, k) * no**k * yes ** (reports - 1 - k) if 0 <= k < reports else mpmath.mpf(0)

    return [(yes * others(k - 1) + no * others(k), no * others(k - 1) + yes * others(k)) for k in range(reports + 1)]


def delta(atoms: Atoms, epsilon: float) -> mpmath.mpf:
    return mpmath.fsum(max(p - exponential(epsilon) * q, 0) for p, q in atoms)


def below(loss: PrivacyLoss, truth: mpmath.mpf, epsilon: float) -> bool:
    return bool(mpmath.mpf(loss.delta(epsilon).lower) <= truth)


def above(loss: PrivacyLoss, truth: mpmath.mpf, epsilon: float) -> bool:
    return bool(mpmath.mpf(loss.delta(epsilon).upper) >= truth)


SHARES = (-0.5, 0.0, 0.1, 0.5, 0.99)


@pytest.mark.parametrize(
    ("epsilon", "reports", "silent"),
    [("1", 1, 0), ("1", 2, 0), ("0.001", 9, 0), ("1", 20, 1), ("8", 20, 3), ("40", 6, 1), ("2", 40, 0)],
)
def test_a_hidden_report_is_the_sum_over_all_outcomes(epsilon: str, reports: int, silent: int) -> None:
    with mpmath.workdps(60):
        atoms = hidden(epsilon, reports, silent)
        high, low = (HiddenReportLoss(epsilon, reports, silent, side) for side in (True, False))
        for point in (share * float(epsilon) for share in SHARES):
            truth = delta(atoms, point)
            assert above(high, truth, point)
            assert below(low, truth, point)
            assert high.delta(point).upper - low.delta(point).lower <= 1e-11 * float(truth) + 1e-12


@pytest.mark.parametrize(("epsilon", "reports"), [("1", 1), ("0.01", 12), ("0.69", 60), ("12", 8)])
def test_counted_answers_are_the_sum_over_all_counts(epsilon: str, reports: int) -> None:
    with mpmath.workdps(60):
        atoms = counted(epsilon, reports)
        loss = CountedAnswersLoss(epsilon, reports)
        for side, pairs in ((loss, atoms), (loss.reverse(), [(q, p) for p, q in atoms])):
            for point in (share * float(epsilon) for share in SHARES):
                truth = delta(pairs, point)
                assert above(side, truth, point)
                assert below(side, truth, point)
                assert side.delta(point).width <= 1e-10 * float(truth) + 1e-12


@pytest.mark.parametrize(("epsilon", "reports", "silent"), [("1", 60, 0), ("3", 60, 1), ("6", 90, 2)])
@pytest.mark.parametrize("cells", [40, 400])
def test_blocks_and_groups_stay_on_their_side(
    epsilon: str, reports: int, silent: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With far fewer cells and nodes than it has, nothing is exact any more; and still every reading is on its side."""
    monkeypatch.setattr(hidden_report_loss, "_MOST_CELLS", cells)
    for module in (hidden_report_loss, strengths):
        monkeypatch.setattr(module, "MOST", 16)
    with mpmath.workdps(40):
        atoms = hidden(epsilon, reports, silent)
        high, low = (HiddenReportLoss(epsilon, reports, silent, side) for side in (True, False))
        assert high.atoms.losses.size <= 2 * (16 + 2)
        gaps = []
        for point in (share * float(epsilon) for share in SHARES):
            truth = delta(atoms, point)
            assert above(high, truth, point)
            assert below(low, truth, point)
            gaps.append(high.delta(point).upper - low.delta(point).lower)
        assert max(gaps) > 1e-6, "nothing was taken together"


@pytest.mark.parametrize("top", [1e-300, 1e-12, 1e-9, 1.0, 40.0])
def test_merged_strengths_are_no_larger_than_their_mean(top: float) -> None:
    """However small they are: of strengths that are next to nothing no digits are lost either."""
    dice = np.random.default_rng(1)
    losses, chances = top * dice.random(20_000), dice.random(20_000)
    found = strengths.Strengths.grouped([(losses, chances)], top, top, 0.0, above=False)
    nodes = (losses * (strengths.MOST / top)).astype(int)
    with mpmath.workdps(40):
        for node in range(0, strengths.MOST, 101):
            alike = [
                (mpmath.mpf(x), mpmath.mpf(w)) for x, w in zip(losses[nodes == node], chances[nodes == node], strict=True)
            ]
            mean = mpmath.fsum(w * mpmath.tanh(x / 2) for x, w in alike) / mpmath.fsum(w for _, w in alike)
            exact = 2 * mpmath.atanh(mean)
            assert exact * (1 - 2.0**-10) <= found.losses[node] <= exact if node else found.losses[node] <= exact


def test_what_is_left_out_is_added_to_the_largest_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """With tails cut at a few standard deviations, what was cut still counts."""
    from accountant_response import tallies

    monkeypatch.setattr(tallies, "WHOLE", 4)
    monkeypatch.setattr(tallies, "LOG_TAIL", 3.0)
    with mpmath.workdps(40):
        atoms = hidden("1", 80, 0)
        high, low = (HiddenReportLoss("1", 80, 0, side) for side in (True, False))
        for point in (0.0, 0.1, 0.3, 0.7, 0.95):
            truth = delta(atoms, point)
            assert above(high, truth, point)
            assert below(low, truth, point)
        assert high.delta(0.95).lower > 1e-3 > delta(atoms, 0.95)


def test_tallies_are_the_laws_they_stand_for() -> None:
    with mpmath.workdps(40):
        fall, _ = exponentials(Fraction(1))
        tally = binomial(3000, fall)
        assert 0.0 < tally.others < 1e-50
        rate = exponential("-1") / (1 + exponential("-1"))
        for index in (0, 100, tally.values.size // 2, -1):
            k = int(tally.values[index])
            truth = mpmath.binomial(3000, k) * rate**k * (1 - rate) ** (3000 - k)
            assert abs(mpmath.mpf(float(tally.chances[index])) / truth - 1) <= tally.doubt
        signs = sum_of_signs(2001)
        for index in (0, 7, -1):
            d = int(signs.values[index])
            truth = 2 * mpmath.binomial(2001, (2001 + d) // 2) / mpmath.mpf(2) ** 2001
            assert abs(mpmath.mpf(float(signs.chances[index])) / truth - 1) <= signs.doubt


# Many reports ----------------------------------------------------------------------------------------------------------


def slow_delta(epsilon: float, reports: int, point: float) -> float:
    """One sum over clones after another, with factorials as gamma functions and no outcome left out that doubles see."""
    rate, keep = 2.0 / (math.exp(epsilon) + 1.0), 1.0 / (1.0 + math.exp(-epsilon))
    logs = np.array([math.lgamma(k + 1.0) for k in range(reports + 1)])
    total = 0.0
    for clones in range(reports):
        others = logs[reports - 1] - logs[clones] - logs[reports - 1 - clones]
        others += clones * math.log(rate) + (reports - 1 - clones) * math.log1p(-rate)
        if others < -60.0:
            continue
        heads = np.arange(clones + 2)
        coins = np.full(clones + 2, -np.inf)
        coins[:-1] = logs[clones] - logs[: clones + 1] - logs[clones::-1] - clones * math.log(2.0)
        first = np.exp(others + np.concatenate([[-np.inf], coins[:-1]]))
        second = np.exp(others + coins)
        p, q = keep * first + (1.0 - keep) * second, (1.0 - keep) * first + keep * second
        total += float(np.sum(np.maximum(p - math.exp(point) * q, 0.0)[heads >= 0]))
    return total


@pytest.mark.parametrize(("epsilon", "reports"), [("1", 3000), ("4", 3000), ("0.2", 2000)])
def test_many_reports_agree_with_a_slow_sum(epsilon: str, reports: int) -> None:
    loss = HiddenReportLoss(epsilon, reports, 0, above=True)
    for target in ("1e-3", "1e-6", "1e-9"):
        found = loss.epsilon(target)
        assert slow_delta(float(epsilon), reports, found.upper) <= float(target) * (1.0 + 1e-9)
        assert slow_delta(float(epsilon), reports, found.upper * (1.0 - 1e-4)) > float(target)


@pytest.mark.parametrize("reports", [10**4, 10**6, 10**8, 10**10])
@pytest.mark.parametrize("epsilon", ["0.5", "3"])
def test_both_ends_are_near_what_the_normal_law_says(epsilon: str, reports: int) -> None:
    """Clones are coins: the loss is nearly normal, and so are those of the answers that lower ends come from."""
    value = Shuffle(epsilon, reports).loss(ONE)
    high, low = value.dominating(), value.dominated()
    odds = math.exp(float(epsilon))
    clones = 1.0 + (reports - 1.0) * 2.0 / (odds + 1.0)
    spread = 2.0 * math.tanh(0.5 * float(epsilon)) / math.sqrt(clones)
    for target in (Fraction(1, 1000), Fraction(1, 10**6)):
        normal = normal_epsilon(spread, float(target))
        if normal > 0.0:
            upper, lower = high.epsilon(target).upper, max(low.epsilon(target).lower, low.reverse().epsilon(target).lower)
            assert upper == pytest.approx(normal, rel=0.05)
            assert 0.75 * upper < lower < upper


def normal_epsilon(spread: float, target: float) -> float:
    """The epsilon of Gaussian noise at a delta, by bisection on its closed form."""

    def gain(epsilon: float) -> float:
        near, far = (0.5 * math.erfc((epsilon / spread + side * spread / 2) / math.sqrt(2.0)) for side in (-1.0, 1.0))
        return near - math.exp(epsilon) * far

    low, high = 0.0, 50.0 * spread
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gain(middle) > target else (low, middle)
    return high if gain(0.0) > target else 0.0


def test_more_reports_never_cost_more() -> None:
    costs = [Shuffle("2", reports).loss(ONE).dominating().epsilon("1e-5").upper for reports in (1, 2, 10, 100, 2000, 10**6)]
    assert all(after <= before for before, after in pairwise(costs))
    assert costs[0] == pytest.approx(2.0, abs=1e-4)
    assert costs[-1] < 0.02


def test_one_report_is_randomised_response() -> None:
    assert Shuffle("2", 1).loss(ONE) == ResponseLoss(2)


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-90", "299", "1e4"])
@pytest.mark.parametrize("reports", [2, 10**6])
def test_epsilons_beyond_doubles_are_enclosed(epsilon: str, reports: int) -> None:
    loss = Shuffle(epsilon, reports).loss(ONE)
    value = loss.delta(0)
    assert 0.0 <= value.lower <= value.upper <= 1.0
    assert loss.supremum().upper >= Fraction(epsilon)
    if epsilon == "1e4":
        assert loss.epsilon("1e-6").lower > 200.0
    if epsilon == "1e-300":
        assert loss.dominated() is NO_LOSS


# Moments ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_a_report_among_coins_has_the_moments_of_the_proof(epsilon: str) -> None:
    """E_P[e^(sL)] <= e^(s(s + 1) epsilon^2/(2c)) where c reports say either."""
    with mpmath.workdps(30):
        number = mpmath.mpf(epsilon)
        for count in (1, 2, 3, 10, 41):
            for order in ("0.001", "0.5", "2", "30", "400"):
                s = mpmath.mpf(order)
                moment = mpmath.mpf(0)
                for ups in range(count + 1):
                    t = mpmath.tanh(number / 2) * (2 * ups - count) / count
                    moment += mpmath.binomial(count, ups) / mpmath.mpf(2) ** count * (1 + t) ** (1 + s) * (1 - t) ** -s
                bound = s * (s + 1) * number**2 / (2 * count)
                assert mpmath.log(moment) <= min(bound, s * number)


def among_coins(epsilon: str, count: int, order: str) -> mpmath.mpf:
    """log E_P[e^(sL)] where so many reports say either."""
    s, tanh = mpmath.mpf(order), mpmath.tanh(mpmath.mpf(epsilon) / 2)
    moment = mpmath.mpf(0)
    for ups in range(count + 1):
        t = tanh * (2 * ups - count) / count
        moment += mpmath.binomial(count, ups) / mpmath.mpf(2) ** count * (1 + t) ** (1 + s) * (1 - t) ** -s
    return mpmath.log(moment)


@pytest.mark.parametrize("epsilon", ["0.05", "1", "4"])
@pytest.mark.parametrize("count", [1, 2, 9, 60, 400])
def test_moments_among_coins_are_bounded_at_all_orders(epsilon: str, count: int) -> None:
    """The bounds by a line, by Chernoff's inequality beyond it, and by the largest term; and up to the first order."""
    orders = ["0.01", "0.3", "1", "5", "20", "100", "1000", "30000"]
    sizes, counts = np.array([float(order) for order in orders]), np.array([float(count)])
    stated = bounds._exponents(float(epsilon), count, sizes, counts)[:, 0]
    with mpmath.workdps(40):
        for order, bound in zip(orders, stated.tolist(), strict=True):
            assert among_coins(epsilon, count, order) <= bound * (1 + 1e-12)
        first = bounds._up_to_first(float(epsilon), counts, np.zeros(1), 1.0)
        for order in ("0.001", "0.1", "0.5", "1"):
            s = mpmath.mpf(order)
            assert among_coins(epsilon, count, order) <= first * s * (s + 1) * (1 + 1e-12)


def test_a_line_alone_would_bound_too_little() -> None:
    """The planted error: what lies beyond the line is forgotten."""
    with mpmath.workdps(40):
        slope = bounds._slope(math.tanh(2.0), 2.0**-8.5)
        assert among_coins("4", 60, "20") > 20 * 21 * slope**2 / (2 * 60)


@pytest.mark.parametrize(("epsilon", "reports"), [("0.3", 30), ("1", 60), ("3", 25)])
def test_some_moment_of_counted_answers_is_as_large_as_is_said(epsilon: str, reports: int) -> None:
    with mpmath.workdps(40):
        number = mpmath.mpf(epsilon)
        f, n, best = mpmath.exp(-number), reports, mpmath.mpf(0)
        atoms = [(mpmath.binomial(n, k) * f**k / (1 + f) ** n, (k / f + (n - k) * f) / n) for k in range(n + 1)]
        for step in range(97):
            s = n / number * mpmath.mpf(20) ** -1 * mpmath.mpf(400) ** (mpmath.mpf(step) / 96)
            for power in (1 + s, -s):
                best = max(best, mpmath.log(mpmath.fsum(q * r**power for q, r in atoms)) / (s * (s + 1)))
        stated = least_concentration(Fraction(epsilon), reports)
        assert 0.7 * best < stated <= best


@pytest.mark.parametrize(("epsilon", "reports"), [("0.3", 3), ("0.3", 50), ("2", 2), ("2", 60), ("7", 60)])
def test_concentration_is_never_below_that_of_the_sum(epsilon: str, reports: int) -> None:
    most = most_concentration(Fraction(epsilon), reports)
    with mpmath.workdps(40):
        atoms = hidden(epsilon, reports, 0)
        for order in ("0.001", "0.1", "1", "3", "10", "50", "300", "2000"):
            s = mpmath.mpf(order)
            moment = mpmath.log(mpmath.fsum(p * (p / q) ** s for p, q in atoms)) / (s * (s + 1))
            assert moment <= mpmath.mpf(most.numerator) / most.denominator


@pytest.mark.parametrize(
    ("epsilon", "reports", "factor"),
    [("0.1", 10**6, 1.06), ("1", 10**6, 1.03), ("2", 10**9, 1.05), ("0.4", 300, 1.1), ("1", 300, 1.1)],
)
def test_zcdp_is_known_to_a_factor(epsilon: str, reports: int, factor: float) -> None:
    value = Shuffle(epsilon, reports).loss(ONE).concentration()
    assert 0.0 < value.lower <= value.upper <= factor * value.lower


# Planted errors --------------------------------------------------------------------------------------------------------


@frozen
class OneDirection(Shuffle):
    """Counted answers in one direction, taken for both."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return Symmetric(self.epsilon, self.reports)


@frozen
class Symmetric(CountedAnswersLoss):
    symmetric = True


@frozen
class TooManyClones(Shuffle):
    """As if every other report were a coin."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return HiddenReportLoss("1/100", self.reports, 0, above=True)


@pytest.mark.parametrize("planted", [OneDirection, TooManyClones])
def test_planted_errors_are_caught_by_the_laws(planted: type[Shuffle]) -> None:
    from accountant import default_registry
    from accountant.plugin import MechanismCase

    case = default_registry().offered(CASES, "response")["shuffle 2 at 2"]
    assert isinstance(case, MechanismCase)
    laws.exact_pairs_never_beat_the_claim(case)
    wrong = MechanismCase("planted", planted("2", 2), ONE, case.pairs)
    with pytest.raises(AssertionError, match="beats its claimed loss"):
        laws.exact_pairs_never_beat_the_claim(wrong)


def test_mass_that_is_missing_is_noticed() -> None:
    with mpmath.workdps(40):
        truth = delta(hidden("1", 20, 0), 0.5)
        assert above(HiddenReportLoss("1", 20, 0, above=True), truth, 0.5)
        assert not above(HiddenReportLoss("1", 21, 0, above=True), truth, 0.5)
        assert not above(HiddenReportLoss("1", 20, 1, above=True), truth, 0.5)
        assert not below(HiddenReportLoss("1", 19, 0, above=False), truth, 0.5)


# In a plan -------------------------------------------------------------------------------------------------------------


def plan(**parameters: object) -> dict[str, object]:
    mechanism = {"kind": "shuffle", **parameters}
    return {"specification": {"neighbours": "replace-one"}, "release": [{"name": "answers", "mechanism": mechanism}]}


def test_a_million_reports_are_accounted_for_in_every_definition() -> None:
    whole = account(read_plan(plan(epsilon="1", reports=1_000_000)))
    found = whole.measure("approx", delta="1e-6").value
    assert 0.0030 < found.lower < found.upper < 0.0036
    assert whole.measure("pure").value.upper == 1.0
    assert whole.measure("zcdp").value.upper < 2e-6
    assert whole.measure("renyi", order="8").value.upper < 8 * 2e-6


def test_shuffles_compose() -> None:
    loss = Shuffle("1", 2000).loss(ONE)
    twice = compose([(loss, 2)])
    for side, sign in (("upper", 1), ("lower", -1)):
        once, both = getattr(loss.epsilon("1e-6"), side), getattr(twice.epsilon("1e-6"), side)
        assert once < both < 2 * once
        assert sign * both <= sign * getattr(compose([(loss, 1), (loss, 1)]).epsilon("1e-6"), side) * (1 + sign * 1e-3)
    assert isinstance(loss.dominating(), AtomicLoss)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"epsilon": "1", "reports": 0}, "must be at least 1, got 0"),
        ({"epsilon": "1", "reports": "1e11"}, "must be at most 10000000000"),
        ({"epsilon": "1", "reports": "2.5"}, "expected a whole number"),
        ({"epsilon": "0", "reports": 5}, "must be above 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: dict[str, object], words: str) -> None:
    from accountant import PlanError

    with pytest.raises(PlanError, match=words):
        read_plan(plan(**parameters))


def test_no_strength_is_raised_above_the_largest_loss() -> None:
    """Of two reports at epsilon 30 nearly all lose nearly everything: epsilon at delta is that of one report."""
    found = Shuffle("30", 2).loss(Shift.along([1])).epsilon("1e-6")
    with localcontext() as context:
        context.prec = 40
        kept = Decimal(30).exp() / (1 + Decimal(30).exp())
        exact = Fraction(((kept - Decimal("1e-6")) / (1 - kept)).ln())
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)
