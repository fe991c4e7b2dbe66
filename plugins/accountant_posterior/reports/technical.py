"""The report for technical readers: theorems, derivations, curves from both sides, and how to check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.plugin import joined
from accountant.report import Aside, Block, Code, Definitions, Document, Items, Listing, Paragraph, Section, Table
from accountant_posterior.reports.curves import curves
from accountant_posterior.reports.known import beside_public_facts
from accountant_posterior.reports.shared import VERDICTS, exact_names, reading, title_of, verdict_callouts
from accountant_posterior.reports.view import headline, views
from accountant_posterior.reports.wording import counted
from accountant_posterior.semantics.theorems import BEST_GUESS, BOUNDED, POSTERIOR, RECORD_GIVEN

if TYPE_CHECKING:
    from accountant import Account, Certificate, Theorem
    from accountant.certificate import CertifiedGuarantee, CertifiedReading, Enclosure
    from accountant.plugin import ComparedPairs


def build(certificate: Certificate, account: Account) -> Document:
    """The document."""
    seen = views(account)
    told = headline(seen)
    return Document(
        account.plan.title,
        (
            Paragraph(
                f"The account of {counted(len(account.plan.releases), 'release')}: what was composed, what was read "
                f"off the composed loss, by which theorems, and with which code. {_truth(account)} Ends are "
                "rounded outward."
            ),
            *verdict_callouts(certificate),
            _specification(certificate, account),
            _guarantees(certificate, account),
            curves(seen, told),
            _meaning(account.plan.comparison),
            *_scenarios(certificate),
            *beside_public_facts(certificate),
            _derivations(certificate, account),
            _theorems(certificate),
            *_published(certificate),
            _plugins(certificate),
            _verify(),
        ),
        "Theorems, derivations and curves behind the numbers",
        (("Plan digest ", Code(certificate.contents.plan_digest), "."),),
    )


def _truth(account: Account) -> str:
    if account.plan.comparison.claimed:
        return "Intervals contain what is lost at most if claims are true; those of whom it is claimed may lose less."
    return "Intervals contain the truth."


def _specification(certificate: Certificate, account: Account) -> Section:
    specification = account.plan.specification
    neighbours = specification.neighbours
    kinds = sorted({mechanism.kind for release in account.plan.releases for _, mechanism in release.mechanism.nested()})
    attributes = "any" if neighbours.attributes is None else joined(sorted(neighbours.attributes)) or "none"
    return Section(
        "Specification",
        (
            Definitions(
                (
                    ("Domain", specification.domain.described),
                    ("Neighbours", f"{neighbours.relation.name}: {neighbours.relation.meaning}"),
                    ("Compared", " ".join((f"{account.plan.comparison.between}.", *account.plan.comparison.conditions))),
                    (
                        "Unit",
                        neighbours.unit
                        if neighbours.group == 1
                        else f"{neighbours.unit}, up to {neighbours.group:,} at once",
                    ),
                    ("Attributes that may differ", attributes),
                    ("Invariants", joined(exact_names(account)) or "none"),
                    ("Attacker", specification.attacker),
                    ("Releases", f"{len(account.plan.releases):,}, by {joined(kinds)}"),
                    ("Plan digest", (Code(certificate.contents.plan_digest),)),
                )
            ),
        ),
    )


def _guarantees(certificate: Certificate, account: Account) -> Section:
    says = certificate.contents
    rows = [(*_line(budget.guarantee), VERDICTS[budget.verdict]) for budget in says.budgets]
    rows += [(*_line(item), "") for item in says.readings]
    remarks = [
        f"{reading(item)}: {item.remark}"
        for item in (*(budget.guarantee for budget in says.budgets), *says.readings)
        if item.remark is not None
    ]
    table = Table(
        "All releases together",
        ("reading", "at least", "at most", "bound", "route", "budget"),
        tuple(rows),
    )
    return Section("Guarantees", (table, *([Items(tuple(remarks))] if remarks else [])))


def _line(guarantee: CertifiedReading) -> tuple[str, str, str, str, str]:
    name = f"{guarantee.divergence}: {reading(guarantee)}"
    return name, _end(guarantee.value.lower), _end(guarantee.value.upper), guarantee.bound, guarantee.evidence


def _end(decimal: str) -> str:
    return "infinite" if decimal == "inf" else decimal


def _sides(comparison: ComparedPairs) -> str:
    """What the strong adversary asks, between these neighbours."""
    neighbours = comparison.neighbours
    if neighbours.relation.by_presence:
        return "asks whether it is in the data; two values of it are two steps apart, and are asked about apart"
    if neighbours.attributes is None:
        return "asks which of two sets of values it has"
    asked = joined(sorted(neighbours.attributes)) or "nothing"
    return f"all of that but {asked}, and asks which of two sets of values that has"


def _meaning(comparison: ComparedPairs) -> Section:
    rules = (BEST_GUESS, BOUNDED, POSTERIOR, RECORD_GIVEN)
    return Section(
        "From the loss to beliefs",
        (
            Paragraph(
                f"The strong adversary knows every record but the target’s and {_sides(comparison)}. By joint convexity of "
                "the hockey-stick divergence, mixtures over either side are dominated by the pair of the account."
            ),
            Items(
                (
                    "Right guesses about an even question: (1 + delta(0))/2, since delta(0) is the total variation "
                    "distance.",
                    "Power at level a: the least of e^epsilon a + delta(epsilon) over epsilon, both directions.",
                    "Belief from a prior p, but with probability d: between p/(p + (1 - p) e^g) and p/(p + (1 - p) e^-g), "
                    "where (g, d/(1 + e^-g)) lies on the PBDP curve.",
                    "Ratio of the posterior of the side that is true to that in a world where the side is drawn anew: "
                    "exceeds e^g with probability at most the delta of the PBDP curve at g.",
                    "Figures and the policy tables read these off the lower hull of a number of measured points "
                    "(epsilon, delta), upper ends: a loss that dominates the account’s, so they hold and are at most a "
                    "little wider than what is measured directly.",
                )
            ),
            Definitions(tuple((rule.name, _cited(rule)) for rule in rules)),
        ),
    )


def _scenarios(certificate: Certificate) -> list[Section]:
    scenarios = certificate.contents.scenarios
    if not scenarios:
        return []
    rows = tuple(
        (
            f"{item.name}: {joined(item.attributes)}",
            f"{guarantee.divergence} {reading(guarantee)}",
            _end(guarantee.value.lower),
            _end(guarantee.value.upper),
        )
        for item in scenarios
        for guarantee in item.guarantees
    )
    return [
        Section(
            "Scenarios",
            (
                Paragraph("The same releases between units that differ in the named attributes only."),
                Aside(
                    f"{counted(len(rows), 'reading')} of {counted(len(scenarios), 'scenario')}",
                    (Table("Readings by scenario", ("scenario", "reading", "at least", "at most"), rows),),
                ),
            ),
        )
    ]


def _derivations(certificate: Certificate, account: Account) -> Section:
    return Section("Derivations", tuple(_derivation(account, item) for item in certificate.contents.guarantees))


def _derivation(account: Account, guarantee: CertifiedGuarantee) -> Block:
    rows = tuple(
        (
            str(step.step),
            step.statement,
            step.theorem.name,
            ", ".join(map(str, step.uses)),
            "" if step.value is None else _ends(step.value),
        )
        for step in guarantee.derivation
    )
    table = Table(reading(guarantee), ("step", "statement", "theorem", "uses", "value"), rows)
    return Aside(f"{title_of(account, guarantee)}: {reading(guarantee)}", (table,))


def _ends(value: Enclosure) -> str:
    return f"{_end(value.lower)} to {_end(value.upper)}"


def _theorems(certificate: Certificate) -> Section:
    known = {step.theorem.name: step.theorem for step in certificate.contents.steps}
    entries = tuple((name, _cited(theorem)) for name, theorem in sorted(known.items()))
    return Section("Theorems", (Definitions(entries),))


def _cited(theorem: Theorem) -> str:
    assumed = f" Assumes: {'; '.join(theorem.assumptions)}." if theorem.assumptions else ""
    return f"{theorem.statement}{assumed} [{theorem.key}, {theorem.locator}; {theorem.assurance}]"


def _published(certificate: Certificate) -> list[Section]:
    rows = tuple(
        (reading(budget.guarantee), f"{item.theorem.key}, {item.theorem.locator}", item.of, _end(item.upper))
        for budget in certificate.contents.budgets
        for item in budget.published
    )
    if not rows:
        return []
    table = Table("What published formulas make of the totals", ("reading", "formula", "applied to", "at most"), rows)
    return [Section("Published formulas", (table,))]


def _plugins(certificate: Certificate) -> Section:
    rows = tuple(
        (plugin.name, f"{plugin.distribution} {plugin.version}", plugin.digest) for plugin in certificate.contents.plugins
    )
    return Section(
        "Code", (Table("Plugins behind the certificate", ("plugin", "distribution", "digest of its sources"), rows),)
    )


def _verify() -> Section:
    return Section(
        "How to verify",
        (
            Paragraph("With the plan and the same versions of the plugins, anybody can recompute every digit:"),
            Listing(
                "accountant certify PLAN\naccountant verify CERTIFICATE PLAN\naccountant explain PLAN --as approx "
                "--delta 1e-10"
            ),
        ),
    )
