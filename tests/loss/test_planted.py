"""The checks of this room catch engines that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from accountant.loss import ResponseLoss
from accountant.loss.engine import convolution, grid, grid_choice as tilting, grid_route as gridded
from accountant.loss.engine.direct_route import Direct
from accountant.loss.engine.grid import Measure
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.engine.power_route import AtomPower
from tests.loss.cases import SKEW, Case, atomic, faults, gaussians, quick_cases, responses, with_gaussian

Patch = pytest.MonkeyPatch


def rounding_down(patch: Patch) -> list[Case]:
    """Cells move to their lower edge instead of being split between both."""

    def build(loss: Any, step: Fraction, first: int, last: int, offset: Fraction, known: Any) -> Measure:
        sound = grid.dominating_measure(loss, step, first, last, offset, known)
        cells = loss.cells(float(offset) + float(step) * np.arange(first, last + 1))
        masses = np.append(cells.p[1:-1], 0.0)
        masses[0] += cells.p[0]
        masses[-1] += cells.p[-1]
        return evolve(sound, masses=masses)

    patch.setattr(gridded, "dominating_measure", build)
    return quick_cases()


def rounding_up(patch: Patch) -> list[Case]:
    """The lower measure moves cells to their upper edge."""

    def build(loss: Any, step: Fraction, first: int, last: int, offset: Fraction, known: Any) -> Measure:
        sound = grid.dominated_measure(loss, step, first, last, offset, known)
        cells = loss.cells(float(offset) + float(step) * np.arange(first, last + 1))
        return evolve(sound, masses=np.append([0.0], cells.p[1:-1]))

    patch.setattr(gridded, "dominated_measure", build)
    return quick_cases()


def tail_dropped(patch: Patch) -> list[Case]:
    """Mass above a part's grid is forgotten instead of sent to infinity."""
    sound = grid.dominating_measure

    def build(loss: Any, *where: Any) -> Measure:
        return evolve(sound(loss, *where), infinite=0.0)

    narrow(patch)
    patch.setattr(gridded, "dominating_measure", build)
    return narrow_cases()


def narrow(patch: Patch) -> None:
    """Grids that leave out much: sound engines become imprecise, not wrong."""
    patch.setattr(gridded, "_LOG_TAIL", -2.0)
    patch.setattr(gridded.Gridded, "_log_tail", lambda self, log_delta: -2.0)


def narrow_cases() -> list[Case]:
    return [
        gaussians("1/4", 4, (0.0, 3.0, 6.0), ("1e-6",)),
        with_gaussian("mixed", "0.3", [(ResponseLoss("0.4"), 2), (SKEW, 2)], (0.5, 3.0, 6.0), ("1e-5",)),
    ]


def short_window(patch: Patch) -> list[Case]:
    """A transform so short that much wraps around it."""
    patch.setattr(convolution, "_LOG_TAIL", 3.0)
    patch.setattr(tilting, "found_tilt", no_tilt)
    patch.setattr(gridded, "found_tilt", no_tilt)
    return [responses("0.1", 400, (0.0, 2.0, 4.0, 6.0), ()), gaussians("1/100", 100, (0.0, 1.5, 3.0), ())]


def no_tilt(*_: Any) -> tuple[float, float]:
    return 0.0, 0.0


def wrapping_free(patch: Patch) -> list[Case]:
    """What wrapped around is not taken from the lower end."""
    cases = short_window(patch)
    patch_law(patch, wrapped=0.0)
    return cases


def beyond_free(patch: Patch) -> list[Case]:
    """What lies beyond the window is not added to the upper end."""
    cases = short_window(patch)
    patch_law(patch, beyond=0.0, error=0.0, masses_above=False)
    return cases


def patch_law(patch: Patch, masses_above: bool = True, **changes: float) -> None:
    sound = convolution.convolve

    def convolve(*arguments: Any) -> GridLaw:
        law = evolve(sound(*arguments), **changes)
        if not masses_above:
            # Wrapping adds to entries what it takes from beyond; a window that cuts instead loses it.
            kept = law.masses.copy()
            kept[-kept.size // 3 :] = 0.0
            law = evolve(law, masses=kept)
        return law

    patch.setattr(gridded, "convolve", convolve)


def untilted(patch: Patch) -> list[Case]:
    """Small deltas read without tilt, on a window so wide that only the transform can be wrong: imprecise, not wrong."""
    patch.setattr(gridded, "found_tilt", no_tilt)
    patch.setattr(convolution, "_LOG_TAIL", 60.0)
    return [
        gaussians("1/10000", 10000, (8.0, 9.0, 11.0), ("1e-14", "1e-18")),
        responses("0.1", 200, (9.0, 12.0), ("1e-20",)),
    ]


def transform_free(patch: Patch) -> list[Case]:
    """The transform's error is not charged."""
    cases = untilted(patch)
    patch_law(patch, error=0.0)
    return cases


def count_forgotten(patch: Patch) -> list[Case]:
    """A part taken n times counts once."""
    sound = convolution.convolve

    def convolve(parts: Any, *rest: Any) -> GridLaw:
        return sound([(measure, 1) for measure, _ in parts], *rest)

    patch.setattr(gridded, "convolve", convolve)
    return quick_cases()


def infinite_forgotten(patch: Patch) -> list[Case]:
    """Mass at infinity counts once, whatever the count."""
    sound = convolution.infinite_mass
    patch.setattr(convolution, "infinite_mass", lambda parts: sound([(measure, 1) for measure, _ in parts]))
    return quick_cases()


def slack_forgotten(patch: Patch) -> list[Case]:
    """Atoms are put on a grid that they miss, and nobody answers for it."""
    sound = gridded.aligned
    patch.setattr(gridded, "aligned", lambda loss, step: sound(loss, step) + Fraction(1, 10**4))
    patch.setattr(grid, "_slack", lambda edges, offset: 0.0)
    original = grid._edges
    patch.setattr(grid, "_edges", lambda step, first, last, offset: original(step, first, last, offset) - 1e-4)
    return [atomic("lattice", [(ResponseLoss("0.3"), 4)], (0.1, 0.5, 1.1), ("1e-2",))]


@pytest.mark.usefixtures("grid_only")
@pytest.mark.parametrize("setting", [narrow, short_window, untilted], ids=lambda setting: setting.__name__)
def test_a_sound_engine_stays_sound_in_hard_settings(monkeypatch: Patch, setting: Callable[[Patch], Any]) -> None:
    assert faults(setting(monkeypatch) or narrow_cases()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("grid_only")
@pytest.mark.parametrize(
    "error",
    [
        rounding_down,
        rounding_up,
        tail_dropped,
        wrapping_free,
        beyond_free,
        transform_free,
        count_forgotten,
        infinite_forgotten,
        slack_forgotten,
    ],
    ids=lambda error: error.__name__,
)
def test_planted_errors_are_caught(monkeypatch: Patch, error: Callable[[Patch], list[Case]]) -> None:
    # What is planted is in the grid's route: sums mass by mass would answer before it.
    monkeypatch.setattr(Direct, "of", lambda *_: None)
    monkeypatch.setattr(AtomPower, "of", lambda *_: None)
    assert faults(error(monkeypatch)) != []
