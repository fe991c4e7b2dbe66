"""Functions of the C library, numpy and scipy keep to at most half of the error that they are granted, as Arb sees it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import flint
import numpy as np
import pytest
from scipy import special

from accountant.numbers.rounding import granted
from accountant.numbers.rounding.direction import ROUNDOFF

BITS = 250
Floats = np.ndarray[Any, Any]


def spread(generator: np.random.Generator, low: float, high: float, count: int) -> Floats:
    """Even, dense towards 0 on the same side, and next to powers of two and whole numbers."""
    even = generator.uniform(low, high, count)
    near = np.exp(generator.uniform(math.log(1e-18), math.log(max(abs(low), abs(high))), count)) * generator.choice(
        [-1.0, 1.0], count
    )
    powers = np.ldexp(1.0, generator.integers(-50, 10, count)) * generator.choice([-1.0, 1.0], count)
    whole = np.round(even)
    some = np.concatenate(
        [even, near, np.nextafter(powers, 0.0), powers, np.nextafter(whole, 0.0), np.nextafter(whole, 9e9)]
    )
    return some[(some >= low) & (some <= high) & (some != 0.0)]


def one_by_one(function: Callable[[float], float]) -> Callable[[Floats], Floats]:
    return lambda points: np.array([function(point) for point in points.tolist()])


def tail(x: Any) -> Any:
    return (x / flint.arb(2).sqrt()).erfc() / 2


ROWS: dict[str, tuple[Callable[[Floats], Floats], Callable[[Any], Any], float, float, float]] = {
    "math.exp": (one_by_one(math.exp), lambda x: x.exp(), -700.0, 700.0, granted.LIBRARY),
    "numpy.exp": (np.exp, lambda x: x.exp(), -700.0, 700.0, granted.ELEMENTARY),
    "math.expm1": (one_by_one(math.expm1), lambda x: x.expm1(), -700.0, 700.0, granted.LIBRARY),
    "numpy.expm1": (np.expm1, lambda x: x.expm1(), -700.0, 700.0, granted.ELEMENTARY),
    "math.log": (one_by_one(math.log), lambda x: x.log(), 1e-300, 1e9, granted.LIBRARY),
    "numpy.log": (np.log, lambda x: x.log(), 1e-300, 1e9, granted.ELEMENTARY),
    "math.log1p": (one_by_one(math.log1p), lambda x: x.log1p(), -0.999999, 1e9, granted.LIBRARY),
    "numpy.log1p": (np.log1p, lambda x: x.log1p(), -0.999999, 1e9, granted.ELEMENTARY),
    "math.tanh": (one_by_one(math.tanh), lambda x: x.tanh(), -700.0, 700.0, granted.ELEMENTARY),
    "math.sinh": (one_by_one(math.sinh), lambda x: x.sinh(), -700.0, 700.0, granted.ELEMENTARY),
    "numpy.sinh": (np.sinh, lambda x: x.sinh(), -700.0, 700.0, granted.ELEMENTARY),
    "math.cosh": (one_by_one(math.cosh), lambda x: x.cosh(), -700.0, 700.0, granted.ELEMENTARY),
    "numpy.cosh": (np.cosh, lambda x: x.cosh(), -700.0, 700.0, granted.ELEMENTARY),
    "math.asinh": (one_by_one(math.asinh), lambda x: x.asinh(), -1e9, 1e9, granted.ELEMENTARY),
    "numpy.logaddexp of 0": (lambda x: np.logaddexp(0.0, x), lambda x: x.exp().log1p(), -700.0, 700.0, granted.ELEMENTARY),
    "math.erfc": (one_by_one(math.erfc), lambda x: x.erfc(), -26.5, 26.5, granted.TAIL),
    "numpy.sin": (np.sin, lambda x: x.sin(), -1e6, 1e6, granted.ELEMENTARY),
    "numpy.cos": (np.cos, lambda x: x.cos(), -1e6, 1e6, granted.ELEMENTARY),
    "scipy.special.erfcx": (special.erfcx, lambda x: (x * x).exp() * x.erfc(), 0.0, 1e6, granted.SCALED_TAIL),
    "scipy.special.erfcx up to 60": (special.erfcx, lambda x: (x * x).exp() * x.erfc(), 0.0, 60.0, granted.SCALED_TAIL),
    "scipy.special.ndtr": (special.ndtr, lambda x: 1 - tail(x), 0.0, 50.0, granted.NORMAL),
    "scipy.special.log_ndtr": (special.log_ndtr, lambda x: tail(-x).log(), -1000.0, 10.0, granted.LOG_NORMAL),
    "math.lgamma": (one_by_one(math.lgamma), lambda x: x.lgamma(), 1e-300, 1e6, granted.LOG_GAMMA),
    "scipy.special.gammaln": (special.gammaln, lambda x: x.lgamma(), 1e-300, 1e6, granted.LOG_GAMMA),
}


def largest_error(name: str, count: int) -> tuple[float, int]:
    """The largest relative error of a function in roundoffs, and at how many points."""
    function, truth, low, high, allowed = ROWS[name]
    flint.ctx.prec = BITS
    points = spread(np.random.default_rng(20261117), low, high, count)
    worst = 0.0
    for point, value in zip(points.tolist(), function(points).tolist(), strict=True):
        exact = truth(flint.arb(point))
        scale = max(1.0, abs(value)) if allowed == granted.LOG_GAMMA else abs(exact)
        worst = max(worst, float((abs(flint.arb(value) - exact) / scale).mid()) / ROUNDOFF)
    return worst, points.size


@pytest.mark.parametrize("name", ROWS)
def test_a_function_errs_by_at_most_half_of_what_it_is_granted(name: str) -> None:
    worst, points = largest_error(name, 150)
    assert points > 200
    assert 0.0 < worst <= 0.5 * ROWS[name][-1] / ROUNDOFF


@pytest.mark.sweep
@pytest.mark.parametrize("name", ROWS)
def test_a_function_errs_by_at_most_half_of_what_it_is_granted_at_many_points(name: str) -> None:
    worst, points = largest_error(name, 60_000)
    print(f"| {name} | {ROWS[name][2]:g} to {ROWS[name][3]:g} | {ROWS[name][-1] / ROUNDOFF:g} | {worst:.1f} | {points} |")
    assert 0.0 < worst <= 0.5 * ROWS[name][-1] / ROUNDOFF


_PLAIN = """
import numpy as np
from tests.numbers.rounding.test_granted import ROWS, largest_error, vector_features
assert vector_features() == [], vector_features()
for name in ROWS:
    print(name, *largest_error(name, 5000), sep="|")
"""


def vector_features() -> list[str]:
    """What numpy uses of this processor beyond what every processor has."""
    from numpy._core import _multiarray_umath as core

    return [feature for feature in core.__cpu_dispatch__ if core.__cpu_features__[feature]]


@pytest.mark.sweep
def test_functions_err_no_more_where_the_processor_has_no_vectors() -> None:
    off = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(vector_features())}
    run = subprocess.run([sys.executable, "-c", _PLAIN], env=off, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    worst = {name: float(error) for name, error, _ in (line.split("|") for line in run.stdout.splitlines())}
    assert worst.keys() == ROWS.keys()
    assert {name: error for name, error in worst.items() if error > 0.5 * ROWS[name][-1] / ROUNDOFF} == {}
