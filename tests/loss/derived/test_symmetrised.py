"""Mirrored losses, and Gaussian noise on samples that replace a record: against exact pairs and long arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant.loss import (
    NO_LOSS,
    BracketLoss,
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    MirroredLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    both_orders,
    compose,
    replaced_in_sample,
)
from accountant.loss.derived import sampled_rule, symmetrised_cells as mirrored_cells
from accountant.loss.derived.discretised import flat_above
from accountant.loss.derived.replaced_gaussian import ExchangedGaussian
from accountant.loss.derived.symmetrised_moments import Halves
from accountant.numbers.rounding import Ball
from accountant.testing.laws import LOSS_LAWS
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss.references import Real, delta_faults, encloses, normal_tail, real, response_delta

pytestmark = pytest.mark.slow

SETTINGS = [("1", "1", "0.01"), ("1", "4", "0.01"), ("1/4", "1/2", "0.3"), ("9", "20", "0.9"), ("1e-4", "4e-4", "1e-5")]
"""u^2, (u + v)^2 and the rate; a record that is absent from the second law has u + v = u."""


def gaussian_on_a_sample(apart: str, replaced: str, rate: str) -> SampledLoss | ExchangedGaussian:
    if apart == replaced:
        return SampledLoss(GaussianLoss(apart), rate)
    return ExchangedGaussian(apart, replaced, rate)


class Reference:
    """Both densities beside that of the noise, in long arithmetic."""

    def __init__(self, apart: str, replaced: str, rate: str) -> None:
        self.up, self.rate = mp.sqrt(real(apart)), real(rate)
        self.down = mp.sqrt(real(replaced)) - self.up

    def loss(self, x: Real) -> Real:
        a, b = self.densities(x)
        return mp.log(a / b)

    def densities(self, x: Real) -> tuple[Real, Real]:
        q = self.rate
        return 1 + q * mp.expm1(self.up * x - self.up**2 / 2), 1 + q * mp.expm1(-self.down * x - self.down**2 / 2)

    def outcome(self, loss: Real) -> Real:
        """The x with a loss; -infinity where none is as low."""
        if self.down == 0 and loss <= mp.log1p(-self.rate):
            return -mp.inf
        low, high = mp.mpf(-300), mp.mpf(300)
        with mp.workdps(20):
            for _ in range(40):
                low, high = ((low + high) / 2, high) if self.loss((low + high) / 2) < loss else (low, (low + high) / 2)
        # Newton's steps double the digits that bisection left.
        x = (low + high) / 2
        for _ in range(6):
            a, b = self.densities(x)
            slope = self.up * (1 - (1 - self.rate) / a) + self.down * (1 - (1 - self.rate) / b)
            x += (loss - self.loss(x)) / slope
        return x

    def beyond(self, x: Real) -> tuple[Real, Real]:
        """The chances under both laws of more than x."""
        if x == -mp.inf:
            return mp.mpf(1), mp.mpf(1)
        q, plain = self.rate, (1 - self.rate) * normal_tail(x)
        return plain + q * normal_tail(x - self.up), plain + q * normal_tail(x + self.down)

    def delta(self, epsilon: Real) -> Real:
        first, second = self.beyond(self.outcome(epsilon))
        return first - mp.exp(epsilon) * second

    def mirrored_delta(self, epsilon: Real) -> Real:
        return self.delta(epsilon) if epsilon >= 0 else 1 - mp.exp(epsilon) * (1 - self.delta(-epsilon))

    def mirrored_beyond(self, loss: Real) -> tuple[Real, Real]:
        """The masses of both laws of the mirrored loss above a loss."""
        if loss >= 0:
            return self.beyond(self.outcome(loss))
        first, second = self.beyond(self.outcome(-loss))
        return 1 - second, 1 - first

    def mirrored_moment(self, z: Any, reach: float) -> Any:
        low, high = (self.up - self.down) / 2, reach + self.up

        def integrand(x: Real) -> Any:
            a, b = self.densities(x)
            turns = mp.exp((1 + z) * mp.log(a) - z * mp.log(b)), mp.exp((1 + z) * mp.log(b) - z * mp.log(a))
            return mp.npdf(x) * (sum(turns) - a - b)

        return 1 + mp.quad(integrand, mp.linspace(low, high, 16))


# Delta, cells and moments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("apart", "replaced", "rate"), SETTINGS)
def test_delta_is_that_of_the_worse_order(apart: str, replaced: str, rate: str) -> None:
    base = gaussian_on_a_sample(apart, replaced, rate)
    with mp.workdps(60):
        truth = Reference(apart, replaced, rate)
        for epsilon in (-3.0, -0.2, -1e-6, 0.0, 1e-7, 0.003, 0.4, 2.0, 9.0):
            assert not delta_faults(MirroredLoss(base).delta(epsilon), truth.mirrored_delta(mp.mpf(epsilon)))
            found = base.delta(epsilon)
            assert not delta_faults(found, truth.delta(mp.mpf(epsilon)))
            assert found.width <= 1e-10 * found.upper + 1e-13 * float(Fraction(rate))
            # Nothing is worse than the whole, and the forward order is the worse one from 0 on.
            assert found.lower <= base.whole.delta(epsilon).upper
            if epsilon >= 0.0:
                assert base.reverse().delta(epsilon).lower <= found.upper


def cell_faults(loss: PrivacyLoss, edges: Any, beyond: Any) -> list[str]:
    """Cells whose masses are off by more than their errors and what a displaced edge may do."""
    cells, found = loss.cells(edges), []
    slack, places = mp.mpf(cells.slack) + mp.mpf(2) ** -45, [mp.mpf(float(edge)) for edge in edges]
    ladder = [(mp.mpf(1), mp.mpf(1)), *map(beyond, places), (mp.mpf(0), mp.mpf(0))]
    strips = [mp.mpf(0), *(beyond(edge - slack)[0] - beyond(edge + slack)[0] for edge in places), mp.mpf(0)]
    for k, (left, right) in enumerate(pairwise(ladder)):
        p, q = left[0] - right[0], left[1] - right[1]
        doubt = strips[k] + strips[k + 1]
        if abs(mp.mpf(float(cells.p[k])) - p) > cells.p_error[k] + doubt:
            found.append(f"p {k}")
        if k:
            assert cells.gap is not None
            assert cells.gap_error is not None
            scaled, doubt = q * mp.exp(places[k - 1]), doubt + 2 * slack * p
            if abs(mp.mpf(float(cells.q[k])) - scaled) > cells.q_error[k] + doubt:
                found.append(f"q {k}")
            if abs(mp.mpf(float(cells.gap[k])) - (p - scaled)) > cells.gap_error[k] + doubt:
                found.append(f"gap {k}")
    return found


def edge_sets(loss: PrivacyLoss) -> list[Any]:
    """Edges across the law with 0 among them and without, on one side of it, and so fine that differences are small."""
    low, high = loss.window(-60.0)
    fine = 0.01 * high
    return [
        np.linspace(low, high, 6),
        np.array([low, 0.3 * low, 0.0, 0.2 * high, high]),
        np.linspace(0.1 * high, high, 4),
        np.linspace(low, 0.1 * low, 4),
        np.array([-1.7 * fine, -0.7 * fine, 0.3 * fine, 1.3 * fine]),
        np.array([0.2 * high]),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("apart", "replaced", "rate"), SETTINGS[:4])
def test_cells_hold_the_masses_of_both_laws(apart: str, replaced: str, rate: str) -> None:
    base = gaussian_on_a_sample(apart, replaced, rate)
    loss = MirroredLoss(base)
    with mp.workdps(160):
        truth = Reference(apart, replaced, rate)
        for edges in edge_sets(loss):
            assert cell_faults(loss, edges, truth.mirrored_beyond) == []
            assert float(np.sum(loss.cells(edges).p)) == pytest.approx(1.0, abs=1e-12)
            if isinstance(base, ExchangedGaussian):
                assert cell_faults(base, edges, lambda e: truth.beyond(truth.outcome(e))) == []


def test_what_is_left_at_zero_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, or without the mirror images, the upper end of two copies lies below the truth."""
    loss = both_orders(SampledLoss.of(FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")]), "1/3")).dominating()
    assert isinstance(loss, FiniteLoss)
    truth = loss.times(loss).delta(0.1).lower
    numeric = MirroredLoss(SampledLoss(FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")]), "1/3"))
    assert ComposedLoss.of([(numeric, 2)]).delta(0.1).upper >= truth
    monkeypatch.setattr(mirrored_cells, "_left", lambda base: Ball(0.0))
    assert ComposedLoss.of([(numeric, 2)]).delta(0.1).upper < truth


@pytest.mark.slow
@pytest.mark.parametrize(("apart", "replaced", "rate"), [SETTINGS[0], SETTINGS[2], SETTINGS[3]])
def test_moments_off_the_real_line(apart: str, replaced: str, rate: str) -> None:
    base = gaussian_on_a_sample(apart, replaced, rate)
    family = MirroredLoss(base).analytic()
    assert family is not None
    moments = family.of([MirroredLoss(base)]).trimmed(-60.0)
    points = np.array([0.7 + 9.0j, 3.0 - 2.0j])
    values, errors = moments.log_moments(points)
    sizes, _ = moments.log_moments(points.real.astype(complex))
    with mp.workdps(25):
        truth = Reference(apart, replaced, rate)
        for z, value, error, size in zip(points.tolist(), values[0].tolist(), errors[0].tolist(), sizes[0], strict=True):
            known = mp.log(truth.mirrored_moment(mp.mpc(z), mp.sqrt(120)))
            gap = mp.mpc(value) - known
            gap -= 2j * mp.pi * mp.nint(gap.imag / (2 * mp.pi))
            assert abs(gap) <= error
            # What cancels is lost, and no more.
            assert error * np.exp(value.real - size.real) < 1e-10


def test_moments_of_another_rate_or_without_images_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(rate: str) -> float:
        moments = MirroredLoss(ExchangedGaussian("1", "2", rate)).gaussian(-60.0)
        values, errors = moments.log_moments(np.array([0.7 + 3.0j]))
        with mp.workdps(25):
            known = mp.log(Reference("1", "2", "0.1").mirrored_moment(mp.mpc(0.7, 3.0), mp.sqrt(120)))
            return float(abs(mp.mpc(complex(values[0])) - known)) - float(errors[0])

    assert off("0.1") <= 0.0
    assert off("0.10000001") > 0.0
    monkeypatch.setattr(sampled_rule.Rule, "_mirrored", sampled_rule.Rule._plain)
    assert off("0.1") > 0.0


@pytest.mark.parametrize(("apart", "replaced", "rate"), SETTINGS[:4])
@pytest.mark.parametrize("mirrored", [True, False], ids=["mirrored", "one order"])
def test_shapes_bound_the_tilted_law(apart: str, replaced: str, rate: str, mirrored: bool) -> None:
    """Deviations and falls against the law on so many points that only rounding is left."""
    quadrature = gaussian_on_a_sample(apart, replaced, rate).gaussian(-60.0, mirrored=mirrored)
    x = np.linspace(*quadrature.ends, 100_001)
    at = quadrature.densities.at(x)
    density = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * (x[1] - x[0])
    density[[0, -1]] *= 0.5
    losses, masses = at.losses, density * np.exp(at.log_a)
    if mirrored or quadrature.mirrored:
        images = density * np.exp(at.log_b)
        left = max(0.0, 1.0 - float(masses.sum() + images.sum()))
        losses, masses = np.concatenate([losses, -losses, [0.0]]), np.concatenate([masses, images, [left]])
    for tilt in (0.3, 4.0):
        chances = masses * np.exp(tilt * losses)
        chances /= chances.sum()
        mean = float(chances @ losses)
        deviation = float(np.sqrt(chances @ np.square(losses - mean)))
        shape = quadrature.shape(tilt)
        assert deviation <= shape.deviation * (1.0 + 1e-6)
        assert shape.deviation <= 1.3 * deviation
        heights = np.geomspace(0.1, 40.0, 8) / deviation
        sizes = [abs(chances @ np.exp(1j * height * losses)) for height in heights]
        for k, height in enumerate(heights):
            assert np.log(max(sizes[k:])) <= shape.fall(float(height)) + 1e-6


# Finite pairs: everything has an exact reference ------------------------------------------------------------------------


@st.composite
def symmetric_losses(draw: st.DrawFn) -> FiniteLoss:
    weights = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), min_size=1, max_size=2))
    middle = draw(st.integers(0, 5))
    total = sum(map(sum, weights)) + middle
    pairs = [(Fraction(p, total), Fraction(q, total)) for p, q in weights]
    return FiniteLoss([*pairs, *((q, p) for p, q in pairs), (Fraction(middle, total), Fraction(middle, total))])


def meet(found: Any, truth: Any) -> bool:
    return bool(found.lower <= truth.upper and truth.lower <= found.upper)


@settings(max_examples=10, deadline=None)
@given(
    symmetric_losses().filter(lambda loss: loss != NO_LOSS),
    st.fractions(0, 1, max_denominator=20).filter(lambda rate: 0 < rate < 1),
    st.floats(-3, 3),
    st.sampled_from(["0.3", "1e-3", "1e-9"]),
    st.integers(2, 3),
)
def test_readings_contain_those_of_the_exact_pair(
    base: FiniteLoss, rate: Fraction, point: float, target: str, count: int
) -> None:
    truth = both_orders(SampledLoss.of(base, rate)).dominating()
    assert isinstance(truth, FiniteLoss)
    assert truth.reverse() is truth
    loss = MirroredLoss(SampledLoss(base, rate))
    assert loss.reverse() is loss
    assert meet(loss.delta(point), truth.delta(point))
    assert meet(loss.epsilon(target), truth.epsilon(target))
    assert meet(loss.tradeoff("0.2"), truth.tradeoff("0.2"))
    assert meet(loss.supremum(), truth.supremum())
    assert meet(loss.infinite(), truth.infinite())
    for order in (Fraction(11, 10), Fraction(2), Fraction(7, 2), Fraction(40)):
        assert meet(loss.renyi(order), truth.renyi(order))
    product = NO_LOSS
    for _ in range(count):
        product = product.times(truth)
    whole = ComposedLoss.of([(loss, count)])
    assert meet(whole.delta(point), product.delta(point))
    assert meet(whole.epsilon(target), product.epsilon(target))


def test_moments_from_cells_are_sharp() -> None:
    """Laplace noise has no quadrature here; its losses are bounded, and Gaussian ones are not."""
    with mp.workdps(30):
        for rate in ("0.01", "0.6"):
            q = real(rate)
            for order in (0.1, 1.0, 7.0, 300.0):
                found = MirroredLoss(SampledLoss(LaplaceLoss("1"), rate)).log_moment_formula(order)
                assert encloses(found, mp.log(1 + _laplace_excess(q, order)))
                assert found.width <= 1e-5 * found.upper
    for order in (0.5, 3.0, 20.0):
        base = SampledLoss(GaussianLoss(1), "0.05")
        known = base.integrated(order, mirrored=True)
        assert known is not None
        rough = Halves.of(base).log_moment(order)
        assert rough.lower <= known.upper
        assert known.lower <= rough.upper <= 1.001 * known.upper


@pytest.mark.parametrize(("scale", "rate"), [("2", "0.01"), ("2", "0.8"), ("1/2", "0.3")])
def test_moments_of_a_composition_on_a_sample_contain_those_of_the_exact_pair(scale: str, rate: str) -> None:
    """Two coordinates of geometric noise that move by one are two answers by randomised response: three losses in all."""
    epsilon, q = 1 / real(scale), real(rate)
    base = compose([(ResponseLoss(1 / Fraction(scale), 0), 2)])
    assert isinstance(base, ComposedLoss)
    loss = MirroredLoss(SampledLoss(base, rate))
    # Losses of 2 epsilon and 0 of the base; of the mirrored loss only what is above 0 counts.
    largest = (mp.exp(epsilon) / (1 + mp.exp(epsilon))) ** 2
    for order in (0.3, 1.0, 15.0):
        truth = mp.log(1 + largest * _excess(q, 2 * epsilon, order))
        found = loss.log_moment_formula(order)
        assert encloses(found, truth)
        assert found.upper <= 1.001 * truth
    rho = max(mp.log(1 + largest * _excess(q, 2 * epsilon, t)) / (t * (t + 1)) for t in (0.01, 0.1, 1.0, 3.0, 10.0, 100.0))
    assert rho <= loss.concentration().upper <= 1.2 * rho


def test_what_a_grid_leaves_beyond_the_largest_loss_is_not_there() -> None:
    """Two answers by randomised response lose 2 at most, and nothing is infinite."""
    flat = flat_above(compose([(LaplaceLoss("1"), 2)]))
    assert flat.infinite().exact == 0
    assert flat.window(-600.0)[1] <= 2.0 + 1e-12
    for point in (0.0, 0.5, 1.5, 1.99):
        assert flat.delta(point).upper >= compose([(LaplaceLoss("1"), 2)]).delta(point).lower


def _laplace_excess(q: Real, order: float) -> Real:
    """Half of P has the loss 1; between 0 and 1 there is the density e^((l - 1)/2)/4."""
    between = mp.quad(lambda loss: mp.exp((loss - 1) / 2) / 4 * _excess(q, loss, order), [0, 0.5, 1])
    return _excess(q, mp.mpf(1), order) / 2 + between


def _excess(q: Real, loss: Real, order: float) -> Real:
    """What a loss of the base adds to the moment of the mirrored one, per mass of P: r in place of e^loss."""
    r = 1 + q * mp.expm1(loss)
    mass = (1 - q) * mp.exp(-loss) + q
    return mass * (r**order - 1 + (r**-order - 1) / r)


# Compositions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("apart", "replaced", "rate", "count"),
    [("1", "1", "0.01", 1000), ("1", "1", "0.01", 3), ("1", "4", "0.1", 40), ("1", "2", "0.01", 600)],
)
def test_contour_and_grid_agree(apart: str, replaced: str, rate: str, count: int) -> None:
    loss = MirroredLoss(gaussian_on_a_sample(apart, replaced, rate))
    fast = ComposedLoss.of([(loss, count)]).epsilon("1e-6")
    slow = ComposedLoss.of([(loss, count)])
    slow._contours.append(None)
    slow._directs.append(None)
    slow._brackets.append(None)
    assert meet(fast, slow.epsilon("1e-6"))
    assert fast.width <= 1e-4 * fast.upper


