"""Filters: what may be added up when every release, and what it costs, may depend on earlier outputs.

A filter watches one budget. It adds up the values of one definition, by a rule that holds under full adaptivity, and
stops at a cap that was fixed in advance and that implies the budget. Proofs and sources are in the documentation,
explanation/ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import evolve, field, fields as attrs_fields, frozen

from accountant.accounting.account import Account
from accountant.accounting.entry import Entry
from accountant.analysis.comparison import compare
from accountant.errors import InvalidValue
from accountant.fields import exact
from accountant.numbers.exact import plain
from accountant.numbers.interval import upper_fraction
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, Divergence, Summable
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.specification import Budget
from accountant.registry.registry import Registry
from accountant.values.reading import Reader

_FIGURES = 5


@frozen
class Filter:
    """How one budget of an adaptive ledger is kept.

    Definition: `rule` adds up values of `divergence` read at `at`, and `cap` bounds the sum. With a `slack`, for budgets
    whose definition has a leak only, releases claimed by a definition that has one are charged what they lose without
    it, and the chances of their leaks add up to at most the slack.

    Guarantee: whatever is released while the sums stay within cap and slack keeps the budget.
    """

    budget: Budget
    rule: Summable
    divergence: Divergence
    at: Mapping[str, Fraction] = field(eq=dict)
    cap: Fraction
    slack: Fraction = Fraction(0)

    @property
    def own(self) -> bool:
        """Whether values of the budget's own definition are added up."""
        return self.divergence == self.budget.divergence

    @property
    def target(self) -> Budget:
        """What the cap must imply: the budget without the slack."""
        if not self.slack:
            return self.budget
        definition = self.budget.divergence
        values = definition.values(self.budget.parameter)
        assert definition.leak is not None
        values[definition.leak] -= self.slack
        return evolve(self.budget, parameter=definition.parameter(**values))

    @property
    def caps(self) -> tuple[Fraction, ...]:
        """The largest sum of each gauge: weights of the definition, and leaks where there is a slack."""
        return (self.rule.weight(self.cap), *([self.slack] if self.slack else []))

    def parameter(self, value: Fraction) -> Budget:
        """A value of the definition that is added up, as a parameter."""
        return Budget(self.divergence, self.divergence.parameter(**self.at, **{self.divergence.primary.value: value}))

    def implied(self, value: Fraction, registry: Registry) -> tuple[Guarantee, Verdict]:
        """What a cap at this value promises in the budget's own definition, and whether it keeps the budget."""
        found = compare([self.parameter(value)], [self.target], registry=registry)
        return found.guarantees[0], found.verdict

    def charges(self, whole: Account, entry: Entry, group: int = 1) -> tuple[Fraction, ...] | None:
        """What a release adds to each gauge, all its times together, rounded up; None where that is infinite.

        `group` is how many units differ between the ledger's neighbours for one unit of the release's.
        """
        once = evolve(entry, release=evolve(entry.release, times=1))
        value = whole.cost(once, self.divergence, self.at)
        options = [self._grouped(upper_fraction(value), group)] if value.upper < float("inf") else []
        found = [(self.rule.weight(one), Fraction(0)) for one in options if one is not None]
        if self.slack and group == 1:
            found += self._leaky(entry)
        charged = [tuple(part * entry.release.times for part in option)[: len(self.caps)] for option in found]
        return min(charged, key=self._share, default=None)

    def _share(self, charged: tuple[Fraction, ...]) -> Fraction:
        return max((part / cap if cap else part) for part, cap in zip(charged, self.caps, strict=True))

    def _grouped(self, value: Fraction, group: int) -> Fraction | None:
        """The value for datasets that are several neighbours apart, where a rule says it at the same words."""
        if group == 1:
            return value
        grown = self.divergence.group(self.parameter(value).parameter, group)
        if grown is None:
            return None
        values = self.divergence.values(grown)
        return values[self.divergence.primary.value] if all(values[word] == at for word, at in self.at.items()) else None

    def _leaky(self, entry: Entry) -> list[tuple[Fraction, Fraction]]:
        """What claims that have a leak cost: what is lost without it in the definition that is added up, and its chance."""
        claim = entry.claim
        if claim is None or claim.divergence.leak is None:
            return []
        found = []
        for point in claim.points:
            value = self.divergence.measure(claim.divergence.without_leak(point), self.at)
            if value.upper < float("inf"):
                chance = claim.divergence.values(point)[claim.divergence.leak]
                found.append((self.rule.weight(upper_fraction(value)), chance))
        return found

    def as_data(self) -> dict[str, Any]:
        """The filter as plain data."""
        words = {word: plain(value) for word, value in self.at.items()}
        slack = {"slack": plain(self.slack)} if self.slack else {}
        return {"divergence": self.divergence.name, **words, "cap": plain(self.cap), **slack}


