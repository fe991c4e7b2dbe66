"""The summary of a certificate: what each release costs, the total, the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve

from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Verdict
from accountant.report import Block, Document, Paragraph, Statement, Table, between, conditions, say, spoken, stated
from accountant.report.cautions import Cautions
from accountant.report.certified import asked, of_whom, totals
from accountant.report.layers import standing
from accountant.report.translated import term, told
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

_MOST_ROWS = 100
_FRACTION, _LONGEST_FRACTION = re.compile(r"-?\d+/\d+"), 7


def build(certificate: Certificate, account: Account) -> Document:
    """The document about a certificate: what is decided, and then what that rests on."""
    return Document(
        certificate.contents.title,
        (*_verdicts(certificate, account), *details(certificate, account), standing(certificate)),
    )


def details(certificate: Certificate, account: Account, most: int = _MOST_ROWS, more: str = "") -> tuple[Block, ...]:
    """What verdicts rest on. Of more than so many releases those that cost most are shown; `more` says how to see all."""
    says, plan = certificate.contents, account.plan
    return (
        *Cautions.of(says, account).callouts(),
        Paragraph(" ".join((say("summary.promise", datasets=between(plan.comparison)), *conditions(plan.comparison)))),
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
    kept = say(f"summary.{'spends_nothing' if spends_nothing else 'kept_apart' if _apart(says) else 'implied'}")
    for budget in says.budgets:
        sentence = kept if budget.verdict is Verdict.IMPLIED else _sentence(budget)
        yield Paragraph(say("summary.verdict", reading=_reading(budget.guarantee), verdict=sentence))


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
    columns = _columns("release", "mechanism", *(("times",) if repeated else ()))
    blank = ("",) * (len(columns) - 1)
    if left > 0:
        rows.append((say("summary.more", number=left, more=more), *blank))
    if says.budgets:
        rows.append((say("summary.all_together"), *blank, *(_shown(budget.guarantee.value) for budget in says.budgets)))
        rows.append((say("summary.budget"), *blank, *(spoken().decimal(budget.limit) for budget in says.budgets)))
    columns = (*columns, *(_reading(budget.guarantee) for budget in says.budgets))
    title = "releases" if not says.budgets else "costs_largest" if left > 0 else "costs"
    return Table(say(f"summary.{title}"), columns, tuple(rows), totals(says.budgets, account))


def _largest(release: CertifiedRelease) -> float:
    """What decides which releases are shown: the cost in the first budget."""
    return float(release.costs[0].upper) if release.costs else 0.0


def _sentence(budget: CertifiedBudget) -> str:
    """Whether a budget is kept, and why that is not known where there is more to say than that the bounds are wide."""
    if budget.verdict is Verdict.UNKNOWN and budget.guarantee.remark is not None:
        return say("summary.unknown_since", why=told(budget.guarantee.remark))
    return _verdict(budget.verdict)


def _verdict(verdict: Verdict) -> str:
    return say(f"summary.{verdict.value}")


def _reading(found: CertifiedReading) -> str:
    """What is read, at which words and of whom."""
    places = (say("summary.reading_at", word=word, value=spoken().decimal(number)) for word, number in found.at.items())
    return f"{found.divergence} {found.value.name}{''.join(places)}{of_whom(found)}"


def _columns(*names: str) -> tuple[str, ...]:
    return tuple(say(f"summary.column.{name}") for name in names)


def _readings(readings: Sequence[CertifiedReading]) -> list[Table]:
    """What else the plan asks for, from both sides."""
    rows = [(_reading(item), _lower(item.value), _shown(item.value)) for item in readings]
    return [Table(say("summary.readings.title"), _columns("reading", "at_least", "at_most"), tuple(rows))] if rows else []


def _insider(found: Sequence[CertifiedReading], account: Account) -> list[Paragraph]:
    """What sampling does not hide from those who know who was sampled."""
    if not found:
        return []
    compared = account.plan.against("insider").comparison
    said: list[str | Statement] = []
    for item in found:
        said += [", " if said else say("summary.insider.starts"), f"{_reading(item)} "]
        said.append(_settled(item.value) if item.value.upper == "inf" else _stated(item, compared, account))
    return [Paragraph((*said, "."))]


def _stated(item: CertifiedReading, compared: ComparedPairs, account: Account) -> Statement | str:
    """The upper end with what it says, as the language writes it."""
    found = stated(item, compared, account)
    return found if isinstance(found, str) else evolve(found, text=spoken().decimal(found.text))


def _apart(says: Contents) -> bool:
    """Whether no two neighbours are compared."""
    return says.universe is not None and says.universe.apart is not None


def _universe(says: Contents, promised: Specification) -> list[Paragraph]:
    """For whom nothing is promised, how far apart those are for whom something is, and who learns everything anyway."""
    universe, unit = says.universe, spoken().unit(promised.neighbours.unit)
    if universe is None:
        return []
    said: list[str] = []
    if universe.closest.vacuous:
        said.append(say("summary.universe.vacuous"))
    elif universe.apart is not None:
        values = zip(says.budgets, universe.apart, strict=True)
        bounds = ", ".join(
            say("summary.universe.bound", reading=_reading(budget.guarantee), value=_shown(value))
            for budget, value in values
        )
        key = "apart" if universe.closest.most == universe.closest.least else "apart_at_least"
        said.append(say(f"summary.universe.{key}", least=str(universe.closest.least), unit=unit, bounds=bounds))
    said += _who_knows_all_others(universe, promised)
    return [Paragraph(" ".join(said))] if said else []


def _who_knows_all_others(universe: CertifiedUniverse, promised: Specification) -> Iterator[str]:
    """What the exact statistics fix for somebody who knows every other record."""
    unit = spoken().unit(promised.neighbours.unit)
    learned = [say("summary.universe.presence", unit=unit)] if promised.universe.shows_presence else []
    if universe.exposed:
        learned.append(say("summary.universe.values", unit=unit, attributes=", ".join(universe.exposed)))
    if learned:
        both = learned[0] if len(learned) == 1 else say("summary.universe.both", first=learned[0], second=learned[1])
        yield say("summary.universe.reads_off", unit=unit, learned=both)
    if universe.coupled:
        yield say("summary.universe.coupled", names=term(listed(universe.coupled)), unit=unit)
    if universe.undeclared:
        named = any(known.counts_by is None for known in promised.universe.undeclared)
        hint = say("summary.universe.hint", unit=unit) if named else ""
        yield say("summary.universe.undeclared", names=term(listed(universe.undeclared)), unit=unit, hint=hint)


def _scenarios(scenarios: Sequence[CertifiedScenario]) -> list[Table]:
    """What holds for someone who is only concerned about some attributes, between the closest datasets compared."""
    if not scenarios:
        return []
    stakes = tuple((item.name, asked(item), *_stake(item)) for item in scenarios)
    columns = _columns("scenario", "attributes", "apart", "exposed")
    # What is alike for all, since nothing is to be said, is left out.
    told = [place for place in range(4) if place < 2 or any(row[place] for row in stakes)]
    read = [item for item in scenarios if item.guarantees]
    values = tuple(
        (_reading(found[0]), *(_shown(item.value) for item in found))
        for found in zip(*(item.guarantees for item in read), strict=True)
    )
    tables = [
        Table(
            say("summary.scenarios.title"),
            tuple(columns[place] for place in told),
            tuple(tuple(row[place] for place in told) for row in stakes),
        )
    ]
    if values:
        title = "gained_apart" if any(item.closest for item in read) else "gained"
        columns = (*_columns("reading"), *(item.name for item in read))
        tables.append(Table(say(f"summary.scenarios.{title}"), columns, values))
    return tables


def _stake(scenario: CertifiedScenario) -> tuple[str, str]:
    """How far apart the closest datasets are that differ in a scenario, if not one unit, and what is no secret in it."""
    closest, shown = scenario.closest, ", ".join(scenario.exposed)
    if closest is None:
        return "", shown
    if closest.vacuous:
        return say("summary.scenarios.vacuous"), shown
    least = str(closest.least)
    return say("summary.scenarios.at_least", least=least) if closest.most != closest.least else least, shown


def _public(known: CertifiedPublic) -> list[Paragraph | Table]:
    """What holds relative to public information, with all that the number depends on."""
    name, apart = known.stated.name, known.apart
    units = say("summary.public.any_units") if apart.units is None else say("summary.public.units", count=apart.units)
    live = "" if apart.live is None else say("summary.public.live", number=apart.live)
    said = {"value": known.value, "scenarios": told(known.scenarios), "secrets": told(known.pairs)}
    rows = tuple(_relative(budget) for budget in known.budgets)
    blocks: list[Paragraph | Table] = [
        Paragraph(say("summary.public.says", name=name, **said, units=units, live=live)),
        Table(say("summary.public.title", name=name), _columns("reading", "at_most", "budget"), rows),
    ]
    revealed = tuple((item.secret, item.scenario, _both(item.before), _both(item.given)) for item in known.revealed)
    if revealed:
        columns = _columns("secret", "scenario", "before", "given")
        blocks.append(Table(say("summary.public.revealed", name=name), columns, revealed))
    else:
        blocks.append(Paragraph(say("summary.public.unknown", name=name)))
    return blocks


def _relative(budget: RelativeBudget) -> tuple[str, str, str]:
    """A bound relative to public information and whether it keeps the budget, or why there is none."""
    found, remark = budget.guarantee, budget.relative.remark
    said = _verdict(budget.verdict)
    if remark:
        said = say("summary.public.why", said=said, why=told(remark))
    return (
        (budget.divergence, say("summary.no_bound"), said)
        if found is None
        else (_reading(found), _shown(found.value), said)
    )


def _risks(risks: Sequence[CertifiedRisk]) -> list[Paragraph]:
    """Whether the risk that was called tolerable is kept, and against whom."""
    own = (Verdict.IMPLIED, Verdict.REFUTED)
    return [
        Paragraph(
            say(
                "summary.risk.says",
                kind=risk.stated.kind,
                verdict=say(f"summary.risk.{risk.verdict.value}") if risk.verdict in own else _verdict(risk.verdict),
                statement=told(risk.statement),
            )
        )
        for risk in risks
    ]


def _formulas(budgets: Sequence[CertifiedBudget]) -> list[Table]:
    """What formulas from the literature make of the totals, for readers who know those numbers."""
    rows = [
        (_reading(budget.guarantee), f"{item.theorem.key}, {term(item.theorem.locator)}", term(item.of), _shown(item))
        for budget in budgets
        for item in budget.published
    ]
    columns = _columns("budget", "formula", "applied", "value")
    return [Table(say("summary.formulas.title"), columns, tuple(rows))] if rows else []


def _shown(value: Enclosure) -> str:
    """The upper end, which is what holds, at the six figures a person can read."""
    if value.upper == "inf":
        return say("summary.infinite")
    return spoken().decimal(Interval.of(value.upper).rounded(6)[1])


def _settled(value: Enclosure) -> str:
    """The upper end, where anything is known."""
    return say("summary.not_known") if value.upper == "inf" != value.lower else _shown(value)


def _lower(value: Enclosure) -> str:
    """The lower end at as many figures."""
    if value.lower == "inf":
        return say("summary.infinite")
    return spoken().decimal(Interval.of(value.lower).rounded(6)[0])


def _both(value: Enclosure) -> str:
    low, high = _lower(value), _shown(value)
    return low if low == high else say("summary.to", low=low, high=high)


def _named(release: Release) -> str:
    scope = release.scope
    return release.name if scope is None else f"{release.name} [{scope.partition}: {scope.part}]"


def _randomness(release: Release) -> str:
    mechanism = _kind(kind_data(release.mechanism))
    if release.sampling is None:
        return mechanism
    return say("summary.on_a_sample", mechanism=mechanism, sampling=_kind(kind_data(release.sampling)))


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
