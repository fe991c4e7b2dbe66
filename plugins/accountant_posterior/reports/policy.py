"""The report for policy: the numbers with what they assume, how often they fail, and what they can be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accountant import Verdict
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
    Words,
    between,
    checking,
    conditions,
    imprint,
    in_a_row,
    say,
    spoken,
    standing,
    told,
    words,
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
from accountant_posterior.reports.hand import PRECISE
from accountant_posterior.reports.known import beside_public_facts
from accountant_posterior.reports.shared import (
    NOTHING,
    exact_names,
    exactness,
    reading,
    small_print,
    title_of,
    total,
    unprotected,
    value_of,
    verdict_callouts,
    verdict_word,
)
from accountant_posterior.reports.spending import outlook, spending
from accountant_posterior.reports.view import Target, View, headline, insider, views

if TYPE_CHECKING:
    from accountant import Account, Certificate

_FEW = 8


def build(certificate: Certificate, account: Account) -> Document:
    """The document."""
    seen = views(account)
    target = Target(account.plan.specification.neighbours)
    told = headline(seen)
    opening = say("policy.opening", count=len(account.plan.releases), target=target.introduced)
    return Document(
        account.plan.title,
        (
            Paragraph(opening + _kept(certificate, account)),
            *verdict_callouts(certificate, account),
            key_figures(told, PRECISE),
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
            Section(say("accuracy.heading"), tuple(exactness(account))),
            outlook(told, target),
            *simulation(account, told),
            _exact(account),
            _assumptions(account, told, target),
            standing(certificate),
            checking(certificate, account.plan),
        ),
        say("policy.subtitle", target=target.introduced),
        small_print(certificate, account, say("policy.more")),
        imprint(account.plan),
    )


def _kept(certificate: Certificate, account: Account) -> str:
    if not certificate.kept:
        return ""
    count = len(certificate.verdicts)
    closest, group = account.closest, account.plan.specification.neighbours.group
    where = ""
    if closest.least is not None and closest.least > group:
        where = say("policy.kept.where", least=closest.least)
    key = "policy.kept.both" if count == 2 else "policy.kept.all"
    return " " + say(key, count=count, where=where)


def _promise(certificate: Certificate, account: Account, target: Target) -> Section:
    compared, neighbours = account.plan.comparison, target.neighbours
    facts = [item.stated.name for item in certificate.contents.public]
    whom = (
        say("compared.one", unit=target.unit)
        if neighbours.group == 1
        else say("policy.promise.several", group=neighbours.group, units=target.units)
    )
    knows = say(
        "policy.promise.knows_all" if neighbours.relation.edits else "policy.promise.knows_others",
        others=target.others,
        name=target.name,
    )
    attacker = [
        knows,
        say("policy.promise.method"),
        say("policy.promise.unsampled") if compared.hidden_sample else "",
        say("policy.promise.set_aside", others=target.others, facts=in_a_row(facts)) if facts else "",
    ]
    said = conditions(compared)[: int(neighbours.attributes is not None)]
    nothing = say("policy.promise.nothing_here" if facts else "policy.promise.nothing")
    entries = [
        (
            say("policy.promise.protected"),
            " ".join([_sentence(whom), *([say("policy.promise.jessie")] if target.is_person else [])]),
        ),
        (say("policy.promise.compared"), " ".join([_sentence(between(compared)), *said])),
        (say("policy.promise.attacker"), " ".join(filter(None, attacker))),
        (say("policy.promise.data"), _data(account)),
        (say("policy.promise.exact"), f"{in_a_row(compared.exact) or nothing}."),
        *([(say("policy.promise.public"), f"{in_a_row(facts)}.")] if facts else []),
    ]
    return Section(say("policy.promise.title"), (Definitions(tuple(entries)),))


def _data(account: Account) -> str:
    """The datasets that are spoken of, by the name that the plan gives them."""
    domain = account.plan.specification.domain
    return say("policy.promise.everything") if domain.everything else say("policy.promise.domain", name=domain.name)


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:]}."


def _limits(certificate: Certificate, account: Account) -> Section:
    budgets = certificate.contents.budgets
    spent = tuple(
        (
            title_of(account, budget.guarantee),
            reading(budget.guarantee),
            NOTHING if budget.verdict is Verdict.VACUOUS else total(budget.guarantee),
            spoken().number(budget.limit),
            verdict_word(budget.verdict),
        )
        for budget in budgets
    )
    found = [value_of(budget.guarantee, account) for budget in budgets if budget.verdict is not Verdict.VACUOUS]
    columns = ("definition", "parameter", "spent", "allowed", "verdict")
    table = Table(
        say("policy.limits.table"),
        tuple(say(f"policy.limits.{word}") for word in columns),
        spent,
        tuple(item for item in found if isinstance(item, Statement)),
    )
    return Section(say("policy.limits.title"), (table if spent else Paragraph(say("policy.limits.none")),))


def _risks(certificate: Certificate) -> list[Section]:
    """Each profile on its own, since each speaks of the attacker that it names."""
    risks = certificate.contents.risks
    if not risks:
        return []
    callouts = tuple(
        Callout(
            "guarantee" if item.verdict is Verdict.IMPLIED else "warning",
            say(
                "policy.risk.profile",
                kind=item.stated.kind,
                adversary=item.adversary,
                verdict=verdict_word(item.verdict),
            ),
            (Paragraph(told(item.statement)),),
        )
        for item in risks
    )
    return [Section(say("policy.risk.title"), (Paragraph(say("policy.risk.says")), *callouts))]


def _exact(account: Account) -> Section:
    names, bare = exact_names(account), unprotected(account)
    counts: list[Block] = [Paragraph(say("policy.exact.bare")), Items(tuple(bare))] if bare else []
    if not names:
        return Section(say("policy.exact.title"), tuple(counts) or (Paragraph(say("policy.exact.nothing")),))
    closest = account.closest
    settles = closest.least is not None and closest.least > account.plan.specification.neighbours.group
    said = say("policy.exact.settles", least=closest.least) if settles else say("policy.exact.determines")
    title = say("policy.exact.settles_title" if settles else "policy.exact.determines_title")
    blocks = (Paragraph(say("policy.exact.some")), Items(tuple(names)), Callout("warning", title, (Paragraph(said),)))
    return Section(say("policy.exact.title"), (*counts, *blocks))


def _assumptions(account: Account, told: Sequence[View], target: Target) -> Section:
    group = target.neighbours.group
    points: list[Words] = [
        _point("complete"),
        _point("run"),
        _point("attacker", others=target.others, name=target.name),
        _point("unit" if group == 1 else "units", unit=target.unit, units=target.units, group=group),
    ]
    claims = account.plan.comparison.claimed
    if claims:
        names = in_a_row(claims[:_FEW])
        points.append(_point("claims" if len(claims) <= _FEW else "more_claims", names=names))
    points += [_sampled(view, known) for view in told if (known := insider(view)) is not None]
    if target.neighbours.relation.by_presence and len(told) == 1:
        points.append(_point("presence", owner=target.owner))
    return Section(say("policy.assumed.title"), (Items(tuple(points)),))


def _point(key: str, **parts: object) -> Words:
    return Strong(say(f"policy.assumed.{key}_title") + " "), say(f"policy.assumed.{key}", **parts)


def _sampled(view: View, known: View) -> Words:
    """What sampling hides, and from whom."""
    said = words("policy.assumed.sampled", topic=view.topic, guess=PRECISE.guess(known))
    return (Strong(say("policy.assumed.sampled_title") + " "), *said)
