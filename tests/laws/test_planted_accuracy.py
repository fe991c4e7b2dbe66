"""The law of published numbers catches who says that they are closer, or farther off, than they are."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import frozen

from accountant import Interval
from accountant.loss import Floats
from accountant.plugin import MechanismOracle
from accountant.testing import laws
from accountant_noise import Laplace
from accountant_response import RandomisedResponse

SAID = "published numbers must be as far from exact ones as is said"


@frozen
class NeverFlipped(RandomisedResponse):
    """Answers that are flipped now and then, and said to be right."""

    kind: ClassVar[str] = "never-flipped"

    def error(self, share: Fraction) -> Interval:
        return Interval.of(0)


@frozen
class Doubled(Laplace):
    """Noise that is said to be twice as wide as it is."""

    kind: ClassVar[str] = "doubled"

    def error(self, share: Fraction) -> Interval | None:
        found = super().error(share)
        return None if found is None else Interval(2 * found.lower, 2 * found.upper)


@frozen
class Shifted(Laplace):
    """Noise about a number that is three too large."""

    kind: ClassVar[str] = "shifted"

    def simulate(self, answers: Floats, generator: object) -> Floats:
        return super().simulate(answers, generator) + 3.0  # type: ignore[arg-type]


def _kept(response: RandomisedResponse, answer: Fraction) -> dict[Hashable, Fraction | Interval]:
    kept = 1 / (1 + Fraction(2))
    return {int(answer): Interval.of(1 - kept), 1 - int(answer): Interval.of(kept)}


FLIPS = MechanismOracle("randomised-response", law=_kept, answers=lambda _: (0, 1))


def test_flipped_answers_are_not_said_to_be_right() -> None:
    laws.errors_are_as_said(FLIPS, RandomisedResponse("0.693"))
    with pytest.raises(AssertionError, match=SAID):
        laws.errors_are_as_said(FLIPS, NeverFlipped("0.693"))


def test_outputs_that_are_no_numbers_are_at_no_distance() -> None:
    words = MechanismOracle(
        "words", law=lambda _, answer: {"yes": Fraction(1, 2), "no": Fraction(1, 2)}, answers=lambda _: (0, 1)
    )
    laws.errors_are_as_said(words, NeverFlipped("0.693"))


@pytest.mark.parametrize("planted", [Doubled("2"), Shifted("2")], ids=lambda planted: planted.kind)
def test_numbers_are_run_where_nothing_else_says_how_far_they_are_off(planted: Laplace) -> None:
    laws.errors_are_seen(Laplace("2"))
    with pytest.raises(AssertionError, match=SAID):
        laws.errors_are_seen(planted)


def test_of_answers_that_are_not_all_known_the_farthest_is_not_known_either() -> None:
    """Noise on what is rounded is farther off where the answer lies between two whole numbers."""
    rounded = MechanismOracle("rounded", law=lambda _, answer: {Fraction(round(answer)): Fraction(1)})

    @frozen
    class Rounded(Laplace):
        """The nearest whole number."""

        kind: ClassVar[str] = "rounded"

        def error(self, share: Fraction) -> Interval:
            return Interval.of(Fraction(1, 2))

    laws.errors_are_as_said(rounded, Rounded("2"))
