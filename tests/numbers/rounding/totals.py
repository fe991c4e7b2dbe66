"""Sums: of all kinds, of few products, of weights times exponentials."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

import flint
import numpy as np

from tests.numbers.rounding import bad
from tests.numbers.rounding.operations import Operation, Pair, corners, fractions, pair, products, sums
from tests.numbers.rounding.wide import SEED


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


def arb_ends(pair: Pair) -> list[list[Any]]:
    return [[flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in both] for both in fractions(pair)]


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
                rows = zip(*map(arb_ends, (first, second)), strict=True)
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
