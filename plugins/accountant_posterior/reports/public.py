"""The report for the public: what anybody could learn about one person, in plain words and natural frequencies."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.report import (
    Aside,
    Block,
    Callout,
    Document,
    Items,
    KeyFigure,
    KeyFigures,
    Paragraph,
    Report,
    Section,
    Strong,
    Table,
)
from accountant_posterior.reports.figures import beliefs, frequencies
from accountant_posterior.reports.shared import exact_names, small_print, verdict_callouts
from accountant_posterior.reports.view import Target, View, headline, views
from accountant_posterior.reports.wording import between, counted, joined, of_100, plural, unless

if TYPE_CHECKING:
    from accountant import Account, Certificate

_FAILURE = Fraction(1, 20)
_PRIORS = ((Fraction(1, 100), "1 in 100"), (Fraction(1, 10), "1 in 10"), (Fraction(1, 2), "1 in 2"), (Fraction(9, 10), "9 in 10"))
_MOST_NAMES = 40


@frozen
class Public(Report):
    """No formulas, no Greek letters, and one adversary: someone who knows everything else."""

    name: ClassVar[str] = "public"
    meaning: ClassVar[str] = "what anybody could learn about one person at most, in plain words"

    def build(self, certificate: Certificate, account: Account) -> Document:
        seen = views(account)
        target = Target(account.plan.specification.neighbours)
        told = headline(seen)
        return Document(
            account.plan.title,
            (
                Paragraph(_opening(account, target)),
                *verdict_callouts(certificate),
                KeyFigures(tuple(_key_figure(view) for view in told)),
                _guessing(seen, told, target),
                _suspecting(told, target),
                _exact(account, target),
                _published(account),
                _limits(target),
            ),
            f"What this publication can tell anyone about {target.name if not target.is_person else 'one person'}",
            small_print(certificate, account),
        )


def _opening(account: Account, target: Target) -> tuple[str | Strong, ...]:
    person = (
        "We call that person Jessie. Jessie stands for anyone whose answers are in the data."
        if target.is_person
        else f"It speaks of {target.name}, which stands for any other in the data."
    )
    return (
        "Random noise was added to these statistics before they were published. This page says how much anybody could ",
        Strong("still find out about " + ("one person" if target.is_person else target.name)),
        f", at most. {person}",
    )


def _key_figure(view: View) -> KeyFigure:
    return KeyFigure(
        f"at most {of_100(view.guess)} of 100",
        f"guesses are right about {view.topic}",
        "50 of 100 are right by tossing a coin",
    )


def _guessing(seen: tuple[View, ...], told: tuple[View, ...], target: Target) -> Section:
    example = told[-1] if len(told) > 1 else told[0]
    first = told[1] if len(told) > 1 else told[0]
    yes_or_no = (
        f"a question that can be answered with yes or no, for instance about {first.topic}"
        if not first.topic.startswith("whether")
        else first.topic
    )
    else_known = "" if not target.neighbours.relation.edits else f", and everything else about {target.name}"
    sentences = [
        (
            "About ",
            Strong(view.topic),
            f", the best possible guess is right for at most {of_100(view.guess)} of 100 {plural(target.neighbours.unit)}. "
            "A coin is right for 50.",
        )
        for view in told
    ]
    del example
    return Section(
        f"What could someone find out about {target.name}?",
        (
            Paragraph(
                f"Imagine someone who wants to know one thing about {target.name}: {yes_or_no}. Suppose they already know "
                f"everything about {target.others}{else_known}. Only about this one question they are undecided: to "
                "them, both answers are equally likely."
            ),
            Paragraph(
                f"If they tossed a coin for 100 such {plural(target.neighbours.unit)}, they would be right about 50 of them. "
                "Now they may use every number in this publication, as cleverly as anybody ever could:"
            ),
            Items(tuple(sentences)),
            frequencies(seen, "what the question is about"),
            Callout(
                "guarantee",
                "These are limits for everyone",
                (
                    Paragraph(
                        "No attack was tried out to find these numbers. They are limits that no method can beat on average, "
                        "with whatever computer, now or later, and whatever else is known. Real attackers know far less about "
                        f"{target.others} than we suppose here, and will usually do worse."
                    ),
                ),
            ),
        ),
    )


def _suspecting(told: tuple[View, ...], target: Target) -> Section:
    rows = tuple((words, *(between(view.belief(prior, _FAILURE)) for view in told)) for prior, words in _PRIORS)
    view = told[-1]
    held = view.belief(Fraction(1, 10), _FAILURE)
    return Section(
        "What if they already suspect something?",
        (
            Paragraph(
                f"Someone may start out with a suspicion about {target.name}: they think that the chances of some answer are "
                f"1 in 10, say. The publication can make them more sure of it, or less. If the question is about {view.topic}, "
                f"then in at least {unless(_FAILURE)} cases they will afterwards put the chances at {between(held)}."
            ),
            Table(
                f"How sure they can be after the publication, in at least {unless(_FAILURE)} cases",
                ("chances they saw before", *(f"about {view.label}" for view in told)),
                rows,
            ),
            beliefs(told, _FAILURE),
            Paragraph(
                f"In the remaining cases, at most {100 * _FAILURE} of 100, chance makes the noise say more than that. The numbers of "
                "right guesses further up count those cases, too."
            ),
        ),
    )


def _exact(account: Account, target: Target) -> Section:
    names = exact_names(account)
    if not names:
        return Section(
            "What is not protected?",
            (Paragraph("Nothing is published exactly: noise was added to every number that this page speaks of."),),
        )
    return Section(
        "What is not protected at all?",
        (
            Paragraph("Some numbers are published exactly, without any noise:"),
            Items(tuple(names)),
            Callout(
                "warning",
                "What follows from these exact numbers, anybody can know",
                (
                    Paragraph(
                        f"The limits on this page hold for what these numbers leave open. A question about {target.name} whose "
                        "answer they settle is not protected."
                    ),
                ),
            ),
        ),
    )


def _published(account: Account) -> Section:
    releases = account.plan.releases
    bare = [release.name for release in releases if release.mechanism.all_published()]
    times = sum(release.times for release in releases)
    lines: list[Block] = [
        Paragraph(
            f"This page covers {counted(len(releases), 'release')} of statistics"
            + ("" if times == len(releases) else f", {times:,} publications in all since some are repeated")
            + ". The limits are for all of them together. What is published elsewhere is not counted."
        ),
        *([Paragraph(f"Published as it is, without noise: {joined(bare)}.")] if bare else []),
    ]
    names = [release.name for release in releases]
    more = len(names) - _MOST_NAMES
    shown = tuple(names[:_MOST_NAMES]) + ((f"and {more:,} more",) if more > 0 else ())
    return Section("What is published?", (*lines, Aside("Every release by its name", (Items(shown),))))


def _limits(target: Target) -> Section:
    return Section(
        "What these limits do not say",
        (
            Items(
                (
                    (
                        Strong("Statistics still teach about groups. "),
                        f"If most {plural(target.neighbours.unit)} in a place are alike, that is what statistics are for, "
                        f"and someone may conclude the same for {target.name}. They could do so even if "
                        f"{target.owner} own answers had been left out or replaced.",
                    ),
                    (
                        Strong("They rest on the noise. "),
                        "They hold if the noise was made as planned and nobody but the publisher sees the data without it.",
                    ),
                    (
                        Strong("They are averages over chance. "),
                        "What the noise turned out to be decides how much can be learned in a single case.",
                    ),
                )
            ),
        ),
    )
