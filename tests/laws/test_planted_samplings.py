"""The laws of samplings catch one that takes insiders for less than outsiders."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import field, frozen

from accountant import InvalidValue, Neighbours, PrivacyLoss, default_registry, fields
from accountant.plugin import Relation, Sampling, hookimpl
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant.registry.registry import Registry
from accountant.testing import laws, trials
from accountant_builtin.samplings import Poisson, WithoutReplacement

LAW = "an insider's number is never below an outsider's"


@frozen
class ByTheDatasets(WithoutReplacement):
    """A sample of a fixed size whose author lets insiders compare the datasets."""

    kind: ClassVar[str] = "by-the-datasets"

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        return neighbours


@frozen
class AlwaysAlike(Poisson):
    """Coins that are said to fall so that samples never differ."""

    kind: ClassVar[str] = "always-alike"

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        return None


@frozen
class Worded(Poisson):
    """A sampling with a parameter that no law can draw."""

    kind: ClassVar[str] = "worded"

    season: str = field(converter=fields.text, metadata=fields.about("when"))


class Plugin:
    """A plugin of these samplings."""

    __name__ = "planted_samplings"

    @hookimpl
    def accountant_samplings(self) -> tuple[type[Sampling], ...]:
        return ByTheDatasets, AlwaysAlike, Worded


def test_an_insider_who_is_told_less_than_an_outsider_is_caught() -> None:
    registry = default_registry()
    sound, wrong = WithoutReplacement(4, 5), ByTheDatasets(4, 5)
    for relation in (ADD_REMOVE, REPLACE_ONE):
        laws.insiders_know_no_less(registry, relation, sound)
    laws.insiders_know_no_less(registry, REPLACE_ONE, wrong)
    with pytest.raises(AssertionError, match="an insider's number must not be below an outsider's") as caught:
        laws.insiders_know_no_less(registry, ADD_REMOVE, wrong)
    assert "by-the-datasets(sample = 4, population = 5)" in str(caught.value)
    with pytest.raises(AssertionError, match="must not be below an outsider's"):
        laws.insiders_know_no_less(registry, ADD_REMOVE, AlwaysAlike(Fraction(1, 2)))


@frozen
class Fails(Poisson):
    """Coins whose author forgot a case, and says so to nobody."""

    kind: ClassVar[str] = "fails"

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        raise InvalidValue("a rate above one half is not accounted for")


@pytest.mark.parametrize("law", [laws.insiders_know_no_less, laws.samples_lose_no_more_than_claimed])
def test_a_sampling_that_fails_on_what_it_took_is_no_refusal(law: Callable[..., None]) -> None:
    oracle = () if law is laws.insiders_know_no_less else (None,)
    law(default_registry(), ADD_REMOVE, *oracle, Poisson(Fraction(1, 2)))
    with pytest.raises(AssertionError, match="or refuse such neighbours by a ShiftError in 'check'"):
        law(default_registry(), ADD_REMOVE, *oracle, Fails(Fraction(1, 2)))


@pytest.mark.slow
def test_every_sampling_of_a_plugin_is_tried() -> None:
    registry = Registry.load(extra=[Plugin()])  # type: ignore[list-item]
    tried = {trial.item: trial for trial in trials("planted_samplings", registry=registry) if trial.law == LAW}
    kinds = (ByTheDatasets, AlwaysAlike, Worded)
    assert set(tried) == {f"sampling {cls.kind}, {name}" for cls in kinds for name in ("add-remove", "replace-one")}
    tried["sampling by-the-datasets, replace-one"]()
    for broken in ("by-the-datasets, add-remove", "always-alike, add-remove", "always-alike, replace-one"):
        with pytest.raises(AssertionError, match="must not be below an outsider's"):
            tried[f"sampling {broken}"]()
    tried["sampling worded, add-remove"]()
    law = "samplings say how they draw"
    (asked,) = (
        trial
        for trial in trials("planted_samplings", registry=registry)
        if trial.law == law and trial.item == "sampling worded"
    )
    with pytest.raises(AssertionError, match="nothing says which records the sampling 'worded' takes"):
        asked()
