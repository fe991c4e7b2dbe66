"""Operations on whole rows: transforms, products of complex matrices, sums along an axis, tails beside their density."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import numpy as np

from tests.numbers.rounding.operations import Operation, Pair, corners, fractions, sums

SEED = 20261117
LENGTH = 48


def _rows(generator: np.random.Generator) -> dict[str, Any]:
    """Rows that are bad for a transform: one, all alike, in step with a frequency, nearly cancelling, tiny."""
    index = np.arange(LENGTH)
    near = 1.0 + 2.0**-52 * generator.integers(0, 4, LENGTH)
    return {
        "one": np.where(index == 5, 1.0 + 2.0**-52, 0.0),
        "alike": np.full(LENGTH, 0.1),
        "alternating": near * (-1.0) ** index,
        "in step": np.cos(2.0 * np.pi * 7 * index / LENGTH) * near,
        "mixed sizes": np.ldexp(generator.uniform(-1.0, 1.0, LENGTH), generator.integers(-60, 60, LENGTH)),
        "tiny": 2.0**-1030 * generator.uniform(-1.0, 1.0, LENGTH),
    }


def _roots() -> list[Any]:
    return [flint.acb(flint.arb(2 * k) / LENGTH).exp_pi_i() for k in range(LENGTH)]


def _moved(middle: Any, radius: Any, directions: Any) -> list[Any]:
    full = np.broadcast_to(radius, middle.shape)
    return [
        flint.acb(m) + flint.acb(r) * flint.acb(d)
        for m, r, d in zip(middle.tolist(), full.tolist(), directions, strict=True)
    ]


def _forward(pair: Pair) -> Callable[[], list[list[Any]]]:
    """The exact first half of the transform, with errors in step with each of some frequencies, and with none."""

    def find() -> list[list[Any]]:
        roots, patterns = _roots(), ([1] * LENGTH, [-1] * LENGTH, [(-1) ** j for j in range(LENGTH)], [0] * LENGTH)
        rows = [_moved(*pair, pattern) for pattern in patterns]
        return [
            [sum((x * roots[-j * k % LENGTH] for j, x in enumerate(row)), flint.acb(0)) for row in rows]
            for k in range(LENGTH // 2 + 1)
        ]

    return find


def _backward(pair: Pair) -> Callable[[], list[list[Any]]]:
    """The exact row of a first half; imaginary parts at both ends have no effect."""

    def find() -> list[list[Any]]:
        roots, half = _roots(), LENGTH // 2
        rows = [_moved(*pair, [d] * (half + 1)) for d in (1, -1, 0)]
        found = []
        for j in range(LENGTH):
            values = []
            for row in rows:
                inner = sum((2 * (x * roots[j * k % LENGTH]).real for k, x in enumerate(row) if 0 < k < half), flint.arb(0))
                values.append(flint.acb((inner + row[0].real + (-1) ** j * row[half].real) / LENGTH))
            found.append(values)
        return found

    return find


def transforms() -> list[Operation]:
    """Both transforms of bad rows, exact and not."""
    found = []
    for doubt in (0.0, 2.0**-40, 0.3):
        generator = np.random.default_rng(SEED)
        for name, row in _rows(generator).items():
            radius: Any = doubt * np.abs(row) if doubt == 2.0**-40 else doubt * float(np.abs(row).max())
            felt = 0.0 if name == "tiny" else 0.9 if doubt == 0.3 else 0.5 if doubt else 0.0
            pair = (row, radius)
            found.append(
                Operation(
                    f"forward transform of {name}, off by {doubt:.1g}",
                    "transforms",
                    (pair,),
                    lambda m, items: m.forward_transform(items[0], LENGTH),
                    _forward(pair),
                    felt,
                )
            )
            spectrum = np.fft.rfft(row)
            radius = doubt * np.abs(spectrum) if doubt == 2.0**-40 else doubt * float(np.abs(spectrum).max())
            pair = (spectrum, radius)
            found.append(
                Operation(
                    f"backward transform of {name}, off by {doubt:.1g}",
                    "transforms",
                    (pair,),
                    lambda m, items: m.backward_transform(items[0], LENGTH),
                    _backward(pair),
                    0.9 * felt,
                )
            )
    return found


def products() -> list[Operation]:
    """A row of complex numbers times a column, with errors that all point the same way."""
    found = []
    for size, doubt in itertools.product((1, 9), (0.0, 2.0**-50, 0.25)):
        generator = np.random.default_rng(SEED + size)
        one, other = (np.exp(generator.uniform(-2, 2, size) + 1j * generator.uniform(-3, 3, size)) for _ in range(2))
        first, second = (one, doubt * np.abs(one) if doubt else 0.0), (other, 0.5 * doubt * np.abs(other) if doubt else 0.0)

        def truths(first: Pair = first, second: Pair = second) -> list[list[Any]]:
            turns = [np.conj(z) / np.abs(z) * (1.0 - 2.0**-40) for z in (second[0], first[0])]
            values = []
            for a, b in itertools.product((1, -1, 0), repeat=2):
                rows = zip(_moved(*first, (a * turns[0]).tolist()), _moved(*second, (b * turns[1]).tolist()), strict=True)
                values.append(sum((x * y for x, y in rows), flint.acb(0)))
            return [values]

        found.append(
            Operation(
                f"complex matrix product of {size} terms, off by {doubt:.1g}",
                "sums",
                (first, second),
                lambda m, items: m.matrix_product(items[0][None, :], items[1]),
                truths,
                0.5 if doubt == 0.25 else 0.005,
            )
        )
    return found


def axes() -> list[Operation]:
    """Sums along either axis of a table."""
    found = []
    for axis, doubt in itertools.product((0, 1), (0.0, 0.5)):
        middle = np.where(np.arange(30) % 7 == 0, 1.0, 0.99 * 2.0**-53)
        table = (middle, doubt * middle if doubt else 0.0)

        def groups(values: list[Fraction], axis: int = axis) -> list[Fraction]:
            rows = [values[5 * k : 5 * k + 5] for k in range(6)]
            return [sum(line, Fraction(0)) for line in (rows if axis == 1 else zip(*rows, strict=True))]

        def run(m: Any, items: list[Any], axis: int = axis) -> Any:
            radius = items[0].radius
            return m.summed(
                m.Balls(items[0].middle.reshape(6, 5), radius if isinstance(radius, float) else radius.reshape(6, 5)), axis
            )

        found.append(
            Operation(
                f"sums along axis {axis}, off by {doubt:.1g}",
                "sums",
                (table,),
                run,
                sums(groups, corners((table,), lambda x: x)),
                0.5,
            )
        )
    return found


def _tail(x: Any) -> Any:
    return (x / flint.arb(2).sqrt()).erfc() / 2


@cache
def _worst_of_erfcx() -> list[float]:
    """Of many numbers those at which erfcx errs most."""
    from scipy.special import erfcx

    flint.ctx.prec = 200
    some = np.random.default_rng(SEED).uniform(0.0, 20.0, 1500)
    values = zip(erfcx(some / 2.0**0.5).tolist(), (some / 2.0**0.5).tolist(), some.tolist(), strict=True)
    errors = []
    for value, argument, number in values:
        x = flint.arb(argument)
        errors.append((float((abs(flint.arb(value) / ((x * x).exp() * x.erfc()) - 1)).mid()), number))
    return [number for _, number in sorted(errors)[-20:]]


def tails() -> list[Operation]:
    """Tails of the normal law beside its density, on both sides of 0; and the logarithm of the gamma function."""
    found = []
    for doubt in (0.0, 2.0**-50, 0.05):
        generator = np.random.default_rng(SEED)
        place = generator.uniform(-36.0, 36.0, 150)
        place[:40] = generator.uniform(-0.1, 0.1, 40)
        place[40:50] = generator.uniform(37.5, 38.6, 10)
        other = np.where(np.arange(150) < 50, place + generator.uniform(-0.1, 0.1, 150), generator.permutation(place))
        other[50:60] = generator.uniform(1e3, 1e9, 10)
        # Here erfcx is off by eight of its roundoffs, the square of z and its exponential by next to nothing.
        place[60:80], other[60:80] = 1e-9 * np.arange(20), np.array(_worst_of_erfcx())
        slips = np.where(np.abs(other) > 1e3, 1e-2 * np.abs(other), 1.0) if doubt == 0.05 else 1.0
        first, second = (place, np.full(150, doubt)), (other, doubt * slips * np.ones(150))

        def truths(first: Pair = first, second: Pair = second, whole: bool = True) -> list[list[Any]]:
            found = []
            for zs, ys, middle in zip(fractions(first), fractions(second), second[0].tolist(), strict=True):
                values = []
                for z, y in itertools.product(zs, ys):
                    at, to = (flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in (z, y))
                    to = -to if middle < 0.0 else to
                    values.append(flint.acb((-at * at / 2).exp() * ((to * to / 2).exp() * _tail(to) if whole else 1)))
                found.append(values)
            return found

        found.append(
            Operation(
                f"tails by density, off by {doubt:.1g}",
                "special",
                (first, second),
                lambda m, items: m.tails_by_density(items[0], items[1])[1],
                truths,
                0.3 if doubt == 0.05 else 0.05,
            )
        )
        found.append(
            Operation(
                f"densities, off by {doubt:.1g}",
                "special",
                (first, second),
                lambda m, items: m.tails_by_density(items[0], items[1])[0],
                lambda truths=truths: truths(whole=False),
                0.05,
            )
        )
    near = np.concatenate([1.0 + 2.0**-52 * np.arange(-3, 4), 2.0 + 2.0**-51 * np.arange(-3, 4)])
    generator = np.random.default_rng(SEED)
    some = np.concatenate([near, np.exp(generator.uniform(-690.0, 13.0, 60)), generator.uniform(0.0, 30.0, 60)])
    arguments = (some, np.zeros(some.size))
    found.append(
        Operation(
            "log_gamma",
            "special",
            (arguments,),
            lambda m, items: m.Balls.of([m.log_gamma(x) for x in items[0].middle.tolist()]),
            lambda: [[flint.acb(flint.arb(x).lgamma())] for x in some.tolist()],
            0.02,
        )
    )
    return found


WIDE = [*transforms(), *products(), *axes(), *tails()]
