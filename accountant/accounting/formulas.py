"""FormulaValue: what formulas from the literature make of the same releases."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from accountant.accounting.composed import Composed, Place
from accountant.display.brief import Brief
from accountant.numbers.interval import Interval, upper_fraction
from accountant.progress import steps
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, CompositionRule, Divergence
from accountant.promise.theorem import Theorem
from accountant.values.writing import at_words


@frozen
class FormulaValue(Brief):
    """What a formula from the literature says of a value: which one, and of what it was asked.

    Guarantee: `value` contains what the formula gives, and its upper end holds for the releases.
    """

    conversion: str
    parameter: str
    value: Interval
    theorem: Theorem


def by_formulas(whole: Composed, definition: Divergence, at: Place) -> tuple[FormulaValue, ...]:
    """What formulas make of the parameters of all releases added up, at the words of a definition's first reading.

    A number computed elsewhere can be traced to the formula that gives it.
    """
    if set(definition.primary.at) != set(at):
        return ()
    found: dict[str, FormulaValue] = {}
    for rule in whole.registry[COMPOSITION_RULES].values():
        for item in _of_rule(whole, rule, definition, at):
            known = found.get(item.conversion)
            if known is None or item.value.upper < known.value.upper:
                found[item.conversion] = item
    return tuple(found[name] for name in sorted(found))


def _of_rule(whole: Composed, rule: CompositionRule, definition: Divergence, at: Place) -> Iterator[FormulaValue]:
    registry = whole.registry
    ways = [
        conversion
        for conversion in registry[CONVERSIONS].values()
        if (conversion.source, conversion.target) == (rule.divergence, definition.name)
    ]
    if not ways:
        return
    source = registry[DIVERGENCES][rule.divergence]
    for place in _claimed_places(whole, rule, source):
        total = rule.compose([(whole.cost(entry, source, place), entry.release.times) for entry in steps(whole.distinct)])
        if total.upper == float("inf"):
            continue
        parameter = source.parameter(**place, **{source.primary.value: upper_fraction(total)})
        stated = f"{source.name}: {source.primary.value} = {total}{at_words(place)}"
        for conversion in ways:
            yield FormulaValue(conversion.name, stated, conversion.convert(parameter, at), conversion.theorem)


def _claimed_places(whole: Composed, rule: CompositionRule, source: Divergence) -> list[Place]:
    """Where to add up: a definition of one number anywhere, a curve only where somebody claims points of it."""
    if not source.primary.at:
        return [{}]
    return whole.places(source)
