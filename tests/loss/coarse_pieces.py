"""What is asked so that functions are called which no reading of `tests/loss/coarse_settings.py` calls, or not with errors.

Nothing that is read here is looked at: every function that takes part is asked again alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from accountant.loss import (
    AtomicLoss,
    FiniteLoss,
    GaussianLoss,
    MixtureLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    compose,
)
from accountant.loss.derived.discretised import FlatLoss, flat_above
from accountant.loss.derived.either_order import chosen_curve
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.derived.sampled_rule import LARGEST_OF_ALL
from accountant.loss.derived.symmetrised_moments import Halves
from accountant.loss.engine import direct_laws, direct_sum
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.convolution import Tilted, collected, transformed
from accountant.loss.engine.graded_sum import graded_times
from accountant.loss.engine.grid import Measure, dominating_measure, mixed
from accountant.loss.engine.zoom_route import Zoom
from accountant.loss.families.linear_bounds import CutLoss
from accountant.numbers.interval import Interval
from accountant_approx.composition import optimal, optimal_delta
from accountant_approx.definition import ApproxParameter
from accountant_fdp.corners import Corners
from accountant_fdp.smallest_mu import smallest_mu
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_noise.skellam_loss import SkellamLoss
from accountant_noise.staircase_loss import StaircaseLoss
from accountant_pbdp.curve import delta_at
from accountant_renyi.conversions import RenyiToApproxImproved
from accountant_renyi.definition import RenyiParameter
from accountant_response.counted_answers_concentration import least_concentration
from accountant_response.counted_answers_loss import CountedAnswersLoss
from accountant_response.hidden_report_concentration import most_concentration
from accountant_response.hidden_report_loss import HiddenReportLoss
from accountant_selection.ladder import LadderPair
from accountant_selection.range_loss import RangeChoice, TwoLosses
from accountant_selection.stream_points import Stream, Streams
from accountant_selection.two_outcomes import TwoOutcomes
from accountant_zcdp.best_order import best_epsilon
from accountant_zcdp.conversions import ZcdpToApproxClassic
from accountant_zcdp.definition import ZcdpParameter
from accountant_zcdp.envelope import envelope

RATE = Fraction(1, 7)
NEARLY_SURE = 1 - Fraction(1, 10**140)
FEW = FiniteLoss([("1/2", "1/3"), ("3/10", "1/3"), ("1/5", "1/3")])
EDGES = np.array([-0.83, -0.31, -0.042, 0.0037, 0.19, 0.47, 0.93])
POINTS = np.array([0.5 + 0.0j, 1.5 + 2.0j, 0.25 - 7.0j])


def lines(loss: PrivacyLoss) -> None:
    """All that a line asks of log moments."""
    family = loss.analytic()
    assert family is not None
    for moments in (family.of([loss]).trimmed(log_tail) for log_tail in (-40.0, -6.0)):
        moments.log_moments(POINTS)
        moments.deviations(0.7)
        moments.lost()
        for height in (3.0, 40.0):
            moments.falls(0.7, height)
            moments.sharper_falls(0.7, height)


def lattices(loss: PrivacyLoss, made: Callable[..., Any], graded: Callable[..., Any]) -> None:
    """Sums of laws on a lattice, alike and unlike."""
    frame, offset = direct_sum.Frame(Fraction(1, 4), -12, 12), Fraction(1, 50)
    one = made(loss, frame, offset)
    two = one.plus(one)
    three = two.plus(one)
    three.delta(0.3)
    one.plus(two).plus(three).delta(0.9)
    graded_times(lambda power: graded(loss, frame, offset, power), 11).delta(0.4)


LATTICES = {
    "spread": (direct_laws.spread_law, direct_laws.graded_spread),
    "merged": (direct_laws.merged_law, direct_laws.graded_merged),
    "fine": (direct_laws.fine_law, direct_laws.graded_fine),
}
LOSSES: dict[str, PrivacyLoss] = {
    "laplace": LaplaceLoss("2/3"),
    "gaussian": GaussianLoss("1/3"),
    "samples": SampledLoss(LaplaceLoss("2/3"), RATE),
}


def zoomed() -> None:
    """Few frequencies of very many copies."""
    weights = np.array([1.0, 6.0, 15.0, 20.0, 15.2, 6.3, 1.1])
    measure = Measure(-3, weights / weights.sum() * 0.99, 0.01, 1e-9)
    found = Zoom.of([(measure, 400)], Fraction(1, 50), 3.0, -8.0)
    assert found is not None
    for place in (0.4, 1.1037, 2.31):
        found.delta_above(place)
        found.delta_below(place)


def gathered() -> None:
    """Laws on a grid without a tilt, and of few atoms taken very often."""
    step = Fraction(1, 8)
    parts = [
        (dominating_measure(LaplaceLoss("2/3"), step, -8, 8), 3),
        (dominating_measure(GaussianLoss(1), step, -30, 30), 2),
    ]
    for upper in (True, False):
        collected(parts, step, upper)
        mixed([(Fraction(1, 3), parts[0][0]), (Fraction(2, 3), parts[1][0])], upper)
    atoms = Measure(-1, np.array([0.4, 0.0, 0.6]), 0.0, 0.0)
    for length in (2**10, 2**17):
        transformed(Tilted.of(atoms, 10**6, 0.125, 0.3), length)


def orders(pair: PrivacyLoss) -> None:
    """Blocks of releases in chosen orders."""
    assert chosen_curve(pair, 20) is not None


def told(loss: PrivacyLoss, rate: Fraction) -> None:
    """Samples between edges of which some have no loss of the base, in either order."""
    sampled = SampledLoss(loss, rate)
    for side in (sampled, sampled.reverse()):
        for edges in (EDGES, np.array([-9.0, -2.0, -0.5, 3.0]), np.array([-330.0, -310.0]), np.array([310.0, 330.0])):
            side.cells(edges)


def seen() -> None:
    """A rare sample where its record is seen and where it is not."""
    part = SampledGaussian(1.5, 0.0, 0.01, 0.99, 10.0, largest=LARGEST_OF_ALL).seen(1.0)
    assert part is not None
    part.log_unseen(2.0)
    paths = part.paths(2.0)
    for height in (3.0, 60.0):
        part.fall(2.0, height)
        paths.fall(height)


def split() -> None:
    """The sum of rare samples where some record is seen, and what is read beside it."""
    parts: list[tuple[PrivacyLoss, int]] = [
        (SampledLoss(GaussianLoss("4"), Fraction(1, 10**5)), 300),
        (GaussianLoss("1/100"), 1),
    ]
    whole = Contour.of(parts, Interval.of(0))
    assert whole is not None
    contour = whole.trimmed(math.log(1e-14), 1e-4)._split(4.0, math.log(1e-14), 1e-4)
    assert contour is not None
    for step in range(0, 33, 4):
        saddle = contour._saddle(step)
        line = None if saddle is None else contour._line(saddle, -32.0, 1e-3)
        if saddle is not None and line is not None:
            contour._read(line, 4.0)
            contour._chernoff(saddle, 4.0)
            return


def definitions() -> None:
    """What definitions say of a loss, and of each other's parameters."""
    loss = compose([(LaplaceLoss("2/3"), 2)])
    for epsilon in (Fraction(1, 2), Fraction(9, 10)):
        delta_at(loss, epsilon)
    best_epsilon(Fraction(1, 5), Fraction(1, 1000))
    optimal(ApproxParameter("2/5", "1/1000"), 6, Fraction(1, 50))
    optimal_delta(ApproxParameter("2/5", "1/1000"), 6, Fraction(1))
    ZcdpToApproxClassic().convert(ZcdpParameter("1/5"), {"delta": Fraction(1, 1000)})
    RenyiToApproxImproved().convert(RenyiParameter("3", "1/5"), {"delta": Fraction(1, 1000)})


