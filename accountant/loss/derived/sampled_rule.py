"""The quadrature behind moments of Gaussian noise on a Poisson sample (sampled_gaussian.py).

The range is cut into panels with n Gauss-Legendre nodes each. A panel of half width c is integrated up to (64/15) c M
s^-2n/(1 - s^-2), M a bound on the size of the integrand on the ellipse with foci at the ends of the panel and semi-axes
c (s + 1/s)/2 and c (s - 1/s)/2 (Trefethen 2013, theorem 19.3). Where the shorter one stays below pi/(2 u), |a| lies
between the norm of (1 - rate, rate e^(u x - u^2/2)) and a at the real part, and the angle of a grows with x; b does the
same the other way round. Values at the ends of the ellipse bound M.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Complexes, Floats
from accountant.numbers.rounding import Ball, Balls, exp

LARGEST_RULE, LARGEST_OF_ALL = 2**13, 2**18
_ACCURACY = 50.0
"""Natural logarithm of how small the error of the quadrature shall be beside the moment."""
DEGREE = 32
_STRETCHES = np.array([1.7, 2.4, 3.4])
_PLACES = 97
_TURNS = 30.0
"""By how much the phase may move across a panel."""
_LOW = 1.0
"""Heights are rounded up to powers of two from this one on, so that moments at many tilts share their panels."""
_BLOCK = 2**18
_SQUARE_ROOT = math.sqrt(2.0 * math.pi)


def _legendre(degree: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre, correctly rounded or nearly so.

    The usual routines lose up to ten bits of the weights at the ends: each node is improved by Newton's method in long
    arithmetic, and its weight 2/((1 - x^2) P'(x)^2) taken from there.
    """
    nodes, weights = [], []
    with localcontext(Context(prec=40)):
        for start in np.polynomial.legendre.leggauss(degree)[0].tolist():
            x = Decimal(start)
            for _ in range(3):
                before, here = Decimal(1), x
                for k in range(2, degree + 1):
                    before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
                slope = degree * (x * here - before) / (x * x - 1)
                x -= here / slope
            nodes.append(float(x))
            weights.append(float(2 / ((1 - x * x) * slope * slope)))
    return np.array(nodes), np.array(weights)


_NODES, _WEIGHTS = _legendre(DEGREE)


_FARTHEST = 700.0
"""The largest power of e that is computed: doubles end at 709."""


@frozen(eq=False)
class AtOutcomes:
    """Both densities at some outcomes: their logarithms, and the shares that the taken record has in them."""

    log_a: Floats
    log_b: Floats
    share_a: Floats
    share_b: Floats

    @property
    def losses(self) -> Floats:
        """log(a/b)."""
        return self.log_a - self.log_b

    def front(self, tilt: float | Floats) -> Floats:
        """The logarithm of a^(1 + tilt) b^-tilt."""
        return (1.0 + tilt) * self.log_a - tilt * self.log_b

    def back(self, tilt: float) -> Floats:
        """The logarithm of b^(1 + tilt) a^-tilt."""
        return (1.0 + tilt) * self.log_b - tilt * self.log_a


@frozen
class Densities:
    """The densities of both laws beside that of a record that is not taken."""

    up: float
    down: float
    rate: float
    rest: float

    @property
    def steepest(self) -> float:
        """How far the record moves the answer at most."""
        return max(self.up, self.down)

    def at(self, x: Floats) -> AtOutcomes:
        (log_a, share_a), (log_b, share_b) = self._density(x, self.up), self._density(-x, self.down)
        return AtOutcomes(log_a, log_b, share_a, share_b)

    def growth(self, x: Floats, move: float) -> Floats:
        """What a record that moves the answer so far adds to the density of an outcome; refused where doubles end.

        No error is known for logarithms that are larger.
        """
        power = move * x - 0.5 * move * move
        if np.max(power, initial=0.0) > _FARTHEST:
            raise OverflowError("a record moves the answer too far for a sampled loss")
        return self.rate * np.exp(power)

    def _density(self, x: Floats, move: float) -> tuple[Floats, Floats]:
        if move == 0.0:
            return np.zeros(x.shape), np.zeros(x.shape)
        growth, v = self.growth(x, move), self.rate * np.expm1(move * x - 0.5 * move * move)
        near = np.abs(v) < 0.5
        logs = np.where(near, np.log1p(np.where(near, v, 0.0)), np.log(self.rest + growth))
        return logs, growth / (self.rest + growth)

    def doubts(self, x: Floats, at: AtOutcomes) -> tuple[Floats, Floats]:
        """How far log a and log b are off, in roundoffs.

        x, the exponent and the rate are off by some, functions round, and away from 1 so do the densities.
        """
        pairs = ((self.up, at.log_a, at.share_a), (self.down, at.log_b, at.share_b))
        first, second = (
            share * (2.0 * move * np.abs(x) + move**2 + 8.0) + 4.0 * np.abs(logs) + np.where(np.abs(logs) > 0.4, 8.0, 0.0)
            if move
            else np.zeros(x.shape)
            for move, logs, share in pairs
        )
        return first, second


