"""The report for policy: the numbers with what they assume, how often they fail, and what they can be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import Interval, InvalidValue, ShiftError, Verdict
from accountant.report import (
    Axis,
    Bar,
    Bars,
    Block,
    Callout,
    Definitions,
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
from accountant_posterior.reports.figures import beliefs, factors, guesses, powers
from accountant_posterior.reports.shared import (
    VERDICTS,
    exact_names,
    reading,
    small_print,
    title_of,
    total,
    verdict_callouts,
)
from accountant_posterior.reports.view import Target, View, headline, repeated, views
from accountant_posterior.reports.wording import between, chance, counted, joined, number, of_100, percent, plural, unless

if TYPE_CHECKING:
    from accountant import Account, Certificate

_LEVELS = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))
_FAILURES = (Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Fraction(1, 1000), Fraction(1, 10000))
_FAILURE = Fraction(1, 100)
_PRIORS = tuple(Fraction(step, 100) for step in (1, 10, 25, 50, 75, 90))
_TIMES = (2, 5, 10)
_MOST_BARS = 12


@frozen
class Policy(Report):
    """One adversary throughout, who knows everything else; a simulated attack stands apart and is called one."""

    name: ClassVar[str] = "policy"
    meaning: ClassVar[str] = "the same numbers with their assumptions, chances of failure, and scenarios side by side"

    def build(self, certificate: Certificate, account: Account) -> Document:
        seen = views(account)
        target = Target(account.plan.specification.neighbours)
        told = headline(seen)
        return Document(
            account.plan.title,
            (
                Paragraph(
                    f"What {counted(len(account.plan.releases), 'release')} together let anyone learn about "
                    f"{target.introduced}, and what these numbers assume. Every number is an upper bound, rounded up, "
                    f"unless it says otherwise.{_kept(certificate)}"
                ),
                *verdict_callouts(certificate),
                _key_figures(told),
                _promise(account, target),
                _limits(certificate, account),
                *_risks(certificate),
                _scenarios(seen, target),
                _tests(seen, told, target),
                _beliefs(seen, told, target),
                _records(told, target),
                *_spending(certificate, account),
                _outlook(seen[0], target),
                *_simulation(account, told),
                _exact(account),
                _assumptions(account, target),
            ),
            f"What these releases mean for one {target.neighbours.unit}: numbers and assumptions",
            small_print(certificate, account),
        )


def _key_figures(told: Sequence[View]) -> KeyFigures:
    return KeyFigures(
        tuple(
            KeyFigure(
                f"{of_100(view.guess)} of 100", f"right guesses about {view.topic}, at most", "tossing a coin: 50 of 100"
            )
            for view in told
        )
    )


def _kept(certificate: Certificate) -> str:
    if not certificate.holds:
        return ""
    count = len(certificate.verdicts)
    return " The limit that the plan sets is kept." if count == 1 else f" All {count} limits that the plan sets are kept."


def _promise(account: Account, target: Target) -> Section:
    specification = account.plan.specification
    neighbours = specification.neighbours
    group = (
        f"up to {neighbours.group:,} {plural(neighbours.unit)} at once"
        if neighbours.group > 1
        else f"one {neighbours.unit}"
    )
    entries: list[tuple[str, str]] = [
        (
            "Who is protected",
            f"{group[:1].upper()}{group[1:]}."
            + (" Here called Jessie, who stands for any of them." if target.is_person else ""),
        ),
        ("What is compared", f"Two worlds that differ in {group}: {neighbours.relation.meaning}."),
        (
            "The attacker",
            f"Knows everything about {target.others}"
            + (f", and everything else about {target.name}" if neighbours.relation.edits else "")
            + ". Knows how the statistics were made, and may use any method."
            + (
                " Does not know who was sampled."
                if specification.attacker == "outsider" and any(r.sampling is not None for r in account.plan.releases)
                else ""
            ),
        ),
        ("Which data", specification.domain[:1].upper() + specification.domain[1:] + "."),
        ("Published exactly", f"{joined(exact_names(account)).capitalize()}." if specification.invariants else "Nothing."),
    ]
    return Section("What is promised, and against whom", (Definitions(tuple(entries)),))


def _limits(certificate: Certificate, account: Account) -> Section:
    data = certificate.data
    spent = tuple(
        (
            title_of(account, budget["guarantee"]),
            reading(budget["guarantee"]),
            total(budget["guarantee"], 6),
            str(budget[budget["guarantee"]["value"]["name"]]),
            VERDICTS[Verdict(budget["verdict"])],
        )
        for budget in data["budgets"]
    )
    relative = tuple(
        (
            str(known["stated"]["name"]),
            f"{budget['divergence']}",
            total(budget["relative"], 6) if "value" in budget["relative"] else "unknown",
            VERDICTS[Verdict(budget["verdict"])],
        )
        for known in data.get("public", ())
        for budget in known["budgets"]
    )
    tables = (
        Table("Budgets of the plan", ("definition", "parameter", "spent, rounded up", "allowed", "verdict"), spent),
        Table(
            "Budgets relative to public information", ("public information", "definition", "at most", "verdict"), relative
        ),
    )
    shown = tuple(table for table in tables if table.rows)
    nothing = Paragraph("The plan sets no budget; what it tolerates is said below.")
    return Section("Were the limits kept?", shown or (nothing,))


def _risks(certificate: Certificate) -> list[Section]:
    """Each profile on its own, since each speaks of the attacker that it names."""
    risks = certificate.data.get("risks", ())
    if not risks:
        return []
    callouts = tuple(
        Callout(
            "guarantee" if Verdict(item["verdict"]) is Verdict.IMPLIED else "warning",
            f"Profile '{item['stated']['kind']}', {item['adversary']} attacker: {VERDICTS[Verdict(item['verdict'])]}",
            (Paragraph(str(item["statement"])),),
        )
        for item in risks
    )
    words = "Profiles say how much risk is tolerated. Each speaks of its own attacker, who need not be the one above."
    return [Section("Is the risk tolerable?", (Paragraph(words), *callouts))]


def _scenarios(seen: Sequence[View], target: Target) -> Section:
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


def _tests(seen: Sequence[View], told: Sequence[View], target: Target) -> Section:
    rows = tuple((view.label, *(percent(view.power(level), up=True) for level in _LEVELS)) for view in seen)
    return Section(
        "Power against significance",
        (
            Paragraph(
                f"A statistician may test whether {target.owner} record has one value or another. The significance "
                "level is how often the test says yes wrongly; its power, how often it says yes rightly. No test based "
                "on these releases has more power than this, also if all other records are drawn from a law that the "
                "statistician knows."
            ),
            powers(told),
            Table(
                "Largest power of any test",
                ("at stake", *(f"at level {percent(level, up=True)}" for level in _LEVELS)),
                rows,
            ),
        ),
    )


def _beliefs(seen: Sequence[View], told: Sequence[View], target: Target) -> Section:
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


def _records(told: Sequence[View], target: Target) -> Section:
    return Section(
        "With and without the record",
        (
            Paragraph(
                "The fairest comparison is not with what was believed before, but with a second world: the same "
                f"releases, made from data in which {target.owner} record is replaced by one that the attacker thinks "
                f"just as likely, given {target.others}. What is learned there is learned from others. The figure says "
                "how much more is learned in the actual world."
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


def _spending(certificate: Certificate, account: Account) -> list[Section]:
    releases = [release for release in certificate.data["releases"] if release.get("costs")]
    if len(releases) < 2 or not certificate.data["budgets"]:
        return []
    budget = certificate.data["budgets"][0]["guarantee"]
    costs = sorted(((str(release["name"]), _upper(release["costs"][0])) for release in releases), key=lambda item: -item[1])
    finite = [(name, cost) for name, cost in costs if cost < float("inf")]
    shown, rest = finite[:_MOST_BARS], finite[_MOST_BARS:]
    unlimited = [name for name, cost in costs if cost == float("inf")]
    name = reading(budget)
    said = f"The largest of {len(releases):,} releases is {shown[0][0]} with {number(shown[0][1])}." if shown else ""
    if rest:
        said += f" Each of the {len(rest):,} that are not drawn costs at most {number(rest[0][1])}."
    blocks: list[Block] = [
        Paragraph(
            f"What each release would cost alone, as {name} of {title_of(account, budget)}. All together cost "
            f"{total(budget, 6)}, which need not be the sum."
        )
    ]
    if unlimited:
        words = f"Some releases have no finite cost: {joined(unlimited[:5])}."
        blocks.append(Callout("warning", "Without limit", (Paragraph(words),)))
    if shown:
        blocks.append(
            Bars(
                "What each release costs alone",
                said,
                Axis(name),
                tuple(Bar(label, cost, number(cost)) for label, cost in shown),
                Table(
                    "Cost of each release alone, rounded up",
                    ("release", name),
                    tuple((label, number(cost, 6)) for label, cost in finite[:200]),
                ),
            )
        )
    return [Section("Where the budget goes", tuple(blocks))]


def _upper(cost: dict[str, str]) -> float:
    return float("inf") if cost["upper"] == "inf" else Interval.of(cost["upper"]).upper


def _outlook(whole: View, target: Target) -> Section:
    further = {times: repeated(whole.account, times).guess for times in _TIMES}
    rows = [("once, as planned", percent(whole.guess.upper, up=True))]
    rows += [(f"{times} times", percent(guess.upper, up=True)) for times, guess in further.items()]
    return Section(
        "If the same were released again",
        (
            Paragraph(
                f"Every further release about the same {plural(target.neighbours.unit)} adds to what can be learned. If "
                "all of these releases were made again, with fresh randomness and on the same data, the best guess "
                "about an even question would be right at most so often:"
            ),
            Table(
                "Right guesses about an even question, by the number of times",
                ("released", "right guesses, at most"),
                tuple(rows),
            ),
        ),
    )


def _simulation(account: Account, told: Sequence[View]) -> list[Section]:
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


def _exact(account: Account) -> Section:
    names = exact_names(account)
    if not names:
        return Section("What is published exactly", (Paragraph("Nothing is."),))
    closest = account.closest
    blocks: list[Block] = [
        Paragraph("These facts are published without protection. Only data that agree on them are compared:"),
        Items(tuple(names)),
    ]
    if closest.least is not None and closest.least > account.plan.specification.neighbours.group:
        words = (
            f"Data that agree on all of them differ in at least {closest.least} units. An attacker who knows all other "
            "units can work out the last one."
        )
        blocks.append(Callout("warning", "Exact facts settle a single unit", (Paragraph(words),)))
    else:
        words = "Whatever they determine about anybody is not protected, and is in none of the numbers here."
        blocks.append(Callout("warning", "Nothing is promised about these", (Paragraph(words),)))
    return Section("What is published exactly", tuple(blocks))


def _assumptions(account: Account, target: Target) -> Section:
    points: list[tuple[str | Strong, ...]] = [
        (Strong("The plan is complete. "), "Releases that are not in it are not counted, past or future."),
        (Strong("The mechanisms were run as stated, "), "with randomness that nobody can predict or see."),
        (
            Strong("One attacker model. "),
            f"All bounds here are against someone who knows {target.others}. For an attacker who knows less, learning "
            f"about others may teach about {target.name} as well; that is not counted against the releases.",
        ),
        (
            Strong("The unit. "),
            f"One {target.neighbours.unit} is protected"
            + (f", or up to {target.neighbours.group:,} at once" if target.neighbours.group > 1 else "")
            + f". Several {plural(target.neighbours.unit)} together are protected less.",
        ),
    ]
    claims = [
        release.name
        for release in account.plan.releases
        if any(mechanism.kind == "claim" for _, mechanism in release.mechanism.nested())
    ]
    if claims:
        points.append(
            (Strong("Claims were taken on trust: "), f"{joined(claims[:8])}{' and others' if len(claims) > 8 else ''}.")
        )
    if any(release.sampling is not None for release in account.plan.releases):
        points.append(
            (Strong("Sampling hides, "), "but only from those who do not know who was sampled; see the certificate.")
        )
    return Section("What all this assumes", (Items(tuple(points)),))
