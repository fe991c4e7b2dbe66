"""The summary of a certificate: what each release costs, the total, the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from accountant.certificate.decisions import reading_words as _reading
from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Verdict
from accountant.report import Block, Document, Paragraph, Statement, Table, stated
from accountant.report.cautions import Cautions
from accountant.report.certified import totals
from accountant.values.hygiene import shortened
from accountant.values.writing import kind_data, listed

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.certificate import Certificate
    from accountant.certificate.contents import (
        CertifiedBudget,
        CertifiedPublic,
        CertifiedReading,
        CertifiedRelease,
        CertifiedRisk,
        CertifiedScenario,
        CertifiedUniverse,
        Contents,
        Enclosure,
        RelativeBudget,
    )
    from accountant.promise.specification import Specification
    from accountant.promise.words import ComparedPairs
    from accountant.release.release import Release

_SENTENCES = {
    Verdict.IMPLIED: "kept",
    Verdict.REFUTED: "EXCEEDED",
    Verdict.UNKNOWN: "UNKNOWN: the bounds do not settle it",
    Verdict.VACUOUS: "VACUOUS: no two datasets are compared, so nothing is promised",
}
_RISKS = {**_SENTENCES, Verdict.IMPLIED: "tolerated", Verdict.REFUTED: "NOT TOLERATED"}
_NOTHING = "nothing is spent, since no release tells anything of what is protected"
_MOST_ROWS = 100
_FRACTION, _LONGEST_FRACTION = re.compile(r"-?\d+/\d+"), 7


def build(certificate: Certificate, account: Account) -> Document:
    """The document about a certificate: what is decided, and then what that rests on."""
    return Document(certificate.contents.title, (*_verdicts(certificate, account), *details(certificate, account)))


def details(certificate: Certificate, account: Account, most: int = _MOST_ROWS, more: str = "") -> tuple[Block, ...]:
    """What verdicts rest on. Of more than so many releases those that cost most are shown; `more` says how to see all."""
    says, plan = certificate.contents, account.plan
    return (
        *Cautions.of(says, account).callouts(),
        Paragraph(_promise(plan.comparison)),
        _costs(says, account, most, more),
        *_universe(says, plan.specification),
        *_readings(says.readings),
        *_insider(says.insider or (), account),
        *_scenarios(says.scenarios),
        *(block for known in says.public for block in _public(known)),
        *_risks(says.risks),
        *_formulas(says.budgets),
    )


def _verdicts(certificate: Certificate, account: Account) -> Iterator[Paragraph]:
    """Whether each budget is kept."""
    says = certificate.contents
    spends_nothing = Cautions.of(says, account).spends_nothing
    kept = _NOTHING if spends_nothing else "kept, for each unit of distance" if _apart(says) else "kept"
    for budget in says.budgets:
        sentence = kept if budget.verdict is Verdict.IMPLIED else _sentence(budget)
        yield Paragraph(f"{_reading(budget.guarantee)}: {sentence}.")


def _costs(says: Contents, account: Account, most: int, more: str) -> Table:
    """What each release costs alone, and all together."""
    found = list(zip(account.plan.releases, says.releases, strict=True))
    left = len(found) - most
    if left > 0:
        found = sorted(found, key=lambda pair: _largest(pair[1]), reverse=True)[:most]
    repeated = any(release.times > 1 for release, _ in found)
    rows = [
        (
            _named(release),
            _randomness(release),
            *((f"{release.times:,}",) if repeated else ()),
            *(_shown(cost) for cost in priced.costs or ()),
        )
        for release, priced in found
    ]
    columns = ("release", "mechanism", *(("times",) if repeated else ()))
    blank = ("",) * (len(columns) - 1)
    if left > 0:
        rows.append((f"and {left:,} more{more}", *blank))
    if says.budgets:
        rows.append(("all together", *blank, *(_shown(budget.guarantee.value) for budget in says.budgets)))
        rows.append(("budget", *blank, *(budget.limit for budget in says.budgets)))
    columns = (*columns, *(_reading(budget.guarantee) for budget in says.budgets))
    title = "What the releases cost, rounded up" if says.budgets else "The releases"
    title += ", largest first" if left > 0 and says.budgets else ""
    return Table(title, columns, tuple(rows), totals(says.budgets, account))


def _largest(release: CertifiedRelease) -> float:
    """What decides which releases are shown: the cost in the first budget."""
    return float(release.costs[0].upper) if release.costs else 0.0


def _sentence(budget: CertifiedBudget) -> str:
    """Whether a budget is kept, and why that is not known where there is more to say than that the bounds are wide."""
    if budget.verdict is Verdict.UNKNOWN and budget.guarantee.remark is not None:
        return f"UNKNOWN: {budget.guarantee.remark}"
    return _SENTENCES[budget.verdict]


def _readings(readings: Sequence[CertifiedReading]) -> list[Table]:
    """What else the plan asks for, from both sides."""
    rows = [(_reading(item), _lower(item.value), _shown(item.value)) for item in readings]
    return [Table("Further readings of all together", ("reading", "at least", "at most"), tuple(rows))] if rows else []


def _insider(found: Sequence[CertifiedReading], account: Account) -> list[Paragraph]:
    """What sampling does not hide from those who know who was sampled."""
    if not found:
        return []
    compared = account.plan.against("insider").comparison
    said: list[str | Statement] = []
    for item in found:
        said += [", " if said else "Against someone who knows who was sampled: ", f"{_reading(item)} "]
        said.append(_settled(item.value) if item.value.upper == "inf" else stated(item, compared, account))
    return [Paragraph((*said, "."))]


def _apart(says: Contents) -> bool:
    """Whether no two neighbours are compared."""
    return says.universe is not None and says.universe.apart is not None


def _universe(says: Contents, promised: Specification) -> list[Paragraph]:
    """For whom nothing is promised, how far apart those are for whom something is, and who learns everything anyway."""
    universe, unit = says.universe, promised.neighbours.unit
    if universe is None:
        return []
    said: list[str] = []
    if universe.closest.vacuous:
        said.append("No two datasets that agree on what is published exactly differ.")
    elif universe.apart is not None:
        values = zip(says.budgets, universe.apart, strict=True)
        bounds = ", ".join(f"{_reading(budget.guarantee)} {_shown(value)}" for budget, value in values)
        said.append(
            f"No two neighbours are compared: all others differ in at least {universe.closest.least} units ({unit}), and "
            f"between the closest the bounds are {bounds}."
        )
    said += _who_knows_all_others(universe, promised)
    return [Paragraph(" ".join(said))] if said else []


def _who_knows_all_others(universe: CertifiedUniverse, promised: Specification) -> Iterator[str]:
    """What the exact statistics fix for somebody who knows every other record."""
    unit = promised.neighbours.unit
    learned = [f"whether that {unit} is there"] if promised.universe.shows_presence else []
    if universe.exposed:
        learned.append(f"that {unit}'s {', '.join(universe.exposed)}")
    if learned:
        yield f"Whoever knows every {unit} but one reads off what is published exactly {' and '.join(learned)}."
    if universe.undeclared:
        named = any(known.counts_by is None for known in promised.universe.undeclared)
        hint = f" (if it is how many of unit {unit} there are, say so with 'counts_by')" if named else ""
        yield (
            f"Not known: how {listed(universe.undeclared)} may change with one {unit}{hint}, so how far apart the closest "
            f"datasets are, and what somebody learns who knows every other {unit}."
        )


def _scenarios(scenarios: Sequence[CertifiedScenario]) -> list[Table]:
    """What holds for someone who is only concerned about some attributes, between the closest datasets compared."""
    if not scenarios:
        return []
    stakes = tuple((item.name, ", ".join(item.attributes), *_stake(item)) for item in scenarios)
    columns = ("scenario", "attributes", "units apart", "read off by who knows all others")
    # What is alike for all, since nothing is to be said, is left out.
    told = [place for place in range(4) if place < 2 or any(row[place] for row in stakes)]
    read = [item for item in scenarios if item.guarantees]
    values = tuple(
        (_reading(found[0]), *(_shown(item.value) for item in found))
        for found in zip(*(item.guarantees for item in read), strict=True)
    )
    tables = [
        Table(
            "Scenarios: what an attacker may try to learn",
            tuple(columns[place] for place in told),
            tuple(tuple(row[place] for place in told) for row in stakes),
        )
    ]
    if values:
        names = (item.name for item in read)
        so_far = " between datasets so many units apart" if any(item.closest for item in read) else ""
        tables.append(Table(f"What can be gained in each{so_far}, rounded up", ("reading", *names), values))
    return tables


def _stake(scenario: CertifiedScenario) -> tuple[str, str]:
    """How far apart the closest datasets are that differ in a scenario, if not one unit, and what is no secret in it."""
    closest, shown = scenario.closest, ", ".join(scenario.exposed)
    if closest is None:
        return "", shown
    if closest.vacuous:
        return "VACUOUS: none are compared", shown
    return f"at least {closest.least}" if closest.most is None else str(closest.least), shown


def _public(known: CertifiedPublic) -> list[Paragraph | Table]:
    """What holds relative to public information, with all that the number depends on."""
    name, apart = known.stated.name, known.apart
    units = "any number of units" if apart.units is None else "1 unit" if apart.units == 1 else f"{apart.units:,} units"
    live = "" if apart.live is None else f" Pairs left undecided: {apart.live:,}."
    said = (
        f"Relative to '{name}' ({known.value}). Scenarios: {known.scenarios}. Secrets: {known.pairs}. "
        f"A change of secret may go with a change of {units}.{live}"
    )
    rows = tuple(_relative(budget) for budget in known.budgets)
    blocks: list[Paragraph | Table] = [
        Paragraph(said),
        Table(f"What the releases tell beyond '{name}', rounded up", ("reading", "at most", "budget"), rows),
    ]
    revealed = tuple((item.secret, item.scenario, _both(item.before), _both(item.given)) for item in known.revealed)
    if revealed:
        title = f"What '{name}' told by itself, outside every budget"
        blocks.append(Table(title, ("secret", "scenario", "probability before", "probability given it"), revealed))
    else:
        blocks.append(Paragraph(f"What '{name}' tells by itself is outside every budget, and is not known here."))
    return blocks


def _relative(budget: RelativeBudget) -> tuple[str, str, str]:
    """A bound relative to public information and whether it keeps the budget, or why there is none."""
    found, remark = budget.guarantee, budget.relative.remark
    said = _SENTENCES[budget.verdict] + (f" ({remark})" if remark else "")
    return (budget.divergence, "no bound", said) if found is None else (_reading(found), _shown(found.value), said)


def _risks(risks: Sequence[CertifiedRisk]) -> list[Paragraph]:
    """Whether the risk that was called tolerable is kept, and against whom."""
    return [Paragraph(f"Risk '{risk.stated.kind}': {_RISKS[risk.verdict]}. {risk.statement}") for risk in risks]


def _formulas(budgets: Sequence[CertifiedBudget]) -> list[Table]:
    """What formulas from the literature make of the totals, for readers who know those numbers."""
    rows = [
        (_reading(budget.guarantee), f"{item.theorem.key}, {item.theorem.locator}", item.of, _shown(item))
        for budget in budgets
        for item in budget.published
    ]
    columns = ("budget", "formula", "applied to", "value")
    return [Table("The same by published formulas, rounded up", columns, tuple(rows))] if rows else []


def _shown(value: Enclosure) -> str:
    """The upper end, which is what holds, at the six figures a person can read."""
    return "infinite" if value.upper == "inf" else Interval.of(value.upper).rounded(6)[1]


def _settled(value: Enclosure) -> str:
    """The upper end, where anything is known."""
    return "not known" if value.upper == "inf" != value.lower else _shown(value)


def _lower(value: Enclosure) -> str:
    """The lower end at as many figures."""
    return "infinite" if value.lower == "inf" else Interval.of(value.lower).rounded(6)[0]


def _both(value: Enclosure) -> str:
    low, high = _lower(value), _shown(value)
    return low if low == high else f"{low} to {high}"


def _named(release: Release) -> str:
    scope = release.scope
    return release.name if scope is None else f"{release.name} [{scope.partition}: {scope.part}]"


def _randomness(release: Release) -> str:
    mechanism = _kind(kind_data(release.mechanism))
    return mechanism if release.sampling is None else f"{mechanism} on a sample: {_kind(kind_data(release.sampling))}"


def _kind(data: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{key} {_value(value)}" for key, value in data.items() if key != "kind")
    return f"{data['kind']} ({inside})" if inside else str(data["kind"])


def _value(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return "; ".join(_value(item) for item in value)
    if not isinstance(value, Mapping):
        return _decimal(str(value))
    return _kind(value) if "kind" in value else ", ".join(f"{key} {_value(item)}" for key, item in value.items())


def _decimal(written: str) -> str:
    """A value as it is written, long fractions as decimals that are said to be rounded."""
    if len(written) > _LONGEST_FRACTION and _FRACTION.fullmatch(written):
        return f"≈{Interval.of(written).rounded(6)[0]}"
    return shortened(written, 60)


def _promise(comparison: ComparedPairs) -> str:
    return " ".join((f"Between {comparison.between}.", *comparison.conditions))