def test_a_bracket_is_read_from_both_sides_without_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    from accountant.loss.readings.precision import Refinement

    base = SampledLoss(GaussianLoss(1), "0.01")
    monkeypatch.setattr(Refinement, "to", None)
    whole = compose([(both_orders(base), 2000)])
    found = whole.epsilon("1e-6")
    above, below = (ComposedLoss.of([(side, 2000)]).epsilon("1e-6") for side in (MirroredLoss(base), base))
    assert (found.lower, found.upper) == (below.lower, above.upper)
    assert found.lower < 0.9 * found.upper


@pytest.mark.parametrize("rate", ["0.02", "0.5"])
def test_many_samples_of_noise_that_is_not_gaussian_are_read_closely(rate: str) -> None:
    """Flattened on a grid from both sides; one release less and one more lie apart."""
    losses = [compose([(SampledLoss(LaplaceLoss("1/2"), rate), count)]).epsilon("1e-6") for count in (2000, 2001)]
    assert all(value.width <= 1e-4 * value.upper for value in losses)
    assert losses[0].lower < losses[1].upper
    fine = ComposedLoss.of([(SampledLoss(LaplaceLoss("1/2"), rate), 2000)])
    fine._brackets.append(None)
    assert meet(losses[0], fine.epsilon("1e-6"))


