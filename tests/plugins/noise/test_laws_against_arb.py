"""Where noise is, against Arb: every mass that is stated encloses the truth, and little more."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

import flint
import numpy as np
import pytest
from attrs import frozen

from accountant.loss import Floats, Noise, RealNoise, WholeNoise
from accountant.numbers.rounding import Balls
from accountant_noise import laws
from accountant_noise.laws import DiscreteGaussianNoise, GeometricNoise, LaplaceNoise, NormalNoise, SkellamNoise

_BITS = 300
REAL: tuple[RealNoise, ...] = tuple(
    kind(Fraction(size))
    for kind in (NormalNoise, LaplaceNoise)
    for size in ("1/1000", "1/3", "1", "3/2", "7", "1000000/7", "1e30", "1e-30")
)
WHOLE: tuple[WholeNoise, ...] = (
    *(GeometricNoise(Fraction(scale)) for scale in ("1/1000", "1/3", "1", "17/2", "400")),
    *(DiscreteGaussianNoise(Fraction(v)) for v in ("1e-300", "1/500", "1/5", "1/4", "1", "5/2", "1000/7", "1e6")),
    *(SkellamNoise(Fraction(variance)) for variance in ("1e-20", "1/50", "1/4", "1", "5/2", "1000/7", "40000")),
)


def number(value: Fraction | float) -> flint.arb:
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def beyond(noise: RealNoise, place: flint.arb) -> flint.arb:
    """The chance of noise above a place."""
    if isinstance(noise, NormalNoise):
        return (place / (number(noise.sigma) * flint.arb(2).sqrt())).erfc() / 2
    assert isinstance(noise, LaplaceNoise)
    tail = (-abs(place) / number(noise.scale)).exp() / 2
    return tail if place >= 0 else 1 - tail


def between(noise: RealNoise, left: Fraction, right: Fraction) -> flint.arb:
    """The chance of noise between two places, without losing what is rare on either side."""
    if left < 0:
        left, right = -right, -left
    with flint.ctx.workprec(_BITS + 1200 * (left < 1e-200)):
        return beyond(noise, number(left)) - beyond(noise, number(right))


def chances(noise: WholeNoise, numbers: list[int]) -> Iterator[flint.arb]:
    if isinstance(noise, GeometricNoise):
        ratio = (-1 / number(noise.scale)).exp()
        yield from (ratio**k * (1 - ratio) / (1 + ratio) for k in numbers)
    elif isinstance(noise, DiscreteGaussianNoise):
        rate = 1 / (2 * number(noise.variance))
        last = 40 * math.isqrt(int(noise.variance) + 1) + 40
        whole = 1 + 2 * sum(((-rate * k * k).exp() for k in range(1, last)), flint.arb(0))
        yield from ((-rate * k * k).exp() / whole for k in numbers)
    else:
        assert isinstance(noise, SkellamNoise)
        yield from (number(noise.variance).bessel_i(flint.arb(k), scaled=True) for k in numbers)


def held(low: float, high: float, truth: flint.arb) -> bool:
    return bool(number(low) <= truth) and bool(truth <= number(high))


def places_of(noise: RealNoise, seed: int) -> list[Fraction]:
    """Centres at which an edge less the centre rounds in every way."""
    chosen, unit = random.Random(seed), noise.reach(-0.5)
    near = [Fraction(0), Fraction(unit), Fraction(chosen.randrange(1, 10**9), 3) * Fraction(unit) / 10**9]
    return [*near, *(Fraction(10**power, 77) * Fraction(unit) for power in (1, 5, 10, 13))]


def edges_around(noise: RealNoise, centre: Fraction, seed: int) -> Floats:
    chosen, middle = random.Random(seed), float(centre)
    depths = [-1e-9, -0.1, -1.0, -3.0, -20.0, -200.0, -600.0]
    out = [middle + sign * noise.reach(depth) * chosen.uniform(0.9, 1.1) for depth in depths for sign in (-1, 1)]
    out += [middle, math.nextafter(middle, math.inf), math.nextafter(middle, -math.inf), 0.0]
    return np.unique(np.array(out))


def outside(noise: RealNoise, seed: int = 0) -> list[tuple[Fraction, float]]:
    """Parts of lines whose mass is not where it is said to be."""
    found = []
    with flint.ctx.workprec(_BITS):
        for centre in places_of(noise, seed):
            edges = edges_around(noise, centre, seed)
            for low, high, left, right in zip(*noise.masses(edges, centre), edges, edges[1:], strict=False):
                truth = between(noise, Fraction(float(left)) - centre, Fraction(float(right)) - centre)
                if not held(float(low), float(high), truth):
                    found.append((centre, float(left)))
    return found


def wrong(noise: WholeNoise) -> list[int]:
    """Whole numbers whose chance is not what it is said to be."""
    reach = int(noise.reach(-700.0)) + 2
    numbers = sorted({*range(min(12, reach)), *(reach * k // 9 for k in range(10))})
    found = noise.chances(np.array(numbers, dtype=np.float64))
    with flint.ctx.workprec(_BITS):
        triples = zip(numbers, found.lower, found.upper, chances(noise, numbers), strict=True)
        return [k for k, low, high, truth in triples if not held(float(low), float(high), truth)]


@pytest.mark.parametrize("noise", REAL, ids=str)
def test_real_noise_lies_where_it_is_said_to_lie(noise: RealNoise) -> None:
    assert outside(noise) == outside(noise, 1) == []


@pytest.mark.parametrize("noise", WHOLE, ids=str)
def test_whole_noise_has_the_chances_that_are_said(noise: WholeNoise) -> None:
    assert wrong(noise) == []


@pytest.mark.parametrize("noise", [*REAL, *WHOLE], ids=str)
def test_bounds_on_where_noise_lies_are_close(noise: Noise) -> None:
    """A part is known up to 2^-38 of what lies farther out, deep into the tails; a whole number up to 2^-40 of itself."""
    if isinstance(noise, WholeNoise):
        found = noise.chances(np.arange(1.0 + min(10**4, int(noise.reach(-500.0)))))
        assert np.all(found.radii <= 2.0**-40 * found.middle + 2.0**-1000)
    else:
        assert isinstance(noise, RealNoise)
        edges = np.linspace(-1.0, 1.0, 201) * noise.reach(-500.0)
        low, high = noise.masses(edges, 0.0)
        tails = noise.beyond(np.abs(edges)).upper
        assert np.all(high - low <= 2.0**-38 * np.minimum(tails[:-1] + tails[1:], 1.0) + 2.0**-1000)


def test_parts_of_whole_noise_that_hold_no_single_number_are_refused() -> None:
    for edges, centre in ((np.array([0.0, 1.0, 2.0]), 0), (np.array([0.5, 2.5]), 0), (np.array([0.5, 1.5]), 0.25)):
        with pytest.raises(ValueError, match="holds one whole number"):
            WHOLE[2].masses(edges, Fraction(centre))


@frozen
class Unmoved(NormalNoise):
    """Takes the place of an edge for exact, as if the centre were a double."""

    def masses(self, edges: Floats, centre: Fraction | float) -> tuple[Floats, Floats]:
        places = edges - float(centre)
        tails = self.beyond(np.abs(places)).middle
        share = 2.0**-40 * (tails[:-1] + tails[1:])
        front, back = tails[:-1], tails[1:]
        aside = np.where(places[1:] <= 0.0, back - front, 1.0 - front - back)
        found = np.where(places[:-1] >= 0.0, front - back, aside)
        return np.maximum(found - share, 0.0), found + share


@frozen
class Careless(NormalNoise):
    """Forgets what the tail is off by."""

    def beyond(self, distances: Floats) -> Balls:
        return Balls(super().beyond(distances).middle)


@frozen
class ByCumulation(NormalNoise):
    """Takes the tail for what is left of 1."""

    def beyond(self, distances: Floats) -> Balls:
        from scipy.special import ndtr

        return Balls.rounded(1.0 - ndtr(distances / float(self.sigma)), 8.0)


@pytest.mark.parametrize("kind", [Unmoved, Careless, ByCumulation])
def test_noise_that_is_not_where_it_is_said_to_be_is_noticed(kind: type[NormalNoise]) -> None:
    assert outside(NormalNoise(Fraction(3, 2))) == []
    assert outside(kind(Fraction(3, 2))) != []


@frozen
class Unscaled(SkellamNoise):
    """Forgets what is not known of falls."""

    def chances(self, numbers: Floats) -> Balls:
        return Balls(super().chances(numbers).middle)


@frozen
class Unnormalised(DiscreteGaussianNoise):
    """Takes a sum for an integral."""

    def chances(self, numbers: Floats) -> Balls:
        found = laws._fallen(Balls.rounded(numbers * numbers / float(2 * self.variance)))
        return found / math.sqrt(2.0 * math.pi * float(self.variance))


def test_chances_that_are_not_what_is_said_are_noticed() -> None:
    for noise in (Unscaled(Fraction(1000, 7)), Unnormalised(Fraction(1, 5)), Unnormalised(Fraction(1))):
        assert wrong(noise) != []
