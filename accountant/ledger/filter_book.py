"""The book of a fully adaptive ledger: sums under the caps of its filters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from attrs import define, evolve, field

from accountant.errors import AdaptivityError
from accountant.ledger.batch import Priced
from accountant.ledger.book import Book, budget_line, line_of, remembered
from accountant.ledger.entries import Charge, added
from accountant.ledger.filters import Filter
from accountant.ledger.lines import Line
from accountant.ledger.terms import Terms
from accountant.ledger.theorems import FILTER, LEAKY_FILTER
from accountant.numbers.exact import ExactLike, exact
from accountant.numbers.interval import Interval, float_above, upper_fraction
from accountant.plan.writer import release_data
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.promise.guarantee import Guarantee, Step
from accountant.registry.registry import Registry
from accountant.release.release import Scope
from accountant.values.source import canonical
from accountant.values.writing import at_words

_LONGEST_TOTAL = 8192
_FINE = 2**256
_MANY = 4096


@define
class FilterBook(Book):
    """Sums of weights, one for each gauge of each filter and each scope of releases."""

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
        stated = priced.batch.specification_data
        for entry in priced.account.entries:
            scope = entry.release.scope
            content = canonical([{**release_data(entry.release), "name": ""}, stated])

            def find(item: Any = entry) -> tuple[tuple[Fraction, ...] | None, ...]:
                return tuple(f.charges(priced.account, item, priced.bridge.group) for f in self.terms.filters)

            charges = remembered(self._priced, content, find, _MANY)
            for index, parts in enumerate(charges):
                if parts is None:
                    return None
                for place, part in enumerate(parts):
                    item = gauge(index, place) + ("" if scope is None else " " + canonical([scope.partition, scope.part]))
                    whole[item] = whole.get(item, Fraction(0)) + part
        return {item: _short(amount, total.get(item, Fraction(0))) for item, amount in whole.items()}

    def keeps(self, total: Charge) -> bool:
        return all(self.seen(total, item) <= cap for item, cap in self.caps.items())

    def seen(self, total: Charge, name: str) -> Fraction:
        """The most that releases which see any one unit add up to in a gauge.

        Those without a scope see every unit. Of the parts of a partition a unit is in one, or in two where neighbours may
        differ in the attribute that makes the parts. Which ones is up to the two datasets, and not to any output.
        """
        parts: dict[str | None, list[Fraction]] = {}
        for item, amount in total.items():
            own, _, scope = item.partition(" ")
            if own == name:
                parts.setdefault(json.loads(scope)[0] if scope else None, []).append(amount)
        neighbours = self.terms.plan.specification.neighbours
        found = Fraction(0)
        for partition, amounts in parts.items():
            moves = partition is not None and Scope(partition, partition).may_change(neighbours)
            found += sum(sorted(amounts)[-neighbours.group * (2 if moves else 1) :], Fraction(0))
        return found

    def lines(self, spent: Charge, reserved: Charge, asked: Charge | None) -> tuple[Line, ...]:
        sums = [spent, added(spent, reserved)]
        if asked is not None:
            sums.append(added(sums[1], asked))
        found = []
        for index, item in enumerate(self.terms.filters):
            weights = [self.seen(total, gauge(index, 0)) for total in sums]
            values = [self._value(index, weight) for weight in weights]
            fits = asked is not None and weights[-1] <= item.caps[0]
            found.append(budget_line(item.budget, values, fits, self._value(index, item.caps[0])))
            if item.slack:
                deltas: list[Fraction | None] = [self.seen(total, gauge(index, 1)) for total in sums]
                fits = asked is not None and deltas[-1] is not None and deltas[-1] <= item.slack
                found.append(line_of(item.budget.divergence.name, "slack", {}, item.slack, deltas, fits, item.slack))
        return tuple(found)

    def _value(self, index: int, weight: Fraction) -> Fraction | None:
        """The value in the budget's own definition that a cap of this weight would promise, rounded up."""
        item = self.terms.filters[index]
        if item.own and item.target == item.budget and item.at == item.budget.at:
            return upper_fraction(item.rule.value(weight))

        def read() -> Fraction | None:
            value = item.implied(upper_fraction(item.rule.value(weight)), self.registry)[0].value
            return upper_fraction(value) if value.upper < float("inf") else None

        value: Fraction | None = remembered(self._read, (index, weight), read, _MANY)
        return value

    def measure(self, spent: Charge, divergence: str, at: Mapping[str, ExactLike]) -> Guarantee:
        definition: Divergence = self.registry.find(DIVERGENCES, divergence)
        words = {name: exact(value) for name, value in at.items()}
        name = definition.reading(words).value
        ways = (way for item in self.terms.filters for way in self._ways(item, definition, words))
        value, item, steps = min(ways, key=lambda way: way[0], default=(float("inf"), None, ()))
        if item is None or value == float("inf"):
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

        A slack is a chance that the cap fails; of that only the leak of the budget's own definition can speak.
        """
        inner = _inner(item, definition, at)
        if inner is None:
            return
        parameter, unit = item.parameter(item.cap).parameter, item.divergence.primary.value
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
        for conversion in self.registry[CONVERSIONS].values():
            route = (conversion.source, conversion.target, set(definition.primary.at))
            if route == (item.divergence.name, definition.name, set(at)):
                found = Step(f"{words} of that, by a published formula", conversion.theorem, (2,))
                yield conversion.convert(parameter, inner).upper, item, (*capped, found)


def _inner(item: Filter, definition: Divergence, at: Mapping[str, Fraction]) -> Mapping[str, Fraction] | None:
    """Where what holds outside the slack of a filter is read, so that all holds at `at`; None where nothing follows."""
    if not item.slack:
        return at
    word = definition.leak
    if definition != item.budget.divergence or word is None or at.get(word, item.slack) <= item.slack:
        return None
    return {**at, word: at[word] - item.slack}


def gauge(index: int, place: int) -> str:
    """The name under which a filter's sum is kept: the filter, and which of its sums."""
    return f"{index}.{place}"


def _short(amount: Fraction, total: Fraction) -> Fraction:
    """A charge that keeps the running total short, rounded up where ratios with many denominators would make it long."""
    if (amount + total).denominator.bit_length() <= _LONGEST_TOTAL:
        return amount
    return Fraction(-((-amount.numerator * _FINE) // amount.denominator), _FINE)