# Records that are replaced ----------------------------------------------------------------------------------------------


def test_exchanging_is_exact_where_it_can_be() -> None:
    response = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    assert replaced_in_sample(response, NO_LOSS, Fraction(1, 2)) == NO_LOSS
    assert replaced_in_sample(response, response, Fraction(1, 2)) == both_orders(SampledLoss.of(response, "1/2"))
    assert replaced_in_sample(GaussianLoss(1), GaussianLoss(9), Fraction(1, 10)) == ExchangedGaussian(1, 4, "0.1")
    assert ExchangedGaussian(1, 4, "0.1").reverse() == ExchangedGaussian(1, 4, "0.1")


def cut_of(apart: PrivacyLoss, replaced: PrivacyLoss, rate: str) -> PrivacyLoss:
    from accountant.loss.derived.replaced import _cut

    return _cut(apart, replaced, Fraction(rate), None)


@pytest.mark.parametrize(("apart", "replaced", "rate"), SETTINGS[1:])
def test_cuts_meet_the_gaussian_pair_from_above(apart: str, replaced: str, rate: str) -> None:
    """Noise whose best test is the same against both laws: what the cuts say is the truth, up to lines between them."""
    cut = cut_of(GaussianLoss(apart), GaussianLoss(replaced), rate)
    truth = MirroredLoss(ExchangedGaussian(apart, replaced, rate))
    for epsilon in (0.0, 0.003, 0.05, 0.4, 2.0):
        exact = truth.delta(epsilon)
        assert exact.lower <= cut.delta(epsilon).upper <= 1.001 * exact.upper + 1e-12


