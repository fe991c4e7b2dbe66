"""Which noise mechanisms add to the cells of a histogram."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from accountant import InvalidValue
from accountant.loss import NormalNoise
from accountant.plugin import Mechanism
from accountant_posterior.attacks.cells.laplace import LaplaceCell
from accountant_posterior.attacks.cells.noise import CellNoise, NormalCell
from accountant_posterior.attacks.cells.whole import WholeCell


def noise_of(mechanism: Mechanism, name: str) -> CellNoise:
    """The noise that a mechanism adds to every cell of a histogram; InvalidValue where it is not followed."""
    made: Any = mechanism
    noise: Any = mechanism.added_noise()
    if isinstance(noise, NormalNoise):
        return NormalCell(noise.sigma**2)
    if mechanism.kind == "laplace":
        return LaplaceCell(made.scale)
    if mechanism.kind == "discrete-gaussian":
        scale = scale_of(mechanism)
        return WholeCell.of(noise, lambda place: -(place**2) / (2 * scale))
    if mechanism.kind == "geometric":
        return WholeCell.of(noise, lambda place: -abs(place) / made.scale)
    if mechanism.kind == "skellam":
        return WholeCell.of(noise)
    raise InvalidValue(
        f"'{name}' has the mechanism '{mechanism.kind}'; the attack follows discrete Gaussian, geometric, Laplace, "
        "independent Gaussian and Skellam noise"
    )


def scale_of(mechanism: Any) -> Fraction:
    """The scale of discrete Gaussian noise, hardly more than its variance."""
    found: Fraction = mechanism.variance if mechanism.sigma is None else mechanism.sigma**2
    return found
