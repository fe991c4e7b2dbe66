"""Integrals of products of Laplace densities and distribution functions, in decimals of many digits.

Between the centres every factor is a sum of exponentials, and so is their product. Such an integral is the chance of any
answer of the sparse vector technique, and of any pick after Laplace noise.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from accountant_selection.decimals import DIGITS, decimal

Exponentials = dict[Fraction, Decimal]
"""Coefficients of e^(rate z), by rate."""
Factor = Callable[[Fraction], Exponentials]
"""What a function is to the right of a place, up to the next centre."""


def density(centre: Fraction, scale: Fraction) -> Factor:
    """The density of Laplace noise around a centre."""

    def right_of(place: Fraction) -> Exponentials:
        sign = 1 if place < centre else -1
        return {sign / scale: decimal(-sign * centre / scale).exp() / (2 * decimal(scale))}

    return right_of


def below(centre: Fraction, scale: Fraction) -> Factor:
    """The chance that Laplace noise around a centre stays below z."""

    def right_of(place: Fraction) -> Exponentials:
        sign = 1 if place < centre else -1
        tail = {sign / scale: sign * decimal(-sign * centre / scale).exp() / 2}
        return tail if sign == 1 else {Fraction(0): Decimal(1), **tail}

    return right_of


def above(centre: Fraction, scale: Fraction) -> Factor:
    """The chance that Laplace noise around a centre goes above z."""

    def right_of(place: Fraction) -> Exponentials:
        rest = {rate: -coefficient for rate, coefficient in below(centre, scale)(place).items()}
        return {**rest, Fraction(0): 1 + rest.get(Fraction(0), Decimal(0))}

    return right_of


def integral(factors: Sequence[Factor], centres: Iterable[Fraction]) -> Fraction:
    """The integral of a product over the real line; at least one factor is a density."""
    places = sorted(set(centres))
    with localcontext() as context:
        context.prec = DIGITS
        total = _tail(_product(factors, places[0] - 1), places[0], 1) + _tail(_product(factors, places[-1]), places[-1], -1)
        for left, right in itertools.pairwise(places):
            total += _between(_product(factors, left), left, right)
        return Fraction(total)


def _product(factors: Sequence[Factor], place: Fraction) -> Exponentials:
    result: Exponentials = {Fraction(0): Decimal(1)}
    for factor in factors:
        terms: defaultdict[Fraction, Decimal] = defaultdict(Decimal)
        for (rate, coefficient), (other, more) in itertools.product(result.items(), factor(place).items()):
            terms[rate + other] += coefficient * more
        result = dict(terms)
    return result


def _between(terms: Exponentials, left: Fraction, right: Fraction) -> Decimal:
    return sum(
        (
            coefficient
            * (decimal(right - left) if not rate else (_power(rate, right) - _power(rate, left)) / decimal(rate))
            for rate, coefficient in terms.items()
        ),
        Decimal(0),
    )


def _tail(terms: Exponentials, place: Fraction, sign: int) -> Decimal:
    """The integral from minus infinity up to a place, or from a place on; what does not vanish there has no coefficient."""
    return sum(
        (sign * coefficient * _power(rate, place) / decimal(rate) for rate, coefficient in terms.items() if coefficient),
        Decimal(0),
    )


def _power(rate: Fraction, place: Fraction) -> Decimal:
    return decimal(rate * place).exp()
