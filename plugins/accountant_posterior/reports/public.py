"""The report for the public: what anybody could learn about one person, in plain words and natural frequencies."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from accountant.plugin import joined, plural
from accountant.report import (
    Aside,
    Block,
    Callout,
    Document,
    Items,
    Paragraph,
    Section,
    Statement,
    Strong,
    Words,
)
from accountant_posterior.reports.figures import (
    beliefs,
    cases,
    failure_of,
    frequencies,
    key_figures,
    selection,
    stated_rows,
)
from accountant_posterior.reports.known import known_anyway
from accountant_posterior.reports.said import GUESS, at_most, not_surer
from accountant_posterior.reports.shared import (
    exact_names,
    small_print,
    unprotected,
    verdict_callouts,
)
from accountant_posterior.reports.view import Target, View, alike, headline, insider, views
from accountant_posterior.reports.wording import counted, frequency, most, of_100, percent, unless

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
_ALIKE = 5


def build(certificate: Certificate, account: Account) -> Document:
    """The document."""
    seen = views(account)
    target = Target(account.plan.specification.neighbours)
    told = headline(seen)
    return Document(
        account.plan.title,
        (
            Paragraph(_opening(account, target)),
            *verdict_callouts(certificate),
            key_figures(told),
            _guessing(seen, told, target, bool(certificate.contents.public)),
            _suspecting(seen, told, target),
            _exact(account, target),
            *known_anyway(certificate),
            _published(account),
            _limits(account, told, target),
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
        f"{_made(account)} This page says how much could still be found out about ",
        Strong(target.introduced),
        f", at most, by people who know everything about {target.others}. {person}",
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


def _guessing(seen: tuple[View, ...], told: tuple[View, ...], target: Target, facts: bool) -> Section:
    first = told[1] if len(told) > 1 else told[0]
    edits, hidden = target.neighbours.relation.edits, told[0].comparison.hidden_sample
    wanted = "the answer to a yes-or-no question"
    if not edits:
        wanted = joined((view.topic for view in told), "or")
    elif first.attributes:
        wanted += f", for instance about {first.topic}"
    else_known = "" if not edits else f", and everything else about {target.name}"
    if hidden:
        else_known += ", but not who was picked when chance chose whom to ask"
    aside = " They do not use the facts that are known anyway, which are listed further down." if facts else ""
    picked = [line for view in told if (line := _picked(view, target)) is not None]
    return Section(
        f"What could someone find out about {target.name}?",
        (
            Paragraph(
                f"Imagine someone who wants to know one thing about {target.name}: {wanted}. Suppose they already know "
                f"everything about {target.others}{else_known}.{aside} Only about this one question they are undecided: to "
                "them, both answers are equally likely."
            ),
            Paragraph(
                f"If they tossed a coin for 100 such {target.several}, they would be right about 50 of "
                "them. Now they may use every number in this publication, as cleverly as anybody ever could:"
            ),
            Items((*(_right(view, target) for view in told), *picked)),
            frequencies(seen, "what the question is about"),
            _certainty(seen, target, facts),
        ),
    )


def _right(view: View, target: Target) -> Words:
    if view.settled:
        return "About ", Strong(view.topic), ", nothing is protected from them: what is held fixed gives the answer away."
    return (
        "About ",
        Strong(view.topic),
        ", the best possible guess is right for at most ",
        at_most(f"{of_100(view.guess)} of 100", view.comparison, GUESS),
        f" {target.several}. A coin is right for 50.",
    )


def _picked(view: View, target: Target) -> Words | None:
    """What sampling does not hide."""
    known = insider(view)
    if known is None or view.settled:
        return None
    there = f", if {target.name} is in the data," if view.comparison.neighbours.relation.by_presence else ""
    return (
        f"Someone who knows that {target.name} was picked{there} can be right about ",
        Strong(view.topic),
        " for at most ",
        at_most(f"{of_100(known.guess)} of 100", known.comparison, GUESS),
        f" {target.several}.",
    )


def _certainty(seen: tuple[View, ...], target: Target, facts: bool) -> Callout:
    open_to_all = [view.topic for view in seen if view.guess.upper >= 1]
    if open_to_all:
        words = f"What is published may give the answer away completely about {joined(open_to_all, 'or')}."
        others = " The other numbers are limits for such people." if len(open_to_all) < len(seen) else ""
        return Callout("warning", "There is no limit", (Paragraph(words + others),))
    but = " but who was picked" if seen[0].comparison.hidden_sample else ""
    aside = (
        f" Facts that are known anyway are left aside: together with everything about {target.others}, they may give the "
        "answer away."
        if facts
        else ""
    )
    return Callout(
        "guarantee",
        "These are limits for all who know the others",
        (
            Paragraph(
                "No attack was tried out to find these numbers. They are limits that no method can beat on average, with "
                f"whatever computer, now or later, for people who know everything about {target.others}{but}.{aside} Most "
                f"people know less. They can also learn about {target.name} from what the publication says about "
                f"{target.others}, if they believe that {plural(target.neighbours.unit)} are alike: the last part of this "
                "page says how much."
            ),
        ),
    )


def _suspecting(seen: tuple[View, ...], told: tuple[View, ...], target: Target) -> Section:
    rows = [(words, [_after(view, prior) for view in told]) for prior, words in _PRIORS]
    always = all(view.never_fails(_FAILURE) for view in told)
    least = "In every case" if always else f"In at least {unless(_FAILURE)} cases"
    return Section(
        "What if they already suspect something?",
        (
            Paragraph(
                f"Someone may start out with a suspicion about {target.name}. The publication can make them surer of "
                f"it, or less sure. {least}, they will not be surer than this:"
            ),
            Items(tuple(_tenth(view) for view in told)),
            stated_rows(
                f"How sure they can be of it afterwards, at most, {cases(told, _FAILURE)}, by what it is about",
                ("chance before", *(view.label for view in told)),
                rows,
            ),
            *selection(seen, told),
            beliefs(told, _FAILURE),
            Paragraph(_remaining(told)),
        ),
    )


def _after(view: View, prior: Fraction) -> Statement:
    written = percent(most(view.belief(prior, _FAILURE)), up=True, least=0)
    return not_surer(written, view.comparison, prior, failure_of(view, _FAILURE))


def _tenth(view: View) -> Words:
    """What becomes of a suspicion of 1 in 10."""
    tenth = Fraction(1, 10)
    after = view.belief(tenth, _FAILURE)
    if after.upper >= 1:
        return "About ", Strong(view.topic), ", there is no limit: they may become certain."
    return (
        "About ",
        Strong(view.topic),
        ", someone who saw a chance of 1 in 10 before may see one of at most ",
        not_surer(frequency(after), view.comparison, tenth, failure_of(view, _FAILURE)),
        " afterwards.",
    )


def _remaining(told: tuple[View, ...]) -> str:
    """What becomes of the cases in which the limits may be passed, if there are any."""
    sure = [view.topic for view in told if view.never_fails(_FAILURE)]
    if len(sure) == len(told):
        return "Chance never lets more through than that."
    always = f"About {joined(sure)}, chance never lets more through. " if sure else ""
    return (
        f"{always}In the remaining cases, at most {100 * _FAILURE} of 100, chance may let more through. The numbers of "
        "right guesses further up count those cases, too."
    )


def _exact(account: Account, target: Target) -> Section:
    names, bare = exact_names(account), unprotected(account)
    shown: list[Block] = []
    attributes = target.neighbours.attributes
    if attributes:
        words = (
            f"Nothing but {target.owner} {joined(sorted(attributes))} is protected here. All else about {target.name} is "
            "supposed to be known, and so is what follows from it."
        )
        shown.append(Callout("warning", "Other facts are not protected", (Paragraph(words),)))
    if bare:
        shown += [
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


def _limits(account: Account, told: tuple[View, ...], target: Target) -> Section:
    trusted = account.plan.comparison.claimed
    trust = f" For {joined(_some(list(trusted)))}, that was taken on trust." if trusted else ""
    unknown = (
        ()
        if len(told) > 1 or not target.neighbours.relation.by_presence
        else (
            (
                Strong("They are about being in the data. "),
                f"What could be found out about the values in {target.owner} record is not known.",
            ),
        )
    )
    return Section(
        "What these limits do not say",
        (
            Items(
                (
                    *unknown,
                    _groups(told[-1], target),
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


def _groups(view: View, target: Target) -> Words:
    """What is learned from others, and how much that can be where some are known to be alike."""
    several = alike(view, _ALIKE)
    known: Words = ()
    if several is not None and not several.settled and several.guess.upper < 1:
        known = (
            f" For instance, people who are sure that {_ALIKE} {target.several}, {target.name} among them, all have the "
            "same answer can be right about it at most ",
            at_most(frequency(several.guess), several.comparison, GUESS),
            " times.",
        )
    return (
        Strong("Statistics still teach about groups. "),
        f"If most {plural(target.neighbours.unit)} in a place are alike, that is what statistics are for, and someone may "
        f"conclude the same for {target.name}. They could do so even if {target.owner} own answers had been left out or "
        "replaced. The more alike they believe people to be, the surer they can become.",
        *known,
    )
