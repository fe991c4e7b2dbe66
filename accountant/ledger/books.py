"""Books: how charges are worked out and held against the budgets, under each adaptivity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from attrs import define, evolve, field

from accountant.accounting import Account, account
from accountant.builtin.theorems import FILTER, LEAKY_FILTER, VOUCHED
from accountant.divergence import Divergence
from accountant.errors import AdaptivityError, LedgerError
from accountant.exact import ExactLike, exact
from accountant.guarantee import Guarantee, Step, Verdict
from accountant.interval import Interval, float_above
from accountant.ledger.batch import Priced
from accountant.ledger.entries import Charge, added
from accountant.ledger.filters import Filter
from accountant.ledger.lines import Line
from accountant.ledger.terms import Terms
from accountant.plan import canonical, read_plan, release_data
from accountant.registry import Registry
from accountant.routes import at_words, bound
from accountant.specification import Budget

_LONGEST_TOTAL = 8192
_FINE = 2**256
_MANY = 4096


class Book(ABC):
    """The arithmetic of a ledger: what a batch is charged, and whether sums of charges keep the budgets."""

    @abstractmethod
    def charge(self, priced: Priced, total: Charge) -> Charge | None:
        """What a batch is charged, given all that was charged before; None where it costs more than any budget."""

    @abstractmethod
    def keeps(self, total: Charge) -> bool:
        """Whether a sum of charges is known to keep every budget."""

    @abstractmethod
    def lines(self, spent: Charge, reserved: Charge, asked: Charge | None) -> tuple[Line, ...]:
        """Every budget in its own definition."""

    @abstractmethod
    def measure(self, spent: Charge, divergence: str, at: Mapping[str, ExactLike]) -> Guarantee:
        """A value of any definition that holds under the adaptivity of the ledger."""


def book_of(terms: Terms, registry: Registry) -> Book:
    """The book for the adaptivity that the terms declare."""
    return FilterBook(terms, registry) if terms.adaptivity == "fully-adaptive" else PlanBook(terms, registry)


@define
class FilterBook(Book):
    """Sums of weights, one for each gauge of each filter."""

    terms: Terms
    registry: Registry
    _priced: dict[str, tuple[tuple[Fraction, ...] | None, ...]] = field(factory=dict)
    _read: dict[tuple[int, Fraction], Fraction | None] = field(factory=dict)

    @property
    def caps(self) -> dict[str, Fraction]:
        """The cap of each gauge."""
        filters = enumerate(self.terms.filters)
        return {gauge(index, place): cap for index, found in filters for place, cap in enumerate(found.caps)}

    def charge(self, priced: Priced, total: Charge) -> dict[str, Fraction] | None:
        whole: dict[str, Fraction] = dict.fromkeys(self.caps, Fraction(0))
        for entry in priced.account.entries:
            content = canonical([{**release_data(entry.release), "name": ""}, priced.batch.as_data().get("specification")])

            def find(item: Any = entry) -> tuple[tuple[Fraction, ...] | None, ...]:
                return tuple(f.charges(priced.account, item, priced.bridge.group) for f in self.terms.filters)

            charges = _kept(self._priced, content, find)
            for index, parts in enumerate(charges):
                if parts is None:
                    return None
                for place, part in enumerate(parts):
                    whole[gauge(index, place)] += part
        return {item: _short(amount, total.get(item, Fraction(0))) for item, amount in whole.items()}

    def keeps(self, total: Charge) -> bool:
        return all(total.get(item, Fraction(0)) <= cap for item, cap in self.caps.items())

    def lines(self, spent: Charge, reserved: Charge, asked: Charge | None) -> tuple[Line, ...]:
        sums = [spent, added(spent, reserved)]
        if asked is not None:
            sums.append(added(sums[1], asked))
        found = []
        for index, item in enumerate(self.terms.filters):
            values = [self._value(index, total.get(gauge(index, 0), Fraction(0))) for total in sums]
            fits = asked is not None and sums[-1].get(gauge(index, 0), Fraction(0)) <= item.caps[0]
            found.append(_line(item.budget, values, fits, self._value(index, item.caps[0])))
            if item.slack:
                deltas: list[Fraction | None] = [total.get(gauge(index, 1), Fraction(0)) for total in sums]
                fits = asked is not None and deltas[-1] is not None and deltas[-1] <= item.slack
                found.append(_steps(item.budget.divergence.name, "slack", {}, item.slack, deltas, fits, item.slack))
        return tuple(found)

    def _value(self, index: int, weight: Fraction) -> Fraction | None:
        """The value in the budget's own definition that a cap of this weight would promise, rounded up."""
        item = self.terms.filters[index]
        if item.own and item.target == item.budget and item.at == _words(item.budget):
            return bound(item.rule.value(weight))

        def read() -> Fraction | None:
            value = item.implied(bound(item.rule.value(weight)), self.registry)[0].value
            return bound(value) if value.upper < float("inf") else None

        value: Fraction | None = _kept(self._read, (index, weight), read)
        return value

    def measure(self, spent: Charge, divergence: str, at: Mapping[str, ExactLike]) -> Guarantee:
        definition: Divergence = self.registry.find("divergences", divergence)
        words = {name: exact(value) for name, value in at.items()}
        definition.reading(words)
        name = definition.reading(words).value
        value, item, steps = min(
            (way for item in self.terms.filters for way in self._ways(item, definition, words)), key=lambda way: way[0]
        )
        if value == float("inf"):
            raise AdaptivityError(
                f"the caps of this ledger imply no bound on {name} of '{divergence}'; a sum over its releases would hold "
                "only if none had been chosen after seeing an output"
            )
        specification, evidence = self.terms.plan.specification, f"filter in {item.divergence.name}"
        # Nothing is known from below: the ledger may never be used up.
        bounded = Interval(0.0, value)
        derivation = (*steps[:-1], evolve(steps[-1], value=bounded))
        may_fail = definition.properties.failure and "delta" in words
        return Guarantee(specification, divergence, words, name, bounded, evidence, derivation, may_fail)

    def _ways(
        self, item: Filter, definition: Divergence, at: Mapping[str, Fraction]
    ) -> Iterator[tuple[float, Filter, tuple[Step, ...]]]:
        """Upper bounds on a definition that the cap of a filter implies, each with its derivation.

        A slack is a chance that the cap fails; of that only delta of the budget's own definition can speak.
        """
        own = definition == item.budget.divergence
        if item.slack and not (own and at.get("delta", item.slack) > item.slack):
            yield float("inf"), item, (Step("nothing", FILTER),)
            return
        inner = {**at, "delta": at["delta"] - item.slack} if item.slack else at
        parameter, unit = item.parameter(item.cap).parameter, item.divergence.readings[0].value
        capped = (
            Step(f"{unit} of every release is added up", item.rule.theorem),
            Step(
                f"all that the ledger will ever let out satisfies {item.divergence.describe(parameter)}",
                LEAKY_FILTER if item.slack else FILTER,
                (1,),
            ),
        )
        if definition == item.divergence and at == item.at:
            yield float_above(item.cap), item, capped
            return
        worst = Step(f"the worst loss with that {unit}", item.divergence.worst_case_theorem, (2,))
        words = f"{definition.title}{at_words(at)}"
        value = definition.measure(item.divergence.worst_case(parameter), inner)
        yield value.upper, item, (*capped, worst, Step(f"{words} of that loss", definition.measure_theorem, (3,)))
        for conversion in self.registry.conversions.values():
            route = (conversion.source, conversion.target, set(definition.readings[0].at))
            if route == (item.divergence.name, definition.name, set(at)):
                found = Step(f"{words} of that, by a published formula", conversion.theorem, (2,))
                yield conversion.convert(parameter, inner).upper, item, (*capped, found)


