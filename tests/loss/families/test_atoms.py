"""Losses made of atoms against exact and 60-digit references."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant.errors import InvalidValue
from accountant.loss import (
    NO_LOSS,
    TOTAL_LOSS,
    BracketLoss,
    ComposedLoss,
    CutLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    compose,
)
from accountant.loss.families.atomic_moments import AtomMoments
from accountant.numbers.logarithm import log_of
from tests.loss.references import (
    atoms_delta,
    atoms_renyi,
    atoms_tradeoff,
    delta_faults,
    encloses,
    epsilon_faults,
    exact_atoms,
    real,
    response_atoms,
)

RESPONSES = [
    ("0", "0"),
    ("1e-60", "0"),
    ("0.1", "0"),
    ("1", "1e-9"),
    ("0.7", "1/3"),
    ("40", "0"),
    ("900", "1e-30"),
    ("2", "1"),
]
POINTS = [-1000.0, -3.0, -1.0, -0.1, 0.0, 1e-12, 0.05, 0.1, 0.7, 1.0, 39.999, 800.0, 900.0, 1e6]
TARGETS = ["0.9", "1/3", "1e-6", "1e-9", "1e-30", "1e-100"]
LEVELS = ["0", "1e-400", "1e-12", "0.05", "1/2", "0.999", "1"]
ORDERS = ["1.000000000000000000001", "1.25", "2", "17", "1e6", "1e17"]


@pytest.mark.parametrize(("epsilon", "delta"), RESPONSES)
def test_response_readings(epsilon: str, delta: str) -> None:
    loss, atoms = ResponseLoss(epsilon, delta), response_atoms(epsilon, delta)
    for point in POINTS:
        assert not delta_faults(loss.delta(point), atoms_delta(atoms, point)), point
    for target in TARGETS:
        assert not epsilon_faults(loss.epsilon(target), target, lambda point: atoms_delta(atoms, point)), target
    for level in LEVELS:
        assert encloses(loss.tradeoff(level), atoms_tradeoff(atoms, level)), level
    for order in ORDERS:
        found, truth = loss.renyi(order), atoms_renyi(atoms, order)
        assert encloses(found, truth) if mp.isfinite(truth) else found.lower == math.inf, order
    assert encloses(loss.infinite(), real(delta))


@pytest.mark.parametrize("epsilon", ["1e-3", "0.1", "1", "5", "50", "1000"])
def test_response_concentration_is_reached_at_order_one(epsilon: str) -> None:
    found = ResponseLoss(epsilon).concentration()
    assert encloses(found, real(epsilon) * mp.tanh(real(epsilon) / 2))
    for order in ("1.001", "1.5", "3", "100"):
        assert found.upper >= ResponseLoss(epsilon).renyi(order).lower / float(Fraction(order))


def test_response_parameters_beyond_doubles() -> None:
    loss = ResponseLoss("1e400")
    assert loss.delta("1e399").upper == 1.0
    assert loss.delta("1e400").lower == 0.0
    assert loss.renyi(2).upper == math.inf
    assert loss.delta("-1e400").upper == 1.0


@pytest.mark.parametrize(("epsilon", "delta"), RESPONSES)
def test_epsilon_of_certain_loss_is_infinite(epsilon: str, delta: str) -> None:
    found = ResponseLoss(epsilon, delta).epsilon(Fraction(1, 10**31))
    assert (found.lower == math.inf) == (Fraction(delta) > Fraction(1, 10**31))


@st.composite
def finite_pairs(draw: st.DrawFn, largest: int = 4) -> list[tuple[Fraction, Fraction]]:
    """Pairs of laws on a few outcomes, with outcomes that one of them excludes and with rare large losses."""
    size = draw(st.integers(1, largest))
    weights = st.one_of(st.integers(0, 9), st.sampled_from([10**4, 10**9, 10**18]))
    left = draw(st.lists(weights, min_size=size, max_size=size).filter(any))
    right = draw(st.lists(weights, min_size=size, max_size=size).filter(any))
    return [(Fraction(p, sum(left)), Fraction(q, sum(right))) for p, q in zip(left, right, strict=True)]


@settings(max_examples=60, deadline=None)
@given(finite_pairs(), st.floats(-60, 60), st.fractions(0, 1))
def test_finite_readings(pairs: list[tuple[Fraction, Fraction]], point: float, share: Fraction) -> None:
    loss, atoms = FiniteLoss(pairs), exact_atoms(pairs)
    assert not delta_faults(loss.delta(point), atoms_delta(atoms, point))
    assert encloses(loss.tradeoff(share), atoms_tradeoff(atoms, share))
    for order in ("1.5", "9"):
        truth = atoms_renyi(atoms, order)
        assert encloses(loss.renyi(order), truth) if mp.isfinite(truth) else loss.renyi(order).lower == math.inf
    if 0 < share < 1:
        assert not epsilon_faults(loss.epsilon(share), share, lambda at: atoms_delta(atoms, at))
    assert loss.delta(0).lower == loss.delta(0).upper or loss.delta(0).width <= 2.0**-52


@settings(max_examples=40, deadline=None)
@given(finite_pairs(), st.floats(0.001, 3), st.floats(-1, 1))
def test_finite_cells(pairs: list[tuple[Fraction, Fraction]], step: float, offset: float) -> None:
    edges = offset + step * np.arange(-12, 13)
    cells = FiniteLoss(pairs).cells(edges)
    p, q = [mp.mpf(0)] * (edges.size + 1), [mp.mpf(0)] * (edges.size + 1)
    for left, right in exact_atoms(pairs):
        if left and right:
            loss = mp.log(left / right)
            # Within rounding of an edge, either side is right.
            assume(min(abs(mp.mpf(edge) - loss) for edge in edges.tolist()) > 1e-11)
            k = sum(mp.mpf(edge) < loss for edge in edges.tolist())
            p[k] += left
            q[k] += right * mp.exp(mp.mpf(edges[k - 1])) if k else 0
    for k in range(edges.size + 1):
        assert abs(mp.mpf(cells.p[k]) - p[k]) <= cells.p_error[k] + 1e-200
        assert abs(mp.mpf(cells.q[k]) - q[k]) <= cells.q_error[k] + 1e-200
        if k > 0 and cells.gap is not None and cells.gap_error is not None:
            # The gap is exact for losses that rounding displaced by a few units.
            assert abs(mp.mpf(cells.gap[k]) - (p[k] - q[k])) <= cells.gap_error[k] + 1e-14 * p[k] + 1e-200
    assert encloses(cells.infinite, mp.fsum(left for left, right in exact_atoms(pairs) if not right))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 10**60), st.integers(1, 10**60), st.integers(0, 4000))
def test_logarithms_of_long_fractions(top: int, bottom: int, power: int) -> None:
    for value in (Fraction(top, bottom), Fraction(top << power, bottom), Fraction(top * 3**power + 1, top * 3**power)):
        with mp.workdps(2500):
            truth = mp.log(real(value)) if value.numerator.bit_length() < 4000 else None
        if truth is not None:
            assert encloses(log_of(value), truth)
            assert log_of(value).width <= 1e-14 * float(abs(truth)) + 1e-300


def test_finite_losses_at_the_edge_of_doubles() -> None:
    tiny = Fraction(1, 10**350)
    pairs = [(tiny, Fraction(1, 2)), (1 - tiny, Fraction(1, 2))]
    for loss, atoms in ((FiniteLoss(pairs), pairs), (FiniteLoss((q, p) for p, q in pairs), [(q, p) for p, q in pairs])):
        with mp.workdps(800):
            reference = exact_atoms(atoms)
            for point in (-1000, -800.0, 0, 0.5, 805.0, 806.0, 10**5, "1e300", "1e400"):
                assert not delta_faults(loss.delta(point), atoms_delta(reference, min(real(point), mp.mpf(10) ** 6)))
            assert encloses(loss.renyi(2), atoms_renyi(reference, 2))
            assert encloses(loss.supremum(), mp.log(max(p / q for p, q in reference)))


def test_finite_refuses_what_is_no_pair_of_laws() -> None:
    for pairs in ([("1/2", "1/2")], [("3/2", "1"), ("-1/2", "0")]):
        with pytest.raises(InvalidValue):
            FiniteLoss(pairs)


@pytest.mark.parametrize("pairs", [[("1/10", "1/2"), ("9/10", "1/2")], [("1e-6", "1e-3"), ("0.999999", "0.999")]])
def test_concentration_against_a_dense_scan(pairs: list[tuple[str, str]]) -> None:
    for loss in (FiniteLoss(pairs), FiniteLoss(pairs).reverse()):
        atoms = [(real(p), real(q)) for p, q in loss.atoms]  # type: ignore[attr-defined]
        orders = [1 + mp.mpf(2) ** (mp.mpf(k) / 4) for k in range(-80, 60)]
        scan = max(atoms_renyi(atoms, order) / order for order in orders)
        found = loss.concentration()
        assert found.upper >= scan
        assert found.lower <= scan * (1 + mp.mpf(10) ** -2)
        assert found.width <= 1e-5 * found.upper


def symmetric(pairs: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The mixture of a pair and its exchange, told apart by a fair coin: dominated by whatever dominates both."""
    return [(p / 2, q / 2) for p, q in pairs] + [(q / 2, p / 2) for p, q in pairs]


