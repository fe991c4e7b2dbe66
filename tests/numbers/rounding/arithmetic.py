"""Arithmetic: two operands, whole powers, balls made of numbers, and their ends."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

import numpy as np

from tests.numbers.rounding import bad
from tests.numbers.rounding.operations import Ends, Operation, corners, pair
from tests.numbers.rounding.wide import SEED


def _quotient(x: Fraction, y: Fraction) -> Fraction | None:
    return x / y if y else None


ARITHMETIC: dict[str, tuple[Callable[[Any, Any], Any], Callable[..., Fraction | None]]] = {
    "sum": (add, lambda x, y: x + y),
    "difference": (sub, lambda x, y: x - y),
    "product": (mul, lambda x, y: x * y),
    "quotient": (truediv, _quotient),
}


def arithmetic() -> list[Operation]:
    """Two operands, each exact or not, as numbers and as arrays."""
    found = []
    for module in ("ball", "balls"):
        for name, (run, exact) in ARITHMETIC.items():
            for kind in ("exact", "left", "right", "both"):
                generator = np.random.default_rng(SEED)
                left = bad.middles(generator)
                right = bad.partners(generator, left)
                if name == "quotient":
                    right = np.where(right == 0.0, 3.0, right)
                first = pair(generator, left, exact=kind in ("exact", "right"))
                second = pair(generator, right, exact=kind in ("exact", "left"))
                if module == "ball":
                    first, second = ((middle, np.broadcast_to(radius, middle.shape)) for middle, radius in (first, second))
                pairs = (first, second)
                found.append(
                    Operation(
                        f"{name} of {'numbers' if module == 'ball' else 'arrays'}, {kind}",
                        module,
                        pairs,
                        lambda _, items, run=run: run(*items),
                        corners(pairs, exact),
                    )
                )
    return found


def powers() -> list[Operation]:
    """Whole powers, and a plain number on either side."""
    generator = np.random.default_rng(SEED)
    near = bad.middles(generator, far=False)
    base = (near, np.abs(near) * generator.choice([0.0, 2.0**-53, 2.0**-20, 0.2], near.size))
    runs: dict[str, tuple[Callable[[Any], Any], Callable[[Fraction], Fraction | None]]] = {
        "third power": (lambda x: x**3, lambda x: x**3),
        "negative power": (lambda x: x**-2, lambda x: 1 / x**2 if x else None),
        "number plus": (lambda x: 0.1 + x, lambda x: Fraction(0.1) + x),
        "number minus": (lambda x: 0.1 - x, lambda x: Fraction(0.1) - x),
        "number times": (lambda x: 0.1 * x, lambda x: Fraction(0.1) * x),
        "number over": (lambda x: 0.1 / x, lambda x: Fraction(0.1) / x if x else None),
        "large whole number times": (lambda x: (2**60 + 1) * x, lambda x: (2**60 + 1) * x),
        "negative": (lambda x: -x, lambda x: -x),
        "size": (abs, abs),
        "at least": (lambda x: x.at_least(1.0), lambda x: max(x, Fraction(1))),
        "at most": (lambda x: x.at_most(1.0), lambda x: min(x, Fraction(1))),
        "widened": (lambda x: x.widened(0.25), lambda x: x + Fraction(1, 4)),
    }
    return [
        Operation(
            f"{name} of {module}", module, (base,), lambda _, items, run=run: run(items[0]), corners((base,), exact), 0.3
        )
        for module in ("ball", "balls")
        for name, (run, exact) in runs.items()
    ]


def made() -> list[Operation]:
    """Balls made of numbers."""
    generator = np.random.default_rng(SEED)
    middle = bad.middles(generator)
    ends = pair(generator, middle)
    with np.errstate(over="ignore"):
        low, high = ends[0] - ends[1], ends[0] + ends[1]
    scale = bad.middles(generator)
    found = []
    for module in ("ball", "balls"):
        kind = module.capitalize()
        off = [
            [Fraction(m) + side * 3 * Fraction(2) ** -53 * abs(Fraction(z)) for side in (-1, 1)]
            for m, z in zip(middle, scale, strict=True)
        ]
        zero = np.zeros(middle.shape)
        found.append(
            Operation(
                f"{kind} known up to three roundings of a scale",
                module,
                ((middle, zero), (scale, zero)),
                lambda m, items, kind=kind: getattr(m, kind).rounded(items[0].middle, 3.0, items[1].middle),
                lambda off=off: off,
            )
        )
        lost = [
            [value + side * Fraction(2) ** -1001 for value, side in zip(values, (-1, 1), strict=True)] for values in off
        ]
        found.append(
            Operation(
                f"{kind} evaluated up to three roundings of a scale, and what underflows",
                module,
                ((middle, zero), (scale, zero)),
                lambda m, items, kind=kind: getattr(m, kind).evaluated(items[0].middle, 3.0, items[1].middle),
                lambda lost=lost: lost,
            )
        )
        if module == "balls":
            found.append(
                Operation(
                    "Balls known up to a share of themselves",
                    module,
                    ((middle, zero),),
                    lambda m, items: m.Balls.relative(items[0].middle, 3.0 * 2.0**-53),
                    lambda: [[Fraction(m) * (1 + side * 3 * Fraction(2) ** -53) for side in (-1, 1)] for m in middle],
                )
            )
        off = [[Fraction(m) * (1 + side * 3 * Fraction(2) ** -53) for side in (-1, 1)] for m in middle]
        found.append(
            Operation(
                f"{kind} known up to three roundings of itself",
                module,
                ((middle, zero),),
                lambda m, items, kind=kind: getattr(m, kind).rounded(items[0].middle, 3.0),
                lambda off=off: off,
            )
        )
        found.append(
            Operation(
                f"{kind} evaluated up to three roundings of itself",
                module,
                ((middle, zero),),
                lambda m, items, kind=kind: getattr(m, kind).evaluated(items[0].middle, 3.0),
                lambda off=off: off,
            )
        )
    written = [Fraction(k, 3) * Fraction(2) ** power for k in (1, 2, 5, 7) for power in (-1074, -1071, -60, 0, 70)]
    places = (np.arange(float(len(written))), np.zeros(len(written)))
    found.append(
        Operation(
            "ball of a fraction",
            "ball",
            (places,),
            lambda m, items: m.Ball.of(written[int(items[0].middle)]),
            lambda: [[value] for value in written],
            0.3,
        )
    )
    zero = np.zeros(middle.shape)
    found.append(
        Operation(
            "ball between two numbers",
            "ball",
            ((low, zero), (high, zero)),
            lambda m, items: m.Ball.between(items[0].middle, items[1].middle),
            lambda: [[Fraction(a), Fraction(b)] for a, b in zip(low, high, strict=True)],
        )
    )
    return found


def ends() -> list[Ends]:
    """Ends of numbers and of arrays."""
    generator = np.random.default_rng(SEED)
    inside = pair(generator, bad.middles(generator))
    return [Ends(f"ends of {module}", module, (inside,)) for module in ("ball", "balls")]
