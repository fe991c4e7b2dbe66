"""Functions of one number and of sums of exponentials, around places where they are hard."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import flint
import numpy as np

from tests.numbers.rounding import bad
from tests.numbers.rounding.operations import Operation, through_arb
from tests.numbers.rounding.totals import arb_ends
from tests.numbers.rounding.wide import SEED


def _arguments(generator: np.random.Generator, low: float, high: float, least: float) -> Any:
    spread = generator.uniform(low, high, bad.COUNT)
    close = np.exp(generator.uniform(math.log(least), 0.0, bad.COUNT)) * np.sign(spread)
    return np.where(generator.random(bad.COUNT) < 0.5, spread, close)


SCALAR = {
    "exp": "exp_of",
    "expm1": "expm1_of",
    "log": "log_of_ball",
    "log1p": "log1p_of",
    "sqrt": "sqrt_of",
    "tanh": "tanh",
}


def functions() -> list[Operation]:
    """Functions of one number, around places where they are hard."""
    root = flint.arb(2).sqrt
    table: dict[str, tuple[str, float, float, float, Callable[[Any], Any], tuple[str, ...], float]] = {
        "exp": ("elementary", -700.0, 700.0, 1e-20, lambda x: x.exp(), ("Ball", "Balls"), 0.1),
        "expm1": ("elementary", -60.0, 700.0, 1e-310, lambda x: x.expm1(), ("Ball", "Balls"), 0.1),
        "log": ("elementary", 1e-3, 1e6, 1e-300, lambda x: x.log(), ("Ball", "Balls"), 0.07),
        "log1p": ("elementary", -0.99, 1e6, 1e-310, lambda x: x.log1p(), ("Ball", "Balls"), 0.07),
        "sqrt": ("elementary", 0.0, 1e6, 1e-300, lambda x: x.sqrt() if x > 0 else flint.arb(0), ("Ball", "Balls"), 0.5),
        "tanh": ("elementary", -3.0, 3.0, 1e-310, lambda x: x.tanh(), ("Ball",), 0.1),
        "sin": ("elementary", -60.0, 60.0, 1e-310, lambda x: x.sin(), ("Balls",), 0.07),
        "cos": ("elementary", -60.0, 60.0, 1e-310, lambda x: x.cos(), ("Balls",), 0.07),
        "normal_density": ("special", -37.0, 37.0, 1e-10, lambda x: (-x * x / 2).exp(), ("Ball", "Balls"), 0.04),
        "scaled_tail": (
            "special",
            0.0,
            40.0,
            1e-10,
            lambda x: (x * x / 2).exp() * (x / root()).erfc() / 2,
            ("Ball", "Balls"),
            0.1,
        ),
        "normal_chance": ("special", 0.0, 9.0, 1e-10, lambda x: 1 - (x / root()).erfc() / 2, ("Ball", "Balls"), 0.08),
        "log_normal_chance": (
            "special",
            -38.0,
            8.0,
            1e-10,
            lambda x: ((-x / root()).erfc() / 2).log(),
            ("Ball", "Balls"),
            0.002,
        ),
    }
    found = []
    for name, (module, low, high, least, exact, kinds, felt) in table.items():
        for kind in kinds:
            for doubt in (0.0, 2.0**-50, 0.3):
                generator = np.random.default_rng(SEED)
                middle = _arguments(generator, low, high, least)
                radius = np.abs(middle) * doubt
                if name in ("normal_density", "exp", "log_normal_chance", "scaled_tail", "expm1"):
                    radius = np.minimum(radius, 1.5)
                if name == "log1p":
                    radius = np.minimum(radius, 0.9 * (1.0 + middle))

                def run(m: Any, items: list[Any], name: str = name, kind: str = kind, doubt: float = doubt) -> Any:
                    if name in SCALAR and kind == "Ball":
                        return getattr(m, SCALAR[name])(items[0])
                    if kind == "Balls":
                        return getattr(m, name)(m.Balls(items[0].middle, items[0].radius if doubt else 0.0))
                    numbers = [m.Ball(float(a), float(b)) for a, b in zip(items[0].middle, items[0].radius, strict=True)]
                    balls = [getattr(m, name)(number) for number in numbers]
                    return m.Balls(np.array([b.middle for b in balls]), np.array([b.radius for b in balls]))

                found.append(
                    Operation(
                        f"{name} of {kind}, off by {doubt:.1g}",
                        "ball_functions" if name in SCALAR and kind == "Ball" else module,
                        ((middle, radius),),
                        run,
                        through_arb((middle, radius), exact),
                        felt if not doubt else 0.02 if name == "log_normal_chance" else 0.15,
                    )
                )
    return found


def edges() -> list[Operation]:
    """Functions where nothing else is granted to speak of: of subnormal numbers, and next to the end of their domain."""
    generator = np.random.default_rng(SEED)
    tiny = np.concatenate([5e-324 * np.array([1.0, -1.0, 3.0, -7.0, 90.0]), [1e-310, -1e-310, 2.0**-1022, 1e-300]])
    low = -1.0 + np.exp(generator.uniform(-30.0, -0.5, 40))
    table: list[tuple[str, Any, Any, Callable[[Any], Any], bool]] = [
        (name, tiny, np.zeros(tiny.size), function, name == "tanh")
        for name, function in (
            ("expm1", lambda x: x.expm1()),
            ("log1p", lambda x: x.log1p()),
            ("tanh", lambda x: x.tanh()),
            ("sin", lambda x: x.sin()),
        )
    ]
    for share in (2.0**-40, 0.3, 0.97):
        table.append((f"log1p by {share:.1g}", low, share * (1.0 + low), lambda x: x.log1p(), False))
        table.append((f"log by {share:.1g}", 1.0 + low, share * (1.0 + low), lambda x: x.log(), False))
    around = np.concatenate([np.zeros(3), 10.0 ** generator.uniform(-300.0, 2.0, 30)])
    table.append(("sqrt around 0", around, around + 1e-200, lambda x: x.sqrt() if x > 0 else flint.arb(0), False))
    hair = generator.uniform(1.0, 4.0, 60)
    table.append(("sqrt by a hair", hair, 2.0**-80 * hair, lambda x: x.sqrt(), False))
    far = generator.uniform(-20.0, 20.0, 80)
    table.append(("exp by far", far, generator.uniform(0.9, 5.0, 80), lambda x: x.exp(), False))
    table.append(("expm1 by far", far, generator.uniform(0.9, 5.0, 80), lambda x: x.expm1(), False))
    table.append(("exp by more", far[:50], generator.uniform(0.9, 5.0, 50), lambda x: x.exp(), False))
    found = []
    for label, middle, radius, function, scalar in table:
        name, inputs = label.split()[0], (middle, radius)
        if name in SCALAR:
            run = lambda m, items, name=name: getattr(m, SCALAR[name])(items[0])  # noqa: E731
            found.append(
                Operation(
                    f"{label} of Ball at an edge", "ball_functions", (inputs,), run, through_arb(inputs, function), 0.0
                )
            )
        if not scalar:
            many = lambda m, items, name=name: getattr(m, name)(items[0])  # noqa: E731
            found.append(
                Operation(f"{label} of Balls at an edge", "elementary", (inputs,), many, through_arb(inputs, function), 0.0)
            )
    return found


def logs() -> list[Operation]:
    """Logarithms of sums of exponentials, and of moments that may be too uncertain."""
    generator = np.random.default_rng(SEED)
    found = []
    for doubt in (0.0, 2.0**-50, 0.2):
        kind = f"off by {doubt:.1g}"
        one, other = (generator.uniform(-800.0, 800.0, 60) for _ in range(2))
        one[:30] = generator.uniform(-1e-3, 1e-3, 30)
        other[:40] = one[:40] + generator.choice([0.0, 1e-12, 0.5, 3.0, 40.0], 40)
        first, second = ((row, np.abs(row) * doubt / 40.0 if doubt else 0.0) for row in (one, other))

        def added(pairs: Any = (first, second)) -> list[list[Any]]:
            rows = zip(*map(arb_ends, pairs), strict=True)
            return [[flint.acb((x.exp() + y.exp()).log()) for x in xs for y in ys] for xs, ys in rows]

        found.append(
            Operation(
                f"log of e^x + e^y, {kind}",
                "elementary",
                (first, second),
                lambda m, items: m.log_added(*items),
                added,
                0.07 if not doubt else 0.5,
            )
        )
        starts = [0, 1, 5, 30]

        def groups(row: Any = second, starts: list[int] = starts) -> list[list[Any]]:
            ends = arb_ends(row)
            return [
                [flint.acb(sum((both[side].exp() for both in ends[a:b]), flint.arb(0)).log()) for side in (0, 1)]
                for a, b in zip(starts, [*starts[1:], 60], strict=True)
            ]

        found.append(
            Operation(
                f"logs of sums, {kind}",
                "elementary",
                (second,),
                lambda m, items, starts=starts: m.logs_of_sums(items[0], np.array(starts)),
                groups,
                0.02,
            )
        )
    return found