@settings(max_examples=40, deadline=None)
@given(finite_pairs(3), st.floats(-4, 4))
def test_cuts_stay_above_what_they_were_cut_from(pairs: list[tuple[Fraction, Fraction]], point: float) -> None:
    both = symmetric(pairs)
    truth = FiniteLoss(both)
    epsilons = np.linspace(0.0, 30.0, 40)
    deltas = np.array([truth.delta(epsilon).upper for epsilon in epsilons.tolist()])
    cut = CutLoss.through(epsilons, deltas)
    for at in (point, *epsilons[::7].tolist()):
        assert cut.delta(at).upper >= atoms_delta(exact_atoms(both), at)
    for epsilon, delta in zip(epsilons.tolist(), deltas.tolist(), strict=True):
        if delta > 0:
            assert cut.delta(epsilon).lower <= delta * (1 + 1e-9) + 1e-12


def test_a_cut_at_a_large_epsilon_keeps_its_supremum() -> None:
    cut = CutLoss.through(np.array([300.0]), np.array([1e-20]))
    assert cut.window(-100.0)[1] >= 300.0
    nothing = CutLoss.through(np.array([]), np.array([]))
    assert nothing.delta(1).upper == 1.0


def test_a_cut_with_delta_zero_bounds_the_supremum() -> None:
    truth = ResponseLoss("3")
    epsilons = np.linspace(0.0, 3.0, 20)
    deltas = np.array([truth.delta(epsilon).upper for epsilon in epsilons.tolist()])
    cut = CutLoss.through(epsilons, deltas)
    assert deltas[-1] == 0.0
    assert cut.infinite().upper == 0.0
    assert 3.0 <= cut.supremum().upper < 3.0 + 1e-11
    assert all(truth.delta(at).lower <= cut.delta(at).upper < truth.delta(at).upper + 1e-3 for at in (0.1, 1.0, 2.9))


