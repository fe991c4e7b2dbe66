"""A false sentence is caught: it is read back, and held against every pair of datasets that its words speak of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import evolve, frozen

from accountant import Account, Certificate, Interval, PrivacyLoss, default_registry
from accountant.plugin import DIVERGENCES, REPLACE_ONE, ComparedPairs, Divergence, Report
from accountant.report import Document, KeyFigure, KeyFigures, Paragraph, Quantity, Statement, Table
from accountant.testing import search, trials
from accountant.testing.laws import (
    meaning_is_never_false,
    meaning_is_what_is_measured,
    meaning_names_both_sides,
    report_is_never_false,
    require_meaning,
    require_statement,
)
from accountant.testing.planting import changed
from accountant.testing.worlds import Noisy, World, met, worlds
from tests.laws.planted import STRONG, Worst, registry_with
from tests.laws.quick import QUICK

PRESENCE = World.of(Noisy(("illness",), "1/3"), specification={"neighbours": "add-remove"})
SAMPLED = World.of(Noisy(("illness",), "1/8", rate="1/4"), specification={"neighbours": "add-remove"})
CLAIMED = World.of(Noisy(None, "1/8", single=True, claimed=True), specification={"neighbours": "add-remove"})


@frozen
class Halved(Worst):
    """Half of the largest loss."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        found = super().measure(loss, at)
        return Interval(found.lower / 2, found.upper / 2)


@frozen
class OldMeaning(Worst):
    """The largest loss, explained as if neighbours always differed in values."""

    meaning: ClassVar[str] = "no output is more than e^epsilon times as likely with one value of a unit as with another"


APPROX = default_registry().find(DIVERGENCES, "approx")


@pytest.mark.parametrize(
    "meaning",
    [
        APPROX.meaning,
        "what happens {one} with probability p happens {other} with (p - \N{GREEK SMALL LETTER DELTA}) e^-"
        "\N{GREEK SMALL LETTER EPSILON} at least{either}",
        "Epsilon bounds the loss {one} against {other}, but for a share of delta{either}",
    ],
)
def test_an_unusual_meaning_that_is_true_is_no_alarm(meaning: str) -> None:
    said = changed(APPROX, meaning=meaning)
    meaning_names_both_sides(said)
    meaning_is_what_is_measured(said, STRONG)


@pytest.mark.parametrize(
    ("meaning", "true"),
    [
        ("no output is more than e^epsilon times as likely {one} as {other}{either}", False),
        ("in most cases, no output is more than e^epsilon times as likely {one} as {other}{either}", True),
    ],
)
def test_the_usual_words_are_held_against_pairs_where_nothing_stands_before_them(meaning: str, true: bool) -> None:
    with contextlib.nullcontext() if true else pytest.raises(AssertionError, match="is said to mean must hold"):
        meaning_is_what_is_measured(changed(Halved(), meaning=meaning), STRONG)


def test_the_old_meaning_is_refused_between_datasets_with_and_without_a_unit() -> None:
    with pytest.raises(AssertionError, match="must leave open what is compared"):
        meaning_names_both_sides(OldMeaning())
    known = registry_with(divergences=(OldMeaning(),))
    world = World.of(Noisy(("illness",), "1/3"), specification={"neighbours": "add-remove"}, registry=known)
    with pytest.raises(AssertionError, match="what is said of 'worst' must hold") as caught:
        meaning_is_never_false(OldMeaning(), world)
    # Twice the log of 3: the record leaves one cell and comes to another.
    assert "2.19722 to 2.19723" in str(caught.value)


def test_laws_are_tried_on_definitions_and_reports_of_anybody() -> None:
    known = registry_with(divergences=(OldMeaning(),), reports=(Boast(),))
    tried = [trial for trial in trials("planted_plugin", registry=known) if trial.law.endswith("are never false")]
    # Which languages it has, and what it says of nothing, are asked beside.
    in_worlds = [trial for trial in tried if not trial.item.startswith("boast, ")]
    assert [trial.law for trial in in_worlds] == [*["meanings are never false"] * 2, "reports are never false"]
    for trial in in_worlds:
        with pytest.raises(AssertionError):
            trial()


def said(definition: Divergence, compared: ComparedPairs) -> str:
    return " ".join((f"{definition.means(compared)}.", *compared.conditions))


LEFT_OUT: dict[str, Callable[[ComparedPairs], ComparedPairs]] = {
    "attributes": lambda pairs: evolve(pairs, neighbours=evolve(pairs.neighbours, attributes=None)),
    "the size of a group": lambda pairs: evolve(pairs, neighbours=evolve(pairs.neighbours, group=2)),
    "what is exact": lambda pairs: evolve(pairs, invariants=()),
    "who was sampled": lambda pairs: evolve(pairs, hidden_sample=False),
}


