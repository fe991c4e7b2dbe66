"""What attackers can gain, for the policy report: scenarios, tests, beliefs, and one simulated attack."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant import InvalidValue, ShiftError
from accountant.report import Callout, Items, Paragraph, Section, Statement, Table, in_a_row, say
from accountant_posterior.reports.figures import beliefs, cases, factors, guesses, powers, selection, stated_rows
from accountant_posterior.reports.hand import PRECISE
from accountant_posterior.reports.said import GUESS, at_most
from accountant_posterior.reports.view import Target, View, alike
from accountant_posterior.reports.wording import Written, between, chance

if TYPE_CHECKING:
    from accountant import Account

_EVEN = Fraction(1, 2)
_LEVELS = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))
_FAILURES = (Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Fraction(1, 1000), Fraction(1, 10000))
_FAILURE = Fraction(1, 100)
_ALIKE = (2, 5, 10, 100)
_SUSPICIONS = Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)
_PRIORS = tuple(Fraction(step, 100) for step in (1, 10, 25, 50, 75, 90))


def scenarios(seen: Sequence[View], target: Target) -> Section:
    """What can be gained about each topic."""
    level = Fraction(1, 20)
    cells = [(PRECISE.guess(view), PRECISE.power(view, level), PRECISE.band(view, _EVEN, _FAILURE)) for view in seen]
    rows = tuple((view.label, *(cell.text for cell in line)) for view, line in zip(seen, cells, strict=True))
    several = len(seen) > 1
    kind = "one" if not several else "presence" if target.neighbours.relation.by_presence else "several"
    even = PRECISE.share(_EVEN)
    return Section(
        say("policy.gain.title" if several else "policy.gain.title_one"),
        (
            Paragraph(say(f"policy.gain.{kind}", name=target.name, owner=target.owner)),
            guesses(seen, PRECISE),
            Table(
                say("policy.gain.table"),
                (
                    say("column.at_stake"),
                    say("policy.gain.guesses"),
                    say("policy.gain.power", level=PRECISE.share(level)),
                    say("policy.gain.belief", even=even, cases=cases(seen, _FAILURE)),
                ),
                rows,
                tuple(cell for line in cells for cell in line),
            ),
            Callout("guarantee", say("policy.gain.holds_title"), (Paragraph(say("policy.gain.holds")),)),
        ),
    )


def tests_of_power(seen: tuple[View, ...], told: tuple[View, ...], target: Target) -> Section:
    """What tests can tell."""
    rows = [(view.label, [PRECISE.power(view, level) for level in _LEVELS]) for view in seen]
    drawn = "policy.tests.says" if seen[0].comparison.invariants else "policy.tests.says_drawn"
    return Section(
        say("policy.tests.title"),
        (
            Paragraph(say(drawn, alternatives=_alternatives(seen, target))),
            *selection(seen, told),
            powers(told, PRECISE),
            stated_rows(
                say("power.table"),
                (say("column.at_stake"), *(say("policy.tests.at_level", level=PRECISE.share(level)) for level in _LEVELS)),
                rows,
            ),
        ),
    )


def _alternatives(seen: Sequence[View], target: Target) -> str:
    if target.neighbours.relation.edits:
        return say("policy.tests.values", what=_own(target))
    key = "policy.tests.presence_or_values" if len(seen) > 1 else "policy.tests.presence"
    return say(key, name=target.name, owner=target.owner)


def _own(target: Target) -> str:
    """What of the target may have another value."""
    attributes = target.neighbours.attributes
    if not attributes:
        return say("topic.record", owner=target.owner)
    return say("topic.attributes", owner=target.owner, names=in_a_row(sorted(attributes)), count=len(attributes))


def _replacement(told: Sequence[View], target: Target) -> str:
    own = target.neighbours
    given = "policy.world.given_others" if own.attributes is None else "policy.world.given_all"
    redrawn = say("policy.world.redrawn", what=_own(target), given=say(given, name=target.name, others=target.others))
    if own.relation.edits:
        return redrawn
    values = say("policy.world.for_values", redrawn=redrawn) if len(told) > 1 else ""
    return say("policy.world.presence", name=target.name, others=target.others) + values


def belief_bands(seen: Sequence[View], told: Sequence[View], target: Target) -> Section:
    """What beliefs can become."""
    by_prior = [(PRECISE.share(prior), [PRECISE.band(view, prior, _FAILURE) for view in told]) for prior in _PRIORS]
    by_failure = [(chance(failure), _bands(told, failure)) for failure in _FAILURES]
    always = all(view.never_fails(failure) for view in told for failure in (*_FAILURES, _FAILURE))
    fails = say("policy.beliefs.never" if always else "policy.beliefs.fails")
    failing = say("policy.beliefs.none") if always else chance(_FAILURE)
    labels = [view.label for view in told]
    return Section(
        say("policy.beliefs.title"),
        (
            Paragraph(say("policy.beliefs.says", name=target.name, cases=cases(told, _FAILURE), fails=fails)),
            beliefs(told, _FAILURE, PRECISE),
            stated_rows(say("policy.beliefs.by_prior", failure=failing), (say("policy.beliefs.before"), *labels), by_prior),
            stated_rows(
                say("policy.beliefs.by_failure", even=PRECISE.share(_EVEN)),
                (say("policy.beliefs.failure"), *labels),
                by_failure,
            ),
        ),
    )


def _bands(told: Sequence[View], failure: Fraction) -> list[Statement]:
    return [PRECISE.band(view, _EVEN, failure) for view in told]


def with_and_without(told: Sequence[View], target: Target) -> Section:
    """What is learned because the record is there."""
    return Section(
        say("policy.world.title"),
        (
            Paragraph(say("policy.world.says", replacement=_replacement(told, target))),
            factors(told, PRECISE),
            Callout(
                "guarantee",
                say("policy.world.assumptions"),
                (
                    Items(
                        (
                            say("policy.world.knows", others=target.others),
                            say("policy.world.randomness"),
                            say("policy.world.model"),
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
        (say("number.whole", number=units), [column[units] for column in columns])
        for units in _ALIKE
        if all(units in column for column in columns)
    ]
    if not rows:
        return []
    return [
        Section(
            say("policy.alike.title"),
            (
                Paragraph(say("policy.alike.says", others=target.others, units=target.units, name=target.name)),
                stated_rows(
                    say("policy.alike.table"),
                    (say("policy.alike.column", units=target.units), *(view.label for view in told)),
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
    everything: Written | None = None
    for units in _ALIKE:
        grown = alike(view, units)
        if grown is not None:
            shown = everything or PRECISE.guessed(grown.guess)
            if everything is None and PRECISE.share(grown.guess.lower).value == 1:
                everything = PRECISE.share(Fraction(1))
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
    rows = tuple((PRECISE.share(prior), between(after)) for prior, after in beliefs_after)
    return [
        Section(
            say("policy.attack.title"),
            (
                Callout(
                    "simulation",
                    say("policy.attack.who", topic=view.topic),
                    (
                        Paragraph(say("policy.attack.says", count=len(found.releases))),
                        Table(
                            say("policy.attack.table"),
                            (say("policy.attack.before"), say("policy.attack.after")),
                            rows,
                        ),
                    ),
                ),
            ),
        )
    ]
