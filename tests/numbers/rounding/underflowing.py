"""Where results are lost among the smallest numbers, or nearly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np

from tests.numbers.rounding import bad
from tests.numbers.rounding.operations import Operation, corners, products, sums, through_arb
from tests.numbers.rounding.wide import SEED


def underflowing() -> list[Operation]:
    """Where results are lost among the smallest numbers, or nearly."""
    generator = np.random.default_rng(SEED)
    low = generator.uniform(-746.0, -700.0, bad.COUNT)
    lowest = (low, np.zeros(bad.COUNT))
    small = 2.0**-537 * (1.0 + generator.random(64)), 0.0
    factor = 2.0**-537 * (1.0 + generator.random(64)), 0.0
    lone = (np.array([2.0**-537 * 1.3]), 0.0), (np.array([2.0**-537 * 1.1]), 0.0)
    tiny = np.array([5e-324, -5e-324, 1e-320, 3e-310]), 0.0

    half = (low / 20.0, np.full(low.size, 0.5))
    vague = (low - 100.0, np.abs(low) * generator.choice([0.01, 0.2, 1.0], low.size))
    logs = (low[:9] + 700.0, 2.0**-50 * np.arange(9.0))

    def log_sums() -> list[list[Any]]:
        ends = [[float(m) + side * float(r) for m, r in zip(*logs, strict=True)] for side in (-1, 1)]
        return [[flint.acb(sum((flint.arb(x).exp() for x in row), flint.arb(0)).log()) for row in ends]]

    whole = lambda v: [sum(v, Fraction(0))]  # noqa: E731
    return [
        Operation(
            "exp of low Balls",
            "elementary",
            ((low, 0.0),),
            lambda m, items: m.exp(items[0]),
            through_arb((low, 0.0), lambda x: x.exp()),
            0.0,
        ),
        Operation(
            "exp of Balls off by a half",
            "elementary",
            (half,),
            lambda m, items: m.exp(items[0]),
            through_arb(half, lambda x: x.exp()),
            0.3,
        ),
        Operation(
            "log of sum", "elementary", (logs,), lambda m, items: m.Balls.of([m.log_of_sum(items[0])]), log_sums, 0.05
        ),
        Operation(
            "exp of low Ball",
            "ball_functions",
            (lowest,),
            lambda m, items: m.exp_of(items[0]),
            through_arb(lowest, lambda x: x.exp()),
            0.0,
        ),
        Operation(
            "exp of low Ball of which little is known",
            "ball_functions",
            (vague,),
            lambda m, items: m.exp_of(items[0]),
            through_arb(vague, lambda x: x.exp()),
            0.0,
        ),
        Operation(
            "exp of low Balls of which little is known",
            "elementary",
            (vague,),
            lambda m, items: m.exp(items[0]),
            through_arb(vague, lambda x: x.exp()),
            0.0,
        ),
        Operation(
            "expm1 of subnormal Balls",
            "elementary",
            (tiny,),
            lambda m, items: m.expm1(items[0]),
            through_arb(tiny, lambda x: x.expm1()),
            0.0,
        ),
        Operation(
            "dot of small numbers",
            "sums",
            (small, factor),
            lambda m, items: m.dot(*items),
            sums(whole, products(small, factor)),
            0.0,
        ),
        Operation(
            "dot of two small numbers", "sums", lone, lambda m, items: m.dot(*items), sums(whole, products(*lone)), 0.0
        ),
        Operation(
            "matrix product of small numbers",
            "sums",
            (small, factor),
            lambda m, items: m.matrix_product(items[0][None, :], items[1]),
            sums(whole, products(small, factor)),
            0.0,
        ),
        Operation(
            "linear of small numbers",
            "sums",
            (small, factor),
            lambda m, items: m.linear((items[0], items[1])),
            corners((small, factor), lambda x, y: x * y),
            0.0,
        ),
    ]
