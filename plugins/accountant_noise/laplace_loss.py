"""The loss of Laplace noise on one coordinate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import ROUNDOFF, Cells, Floats

_ERROR = 32 * ROUNDOFF


@frozen
class LaplaceLoss(PrivacyLoss):
    """The loss of Laplace noise when the answer moves by `ratio` scales.

    Definition: half the mass of P at +ratio, e^-ratio/2 at -ratio, and the density e^((l - ratio)/2)/4 in between.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0))

    def reverse(self) -> PrivacyLoss:
        return self

    def step(self) -> Fraction | None:
        return self.ratio

    def window(self, log_tail: float) -> tuple[float, float]:
        return -float(self.ratio), float(self.ratio)

    def delta_formula(self, epsilon: float) -> Interval:
        """1 - e^((epsilon - ratio)/2) between the atoms."""
        point = Fraction(epsilon)
        if point >= self.ratio:
            return Interval.of(0)
        exponent = float(point - self.ratio) / 2 if point >= -self.ratio else epsilon
        value = -math.expm1(exponent)
        return Interval.around(value, value * _ERROR).clamp(0.0, 1.0)

    @classmethod
    def log_moments(
        cls, losses: Sequence[Self], counts: Floats, points: NDArray[np.complex128]
    ) -> tuple[NDArray[np.complex128], Floats]:
        """The formula below at complex orders, as log(1 + w) so that small ratios lose nothing."""
        ratios = np.array([float(loss.ratio) for loss in losses])
        values, errors = np.empty(points.shape, dtype=np.complex128), np.empty(points.shape)
        for k, z in enumerate(points.tolist()):
            if z.real * float(ratios.max()) > 300.0:
                raise OverflowError("a Laplace ratio times the order is too large")
            up = (1.0 + z) / (1.0 + 2.0 * z) * _expm1(z * ratios)
            down = z / (1.0 + 2.0 * z) * _expm1(-(1.0 + z) * ratios)
            moment = up + down
            logs = _log1p(moment)
            values[k] = counts @ logs
            size = np.minimum(np.abs(1.0 + moment), 1.0)
            spread = (np.abs(up) + np.abs(down)) * (1.0 + abs(z) * ratios) / (size * size)
            errors[k] = 64 * ROUNDOFF * float(counts @ (spread + np.abs(logs)))
        return values, errors

    def log_moment_formula(self, order: float) -> Interval:
        """log of ((1 + t) e^(t ratio) + t e^(-(1 + t) ratio))/(1 + 2 t), t the order."""
        ratio = float(self.ratio)
        growth, fall = (1.0 + order) / (1.0 + 2.0 * order), order / (1.0 + 2.0 * order)
        if order * ratio > 1.0:
            value = order * ratio + math.log(growth + fall * math.exp(-(1.0 + 2.0 * order) * ratio))
            return Interval.around(value, _ERROR * (1.0 + value)).clamp(0.0, math.inf)
        up, down = growth * math.expm1(order * ratio), -fall * math.expm1(-(1.0 + order) * ratio)
        return Interval.around(math.log1p(up - down), _ERROR * (up + down)).clamp(0.0, math.inf)

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio)

    def cells(self, edges: Floats) -> Cells:
        ratio = float(self.ratio)
        tolerance = 16 * ROUNDOFF * (1.0 + ratio)
        inner = np.clip(edges, -ratio, ratio)
        bounds = np.concatenate([[-ratio], inner, [ratio]])
        left, width = bounds[:-1], np.diff(bounds)
        anchors = np.concatenate([edges[:1], edges])
        share = -0.5 * np.expm1(-0.5 * width)
        p = np.exp(0.5 * (left + width - ratio)) * share
        # e^anchor times Q's mass; the anchor is at most the left bound, or the cell is empty.
        q = np.exp(0.5 * (left - ratio)) * share * np.exp(np.minimum(anchors - left, 0.0))
        for place, mass in ((ratio, 0.5), (-ratio, 0.5 * math.exp(-ratio))):
            index = int(np.searchsorted(edges, place - tolerance, side="left"))
            p[index] += mass
            q[index] += mass * math.exp(min(anchors[index] - place, 0.0))
        q[0] = 0.0
        spread = _ERROR * (1.0 + ratio + np.abs(anchors))
        return Cells(p, q, p * spread + 1e-300, q * spread + 1e-300, Interval.of(0))


def _expm1(z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """e^z - 1 without losing small z; numpy's own is only absolutely accurate off the real line."""
    half = np.sin(0.5 * z.imag)
    real = np.expm1(z.real) * np.cos(z.imag) - 2.0 * half * half
    result: NDArray[np.complex128] = real + 1j * (np.exp(z.real) * np.sin(z.imag))
    return result


def _log1p(w: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """log(1 + w) without losing small w, up to whole turns."""
    size = np.log1p(w.real * (2.0 + w.real) + w.imag * w.imag)
    result: NDArray[np.complex128] = 0.5 * size + 1j * np.arctan2(w.imag, 1.0 + w.real)
    return result
