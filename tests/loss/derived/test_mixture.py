"""Mixtures of losses: weighted sums that are known in closed form, exact where they can be, and never more private."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings

from accountant.errors import InvalidValue
from accountant.finite import Pair
from accountant.loss import (
    NO_LOSS,
    TOTAL_LOSS,
    BracketLoss,
    FiniteLoss,
    GaussianLoss,
    MixtureLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    compose,
)
from accountant.loss.derived import mixture
from accountant.testing import strategies
from accountant.testing.laws import LOSS_LAWS, readings_keep_their_shape
from accountant.testing.laws.loss import delta_falls, ends_are_in_order, renyi_grows
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss.moment_references import DIGITS, Known, finite, gaussian, laplace, of, random_points, response, sampled
from tests.loss.readings.test_moments import deviation_faults, fall_faults, moment_faults
from tests.loss.references import delta_faults, epsilon_faults, gaussian_delta

SKEW = FiniteLoss([("1/2", "1/3"), ("1/2", "2/3")])
THIRD = Fraction(1, 3)


def mixed_gaussians(first: str, second: str, chance: Fraction = THIRD) -> PrivacyLoss:
    return MixtureLoss.of([(chance, GaussianLoss(first)), (1 - chance, GaussianLoss(second))])


def mixed_delta(first: str, second: str, count: int, chance: Fraction = THIRD) -> Any:
    """Of so many draws k are of the first kind, by the binomial law, and Gaussians add up: a mixture of known curves."""

    def delta(point: Any) -> Any:
        share = mp.mpf(chance.numerator) / chance.denominator
        terms = []
        for k in range(count + 1):
            square = k * Fraction(first) + (count - k) * Fraction(second)
            terms.append(mp.binomial(count, k) * share**k * (1 - share) ** (count - k) * gaussian_delta(square, point))
        return mp.fsum(terms)

    return delta


def faults(loss: PrivacyLoss, delta: Any, points: tuple[float, ...], targets: tuple[str, ...]) -> list[str]:
    with mp.workdps(40):
        found = [fault for point in points for fault in delta_faults(loss.delta(point), delta(point))]
        return found + [fault for target in targets for fault in epsilon_faults(loss.epsilon(target), target, delta)]


@pytest.mark.parametrize(("count", "points"), [(1, (-0.5, 0.5, 3.0)), (6, (0.0, 2.0, 8.0)), (40, (1.0, 10.0, 25.0))])
def test_repeated_mixtures_of_gaussians_are_mixtures_of_gaussians(
    route: str, count: int, points: tuple[float, ...]
) -> None:
    whole = compose([(mixed_gaussians("1", "1/4"), count)])
    assert faults(whole, mixed_delta("1", "1/4", count), points, ("1e-4", "1e-9")) == []
    value = whole.delta(points[1])
    assert value.width <= 1e-3 * value.upper


def test_a_mixture_beside_another_release(route: str) -> None:
    """A further Gaussian adds to every Gaussian of the mixture."""
    whole = compose([(mixed_gaussians("1", "1/4"), 3), (GaussianLoss("1/2"), 1)])

    def delta(point: Any) -> Any:
        squares = [
            (mp.binomial(3, k) * 2 ** (3 - k) / mp.mpf(27), k + Fraction(3 - k, 4) + Fraction(1, 2)) for k in range(4)
        ]
        return mp.fsum(share * gaussian_delta(square, point) for share, square in squares)

    assert faults(whole, delta, (0.0, 1.5, 6.0), ("1e-5",)) == []


def test_moments_and_concentration_of_mixed_gaussians() -> None:
    loss = mixed_gaussians("1", "1/4")
    for order in ("3/2", "2", "7"):
        t = mp.mpf(Fraction(order).numerator) / Fraction(order).denominator - 1
        truth = mp.log(mp.exp(t * (t + 1) / 2) / 3 + 2 * mp.exp(t * (t + 1) / 8) / 3) / t
        value = loss.renyi(order)
        assert value.lower <= truth <= value.upper
        assert value.width <= 1e-12 * value.upper
    # The ratio of Renyi divergence to order tends to that of the worse part as the order grows, and never reaches it.
    assert loss.concentration().lower <= 0.5 <= loss.concentration().upper <= 0.5 * (1 + 1e-12)
    assert loss.supremum().lower == float("inf")


def test_a_rare_part_that_is_bounded_hardly_adds_to_the_concentration() -> None:
    """The worst part alone has 0.99; in one draw of a hundred it moves the whole much less."""
    loss = MixtureLoss.of([("1/100", ResponseLoss("1.5")), ("99/100", NO_LOSS)])
    with mp.workdps(30):

        def ratio(t: Any) -> Any:
            e = mp.mpf("1.5")
            moment = mp.exp(t * e) / (1 + mp.exp(-e)) + mp.exp(-t * e) / (1 + mp.exp(e))
            return mp.log((99 + moment) / 100) / (t * (t + 1))

        truth = max(ratio(mp.mpf(k) / 50) for k in range(1, 2000))
    value = loss.concentration()
    assert truth <= value.upper <= truth * (1 + mp.mpf("1e-3"))
    assert value.lower <= value.upper


@given(strategies.finite_losses(), strategies.finite_losses(), strategies.exact_numbers(0, 1).filter(lambda c: 0 < c < 1))
@settings(max_examples=30, deadline=None)
def test_finite_mixtures_are_the_enumerated_pair(first: FiniteLoss, second: FiniteLoss, chance: Fraction) -> None:
    loss = MixtureLoss.of([(chance, first), (1 - chance, second)])
    shown = [(chance * p, chance * q) for p, q in first.atoms] + [
        ((1 - chance) * p, (1 - chance) * q) for p, q in second.atoms
    ]
    for point, side in ((Fraction(1), loss), (Fraction(3), loss), (Fraction(1, 2), loss.reverse())):
        pair = Pair(shown) if side is loss else Pair(shown).reverse()
        epsilon = float(mp.log(mp.mpf(point.numerator) / point.denominator))
        above, below = side.delta(epsilon - 1e-12), side.delta(epsilon + 1e-12)
        assert below.lower <= pair.delta(point) <= above.upper
    assert isinstance(loss, FiniteLoss)


def test_a_mixture_is_kept_in_the_simplest_family() -> None:
    gauss = GaussianLoss(1)
    assert MixtureLoss.of([("1/4", gauss), ("3/4", gauss)]) == gauss
    inner = MixtureLoss.of([("1/2", gauss), ("1/2", SKEW)])
    assert MixtureLoss.of([("1/2", inner), ("1/2", gauss)]) == MixtureLoss([("3/4", gauss), ("1/4", SKEW)])
    assert MixtureLoss.of([("1/2", TOTAL_LOSS), ("1/2", NO_LOSS)]) == FiniteLoss([("1/2", 0), ("1/2", "1/2"), (0, "1/2")])


@pytest.mark.parametrize("chances", [("1/2", "1/3"), ("1/2", "2/3"), ("1", "0"), ("3/2", "-1/2")])
def test_chances_that_are_none_are_refused(chances: tuple[str, str]) -> None:
    with pytest.raises(InvalidValue, match="sum to 1"):
        MixtureLoss.of([(chances[0], GaussianLoss(1)), (chances[1], SKEW)])


def test_exchanging_the_laws_keeps_the_orientation_of_every_part() -> None:
    """The record is in the first law of both parts: exchanging turns both, never one."""
    sample = SampledLoss.of(GaussianLoss(1), "1/10")
    loss = MixtureLoss.of([(THIRD, sample), (1 - THIRD, SKEW)])
    back = loss.reverse()
    assert back == MixtureLoss([(THIRD, sample.reverse()), (1 - THIRD, SKEW.reverse())])
    for point in (0.1, 0.3):
        parts = sample.reverse().delta(point), SKEW.reverse().delta(point)
        value = back.delta(point)
        assert value.lower <= parts[0].upper / 3 + parts[1].upper * 2 / 3
        assert value.upper >= parts[0].lower / 3 + parts[1].lower * 2 / 3
        assert back.delta(point).upper < loss.delta(point).lower


def test_a_sample_of_a_mixture_is_a_mixture_of_samples() -> None:
    loss = mixed_gaussians("1", "1/4")
    assert SampledLoss.of(loss, "1/5") == MixtureLoss(
        [(THIRD, SampledLoss(GaussianLoss("1"), "1/5")), (1 - THIRD, SampledLoss(GaussianLoss("1/4"), "1/5"))]
    )


LAWFUL = {
    "response and Laplace": MixtureLoss.of([("1/3", ResponseLoss("1")), ("2/3", LaplaceLoss("1/2"))]),
    "leaky": MixtureLoss.of([("1/3", ResponseLoss("1", "1e-3")), ("2/3", GaussianLoss("1/4"))]),
    "skewed sample": MixtureLoss.of([("1/4", SampledLoss.of(GaussianLoss(1), "1/3")), ("3/4", SKEW)]),
    "known from both sides": MixtureLoss.of([("1/2", BracketLoss(ResponseLoss("1"), ResponseLoss("1/8"))), ("1/2", SKEW)]),
    "of compositions": MixtureLoss.of([("1/2", compose([(LaplaceLoss("1"), 2)])), ("1/2", GaussianLoss("1/9"))]),
}


LAWS = {
    **{name: law for name, law in LOSS_LAWS.items() if law is not readings_keep_their_shape},
    **{law.__name__: law for law in (delta_falls, renyi_grows, ends_are_in_order)},
}
SLOW = {"cells agree with formulas", "epsilon inverts delta", "ends_are_in_order", "trade-off bounds delta"}
"""Laws that read a composition dozens of times."""
KEPT = [(name, law) for name in LAWFUL for law in sorted(LAWS) if name != "of compositions" or law not in SLOW]


@pytest.mark.parametrize(("name", "law"), KEPT)
def test_mixtures_keep_the_laws_of_losses(name: str, law: str) -> None:
    LAWS[law](LAWFUL[name])


def test_few_draws_of_composed_parts_are_written_out(route: str) -> None:
    """Two coordinates of Laplace noise with chance 1/3, else nothing: by hand, each number of draws on its own."""
    twice = compose([(LaplaceLoss("1"), 2)])
    whole = compose([(MixtureLoss.of([(THIRD, twice), (1 - THIRD, NO_LOSS)]), 3)])
    for epsilon in (0.5, 2.0):
        low = high = Fraction(0)
        for k in range(1, 4):
            value = compose([(LaplaceLoss("1"), 2 * k)]).delta(epsilon)
            share = Fraction((0, 3, 3, 1)[k] * 2 ** (3 - k), 27)
            low, high = low + share * Fraction(value.lower), high + share * Fraction(value.upper)
        found = whole.delta(epsilon)
        assert found.lower <= high
        assert low <= found.upper
        assert found.width <= 2e-3 * found.upper


@cache
def lattice_law(count: int) -> dict[int, Any]:
    """Draws that with chance 1/3 are two responses of 1/2 and 1/4, else nothing: masses of the sum in quarters."""
    with mp.workdps(30):
        kept = [mp.exp(e) / (1 + mp.exp(e)) for e in (mp.mpf("0.5"), mp.mpf("0.25"))]
        one = {0: mp.mpf(2) / 3}
        for up, chance in ((2, kept[0]), (-2, 1 - kept[0])):
            for more, other in ((1, kept[1]), (-1, 1 - kept[1])):
                one[up + more] = chance * other / 3
        law = {0: mp.mpf(1)}
        for _ in range(count):
            total: dict[int, Any] = {}
            for place, mass in law.items():
                for step, chance in one.items():
                    total[place + step] = total.get(place + step, mp.mpf(0)) + mass * chance
            law = total
    return law


@pytest.mark.slow
def test_many_draws_of_composed_parts_are_enclosed(route: str) -> None:
    """Too many ways to draw to write them out; all values lie on a lattice, where the law is found by adding up."""
    both = compose([(ResponseLoss("1/2"), 1), (ResponseLoss("1/4"), 1)])
    whole = compose([(MixtureLoss.of([(THIRD, both), (1 - THIRD, NO_LOSS)]), 130)])

    def delta(point: Any) -> Any:
        gains = ((mass, 1 - mp.exp(mp.mpf(point) - mp.mpf(place) / 4)) for place, mass in lattice_law(130).items())
        return mp.fsum(mass * gain for mass, gain in gains if gain > 0)

    assert faults(whole, delta, (1.0, 12.0), ("1e-6",)) == []
    value = whole.delta(1)
    assert value.width <= 1e-3 * value.upper


@pytest.mark.parametrize("name", ["leaky", "skewed sample", "response and Laplace"])
def test_masses_between_edges_tell_delta_at_every_edge(name: str) -> None:
    loss = LAWFUL[name]
    edges = np.linspace(-0.9, 1.1, 9)
    cells = loss.cells(edges)
    for index, edge in enumerate(edges[:-1]):
        left, p, q = edges[index:], cells.p[index + 1 :], cells.q[index + 1 :]
        errors = cells.p_error[index + 1 :] + cells.q_error[index + 1 :]
        value = float(np.sum(p - np.exp(edge - left) * q)) + cells.infinite.upper
        known = loss.delta(float(edge))
        assert known.lower - float(errors.sum()) - 1e-15 <= value <= known.upper + float(errors.sum()) + 1e-15
    assert cells.gap is not None
    assert cells.gap_error is not None
    assert np.all(np.abs(cells.gap[1:] - (cells.p - cells.q)[1:]) <= (cells.gap_error + cells.p_error + cells.q_error)[1:])


def together(name: str, *parts: tuple[str, Known]) -> Known:
    """A mixture of losses with known transforms; none of them is ever infinite."""
    loss = MixtureLoss.of((chance, known.loss) for chance, known in parts)

    def transform(z: Any) -> Any:
        return mp.fsum(mp.mpf(Fraction(c).numerator) / Fraction(c).denominator * known.transform(z) for c, known in parts)

    return of(name, loss, transform)


MOMENTS = [
    together("two Gaussians", ("1/3", gaussian("1")), ("2/3", gaussian("1/4"))),
    together("Laplace and response", ("1/10", laplace("2")), ("9/10", response("1/2"))),
    together("tiny", ("1/2", gaussian("1e-12")), ("1/2", laplace("1e-7"))),
    together("atoms and Gaussian", ("1/2", finite("skew", [("1/2", "1/3"), ("1/2", "2/3")])), ("1/2", gaussian("4"))),
]


@pytest.mark.parametrize("known", MOMENTS, ids=lambda known: known.name)
def test_log_moments_deviations_and_falls_are_bounds(known: Known) -> None:
    with mp.workdps(DIGITS):
        assert moment_faults(known, random_points(len(known.name), 16, 60.0)) == []
        assert deviation_faults(known) == []
        assert fall_faults(known) == []


def test_moments_of_mixed_samples_are_bounds() -> None:
    known = together("samples", ("1/3", sampled("1", "0.1", False)), ("2/3", gaussian("1/4")))
    with mp.workdps(DIGITS):
        assert moment_faults(known, random_points(7, 3, 20.0, 3.0)) == []
        assert deviation_faults(known, (0.4, 3.0)) == []


def test_what_is_lost_outright_is_left_out_of_the_moments() -> None:
    loss = MixtureLoss.of([("1/4", ResponseLoss("1", "1/10")), ("3/4", GaussianLoss("1/4"))])
    moments = loss.analytic()
    assert moments is not None
    ((value,),), ((error,),) = moments.of([loss]).log_moments(np.array([complex(2.0)]))
    with mp.workdps(30):
        kept = mp.exp(2) / (1 + mp.exp(-1)) + mp.exp(-2) / (1 + mp.exp(1))
        share = mp.mpf("0.225") / mp.mpf("0.975")
        truth = mp.log(share * kept + (1 - share) * mp.exp(mp.mpf(3) / 4))
    assert abs(truth - value) <= error < 1e-12
    assert loss.infinite().exact == Fraction(1, 40)


def test_a_forgotten_part_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances that ignore a part give deltas that the closed form refutes, on every route."""
    loss = mixed_gaussians("1", "1/4")
    truth = mixed_delta("1", "1/4", 6)
    assert faults(compose([(loss, 6)]), truth, (1.0, 4.0), ("1e-6",)) == []

    def forgetful(parts: Any, infinite: Any) -> Any:
        return mixture_shares(parts[1:], infinite)

    mixture_shares = mixture.shares_of
    monkeypatch.setattr(mixture, "shares_of", forgetful)
    assert faults(compose([(mixed_gaussians("1", "1/4"), 6)]), truth, (1.0, 4.0), ("1e-6",)) != []
    monkeypatch.undo()

    monkeypatch.setattr(MixtureLoss, "delta_formula", lambda self, epsilon: self.parts[1][1].delta(epsilon))
    assert faults(loss, mixed_delta("1", "1/4", 1), (1.0,), ()) != []
    monkeypatch.undo()

    monkeypatch.setattr(MixtureLoss, "analytic", lambda self: None)
    assert faults(compose([(loss, 6)]), truth, (1.0, 4.0), ("1e-6",)) == []
    monkeypatch.setattr(MixtureLoss, "drawn_from", lambda self: ((1, self.parts[1][1]), (0, self.parts[0][1])))
    assert faults(compose([(loss, 6)]), truth, (1.0, 4.0), ("1e-6",)) != []
