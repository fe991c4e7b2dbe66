"""A definition of a third party is read at words of its own, on the command line and by the laws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from attrs import field, frozen
from click.testing import CliRunner

from accountant import Interval, PrivacyLoss, Registry, Theorem
from accountant.cli import main
from accountant.cli.commands import measure
from accountant.fields import about, above, below, exact
from accountant.loss import ResponseLoss
from accountant.plugin import Divergence, Properties, Reading, Word, hookimpl
from accountant.registry import registry as registry_module
from accountant.testing.places import points

GUESS = Theorem("guess", "How well a guess does.", "accountant", "explanation/one-loss", assurance="proved-here")


@frozen
class GuessParameter:
    prior: Fraction = field(converter=exact, validator=[above(0), below(1)], metadata=about("the belief beforehand"))
    gain: Fraction = field(converter=exact, metadata=about("the largest gain"))


@frozen
class Guess(Divergence):
    """The gain of a guess from a prior belief."""

    name: ClassVar[str] = "guess"
    title: ClassVar[str] = "gain of a guess"
    meaning: ClassVar[str] = "nobody gains more {one} than {other}"
    parameter: ClassVar[type[Any]] = GuessParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading(("prior",), "gain"),)
    words: ClassVar[Mapping[str, Word]] = {"prior": Word("belief beforehand", ("1/3", "9/10"))}
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=False)
    measure_theorem: ClassVar[Theorem] = GUESS
    worst_case_theorem: ClassVar[Theorem] = GUESS

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(at["prior"])

    def worst_case(self, parameter: Any) -> PrivacyLoss:
        return ResponseLoss(parameter.gain)


@pytest.fixture
def guessing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """The registry with the definition above, as the command line finds it."""
    module = ModuleType("guessing")

    @hookimpl
    def accountant_divergences() -> Iterable[Divergence]:
        return (Guess(),)

    module.accountant_divergences = accountant_divergences  # type: ignore[attr-defined]
    registry = Registry.load(extra=[module])
    monkeypatch.setattr(registry_module, "default_registry", lambda: registry)
    measure.command.__dict__.pop("_made", None)
    yield registry
    measure.command.__dict__.pop("_made", None)


def test_a_word_of_a_third_party_is_an_option(guessing: Registry) -> None:
    result = CliRunner().invoke(main, ["measure", "--help"])
    assert "--prior NUMBER" in result.output
    assert "Read the value at this belief beforehand." in result.output


def test_a_plan_is_read_at_a_word_of_a_third_party(guessing: Registry) -> None:
    survey = Path(__file__).parents[2] / "examples" / "survey.toml"
    result = CliRunner().invoke(main, ["measure", str(survey), "--as", "guess", "--prior", "1/4"])
    assert "gain = 0.25 at prior = 0.25" in result.output


def test_what_the_definition_demands_of_its_word_is_held(guessing: Registry) -> None:
    survey = Path(__file__).parents[2] / "examples" / "survey.toml"
    result = CliRunner().invoke(main, ["measure", str(survey), "--as", "guess", "--prior", "2"])
    assert result.exit_code == 2
    assert "must be below 1, got 2 @ --prior" in result.output


def test_laws_read_a_definition_where_it_says() -> None:
    assert [at for _, at in points(Guess())] == [{"prior": Fraction(1, 3)}, {"prior": Fraction(9, 10)}]
