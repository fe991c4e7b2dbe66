"""What is read while one file rounds coarsely: for every file of losses something that it takes part in.

A reading is a list of intervals and balls, each of which encloses the same number whatever rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from accountant.loss import (
    FiniteLoss,
    GaussianLoss,
    MirroredLoss,
    MixtureLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    compose,
    either_order,
    replaced_beside,
    replaced_in_sample,
)
from accountant.loss.derived.replaced_gaussian import ExchangedGaussian
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.derived.sampled_rule import LARGEST_OF_ALL
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.direct_route import Direct
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_noise.skellam_loss import SkellamLoss
from accountant_noise.staircase_loss import StaircaseLoss
from accountant_response.counted_answers_loss import CountedAnswersLoss
from accountant_response.hidden_report_loss import HiddenReportLoss
from accountant_response.partial_response_loss import PartialResponseLoss
from accountant_selection.noisy_max_loss import NoisyMaxLoss
from accountant_selection.range_loss import RangeLoss
from accountant_selection.slope_pair import SlopePair
from tests.loss.coarse import GRAIN

Found = Sequence[Interval | Balls]
EDGES = np.array([-0.83, -0.31, -0.042, 0.0037, 0.19, 0.47, 0.93])
POINTS = np.array([0.5 + 0.0j, 1.5 + 2.0j, 0.25 - 7.0j, 3.0 + 0.1j])


def curve(loss: PrivacyLoss) -> Found:
    """What everyone reads."""
    return [
        loss.delta(Fraction(-1, 3)),
        loss.delta(0),
        loss.delta(Fraction(2, 5)),
        loss.epsilon("1e-3"),
        loss.tradeoff(Fraction(1, 5)),
    ]


def orders(loss: PrivacyLoss) -> Found:
    """Moments."""
    return [loss.renyi("1.01"), loss.renyi(2), loss.renyi(Fraction(13, 2)), loss.supremum(), loss.infinite()]


def concentrated(loss: PrivacyLoss) -> Found:
    return [loss.concentration()]


def masses(loss: PrivacyLoss) -> Found:
    """Masses between edges, none of which is next to an atom."""
    cells = loss.cells(EDGES)
    assert cells.slack < 1e-3
    gap = (
        Balls(cells.p - cells.q, cells.p_error + cells.q_error) if cells.gap is None else Balls(cells.gap, cells.gap_error)
    )
    return [Balls(cells.p, cells.p_error), Balls(cells.q, cells.q_error)[1:], gap[1:], cells.infinite]


def powers(loss: PrivacyLoss) -> Found:
    """Log moments off the real line."""
    family = loss.analytic()
    assert family is not None
    values, errors = family.of([loss]).trimmed(-60.0).log_moments(POINTS)
    return [Balls(values, errors)]


def both(*reads: Callable[[Any], Found]) -> Callable[[Any], Found]:
    return lambda loss: [found for read in reads for found in read(loss)]


def gridded(loss: ComposedLoss) -> Found:
    """What grids say, and nothing else."""
    grid, target = loss._grid, Fraction(1, 1000)
    return [
        grid.delta(0.4).to(1e-3),
        grid.epsilon(target, 0.0).to(1e-2),
        grid.tradeoff(Fraction(1, 5), loss.infinite()).to(1e-1),
    ]


def lined(loss: ComposedLoss) -> Found:
    """What lines say, and nothing else."""
    line = Contour.of(loss.parts, loss.infinite())
    assert line is not None
    found = [line.delta(0.4, 1e-6), line.epsilon(Fraction(1, 1000), 1e-6, 0.0), line.tradeoff(Fraction(1, 5), 1e-4)]
    return [one for one in found if one is not None]


def added(loss: ComposedLoss) -> Found:
    """What sums of masses say, and nothing else."""
    direct = Direct.of(loss._grid._sides(True), loss._grid._sides(False))
    assert direct is not None

    def excess(value: Interval, precision: float) -> float:
        return value.width / (precision * value.upper)

    found = [direct.delta(0.4).to(excess, 1e-5), direct.epsilon(Fraction(1, 1000)).to(excess, 1e-4)]
    return [one for one in found if one is not None]


def composed(*parts: tuple[PrivacyLoss, int]) -> ComposedLoss:
    return ComposedLoss.of(parts)


@frozen
class Setting:
    """A loss that is made anew each time, how it is read, and who rounds."""

    make: Callable[[], Any]
    read: Callable[[Any], Found]
    files: str
    """Files that take part in it, apart; with a plus those of which one grants what another rounds."""
    before: str = ""
    """Files whose results others take further: what these are off by is carried through."""
    grain: float = GRAIN


THREE = FiniteLoss([("1/2", "1/3"), ("3/10", "1/3"), ("1/5", "1/3")])
LEAKY = FiniteLoss([("1/100", 0), ("9/10", "1/2"), ("9/100", "1/4"), (0, "1/4")])
RATE = Fraction(1, 7)


def few(loss: PrivacyLoss) -> Found:
    """Some of what everyone reads."""
    return [loss.delta(Fraction(2, 5)), loss.epsilon("1e-3"), loss.renyi(2)]


def near(loss: PrivacyLoss) -> Found:
    """What takes little time."""
    return [loss.delta(Fraction(2, 5)), loss.renyi(2)]


SETTINGS = {
    "gaussian": Setting(
        lambda: GaussianLoss("1/3"),
        both(curve, orders, masses, powers),
        "families.gaussian readings.base readings.inversion readings.closing",
    ),
    "tiny gaussian": Setting(lambda: GaussianLoss("1e-8"), both(curve, orders), "families.gaussian"),
    "finite": Setting(lambda: THREE.times(LEAKY), both(curve, orders, masses), "families.finite families.atomic_cells"),
    "response": Setting(lambda: ResponseLoss("0.6", "1/100"), both(curve, orders, masses), "families.atomic_cells"),
    "response without leak": Setting(lambda: ResponseLoss("0.6"), both(orders, powers), "families.response"),
    "laplace": Setting(
        lambda: LaplaceLoss("2/3"),
        both(curve, orders, masses, powers, concentrated),
        "noise.laplace_loss noise.laplace_loss+readings.moments readings.renyi_supremum",
    ),
    "geometric": Setting(
        lambda: GeometricLoss(Fraction(1, 3), 2),
        both(curve, orders, masses, powers),
        "noise.geometric_loss noise.geometric_loss+readings.moments",
    ),
    "discrete gaussian": Setting(
        lambda: DiscreteGaussianLoss(Fraction(3, 2), 1),
        both(curve, orders, masses, powers),
        "noise.discrete_gaussian_loss noise.discrete_gaussian_moments noise.theta",
    ),
    "skellam": Setting(
        lambda: SkellamLoss(Fraction(3), 1),
        both(curve, orders, concentrated),
        "noise.skellam_bounds noise.bessel+noise.skellam_loss+noise.skellam_moments+families.atomic",
    ),
    "staircase": Setting(
        lambda: StaircaseLoss("3/5", "1/3", "3/2"),
        both(curve, orders),
        "noise.staircase_loss+families.atomic families.atomic",
    ),
    "counted": Setting(
        lambda: CountedAnswersLoss("3/5", 20),
        both(curve, orders),
        "response.counted_answers_loss+response.tallies+families.atomic",
    ),
    "hidden": Setting(
        lambda: HiddenReportLoss("3/5", 20, 3, True),
        both(curve, orders),
        "response.hidden_report_loss+response.strengths+response.tallies+families.atomic",
    ),
    "hidden below": Setting(
        lambda: HiddenReportLoss("3/5", 20, 3, False),
        both(curve, orders),
        "response.hidden_report_loss+response.strengths+response.tallies+families.atomic",
    ),
    "partial": Setting(
        lambda: PartialResponseLoss("3/5", "1/3", "1/4"),
        both(curve, orders),
        "response.partial_response_loss+families.atomic",
    ),
    "range": Setting(lambda: RangeLoss("3/5"), both(curve, orders), "selection.range_moments selection.slope_pair"),
    "ranges": Setting(
        lambda: compose([(RangeLoss("3/5"), 5)]),
        both(curve, orders),
        "selection.ladder+selection.choice selection.range_loss",
        grain=2.0**-30,
    ),
    "noisy max": Setting(
        lambda: NoisyMaxLoss("3/5"), both(curve, orders), "selection.choice+selection.flip_moments selection.slope_pair"
    ),
    "noisy max, laplace": Setting(
        lambda: NoisyMaxLoss("3/5", laplace=True), few, "selection.noisy_max_loss selection.two_outcomes"
    ),
    "noisy maxima": Setting(
        lambda: compose([(NoisyMaxLoss("3/5"), 4)]),
        both(curve, orders),
        "selection.ladder+selection.choice+selection.flip_moments",
        grain=2.0**-30,
    ),
    "slopes": Setting(lambda: SlopePair("3/5", ends=True), masses, "selection.slope_pair"),
    "sampled gaussian": Setting(
        lambda: SampledLoss(GaussianLoss(1), RATE),
        both(curve, orders),
        "derived.sampled derived.sampled_gaussian derived.sampled_rule",
        "families.gaussian",
    ),
    "sampled laplace": Setting(
        lambda: SampledLoss(LaplaceLoss("2/3"), RATE),
        both(curve, orders),
        "derived.log_sums derived.sampled_halves derived.sampled_integral+derived.log_sums derived.sampled",
    ),
    "sampled laplace, back": Setting(
        lambda: SampledLoss(LaplaceLoss("2/3"), RATE).reverse(),
        both(curve, orders),
        "derived.sampled_integral+derived.log_sums derived.sampled",
    ),
    "sampled atoms": Setting(lambda: SampledLoss(SkellamLoss(Fraction(3), 1), RATE), few, "derived.sampled_moments"),
    "sampled, leaky": Setting(
        lambda: SampledLoss(LEAKY, RATE), both(curve, orders), "derived.sampled derived.sampled_halves"
    ),
    "mixture": Setting(
        lambda: MixtureLoss([(Fraction(1, 3), GaussianLoss("1")), (Fraction(2, 3), LaplaceLoss("1"))]),
        both(curve, orders, masses, powers),
        "derived.mixture_moments",
        "noise.laplace_loss families.gaussian",
    ),
    "mirrored": Setting(
        lambda: MirroredLoss(SampledLoss(LaplaceLoss("2/3"), RATE)), orders, "derived.sampled_integral+derived.log_sums"
    ),
    "mirrored gaussian": Setting(
        lambda: MirroredLoss(SampledLoss(GaussianLoss("1"), RATE)),
        few,
        "derived.sampled_gaussian derived.sampled_rule",
        "families.gaussian",
    ),
    "exchanged": Setting(
        lambda: ExchangedGaussian(Fraction(1), Fraction(2), Fraction(1, 3)),
        near,
        "derived.replaced_gaussian+derived.sampled_rule+derived.sampled_gaussian",
    ),
    "replaced": Setting(
        lambda: replaced_in_sample(LaplaceLoss("1"), LaplaceLoss("2"), RATE), few, "families.linear_bounds readings.powers"
    ),
    "replaced beside": Setting(lambda: replaced_beside(ResponseLoss("3/5"), RATE), few, ""),
    "either order": Setting(lambda: either_order(SampledLoss(LaplaceLoss("2/3"), RATE)), few, "derived.sampled_moments"),
    "either order, thrice": Setting(
        lambda: compose([(either_order(SampledLoss(LaplaceLoss("2/3"), RATE)), 3)]), few, "", "noise.laplace_loss"
    ),
    "few atoms": Setting(
        lambda: composed((SkellamLoss(Fraction(3), 1), 2), (StaircaseLoss("3/5", "1/3", "3/2"), 1)),
        few,
        "engine.atom_route+families.atomic",
    ),
    "power": Setting(lambda: composed((ResponseLoss("1/5"), 30)), few, "engine.power_route+families.atomic"),
    "grid": Setting(
        lambda: composed((LaplaceLoss("2/3"), 3), (SampledLoss(LaplaceLoss("1/3"), RATE), 2)),
        gridded,
        "engine.convolution engine.grid engine.grid_law engine.grid_tails engine.zoom_route "
        "derived.masses derived.sampled_cells",
        "noise.laplace_loss",
    ),
    "line": Setting(
        lambda: composed((LaplaceLoss("1/3"), 3), (GaussianLoss("1/5"), 2), (GeometricLoss(Fraction(1, 3), 2), 4)),
        lined,
        "engine.contour_law engine.contour_nodes engine.contour_route engine.contour_saddle engine.contour_tail "
        "readings.convex_minimum noise.geometric_loss+readings.moments+noise.laplace_loss",
        "families.gaussian noise.laplace_loss",
    ),
    "line of samples": Setting(
        lambda: composed((SampledLoss(GaussianLoss("1"), Fraction(1, 30)), 100)),
        lined,
        "engine.smoothing derived.sampled_gaussian",
    ),
    "sum": Setting(
        lambda: composed((LaplaceLoss("2/3"), 3), (SampledLoss(LaplaceLoss("1/3"), RATE), 2)),
        added,
        "engine.direct_laws engine.direct_route engine.direct_sum derived.masses derived.sampled_cells",
        "noise.laplace_loss",
    ),
    "moments of atoms": Setting(
        lambda: StaircaseLoss("3/5", "1/3", "3/2"), powers, "families.atomic_moments+families.atomic"
    ),
    "moments of samples": Setting(lambda: SampledLoss(GaussianLoss("1"), RATE), powers, "derived.sampled_gaussian"),
    "seen": Setting(
        lambda: SampledGaussian(1.5, 0.0, 0.01, 0.99, 10.0, largest=LARGEST_OF_ALL).seen(1.0),
        lambda part: [part.moments(2.0, np.array([0.0, 1.0, 7.0])), part.chances(np.linspace(-3.0, 6.0, 7))],
        "derived.sampled_seen",
    ),
    "rare": Setting(
        lambda: composed((SampledLoss(GaussianLoss("4"), Fraction(1, 1000)), 200)),
        lined,
        "engine.contour_cut engine.contour_law",
    ),
    "mirrored atoms": Setting(
        lambda: MirroredLoss(SampledLoss(StaircaseLoss("3/5", "1/3", "3/2"), RATE)),
        few,
        "derived.sampled_atoms+families.atomic",
    ),
}

ROOMS = {"noise": "accountant_noise", "response": "accountant_response", "selection": "accountant_selection"}


def modules(files: str) -> list[str]:
    """The names of the modules of some files."""
    parts = [file.split(".") for file in files.split("+")]
    return [f"{ROOMS.get(room, f'accountant.loss.{room}')}.{name}" for room, name in parts]
