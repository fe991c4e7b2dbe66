"""An account seen through a definition: its values by name, whoever wrote it, and which is meant where nobody says."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any, ClassVar

import pytest
from attrs import frozen

import accountant as ac
from accountant import Account, AccountantError, Interval, ReadingError, account, default_registry
from accountant.accounting.lens import answering, stated_by
from accountant.plugin import DIVERGENCES, Divergence, Reading, Theorem, hookimpl
from accountant_approx import ApproxParameter
from accountant_approx.definition import Approx

RUN = account([ac.Gaussian(sigma="2").on(ac.Count()).repeated(3)], neighbours="add-remove")


def test_a_lens_reads_what_the_account_measures() -> None:
    assert RUN.lens("approx").epsilon(delta="1e-6") == RUN.measure("approx", delta="1e-6").value
    assert RUN.lens("approx").delta(epsilon="1") == RUN.measure("approx", epsilon="1").value
    assert RUN.lens("zcdp").rho().exact == Fraction(3, 8)
    assert RUN.lens("fdp").power(level="0.05") == RUN.measure("fdp", level="0.05").value
    assert RUN.lens("approx").value(delta="1e-6") == RUN.lens("approx").epsilon(delta="1e-6")
    assert RUN.lens("approx").measure(delta="1e-6") == RUN.measure("approx", delta="1e-6")


@pytest.mark.parametrize("name", sorted(default_registry()[DIVERGENCES]))
def test_every_value_of_every_definition_can_be_completed(name: str) -> None:
    lens = RUN.lens(name)
    for reading in lens.definition.readings:
        assert reading.value in dir(lens)
        answer = getattr(lens, reading.value)
        assert set(reading.at) <= set(inspect.signature(answer).parameters)
        at = {word: lens.definition.word(word).places[0] for word in reading.at}
        assert answer(**at) == RUN.measure(name, at).value


def test_epsilon_and_delta_are_those_of_the_definition_that_is_usually_meant() -> None:
    assert RUN.epsilon(delta="1e-6") == RUN.measure("approx", delta="1e-6").value
    assert RUN.delta(epsilon="1") == RUN.measure("approx", epsilon="1").value
    assert RUN.epsilon(delta="1e-6") != RUN.measure("pbdp", delta="1e-6").value


def test_a_parameter_of_a_lens_is_one_that_the_account_keeps() -> None:
    found = RUN.lens("approx").parameter(delta="1e-6")
    assert isinstance(found, ApproxParameter)
    assert RUN.check(ac.Budget.of("approx", epsilon=found.epsilon, delta=found.delta))[1] is ac.Verdict.IMPLIED
    with pytest.raises(ReadingError, match="no parameter of 'pure' is known to be kept"):
        RUN.lens("pure").parameter()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: RUN.lens("fdpp"), "unknown divergence 'fdpp'; did you mean 'fdp'"),
        (lambda: RUN.lens("fdp").power(), "'fdp' gives power at level; it cannot be read with no reading word"),
        (lambda: RUN.lens("fdp").power(level="a lot"), "'a lot' is not a finite number"),
        (
            lambda: RUN.lens("approx").epsilon(epsilon="1"),
            "gives epsilon at delta or delta at epsilon, and no epsilon",
        ),
        (lambda: RUN.epsilon(delta="2e"), "'2e' is not a finite number"),
        (lambda: RUN.epsilon(delta=None), "expected a number, got nothing"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(ask: Any, words: str) -> None:
    with pytest.raises(AccountantError, match=words):
        ask()


def test_a_lens_and_its_answers_say_what_they_are() -> None:
    assert repr(RUN.lens("approx")) == "Lens('approx': epsilon at delta, delta at epsilon)"
    assert repr(RUN.lens("approx").epsilon) == "Answer('approx': epsilon(delta))"
    assert repr(RUN.lens("zcdp")) == "Lens('zcdp': rho on its own)"


def test_a_value_that_a_definition_does_not_have_is_told() -> None:
    with pytest.raises(AttributeError, match=r"'fdp' gives no 'powr'; did you mean 'power'\?"):
        _ = RUN.lens("fdp").powr
    assert not hasattr(RUN.lens("fdp"), "_repr_nothing_")
    assert copy.copy(RUN.lens("fdp")).definition.name == "fdp"


TOLD = Theorem("their-reading", "It is theirs.", "somebody", "a page")


@frozen
class Surprise(Approx):
    """A definition of somebody else, with a word of its own."""

    name: ClassVar[str] = "surprise"
    readings: ClassVar[tuple[Reading, ...]] = (Reading(("delta",), "surprise"),)
    usual: ClassVar[bool] = False
    measure_theorem: ClassVar[Theorem] = TOLD
    worst_case_theorem: ClassVar[Theorem] = TOLD

    def measure(self, loss: Any, at: Mapping[str, Fraction]) -> Interval:
        return Approx().measure(loss, at)


@frozen
class Rival(Surprise):
    """A definition that wants to be meant by the same words."""

    name: ClassVar[str] = "rival"
    readings: ClassVar[tuple[Reading, ...]] = Approx.readings
    usual: ClassVar[bool] = True


def seen_with(*definitions: Divergence) -> Account:
    """The account where somebody else's definitions are installed too."""
    module = ModuleType("theirs")
    module.__dict__["accountant_divergences"] = hookimpl(lambda: definitions)
    module.__dict__["accountant_divergences"].__name__ = "accountant_divergences"
    return account(RUN.plan, registry=default_registry().adding(module))


def test_a_definition_of_somebody_else_has_its_own_words() -> None:
    lens = seen_with(Surprise()).lens("surprise")
    assert "surprise" in dir(lens)
    assert lens.surprise(delta="1e-6") == RUN.epsilon(delta="1e-6")


def test_two_definitions_that_claim_the_same_words_are_both_named() -> None:
    with pytest.raises(ReadingError, match=r"'approx' and 'rival' all have epsilon at delta; name the one that is meant"):
        seen_with(Rival()).epsilon(delta="1e-6")


def test_words_that_no_definition_has_are_told() -> None:
    with pytest.raises(ReadingError, match="no definition has mu at delta"):
        answering(default_registry(), "mu", "delta")
    with pytest.raises(ReadingError, match="no definition has a parameter nu and rho"):
        stated_by(default_registry(), "nu", "rho")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("epsilon", "delta"), "approx"),
        (("epsilon",), "pure"),
        (("rho",), "zcdp"),
        (("mu",), "gdp"),
        (("level", "power"), "fdp"),
        (("order", "gamma"), "renyi"),
    ],
)
def test_a_parameter_by_its_names_means_one_definition(words: tuple[str, ...], meant: str) -> None:
    assert stated_by(default_registry(), *words).name == meant
