"""Log moments of discrete Gaussian losses off the real line.

By completing the square the log moment is z (z + 1) move^2/(2 variance) + log(theta(z move)/theta(0)). Its size repeats
along the imaginary axis with period 2 pi variance/move, since the losses lie on a lattice. See theta.py for the series.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from accountant.loss import Complexes, Floats, log_of_moments
from accountant.numbers.rounding import Balls
from accountant_noise.theta import WIDE

_TERMS = np.arange(1.0, 5.0)
"""Within half a period, term n of the dual series is at most e^(-2 pi^2 variance (n^2 - n)): negligible from n = 5 on."""
_PLACES = np.arange(-22.0, 23.0)
_NEGLIGIBLE = -45.0
_UNFELT = -100.0
_LATER = math.exp(-60.0)
"""More than all later terms, and than all terms where the first is below e^-100."""


def log_moments(variances: Floats, moves: Floats, points: Complexes) -> tuple[Complexes, Floats]:
    """A row for each variance and move, wide noise and narrow noise by a series each; and bounds on the errors."""
    wide = variances >= WIDE
    if np.all(wide):
        return _dual(variances[:, None], moves[:, None], points)
    values = np.empty((variances.size, points.size), dtype=np.complex128)
    errors = np.empty(values.shape)
    if np.any(wide):
        values[wide], errors[wide] = _dual(variances[wide][:, None], moves[wide][:, None], points)
    for k in np.flatnonzero(~wide):
        values[k], errors[k] = _direct(float(variances[k]), float(moves[k]), points)
    return values, errors


def deviations(variances: Floats, moves: Floats) -> Floats:
    """The deviation of losses under any tilt: the variance of discrete Gaussian noise with any centre, as theta's second
    logarithmic derivative bounds it.

    It is variance + variance^2 (log theta)'', at most variance^2 times the largest |theta''| over the least theta more.
    Below 1/4, the two places nearest the centre hold nearly all, and 1 is more than enough.
    """
    held = np.maximum(variances, WIDE)
    falls = np.exp(-2.0 * math.pi**2 * np.outer(held, np.square(_TERMS)))
    bend = 2.0 * (falls @ np.square(2.0 * math.pi * _TERMS)) / (1.0 - 2.0 * falls.sum(axis=1)) + 1e-20
    square = np.where(variances >= WIDE, held + held * held * bend, 1.0)
    # Exponents of terms that are felt are below 64 and round 4 times each; all else rounds less than 100 times.
    return Balls.rounded(moves / variances * np.sqrt(square), 512.0).upper


def _dual(variance: Floats, move: Floats, points: Complexes) -> tuple[Complexes, Floats]:
    """By Poisson's summation, at heights taken back into one period."""
    period = 2.0 * math.pi * variance / move
    turns = np.round(points.imag / period)
    heights = points.imag - turns * period
    near: Complexes = np.empty(heights.shape, dtype=np.complex128)
    near.real, near.imag = points.real, heights
    factor = 0.5 * move * move / variance
    values: Complexes = factor * near * (near + 1.0)
    # Taking whole periods away displaces a height by roundoffs of the height that was there.
    displaced = Balls.rounded(points.imag, 8.0).radii
    # Two complex products, a sum, and a factor that rounds three times.
    errors = Balls.rounded(values, 16.0).widened(displaced * factor * (2.0 * np.abs(near) + 1.0)).radii
    exponent = -2.0 * math.pi**2 * variance + 2.0 * math.pi * move * np.abs(heights)
    if float(np.max(exponent)) > _NEGLIGIBLE:
        theta, doubt = _ratio(variance, move, points.real, heights, displaced, exponent > _UNFELT)
        values, errors = values + theta, errors + doubt
    else:
        errors = errors + 4.0 * math.exp(_NEGLIGIBLE)
    values.imag += math.pi * np.fmod(move * turns, 2.0)
    return values, errors


