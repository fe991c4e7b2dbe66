"""The report for the public: what anybody could learn about one person, in plain words and natural frequencies."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.report import Aside, Block, Callout, Document, Items, Paragraph, Report, Section, Strong, Table
from accountant_posterior.reports.figures import beliefs, frequencies, key_figures, selection
from accountant_posterior.reports.known import known_anyway
from accountant_posterior.reports.shared import (
    claimed,
    exact_names,
    hides_sample,
    small_print,
    unprotected,
    verdict_callouts,
)
from accountant_posterior.reports.view import Target, View, headline, views
from accountant_posterior.reports.wording import counted, frequency, joined, most, of_100, percent, plural, unless

if TYPE_CHECKING:
    from accountant import Account, Certificate

_FAILURE = Fraction(1, 20)
_PRIORS = (
    (Fraction(1, 100), "1 in 100"),
    (Fraction(1, 10), "1 in 10"),
    (Fraction(1, 2), "1 in 2"),
    (Fraction(9, 10), "9 in 10"),
)
_MOST_NAMES = 40


@frozen
class PublicReport(Report):
    """No formulas, no Greek letters, and one adversary: someone who knows everything else."""

    name: ClassVar[str] = "public"
    usual: ClassVar[bool] = True
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
                key_figures(told),
                _guessing(seen, told, target, hides_sample(account)),
                _suspecting(seen, told, target),
                _exact(account, target),
                *known_anyway(certificate),
                _published(account),
                _limits(account, target),
            ),
            f"What this publication can tell anyone about {target.introduced}",
            small_print(certificate, account, "The policy and technical reports say more."),
        )


def _opening(account: Account, target: Target) -> tuple[str | Strong, ...]:
    person = (
        "We call that person Jessie. Jessie stands for anyone whose answers are in the data."
        if target.is_person
        else f"What is said of {target.name} holds for any other in the data."
    )
    return (
        f"{_made(account)} This page says how much anybody could still find out about ",
        Strong(target.introduced),
        f", at most. {person}",
    )


def _made(account: Account) -> str:
    """What keeps answers from being read off, if anything does. Whether it does so well is for the numbers to say."""
    kinds = {mechanism.kind for release in account.plan.releases for _, mechanism in release.mechanism.nested()}
    if kinds == {"no-op"}:
        return "What is published here does not depend on anybody’s answers."
    if kinds <= {"no-op", "non-private"}:
        return "These statistics are published as they are: nothing was done to hide anybody’s own answers."
    some = "some of " if "non-private" in kinds else ""
    return f"Chance was mixed into {some}these statistics before they were published, to hide everybody’s own answers."


def _guessing(seen: tuple[View, ...], told: tuple[View, ...], target: Target, hidden: bool) -> Section:
    first = told[1] if len(told) > 1 else told[0]
    wanted = "the answer to a yes-or-no question"
    if not target.neighbours.relation.edits:
        wanted = first.topic
    elif first.attributes:
        wanted += f", for instance about {first.topic}"
    else_known = "" if not target.neighbours.relation.edits else f", and everything else about {target.name}"
    if hidden:
        else_known += ", but not who was picked when chance chose whom to ask"
    sentences = [_right(view, target) for view in told]
    return Section(
        f"What could someone find out about {target.name}?",
        (
            Paragraph(
                f"Imagine someone who wants to know one thing about {target.name}: {wanted}. Suppose they already know "
                f"everything about {target.others}{else_known}. Only about this one question they are undecided: to "
                "them, both answers are equally likely."
            ),
            Paragraph(
                f"If they tossed a coin for 100 such {target.several}, they would be right about 50 of "
                "them. Now they may use every number in this publication, as cleverly as anybody ever could:"
            ),
            Items(tuple(sentences)),
            frequencies(seen, "what the question is about"),
            _certainty(seen, target, hidden),
        ),
    )


def _right(view: View, target: Target) -> tuple[str | Strong, ...]:
    if view.settled:
        return "About ", Strong(view.topic), ", nothing is protected from them: what is held fixed gives the answer away."
    return (
        "About ",
        Strong(view.topic),
        f", the best possible guess is right for at most {of_100(view.guess)} of 100 {target.several}. A coin is right "
        "for 50.",
    )


def _certainty(seen: tuple[View, ...], target: Target, hidden: bool) -> Callout:
    open_to_all = [view.topic for view in seen if view.guess.upper >= 1]
    if open_to_all:
        words = f"What is published may give the answer away completely about {joined(open_to_all, 'or')}."
        others = " The other numbers are limits for everyone." if len(open_to_all) < len(seen) else ""
        return Callout("warning", "There is no limit", (Paragraph(words + others),))
    return Callout(
        "guarantee",
        "These are limits for everyone",
        (
            Paragraph(
                "No attack was tried out to find these numbers. They are limits that no method can beat on average, with "
                f"whatever computer, now or later, and whatever else is known{' but who was picked' if hidden else ''}. "
                "Real attackers know far less about "
                f"{target.others} than we suppose here, and will usually do worse."
            ),
        ),
    )


def _suspecting(seen: tuple[View, ...], told: tuple[View, ...], target: Target) -> Section:
    rows = tuple(
        (words, *(percent(most(view.belief(prior, _FAILURE)), up=True, least=0) for view in told))
        for prior, words in _PRIORS
    )
    tenth = Fraction(1, 10)
    sentences = [
        ("About ", Strong(view.topic), ", there is no limit: they may become certain.")
        if (after := view.belief(tenth, _FAILURE)).upper >= 1
        else (
            "About ",
            Strong(view.topic),
            f", someone who saw a chance of 1 in 10 before may see one of at most {frequency(after)} afterwards.",
        )
        for view in told
    ]
    return Section(
        "What if they already suspect something?",
        (
            Paragraph(
                f"Someone may start out with a suspicion about {target.name}. The publication can make them surer of "
                f"it, or less sure. In at least {unless(_FAILURE)} cases, they will not be surer than this:"
            ),
            Items(tuple(sentences)),
            Table(
                f"How sure they can be of it afterwards, at most, in {unless(_FAILURE)} cases, by what it is about",
                ("chance before", *(view.label for view in told)),
                rows,
            ),
            *selection(seen, told),
            beliefs(told, _FAILURE),
            Paragraph(
                f"In the remaining cases, at most {100 * _FAILURE} of 100, chance lets more through. The numbers of right "
                "guesses further up count those cases, too."
            ),
        ),
    )


def _exact(account: Account, target: Target) -> Section:
    names, bare = exact_names(account), unprotected(account)
    shown: list[Block] = []
    if bare:
        shown = [
            Paragraph("These statistics are published as they are, without any protection. All numbers here count them:"),
            Items(_some(bare)),
        ]
    if not names:
        nothing = Paragraph("No fact is published exactly beside the statistics that this page speaks of.")
        return Section("What is not protected?", tuple(shown) or (nothing,))
    return Section(
        "What is not protected at all?",
        (
            *shown,
            Paragraph("Some facts are published exactly, without any protection:"),
            Items(tuple(names)),
            Callout(
                "warning",
                "What follows from these facts, anybody can know",
                (
                    Paragraph(
                        f"The limits on this page hold for what these facts leave open. A question about {target.name} "
                        "whose answer they settle is not protected."
                    ),
                ),
            ),
        ),
    )


def _published(account: Account) -> Section:
    releases = account.plan.releases
    times = sum(release.times for release in releases)
    lines: list[Block] = [
        Paragraph(
            f"This page covers {counted(len(releases), 'release')} of statistics"
            + ("" if times == len(releases) else f", {times:,} publications in all since some are repeated")
            + ". "
            + ("" if len(releases) == 1 else "The limits are for all of them together. ")
            + "What is published elsewhere is not counted."
        ),
    ]
    names = _some([release.name for release in releases])
    return Section("What is published?", (*lines, Aside("Every release by its name", (Items(names),))))


def _some(names: list[str]) -> tuple[str, ...]:
    """As many names as somebody may read."""
    more = len(names) - _MOST_NAMES
    return (*names[:_MOST_NAMES], *([f"and {more:,} more"] if more > 0 else []))


def _limits(account: Account, target: Target) -> Section:
    trusted = claimed(account)
    trust = f" For {joined(_some(trusted))}, that was taken on trust." if trusted else ""
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
                        Strong("They rest on how the statistics were made. "),
                        "They hold if chance was mixed in as planned, and if nobody but the publisher sees the data "
                        f"themselves.{trust}",
                    ),
                    (
                        Strong("They are averages over chance. "),
                        "How much can be learned in a single case depends on what chance made of the statistics.",
                    ),
                )
            ),
        ),
    )
