"""Sums of balls: totals, running totals, totals of groups, products of vectors and matrices, and arrays put together.

A sum of n numbers in any order is off by at most n - 1 roundoffs of the sum of their sizes (Higham 2002, section 4.2), and
sums lose nothing to underflow. Long ones are added up in rows of about sqrt(n), so that no number takes part in more than
2 sqrt(n) additions, however numpy adds up a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.balls import Array, Balls, Floats, Radius, is_exact, parts_of, product_rounding
from accountant.numbers.rounding.direction import LEAST, ROUNDOFF, SMALL, grown

_SHORT = 64


def total(values: Balls) -> Ball:
    """The sum of all entries, which are real and stand in one row."""
    middle, times = _added(values.middle)
    size, _ = _added(np.abs(values.middle))
    return Ball(middle, (times * ROUNDOFF * size + _added_radius(values)) * grown(times))


def dot(left: Balls | Floats, right: Balls | Floats) -> Ball:
    """The sum of all products of two rows, real both."""
    first, doubt = parts_of(left)
    second, slip = parts_of(right)
    # Nothing times infinity is not a number, and a radius that is none says that nothing is known.
    with np.errstate(over="ignore", invalid="ignore"):
        sizes, others = np.abs(first), np.abs(second)
        count = first.size
        if count <= _SHORT:
            middle, size, times = float(first @ second), float(sizes @ others), max(count - 1.0, 0.0)
        else:
            middle, times = _added(first * second)
            size, _ = _added(sizes * others)
        radius = (times + 1.0) * ROUNDOFF * size
        if size < SMALL * count and np.any((first != 0.0) & (second != 0.0)):
            radius += LEAST * count
        if not is_exact(slip):
            radius += _weighed(sizes, slip)
            others = others + slip
        if not is_exact(doubt):
            radius += _weighed(others, doubt)
    return Ball(middle, radius * grown(count))


def running(values: Balls) -> Balls:
    """The sums of the first one, two, ... entries."""
    middle = np.cumsum(values.middle)
    counts = np.arange(middle.size)
    radius = np.cumsum(np.abs(values.middle)) * (ROUNDOFF * counts)
    if not is_exact(values.radius):
        radius += np.cumsum(values.radii)
    return Balls(middle, radius * grown(middle.size))


def grouped(values: Balls, starts: NDArray[np.intp]) -> Balls:
    """The sums of the entries from each start up to the next one; starts rise, and the last group ends with the row."""
    counts = np.diff(np.append(starts, values.middle.size))
    return _groups(values, counts, lambda array: np.add.reduceat(array, starts) if array.size else array)


def binned(index: NDArray[np.intp], values: Balls, size: int) -> Balls:
    """The sums of the entries with each index, from 0 up to a size."""
    return binned_rows(index, (values,), size)[0]


def binned_rows(index: NDArray[np.intp], rows: Sequence[Balls], size: int) -> list[Balls]:
    """The sums of the entries with each index, from 0 up to a size, of several rows."""
    counts = np.bincount(index, minlength=size)[index]
    # What sums round is spread over their terms, so that nothing is done for what is empty.
    shares, growth = ROUNDOFF * (counts - 1.0), grown(float(np.maximum.reduce(counts, initial=1)))
    found = []
    for values in rows:
        radius = np.abs(values.middle)
        radius *= shares
        if not is_exact(values.radius):
            radius += values.radius
        radius *= growth
        spread = np.asarray(np.bincount(index, radius, size), dtype=np.float64)
        found.append(Balls(np.bincount(index, values.middle, size), spread))
    return found


def summed(values: Balls, axis: int) -> Balls:
    """The sums along one axis."""
    count = values.middle.shape[axis]
    return _groups(values, count, lambda array: array.sum(axis=axis))


def _groups(values: Balls, counts: Any, add: Any) -> Balls:
    middle = add(values.middle)
    radius = add(np.abs(values.middle)) * (ROUNDOFF * np.maximum(counts - 1.0, 0.0))
    if not is_exact(values.radius):
        radius += add(values.radii)
    return Balls(middle, radius * grown(float(np.max(counts, initial=1))))


def matrix_product(left: Balls | Array, right: Balls | Array) -> Balls:
    """The product of two matrices, or of a matrix and a vector, in any order of summation."""
    first, doubt = parts_of(left)
    second, slip = parts_of(right)
    middle = first @ second
    sizes, others = np.abs(first), np.abs(second)
    count = first.shape[-1]
    rounding = 3.0 * product_rounding(middle) * (count + 1.0) if np.iscomplexobj(middle) else ROUNDOFF * (count + 1.0)
    radius = rounding * (sizes @ others) + LEAST * count
    if not is_exact(slip):
        radius += sizes @ np.broadcast_to(slip, second.shape)
    if not is_exact(doubt):
        radius += np.broadcast_to(doubt, first.shape) @ (others + slip)
    return Balls(middle, radius * grown(2.0 * count))


def linear(*terms: tuple[Balls | Ball | Array | float, Balls | Ball | Array | float]) -> Balls:
    """The sum of products, two factors each, in one pass: every product and every sum rounds once."""
    middle: Any = 0.0
    size: Any = 0.0
    radius: Any = 0.0
    some: Any = False
    for one, other in terms:
        first, doubt = parts_of(one)
        second, slip = parts_of(other)
        product = first * second
        middle = middle + product
        size = size + np.abs(product)
        if not is_exact(slip):
            radius = radius + np.abs(first) * slip
        if not is_exact(doubt):
            radius = radius + doubt * (np.abs(second) + slip)
        if not np.all(np.abs(product) > SMALL):
            some = some | (np.not_equal(first, 0.0) & np.not_equal(second, 0.0)) | (doubt + slip > 0.0)
    # A product takes part in its own rounding and in all sums but the one with 0.
    rounding = product_rounding(middle) + (len(terms) - 1) * ROUNDOFF
    radius = (radius + rounding * size) * grown(len(terms))
    return Balls(middle, radius if some is False else radius + LEAST * len(terms) * some)


def where(condition: NDArray[np.bool_], one: Balls | Array | float, other: Balls | Array | float) -> Balls:
    """Entries of one where a condition holds, of the other where it does not."""
    (first, doubt), (second, slip) = parts_of(one), parts_of(other)
    radius = 0.0 if is_exact(doubt) and is_exact(slip) else np.where(condition, doubt, slip)
    return Balls(np.where(condition, first, second), radius)


def joined(parts: Sequence[Balls | Ball | Array]) -> Balls:
    """Several rows in one."""
    rows = [part if isinstance(part, Balls) else Balls(*map(np.atleast_1d, parts_of(part))) for part in parts]
    exact = all(is_exact(row.radius) for row in rows)
    return Balls(
        np.concatenate([np.atleast_1d(row.middle) for row in rows]),
        0.0 if exact else np.concatenate([np.broadcast_to(row.radii, row.middle.shape) for row in rows]),
    )


def _added(array: Array) -> tuple[float, float]:
    """The sum of a row, and in how many additions an entry takes part at most."""
    count = array.size
    if count <= _SHORT:
        return float(array.sum()), max(count - 1.0, 0.0)
    width = math.isqrt(count)
    rows = count // width
    body = array[: rows * width].reshape(rows, width).sum(axis=1)
    rest = float(array[rows * width :].sum()) if rows * width < count else 0.0
    return float(body.sum()) + rest, float(width + rows)


def _weighed(sizes: Floats, radius: Radius) -> float:
    """The sum of the sizes of a row, each times a radius, in any order."""
    return float(sizes @ radius) if isinstance(radius, np.ndarray) else radius * float(sizes.sum())


def _added_radius(values: Balls) -> float:
    if isinstance(values.radius, np.ndarray):
        return _added(values.radius)[0]
    return values.radius * values.middle.size
