"""Theorems that do not say why they hold, and items that declare more than theirs covers, are caught."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen

from accountant import InvalidValue, Invariant, Registry, Theorem
from accountant.plugin import Adaptivity, MechanismCase, hookimpl
from accountant.testing import laws, trials
from tests.laws.planted import COIN, ONE, PLANTED, TWO, Coin, Rule, registry_with

LIMITED = evolve(PLANTED, name="limited", relations=("replace-one",), adaptivity="adaptive", exactly=("the total",))


def failures(law: str, registry: Registry, plugin: str = "planted_plugin") -> list[str]:
    """What a law says about a planted plugin."""
    found = []
    for trial in trials(plugin, registry=registry):
        if trial.law == law:
            try:
                trial()
            except AssertionError as counterexample:
                found.append(str(counterexample))
    return found


def test_a_word_that_is_no_assurance_and_no_adaptivity_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"'assurance' is one of 'proved-here', 'published', 'claimed', got 'proven'"):
        evolve(PLANTED, assurance="proven")
    with pytest.raises(InvalidValue, match="did you mean 'adaptive'"):
        evolve(PLANTED, adaptivity="adaptiv")


def test_a_stranger_who_cites_our_documentation_is_caught() -> None:
    @frozen
    class Borrowed(Coin):
        """A coin whose theorem is said to be ours."""

        theorem: ClassVar[Theorem] = evolve(PLANTED, name="borrowed", key="accountant", locator="-")

    cases = [MechanismCase("one", Borrowed("3/4"), ONE, (COIN,))]
    (found,) = failures("theorems say why they hold", registry_with(mechanisms=[Borrowed], conformance_cases=cases))
    assert "must not be said to be proved by 'accountant'" in found


@pytest.mark.parametrize("locator", ["proofs.md", "-", "proofs.md, Lemma 2"])
def test_a_proof_that_is_not_shipped_is_caught(locator: str, tmp_path: Path) -> None:
    (tmp_path / "PROOF.md").write_text("It holds.")
    (tmp_path / "proving.py").touch()
    module = ModuleType("proving")
    module.__file__ = str(tmp_path / "proving.py")
    here = evolve(PLANTED, name="here", key="proving", locator=locator, assurance="proved-here")
    module.accountant_theorems = hookimpl(lambda: (here,), specname="accountant_theorems")  # type: ignore[attr-defined]
    (found,) = failures("theorems say why they hold", Registry.load(extra=[module]), "proving")
    assert "must name a shipped file that proves it" in found
    here = evolve(here, locator="PROOF.md, Lemma 2")
    assert not failures("theorems say why they hold", Registry.load(extra=[module]), "proving")


def test_a_mechanism_for_more_neighbours_than_its_theorem_is_caught() -> None:
    @frozen
    class Narrow(Coin):
        """A coin with a theorem about replaced records."""

        theorem: ClassVar[Theorem] = LIMITED
        relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)

    @frozen
    class Wide(Narrow):
        """The same for all neighbours."""

        relations: ClassVar[tuple[str, ...] | None] = None

    @frozen
    class Wrong(Narrow):
        """The same for other neighbours."""

        relations: ClassVar[tuple[str, ...] | None] = ("replace-one", "add-remove")

    laws.item_stays_within_its_theorem("mechanism", "coin", Narrow)
    for planted in (Wide, Wrong):
        with pytest.raises(AssertionError, match="declares more than its theorem 'limited' covers"):
            laws.item_stays_within_its_theorem("mechanism", "coin", planted)


def test_a_rule_that_is_more_adaptive_than_its_theorem_is_caught() -> None:
    @frozen
    class Adaptive(Rule):
        """A rule with a theorem about releases whose parameters are fixed."""

        theorem: ClassVar[Theorem] = LIMITED
        adaptivity: ClassVar[Adaptivity] = "adaptive"

    @frozen
    class TooAdaptive(Adaptive):
        """The same, said to hold for parameters that are chosen on the way."""

        adaptivity: ClassVar[Adaptivity] = "fully-adaptive"

    laws.item_stays_within_its_theorem("composition rule", "planted-rule", Adaptive())
    with pytest.raises(AssertionError, match="theorem covers: adaptive\n    declared: fully-adaptive"):
        laws.item_stays_within_its_theorem("composition rule", "planted-rule", TooAdaptive())


def test_exact_output_that_is_not_declared_is_caught() -> None:
    @frozen
    class Shows(Coin):
        """A coin beside a total that it shows."""

        theorem: ClassVar[Theorem] = LIMITED

        def publishes(self) -> tuple[Invariant, ...]:
            return (Invariant("total"),)

    @frozen
    class Hides(Shows):
        """The same without a word about the total."""

        def publishes(self) -> tuple[Invariant, ...]:
            return ()

    laws.exact_output_is_declared(Shows("3/4"))
    with pytest.raises(AssertionError, match="must declare what its output shows exactly"):
        laws.exact_output_is_declared(Hides("3/4"))


def test_a_plugin_that_registers_nothing_and_a_case_of_nothing_are_caught() -> None:
    empty = ModuleType("empty")
    assert failures("plugins register something", Registry.load(extra=[empty]), "empty")
    assert not failures("plugins register something", registry_with(mechanisms=[Coin]))
    stray: Any = [MechanismCase("two", Coin("3/4"), TWO, (COIN.times(COIN),))]
    (found,) = failures("cases speak of what is registered", registry_with(conformance_cases=stray))
    assert "speaks of the mechanism 'coin', which nobody registers" in found