@pytest.mark.parametrize("name", LEFT_OUT)
@pytest.mark.parametrize("definition", ["pure", "fdp"])
def test_a_sentence_that_leaves_something_out_is_false_somewhere(name: str, definition: str) -> None:
    measured = default_registry()[DIVERGENCES][definition]

    def law(world: World) -> None:
        require_meaning(measured, said(measured, LEFT_OUT[name](world.plan.comparison)), world)

    with pytest.raises(AssertionError, match=f"what is said of '{definition}' must hold"):
        search(law, world=worlds(), examples=60, depth=QUICK)


def test_a_sentence_that_compares_nothing_is_refused() -> None:
    with pytest.raises(AssertionError, match="must say which datasets it compares"):
        require_meaning(default_registry()[DIVERGENCES]["pure"], "nobody learns more than e^epsilon", PRESENCE)


GUESS = Quantity("right guesses", lambda outcomes, at: Interval.of(sum(max(p, q) for p, q in outcomes) / 2))


@pytest.mark.parametrize(
    ("world", "number", "holds"),
    [
        # A count that moves by one, with noise that is 1/3 as likely with every step: 3/4 of all guesses are right.
        (PRESENCE, "3/4", True),
        (PRESENCE, "74/100", False),
        # Who does not know the sample is right less often: 1/2 + (7/9)/8.
        (SAMPLED, "43/72", True),
        (SAMPLED, "59/100", False),
    ],
)
def test_numbers_are_enumerated_exactly(world: World, number: str, holds: bool) -> None:
    statement = Statement("", world.plan.comparison, GUESS, Fraction(number))
    if holds:
        require_statement(statement, world)
        require_statement(evolve(statement, direction="at least"), world)
    else:
        with pytest.raises(AssertionError, match="what is stated must hold"):
            require_statement(statement, world)


def test_what_is_claimed_is_not_attained() -> None:
    attained = Statement("60%", CLAIMED.plan.comparison, GUESS, Fraction(3, 5), direction="at least")
    with pytest.raises(AssertionError, match="what is stated must hold"):
        require_statement(attained, CLAIMED)


def test_what_is_said_of_the_sample_holds_for_those_who_do_not_know_it_only() -> None:
    hidden = Statement("59.8%", SAMPLED.plan.comparison, GUESS, Fraction(598, 1000))
    require_statement(hidden, SAMPLED)
    with pytest.raises(AssertionError):
        require_statement(evolve(hidden, comparison=evolve(hidden.comparison, hidden_sample=False)), SAMPLED)


@frozen
class Boast(Report):
    """A report of one number that speaks of two values where only presence is promised."""

    name: ClassVar[str] = "boast"
    meaning: ClassVar[str] = "one number"

    def build(self, certificate: Certificate, account: Account) -> Document:
        own = account.plan.comparison
        values = evolve(own, neighbours=evolve(own.neighbours, relation=REPLACE_ONE))
        pure = account.registry.find(DIVERGENCES, "pure")
        written = account.measure("pure").value.rounded(6)[1]
        if written == "inf":
            return Document("boast", ())
        stated = Statement(written, values, pure.quantity({}), Fraction(written))
        return Document("boast", (Paragraph(("Epsilon, for any two values: ", stated, ".")),))


@frozen
class Unstated(Report):
    """A report that writes a number and states nothing."""

    name: ClassVar[str] = "unstated"
    meaning: ClassVar[str] = "one number"

    def build(self, certificate: Certificate, account: Account) -> Document:
        return Document("unstated", (KeyFigures((KeyFigure("62 of 100", "right guesses, at most"),)),))


@frozen
class Unwritten(Report):
    """A report whose table states what it does not show."""

    name: ClassVar[str] = "unwritten"
    meaning: ClassVar[str] = "one number"

    def build(self, certificate: Certificate, account: Account) -> Document:
        stated = Statement("100%", account.plan.comparison, GUESS, Fraction(1))
        return Document("unwritten", (Table("guesses", ("right",), (("60%",),), (stated,)),))


@pytest.mark.parametrize(
    ("report", "caught"),
    [
        (Boast(), "what is stated must hold"),
        (Unstated(), "must state every number that it writes in prose"),
        (Unwritten(), "must write down what it states"),
    ],
)
def test_a_report_that_says_too_much_is_caught(report: Report, caught: str) -> None:
    with pytest.raises(AssertionError, match=caught):
        report_is_never_false(report, PRESENCE)


def test_worlds_that_are_met_again_share_their_account_unless_something_else_is_done_or_registered() -> None:
    present = {"neighbours": "add-remove"}
    known, again = (met(World.of(*PRESENCE.truth, specification=present)) for _ in range(2))
    assert known is again
    others = [
        World.of(*PRESENCE.truth, specification={"neighbours": "replace-one"}),
        World.of(Noisy(("illness",), "1/2"), specification=present),
        World(PRESENCE.plan, SAMPLED.truth, PRESENCE.registry),
        World.of(*PRESENCE.truth, specification=present, registry=registry_with(divergences=[OldMeaning()])),
    ]
    assert all(met(other) is not known for other in others)
