"""The report for the public: what anybody could learn about one person, in plain words and natural frequencies."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from accountant.report import (
    Block,
    Callout,
    Document,
    Items,
    Paragraph,
    Section,
    Strong,
    Words,
    checking,
    imprint,
    in_a_row,
    say,
    standing,
    words,
)
from accountant_posterior.reports.figures import beliefs, cases, frequencies, key_figures, selection, stated_rows
from accountant_posterior.reports.hand import PLAIN
from accountant_posterior.reports.known import known_anyway
from accountant_posterior.reports.said import GUESS, at_most
from accountant_posterior.reports.shared import exact_names, exactness, small_print, unprotected, verdict_callouts
from accountant_posterior.reports.view import Target, View, alike, headline, insider, views, without_noise
from accountant_posterior.reports.wording import frequency, unless

if TYPE_CHECKING:
    from accountant import Account, Certificate

_FAILURE = Fraction(1, 20)
_PRIORS = (
    (Fraction(1, 100), (1, 100)),
    (Fraction(1, 10), (1, 10)),
    (Fraction(1, 2), (1, 2)),
    (Fraction(9, 10), (9, 10)),
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
            *verdict_callouts(certificate, account),
            key_figures(told, PLAIN),
            _guessing(seen, told, target, bool(certificate.contents.public)),
            _suspecting(seen, told, target),
            _exact(account, target),
            *known_anyway(certificate),
            _published(account),
            _limits(account, told, target),
            standing(certificate),
            checking(certificate, account.plan),
        ),
        say("public.subtitle", target=target.introduced),
        small_print(certificate, account, say("public.more")),
        imprint(account.plan),
    )


def _opening(account: Account, target: Target) -> Words:
    person = say("public.jessie") if target.is_person else say("public.any_other", name=target.name)
    return words(
        "public.opening",
        made=_made(account),
        target=Strong(target.introduced),
        others=target.others,
        person=person,
    )


def _made(account: Account) -> str:
    """What keeps answers from being read off, if anything does. Whether it does so well is for the numbers to say."""
    kinds = {mechanism.kind for release in account.plan.releases for _, mechanism in release.mechanism.nested()}
    if kinds == {"no-op"}:
        return say("public.made.independent")
    if kinds <= {"no-op", "non-private"}:
        return say("public.made.bare")
    return say("public.made.some" if "non-private" in kinds else "public.made.all")


def _guessing(seen: tuple[View, ...], told: tuple[View, ...], target: Target, facts: bool) -> Section:
    picked = [line for view in told if (line := _picked(view, target)) is not None]
    return Section(
        say("public.guessing.title", name=target.name),
        (
            Paragraph(
                say(
                    "public.guessing.imagine",
                    name=target.name,
                    wanted=_wanted(told, target),
                    known=_known(told[0], target),
                    aside=say("public.guessing.facts_aside") if facts else "",
                )
            ),
            Paragraph(" ".join(filter(None, _anchors(told, target)))),
            Items((*(_right(view, target) for view in told), *picked)),
            frequencies(seen, told),
            _certainty(seen, target, facts),
        ),
    )


def _wanted(told: tuple[View, ...], target: Target) -> str:
    """What somebody wants to know."""
    first = told[1] if len(told) > 1 else told[0]
    if not target.neighbours.relation.edits:
        return in_a_row((view.topic for view in told), "or")
    if first.attributes:
        return say("public.guessing.wanted_about", topic=first.topic)
    return say("public.guessing.wanted")


def _known(view: View, target: Target) -> str:
    """What they know already."""
    edits, hidden = target.neighbours.relation.edits, view.comparison.hidden_sample
    kind = f"{'own' if edits else 'others'}{'_unpicked' if hidden else ''}"
    return say(f"public.guessing.known.{kind}", others=target.others, name=target.name)


def _anchors(told: tuple[View, ...], target: Target) -> list[str]:
    """What to compare guesses with: a coin, and exact tables where these would tell everything."""
    bare = [without_noise(view) for view in told]
    everything = all(item is not None and item.exact == 1 for item in bare)
    return [
        say("public.guessing.coin", several=target.several),
        say("public.guessing.exact") if everything else "",
        say("public.guessing.now"),
    ]


def _right(view: View, target: Target) -> Words:
    topic = Strong(view.topic)
    if view.settled:
        return words("public.guessing.settled", topic=topic)
    return words("public.guessing.right", topic=topic, guess=PLAIN.guess(view), several=target.several)


def _picked(view: View, target: Target) -> Words | None:
    """What sampling does not hide."""
    known = insider(view)
    if known is None or view.settled:
        return None
    there = "_if_there" if view.comparison.neighbours.relation.by_presence else ""
    return words(
        f"public.guessing.picked{there}",
        name=target.name,
        topic=Strong(view.topic),
        guess=PLAIN.guess(known),
        several=target.several,
    )


def _certainty(seen: tuple[View, ...], target: Target, facts: bool) -> Callout:
    open_to_all = [view.topic for view in seen if view.guess.upper >= 1]
    if open_to_all:
        given = say("public.unlimited.text", topics=in_a_row(open_to_all, "or"))
        others = say("public.unlimited.others") if len(open_to_all) < len(seen) else ""
        return Callout("warning", say("public.unlimited.title"), (Paragraph(given + others),))
    parts = {"others": target.others, "name": target.name, "units": target.units}
    limits = say("public.limits.unpicked" if seen[0].comparison.hidden_sample else "public.limits.all", **parts)
    aside = say("public.limits.facts", **parts) if facts else ""
    return Callout(
        "guarantee",
        say("public.limits.title"),
        (Paragraph(f"{limits}{aside} {say('public.limits.less', **parts)}"),),
    )


def _suspecting(seen: tuple[View, ...], told: tuple[View, ...], target: Target) -> Section:
    rows = [
        (say("number.in_words", part=part, whole=whole), [PLAIN.surer(view, prior, _FAILURE) for view in told])
        for prior, (part, whole) in _PRIORS
    ]
    always = all(view.never_fails(_FAILURE) for view in told)
    least = say("public.suspecting.always") if always else say("public.suspecting.mostly", share=unless(_FAILURE))
    return Section(
        say("public.suspecting.title"),
        (
            Paragraph(say("public.suspecting.start", name=target.name, least=least)),
            Items(tuple(_tenth(view) for view in told)),
            stated_rows(
                say("public.suspecting.table", cases=cases(told, _FAILURE)),
                (say("public.suspecting.before"), *(view.label for view in told)),
                rows,
            ),
            beliefs(told, _FAILURE, PLAIN),
            *selection(seen, told),
            Paragraph(_remaining(told)),
        ),
    )


def _tenth(view: View) -> Words:
    """What becomes of a suspicion of 1 in 10."""
    tenth, topic = Fraction(1, 10), Strong(view.topic)
    if view.belief(tenth, _FAILURE).upper >= 1:
        return words("public.suspecting.certain", topic=topic)
    return words("public.suspecting.tenth", topic=topic, after=PLAIN.surer(view, tenth, _FAILURE, in_words=True))


def _remaining(told: tuple[View, ...]) -> str:
    """What becomes of the cases in which the limits may be passed, if there are any."""
    sure = [view.topic for view in told if view.never_fails(_FAILURE)]
    if len(sure) == len(told):
        return say("public.suspecting.never_more")
    always = say("public.suspecting.never_about", topics=in_a_row(sure)) + " " if sure else ""
    return always + say("public.suspecting.remaining", part=int(100 * _FAILURE), whole=100)


def _exact(account: Account, target: Target) -> Section:
    names, bare = exact_names(account), unprotected(account)
    shown: list[Block] = []
    attributes = target.neighbours.attributes
    if attributes:
        said = say(
            "public.exact.only",
            owner=target.owner,
            names=in_a_row(sorted(attributes)),
            name=target.name,
            count=len(attributes),
        )
        shown.append(Callout("warning", say("public.exact.only_title"), (Paragraph(said),)))
    if bare:
        shown += [Paragraph(say("public.exact.bare")), Items(some(bare))]
    if not names:
        nothing = Paragraph(say("public.exact.nothing"))
        return Section(say("public.exact.title_none"), tuple(shown) or (nothing,))
    return Section(
        say("public.exact.title"),
        (
            *shown,
            Paragraph(say("public.exact.some")),
            Items(tuple(names)),
            Callout(
                "warning",
                say("public.exact.follows_title"),
                (Paragraph(say("public.exact.follows", name=target.name)),),
            ),
        ),
    )


def _published(account: Account) -> Section:
    releases = account.plan.releases
    times = sum(release.times for release in releases)
    covered = [
        say("public.published.covers", count=len(releases))
        + ("" if times == len(releases) else say("public.published.repeated", times=times))
        + ".",
        "" if len(releases) == 1 else say("public.published.together"),
        say("public.published.elsewhere"),
    ]
    return Section(
        say("public.published.title"),
        (
            Paragraph(" ".join(filter(None, covered))),
            *exactness(account),
        ),
    )


def some(names: list[str]) -> tuple[str, ...]:
    """As many names as somebody may read."""
    more = len(names) - _MOST_NAMES
    return (*names[:_MOST_NAMES], *([say("words.and_more", count=more)] if more > 0 else []))


def _limits(account: Account, told: tuple[View, ...], target: Target) -> Section:
    trusted = account.plan.comparison.claimed
    trust = say("public.unsaid.trusted", names=in_a_row(some(list(trusted)))) if trusted else ""
    presence_only = len(told) == 1 and target.neighbours.relation.by_presence
    unknown = (_point("presence", owner=target.owner),) if presence_only else ()
    return Section(
        say("public.unsaid.title"),
        (
            Items(
                (
                    *unknown,
                    _groups(told[-1], target),
                    _point("made", trust=trust),
                    _point("averages"),
                )
            ),
        ),
    )


def _point(key: str, **parts: object) -> Words:
    """A point of a list with its own few words in front."""
    return Strong(say(f"public.unsaid.{key}_title") + " "), say(f"public.unsaid.{key}", **parts)


def _groups(view: View, target: Target) -> Words:
    """What is learned from others, and how much that can be where some are known to be alike."""
    several = alike(view, _ALIKE)
    known: Words = ()
    if several is not None and not several.settled and several.guess.upper < 1:
        known = words(
            "public.unsaid.alike",
            count=_ALIKE,
            several=target.several,
            name=target.name,
            guess=at_most(frequency(several.guess), several.comparison, GUESS),
        )
    start = _point("groups", units=target.units, name=target.name, owner=target.owner)
    return (*start, " ", *known) if known else start
