"""Renderers that lose words, commands that explain nothing, and risk profiles that recommend too much are caught."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction
from typing import Any, ClassVar

import click
import pytest
from attrs import evolve, field, frozen

from accountant import Account, Assessment, Interval, Recommendation, Verdict, default_registry, fields
from accountant.limits import Limits
from accountant.plugin import RENDERERS, RISK_PROFILES, Renderer, RiskProfile
from accountant.report import Document
from accountant.testing import laws, trials
from tests.laws.planted import registry_with

TEXT = default_registry()[RENDERERS]["text"]
CONSTANT = default_registry()[RISK_PROFILES]["constant"]
ANYTHING = {"ignore_unknown_options": True, "allow_extra_args": True}


@frozen
class Plain(Renderer):
    """The text renderer once more, honestly."""

    name: ClassVar[str] = "plain"

    def render(self, document: Document) -> str:
        return TEXT.render(document)


@frozen
class WithoutSmallPrint(Plain):
    """Leaves the small print out."""

    def render(self, document: Document) -> str:
        return TEXT.render(evolve(document, small_print=()))


@frozen
class FirstBlocks(Plain):
    """Leaves out what does not fit on a page."""

    def render(self, document: Document) -> str:
        return TEXT.render(evolve(document, blocks=document.blocks[:10]))


@frozen
class Numbered(Plain):
    """Counts how often it was asked."""

    asked: ClassVar[list[int]] = []

    def render(self, document: Document) -> str:
        self.asked.append(1)
        return f"{len(self.asked)}\n{TEXT.render(document)}"


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (WithoutSmallPrint(), "missing 1: small print"),
        (FirstBlocks(), "must not leave out what a document says"),
        (Numbered(), "must write the same document in the same way"),
    ],
)
def test_a_renderer_that_loses_words_is_caught(planted: Renderer, words: str) -> None:
    laws.renderer_keeps_every_word(Plain())
    with pytest.raises(AssertionError, match=words):
        laws.renderer_keeps_every_word(planted)


@click.command("greet", epilog="Example: accountant greet --name Ada")
@click.option("--name", help="Whom to greet.")
def greet(name: str) -> None:
    """Say hello."""
    click.echo(f"hello {name}")


@click.command("greet", epilog="Example: accountant greet --name Ada")
@click.option("--name")
def unexplained(name: str) -> None:
    """Say hello."""


@click.command("greet")
@click.option("--name", help="Whom to greet.")
def without_example(name: str) -> None:
    """Say hello."""


@click.command(
    "greet", epilog="accountant greet", context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)
def takes_anything() -> None:
    """Say hello."""


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (unexplained, "must explain its options"),
        (without_example, "must show an example"),
        (takes_anything, "must refuse an unknown option with exit code 2"),
    ],
)
def test_a_command_that_does_not_say_how_it_is_used_is_caught(planted: click.Command, words: str) -> None:
    laws.command_says_how_it_is_used(greet)
    with pytest.raises(AssertionError, match=words):
        laws.command_says_how_it_is_used(planted)


@click.command("judge", epilog="Example: accountant judge plan.toml")
@click.argument("plan")
def judges_anything(plan: str) -> None:
    """Say whether a plan is kept."""
    click.echo(f"{plan}: kept")


@click.command("judge", epilog="Example: accountant judge plan.toml")
@click.argument("plan")
def judges_nothing(plan: str) -> None:
    """Say whether a plan is kept."""
    click.echo(f"{plan} is not known to be kept")


def test_a_command_that_gives_a_verdict_on_what_is_not_there_is_caught() -> None:
    laws.command_says_how_it_is_used(judges_nothing)
    with pytest.raises(AssertionError, match="must not give a verdict on what is not there"):
        laws.command_says_how_it_is_used(judges_anything)


@click.command("count", epilog="Example: accountant count --json")
@click.option("--json", is_flag=True, help="Print JSON.")
def counts_for_ever(json: bool) -> None:
    """Count."""
    for number in itertools.count():
        click.echo(number)


@click.command("leave", epilog="Example: accountant leave 1")
@click.argument("number")
def leaves_the_program(number: str) -> None:
    """Leave."""
    os._exit(0)


@pytest.mark.parametrize(
    ("planted", "why"),
    [(counts_for_ever, "not finished within 1 s"), (leaves_the_program, "the worker ended without an answer")],
)
def test_a_command_that_never_comes_to_an_end_is_ended_and_told(planted: click.Command, why: str) -> None:
    with pytest.raises(AssertionError, match=f"(?s)must come to an end.*tried: accountant {planted.name}.*{why}"):
        laws.command_says_how_it_is_used(planted, Limits(within="1s"))


@frozen
class Borrowed(RiskProfile):
    """No posterior exceeds a constant times its prior, honestly."""

    kind: ClassVar[str] = "borrowed"

    ratio: Fraction = field(
        converter=fields.exact, validator=fields.above(1), metadata=fields.about("the largest tolerated ratio")
    )

    @property
    def honest(self) -> Any:
        return CONSTANT(self.ratio)  # type: ignore[call-arg]

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        return self.honest.tolerance(membership, disclosure)  # type: ignore[no-any-return]

    def recommend(self) -> Recommendation:
        return self.honest.recommend()  # type: ignore[no-any-return]

    def assess(self, account: Account) -> Assessment:
        return self.honest.assess(account)  # type: ignore[no-any-return]


@frozen
class Generous(Borrowed):
    """Recommends half as much again as is admissible."""

    def recommend(self) -> Recommendation:
        found = super().recommend()
        return evolve(found, epsilon=Interval(3 * found.epsilon.lower, 3 * found.epsilon.upper))


@frozen
class Kind(Borrowed):
    """Calls everything kept."""

    def assess(self, account: Account) -> Assessment:
        return evolve(super().assess(account), verdict=Verdict.IMPLIED)


@frozen
class Strict(Borrowed):
    """Tolerates a share of the ratio where membership is unlikely: less than nothing."""

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        return Interval.of(self.ratio * membership)


@pytest.mark.parametrize(
    ("planted", "law", "words"),
    [
        (Generous, laws.recommendations_are_admissible, "must not recommend an epsilon under which more is learned"),
        (Kind, lambda profile: laws.assessments_are_admissible(profile, default_registry()), "must not call kept"),
        (Strict, laws.recommendations_are_admissible, "must tolerate that nothing is learned"),
    ],
)
def test_a_risk_profile_that_admits_too_much_is_caught(planted: type[Borrowed], law: Any, words: str) -> None:
    law(Borrowed("2"))
    with pytest.raises(AssertionError, match=words):
        law(planted("2"))


def test_honest_ones_of_a_stranger_pass_every_law() -> None:
    registry = registry_with(renderers=[Plain()], commands=[greet], risk_profiles=[Borrowed])
    for trial in trials("planted_plugin", registry=registry):
        trial()
