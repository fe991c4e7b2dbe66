"""Complex numbers, at places on the edge of each ball."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flint
import numpy as np

from tests.numbers.rounding.operations import Operation, Pair
from tests.numbers.rounding.wide import SEED


def _turned(pairs: Sequence[Pair], exact: Callable[..., Any]) -> Callable[[], list[list[Any]]]:
    """A function of complex numbers at eight places on the edge of each ball, turned with and against each other."""

    def find() -> list[list[Any]]:
        found = []
        for row in zip(
            *(zip(m.tolist(), np.broadcast_to(r, m.shape).tolist(), strict=True) for m, r in pairs), strict=True
        ):
            values = []
            for k in range(8):
                for turn in (1, -1, 3):
                    places = []
                    for j, (middle, radius) in enumerate(row):
                        angle = flint.arb(k if j == 0 else turn * k + 2 * j) / 4
                        # A hair inside the edge, because Arb's own enclosures may not reach beyond it.
                        unit = flint.acb(angle.cos_pi(), angle.sin_pi()) * (1 - flint.arb(2) ** -200)
                        places.append(flint.acb(middle) + flint.acb(radius) * unit)
                    values.append(exact(*places))
            found.append([value for value in values if value.is_finite()])
        return found

    return find


def turning() -> list[Operation]:
    """Complex numbers."""
    found = []
    for doubt in (0.0, 2.0**-50, 0.25):
        generator = np.random.default_rng(SEED)
        size = 40
        rows = [
            (np.exp(generator.uniform(-3, 2, size)) * np.exp(1j * generator.uniform(-np.pi, np.pi, size))) for _ in range(2)
        ]
        rows[0][:6] = np.exp(generator.uniform(-30, -5, 6)) * (1.0 + 1j * generator.uniform(-2, 2, 6))
        first, second = ((row, np.abs(row) * doubt if doubt else 0.0) for row in rows)
        small = (rows[0] * 0.4, np.abs(rows[0]) * 0.4 * doubt if doubt else 0.0)
        ahead = (np.abs(rows[0].real) + 1j * rows[0].imag, first[1])
        ahead[0][6:14] /= np.abs(ahead[0][6:14])
        ahead[0][14:22] = 1.0 + 1e-9 * ahead[0][14:22]
        kind = f"complex numbers, off by {doubt:.1g}"
        felt = 0.25 if not doubt else 0.3

        def row(
            name: str, module: str, inputs: tuple[Pair, ...], run: Any, exact: Any, felt: float = felt, kind: str = kind
        ) -> None:
            found.append(Operation(f"{name} of {kind}", module, inputs, run, _turned(inputs, exact), felt))

        row("sum", "balls", (first, second), lambda _, items: items[0] + items[1], lambda x, y: x + y)
        row("product", "balls", (first, second), lambda _, items: items[0] * items[1], lambda x, y: x * y)
        row("quotient", "balls", (first, second), lambda _, items: items[0] / items[1], lambda x, y: x / y, felt=0.06)
        row("size", "balls", (first,), lambda _, items: abs(items[0]), lambda x: flint.acb(abs(x)), felt=0.2)
        row("exp", "elementary", (first,), lambda m, items: m.exp(items[0]), lambda x: x.exp(), felt=0.03)
        row("expm1", "elementary", (first,), lambda m, items: m.expm1(items[0]), lambda x: x.exp() - 1, felt=0.03)
        row("log", "elementary", (ahead,), lambda m, items: m.log(items[0]), lambda x: x.log(), felt=0.03)
        row("real part", "balls", (first,), lambda _, items: items[0].real, lambda x: flint.acb(x.real), felt=0.0)
        row("imaginary part", "balls", (first,), lambda _, items: items[0].imag, lambda x: flint.acb(x.imag), felt=0.0)
        row("mirror image", "balls", (first,), lambda _, items: items[0].conjugate(), lambda x: x.conjugate(), felt=0.0)
        row(
            "log1p, if known,",
            "elementary",
            (small,),
            lambda m, items: m.log1p_or_most(items[0]),
            lambda x: (1 + x).log(),
            0.02,
        )
        row("log1p", "elementary", (small,), lambda m, items: m.log1p(items[0]), lambda x: (1 + x).log(), felt=0.02)
        row(
            "linear",
            "sums",
            (first, second),
            lambda m, items: m.linear((items[0], items[1]), (2.0, items[0])),
            lambda x, y: x * y + 2 * x,
        )
    return found
