"""Sampled losses against closed forms in 200 digits, exact mixed pairs, and known answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from accountant.errors import InvalidValue
from accountant.loss import (
    NO_LOSS,
    TOTAL_LOSS,
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    compose,
)
from accountant.numbers.interval import Interval
from accountant.testing.laws import LOSS_LAWS
from tests.loss.references import (
    Real,
    atoms_delta,
    atoms_renyi,
    delta_faults,
    encloses,
    normal_tail,
    product_atoms,
    real,
    response_atoms,
)

RATES = ["1e-12", "1e-6", "0.01", "0.3", "1/2", "0.9", "0.999999999999", "1"]
SQUARES = ["1e-4", "1", "30"]


# Gaussian noise on a sample, by the tails of both laws -----------------------------------------------------------------


def threshold(square: object, rate: object, loss: Real) -> Real:
    """The x where the loss of the mixture of N(0, 1) and N(mu, 1) against N(0, 1) is `loss`; -infinity if nowhere."""
    q, mu = real(rate), mp.sqrt(real(square))
    ratio = (mp.exp(loss) - 1 + q) / q
    return (mp.log(ratio) + mu * mu / 2) / mu if ratio > 0 else -mp.inf


def tails(square: object, rate: object, x: Real) -> tuple[Real, Real]:
    """The chances under the mixture and under N(0, 1) of more than x."""
    if x == -mp.inf:
        return mp.mpf(1), mp.mpf(1)
    q, mu = real(rate), mp.sqrt(real(square))
    return (1 - q) * normal_tail(x) + q * normal_tail(x - mu), normal_tail(x)


def heads(square: object, rate: object, x: Real) -> tuple[Real, Real]:
    if x == -mp.inf:
        return mp.mpf(0), mp.mpf(0)
    q, mu = real(rate), mp.sqrt(real(square))
    return (1 - q) * normal_tail(-x) + q * normal_tail(mu - x), normal_tail(-x)


def mixture_delta(square: object, rate: object, epsilon: object, swapped: bool) -> Real:
    with mp.workdps(mp.mp.dps + 100):
        point = real(epsilon)
        if swapped:
            mixed, plain = heads(square, rate, threshold(square, rate, -point))
            return max(mp.mpf(0), plain - mp.exp(point) * mixed)
        mixed, plain = tails(square, rate, threshold(square, rate, point))
        return mixed - mp.exp(point) * plain


@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("square", SQUARES)
def test_delta_is_that_of_the_mixture(square: str, rate: str, swapped: bool) -> None:
    loss = SampledLoss(GaussianLoss(square), rate, swapped)
    limit = -math.log1p(-float(Fraction(rate))) if rate != "1" else 50.0
    points = [-60.0, -1.0, -1e-9, 0.0, 1e-14, 1e-7, 0.003, 0.2, 1.0, 9.0, 40.0]
    points += [sign * limit * share for sign in (1, -1) for share in (0.3, 0.99, 1.0, 1.01)]
    for point in points:
        found, truth = loss.delta(point), mixture_delta(square, rate, point, swapped)
        assert not delta_faults(found, truth), point
        assert found.width <= 1e-9 * float(truth) + 1e-14 * float(Fraction(rate)), point


@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
@pytest.mark.parametrize("rate", ["1e-12", "0.01", "0.9", "0.999999999999"])
@pytest.mark.parametrize("square", SQUARES)
def test_cells_hold_the_masses_of_both_laws(square: str, rate: str, swapped: bool) -> None:
    loss = SampledLoss(GaussianLoss(square), rate, swapped)
    low, high = loss.window(-200.0)
    with mp.workdps(400):
        side, sign = (heads, -1) if swapped else (tails, 1)

        def beyond(edge: Real) -> tuple[Real, Real]:
            """The masses of P and Q beyond a loss."""
            mixed, plain = side(square, rate, threshold(square, rate, sign * edge))
            return (plain, mixed) if swapped else (mixed, plain)

        for edges in (np.linspace(low, high, 8), np.linspace(low - 1.0, high + 1.0, 9), np.linspace(-0.3, 0.3, 4)):
            cells = loss.cells(edges)
            # Edges may be displaced by what the slack answers for.
            slack = mp.mpf(cells.slack)
            places = [mp.mpf(float(edge)) for edge in edges]
            ladder = [(mp.mpf(1), mp.mpf(1)), *map(beyond, places), (mp.mpf(0), mp.mpf(0))]
            strips = [mp.mpf(0), *(beyond(edge - slack)[0] - beyond(edge + slack)[0] for edge in places), mp.mpf(0)]
            for k, (left, right) in enumerate(pairwise(ladder)):
                p, q = left[0] - right[0], left[1] - right[1]
                doubt = strips[k] + strips[k + 1]
                assert abs(mp.mpf(float(cells.p[k])) - p) <= cells.p_error[k] + doubt, k
                if k:
                    scaled, doubt = q * mp.exp(places[k - 1]), doubt + 2 * slack * p
                    assert cells.gap is not None
                    assert cells.gap_error is not None
                    assert abs(mp.mpf(float(cells.q[k])) - scaled) <= cells.q_error[k] + doubt, k
                    assert abs(mp.mpf(float(cells.gap[k])) - (p - scaled)) <= cells.gap_error[k] + doubt, k
            assert float(np.sum(cells.p)) + cells.infinite.upper == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("count", "epsilon"), [(1000, "1.828236667"), (100_000, "25.573106987")])
def test_known_answers_of_training_with_noise(count: int, epsilon: str) -> None:
    """The answers are known to nine digits, that is up to half a unit of the last one."""
    both = [compose([(SampledLoss(GaussianLoss(1), "0.01", side), count)]).epsilon("1e-5") for side in (False, True)]
    known, half = Fraction(epsilon), Fraction(1, 2 * 10**9)
    assert Fraction(max(value.lower for value in both)) <= known + half
    assert Fraction(max(value.upper for value in both)) >= known - half
    assert max(value.width for value in both) <= 1e-4 * float(known)


# Finite pairs: the mixture is finite too, so every reading has an exact reference ----------------------------------------


@st.composite
def finite_losses(draw: st.DrawFn) -> FiniteLoss:
    size = draw(st.integers(2, 3))
    weight = st.one_of(st.integers(0, 6), st.sampled_from([10**5, 10**12]))
    sides = [draw(st.lists(weight, min_size=size, max_size=size).filter(any)) for _ in range(2)]
    left, right = ([Fraction(w, sum(side)) for w in side] for side in sides)
    return FiniteLoss(zip(left, right, strict=True))


CHANCES = st.one_of(
    st.fractions(0, 1, max_denominator=20).filter(bool),
    st.sampled_from([Fraction(1, 10**12), 1 - Fraction(1, 10**12), 1 - Fraction(1, 10**30), Fraction(1, 10**300)]),
)
POINTS = st.one_of(st.floats(-8, 8), st.floats(-1e-9, 1e-9), st.floats(8, 60), st.sampled_from([0.0, 0.1, 1.0]))
TARGETS = st.sampled_from(["0.5", "1e-3", "1e-7", "1e-13", "1e-22"])


def meet(found: object, truth: object) -> bool:
    return found.lower <= truth.upper and truth.lower <= found.upper  # type: ignore[attr-defined]


@settings(max_examples=25, deadline=None)
@given(finite_losses(), CHANCES, POINTS, TARGETS, st.booleans())
def test_readings_contain_those_of_the_exact_mixture(
    base: FiniteLoss, rate: Fraction, point: float, target: str, swapped: bool
) -> None:
    truth = SampledLoss.of(base, rate)
    assert isinstance(truth, FiniteLoss)
    loss: PrivacyLoss = SampledLoss(base, rate)
    if swapped:
        truth, loss = truth.reverse(), loss.reverse()
    assert meet(loss.delta(point), truth.delta(point))
    assert meet(loss.epsilon(target), truth.epsilon(target))
    assert meet(loss.tradeoff("0.2"), truth.tradeoff("0.2"))
    assert meet(loss.supremum(), truth.supremum())
    assert meet(loss.infinite(), truth.infinite())
    for order in (Fraction(11, 10), Fraction(2), Fraction(7, 2), Fraction(40)):
        assert meet(loss.renyi(order), truth.renyi(order))


@settings(max_examples=25, deadline=None)
@given(finite_losses(), CHANCES, st.integers(1, 3), POINTS, TARGETS, st.booleans())
def test_compositions_contain_those_of_the_exact_mixture(
    base: FiniteLoss, rate: Fraction, count: int, point: float, target: str, swapped: bool
) -> None:
    mixed = SampledLoss.of(base, rate)
    assert isinstance(mixed, FiniteLoss)
    exact = NO_LOSS
    for _ in range(count):
        exact = exact.times(mixed)
    loss: PrivacyLoss = ComposedLoss.of([(SampledLoss(base, rate), count)])
    truth: PrivacyLoss = exact
    if swapped:
        truth, loss = exact.reverse(), loss.reverse()
    assert meet(loss.delta(point), truth.delta(point))
    assert meet(loss.epsilon(target), truth.epsilon(target))


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@example("0.1", "1/50", Fraction(1, 10**12), 0.0, True)
@given(st.sampled_from(["0.1", "1", "6", "30"]), st.sampled_from([0, "1e-9", "1/50"]), CHANCES, POINTS, st.booleans())
def test_responses_on_a_sample(epsilon: str, lost: str | int, rate: Fraction, point: float, swapped: bool) -> None:
    q = real(rate)
    atoms = [((1 - q) * b + q * a, b) for a, b in response_atoms(epsilon, lost)]
    atoms = [(b, a) for a, b in atoms] if swapped else atoms
    loss = SampledLoss(ResponseLoss(epsilon, lost), rate, swapped)
    assert encloses(loss.delta(point), atoms_delta(atoms, point))
    for count in (1, 2):
        truth = atoms_delta(product_atoms([(atoms, count)]), point)
        assert encloses(ComposedLoss.of([(loss, count)]).delta(point), truth)


@pytest.mark.parametrize("rate", ["0.02", "0.7"])
def test_a_composition_on_a_sample_is_enclosed(rate: str) -> None:
    """All coordinates of one release are sampled together: the mixture is that of the products."""
    q, pair = real(rate), product_atoms([(response_atoms("0.5"), 2), (response_atoms("0.3"), 1)])
    base = ComposedLoss.of([(ResponseLoss("0.5"), 2), (ResponseLoss("0.3"), 1)])
    forward = [((1 - q) * b + q * a, b) for a, b in pair]
    for swapped in (False, True):
        atoms = [(b, a) for a, b in forward] if swapped else forward
        for count in (1, 3):
            loss = compose([(SampledLoss(base, rate, swapped), count)])
            outcomes = product_atoms([(atoms, count)])
            for point in (0.0, 0.01, 0.4):
                found, truth = loss.delta(point), atoms_delta(outcomes, point)
                assert encloses(found, truth)
                assert found.width <= 1e-3 * float(truth) + 1e-9
        found = SampledLoss(base, rate, swapped).epsilon("1e-4")
        assert atoms_delta(atoms, found.upper) <= real("1e-4") * (1 + mp.mpf(10) ** -9)
        assert found.lower == 0.0 or atoms_delta(atoms, found.lower) >= real("1e-4") * (1 - mp.mpf(10) ** -9)


def test_work_stops_where_only_larger_values_matter() -> None:
    loss = SampledLoss(GaussianLoss(1), "0.1", True)
    whole = loss.epsilon("1e-6")
    assert loss.epsilon("1e-6", least=2 * whole.upper) == Interval(0.0, 2 * whole.upper)
    assert loss.epsilon("1e-6", least=0.5 * whole.lower) == whole


def test_whole_orders_are_sharp() -> None:
    loss = SampledLoss(ResponseLoss("1.5"), "0.05")
    atoms = [(mp.mpf("0.95") * b + mp.mpf("0.05") * a, b) for a, b in response_atoms("1.5")]
    for order, width in (("2", 1e-10), ("3", 1e-10), ("17", 1e-10), ("1.3", 1.0), ("5.6", 0.1)):
        found = loss.renyi(order)
        assert encloses(found, atoms_renyi(atoms, order))
        assert found.width <= width * found.upper * (1 + 1e-12)


@pytest.mark.parametrize("rate", ["1e-6", "0.05", "0.9"])
def test_concentration_of_finite_pairs(rate: str) -> None:
    base = FiniteLoss([("1/6", "3/7"), ("2/6", "1/7"), ("3/6", "3/7")])
    for loss, truth in (
        (SampledLoss(base, rate), SampledLoss.of(base, rate)),
        (SampledLoss(base, rate, True), SampledLoss.of(base, rate).reverse()),
    ):
        assert meet(loss.concentration(), truth.concentration())


def test_sampling_does_not_lower_the_concentration_of_gaussian_noise() -> None:
    """The chance of being sampled is a factor that orders without end forget."""
    found = SampledLoss(GaussianLoss(2), "0.1").concentration()
    assert found.lower <= 1.0 <= found.upper
    assert found.width <= 1e-6
    assert SampledLoss(GaussianLoss(2), "0.1", True).concentration().upper <= 1.0


# Ends of the range -----------------------------------------------------------------------------------------------------


def test_a_rate_of_one_changes_nothing() -> None:
    for base in (GaussianLoss(2), ResponseLoss("0.7", "1e-3"), FiniteLoss([("1/2", "1/3"), ("1/2", "2/3")])):
        assert SampledLoss.of(base, 1) == base
        for loss, plain in ((SampledLoss(base, 1), base), (SampledLoss(base, 1).reverse(), base.reverse())):
            assert loss.delta("0.3") == plain.delta("0.3")
            assert loss.supremum() == plain.supremum()
            assert meet(ComposedLoss.of([(loss, 3)]).delta("0.3"), ComposedLoss.of([(plain, 3)]).delta("0.3"))


@pytest.mark.parametrize("rate", ["1e-350", 1 - Fraction(1, 10**350)], ids=["tiny", "nearly one"])
def test_rates_beyond_doubles_are_enclosed(rate: str | Fraction) -> None:
    for swapped in (False, True):
        loss = SampledLoss(GaussianLoss(1), rate, swapped)
        for count in (1, 2):
            truth = GaussianLoss(count).delta(1) if Fraction(rate) > Fraction(1, 2) else NO_LOSS.delta(1)
            for found in (compose([(loss, count)]).delta(1), ComposedLoss.of([(loss, count)]).delta(1)):
                assert found.lower <= truth.upper
                assert truth.lower <= found.upper
                assert found.width <= 1e-3 * found.upper or found.upper < 1e-280
        assert loss.supremum().upper >= 0.0
        assert loss.renyi(3).upper >= 0.0


def test_sampling_twice_multiplies_the_rates() -> None:
    once = SampledLoss.of(GaussianLoss(1), "0.02")
    assert SampledLoss.of(SampledLoss.of(GaussianLoss(1), "0.1"), "0.2") == once
    pair = FiniteLoss([("1/2", "1/3"), ("1/2", "2/3")])
    assert SampledLoss.of(SampledLoss.of(pair, "0.1"), "0.2") == SampledLoss.of(pair, "0.02")


def test_nothing_sampled_is_nothing_and_everything_sampled_is_its_rate() -> None:
    assert SampledLoss.of(NO_LOSS, "0.1") == NO_LOSS
    whole = SampledLoss.of(TOTAL_LOSS, "0.1")
    assert whole.infinite().contains(Fraction(1, 10))
    assert encloses(whole.reverse().supremum(), -mp.log(mp.mpf("0.9")))


@pytest.mark.parametrize("rate", [0, "-0.1", "1.01"])
def test_a_rate_is_a_chance_above_zero(rate: int | str) -> None:
    with pytest.raises(InvalidValue):
        SampledLoss(GaussianLoss(1), rate)


@pytest.mark.parametrize("law", LOSS_LAWS)
@pytest.mark.parametrize(
    "loss",
    [
        SampledLoss(GaussianLoss("2"), "0.1"),
        SampledLoss(ResponseLoss("2", "0.01"), "0.6"),
        SampledLoss(ResponseLoss("1/2"), "1e-5", True),
    ],
    ids=repr,
)
def test_sampled_losses_keep_the_laws(loss: PrivacyLoss, law: str) -> None:
    LOSS_LAWS[law](loss)


def test_small_deltas_are_not_lost_in_complements() -> None:
    """The mass that P hardly has is known relatively: nothing of size 1e-16 is sent to infinity."""
    for swapped in (False, True):
        loss = ComposedLoss.of([(SampledLoss(GaussianLoss("4"), "0.999999", swapped), 2)])
        found = loss.epsilon("1e-40")
        assert found.upper < 60.0
        assert found.width < 0.01 * found.upper


# What would be wrong ---------------------------------------------------------------------------------------------------


def faults(build: Callable[[], PrivacyLoss]) -> list[str]:
    loss = build()
    found = []
    for point in (-0.05, 0.005, 0.05, 0.3, 1.0):
        found += delta_faults(loss.delta(point), mixture_delta(1, "0.1", point, False))
        found += delta_faults(ComposedLoss.of([(loss, 1)]).delta(point), mixture_delta(1, "0.1", point, False))
    return found


def test_planted_errors_are_caught() -> None:
    assert faults(lambda: SampledLoss(GaussianLoss(1), "0.1")) == []
    assert faults(lambda: SampledLoss(GaussianLoss(1), "0.1", True)) != []
    assert faults(lambda: GaussianLoss(1)) != []
    assert faults(lambda: SampledLoss(GaussianLoss(1), "0.1000001")) != []


def test_cells_that_forget_the_rate_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from accountant.loss.derived import sampled as module

    sound = module.present_cells
    monkeypatch.setattr(
        module,
        "present_cells",
        lambda base, rate, rest, edges, infinite: sound(base, 1.0 - rest / 2, rest / 2, edges, infinite),
    )
    assert faults(lambda: SampledLoss(GaussianLoss(1), "0.1")) != []
