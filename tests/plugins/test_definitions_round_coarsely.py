"""What definitions make of a loss or of a parameter encloses the truth, whatever they round: see `tests/loss/coarse.py`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant.loss import ComposedLoss, FiniteLoss, GaussianLoss, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant_approx.composition import advanced, optimal, optimal_delta
from accountant_approx.definition import ApproxParameter
from accountant_fdp.normal import tail_quantile
from accountant_fdp.power import largest_power
from accountant_fdp.smallest_mu import smallest_mu
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_noise.staircase_loss import StaircaseLoss
from accountant_pbdp.curve import delta_at, epsilon_at
from accountant_zcdp.best_order import best_epsilon
from accountant_zcdp.conversions import ZcdpToApproxClassic
from accountant_zcdp.definition import ZcdpParameter
from tests.loss.coarse import coarse
from tests.loss.test_coarse_arithmetic import apart

DELTA, LEVEL = Fraction(1, 1000), Fraction(1, 7)
PARAMETER = ApproxParameter("1/3", "1/100000")
THREE = FiniteLoss([("1/2", "1/3"), ("3/10", "1/3"), ("1/5", "1/3")])


def losses() -> list[PrivacyLoss]:
    return [LaplaceLoss("2/3"), GaussianLoss("1/3"), StaircaseLoss("3/5", "1/3", "3/2"), THREE]


def quantiles() -> list[Interval]:
    return [tail_quantile(Fraction(one, 10**6)) for one in (1, 3, 70_001, 499_999, 900_000)]


def composed() -> list[Interval]:
    parts = [(PARAMETER, 10), (ApproxParameter("2", "1/10000"), 1)]
    readings = [advanced(parts, DELTA), optimal(PARAMETER, 10, DELTA)]
    return readings + [optimal_delta(PARAMETER, count, Fraction(count, 7)) for count in (1, 6, 40)]


def converted() -> list[Interval]:
    rhos = [Fraction(1, 10**6), Fraction(1, 3), Fraction(40)]
    found = [best_epsilon(rho, delta) for rho in rhos for delta in (DELTA, Fraction(1, 2), Fraction(1, 10**30))]
    return found + [ZcdpToApproxClassic().convert(ZcdpParameter(rho), {"delta": DELTA}) for rho in rhos]


SETTINGS = {
    "power": (lambda: [largest_power(loss, LEVEL) for loss in losses()], ["accountant_fdp.power"]),
    "smallest mu": (
        lambda: [smallest_mu(loss) for loss in (*losses()[:3], ComposedLoss.of([(StaircaseLoss("3/5", "1/3", "3/2"), 2)]))],
        [
            "accountant_fdp.smallest_mu",
            "accountant_fdp.corners",
            "accountant_fdp.cuts",
            "accountant_fdp.normal",
            "accountant.loss.families.gaussian",
        ],
    ),
    "quantiles": (quantiles, ["accountant_fdp.normal"]),
    "composed": (composed, ["accountant_approx.composition"]),
    "converted": (converted, ["accountant_zcdp.best_order", "accountant_zcdp.conversions"]),
    "bounded": (
        lambda: [epsilon_at(loss, DELTA) for loss in losses()] + [delta_at(loss, Fraction(2, 5)) for loss in losses()[:3]],
        ["accountant_pbdp.levels", "accountant_noise.laplace_loss"],
    ),
}
PAIRS = [(setting, module) for setting, (_, names) in SETTINGS.items() for module in names]


@pytest.mark.parametrize(
    ("setting", "module"), PAIRS, ids=[f"{module.split('_')[-1]}, {setting}" for setting, module in PAIRS]
)
def test_what_definitions_say_encloses_the_truth_whatever_is_rounded(setting: str, module: str) -> None:
    read, _ = SETTINGS[setting]
    plain = read()
    for side in ("up", "down"):
        with coarse([module], side) as arithmetic:
            found = read()
        assert arithmetic.times > 0, "nothing was rounded"
        assert [apart(one, other) for one, other in zip(plain, found, strict=True)] == [0.0] * len(plain)
