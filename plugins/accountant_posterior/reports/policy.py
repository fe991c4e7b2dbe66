"""The report for policy: the numbers with what they assume, how often they fail, and what they can be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accountant import Verdict
from accountant.plugin import joined, plural
from accountant.report import (
    Block,
    Callout,
    Definitions,
    Document,
    Items,
    Paragraph,
    Section,
    Statement,
    Strong,
    Table,
    stated,
)
from accountant_posterior.reports.figures import key_figures
from accountant_posterior.reports.gains import (
    belief_bands,
    scenarios,
    simulation,
    tests_of_power,
    together,
    with_and_without,
)
from accountant_posterior.reports.known import beside_public_facts
from accountant_posterior.reports.said import GUESS, at_most
from accountant_posterior.reports.shared import (
    NOTHING,
    VERDICTS,
    exact_names,
    reading,
    small_print,
    title_of,
    total,
    unprotected,
    verdict_callouts,
)
from accountant_posterior.reports.spending import outlook, spending
from accountant_posterior.reports.view import Target, View, headline, insider, views
from accountant_posterior.reports.wording import counted, percent

if TYPE_CHECKING:
    from accountant import Account, Certificate


def build(certificate: Certificate, account: Account) -> Document:
    """The document."""
    seen = views(account)
    target = Target(account.plan.specification.neighbours)
    told = headline(seen)
    return Document(
        account.plan.title,
        (
            Paragraph(
                f"What {_together(account)} anyone learn about {target.introduced}, and what these numbers assume. "
                f"Every number is an upper bound, rounded up, unless it says otherwise.{_kept(certificate, account)}"
            ),
            *verdict_callouts(certificate),
            key_figures(told),
            _promise(certificate, account, target),
            _limits(certificate, account),
            *_risks(certificate),
            *beside_public_facts(certificate),
            scenarios(seen, target),
            tests_of_power(seen, told, target),
            belief_bands(seen, told, target),
            with_and_without(told, target),
            *together(told, target),
            *spending(certificate, account),
            outlook(told, target),
            *simulation(account, told),
            _exact(account),
            _assumptions(account, told, target),
        ),
        f"What these releases mean for {target.introduced}: numbers and assumptions",
        small_print(certificate, account, "The technical report says more."),
    )


def _together(account: Account) -> str:
    count = len(account.plan.releases)
    return "1 release lets" if count == 1 else f"{counted(count, 'release')} together let"


def _kept(certificate: Certificate, account: Account) -> str:
    if not certificate.holds:
        return ""
    count = len(certificate.verdicts)
    limits = {1: "The limit that the plan sets is", 2: "Both limits that the plan sets are"}
    closest, group = account.closest, account.plan.specification.neighbours.group
    where = ""
    if closest.least is not None and closest.least > group:
        where = f", but no data that agree on what is exact differ in fewer than {closest.least} units"
    return f" {limits.get(count, f'All {count} limits that the plan sets are')} kept{where}."


def _promise(certificate: Certificate, account: Account, target: Target) -> Section:
    compared, neighbours = account.plan.comparison, target.neighbours
    group = (
        f"one {neighbours.unit}"
        if neighbours.group == 1
        else f"up to {neighbours.group:,} {plural(neighbours.unit)} at once"
    )
    facts = [item.stated.name for item in certificate.contents.public]
    entries: list[tuple[str, str]] = [
        (
            "Who is protected",
            _sentence(group) + (" Here called Jessie, who stands for any of them." if target.is_person else ""),
        ),
        ("What is compared", " ".join(filter(None, (_sentence(compared.between), compared.unprotected)))),
        (
            "The attacker",
            f"Knows everything about {target.others}"
            + (f", and everything else about {target.name}" if neighbours.relation.edits else "")
            + ". Knows how the statistics were made, and may use any method."
            + (" Does not know who was sampled." if compared.hidden_sample else "")
            + (_SET_ASIDE.format(others=target.others, facts=joined(facts)) if facts else ""),
        ),
        ("Which data", _sentence(account.plan.specification.domain.name)),
        ("Published exactly", _sentence(joined(compared.exact) or ("nothing by these releases" if facts else "nothing"))),
        *([("Public anyway", _sentence(joined(facts)))] if facts else []),
    ]
    return Section("What is promised, and against whom", (Definitions(tuple(entries)),))


_SET_ASIDE = (
    " Does not use what is public anyway ({facts}): together with everything about {others}, that may give the answer "
    "away. What holds beside it is said under 'Beside public facts'."
)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _limits(certificate: Certificate, account: Account) -> Section:
    budgets, compared = certificate.contents.budgets, account.plan.comparison
    spent = tuple(
        (
            title_of(account, budget.guarantee),
            reading(budget.guarantee),
            NOTHING if budget.verdict is Verdict.VACUOUS else total(budget.guarantee, 6),
            budget.limit,
            VERDICTS[budget.verdict],
        )
        for budget in budgets
    )
    found = [stated(budget.guarantee, compared, account) for budget in budgets if budget.verdict is not Verdict.VACUOUS]
    table = Table(
        "Budgets of the plan",
        ("definition", "parameter", "spent, at most", "allowed", "verdict"),
        spent,
        tuple(item for item in found if isinstance(item, Statement)),
    )
    nothing = Paragraph("The plan sets no budget for its releases alone; what it asks for is said below.")
    return Section("Were the limits kept?", (table if spent else nothing,))


def _risks(certificate: Certificate) -> list[Section]:
    """Each profile on its own, since each speaks of the attacker that it names."""
    risks = certificate.contents.risks
    if not risks:
        return []
    callouts = tuple(
        Callout(
            "guarantee" if item.verdict is Verdict.IMPLIED else "warning",
            f"Profile '{item.stated.kind}', {item.adversary} attacker: {VERDICTS[item.verdict]}",
            (Paragraph(item.statement),),
        )
        for item in risks
    )
    words = "Profiles say how much risk is tolerated. Each speaks of its own attacker, who need not be the one above."
    return [Section("Is the risk tolerable?", (Paragraph(words), *callouts))]


def _exact(account: Account) -> Section:
    names, bare = exact_names(account), unprotected(account)
    title = "What is published exactly"
    counts: list[Block] = []
    if bare:
        counts = [
            Paragraph("These releases are published as they are, and all numbers here count them:"),
            Items(tuple(bare)),
        ]
    if not names:
        return Section(title, tuple(counts) or (Paragraph("Nothing is."),))
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
    return Section(title, (*counts, *blocks))


def _assumptions(account: Account, told: Sequence[View], target: Target) -> Section:
    points: list[tuple[str | Strong | Statement, ...]] = [
        (Strong("The plan is complete. "), "Releases that are not in it are not counted, past or future."),
        (Strong("The mechanisms were run as stated, "), "with randomness that nobody can predict or see."),
        (
            Strong("One attacker model. "),
            f"All bounds here are against someone who knows {target.others}. For an attacker who knows less, learning "
            f"about others may teach about {target.name} as well; that is not counted against the releases, and can be "
            "more than these bounds where records go together.",
        ),
        (
            Strong("The unit. "),
            f"One {target.neighbours.unit} is protected"
            + (f", or up to {target.neighbours.group:,} at once" if target.neighbours.group > 1 else "")
            + f". Several {plural(target.neighbours.unit)} together are protected less.",
        ),
    ]
    claims = account.plan.comparison.claimed
    if claims:
        points.append(
            (Strong("Claims were taken on trust: "), f"{joined(claims[:8])}{' and others' if len(claims) > 8 else ''}.")
        )
    points += [_sampled(view, known) for view in told if (known := insider(view)) is not None]
    if target.neighbours.relation.by_presence and len(told) == 1:
        words = f"What two values of {target.owner} record cost is not known from what is claimed or stated."
        points.append((Strong("Presence only. "), words))
    return Section("What all this assumes", (Items(tuple(points)),))


def _sampled(view: View, known: View) -> tuple[str | Strong | Statement, ...]:
    """What sampling hides, and from whom."""
    return (
        Strong("Sampling hides, "),
        f"but only from those who do not know who was sampled. Others are right about {view.topic} at most ",
        at_most(percent(known.guess.upper, up=True), known.comparison, GUESS),
        " of the time.",
    )
