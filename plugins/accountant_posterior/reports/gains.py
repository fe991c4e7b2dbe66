"""What attackers can gain, for the policy report: scenarios, tests, beliefs, and one simulated attack."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant import InvalidValue, ShiftError
from accountant.plugin import joined, plural
from accountant.report import Callout, Items, Paragraph, Section, Statement, Table
from accountant_posterior.reports.figures import (
    band,
    beliefs,
    cases,
    factors,
    guesses,
    power_of,
    powers,
    selection,
    stated_rows,
)
from accountant_posterior.reports.said import GUESS, at_most
from accountant_posterior.reports.view import Target, View, alike
from accountant_posterior.reports.wording import between, chance, counted, percent

if TYPE_CHECKING:
    from accountant import Account

_LEVELS = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))
_FAILURES = (Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Fraction(1, 1000), Fraction(1, 10000))
_FAILURE = Fraction(1, 100)
_ALIKE = (2, 5, 10, 100)
_ALL = "100%"
_SUSPICIONS = Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)
_PRIORS = tuple(Fraction(step, 100) for step in (1, 10, 25, 50, 75, 90))


def scenarios(seen: Sequence[View], target: Target) -> Section:
    """What can be gained about each topic."""
    cells = [
        (
            at_most(percent(view.guess.upper, up=True), view.comparison, GUESS),
            power_of(view, Fraction(1, 20)),
            band(view, Fraction(1, 2), _FAILURE),
        )
        for view in seen
    ]
    rows = tuple(
        (view.label, view.name or "—", *(cell.text for cell in line)) for view, line in zip(seen, cells, strict=True)
    )
    return Section(
        "Scenarios side by side" if len(seen) > 1 else "What an attacker could gain",
        (
            Paragraph(
                f"An attacker may ask whether {target.name} is in the data, or, knowing that, which of two values "
                f"{target.owner} record has. Two values are two steps apart, so that more may be found out about them."
                if target.neighbours.relation.by_presence and len(seen) > 1
                else "Someone who minds that one thing about them might be found out is protected better than the total "
                "says: only releases that depend on it can give it away. Each line is about an attacker who knows all "
                f"but the named facts about {target.name}."
                if len(seen) > 1
                else f"The attacker is undecided between two answers about {target.name}; the bar says how often the best "
                "guess is right."
            ),
            guesses(seen),
            Table(
                "What an attacker who knows everything else can gain, at most",
                (
                    "at stake",
                    "scenario",
                    "right guesses, even question",
                    "power at level 5%",
                    f"belief after, from 50%, {cases(seen, _FAILURE)}",
                ),
                rows,
                tuple(cell for line in cells for cell in line),
            ),
            Callout(
                "guarantee",
                "Holds against every attacker of this kind",
                (
                    Paragraph(
                        "These are worst-case bounds for every attacker of the kind above, with any method and any "
                        "computing power. They also hold for whatever is made of the releases later."
                    ),
                ),
            ),
        ),
    )


def tests_of_power(seen: tuple[View, ...], told: tuple[View, ...], target: Target) -> Section:
    """What tests can tell."""
    rows = [(view.label, [power_of(view, level) for level in _LEVELS]) for view in seen]
    drawn = (
        ""
        if seen[0].comparison.invariants
        else ", also if all other records are drawn from a law that the statistician knows"
    )
    return Section(
        "Power against significance",
        (
            Paragraph(
                f"A statistician may test whether {_alternatives(seen, target)}. The significance "
                "level is how often the test says yes wrongly; its power, how often it says yes rightly. No test based "
                f"on these releases has more power than this{drawn}."
            ),
            *selection(seen, told),
            powers(told),
            stated_rows(
                "Largest power of any test",
                ("at stake", *(f"at level {percent(level, up=True)}" for level in _LEVELS)),
                rows,
            ),
        ),
    )


def _alternatives(seen: Sequence[View], target: Target) -> str:
    own = target.neighbours
    if own.relation.edits:
        what = "record" if own.attributes is None else joined(sorted(own.attributes)) or "record"
        return f"{target.owner} {what} has one value or another"
    values = f", or whether {target.owner} record has one value or another" if len(seen) > 1 else ""
    return f"{target.name} is in the data or not{values}"


def _replacement(told: Sequence[View], target: Target) -> str:
    own = target.neighbours
    what = "record" if own.attributes is None else joined(sorted(own.attributes)) or "record"
    given = (
        f"given {target.others}" if own.attributes is None else f"given all else about {target.name} and {target.others}"
    )
    redrawn = f"{target.owner} {what} is drawn anew from what the attacker believes about it, {given}"
    if own.relation.edits:
        return redrawn
    values = f" (for the line about the record, {redrawn})" if len(told) > 1 else ""
    return (
        f"whether {target.name} is there is drawn by chance, as likely as the attacker thinks it is, given "
        f"{target.others}{values}"
    )


def belief_bands(seen: Sequence[View], told: Sequence[View], target: Target) -> Section:
    """What beliefs can become."""
    by_prior = [(percent(prior, up=True), [band(view, prior, _FAILURE) for view in told]) for prior in _PRIORS]
    by_failure = [(chance(failure), [band(view, Fraction(1, 2), failure) for view in told]) for failure in _FAILURES]
    always = all(view.never_fails(failure) for view in told for failure in (*_FAILURES, _FAILURE))
    fails = (
        "These bounds never fail."
        if always
        else "The chance of failure is over the randomness of the releases; a bound that is not said to hold in every case "
        "may be passed then."
    )
    return Section(
        "Prior against posterior belief",
        (
            Paragraph(
                f"An attacker holds some belief about {target.name} beforehand, and a belief after seeing all releases. "
                f"The belief afterwards stays in the band {cases(told, _FAILURE)}, whichever answer is true. {fails}"
            ),
            beliefs(told, _FAILURE),
            stated_rows(
                f"Belief afterwards by belief beforehand; chance of failure {'none' if always else chance(_FAILURE)}",
                ("belief before", *(view.label for view in told)),
                by_prior,
            ),
            stated_rows(
                "Belief afterwards from 50%, by the chance of failure that is allowed",
                ("chance of failure", *(view.label for view in told)),
                by_failure,
            ),
        ),
    )


def with_and_without(told: Sequence[View], target: Target) -> Section:
    """What is learned because the record is there."""
    return Section(
        "With and without the record",
        (
            Paragraph(
                "The fairest comparison is not with what was believed before, but with a second world: the same "
                f"releases, made from data in which {_replacement(told, target)}. What is learned there is learned from "
                "others. The figure says how much more is learned in the actual world."
            ),
            factors(told),
            Callout(
                "guarantee",
                "Under these assumptions",
                (
                    Items(
                        (
                            f"The attacker knows {target.others}, so the belief in the second world is the belief "
                            "beforehand.",
                            "The chance is over the randomness of the releases, for the record that is the true one.",
                            "An attacker who does not know the others is bounded so only if the attacker’s own model "
                            "of them is right; a badly wrong model can be misled by any amount.",
                        )
                    ),
                ),
            ),
        ),
    )


def together(told: Sequence[View], target: Target) -> list[Section]:
    """What is learned by those who believe that records go together."""
    columns = [_by_number(view) for view in told]
    rows = [
        (f"{units:,}", [column[units] for column in columns])
        for units in _ALIKE
        if all(units in column for column in columns)
    ]
    if not rows:
        return []
    units = plural(target.neighbours.unit)
    return [
        Section(
            "If records go together",
            (
                Paragraph(
                    f"All bounds above suppose that {target.others} are known. Someone who knows nobody, but is sure that "
                    f"several {units} have the same answer, learns about all of them at once, {target.name} among them. "
                    "That would be learned without the record of any one of them, too. For those who believe so, these "
                    "are the limits:"
                ),
                stated_rows(
                    "Right guesses about an even question, at most, by how many are known to be alike",
                    (f"{units} alike", *(view.label for view in told)),
                    rows,
                ),
            ),
        )
    ]


def _by_number(view: View) -> dict[int, Statement]:
    """How often guesses are right by how many units are alike, where that is known.

    More units that are alike are never guessed worse: once all guesses are right as far as is shown, they stay so, and
    nothing is read for even more.
    """
    found: dict[int, Statement] = {}
    surely = False
    for units in _ALIKE:
        grown = alike(view, units)
        if grown is not None:
            shown = _ALL if surely else percent(grown.guess.upper, up=True)
            surely = surely or percent(grown.guess.lower, up=True) == _ALL
            found[units] = at_most(shown, grown.comparison, GUESS)
    return found


def simulation(account: Account, told: Sequence[View]) -> list[Section]:
    """What one attacker achieves, where the releases allow that to be computed."""
    view = next((view for view in told[1:] if view.attributes and "block" not in view.attributes), None)
    if view is None or view.attributes is None:
        return []
    from accountant_posterior.attacks import block_attack

    try:
        found = block_attack(account, _SUSPICIONS[0], secret=view.attributes)
    except (InvalidValue, ShiftError):
        return []
    others = (found.attack.posterior_from(prior) for prior in _SUSPICIONS[1:])
    beliefs_after = zip(_SUSPICIONS, (found.outlook.posterior, *others), strict=True)
    rows = tuple((percent(prior, up=True), between(after)) for prior, after in beliefs_after)
    return [
        Section(
            "For comparison: one attacker",
            (
                Callout(
                    "simulation",
                    f"A neighbour who knows everyone in the block, looking for {view.topic}",
                    (
                        Paragraph(
                            "This attacker knows every record of one block but the target’s, has one alternative in "
                            f"mind, and looks at {counted(len(found.releases), 'noisy table')} of that block. The "
                            "numbers say what this one attacker ends up with on average if the suspicion is true. "
                            "Another attacker may learn more: nothing here is a bound."
                        ),
                        Table(
                            "What this attacker ends up with, on average, if the suspicion is true",
                            ("belief before", "mean belief after"),
                            rows,
                        ),
                    ),
                ),
            ),
        )
    ]
