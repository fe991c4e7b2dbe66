"""Errors in mechanisms that look at several numbers at once, whose authors list the answers that may be compared."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve

from accountant import InvalidValue
from accountant.loss import NO_LOSS
from accountant.plugin import MECHANISMS, Mechanism, MechanismOracle, Shift
from accountant.testing import Operator, plant, trials
from accountant.testing.planting import as_a, faulty
from tests.laws.kills import PLUGIN
from tests.laws.quick import QUICK

LAW = "outputs never beat the claim"


def _less_noise(mechanism: Mechanism, shift: Shift) -> Any:
    """What is claimed is what a quarter more noise loses."""
    noisier = mechanism.scaled(Fraction(5, 4))
    assert noisier is not None
    return noisier.loss(shift)


ERRORS: dict[str, Callable[[Any, Shift], Any]] = {
    "exponential": _less_noise,
    "permute-and-flip": _less_noise,
    "report-noisy-max": _less_noise,
    "sparse-vector": lambda noise, shift: NO_LOSS if noise.cutoff > 1 else noise.loss(shift),
    "matrix": _less_noise,
    "tree": lambda tree, shift: evolve(tree, participations=1).loss(shift),
    "shuffle": lambda noise, shift: evolve(noise, reports=2 * noise.reports).loss(shift),
    "mixture": lambda mixture, shift: mixture.parts[-1].mechanism.loss(shift),
    "post-processed": lambda processed, shift: NO_LOSS,
}


@pytest.mark.parametrize("kind", ERRORS)
def test_outputs_of_all_numbers_together_show_that_too_little_is_claimed(kind: str) -> None:
    def planted(cls: type[Mechanism]) -> type[Mechanism]:
        def loss(self: Mechanism, shift: Shift) -> Any:
            return ERRORS[kind](as_a(cls, self), shift)

        return faulty(cls, loss=loss)

    registry = plant(Operator("too little claimed", MECHANISMS, "It claims too little.", planted), kind)
    assert registry is not None
    [compared] = [trial for trial in trials(PLUGIN, registry=registry, depth=QUICK) if trial.law == LAW]
    with pytest.raises(AssertionError, match="tell more than it claims"):
        compared()


def test_moves_go_with_a_law_of_whole_answers() -> None:
    with pytest.raises(InvalidValue, match="moves"):
        MechanismOracle("anything", tail=lambda *_: Fraction(1, 2), moves=lambda _: ())
    with pytest.raises(InvalidValue, match="moves"):
        MechanismOracle("anything", law=lambda *_: {0: Fraction(1)}, moves=lambda _: (), answers=lambda _: (0, 1))
