"""The report for technical readers: theorems, derivations, curves from both sides, and how to check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.report import (
    Aside,
    Block,
    Code,
    Definitions,
    Document,
    Items,
    Listing,
    Paragraph,
    Section,
    Table,
    Words,
    asked,
    between,
    bibliography,
    checking,
    conditions,
    imprint,
    in_a_row,
    say,
    spoken,
    standing,
    term,
    told,
    words,
)
from accountant_posterior.reports.curves import curves
from accountant_posterior.reports.known import beside_public_facts
from accountant_posterior.reports.shared import exact_names, exactness, reading, title_of, verdict_callouts, verdict_word
from accountant_posterior.reports.view import headline, views
from accountant_posterior.semantics.theorems import BEST_GUESS, BOUNDED, POSTERIOR, RECORD_GIVEN

if TYPE_CHECKING:
    from accountant import Account, Certificate, Theorem
    from accountant.certificate import CertifiedGuarantee, CertifiedReading, Enclosure
    from accountant.plugin import ComparedPairs

_RULES = (BEST_GUESS, BOUNDED, POSTERIOR, RECORD_GIVEN)


def build(certificate: Certificate, account: Account) -> Document:
    """The document."""
    seen = views(account)
    told = headline(seen)
    truth = say("technical.claims_true" if account.plan.comparison.claimed else "technical.truth")
    opening = say("technical.opening", count=len(account.plan.releases), truth=truth)
    return Document(
        account.plan.title,
        (
            Paragraph(opening),
            *verdict_callouts(certificate, account),
            _specification(certificate, account),
            _guarantees(certificate),
            curves(seen, told),
            _meaning(account.plan.comparison),
            *_scenarios(certificate),
            *beside_public_facts(certificate),
            Section(say("accuracy.heading"), tuple(exactness(account))),
            _derivations(certificate, account),
            _theorems(certificate),
            *_published(certificate),
            _plugins(certificate),
            standing(certificate),
            checking(certificate, account.plan),
            Section(say("technical.explain.title"), (Paragraph(say("technical.explain.says")), _explain())),
            _references(certificate),
        ),
        say("technical.subtitle"),
        (words("technical.digest", digest=Code(certificate.contents.plan_digest)),),
        imprint(account.plan),
    )


def _specification(certificate: Certificate, account: Account) -> Section:
    specification, compared = account.plan.specification, account.plan.comparison
    neighbours = specification.neighbours
    kinds = sorted({mechanism.kind for release in account.plan.releases for _, mechanism in release.mechanism.nested()})
    attributes = (
        say("technical.spec.any")
        if neighbours.attributes is None
        else in_a_row(sorted(neighbours.attributes)) or say("technical.spec.none")
    )
    unit = (
        neighbours.unit
        if neighbours.group == 1
        else say("technical.spec.at_once", unit=neighbours.unit, group=neighbours.group)
    )
    entries: dict[str, Words] = {
        "domain": term(specification.domain.described),
        "neighbours": f"{neighbours.relation.name}: {told(neighbours.relation.meaning)}",
        "compared": " ".join((f"{between(compared)}.", *conditions(compared))),
        "unit": unit,
        "attributes": attributes,
        "invariants": in_a_row(exact_names(account)) or say("technical.spec.none"),
        "attacker": term(specification.attacker),
        "releases": say("technical.spec.by", number=len(account.plan.releases), kinds=in_a_row(kinds)),
        "digest": (Code(certificate.contents.plan_digest),),
    }
    return Section(
        say("technical.spec.title"),
        (Definitions(tuple((say(f"technical.spec.{word}"), meaning) for word, meaning in entries.items())),),
    )


def _guarantees(certificate: Certificate) -> Section:
    says = certificate.contents
    rows = [(*_line(budget.guarantee), verdict_word(budget.verdict)) for budget in says.budgets]
    rows += [(*_line(item), "") for item in says.readings]
    remarks = [
        f"{reading(item)}: {told(item.remark)}"
        for item in (*(budget.guarantee for budget in says.budgets), *says.readings)
        if item.remark is not None
    ]
    columns = ("reading", "at_least", "at_most", "bound", "route", "budget")
    table = Table(say("technical.guarantees.table"), tuple(say(f"column.{word}") for word in columns), tuple(rows))
    return Section(say("technical.guarantees.title"), (table, *([Items(tuple(remarks))] if remarks else [])))


def _line(guarantee: CertifiedReading) -> tuple[str, str, str, str, str]:
    name = f"{guarantee.divergence}: {reading(guarantee)}"
    how = term(guarantee.bound), term(guarantee.evidence)
    return name, _end(guarantee.value.lower), _end(guarantee.value.upper), *how


def _end(decimal: str) -> str:
    return say("number.infinite") if decimal == "inf" else spoken().number(decimal)


def _sides(comparison: ComparedPairs) -> str:
    """What the strong adversary asks, between these neighbours."""
    neighbours = comparison.neighbours
    if neighbours.relation.by_presence:
        return say("technical.meaning.presence")
    if neighbours.attributes is None:
        return say("technical.meaning.values")
    return say(
        "technical.meaning.attributes", names=in_a_row(sorted(neighbours.attributes)) or say("technical.meaning.nothing")
    )


def _meaning(comparison: ComparedPairs) -> Section:
    points = ("guesses", "power", "belief", "ratio", "hull")
    return Section(
        say("technical.meaning.title"),
        (
            Paragraph(say("technical.meaning.says", sides=_sides(comparison))),
            Items(tuple(say(f"technical.meaning.{point}") for point in points)),
            Definitions(tuple((rule.name, _cited(rule)) for rule in _RULES)),
        ),
    )


def _scenarios(certificate: Certificate) -> list[Section]:
    scenarios = certificate.contents.scenarios
    if not scenarios:
        return []
    rows = tuple(
        (
            f"{item.name}: {asked(item)}",
            f"{guarantee.divergence} {reading(guarantee)}",
            _end(guarantee.value.lower),
            _end(guarantee.value.upper),
        )
        for item in scenarios
        for guarantee in item.guarantees
    )
    columns = tuple(say(f"column.{word}") for word in ("scenario", "reading", "at_least", "at_most"))
    readings = say("technical.scenarios.readings", count=len(rows))
    of = say("technical.scenarios.of", count=len(scenarios), readings=readings)
    return [
        Section(
            say("technical.scenarios.title"),
            (
                Paragraph(say("technical.scenarios.says")),
                Aside(of, (Table(say("technical.scenarios.table"), columns, rows),)),
            ),
        )
    ]


def _derivations(certificate: Certificate, account: Account) -> Section:
    blocks = tuple(_derivation(account, item) for item in certificate.contents.guarantees)
    return Section(say("technical.derivations.title"), blocks)


def _derivation(account: Account, guarantee: CertifiedGuarantee) -> Block:
    rows = tuple(
        (
            str(step.step),
            told(step.statement),
            step.theorem.name,
            ", ".join(map(str, step.uses)),
            "" if step.value is None else _ends(step.value),
        )
        for step in guarantee.derivation
    )
    columns = tuple(say(f"technical.derivations.{word}") for word in ("step", "statement", "theorem", "uses", "value"))
    table = Table(reading(guarantee), columns, rows)
    return Aside(f"{title_of(account, guarantee)}: {reading(guarantee)}", (table,))


def _ends(value: Enclosure) -> str:
    return say("number.to", low=_end(value.lower), high=_end(value.upper))


def _used(certificate: Certificate) -> dict[str, Theorem]:
    """The theorems that derivations use, by name."""
    return {step.theorem.name: step.theorem for step in certificate.contents.steps}


def _theorems(certificate: Certificate) -> Section:
    entries = tuple((name, _cited(theorem)) for name, theorem in sorted(_used(certificate).items()))
    return Section(say("technical.theorems.title"), (Definitions(entries),))


def _cited(theorem: Theorem) -> str:
    assumptions = "; ".join(map(told, theorem.assumptions))
    assumed = " " + say("technical.theorems.assumes", what=assumptions) if assumptions else ""
    return f"{told(theorem.statement)}{assumed} [{theorem.key}, {term(theorem.locator)}; {term(theorem.assurance)}]"


def _published(certificate: Certificate) -> list[Section]:
    rows = tuple(
        (reading(budget.guarantee), f"{item.theorem.key}, {term(item.theorem.locator)}", term(item.of), _end(item.upper))
        for budget in certificate.contents.budgets
        for item in budget.published
    )
    if not rows:
        return []
    columns = (
        say("column.reading"),
        say("technical.formulas.formula"),
        say("technical.formulas.applied"),
        say("column.at_most"),
    )
    return [Section(say("technical.formulas.title"), (Table(say("technical.formulas.table"), columns, rows),))]


def _plugins(certificate: Certificate) -> Section:
    rows = tuple(
        (plugin.name, f"{plugin.distribution} {plugin.version}", plugin.digest) for plugin in certificate.contents.plugins
    )
    columns = tuple(say(f"technical.code.{word}") for word in ("plugin", "distribution", "digest"))
    loaded = "; ".join(
        f"{item.distribution} {item.version} ({', '.join(item.plugins)})" for item in certificate.contents.loaded
    )
    table = Table(say("technical.code.table"), columns, rows)
    return Section(say("technical.code.title"), (table, Paragraph(say("technical.code.loaded", what=loaded))))


def _explain() -> Listing:
    from shlex import quote

    from accountant.report import edition

    return Listing(f"accountant explain {quote(edition().plan or 'PLAN')} --as approx --delta 1e-10")


def _references(certificate: Certificate) -> Section:
    """Everything that is cited above, resolved."""
    formulas = [item.theorem for budget in certificate.contents.budgets for item in budget.published]
    cited = bibliography((*_RULES, *_used(certificate).values(), *formulas))
    return Section(say("technical.references.title"), (Definitions(cited),))
