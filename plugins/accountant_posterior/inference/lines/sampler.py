"""Draws of lines and of sigma^2 given noisy sums: leaps and slices through the sums, everything else taken along.

Coefficients are summed out and sigma^2 is followed relative to the data's own scatter, so that only as many directions are
left as there are sums, whatever the number of records. Directions are learnt while chains warm up, then kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant.progress import reached
from accountant_posterior.inference.draws import effective_size
from accountant_posterior.inference.lines.density import LineDensity, Place, WeighedPlaces, least_squares
from accountant_posterior.inference.lines.priors import GaussianDesign, LinePrior, WeakLine
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.slices import slice_steps
from accountant_posterior.inference.lines.sums import Chosen, Flags, cholesky, possible
from accountant_posterior.inference.lines.whole import Lattice

_WIDE = 6.0
"""How wide intervals are at first, in deviations along the direction if the law were Gaussian."""
_STEPS = 2.0
_LEAPS, _REACHES = 4, (2.4, 1.2)
"""How many leaps there are for each sum, and how far they go, in deviations over the root of the number of sums."""
_BLENDS = 81
_TRIES = 50
_RECORDS = 60


@frozen(eq=False)
class LineDraws:
    """Draws in the units of the data: for each unknown a row for each iteration and a column for each chain."""

    coefficients: Floats
    """The intercept and the slopes, first axis."""
    variance: Floats
    sums: Floats
    """The sums of the data, first axis, in the order in which they were released."""

    @property
    def effective_size(self) -> float:
        """How many independent draws these are worth, the smallest number over coefficients and the variance."""
        return min(map(effective_size, (*self.coefficients, self.variance)))


def infer_line(
    released: NoisySums,
    prior: LinePrior | None = None,
    generator: Generator | None = None,
    *,
    constrained: bool = True,
    design: GaussianDesign | None = None,
    chains: int = 200,
    iterations: int = 300,
    burn: int = 150,
) -> LineDraws:
    """Draws of the coefficients of a line and of the variance around it, given noisy sums of products.

    The model is `LineDensity`: Gaussian scatter around a line, exactly and not by an approximation for many records; with
    `constrained` sums and lines are possible for data between the bounds. A prior under which the posterior has infinite
    mass is refused.
    """
    prior = WeakLine() if prior is None else prior
    generator = np.random.default_rng() if generator is None else generator
    if chains < 8 or iterations < 4 or burn < 0:
        raise InvalidValue("give at least eight chains, four iterations and no negative number of iterations to throw away")
    prior.check(released.coefficients, released.count)
    seen = np.repeat(np.array(released.seen)[:, None], chains, axis=1)
    density = LineDensity(released, prior.belief(released.coefficients), constrained, design)
    state = LineState(density, seen, generator)
    coefficients = np.empty((released.coefficients, iterations, chains))
    variance = np.empty((iterations, chains))
    sums = np.empty((len(released.seen), iterations, chains))
    for iteration in range(-burn, iterations):
        reached((iteration + burn) / (iterations + burn))
        if iteration < 0 and (iteration + burn) % max(burn // 10, 1) == 0:
            state.learn()
        state.step(generator)
        if iteration >= 0:
            coefficients[:, iteration] = released.raw(state.weighed.coefficients)
            variance[iteration] = state.weighed.variance
            sums[:, iteration] = state.place.sums
    return LineDraws(coefficients, released.response_width**2 * variance, sums)


class LineState:
    """Where many chains stand; each has seen sums of its own, and starts near them, moved to what is possible."""

    def __init__(self, density: LineDensity, seen: Floats, generator: Generator) -> None:
        self.density, self.seen = density, seen
        spread = density.released.noise.within(0.68)
        self.spread = np.eye(len(seen)) * spread
        self.place = _start(density, seen, generator)
        self.weighed = density.weigh(self.place, seen)

    def learn(self) -> None:
        """Take the directions in which the chains, which see the same, differ now; never after they have warmed up."""
        spread = np.cov(self.place.sums)
        shortest = 1e-9 * np.trace(spread) + 1e-300
        self.spread = np.linalg.cholesky(spread + shortest * np.eye(len(spread)))

    def step(self, generator: Generator) -> None:
        """Draw everything once. Leaps are cheap, and slices go on where the law is not as was learnt."""
        for number in range(_LEAPS * len(self.seen)):
            self.leap(generator, _REACHES[number % len(_REACHES)])
        self.draw_sums(generator, along_one=False)
        self.draw_sums(generator, along_one=True)
        self.draw_scatter(generator)
        self.draw_turn(generator)

    def leap(self, generator: Generator, reach: float) -> None:
        """Propose other sums as far away as chains differ, and take them with the chance that a Metropolis step has."""
        size, chains = self.seen.shape
        moves = self.spread @ generator.standard_normal((size, chains)) * (reach / math.sqrt(size))
        if self.density.released.lattice is not None:
            moves = self.density.released.lattice.nearest(moves)
        place = evolve(self.place, sums=self.place.sums + moves)
        weighed = self.density.weigh(place, self.seen)
        taken = weighed.logs - self.weighed.logs >= -generator.standard_exponential(chains)
        self._take(taken, place, weighed)

    def draw_sums(self, generator: Generator, *, along_one: bool) -> None:
        """Move the sums along a random direction, or change one of them alone."""
        size, chains = self.seen.shape
        if along_one:
            directions = np.zeros((size, chains))
            chosen = generator.integers(size, size=chains)
            directions[chosen, np.arange(chains)] = np.sqrt((self.spread**2).sum(axis=1))[chosen]
            width = _WIDE
        else:
            directions = self.spread @ generator.standard_normal((size, chains))
            width = _WIDE / math.sqrt(size)
        lattice = self.density.released.lattice
        if lattice is not None:
            directions, width = _whole_directions(lattice, directions, width, generator)

        def moved(steps: Floats, chosen: Chosen) -> Place:
            place = self.place.of(chosen)
            return Place(place.sums + steps * directions[:, chosen], place.scatter, place.turn)

        self._slice(moved, width, generator, whole=lattice is not None)

    def draw_scatter(self, generator: Generator) -> None:
        """Move sigma^2 alone, the coefficients keeping their place in their law."""
        width = _WIDE * math.sqrt(2.0 / self.density.released.count)

        def moved(steps: Floats, chosen: Chosen) -> Place:
            place = self.place.of(chosen)
            return Place(place.sums, place.scatter + steps, place.turn)

        self._slice(moved, width, generator)

    def draw_turn(self, generator: Generator) -> None:
        """Draw the coefficients anew; where the line would be impossible, turn them towards that draw as far as can be."""
        fresh, weighed = generator.standard_normal(self.place.turn.shape), self.weighed
        turn = weighed.turn
        if not self.density.constrained:
            self._turn(fresh)
            return
        turn = np.where(weighed.fits(fresh), fresh, turn)
        # An ellipse through two points is a slice of the Gaussian law, of which only the possible part is kept.
        other = generator.standard_normal(turn.shape)

        def fits(angles: Floats, chosen: Chosen) -> Floats:
            turned = turn[:, chosen] * np.cos(angles) + other[:, chosen] * np.sin(angles)
            return np.where(weighed.of(chosen).fits(turned), 0.0, -np.inf)

        angles = slice_steps(fits, np.zeros(turn.shape[1]), 2.0 * math.pi, generator)
        self._turn(turn * np.cos(angles) + other * np.sin(angles))

    def _turn(self, turn: Floats) -> None:
        moved = 0.5 * ((self.place.turn**2).sum(axis=0) - (turn**2).sum(axis=0))
        self.place = evolve(self.place, turn=turn)
        self.weighed = evolve(self.weighed, turn=turn, logs=self.weighed.logs + moved)

    def _slice(
        self, moved: Callable[[Floats, Chosen], Place], width: float, generator: Generator, *, whole: bool = False
    ) -> None:
        def logs(steps: Floats, chosen: Chosen) -> Floats:
            return self.density.weigh(moved(steps, chosen), self.seen[:, chosen]).logs

        steps = slice_steps(logs, self.weighed.logs, width, generator, whole=whole)
        place = moved(steps, np.arange(len(steps)))
        weighed = self.density.weigh(place, self.seen)
        # Products of matrices round in their own way for other numbers of chains; at an edge what fitted may not.
        self._take(np.isfinite(weighed.logs), place, weighed)

    def _take(self, taken: Flags, place: Place, weighed: WeighedPlaces) -> None:
        """Move some of the chains."""
        self.place, self.weighed = self.place.where(taken, place), self.weighed.where(taken, weighed)


def _whole_directions(lattice: Lattice, directions: Floats, width: float, generator: Generator) -> tuple[Floats, float]:
    """Directions on the lattice, so short that the width holds many steps; where nothing is left, to any neighbour."""
    steps = np.rint(lattice.inverse @ directions * (width / (_STEPS * _WIDE)))
    still = np.flatnonzero(~steps.any(axis=0))
    steps[:, still] = generator.integers(-1, 2, (len(steps), len(still)))
    still = np.flatnonzero(~steps.any(axis=0))
    steps[generator.integers(len(steps), size=len(still)), still] = 1.0
    return lattice.steps @ steps, _STEPS * _WIDE


def _start(density: LineDensity, seen: Floats, generator: Generator) -> Place:
    """Near what was seen, thrice the noise away, and as far towards random data as it takes to be possible."""
    released = density.released
    sums, waiting = np.empty_like(seen), np.arange(seen.shape[1])
    for _ in range(_TRIES):
        near = seen[:, waiting] + 3.0 * released.noise.draw(generator, (len(seen), len(waiting)))
        inside = _random_sums(released, len(waiting), generator)
        for share in np.linspace(0.0, 1.0, _BLENDS):
            blend = (1.0 - share) * near + share * inside
            if released.lattice is not None:
                blend = released.lattice.nearest(blend)
            fits = _roomy(released, blend)
            sums[:, waiting[fits]] = blend[:, fits]
            waiting, near, inside = waiting[~fits], near[:, ~fits], inside[:, ~fits]
        if not len(waiting):
            return _through(density, sums)
    raise InvalidValue("no data between the bounds were found from which a line could be fitted; are there enough records?")


def _roomy(released: NoisySums, sums: Floats) -> Flags:
    """Whether sums are possible and a little off a perfect line, so that chains have room to move."""
    moments = released.layout.moments(sums, released.count)
    factors, definite = cholesky(moments)
    fits: Flags = definite & possible(moments) & (factors[-1, -1] ** 2 > 1e-9)
    return fits if released.lattice is None else fits & released.lattice.fits(sums, released.count)


def _through(density: LineDensity, sums: Floats) -> Place:
    """The least-squares line with half the data's own scatter, which is possible wherever the sums are."""
    released = density.released
    moments = released.layout.moments(sums, released.count)
    place = Place(
        sums,
        np.full(sums.shape[1], -math.log(2.0 * released.count)),
        np.zeros((released.coefficients, sums.shape[1])),
    )
    return density.turned(place, least_squares(moments))


def random_records(released: NoisySums, chains: int, generator: Generator) -> Floats:
    """Random records, at most as many as there are, with a one in front: column, record, chain; between 0 and 1."""
    records = min(released.count, _RECORDS)
    values = generator.random((released.coefficients, records, chains))
    if released.whole:
        wide = np.array([float(high - low) for low, high in zip(released.lower, released.upper, strict=True)])
        values = np.rint(values * wide[:, None, None]) / wide[:, None, None]
    return np.concatenate([np.ones((1, records, chains)), values])


def _random_sums(released: NoisySums, chains: int, generator: Generator) -> Floats:
    """The sums of random data between the bounds, scaled to the number of records."""
    records = random_records(released, chains, generator)
    sums = released.layout.sums(np.einsum("irc,jrc->ijc", records, records) / records.shape[1], released.count)
    return sums if released.lattice is None else released.lattice.nearest(sums)