def test_a_bound_that_joins_at_one_ratio_is_not_better() -> None:
    """The usual choice of shares, c/s = d/t, holds too, and lies above the best one."""
    apart, replaced, q = GaussianLoss(1), GaussianLoss(4), 0.1
    truth = ExchangedGaussian(1, 4, "0.1")
    for epsilon in (0.05, 0.3, 1.0):
        x = np.exp(epsilon)
        ratio = (x - 1.0 + q) / q
        share = x / ratio
        joined = q * ((1.0 - share) * apart.delta(np.log(ratio)).upper + share * replaced.delta(np.log(ratio)).upper)
        assert truth.delta(epsilon).upper <= joined
        assert joined > 1.001 * truth.delta(epsilon).upper


def test_shares_that_add_up_to_less_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from accountant.loss.derived import replaced as exchange

    lower = exchange._same_power
    truth = MirroredLoss(ExchangedGaussian(1, 2, "0.1"))

    def short() -> list[bool]:
        cut = cut_of(GaussianLoss(1), GaussianLoss(2), "0.1")
        return [cut.delta(epsilon).upper < truth.delta(epsilon).lower for epsilon in (0.05, 0.3, 1.0)]

    assert not any(short())
    # Any other ratios are sound too.
    monkeypatch.setattr(exchange, "_same_power", lambda *args: 0.7 * lower(*args) + 0.1)
    assert not any(short())
    monkeypatch.setattr(exchange.np, "log1p", lambda value: 0.98 * np.log(1.0 + value))
    assert any(short())