def _ratio(
    variance: Floats, move: Floats, tilts: Floats, heights: Floats, displaced: Floats, felt: NDArray[np.bool_]
) -> tuple[Complexes, Floats]:
    """log(theta(z move)/theta(0)), with theta as 1 + 2 sum e^(-2 pi^2 variance n^2) cos(2 pi n x).

    Where the first term is not felt, no term is, and what is granted for later ones holds them all.
    """
    rows, columns = np.nonzero(felt)
    logs, errors = np.zeros(felt.shape, dtype=np.complex128), np.empty(felt.shape)
    errors[...] = log_of_moments(np.zeros(1, dtype=np.complex128), np.array([_LATER]))[1]
    logs[felt], errors[felt] = _log_theta(
        variance[rows, 0], move[rows, 0], tilts[columns], heights[felt], displaced[columns]
    )
    whole = np.zeros(variance.shape)
    for n in _TERMS:
        whole += 2.0 * np.exp(-2.0 * (math.pi * n) ** 2 * variance)
    # Terms of the whole that are felt have exponents below 16, each rounded 4 times.
    found = logs - np.log1p(whole)
    return found, Balls.rounded(found).widened(Balls.rounded(whole, 128.0).widened(errors).radii).radii


def _log_theta(
    variance: Floats, move: Floats, tilts: Floats, heights: Floats, displaced: Floats
) -> tuple[Complexes, Floats]:
    """The logarithm of the series at one point for each variance and move."""
    part = np.fmod(move * tilts, 1.0)
    excess, sizes = np.zeros(heights.shape, dtype=np.complex128), np.zeros(heights.shape)
    some = np.arange(heights.size)
    for n in _TERMS:
        fall, rise = -2.0 * (math.pi * n) ** 2 * variance[some], 2.0 * math.pi * n * move[some] * heights[some]
        felt = fall + np.abs(rise) > _UNFELT
        some, fall, rise = some[felt], fall[felt], rise[felt]
        if not some.size:
            break
        angle = 2.0 * math.pi * n * part[some]
        up, down = np.exp(fall + rise), np.exp(fall - rise)
        excess[some] += (up + down) * np.cos(angle) - 1j * (up - down) * np.sin(angle)
        turned = 8.0 * n * np.abs(move * tilts)[some]
        sizes[some] += (up + down) * (64.0 + 8.0 * np.abs(fall) + 8.0 * np.abs(rise) + turned)
    # A displaced height moves term n by 2 pi n move of itself.
    moved = 8.0 * math.pi * move * displaced * sizes
    return log_of_moments(excess, Balls.rounded(excess, 1.0, sizes).widened(moved + _LATER).radii)


def _direct(variance: float, move: float, points: Complexes) -> tuple[Complexes, Floats]:
    """By the sum over places itself, which is short where the variance is small."""
    part = np.fmod(points.real * move, 1.0)
    part = part - np.round(part)
    places = _PLACES[None, :] + part[:, None]
    phases = places * (points.imag * move / variance)[:, None]
    # Measured by the largest term, which is that of place 0.
    logs = 0.5 * (np.square(part)[:, None] - np.square(places)) / variance
    sizes = np.exp(logs)
    excess = (sizes * np.exp(-1j * phases)).sum(axis=1) - 1.0
    doubt = (sizes * (64.0 + 8.0 * np.abs(logs) + 8.0 * np.abs(phases) + 8.0 * move * points.real[:, None] / variance)).sum(
        axis=1
    )
    values, errors = log_of_moments(excess, Balls.rounded(excess, 1.0, doubt).radii)
    tilt = points.real
    whole = float(np.log1p(2.0 * np.exp(-0.5 * np.square(_PLACES[23:]) / variance).sum()))
    lead = 0.5 * move * move / variance * (tilt * (tilt + 1.0) + 1j * (2.0 * tilt + 1.0) * points.imag)
    values = values + lead - 0.5 * np.square(part) / variance - whole
    # Every part of the exponent rounds less than 8 times, and so does the sum of all.
    return values, Balls.rounded(lead, 16.0, np.abs(lead) + np.square(part) / variance + 1.0).widened(errors).radii