@define
class PlanBook(Book):
    """How often each release is made. The product of all their pairs is read as a whole."""

    terms: Terms
    registry: Registry
    _accounts: dict[str, Account] = field(factory=dict)

    def charge(self, priced: Priced, total: Charge) -> dict[str, Fraction]:
        if priced.bridge.group > 1:
            raise LedgerError(
                "a fixed plan composes losses, and what is promised between other neighbours is only known as a parameter; "
                "describe the releases under the ledger's own neighbours, or use a fully adaptive ledger"
            )
        whole: dict[str, Fraction] = {}
        for release in priced.batch.releases:
            content = release_data(evolve(release, name="release", times=1))
            item = canonical(content)
            whole[item] = whole.get(item, Fraction(0)) + release.times
        return whole

    def account(self, total: Charge) -> Account:
        """The account of all releases in a sum of charges."""
        used = {item: amount for item, amount in total.items() if amount}
        content = canonical({item: str(amount) for item, amount in used.items()})
        whole: Account = _kept(self._accounts, content, lambda: self._composed(used), 64)
        return whole

    def _composed(self, used: Charge) -> Account:
        from json import loads

        releases = [
            {**loads(item), "name": f"release {index}", "times": str(amount)}
            for index, (item, amount) in enumerate(sorted(used.items()), start=1)
        ]
        data = {**self.terms.plan.as_data(), "release": releases}
        return account(read_plan(data, registry=self.registry, may_be_empty=True), registry=self.registry)

    def keeps(self, total: Charge) -> bool:
        whole = self.account(total)
        return all(whole.check(budget)[1] is Verdict.IMPLIED for budget in self.terms.plan.specification.budgets)

    def lines(self, spent: Charge, reserved: Charge, asked: Charge | None) -> tuple[Line, ...]:
        sums = [spent, added(spent, reserved)]
        if asked is not None:
            sums.append(added(sums[1], asked))
        accounts = [self.account(total) for total in sums]
        found = []
        for budget in self.terms.plan.specification.budgets:
            fits = asked is not None and accounts[-1].check(budget)[1] is Verdict.IMPLIED
            found.append(_line(budget, [_bounded(whole, budget) for whole in accounts], fits))
        return tuple(found)

    def measure(self, spent: Charge, divergence: str, at: Mapping[str, ExactLike]) -> Guarantee:
        guarantee = self.account(spent).measure(divergence, at)
        vouched = Step("the releases and their parameters were fixed in advance", VOUCHED)
        return evolve(guarantee, derivation=(vouched, *(_later(step) for step in guarantee.derivation)))