def rules(registry: Registry) -> dict[str, Summable]:
    """The rules that a filter may use, by definition."""
    return {
        rule.divergence: rule
        for rule in registry[COMPOSITION_RULES].values()
        if rule.adaptivity == "fully-adaptive" and isinstance(rule, Summable)
    }


def read_filter(
    table: Mapping[str, Any], budget: Budget, registry: Registry, reader: Reader, place: str, *, trusted: bool = False
) -> Filter | None:
    """The filter that a table asks for, with the largest cap that implies the budget unless the table gives one.

    A cap that is given is checked, except where a ledger has written it itself.
    """
    before = len(reader.faults)
    known = rules(registry)
    own = budget.divergence.name
    name = table.get("divergence", own if own in known else _usual(known, own))
    if not isinstance(name, str) or name not in known:
        offered = ", ".join(sorted(known)) or "none"
        reader.fault(
            f"no rule is registered by which '{name}' adds up when costs depend on earlier outputs; use one of {offered}",
            f"{place}.divergence",
        )
        return None
    rule, divergence = known[name], registry.find(DIVERGENCES, name)
    words = divergence.primary.at
    reader.keys(table, ("divergence", "cap", "slack", *words), place)
    defaults = budget.at if name == own else {}
    at = {word: _number(divergence, word, {**defaults, **table}, reader, place) for word in words}
    slack = _slack(budget, table, reader, place)
    if len(reader.faults) > before or slack is None:
        return None
    found = Filter(
        budget, rule, divergence, {word: value for word, value in at.items() if value is not None}, Fraction(0), slack
    )
    if "cap" in table:
        cap = _number(divergence, divergence.primary.value, table, reader, place, "cap")
        if cap is not None and not trusted and found.implied(cap, registry)[1] is not Verdict.IMPLIED:
            reader.fault(
                f"a cap of {plain(cap)} is not known to keep the budget; leave it out to have the largest", f"{place}.cap"
            )
            return None
        return None if cap is None else evolve(found, cap=cap)
    if found.own and found.at == defaults and not slack:
        return evolve(found, cap=budget.limit)
    return reader.attempt(place, lambda: evolve(found, cap=_largest(found, registry)))


def _usual(known: Mapping[str, Summable], own: str) -> str:
    """The definition that is added up for a budget whose own has no rule under full adaptivity."""
    return min((name for name, rule in known.items() if rule.usual), default=own)


def _number(
    divergence: Divergence, word: str, table: Mapping[str, Any], reader: Reader, place: str, key: str | None = None
) -> Fraction | None:
    member = next(item for item in attrs_fields(divergence.parameter) if item.name == word)
    key = key or word
    if key not in table:
        reader.fault(f"missing '{key}': {member.metadata.get('about', 'where the definition is read')}", place)
        return None

    def read() -> Fraction:
        number = exact(table[key])
        if member.validator is not None:
            member.validator(None, member, number)
        return number

    return reader.attempt(f"{place}.{key}", read)


def _slack(budget: Budget, table: Mapping[str, Any], reader: Reader, place: str) -> Fraction | None:
    if "slack" not in table:
        return Fraction(0)

    def read() -> Fraction:
        number = exact(table["slack"])
        definition = budget.divergence
        if definition.leak is None:
            raise InvalidValue(f"a slack is part of a budget's delta, and '{definition.name}' has none; leave it out")
        most = definition.values(budget.parameter)[definition.leak]
        if not 0 <= number < most:
            raise InvalidValue(f"must be at least 0 and below the budget's {definition.leak} {plain(most)}")
        return number

    return reader.attempt(f"{place}.slack", read)


def _largest(found: Filter, registry: Registry) -> Fraction:
    """The largest cap, to a few figures, that is known to keep the budget."""

    def keeps(mantissa: int, exponent: int) -> bool:
        return found.implied(Fraction(mantissa) * Fraction(10) ** exponent, registry)[1] is Verdict.IMPLIED

    low, exponent = 10 ** (_FIGURES - 1), 1 - _FIGURES
    while not keeps(low, exponent):
        exponent -= 1
        if exponent < -20:
            raise InvalidValue(
                f"no amount of '{found.divergence.name}' is known to keep the budget; add up another definition"
            )
    while keeps(10 * low, exponent):
        exponent += 1
        if exponent > 20:
            raise InvalidValue("the budget is too large to be kept by a filter")
    high = 10 * low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle, exponent) else (low, middle)
    return Fraction(low) * Fraction(10) ** exponent