def streams() -> None:
    """Chances of streams that attain much."""
    for monotone in (True, False):
        points = Streams(Fraction(1), Fraction(2), 2, monotone).attained
        points.pairs.log_moments(2.0)
    Stream(1.0, 2.0, 1, 1).chances(np.array([0.5, 1.0]), np.array([0.0, -1.0]))


def shapes(loss: SampledLoss, *, mirrored: bool) -> None:
    """How the densities of samples look when they are tilted."""
    gaussian = loss.gaussian(-60.0, mirrored=mirrored)
    gaussian.shape(1.5).fall(3.0)
    gaussian.whole_log_moment(1.5)
    gaussian.below(0.4).cut()


def concentrations() -> None:
    for loss in (CountedAnswersLoss("3/5", 2000), HiddenReportLoss("3/5", 2000, 3, True)):
        for side in (loss, loss.reverse()):
            side.concentration()
    for reports in (40, 3000):
        most_concentration(Fraction(3, 5), reports)
        least_concentration(Fraction(3, 5), reports)


def corners(loss: AtomicLoss) -> None:
    """What tests between values need."""
    assert Corners.of(loss.atoms, loss.reverse().atoms) is not None


def many_reports() -> None:
    for above in (True, False):
        HiddenReportLoss("3/5", 3 * 10**5, 4, above).find_atoms()