def gauge(index: int, place: int) -> str:
    """The name under which a filter's sum is kept: the filter, and which of its sums."""
    return f"{index}.{place}"


def _later(step: Step) -> Step:
    return evolve(step, uses=tuple(use + 1 for use in step.uses))


def _bounded(whole: Account, budget: Budget) -> Fraction | None:
    value = whole.check(budget)[0].value
    return bound(value) if value.upper < float("inf") else None


def _words(budget: Budget) -> dict[str, Fraction]:
    values = budget.divergence.values(budget.parameter)
    return {word: values[word] for word in budget.divergence.readings[0].at}


def _line(budget: Budget, values: list[Fraction | None], fits: bool, stop: Fraction | None = None) -> Line:
    primary = budget.divergence.readings[0]
    limit = budget.divergence.values(budget.parameter)[primary.value]
    return _steps(
        budget.divergence.name, primary.value, _words(budget), limit, values, fits, limit if stop is None else stop
    )


def _steps(
    divergence: str,
    name: str,
    at: Mapping[str, Fraction],
    limit: Fraction,
    values: list[Fraction | None],
    fits: bool,
    stop: Fraction,
) -> Line:
    """A line from the values of growing sums: what is spent, with what is reserved, and with what was asked."""
    spent, held = values[0], values[1]
    if spent is None or held is None:
        raise LedgerError(f"'{divergence}' has no finite bound on what was let out already; run 'accountant ledger verify'")
    # Two bounds that were computed apart may be in the wrong order by a rounding.
    held = max(spent, held)
    asked = None if len(values) < 3 or values[2] is None else max(Fraction(0), values[2] - held)
    return Line(divergence, name, at, limit, stop, spent, held - spent, asked, fits)


def _short(amount: Fraction, total: Fraction) -> Fraction:
    """A charge that keeps the running total short, rounded up where ratios with many denominators would make it long."""
    if (amount + total).denominator.bit_length() <= _LONGEST_TOTAL:
        return amount
    return Fraction(-((-amount.numerator * _FINE) // amount.denominator), _FINE)


def _kept(kept: dict[Any, Any], key: Any, find: Callable[[], Any], most: int = _MANY) -> Any:
    """What was found before, or now; a full cupboard is emptied."""
    if key not in kept:
        if len(kept) >= most:
            kept.clear()
        kept[key] = find()
    return kept[key]