def test_cuts_from_zero_on_are_a_law() -> None:
    """A corner at e^0 that rounding puts beside 1 must not be told from it: its slope there would be noise."""
    truth = GaussianLoss("1/2")
    epsilons = np.linspace(0.0, 8.0, 300)
    cut = CutLoss.through(epsilons, np.array([truth.delta(epsilon).upper for epsilon in epsilons.tolist()]))
    assert float(cut.masses.sum()) + cut.infinite_mass == pytest.approx(1.0, abs=1e-9)
    assert cut.delta(0).upper <= truth.delta(0).upper * (1 + 1e-9)


def test_brackets_read_each_end_from_its_own_side() -> None:
    inner = BracketLoss(GaussianLoss(2), ResponseLoss("0.1"))
    nested = BracketLoss(GaussianLoss(3), inner)
    assert nested.dominated() == ResponseLoss("0.1")
    assert nested.dominating() == GaussianLoss(3)
    assert nested.infinite().upper == 0.0
    for low, high, found in (
        (ResponseLoss("0.1").delta(1), GaussianLoss(3).delta(1), nested.delta(1)),
        (ResponseLoss("0.1").epsilon("1e-6"), GaussianLoss(3).epsilon("1e-6"), nested.epsilon("1e-6")),
        (GaussianLoss(3).tradeoff("0.1"), ResponseLoss("0.1").tradeoff("0.1"), nested.tradeoff("0.1")),
        (ResponseLoss("0.1").renyi(3), GaussianLoss(3).renyi(3), nested.renyi(3)),
    ):
        assert (found.lower, found.upper) == (low.lower, high.upper)