@pytest.mark.parametrize("rate", [Fraction(1, 10**350), 1 - Fraction(1, 10**350)], ids=["tiny", "nearly one"])
def test_rates_beyond_doubles_are_enclosed(rate: Fraction) -> None:
    """The one loses next to nothing, but not nothing; the other as much as without a sample."""
    for loss, least in (
        (replaced_in_sample(LaplaceLoss("1/2"), LaplaceLoss("1"), rate), 1e-14),
        (replaced_in_sample(GaussianLoss(1), GaussianLoss(4), rate), 1e-280),
        (replaced_in_sample(GaussianLoss(1), GaussianLoss(1), rate), 1e-280),
    ):
        for count in (1, 2):
            found = compose([(loss, count)]).delta("1/10")
            assert 0.0 < found.upper < least if rate < 1 / 2 else found.upper > 0.1


def test_very_many_coordinates_on_a_sample_are_enclosed() -> None:
    """So many that the law comes from a transform: responses have a closed form."""
    count, rate = 80, real("0.05")
    base = ComposedLoss.of([(ResponseLoss("0.1"), count)])
    sampled = SampledLoss(base, "0.05")
    with mp.workdps(30):
        unlifted = mp.log((mp.exp(mp.mpf("0.3")) - 1 + rate) / rate)
        truth = rate * response_delta("0.1", count, unlifted)
        for loss in (sampled.dominating(), sampled):
            assert mp.mpf(loss.delta("0.3").upper) >= truth
        assert mp.mpf(sampled.dominating().delta("0.3").upper) <= truth * mp.mpf("1.01")
        assert mp.mpf(sampled.dominated().delta("0.3").lower) <= truth


