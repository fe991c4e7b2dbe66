"""What results say: numbers between two ends, or on one side of what they bound.

Most say so by their type. Of others it is known by the function that gave them: laws are read where they are told apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from accountant.loss import Atoms, Cells
from accountant.loss.derived.masses import Masses
from accountant.loss.engine.direct_sum import SpreadLaw
from accountant.loss.engine.grid import Measure
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls
from tests.loss.coarse_operands import OFF


@frozen(eq=False)
class Bounds:
    """Numbers none of which is too small (`side` 1.0), or none of which is too large (`side` -1.0)."""

    side: float
    values: Floats


Said = Interval | Balls | Bounds
PLACES = (-0.2, 0.0, 0.3, 0.9, -40.0)


def most(*values: Any) -> list[Said]:
    return [Bounds(1.0, np.concatenate([np.ravel(np.asarray(value, dtype=np.float64)) for value in values]))]


def least(*values: Any) -> list[Said]:
    return [Bounds(-1.0, np.concatenate([np.ravel(np.asarray(value, dtype=np.float64)) for value in values]))]


def off_by(values: Any, error: Any) -> list[Said]:
    return [Balls(np.asarray(values), np.asarray(error, dtype=np.float64) + np.zeros(np.shape(values)))]


def between(ends: Any) -> list[Said]:
    """Two ends at each of some places."""
    low, high = np.array(ends, dtype=np.float64).T
    return [*least(low), *most(high)]


def deltas(law: Any) -> list[Said]:
    """Delta of a law that lies on one side of another, at a few places."""
    if isinstance(law, CutLoss):
        return most([law.delta(place).upper for place in PLACES[1:]])
    if isinstance(law, SpreadLaw):
        return most([law.delta(place) for place in PLACES])
    return least([law.delta(place) for place in PLACES])


def read_between(law: Any) -> list[Said]:
    """Delta of a law that knows both sides of another, at a few places."""
    return between([(law.delta_below(place), law.delta_above(place)) for place in PLACES])


def gains(measure: Measure, step: Fraction, upper: bool) -> list[Said]:
    """Delta of a measure on a grid, where its losses are displaced as far as they may be."""
    losses = float(measure.offset) + float(step) * (measure.start + np.arange(measure.masses.size))
    slack = measure.slack if upper else -measure.slack
    found = [float(measure.masses @ -np.expm1(np.minimum(place - slack - losses, 0.0))) for place in PLACES]
    values = np.append(np.array(found) + measure.infinite, measure.infinite)
    return most(values) if upper else least(values)


def _told(p: Floats, q: Floats, above: tuple[float, float], place: float) -> float:
    """Delta of two laws with an outcome above."""
    gained = np.maximum(np.append(p, above[0]) - math.exp(place) * np.append(q, above[1]), 0.0)
    return float(gained.sum())


def held(half: Any) -> list[Said]:
    """The integral of a function that is convex in e^-loss and rises with the loss."""

    def value(losses: Floats) -> Floats:
        return np.expm1(-losses) ** 2

    above = half.at_left @ value(half.points[:-1]) + half.at_right @ value(half.points[1:])
    return [*most(above, half.at_zero), *least(half.least @ value(half.means))]


def sums(part: Any) -> list[Said]:
    """What a rule or weights say on a line."""
    return off_by(*part.sums(np.array([0.0, 1.5, 4.0])))


def known_sizes(values: Any, errors: Any) -> list[Said]:
    """Logarithms, of which only the size is known where the error is infinite."""
    sure = np.isfinite(errors)
    return [Balls(values[sure], errors[sure]), *most(values[~sure].real)]


def masses_of_atoms(given: Any) -> list[Said]:
    """The masses of atoms, whose values are granted where they are asked for."""
    return [Balls(given.masses, given.errors), given.infinite]


READ: dict[str, Callable[[Any], list[Said]]] = {
    # Laws on grids and lattices.
    "grid._mean_fall": lambda given: least(given[0]),
    "convolution._power": lambda given: off_by(*given),
    "convolution.transformed": lambda given: off_by(*given),
    "convolution._one_by_one": lambda given: off_by(*given),
    "convolution._by_rows": lambda given: off_by(*given),
    "convolution.log_size": most,
    "convolution.sizes_of": most,
    "convolution.displaced": most,
    "convolution.Flat.moment": lambda given: off_by(*given),
    "convolution.infinite_mass": lambda given: between([given]),
    "convolution.convolve": read_between,
    "convolution.Tilted.of": lambda part: [*off_by(part.masses, 0.1), *most(part.spread, part.stray)],
    "grid_law.GridLaw._known": lambda ball: most(ball.radius),
    "zoom_route.Zoom.of": read_between,
    "zoom_route._frequencies": lambda given: off_by(given[0].real.sum(), given[1]),
    "zoom_route._tails": lambda given: most([value for _, value in given]),
    "zoom_route._Images.of": lambda images: most(images.below, [value for _, value in images.beyond]),
    "zoom_route.Zoom.delta_above": most,
    "zoom_route.Zoom._above": most,
    "zoom_route.Zoom.delta_below": least,
    "zoom_route.Zoom._below": least,
    "zoom_route._Images.at": most,
    "zoom_route._whole_mass": most,
    "grid_law.GridLaw.delta_above": most,
    "grid_law.GridLaw._above": most,
    "grid_law.GridLaw.delta_below": least,
    "direct_sum.SpreadLaw.plus": deltas,
    "direct_sum.MergedLaw.plus": deltas,
    "direct_sum.FineLaw.plus": deltas,
    "direct_sum.SpreadLaw.delta": most,
    "direct_sum.MergedLaw.delta": least,
    "direct_sum.FineLaw.delta": least,
    "direct_sum.FineLaw._above": least,
    "direct_sum._positive": least,
    "direct_sum.FineLaw.gap": lambda ball: most(ball.upper),
    "direct_laws.spread_law": deltas,
    "direct_laws.merged_law": deltas,
    "direct_laws.fine_law": deltas,
    "direct_laws._merged": lambda given: least([_told(*given, place) for place in PLACES]),
    "direct_laws._gapped": lambda given: least(*given),
    "direct_laws._slack": most,
    "graded_sum.coarser": deltas,
    "graded_sum.joined": deltas,
    "graded_sum._trimmed": deltas,
    "graded_sum._doubted": most,
    "graded_sum._gap_doubted": most,
    # Lines.
    "contour_nodes.ContourLine.of": lambda line: [Interval(*line.delta(place)) for place in PLACES],
    "contour_nodes.ContourLine.delta": lambda given: [Interval(*given)],
    "contour_nodes._Images.at": most,
    "contour_nodes._whole": most,
    "contour_law._sum": lambda given: [given[0]],
    "contour_law.ContourLaw._chernoff": most,
    "contour_law.ContourLaw._beyond": lambda given: most([value for _, value in given]),
    "contour_law.ContourLaw.without": lambda law: most(law.lost),
    "contour_cut.Reverse.bounds": lambda given: most([value for _, value in given]),
    "contour_seen._bounds": lambda given: most([value for _, value in given]),
    "contour_seen.SeenLosses.decay": lambda decay: most(decay.tail),
    "contour_seen.log_factor": lambda given: known_sizes(*given),
    "contour_tail._cover": lambda given: most(given[1]),
    "contour_tail._Parts.of": lambda parts: [one for _, _, low, far in parts.members for one in (*most(far), *least(low))],
    "contour_tail._fall": least,
    "contour_seen.SeenLosses.log_shares": lambda given: [given[0], *most(given[1])],
    # What is made of other losses.
    "discretised._merged": lambda given: [*least(given[0], given[2]), *most(given[1])],
    "discretised._Sum.of": lambda law: most(law.delta_above(np.array(PLACES))),
    "discretised._Sum.delta_above": most,
    "either_order._Kernel.of": lambda kernel: most(kernel.masses, kernel.beyond, kernel.slack),
    "either_order._alone": most,
    "either_order._tilted": most,
    "either_order._Sums.of": lambda sums: most(sums.error),
    "either_order._Sums.most": most,
    "mixture_moments._tilted": most,
    "mixture_moments.shares_of": lambda shares: [share.weight for share in shares],
    "linear_bounds.CutLoss.through": deltas,
    "mixture_moments._deviation": most,
    "mixture_moments._fall": most,
    "replaced_cells._Parts.displaced": most,
    "replaced_cells._Parts.left_out": most,
    "replaced_cells._Told.masses": lambda given: [*least(given[0]), *most(given[1])],
    "replaced_gaussian.ExchangedGaussian._displaced": most,
    "sampled_cells._displaced": most,
    "sampled_gaussian.SampledGaussian._shape": lambda shape: most(shape.deviation, shape.variation, shape.fall(2.0)),
    "sampled_gaussian.SampledGaussian._rounded": lambda given: [given[0], *most(given[1])],
    "sampled_gaussian.SampledGaussian._left": lambda given: most(given[0]),
    "sampled_gaussian.SampledGaussian.cut": lambda group: [group.q, group.gap, *least(group.least)],
    "sampled_halves.Half.of": held,
    "sampled_integral.SampledIntegral._log_tail": most,
    "sampled_path.MovedPaths._along": most,
    "sampled_path.MovedPaths.drop": least,
    "sampled_gaussian.SampledGaussian._felt": lambda given: most(given[1]),
    "sampled_gaussian.SampledGaussian._rule": sums,
    "sampled_rule._log_error": lambda given: most(given[0]),
    "sampled_seen.SeenPart._log_error": most,
    "sampled_rule.Rule._with": sums,
    "sampled_rule.excesses": lambda found: list(found),
    "sampled_seen.SeenPart._weighted": sums,
    "sampled_seen.SeenPart.log_unseen": most,
    "sampled_seen.SeenPart.fall": most,
    "symmetrised_moments.Halves.of": lambda half: [
        *most(half.log_moment(1.5).upper),
        *least(half.log_moment(1.5).lower),
    ],
    # Families and readings.
    "atomic.Atoms.reaches": most,
    "atomic.grain_of": most,
    "atomic_moments._deviation": most,
    "convex_minimum._floor": least,
    "inversion._beyond": most,
    "inversion._ceiling": most,
    "moments.uniform_fall": most,
    "powers._average": lambda given: [Interval(*given)],
    "renyi_bounds._cuts": lambda given: most(*given),
    "renyi_bounds._exchanged": lambda given: most(*given),
    "envelope.envelope": deltas,
    "skellam_bounds.concentration_above": most,
    "renyi_supremum._chord": most,
    "renyi_supremum._log_chord": most,
    "discrete_gaussian_loss.DiscreteGaussianLoss._beyond": most,
    "skellam_bounds._by_steepness": most,
    "skellam_bounds._by_tangent": most,
    "skellam_bounds.steepest": most,
    "skellam_bounds.log_moment_below": least,
    "skellam_bounds.concentration_beyond": most,
    "tallies.Tally.doubt": most,
    "noisy_max_loss.CrowdChoice.reached": lambda given: least(given[0]),
    "noisy_max_loss._log_moment_of_crowds": least,
    "stream_points.Stream.chances": lambda given: [*least(given[0]), *most(given[1])],
    "ladder._outward": most,
    "ladder.Tangents.at": lambda given: least(given[0]),
    "ladder.Moves.reached": lambda given: least(given.values),
    "hidden_report_concentration.most_concentration": lambda given: most(float(given)),
    "corners.Corners.of": lambda given: [given.mu],
    "corners._least": least,
    "contour_tail._Parts.log_bounds": lambda given: most(given[0]),
    "counted_answers_loss.CountedAnswersLoss.find_atoms": masses_of_atoms,
    "range_loss.TwoLosses.find_atoms": masses_of_atoms,
    "counted_answers_concentration.least_concentration": least,
}
"""By the file and the name of a function, what is said by what it gives."""


BOUNDED = ("deviations", "falls", "sharper_falls", "lost")
"""Methods of moments that give upper bounds, whatever the family is."""


def atoms(given: Any, slack: float, upper: bool) -> list[Said]:
    """Delta of losses with their masses, all displaced as far as they may be."""
    losses, masses, infinite = given
    moved = losses + (slack if upper else -slack)
    found = [float(masses @ -np.expm1(np.minimum(place - moved, 0.0))) + infinite for place in PLACES]
    return most(found) if upper else least(found)


READ_ON: dict[str, Callable[[Any, tuple[Any, ...]], list[Said]]] = {
    "grid_law.GridLaw.atoms": lambda given, asked: atoms(given, asked[0].slack, asked[1]),
    "grid.mixed": lambda measure, asked: (
        most(measure.masses, measure.infinite, measure.slack)
        if asked[1]
        else [*least(measure.masses, measure.infinite), *most(measure.slack)]
    ),
    "grid.dominating_measure": lambda measure, asked: gains(measure, asked[1], True),
    "grid.dominated_measure": lambda measure, asked: gains(measure, asked[1], False),
}
"""The same where one must know what was asked."""


def enclosures(given: Any, name: str = "", asked: tuple[Any, ...] = ()) -> list[Said]:
    """What a result says; nothing where it does not say what it is off by."""
    if given is None:
        return []
    if name in READ_ON:
        return READ_ON[name](given, asked)
    if name.rpartition(".")[2] in BOUNDED:
        return most(given)
    if isinstance(given, Moments) and name.endswith(".trimmed"):
        return most(given.lost())
    if name in READ:
        return [one for said in READ[name](given) for one in (enclosures(said) if isinstance(said, Ball) else [said])]
    match given:
        case Interval() | Balls():
            return [given]
        case Ball():
            return [Balls(np.array([given.middle]), np.array([given.radius]))]
        case Masses():
            return [given.p, given.q, given.gap]
        case Cells() if given.slack >= OFF:
            return []  # masses between other edges, as it says
        case Cells():
            gap = [] if given.gap is None else [Balls(given.gap, given.gap_error)]
            return [Balls(given.p, given.p_error), Balls(given.q, given.q_error), *gap, given.infinite]
        case Atoms():
            return [given.values, Balls(given.masses, given.errors), given.infinite]
        case (np.ndarray() as values, np.ndarray() as errors) if np.iscomplexobj(values) and not np.iscomplexobj(errors):
            return [Balls(values, errors)]
        case tuple() | list() if all(isinstance(part, Interval | Balls | Ball) for part in given):
            return [one for part in given for one in enclosures(part)]
    return []


def apart(one: Said, other: Said) -> float:
    """The distance of two enclosures, which is 0 where they overlap; of a bound from a number that it must hold."""
    match one, other:
        case Interval(), Interval():
            return max(other.lower - one.upper, one.lower - other.upper, 0.0) if math.isfinite(one.lower) else 0.0
        case Balls(), Balls():
            if one.middle.shape != other.middle.shape:
                return 0.0  # other numbers, since other atoms were taken together or left out
            with np.errstate(invalid="ignore"):
                lengths = np.abs(one.middle - other.middle) - one.radius - other.radius
            return float(np.max(np.where(one.middle == other.middle, 0.0, lengths), initial=0.0))
        case Bounds(), Bounds() if one.values.shape == other.values.shape:
            # The first was made without any error; it is a number, and not a bound.
            with np.errstate(invalid="ignore"):
                short = one.side * (one.values - other.values) - 1e-9 * np.abs(one.values) - 1e-300
            return float(np.max(np.where(one.values == other.values, 0.0, short), initial=0.0))
    return 0.0