@pytest.mark.parametrize(
    "loss", [NO_LOSS, TOTAL_LOSS, ResponseLoss(0), ResponseLoss(3, 1), BracketLoss(TOTAL_LOSS, NO_LOSS)]
)
def test_nothing_and_everything(loss: PrivacyLoss) -> None:
    for point in (-2, 0, 2, "1e400"):
        found = loss.delta(point)
        assert 0.0 <= found.lower <= found.upper <= 1.0
    for reading in (loss.epsilon("1e-9"), loss.tradeoff("0.3"), loss.renyi(2), loss.supremum(), loss.concentration()):
        assert reading.lower <= reading.upper


@pytest.mark.parametrize("told", ["0", "1e-9"])
def test_copies_of_a_loss_with_cuts_are_read_along_a_line(told: str) -> None:
    """Beside moments in many digits, and beside the same copies on a grid."""
    epsilons = np.linspace(0.0, 1.5, 80)
    deltas = np.array([GaussianLoss("1/50").delta(epsilon).upper for epsilon in epsilons.tolist()])
    cut = CutLoss.through(epsilons, np.append(np.maximum(deltas[:-1], float(told)), float(told)))
    for order in (0.5, 3.0, complex(1.0, 20.0)):
        values, errors = AtomMoments.of([cut]).log_moments(np.array([complex(order)]))
        pairs = zip(cut.losses.tolist(), cut.masses.tolist(), strict=True)
        rise = mp.fsum(mp.mpf(mass) * mp.expm1(mp.mpmathify(order) * mp.mpf(loss)) for loss, mass in pairs)
        truth = mp.log(1 + rise / (1 - mp.mpf(cut.infinite_mass)))
        assert abs(mp.mpmathify(complex(values[0, 0])) - truth) <= errors[0, 0] < 1e-9
    loss = compose([(cut, 100)])
    assert isinstance(loss, ComposedLoss)
    along, grid = loss._contour, loss._grid.epsilon(Fraction(1, 10**6), 0.0).to(1e-4)
    assert along is not None
    found = along.epsilon(Fraction(1, 10**6), 1e-4)
    assert found is not None
    assert max(found.lower, grid.lower) <= min(found.upper, grid.upper)
    assert found.width <= 1e-4 * found.upper


def test_a_loss_with_cuts_that_leave_nothing_is_read_elsewhere() -> None:
    """Moments put at 0 what other values leave; where these have everything, less than nothing might be left."""
    for rest in (0.0, 0.1):
        cut = CutLoss(np.array([-1.0, 0.0, 1.0]), np.array([0.3, rest, 0.7000001]), 0.0)
        assert cut.analytic() is None
    assert CutLoss(np.array([-1.0, 0.0, 1.0]), np.array([0.2, 0.1, 0.7]), 0.0).analytic() is not None
