"""The table of operations: scalars, arrays, sums, functions, transforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import add, mul, sub, truediv
from typing import Any

import flint
import numpy as np

from tests.numbers.rounding import bad
from tests.numbers.rounding.operations import Ends, Operation, Pair, corners, fractions, pair, products, sums, through_arb
from tests.numbers.rounding.wide import SEED, WIDE


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


def totals() -> list[Operation]:
    """Sums of all kinds, short and long, exact and not."""
    found: list[Operation] = []
    for size, exact in ((1, True), (1, False), (7, True), (7, False), (1000, True), (1000, False)):
        generator = np.random.default_rng(SEED + size)
        # Many terms that round the same way: small ones are lost beside the first. Where there is one only, products round.
        terms = np.where(np.isin(np.arange(size), (0, 999)), 1.0 + generator.random(size) * (size == 1), 0.99 * 2.0**-53)
        first = terms, 0.0 if exact else np.abs(terms) * generator.choice([0.0, 2.0**-53, 2.0**-20, 0.5], size)
        rest = np.where(np.arange(size) == 0, 1.0 + generator.random(size) * (size == 1), 1.0)
        second = rest, 0.0 if exact else np.abs(rest) * generator.choice([0.0, 2.0**-53, 2.0**-20, 0.5], size)
        starts = np.arange(0, size, 5) if size < 10 else np.array([0, 300, 301])
        index = generator.integers(0, 5, size) if size > 10 else np.zeros(size, dtype=np.intp)
        kind = f"{size} terms, {'exact' if exact else 'not exact'}"
        one = corners((first,), lambda x: x)
        felt = {1: 0.0, 7: 0.7, 1000: 0.01}[size] if exact else 0.8
        both = products(first, second)

        def groups(values: list[Fraction], starts: Any = starts) -> list[Fraction]:
            ends = [*starts.tolist()[1:], len(values)]
            return [sum(values[a:b], Fraction(0)) for a, b in zip(starts.tolist(), ends, strict=True)]

        def bins(values: list[Fraction], index: Any = index) -> list[Fraction]:
            return [sum((v for v, k in zip(values, index.tolist(), strict=True) if k == b), Fraction(0)) for b in range(6)]

        def row(name: str, inputs: tuple[Pair, ...], run: Any, truths: Any, kind: str = kind, felt: float = felt) -> None:
            found.append(Operation(f"{name} of {kind}", "sums", inputs, run, truths, felt))

        row("total", (first,), lambda m, items: m.total(items[0]), sums(lambda v: [sum(v, Fraction(0))], one))
        row("dot", (first, second), lambda m, items: m.dot(*items), sums(lambda v: [sum(v, Fraction(0))], both))
        row(
            "dot of a plain row",
            (first, (rest, 0.0)),
            lambda m, items: m.dot(items[0], items[1].middle),
            sums(lambda v: [sum(v, Fraction(0))], products(first, (rest, 0.0))),
        )
        row("running", (first,), lambda m, items: m.running(items[0]), sums(accumulate, one))
        row(
            "grouped",
            (first,),
            lambda m, items, starts=starts: m.grouped(items[0], starts),
            sums(groups, one),
            felt=felt / 200,
        )
        row("binned", (first,), lambda m, items, index=index: m.binned(index, items[0], 6), sums(bins, one))
        row(
            "summed",
            (first,),
            lambda m, items: m.summed(items[0][:, None], 0),
            sums(lambda v: [sum(v, Fraction(0))], one),
            felt=felt / 2,
        )
        row(
            "matrix product",
            (first, second),
            lambda m, items: m.matrix_product(items[0][None, :], items[1]),
            sums(lambda v: [sum(v, Fraction(0))], both),
        )
    return found


def lines() -> list[Operation]:
    """Sums of few products, and what only puts arrays together."""
    found = []
    for exact in (True, False):
        generator = np.random.default_rng(SEED + exact)
        rows = [pair(generator, bad.middles(generator), exact=exact) for _ in range(3)]
        rows.append(pair(generator, bad.partners(generator, rows[0][0]), exact=exact))
        kind = "exact" if exact else "not exact"
        found.append(
            Operation(
                f"linear, {kind}",
                "sums",
                tuple(rows),
                lambda m, items: m.linear((items[0], items[1]), (items[2], 1.0), (items[3], items[1])),
                corners(rows, lambda x, y, z, w: x * y + z + w * y),
                0.45,
            )
        )
        found.append(
            Operation(
                f"where, {kind}",
                "sums",
                tuple(rows[:2]),
                lambda m, items: m.where(np.arange(bad.COUNT) % 3 == 0, *items),
                lambda rows=rows: [
                    a if k % 3 == 0 else b
                    for k, (a, b) in enumerate(
                        zip(corners(rows[:1], lambda x: x)(), corners(rows[1:2], lambda x: x)(), strict=True)
                    )
                ],
                0.0 if exact else 0.9,
            )
        )
        found.append(
            Operation(
                f"joined, {kind}",
                "sums",
                tuple(rows[:2]),
                lambda m, items: m.joined(items),
                lambda rows=rows: [*corners(rows[:1], lambda x: x)(), *corners(rows[1:2], lambda x: x)()],
                0.0 if exact else 0.9,
            )
        )
    return found


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


def ends() -> list[Ends]:
    """Ends of numbers and of arrays."""
    generator = np.random.default_rng(SEED)
    inside = pair(generator, bad.middles(generator))
    return [Ends(f"ends of {module}", module, (inside,)) for module in ("ball", "balls")]


def _arb_ends(pair: Pair) -> list[list[Any]]:
    return [[flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in both] for both in fractions(pair)]


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
            rows = zip(*map(_arb_ends, pairs), strict=True)
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
            ends = _arb_ends(row)
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


def weighed() -> list[Operation]:
    """Weights times exponentials, each exact or not, down to weights and exponentials that are subnormal."""
    found = []
    runs: dict[str, Callable[[Any], Any]] = {"times_exp": lambda x: x.exp(), "times_expm1": lambda x: x.expm1()}
    for name, function in runs.items():
        for kind in ("exact", "left", "right", "both"):
            generator = np.random.default_rng(SEED)
            middle = np.where(np.arange(300) < 160, bad.middles(generator, 300), 1.0 + 0.5 * generator.random(300))
            places = generator.uniform(-760.0, 50.0, middle.size) * generator.choice(
                [0.0, 1e-310, 1e-3, 0.03, 1.0], middle.size
            )
            doubt = np.minimum(np.abs(places) * generator.choice([0.0, 2.0**-53, 2.0**-20, 0.3], middle.size), 2.0)
            places[160:] = generator.uniform(-1.0, 3.0, 140)
            # Weights and exponentials as close to the least double as can be, where nothing else is granted to speak of.
            middle[:20] = 5e-324 * generator.integers(1, 9, 20)
            places[:20] = generator.uniform(-2.0, 2.0, 20)
            middle[20:40], places[20:30], places[30:40] = 1.0, -745.0 + generator.random(10), 1.3e-323
            middle[25:40] *= 1e6
            first = pair(generator, middle, exact=kind in ("exact", "right"))
            second = (places, 0.0 if kind in ("exact", "left") else doubt)

            def truths(first: Pair = first, second: Pair = second, function: Any = function) -> list[list[Any]]:
                rows = zip(*map(_arb_ends, (first, second)), strict=True)
                return [[flint.acb(w * function(x)) for w in ws for x in xs] for ws, xs in rows]

            found.append(
                Operation(
                    f"{name}, {kind}",
                    "elementary",
                    (first, second),
                    lambda m, items, name=name: getattr(m, name)(*items),
                    truths,
                    0.1,
                )
            )
    return found


OPERATIONS: list[Operation | Ends] = [
    *WIDE,
    *weighed(),
    *edges(),
    *logs(),
    *arithmetic(),
    *powers(),
    *totals(),
    *lines(),
    *functions(),
    *made(),
    *underflowing(),
    *turning(),
    *ends(),
]
