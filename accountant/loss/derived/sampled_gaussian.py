"""Moments of Gaussian noise on a Poisson sample, off the real line, by quadrature with a proven error.

Let x be standard normal where a record is not taken, and let the record, where it is, move the answer up by u under the
first law and down by v under the second. Beside the density of x the laws have a = 1 - rate + rate e^(u x - u^2/2) and
b = 1 - rate + rate e^(-v x - v^2/2). The loss log(a/b) grows with x, and its moment is the mean of a^(1 + z) b^-z. What
that exceeds 1 by is integrated, so that many copies of a small loss lose nothing. A record that is absent from the
second law has v = 0, one that is absent from the first u = 0.

A mirrored loss (mirrored.py) is the smallest symmetric one above that. Its moment exceeds 1 by the mean, over outcomes
with a > b, which are those above (u - v)/2, of a^(1 + z) b^-z + b^(1 + z) a^-z - a - b.

Outcomes beyond some `reach` are left out: they hold next to none of the first law, but would let moments of high order
explode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Protocol, Self

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from accountant.loss.derived.sampled_path import MovedPaths
from accountant.loss.derived.sampled_rule import (
    LARGEST_OF_ALL,
    LARGEST_RULE,
    AtOutcomes,
    Densities,
    Panels,
    Rule,
    excesses,
    nodes_for,
    raised_height,
)
from accountant.loss.derived.sampled_seen import SeenPart
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.moments import LossGroup, Moments, Seen, log_of_moments, uniform_fall
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import (
    Ball,
    Balls,
    dot,
    exp,
    log,
    log1p,
    normal_chance,
    normal_density,
    scaled_tail,
    sqrt,
)

_CELLS = 1024
_MOST_KNOWN = 64
_USUAL_RULE = 2**10
_MOST_PANELS, _MOST_RULES = 8, 8
_LITTLE = 2.0**14
"""So many sines take about as long as another rule."""
_LEAST_MOVE = 1e-6
_RARE = 0.1
"""At higher rates every release is seen."""
_STRIDE = 1.0
_UNFELT = 64.0
"""Natural logarithm of how small an integrand is that is not looked at."""
_FAR = 10.5
"""Standard deviations beyond which nothing is left: e^(-10.5^2/2) is about e^-55."""
_SQUARE_ROOT = sqrt(2.0 * Ball.rounded(math.pi))


@frozen(eq=False, slots=False)
class SampledGaussian:
    """One loss of Gaussian noise on a Poisson sample, for outcomes up to a reach."""

    up: float
    down: float
    rate: float
    rest: float
    reach: float
    mirrored: bool = False
    largest: int = LARGEST_RULE
    """How many nodes a rule may have."""
    top: float = math.inf
    """Outcomes from here on are left out as well, but not lost."""
    _known: dict[bytes, tuple[Complexes, Floats]] = field(factory=dict, init=False)
    _shapes: dict[float, Shape] = field(factory=dict, init=False)
    _panels: dict[tuple[float, float, float], Panels] = field(factory=dict, init=False)
    _rules: dict[tuple[float, float], Rule] = field(factory=dict, init=False)

    @property
    def ends(self) -> tuple[float, float]:
        """Between which outcomes the law is kept."""
        low = 0.5 * (self.up - self.down) if self.mirrored else -self.reach
        return low, min(self.reach + self.up, self.top)

    @cached_property
    def lost(self) -> float:
        """A bound on the chance of all other outcomes, mirror images included."""
        return normal_density(Ball(self.reach)).upper

    @cached_property
    def densities(self) -> Densities:
        """The densities of both laws."""
        return Densities(self.up, self.down, self.rate, self.rest)

    def rule(self, tilt: float, height: float) -> Rule:
        """Nodes and weights at a tilt, for all heights up to the given one; a line asks for the same ones several times."""
        key = (tilt, raised_height(height))
        if key not in self._rules:
            if len(self._rules) >= _MOST_RULES:
                self._rules.clear()
            self._rules[key] = self._rule(*key)
        return self._rules[key]

    def _rule(self, tilt: float, height: float) -> Rule:
        low, most = self._felt(tilt)
        rule = Rule.of(partial(self._panels_for, low), tilt, height, lost=self.lost, mirrored=self.mirrored)
        excess = self._with_the_rest(Ball(rule.excess, rule.excess_error), low, most)
        return evolve(rule, excess=excess.middle, excess_error=excess.radius)

    def _with_the_rest(self, excess: Ball, low: float, most: float) -> Ball:
        """What a moment exceeds 1 by, from that between an outcome and the upper end of the law."""
        if low != self.ends[0]:
            # Below, the integrand lacks 1 but for what is not felt.
            below = _tail(Ball(-low))
            excess = (excess - below).widened((below * most).upper)
        if self.top < math.inf:
            excess = excess - _tail(Ball(self.ends[1]))
        return excess

    def effort(self, tilt: float, height: float) -> float:
        """About how many nodes the moment takes: phases turn with the losses that are felt."""
        if self.largest == LARGEST_RULE:
            return float(LARGEST_RULE)
        return self._nodes(tilt, height)

    def _nodes(self, tilt: float, height: float) -> float:
        return nodes_for(height * (self._spans[0] + min(self._spans[1], _UNFELT / tilt)))

    @cached_property
    def _spans(self) -> tuple[float, float]:
        """How far losses of a record in the first law, and in the second, go."""
        at = self.densities.at(np.array(self.ends))
        return abs(float(at.log_a[1])), abs(float(at.log_b[0]))

    def _felt(self, tilt: float) -> tuple[float, float]:
        """Below which outcome a^(1 + tilt) b^-tilt is next to nothing beside the density, and a bound on it there.

        Below 0 neither a nor 1/b rises towards lower outcomes, and a is at most 1.
        """
        least = self.ends[0]
        if self.mirrored or not self.down:
            return least, 0.0
        places = np.arange(0.0, -least, _STRIDE)[1:] * -1.0
        log_b = self.densities.at(places).log_b
        low = places[tilt * log_b + 0.5 * places**2 >= _UNFELT][:1]
        if not low.size:
            return least, 0.0
        at = self.densities.at(low)
        known = Ball.rounded(float(at.log_b[0]), 1.0, float(self.densities.doubts(low, at)[1][0]))
        return float(low[0]), exp(known * -tilt).upper

    def _panels_for(self, low: float, height: float, finer: float) -> Panels:
        key = (low, height, finer)
        if key not in self._panels:
            if len(self._panels) >= _MOST_PANELS:
                self._panels.clear()
            self._panels[key] = Panels.of(self.densities, (low, self.ends[1]), height, finer, self.largest)
        return self._panels[key]

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        """As `Moments` asks, for one loss; an account asks again for the same points when a release is added to it."""
        key = points.tobytes()
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._log_moments(points)
        return self._known[key]

    def _log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        if points.size > 1 and not self.mirrored and not points.imag.any():
            found = self._real_excesses(points.real)
            if found is not None:
                middles, errors = (np.array([getattr(one, part) for one in found]) for part in ("middle", "radius"))
                return log_of_moments(middles.astype(np.complex128), errors)
        excess, error = np.empty(points.shape, dtype=np.complex128), np.empty(points.shape)
        for tilt in sorted({float(z.real) for z in points}):
            on_line = np.flatnonzero(points.real == tilt)
            heights = np.abs(points.imag[on_line])
            for some in self._sharing(tilt, heights):
                here = on_line[some]
                excess[here], error[here] = self.rule(tilt, float(np.max(heights[some]))).sums(points.imag[here])
        return log_of_moments(excess, error)

    def _real_excesses(self, tilts: Floats) -> list[Ball] | None:
        """What moments at real tilts exceed 1 by, where the same panels serve all of them."""
        low, most = self._felt(float(tilts.min()))
        found = excesses(self._panels_for(low, raised_height(0.0), 1.0), tilts, self.lost)
        # The more tilt, the less is left below.
        return None if found is None else [self._with_the_rest(excess, low, most) for excess in found]

    def _sharing(self, tilt: float, heights: Floats) -> list[NDArray[np.bool_]]:
        """Which heights share a rule: all where few nodes serve them, and otherwise those of one power of four.

        The farther up, the finer the panels.
        """
        if self._nodes(tilt, float(np.max(heights))) * heights.size <= _LITTLE:
            return [np.ones(heights.shape, dtype=np.bool_)]
        powers = np.ceil(0.5 * np.log2(np.maximum(heights, 1.0)))
        return [powers == power for power in sorted(set(powers.tolist()))]

    def seen(self, loss: float) -> SeenPart | None:
        """The part of the law that loses about this much or more, for a record that is in the first law only."""
        if self.mirrored or self.down or self.rate > _RARE or self.top < math.inf:
            return None
        width = min(0.3, 0.6 / self.up)
        place = (math.log1p(math.expm1(min(loss, 600.0)) / self.rate) / self.up) + 0.5 * self.up - 2.0 * width
        return SeenPart(self.densities, self.ends, place, width, partial(self._panels_for, self.ends[0]), self._paths)

    def below(self, loss: float) -> SampledGaussian:
        """The same without outcomes that lose about this much or more, for a record that is in the first law only."""
        if self.mirrored or self.down:
            return self
        top = (math.log(math.expm1(min(loss, 600.0)) + self.rate) - math.log(self.rate)) / self.up + 0.5 * self.up
        return evolve(self, top=top) if 0.0 < top < self.ends[1] else self

    def cut(self) -> LossGroup | None:
        """The outcomes that were left out at the top."""
        if self.top == math.inf:
            return None
        top, place, move, rate = Ball(self.top), np.array([self.top]), Ball.rounded(self.up), Ball.rounded(self.rate)
        at, q = self.densities.at(place), _tail(top)
        least = Ball.rounded(float(at.log_a[0]), 1.0, float(self.densities.doubts(place, at)[0][0])).lower
        return LossGroup(q, rate * (_tail(top - move) - q), least)

    def _paths(self, tilt: float) -> MovedPaths:
        paths = self.shape(tilt).paths
        assert paths is not None
        return paths

    def whole_log_moment(self, tilt: float) -> Interval:
        """The log moment at a real tilt with all outcomes; the reach must go far beyond where the tilted law is."""
        low, high = self.ends
        (excess,), (error,) = self.rule(tilt, 0.0).sums(np.zeros(1))
        # Above the reach log a grows by u at most and b is nowhere below 1 - rate; below it a is at most 1 and b at least.
        place = np.array([high])
        at = self.densities.at(place)
        log_a = Ball.rounded(float(at.log_a[0]), 1.0, float(self.densities.doubts(place, at)[0][0]))
        fall, rarest = normal_density(Ball(high)), log(Ball.rounded(self.rest)) * -tilt if self.down else Ball(0.0)
        tails = exp(log_a * (Ball(tilt) + 1.0) + rarest - Ball(high) * high * 0.5)
        tails = tails + (exp(log_a) * fall if self.mirrored else normal_density(Ball(low)))
        if not tails.radius < math.inf:
            raise OverflowError("the moment of a sampled loss is too large")
        found = Ball(float(excess.real), float(error))
        lower, upper = log1p(Ball(max(found.lower, 0.0))).lower, log1p(found + tails).upper
        return Interval(max(0.0, lower), max(0.0, lower, upper))

    def shape(self, tilt: float) -> Shape:
        """What the law tilted by e^(tilt L) looks like."""
        if tilt not in self._shapes:
            self._shapes.clear()
            self._shapes[tilt] = self._shape(tilt)
        return self._shapes[tilt]

    def _shape(self, tilt: float) -> Shape:
        edges = np.linspace(*self.ends, _CELLS + 1)
        at = self.densities.at(edges)
        losses, room = self._rounded(edges, at, tilt)
        front, back = at.front(tilt), at.back(tilt)
        moments, errors = self.log_moments(np.array([complex(tilt)]))
        moment = Ball(float(moments[0].real), float(errors[0])).widened(room)
        near = -0.5 * np.square(np.maximum(np.maximum(edges[:-1], -edges[1:]), 0.0)) - moment.lower
        far = -0.5 * np.square(np.maximum(np.abs(edges[:-1]), np.abs(edges[1:]))) - moment.upper
        # Along x the weight of a loss grows and that of its mirror image falls, and so do the losses themselves.
        width, low, high = np.diff(edges) / _SQUARE_ROOT.lower, losses.lower[:-1], losses.upper[1:]
        cells = [(width * np.exp(near + front[1:]), low, high)]
        if self.mirrored:
            cells += [(width * np.exp(near + back[:-1]), -high, -low), self._left(moment)]
        chances, low, high = (np.concatenate(parts) for parts in zip(*cells, strict=True))
        centre = float(chances @ (0.5 * (low + high))) / float(chances.sum())
        farthest = np.maximum((Balls(high) - centre).most, (Balls(low) - centre).most)
        deviation = sqrt(dot(chances, np.square(farthest))).upper
        # The density of the loss is that of x, tilted, over the slope of the loss: a share grows along x or falls.
        slopes = (
            self.up * at.share_a[:-1] + self.down * at.share_b[1:],
            self.up * at.share_a[1:] + self.down * at.share_b[:-1],
        )
        densities = near + front[1:] - np.log(slopes[0] * _SQUARE_ROOT.lower)
        depths = far + front[:-1] - np.log(slopes[1] * _SQUARE_ROOT.upper)
        highest = exp(Ball(min(float(np.max(densities)), 700.0)))
        paths = None
        if not self.mirrored and not self.down:
            ends = [exp(Ball(min(float(front[1:][k] + near[k]), 700.0))).upper for k in (0, -1)]
            least = np.diff(edges) / _SQUARE_ROOT.upper * np.exp(far + front[:-1])
            doubt = self._share_doubt(edges)
            paths = MovedPaths(self.up, edges, cells[0][0], least, at.share_a[:-1], doubt, *ends)
        return Shape(deviation, (highest * (2.0 * self._peaks(tilt))).upper, *_uniform_parts(losses, depths), paths)

    def _rounded(self, edges: Floats, at: AtOutcomes, tilt: float) -> tuple[Balls, float]:
        """Losses with their errors, and by how much the logarithms of chances and densities may be off.

        In roundoffs: those of the logarithms of both densities, 1 + tilt times, and of three sums of them; three for the
        square of an outcome; for a slope its share, off by 16 and the roundoffs of its exponent, and a logarithm, off by 8
        of itself, which is at most 750. Exponentials, widths, squares and products are off by less than 32 together.
        """
        first, second = self.densities.doubts(edges, at)
        doubt, move = first + second + np.abs(at.log_a) + np.abs(at.log_b), max(self.up, self.down)
        farthest = float(np.max(np.abs(edges)))
        times = 3.0 * (1.0 + tilt) * float(np.max(doubt)) + 3.0 * farthest**2 + move * (2.0 * farthest + move)
        return Balls.rounded(at.losses, 1.0, doubt), Ball.rounded(0.0, times + 8.0 * 750.0 + 48.0, 1.0).radius

    def _share_doubt(self, edges: Floats) -> float:
        """How often the share of the record is rounded: in its exponent, and by 16 more."""
        return 16.0 + self.up * (2.0 * float(np.max(np.abs(edges))) + self.up)

    def _left(self, moment: Ball) -> tuple[Floats, Floats, Floats]:
        """What a mirrored loss has at 0, as a cell: all that is not above 0 under either law."""
        rate, rest, centre = Ball.rounded(self.rate), Ball.rounded(self.rest), Ball(self.ends[0])
        taken = _tail(centre - self.up) + _tail(centre + self.down)
        left = (1.0 - rate * taken - 2.0 * rest * _tail(centre)).at_least(0.0)
        return np.array([(left * exp(-moment)).upper]), np.zeros(1), np.zeros(1)

    def _peaks(self, tilt: float) -> float:
        """How many peaks the density of the tilted loss has at most, ends included; it falls to 0 beyond them.

        For a record in one law only the slope of its logarithm is 0 where a line meets a multiple of the record's share.
        That is a logistic curve: they meet at most three times, and once where the curve is nowhere steeper.
        """
        if self.mirrored or (self.up and self.down):
            return math.inf
        steep = (2.0 + tilt) * self.up**2 + (1.0 - tilt) * self.down**2
        return 1.0 if steep < 4.0 else 2.0


def _tail(z: Ball) -> Ball:
    """The chance that a standard normal variable exceeds z."""
    return scaled_tail(z) * normal_density(z) if z.middle > 0.0 else normal_chance(-z)


def _uniform_parts(losses: Balls, depths: Floats) -> tuple[Floats, Floats]:
    """Intervals of losses around the highest density, and masses that are uniform on them."""
    top = int(np.argmax(depths))
    lengths, masses = [], []
    for level in float(depths[top]) - np.linspace(0.1, 4.0, 14):
        low = np.flatnonzero(depths[:top] < level)
        high = np.flatnonzero(depths[top:] < level)
        first = int(low[-1]) + 1 if low.size else 0
        last = top + int(high[0]) if high.size else depths.size
        length = max((losses.entry(last) - losses.entry(first)).lower, 0.0)
        lengths.append(length)
        masses.append(max(0.0, min((exp(Ball(min(float(level), 700.0))) * length).lower, 1.0)))
    return np.array(lengths), np.array(masses)


@frozen(eq=False)
class Shape:
    """Bounds on a tilted loss: its standard deviation, the variation of its density, and parts of it that are uniform.

    By parts, the transform at height y is at most the variation over |y|.
    """

    deviation: float
    variation: float
    lengths: Floats
    masses: Floats
    paths: MovedPaths | None = None

    def fall(self, height: float) -> float:
        """An upper bound on the logarithm of the size of the transform at all heights from this one on."""
        found = float(np.min(uniform_fall(height, self.lengths, self.masses)))
        if self.variation < math.inf:
            found = min(found, log(Ball(self.variation) / height).upper)
        return found


def whole_log_moment(
    moves: tuple[float, float], chances: tuple[float, float], order: float, *, mirrored: bool = False
) -> Interval | None:
    """The log moment of a real order with all outcomes, where doubles reach."""
    up, down = moves
    reach = _FAR + up * order
    if down:
        reach = math.sqrt(reach**2 - 2.0 * order * math.log(chances[1]))
    if not max(moves) * reach < 600.0 or max(moves) < _LEAST_MOVE:
        return None
    try:
        return SampledGaussian(*moves, *chances, reach, mirrored).whole_log_moment(order)
    except OverflowError:
        return None


class Sampled(Protocol):
    """A loss of Gaussian noise on samples."""

    def gaussian(self, log_tail: float) -> SampledGaussian:
        """The loss in doubles without its rarest outcomes."""
        ...


@frozen(eq=False)
class SampledMoments(Moments):
    """Log moments of Gaussian noise on samples, each loss with its own quadrature."""

    sources: tuple[Sampled, ...]
    losses: tuple[SampledGaussian, ...] = ()

    @classmethod
    def of(cls, losses: Sequence[Sampled]) -> Self:
        return cls(tuple(losses))

    def trimmed(self, log_tail: float) -> Self:
        return evolve(self, losses=tuple(source.gaussian(log_tail) for source in self.sources))

    def thorough(self) -> Self:
        if self.losses and all(loss.largest == LARGEST_OF_ALL for loss in self.losses):
            return self
        return evolve(self, losses=tuple(evolve(loss, largest=LARGEST_OF_ALL) for loss in self.losses))

    def lost(self) -> Floats:
        return np.array([loss.lost for loss in self.losses])

    @property
    def work(self) -> int:
        return sum(_USUAL_RULE if loss.largest > LARGEST_RULE else LARGEST_RULE for loss in self.losses)

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        rows = [loss.log_moments(points) for loss in self.losses]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def effort(self, tilt: float, height: float) -> float:
        return sum(loss.effort(tilt, height) for loss in self.losses)

    def seen(self, loss: float) -> Sequence[Seen | None]:
        return [one.seen(loss) for one in self.losses]

    def below(self, loss: float) -> Self:
        return evolve(self, losses=tuple(one.below(loss) for one in self.losses))

    def cut(self) -> Sequence[LossGroup | None]:
        return [one.cut() for one in self.losses]

    def deviations(self, tilt: float) -> Floats:
        return np.array([loss.shape(tilt).deviation for loss in self.losses])

    def falls(self, tilt: float, height: float) -> Floats:
        return np.array([loss.shape(tilt).fall(height) for loss in self.losses])

    def sharper_falls(self, tilt: float, height: float) -> Floats:
        moved = [0.0 if (paths := loss.shape(tilt).paths) is None else paths.fall(height) for loss in self.losses]
        return np.minimum(self.falls(tilt, height), moved)