def test_losses_that_are_bounded_stay_bounded() -> None:
    loss = replaced_in_sample(LaplaceLoss("1/2"), LaplaceLoss("1"), Fraction(1, 100))
    top = loss.supremum()
    # All of the first law's mass at the largest ratio to both others.
    with mp.workdps(30):
        q = mp.mpf(1) / 100
        truth = mp.log((1 - q + q * mp.exp(mp.mpf(1) / 2)) / (1 - q + q * mp.exp(-mp.mpf(1) / 2)))
        assert mp.mpf(top.lower) <= truth <= mp.mpf(top.upper)
        assert mp.mpf(top.upper) <= truth * (1 + mp.mpf(10) ** -9)
    assert loss.delta(2 * top.upper).upper <= 1e-300


def test_other_families_are_bracketed() -> None:
    for apart, replaced in (
        (LaplaceLoss("1/2"), LaplaceLoss("1")),
        (LaplaceLoss("1/2"), compose([(LaplaceLoss("1/2"), 2)])),
        (ResponseLoss("1"), ResponseLoss("1/2")),
        (GaussianLoss(4), GaussianLoss(1)),
    ):
        loss = replaced_in_sample(apart, replaced, Fraction(1, 10))
        assert isinstance(loss, BracketLoss)
        for epsilon in (0.0, 0.02, 0.05):
            found = loss.delta(epsilon)
            # Never more than a tenth of what the replaced record costs by itself, and never nothing.
            assert found.upper <= 0.1 * replaced.delta(epsilon).upper * (1 + 1e-6)
            assert found.lower > 0.1 * found.upper


