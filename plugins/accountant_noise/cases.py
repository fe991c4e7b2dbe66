"""Conformance cases: noise on small shifts, with its exact output probabilities after binning."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, partial

from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, Shift
from accountant_noise.discrete_gaussian import DiscreteGaussian
from accountant_noise.gaussian import Gaussian
from accountant_noise.geometric import Geometric
from accountant_noise.laplace import Laplace
from accountant_noise.skellam import Skellam
from accountant_noise.staircase import Staircase

_DIGITS = 60


@cache
def cases() -> tuple[ConformanceCase, ...]:
    """Every kind of noise on one and on two moving coordinates, and whole noise on what two units do to a histogram."""
    with localcontext() as context:
        context.prec = _DIGITS
        return (*_continuous(), *_skellam(), *_stairs(), *_geometric(), *_discrete_gaussian(), *_groups())


def _continuous() -> Iterable[ConformanceCase]:
    one, two = Shift.along([1]), Shift.along([1, -1])
    for scale in ("1/2", "2", "30"):
        pair = _scaled(_laplace_tail, Fraction(1), Fraction(scale))
        yield MechanismCase(f"laplace {scale}", Laplace(scale), one, (pair,))
    yield MechanismCase("laplace 2 on two", Laplace("2"), two, (_twice(_scaled(_laplace_tail, Fraction(1), Fraction(2))),))
    for sigma in ("1", "8"):
        pair = _scaled(_gaussian_tail, Fraction(1), Fraction(sigma))
        yield MechanismCase(f"gaussian {sigma}", Gaussian(sigma), one, (pair,))
    pair = _twice(_scaled(_gaussian_tail, Fraction(1), Fraction(1)))
    yield MechanismCase("gaussian 1 on two", Gaussian("1"), two, (pair,))
    # The difference of the two coordinates moves by 2 and has the variance 5 - 3 - 3 + 5.
    pair = _scaled(_gaussian_tail, Fraction(2), Fraction(2))
    correlated = Gaussian(covariance=[[5, 3], [3, 5]])
    yield MechanismCase("gaussian of a covariance", correlated, Shift.at([1, -1]), (pair,))


def _stairs() -> Iterable[ConformanceCase]:
    for epsilon, gamma, move in (("1", "1/3", "1"), ("1/2", "2/3", "5/2")):
        pair = _staircase(Fraction(epsilon), Fraction(gamma), Fraction(move))
        noise = Staircase(epsilon, gamma)
        yield MechanismCase(f"staircase {epsilon} {gamma} by {move}", noise, Shift.along([move]), (pair,))
    both = Staircase("1", "1/2", sensitivity="2")
    pair = _staircase(Fraction(1), Fraction(1, 2), Fraction(1, 2))
    yield MechanismCase("staircase 1 1/2 on two", both, Shift.along([1, -1]), (_twice(pair),))


def _skellam() -> Iterable[ConformanceCase]:
    for variance, move in (("1/2", 1), ("5", 2)):
        pair = _lattice(partial(_skellam_weight, _decimal(Fraction(variance))), move)
        yield MechanismCase(f"skellam {variance} by {move}", Skellam(variance), Shift.along([move]), (pair,))
    pair = _twice(_lattice(partial(_skellam_weight, Decimal("1e-6")), 1))
    yield MechanismCase("skellam 1e-6 on two", Skellam("1e-6"), Shift.along([1, -1]), (pair,))


def _geometric() -> Iterable[ConformanceCase]:
    for scale, move in (("1/2", 1), ("4", 3)):
        pair = _lattice(partial(_geometric_weight, _decimal(Fraction(scale))), move)
        yield MechanismCase(f"geometric {scale} by {move}", Geometric(scale), Shift.along([move]), (pair,))
    pair = _twice(_lattice(partial(_geometric_weight, Decimal(1)), 2))
    yield MechanismCase("geometric 1 by 2 on two", Geometric("1"), Shift.along([2, -2]), (pair,))


def _discrete_gaussian() -> Iterable[ConformanceCase]:
    for name, noise, variance, move in (
        ("sigma 1", DiscreteGaussian(sigma="1"), "1", 1),
        ("sigma 1/3", DiscreteGaussian(sigma="1/3"), "1/9", 1),
        ("variance 30", DiscreteGaussian(variance="30"), "30", 1),
        ("variance 5/2 by 3", DiscreteGaussian(variance="5/2"), "5/2", 3),
    ):
        pair = _lattice(partial(_gaussian_weight, _decimal(Fraction(variance))), move)
        yield MechanismCase(f"discrete gaussian {name}", noise, Shift.along([move]), (pair,))
    pair = _twice(_lattice(partial(_gaussian_weight, Decimal(2)), 1))
    yield MechanismCase(
        "discrete gaussian variance 2 on two", DiscreteGaussian(variance="2"), Shift.along([1, -1]), (pair,)
    )


def _groups() -> Iterable[ConformanceCase]:
    """Two replaced records: one cell up by two and another down by two at worst, or less in each."""
    two = Shift(Fraction(4), Fraction(8), Fraction(2), gathered=(Fraction(2), Fraction(-2)))
    for noise, weight in (
        (DiscreteGaussian(variance="3"), partial(_gaussian_weight, Decimal(3))),
        (Skellam("3"), partial(_skellam_weight, Decimal(3))),
        (Geometric("3"), partial(_geometric_weight, Decimal(3))),
    ):
        pairs = tuple(_twice(_lattice(weight, move)) for move in (2, 1))
        yield MechanismCase(f"{noise.kind} for a group of two", noise, two, pairs)


# Whole noise, by its weights --------------------------------------------------------------------------------------------


def _lattice(weight: Callable[[int], Decimal], move: int) -> FiniteLoss:
    """Chances of whole noise around 0 and around `move`, all outcomes from some distance on taken together."""
    weights = [weight(0)]
    while weights[-1] > Decimal(10) ** -_DIGITS * weights[0]:
        weights.append(weight(len(weights)))
    around = [Fraction(weight) for weight in [*weights[:0:-1], *weights]]
    total, size = sum(around), len(weights) - 1

    def law(centre: int, ends: tuple[int, int]) -> list[Fraction]:
        """The chances of each place between two ends, and of everything up to or from them."""
        chances = dict(zip(range(centre - size, centre + size + 1), (weight / total for weight in around), strict=True))
        inner = [chances.get(place, Fraction(0)) for place in range(ends[0] + 1, ends[1])]
        below = sum((chance for place, chance in chances.items() if place <= ends[0]), Fraction(0))
        return [below, *inner, 1 - below - sum(inner, Fraction(0))]

    # Next to where weights end, what is left out is felt: all that lies there is taken together.
    ends = (max(-12, move + 4 - size), min(move + 12, size - 4))
    return FiniteLoss(zip(law(0, ends), law(move, ends), strict=True))


def _gaussian_weight(variance: Decimal, k: int) -> Decimal:
    return (-k * k / (2 * variance)).exp()


def _geometric_weight(scale: Decimal, k: int) -> Decimal:
    return (-k / scale).exp()


def _skellam_weight(variance: Decimal, k: int) -> Decimal:
    """I_k(variance) by its power series."""
    half = variance / 2
    term = total = half**k / Decimal(_factorial(k))
    m = 0
    while term > total * Decimal(10) ** -_DIGITS:
        m += 1
        term = term * half * half / (m * (m + k))
        total += term
    return total


def _factorial(k: int) -> int:
    return k * _factorial(k - 1) if k else 1


# Continuous noise, by its tails -----------------------------------------------------------------------------------------


def _twice(pair: FiniteLoss) -> FiniteLoss:
    """The pair and its reverse together: one coordinate rises, another falls."""
    back = pair.reverse()
    return pair.times(back if isinstance(back, FiniteLoss) else pair)


def _scaled(tail: Callable[[Decimal], Decimal], shift: Fraction, scale: Fraction) -> FiniteLoss:
    """The chances that noise of some scale around 0 and around `shift` falls between thresholds a quarter of it apart."""
    return _binned(tail, shift / scale, [Fraction(k, 4) for k in range(-12, 17)])


def _binned(tail: Callable[[Decimal], Decimal], shift: Fraction, thresholds: Sequence[Fraction]) -> FiniteLoss:
    laws = []
    for centre in (Fraction(0), shift):
        above = [Fraction(1), *(Fraction(tail(_decimal(place - centre))) for place in thresholds), Fraction(0)]
        laws.append([left - right for left, right in itertools.pairwise(above)])
    return FiniteLoss(zip(*laws, strict=True))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _laplace_tail(z: Decimal) -> Decimal:
    return (-z).exp() / 2 if z >= 0 else 1 - z.exp() / 2


def _staircase(epsilon: Fraction, gamma: Fraction, move: Fraction) -> FiniteLoss:
    """The chances that staircase noise falls between its own stairs, before and after the move, up to six steps away."""
    stairs = [place for k in range(7) for place in (k + gamma, -k - gamma)]
    thresholds = sorted({*stairs, *(place + move for place in stairs)})
    return _binned(partial(_staircase_tail, _decimal(epsilon), _decimal(gamma)), move, thresholds)


def _staircase_tail(epsilon: Decimal, gamma: Decimal, z: Decimal) -> Decimal:
    """What is left of the step that z is in, and all whole steps beyond."""
    if z < 0:
        return 1 - _staircase_tail(epsilon, gamma, -z)
    fall, step = (-epsilon).exp(), int(z)
    part = z - step
    whole = gamma + fall * (1 - gamma)
    left = gamma - part + fall * (1 - gamma) if part < gamma else fall * (1 - part)
    return (1 - fall) / (2 * whole) * fall**step * (left + fall * whole / (1 - fall))


def _gaussian_tail(z: Decimal) -> Decimal:
    """P(Z > z) by the series of the error function, which converges everywhere."""
    term, total, k = z, z, 0
    while abs(term) > Decimal(10) ** -_DIGITS:
        k += 1
        term = -term * z * z / (2 * k)
        total += term / (2 * k + 1)
    root = (2 * _pi()).sqrt()
    return Decimal("0.5") - total / root


def _pi() -> Decimal:
    """pi by Machin's formula."""

    def arctan_inverse(n: int) -> Decimal:
        power, total, k = Decimal(1) / n, Decimal(1) / n, 1
        while power > Decimal(10) ** -_DIGITS:
            power /= n * n
            total += (-1) ** k * power / (2 * k + 1)
            k += 1
        return total

    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
