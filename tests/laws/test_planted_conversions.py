"""Every law of conversions catches a planted error, and holds for the honest version."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from attrs import frozen

from accountant import Interval, Theorem, default_registry
from accountant.plugin import DIVERGENCES, Conversion
from accountant.testing import laws, search, strategies, trials
from tests.laws.planted import PLANTED, registry_with
from tests.laws.quick import QUICK

PURE, ZCDP = (default_registry()[DIVERGENCES][name] for name in ("pure", "zcdp"))
PAIRS = strategies.finite_losses(smallest=1)


@frozen
class Half(Conversion):
    """Pure privacy to zCDP by a formula that holds: epsilon squared over two."""

    name: ClassVar[str] = "half"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "zcdp"
    theorem: ClassVar[Theorem] = PLANTED

    share: ClassVar[Fraction] = Fraction(1, 2)

    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.epsilon**2 * self.share)


@frozen
class Quarter(Half):
    """The same formula with too small a constant."""

    share: ClassVar[Fraction] = Fraction(1, 4)


def test_a_conversion_that_some_mechanism_breaks_is_caught() -> None:
    laws.conversion_never_beats_the_lens(Half(), PURE, ZCDP, PURE.parameter(1))
    with pytest.raises(AssertionError, match="promises more than some mechanism keeps"):
        laws.conversion_never_beats_the_lens(Quarter(), PURE, ZCDP, PURE.parameter(1))


def test_a_conversion_that_an_exact_pair_breaks_is_caught() -> None:
    search(laws.conversion_holds, Half(), PURE, ZCDP, pair=PAIRS)
    with pytest.raises(AssertionError, match="must hold for every mechanism with that parameter"):
        search(laws.conversion_holds, Quarter(), PURE, ZCDP, pair=PAIRS, depth=QUICK)


def test_a_conversion_between_unknown_definitions_is_caught() -> None:
    @frozen
    class Lost(Half):
        """A conversion with a misspelt target."""

        target: ClassVar[str] = "zdcp"

    laws.conversion_names_definitions("half", registry_with(conversions=[Half()]))
    with pytest.raises(AssertionError, match="the definition 'zdcp', which nobody registers"):
        laws.conversion_names_definitions("half", registry_with(conversions=[Lost()]))


def test_conversions_are_tried_on_pairs_and_on_every_parameter_of_their_source() -> None:
    found = [
        trial for trial in trials("planted_plugin", registry=registry_with(conversions=[Quarter()])) if "half" in trial.item
    ]
    failed = set()
    for trial in found:
        try:
            trial()
        except AssertionError:
            failed.add(trial.law)
    assert failed == {
        "conversions hold for exact pairs",
        "conversions never beat what is attained",
    }