@pytest.mark.parametrize("law", LOSS_LAWS)
@pytest.mark.parametrize(
    "loss",
    [
        MirroredLoss(SampledLoss(GaussianLoss("2"), "0.1")),
        MirroredLoss(SampledLoss(LaplaceLoss("1"), "0.3")),
        ExchangedGaussian("1", "4", "0.2"),
        ExchangedGaussian("1", "2", "0.05", True),
    ],
    ids=["gaussian", "laplace", "exchanged", "exchanged, swapped"],
)
def test_losses_on_samples_keep_the_laws(loss: PrivacyLoss, law: str) -> None:
    LOSS_LAWS[law](loss)


@pytest.mark.parametrize(("sigma", "rate", "epsilon"), [(1.0, "0.3", 0.5), (2.0, "0.3", 1.0), (0.7, "0.8", 1.5)])
def test_records_of_different_cells_are_enclosed(sigma: float, rate: str, epsilon: float) -> None:
    """A histogram moves one cell for one record and another for the other: their line is an upper end only.

    The truth by summation over the plane.
    """
    chance, step = float(rate), 0.01 * sigma
    places = np.arange(-9.0 * sigma, 9.0 * sigma + 1.0, step)
    still, moved = (
        np.exp(-(((places - shift) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)) for shift in (0.0, 1.0)
    )
    neither, first, second = np.outer(still, still), np.outer(moved, still), np.outer(still, moved)
    one, other = (1 - chance) * neither + chance * first, (1 - chance) * neither + chance * second
    truth = float(np.maximum(one - math.exp(epsilon) * other, 0.0).sum()) * step**2
    variance = Fraction(str(sigma)) ** 2
    found = replaced_in_sample(GaussianLoss(1 / variance), GaussianLoss(2 / variance), Fraction(rate)).delta(epsilon)
    assert found.lower <= truth * (1 - 1e-4)
    assert truth * (1 + 1e-4) <= found.upper
