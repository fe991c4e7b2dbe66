"""Routes: all valid ways from an account to one value, the tightest of them, and its derivation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from accountant.accounting.composed import Composed, Place
from accountant.accounting.theorems import ENCLOSED, PRODUCT_PAIR, TIGHTEST
from accountant.accounting.width import remark_on
from accountant.errors import GridTooLarge
from accountant.loss import PrivacyLoss, RivalledLoss, rivalled, sides
from accountant.numbers.interval import Interval, upper_fraction
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, CompositionRule, Divergence
from accountant.promise.guarantee import Step
from accountant.values.writing import at_words


class Routes:
    """All valid ways to one value, each with its derivation."""

    def __init__(self, whole: Composed, definition: Divergence, at: Place) -> None:
        self.composed = whole
        self.definition = definition
        self.at = at
        self.asked: Fraction | None = None
        self.remark: str | None = None
        self.steps: list[Step] = list(whole.first_steps.steps)
        self.ends = whole.first_steps.ends

    def _add(self, *args: Any) -> int:
        self.steps.append(Step(*args))
        return len(self.steps)

    def tightest(self) -> tuple[Interval, str, tuple[Step, ...]]:
        """The tightest value, the name of the route that gave its upper end, and the derivation."""
        routes = [self._product_pair(), *self._claimed()]
        if not self.at or not self._settled(routes[0][0]):
            routes += self._sums(needed=routes[0][0] is None)
        found = [(value, name, step) for value, name, step in routes if value is not None]
        lower = max((value.lower for value, name, _ in found if name == "product pair"), default=0.0)
        exact_sums = [item for item in found if item[0].exact is not None and item[0].lower <= lower]
        value, name, step = min(exact_sums or found, key=lambda item: item[0].upper)
        if value.exact is None:
            value = Interval(min(lower, value.upper), value.upper)
        used = sorted(
            {
                step,
                *(number for other, kind, number in found if kind == "product pair" and other.lower == lower),
            }
        )
        self.remark = remark_on(self.composed, value, name, self.asked)
        unit = self.definition.reading(self.at).value
        words = f"{unit} of all releases together" + at_words(self.at)
        if len(routes) == 1:
            return value, name, tuple(self.steps)
        self._add(
            f"{words}: the upper end by the {name}, the lower end by the product pair",
            TIGHTEST,
            tuple(used),
            value,
        )
        return value, name, self._pruned()

    def least_upper(self) -> float:
        """The upper end alone, by the same routes: what is lost at least is not read.

        Guarantee: it holds, and is no larger than that of the tightest value where a definition's upper ends are those of
        the loss that dominates, as they are unless it knows a loss from another side too.
        """
        loss = self.composed.loss
        above = sides(loss)[0]
        if above is loss or not self.at:
            return self.tightest()[0].upper
        try:
            found = [self.composed.readings.measure(self.definition, above, self.at).upper]
        except GridTooLarge:
            return self.tightest()[0].upper
        found += [value.upper for value, _, _ in self._claimed()]
        rules = self.composed.registry[COMPOSITION_RULES].values()
        return min(found + [self._upper_sum(rule) for rule in rules if self._applies(rule, False)])

    def greatest_lower(self) -> float:
        """The lower end alone, of what is known to be lost at least: what bounds it from above is not read.

        Guarantee: it holds, and is no larger than that of the tightest value. It is the same for what tests tell.
        """
        loss = self.composed.loss
        below = sides(loss)[1]
        if below is loss or not self.at or rivalled(loss) is not None:
            return self.tightest()[0].lower
        try:
            return self.composed.readings.measure(self.definition, below, self.at).lower
        except GridTooLarge:
            return 0.0

    def _upper_sum(self, rule: CompositionRule) -> float:
        """The upper end of what parameters that add up permit."""
        definition = self.composed.registry[DIVERGENCES][rule.divergence]
        if definition == self.definition:
            return self._sum(rule)[0].upper
        worst = self.composed.worst_sum(rule, self._places(rule, definition))
        return float("inf") if worst is None else self.definition.measure(worst, self.at).upper

    def _claimed(self) -> Iterator[tuple[Interval, str, int]]:
        """What the only release says of itself; the worst case of a parameter that is no curve may lose more than that."""
        if len(self.composed.distinct) == 1 and self.composed.distinct[0].release.times == 1:
            claim = self.composed.distinct[0].claim
            stated = claim.stated(self.at) if claim is not None and claim.divergence == self.definition else None
            if claim is not None and stated is not None:
                words = f"{self.definition.reading(self.at).value} as claimed{at_words(self.at)}"
                yield Interval(0.0, stated.upper), "claim", self._add(words, claim.theorem, tuple(self.ends), stated)

    def _settled(self, value: Interval | None) -> bool:
        """Whether the product pair leaves nothing to gain: no valid upper end lies below its lower end."""
        if value is None:
            return False
        if value.lower == value.upper:
            return True
        return value.upper < float("inf") and Fraction(value.width) <= self.composed.precision * Fraction(value.upper)

    def _product_pair(self) -> tuple[Interval | None, str, int]:
        loss = self.composed.loss
        step = self._add("all releases together have the product of these losses", PRODUCT_PAIR, tuple(self.ends))
        try:
            value = self.composed.readings.measure(self.definition, loss, self.at)
        except GridTooLarge:
            return None, "product pair", step
        # Suprema and moments of a product are sums; every other reading of a product comes from a grid.
        if loss.precision is not None and self.at.keys() - {"order"}:
            step = self._add("the product is enclosed from both sides", ENCLOSED, (step,))
            self.asked = self.composed.precision
        statement = f"{self.definition.title} of that loss" + at_words(self.at)
        return value, "product pair", self._add(statement, self.definition.measure_theorem, (step,), value)

    def _sums(self, needed: bool) -> list[tuple[Interval, str, int]]:
        rules = self.composed.registry[COMPOSITION_RULES].values()
        return [self._sum(rule) for rule in rules if self._applies(rule, needed)]

    def _applies(self, rule: CompositionRule, needed: bool) -> bool:
        """Whether parameters that add up may say more than the product of the losses: where they are asked or claimed."""
        definition = self.composed.registry[DIVERGENCES].get(rule.divergence)
        if definition is None:
            return False
        claims = (entry.claim for entry in self.composed.distinct)
        claimed = any(claim is not None and claim.divergence == definition for claim in claims)
        return definition == self.definition or claimed or (needed and not definition.primary.at)

    def _places(self, rule: CompositionRule, definition: Divergence) -> list[Place]:
        words = definition.primary.at
        if definition == self.definition and set(words) == set(self.at):
            return [self.at]
        every = [*self.composed.places(definition), *rule.places]
        return list({tuple(sorted(place.items())): place for place in every}.values())

    def _sum(self, rule: CompositionRule) -> tuple[Interval, str, int]:
        definition = self.composed.registry[DIVERGENCES][rule.divergence]
        unit = definition.primary.value
        entries = self.composed.distinct
        costs = [
            (place, [(self.composed.cost(entry, definition, place), entry.release.times) for entry in entries])
            for place in self._places(rule, definition)
        ]
        sums = [(place, rule.compose(parts)) for place, parts in costs]
        finite = [index for index, (_, total) in enumerate(sums) if total.upper < float("inf")] or [0]
        ends = [
            self._add(
                f"{unit} of '{entry.release.name}', each time" + at_words(place), definition.measure_theorem, (end,), value
            )
            for place, parts in (costs[index] for index in finite)
            for entry, end, (value, _) in zip(entries, self.ends, parts, strict=True)
        ]
        sums = [sums[index] for index in finite]
        total = sums[0][1]
        name = rule.title or f"sum of {unit}"
        step = self._add(f"{unit} of all releases together, by the {name}", rule.theorem, tuple(ends), total)
        if definition == self.definition and set(definition.primary.at) == set(self.at):
            return total, name, step
        if total.upper == float("inf"):
            return Interval(0.0, total.upper), name, step
        worst = self._add(f"the worst loss with that {unit}", definition.worst_case_theorem, (step,))
        value = Interval(0.0, self.definition.measure(_for_upper_ends(self.composed.converted(rule, sums)), self.at).upper)
        statement = f"{self.definition.title} of that loss" + at_words(self.at)
        found = value, name, self._add(statement, self.definition.measure_theorem, (worst,), value)
        return min([found, *self._published(rule, sums, name, step)], key=lambda item: item[0].upper)

    def _published(
        self, rule: CompositionRule, sums: Sequence[tuple[Place, Interval]], name: str, step: int
    ) -> Iterator[tuple[Interval, str, int]]:
        """What formulas from the literature make of a total: a search for the worst loss may stop just short of them."""
        registry = self.composed.registry
        source, words = registry[DIVERGENCES][rule.divergence], self.definition.primary.at
        for conversion in registry[CONVERSIONS].values():
            route = (conversion.source, conversion.target)
            if route != (rule.divergence, self.definition.name) or set(words) != set(self.at):
                continue
            for place, total in sums:
                parameter = source.parameter(**place, **{source.primary.value: upper_fraction(total)})
                value = Interval(0.0, conversion.convert(parameter, self.at).upper)
                statement = f"{self.definition.title} of that, by a published formula{at_words(self.at)}"
                yield value, name, self._add(statement, conversion.theorem, (step,), value)

    def _pruned(self) -> tuple[Step, ...]:
        """The last step and what it rests on, renumbered."""
        needed: set[int] = set()
        pending = [len(self.steps)]
        while pending:
            number = pending.pop()
            if number not in needed:
                needed.add(number)
                pending.extend(self.steps[number - 1].uses)
        order = {number: place for place, number in enumerate(sorted(needed), start=1)}
        return tuple(
            Step(step.statement, step.theorem, tuple(order[use] for use in step.uses), step.value)
            for number, step in enumerate(self.steps, start=1)
            if number in needed
        )


def _for_upper_ends(loss: PrivacyLoss) -> PrivacyLoss:
    return loss.for_upper_ends if isinstance(loss, RivalledLoss) else loss