@frozen(eq=False)
class Rule:
    """Nodes and weights at one tilt, with what all heights share.

    The integrand at height y has the weights `even` times cos(y L), and `odd` times sin(y L).
    """

    losses: Floats
    even: Floats
    odd: Floats
    excess: float
    excess_error: float
    sensitivity: float
    error: float

    @classmethod
    def of(
        cls, panels_for: Callable[[float, float], Panels], tilt: float, height: float, *, lost: float, mirrored: bool
    ) -> Rule:
        """The coarsest rule of the scale whose error is small enough at all heights up to the given one."""
        finer, height = 1.0, raised_height(height)
        while (error := _error(panels_for(height, finer), tilt, height, mirrored)) is None:
            finer *= 1.3
        build = cls._mirrored if mirrored else cls._plain
        return build(panels_for(height, finer), tilt, lost, error)

    @classmethod
    def _plain(cls, panels: Panels, tilt: float, lost: float, error: float) -> Rule:
        weights, rise, moved = _risen(panels, tilt)
        first, second = panels.doubts
        return cls._with(panels.at, panels.square, weights, weights, rise, float(moved), first + second, lost, error)

    @classmethod
    def _mirrored(cls, panels: Panels, tilt: float, lost: float, error: float) -> Rule:
        """b (r^(1 + t) - 1)(1 - r^-t) with r = a/b: no term is taken from another of its size."""
        at, square, spread = panels.at, panels.square, panels.spread
        losses, density = np.maximum(at.losses, 0.0), spread * np.exp(at.log_b - square)
        front, back = (spread * np.exp(exponents - square) for exponents in (at.front(tilt), at.back(tilt)))
        steps, low = (1.0 + tilt) * losses, -np.expm1(-tilt * losses)
        high = np.where(steps < 1.0, density * np.expm1(np.minimum(steps, 1.0)), front - density)
        rise = high * low
        first, second = panels.doubts
        slope = (1.0 + tilt) * front * low + tilt * (1.0 - low) * high
        moved = float(slope @ (first + second)) + float(rise @ second)
        return cls._with(at, square, front + back, front - back, rise, moved, first + second, lost, error)

    @classmethod
    def _with(
        cls,
        at: AtOutcomes,
        square: Floats,
        even: Floats,
        odd: Floats,
        rise: Floats,
        moved: float,
        doubt: Floats,
        lost: float,
        error: float,
    ) -> Rule:
        excess = _total(square, rise, moved).widened(lost)
        return cls(
            losses=at.losses,
            even=even,
            odd=odd,
            excess=excess.middle,
            excess_error=excess.radius,
            sensitivity=Ball.rounded(0.0, 8.0, float(np.sum(doubt * even * (1.0 + square)))).radius,
            error=error,
        )

    def sums(self, heights: Floats) -> tuple[Complexes, Floats]:
        """What the moment exceeds 1 by at several heights, and bounds on the errors."""
        if not heights.any():
            alone = Balls(np.full(heights.shape, self.excess, dtype=np.complex128))
            return alone.middle, alone.widened(self.excess_error + self.error).radii
        excess, error = np.empty(heights.shape, dtype=np.complex128), np.empty(heights.shape)
        block = max(1, _BLOCK // self.losses.size)
        for start in range(0, heights.size, block):
            some = heights[start : start + block]
            half = 0.5 * some[:, None] * self.losses[None, :]
            sine, cosine = np.sin(half), np.cos(half)
            turned = sine * sine
            real = self.excess - 2.0 * (turned @ self.even)
            imaginary = 2.0 * ((sine * cosine) @ self.odd)
            excess[start : start + block] = real + 1j * imaginary
            np.abs(sine, out=sine)
            # A phase moves by no more than there are nodes. Sines, squares, products and sums round by four times as much.
            sums = Balls.rounded(real, 4.0 * (self.losses.size + 64.0), sine @ self.even)
            error[start : start + block] = sums.widened(self.sensitivity * np.abs(some)).radii
        return excess, Balls(excess, error).widened(self.excess_error + self.error).radii


def excesses(panels: Panels, tilts: Floats, lost: float) -> list[Ball] | None:
    """What moments at real tilts exceed 1 by, where the same panels serve all of them."""
    errors = [_error(panels, float(tilt), _LOW, False) for tilt in tilts]
    if None in errors:
        return None
    _, rises, moved = _risen(panels, tilts[:, None])
    totals = (_total(panels.square, rise, float(far)) for rise, far in zip(rises, moved, strict=True))
    return [total.widened(lost).widened(error) for total, error in zip(totals, errors, strict=True) if error is not None]


def _risen(panels: Panels, tilt: float | Floats) -> tuple[Floats, Floats, Floats]:
    """The weights of a plain rule, what the integrand exceeds 1 by, and how far doubts move that, in roundoffs."""
    exponents = panels.at.front(tilt)
    weights = panels.spread * np.exp(exponents - panels.square)
    small = np.abs(exponents) < 1.0
    rise = np.where(small, panels.plain * np.expm1(np.where(small, exponents, 0.0)), weights - panels.plain)
    first, second = panels.doubts
    return weights, rise, np.sum(np.maximum(weights, panels.plain) * ((1.0 + tilt) * first + tilt * second), axis=-1)


def _total(square: Floats, rise: Floats, moved: float) -> Ball:
    """The sum of what an integrand exceeds 1 by, which doubts move by so many roundoffs."""
    summed = (square.size + 64.0 + 8.0 * float(np.max(square))) * float(np.sum(np.abs(rise)))
    return Ball(float(np.sum(rise)), Ball.rounded(0.0, 1.0, 4.0 * moved + summed).radius)


def raised_height(height: float) -> float:
    """The height that a rule is made for."""
    return 2.0 ** math.ceil(math.log2(max(height, _LOW)))


def nodes_for(turns: float) -> float:
    """About how many nodes a phase that moves so far in all takes."""
    return DEGREE * (8.0 + turns / _TURNS)


def _edges(laws: Densities, ends: tuple[float, float], height: float, finer: float, largest: int) -> Floats:
    """Panels that are narrow where the integrand turns fast: its phase moves with the loss."""
    places = np.linspace(*ends, _PLACES)
    at = laws.at(places)
    slope = laws.up * at.share_a + laws.down * at.share_b
    wanted = finer * (0.5 * max(laws.steepest, 0.5) + height * slope / _TURNS)
    steps = 0.5 * (wanted[1:] + wanted[:-1]) * (places[1] - places[0])
    panels = np.concatenate([[0.0], np.cumsum(steps)])
    if not panels[-1] * DEGREE < largest:
        raise OverflowError("the height or the order is too large for a sampled loss")
    return np.interp(np.linspace(0.0, panels[-1], max(3, math.ceil(panels[-1]) + 1)), panels, places)


def outcomes(edges: Floats) -> Floats:
    """The nodes of all panels between these edges."""
    found: Floats = (edges[:-1, None] + 0.5 * np.diff(edges)[:, None] * (1.0 + _NODES)).ravel()
    return found


@frozen(eq=False)
class Panels:
    """Panels and their nodes, with all that holds at every tilt: what moments of one loss have in common."""

    edges: Floats
    middle: Floats
    at_middle: AtOutcomes
    stretches: Floats
    """Of the ellipses around panels, as far as bounds hold on them; no entry where they hold on none."""
    sizes: tuple[tuple[Floats, Floats, Floats], tuple[Floats, Floats, Floats]]
    """What `_on_ellipse` says of a and of b."""
    log_plain: Floats
    """The logarithm of the density of x alone on the ellipses, times the half width of the panel."""
    reach: float
    """No exponent and no logarithm of a density on the ellipses exceeds this."""
    at: AtOutcomes
    square: Floats
    spread: Floats
    plain: Floats
    doubts: tuple[Floats, Floats]

    @classmethod
    def of(
        cls, laws: Densities, ends: tuple[float, float], height: float, finer: float, largest: int = LARGEST_RULE
    ) -> Panels:
        """Panels between the ends for all heights up to one, so much finer than usual, with so many nodes at most."""
        edges = _edges(laws, ends, height, finer, largest)
        half = 0.5 * np.diff(edges)
        middle = edges[:-1] + half
        widest = laws.steepest * float(half.max())
        stretches = _STRETCHES[widest * (_STRETCHES - 1.0 / _STRETCHES) <= math.pi][:, None]
        long, short = 0.5 * half * (stretches + 1.0 / stretches), 0.5 * half * (stretches - 1.0 / stretches)
        left, right = middle - long, middle + long
        farthest = float(np.max(np.abs([left, right]), initial=0.0))
        sizes = _on_ellipse(laws, left, right, short, laws.up), _on_ellipse(laws, -right, -left, short, laws.down)
        plain = 0.5 * short * short - 0.5 * np.square(np.maximum(np.maximum(left, -right), 0.0))
        x = outcomes(edges)
        spread, square, at = (half[:, None] * _WEIGHTS).ravel() / _SQUARE_ROOT, 0.5 * x * x, laws.at(x)
        return cls(
            edges=edges,
            middle=middle,
            at_middle=laws.at(middle),
            stretches=stretches[:, 0],
            sizes=sizes,
            log_plain=plain + np.log(half),
            reach=laws.steepest * (farthest + laws.steepest) - math.log(laws.rate * laws.rest),
            at=at,
            square=square,
            spread=spread,
            plain=spread * np.exp(-square),
            doubts=laws.doubts(x, at),
        )


def _error(panels: Panels, tilt: float, height: float, mirrored: bool) -> float | None:
    """A bound on the error of the panels at all heights up to the given one, if it is small enough."""
    log_error, top = _log_error(panels, tilt, height, mirrored)
    if log_error > max(top, 0.0) - _ACCURACY:
        return None
    if top > 600.0:
        raise OverflowError("the moment of a sampled loss is too large")
    return exp(Ball(log_error)).upper


def _log_error(panels: Panels, tilt: float, height: float, mirrored: bool) -> tuple[float, float]:
    """The logarithms of a bound on the error of the panels, and of about the largest value between their ends."""
    at, middle = panels.at_middle, panels.middle
    weights = np.maximum(at.front(tilt), at.back(tilt)) if mirrored else at.front(tilt)
    top = float(np.max(weights - 0.5 * middle * middle))
    if not panels.stretches.size:
        return math.inf, top
    (most_a, least_a, turn_a), (most_b, least_b, turn_b) = panels.sizes
    turns = height * (turn_a + turn_b)
    # The integrand has 1 taken away, whose size on the ellipse is that of the density of x alone.
    size = np.maximum((1.0 + tilt) * most_a - tilt * least_b + turns, 0.0)
    if mirrored:
        # Four terms, each no larger than the largest.
        size = np.maximum(size, np.maximum((1.0 + tilt) * most_b - tilt * least_a + turns, np.maximum(most_a, most_b)))
        size = size + math.log(4.0)
    largest = panels.log_plain + size
    most = largest.max(axis=1)
    totals = most + np.log(np.exp(largest - most[:, None]).sum(axis=1))
    falls = 2.0 * DEGREE * np.log(panels.stretches) + np.log1p(-(panels.stretches**-2.0))
    found = float(np.min(totals - falls)) + math.log(2.0 * 64.0 / 15.0 / _SQUARE_ROOT)
    # Exponents and logarithms of densities are taken so many times, and functions round by 8.
    scale = (1.0 + 2.0 * tilt + height) * (8.0 + panels.reach) + DEGREE + abs(found)
    return Ball.rounded(found, 64.0, scale).upper, top


def _on_ellipse(laws: Densities, left: Floats, right: Floats, short: Floats, move: float) -> tuple[Floats, Floats, Floats]:
    """The logarithms of the largest and the smallest size of a density on ellipses, and its largest angle."""
    if move == 0.0:
        return np.zeros(left.shape), np.zeros(left.shape), np.zeros(left.shape)
    growth, angle = laws.growth(right, move), move * short
    turn = np.arctan2(growth * np.sin(angle), laws.rest + growth * np.cos(angle))
    return np.log(laws.rest + growth), np.log(np.hypot(laws.rest, laws.growth(left, move))), turn
