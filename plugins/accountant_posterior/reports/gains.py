"""What attackers can gain, for the policy report: scenarios, tests, beliefs, and one simulated attack."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant import InvalidValue, ShiftError
from accountant.report import Callout, Items, Paragraph, Section, Table
from accountant_posterior.reports.figures import beliefs, factors, guesses, powers, selection
from accountant_posterior.reports.view import Target, View
from accountant_posterior.reports.wording import between, chance, counted, percent, unless

if TYPE_CHECKING:
    from accountant import Account

_LEVELS = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))
_FAILURES = (Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Fraction(1, 1000), Fraction(1, 10000))
_FAILURE = Fraction(1, 100)
_PRIORS = tuple(Fraction(step, 100) for step in (1, 10, 25, 50, 75, 90))


def scenarios(seen: Sequence[View], target: Target) -> Section:
    """What can be gained about each topic."""
    rows = tuple(
        (
            view.label,
            view.name or "—",
            percent(view.guess.upper, up=True),
            percent(view.power(Fraction(1, 20)), up=True),
            between(view.belief(Fraction(1, 2), _FAILURE)),
        )
        for view in seen
    )
    return Section(
        "Scenarios side by side" if len(seen) > 1 else "What an attacker could gain",
        (
            Paragraph(
                "Someone who minds that one thing about them might be found out is protected better than the total "
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
                    f"belief after, from 50%, in {unless(_FAILURE)} cases",
                ),
                rows,
            ),
            Callout(
                "guarantee",
                "Holds against every attacker",
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
    rows = tuple((view.label, *(percent(view.power(level), up=True) for level in _LEVELS)) for view in seen)
    return Section(
        "Power against significance",
        (
            Paragraph(
                f"A statistician may test whether {_alternatives(target)}. The significance "
                "level is how often the test says yes wrongly; its power, how often it says yes rightly. No test based "
                "on these releases has more power than this, also if all other records are drawn from a law that the "
                "statistician knows."
            ),
            *selection(seen, told),
            powers(told),
            Table(
                "Largest power of any test",
                ("at stake", *(f"at level {percent(level, up=True)}" for level in _LEVELS)),
                rows,
            ),
        ),
    )


def _alternatives(target: Target) -> str:
    if target.neighbours.relation.edits:
        return f"{target.owner} record has one value or another"
    return f"{target.name} is in the data or not"


def _replacement(target: Target) -> str:
    if target.neighbours.relation.edits:
        return f"{target.owner} record is replaced by one that the attacker thinks just as likely, given {target.others}"
    return (
        f"whether {target.name} is there is drawn by chance, as likely as the attacker thinks it is, given {target.others}"
    )


def belief_bands(seen: Sequence[View], told: Sequence[View], target: Target) -> Section:
    """What beliefs can become."""
    by_prior = tuple(
        (percent(prior, up=True), *(between(view.belief(prior, _FAILURE)) for view in told)) for prior in _PRIORS
    )
    by_failure = tuple(
        (chance(failure), *(between(view.belief(Fraction(1, 2), failure)) for view in told)) for failure in _FAILURES
    )
    return Section(
        "Prior against posterior belief",
        (
            Paragraph(
                f"An attacker holds some belief about {target.name} beforehand, and a belief after seeing all releases. "
                f"The belief afterwards stays in the band in at least {unless(_FAILURE)} cases, whichever answer is "
                "true. The chance of failure is over the randomness of the releases, and it is a real one: in those "
                "cases the bound may be passed."
            ),
            beliefs(told, _FAILURE),
            Table(
                f"Belief afterwards by belief beforehand; chance of failure {chance(_FAILURE)}",
                ("belief before", *(view.label for view in told)),
                by_prior,
            ),
            Table(
                "Belief afterwards from 50%, by the chance of failure",
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
                f"releases, made from data in which {_replacement(target)}. What is learned there is learned from others. "
                "The figure says how much more is learned in the actual world."
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


def simulation(account: Account, told: Sequence[View]) -> list[Section]:
    """What one attacker achieves, where the releases allow that to be computed."""
    from accountant_posterior.attacks import block_attack

    view = next((view for view in told[1:] if view.attributes and "block" not in view.attributes), None)
    if view is None or view.attributes is None:
        return []
    try:
        found = [block_attack(account, prior, secret=view.attributes) for prior in ("1/2", "1/10", "1/100")]
    except (InvalidValue, ShiftError):
        return []
    rows = tuple(
        (
            percent(attack.outlook.prior, up=True),
            between(attack.outlook.posterior),
        )
        for attack in found
    )
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
                            f"mind, and looks at {counted(len(found[0].releases), 'noisy table')} of that block. The "
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