def smallest(loss: PrivacyLoss) -> None:
    smallest_mu(loss)


PIECES: dict[str, Callable[[], Any]] = {
    "lines of gaussian": lambda: lines(GaussianLoss("1/3")),
    "lines of laplace": lambda: lines(LaplaceLoss("2/3")),
    "lines of geometric": lambda: lines(GeometricLoss(Fraction(1, 3), 2)),
    "lines of discrete gaussian": lambda: lines(DiscreteGaussianLoss(Fraction(3, 2), 1)),
    "lines of little noise": lambda: lines(DiscreteGaussianLoss(Fraction(1, 8), 1)),
    "lines of skellam": lambda: lines(SkellamLoss(Fraction(3), 1)),
    "lines of staircase": lambda: lines(StaircaseLoss("3/5", "1/3", "3/2")),
    "lines of response": lambda: lines(ResponseLoss("0.6")),
    "lines of cuts": lambda: lines(CutLoss.through(np.array([0.0, 0.4, 1.1]), np.array([0.2, 0.08, 0.01]))),
    "lines of mixture": lambda: lines(MixtureLoss([(RATE, GaussianLoss("1")), (1 - RATE, LaplaceLoss("1"))])),
    "lines of samples": lambda: lines(SampledLoss(GaussianLoss("1"), RATE)),
    **{
        f"{law} lattices of {name}": (lambda loss=loss, makes=makes: lattices(loss, *makes))
        for law, makes in LATTICES.items()
        for name, loss in LOSSES.items()
    },
    "zoom": zoomed,
    "gathered": gathered,
    "flattened": lambda: flat_above(compose([(LaplaceLoss("2/3"), 2), (GaussianLoss(1), 1)])),
    "flattened, many": lambda: flat_above(compose([(LaplaceLoss("1/30"), 90)])),
    "flattened, below": lambda: FlatLoss(ComposedLoss.of([(GaussianLoss("1/3"), 2)])).find_atoms(),
    "chosen orders": lambda: orders(SampledLoss(LaplaceLoss("2/3"), RATE)),
    "told": lambda: told(GaussianLoss("1"), RATE),
    "told nearly surely": lambda: told(GaussianLoss("1"), NEARLY_SURE),
    "told of leaks": lambda: told(FiniteLoss([("1/100", 0), ("9/10", "1/2"), ("9/100", "1/4"), (0, "1/4")]), RATE),
    "seen or not": seen,
    "seen in sums": split,
    "definitions": definitions,
    "streams": streams,
    "shapes": lambda: shapes(SampledLoss(GaussianLoss("1"), RATE), mirrored=False),
    "shapes, mirrored": lambda: shapes(SampledLoss(GaussianLoss("1"), RATE), mirrored=True),
    "mirrored halves": lambda: Halves.of(SampledLoss(LaplaceLoss("2/3"), RATE)).log_moment(1.5),
    "mirrored halves of noise": lambda: Halves.of(GaussianLoss("1/3")).log_moment(1.5),
    "concentrations": concentrations,
    "many reports": many_reports,
    "few exact": lambda: ComposedLoss.of([(FEW, 2), (StaircaseLoss("3/5", "1/3", "3/2"), 1)]).delta(Fraction(2, 5)),
    "ladder": lambda: LadderPair(RangeChoice(Fraction(3, 5)), 3).find_atoms(),
    "two losses": lambda: (TwoLosses(Fraction(3, 5), 3).find_atoms(), TwoOutcomes("3/5", "1/5").find_atoms()),
    "skellam between edges": lambda: SkellamLoss(Fraction(3), 1).cells(EDGES),
    "tangents": lambda: envelope(Fraction(1, 5)),
    "corners": lambda: corners(StaircaseLoss("3/5", "1/3", "3/2")),
    "corners of counts": lambda: corners(CountedAnswersLoss("3/5", 20)),
    "smallest mu": lambda: smallest(compose([(SkellamLoss(Fraction(3), 1), 2)])),
    "smallest mu of leaks": lambda: smallest(CountedAnswersLoss("3/5", 20)),
}
GRAINS = {"ladder": 2.0**-30}
"""Those whose grid is too fine for roundings that are larger."""
