"""Conformance cases: noise on small shifts, with its exact output probabilities after binning."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from decimal import Decimal, localcontext
from fractions import Fraction

from accountant import ConformanceCase, MechanismCase, Shift
from accountant.loss import FiniteLoss
from accountant_noise.discrete_gaussian import DiscreteGaussian
from accountant_noise.gaussian import Gaussian
from accountant_noise.laplace import Laplace

_DIGITS = 60


def cases() -> Iterable[ConformanceCase]:
    """Every kind of noise on one and on two moving coordinates."""
    one, two = Shift.along([1]), Shift.along([1, -1])
    for scale in ("1/2", "2", "30"):
        pair = _binned(_laplace_tail, Fraction(1), Fraction(scale))
        yield MechanismCase(f"laplace {scale}", Laplace(scale), one, (pair,))
    yield MechanismCase("laplace 2 on two", Laplace("2"), two, (_twice(_binned(_laplace_tail, Fraction(1), Fraction(2))),))
    for sigma in ("1", "8"):
        pair = _binned(_gaussian_tail, Fraction(1), Fraction(sigma))
        yield MechanismCase(f"gaussian {sigma}", Gaussian(sigma), one, (pair,))
    yield MechanismCase(
        "gaussian 1 on two", Gaussian("1"), two, (_twice(_binned(_gaussian_tail, Fraction(1), Fraction(1))),)
    )

    for name, noise, variance, move in (
        ("sigma 1", DiscreteGaussian(sigma="1"), "1", 1),
        ("sigma 1/3", DiscreteGaussian(sigma="1/3"), "1/9", 1),
        ("variance 30", DiscreteGaussian(variance="30"), "30", 1),
        ("variance 5/2 by 3", DiscreteGaussian(variance="5/2"), "5/2", 3),
    ):
        pair = _lattice(Fraction(variance), move)
        yield MechanismCase(f"discrete gaussian {name}", noise, Shift.along([move]), (pair,))
    pair = _twice(_lattice(Fraction(2), 1))
    yield MechanismCase("discrete gaussian variance 2 on two", DiscreteGaussian(variance="2"), two, (pair,))


def _lattice(variance: Fraction, move: int) -> FiniteLoss:
    """Discrete Gaussian chances around 0 and around `move`, all outcomes from some distance on taken together."""
    with localcontext() as context:
        context.prec = _DIGITS
        weights, k = [Decimal(1)], 0
        while weights[-1] > Decimal(10) ** -_DIGITS:
            k += 1
            weights.append((-k * k / (2 * _decimal(variance))).exp())
        around = [Fraction(weight) for weight in [*weights[:0:-1], *weights]]
    total, size = sum(around), len(weights) - 1

    def law(centre: int, ends: tuple[int, int]) -> list[Fraction]:
        """The chances of each place between two ends, and of everything up to or from them."""
        chances = dict(zip(range(centre - size, centre + size + 1), (weight / total for weight in around), strict=True))
        inner = [chances.get(place, Fraction(0)) for place in range(ends[0] + 1, ends[1])]
        below = sum((chance for place, chance in chances.items() if place <= ends[0]), Fraction(0))
        return [below, *inner, 1 - below - sum(inner, Fraction(0))]

    ends = (-min(size, 12), move + min(size, 12))
    return FiniteLoss(zip(law(0, ends), law(move, ends), strict=True))


def _twice(pair: FiniteLoss) -> FiniteLoss:
    """The pair and its reverse together: one coordinate rises, another falls."""
    back = pair.reverse()
    return pair.times(back if isinstance(back, FiniteLoss) else pair)


def _binned(tail: Callable[[Decimal], Decimal], shift: Fraction, scale: Fraction) -> FiniteLoss:
    """The chances that noise around 0 and around `shift` falls between thresholds a quarter of a scale apart."""
    with localcontext() as context:
        context.prec = _DIGITS
        step = _decimal(scale) / 4
        thresholds = [step * k for k in range(-12, 17)]
        columns = [
            [tail((threshold - centre) / _decimal(scale)) for threshold in thresholds]
            for centre in (Decimal(0), _decimal(shift))
        ]
    laws = []
    for column in columns:
        above = [Fraction(1), *(Fraction(value) for value in column), Fraction(0)]
        laws.append([left - right for left, right in itertools.pairwise(above)])
    return FiniteLoss(zip(*laws, strict=True))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _laplace_tail(z: Decimal) -> Decimal:
    return (-z).exp() / 2 if z >= 0 else 1 - z.exp() / 2


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
