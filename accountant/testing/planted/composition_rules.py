"""What may go wrong in a composition rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from accountant.numbers.interval import Interval
from accountant.promise.divergence import COMPOSITION_RULES, CompositionRule, Summable
from accountant.testing.planting import TENTH, changed

FAMILY = COMPOSITION_RULES
Parts = Sequence[tuple[Interval, int]]


def count_forgotten(rule: CompositionRule) -> CompositionRule:
    """What is spent several times is counted once."""
    return _composing(rule, lambda parts: rule.compose([(value, 1) for value, _ in parts]))


def tiny_values_forgotten(rule: CompositionRule) -> CompositionRule:
    """What is less than a millionth is left out."""
    return _composing(rule, lambda parts: rule.compose([part for part in parts if part[0].upper >= 1e-6]))


def last_release_forgotten(rule: CompositionRule) -> CompositionRule:
    """Of several releases the last is left out."""
    return _composing(rule, lambda parts: rule.compose(parts[:-1] if len(parts) > 1 else parts))


def all_but_five_releases_forgotten(rule: CompositionRule) -> CompositionRule:
    """Of many different releases the first five are looked at."""
    return _composing(rule, lambda parts: rule.compose(parts[:5]))


def counts_of_many_forgotten(rule: CompositionRule) -> CompositionRule:
    """Of more than three different releases each is counted once."""
    return _composing(rule, lambda parts: rule.compose(parts if len(parts) < 4 else [(value, 1) for value, _ in parts]))


def merged_though_something_is_lost(rule: CompositionRule) -> CompositionRule | None:
    """Claims are said to be added up without loss before anything else is done."""
    return None if rule.merges or not isinstance(rule, Summable) else changed(rule, merges=True)


def last_release_counted_half(rule: CompositionRule) -> CompositionRule:
    """The last of several different releases costs less than the others do."""

    def compose(parts: Parts) -> Interval:
        if len({value for value, _ in parts}) < 2:
            return rule.compose(parts)
        (value, count), before = parts[-1], list(parts[:-1])
        return rule.compose([*before, (_times(value, Fraction(1, 2)), count)])

    return _composing(rule, compose)


def a_tenth_too_little(rule: CompositionRule) -> CompositionRule:
    """All together costs a tenth less than it does."""
    return _composing(rule, lambda parts: _times(rule.compose(parts), TENTH))


def root_of_many_releases(rule: CompositionRule) -> CompositionRule:
    """Beyond fifty releases they are thought to cancel."""

    def compose(parts: Parts) -> Interval:
        total, count = rule.compose(parts), sum(times for _, times in parts)
        return total if count <= 50 else _times(total, Fraction(1 / count**0.5))

    return _composing(rule, compose)


def releases_beyond_a_hundred_forgotten(rule: CompositionRule) -> CompositionRule:
    """Beyond a hundred times a release is counted no more."""
    return _composing(rule, lambda parts: rule.compose([(value, min(count, 100)) for value, count in parts]))


def lower_ends_composed(rule: CompositionRule) -> CompositionRule:
    """What is known from two sides is counted as its lower end."""

    def compose(parts: Parts) -> Interval:
        return rule.compose([(Interval(value.lower, value.lower), count) for value, count in parts])

    return _composing(rule, compose)


def largest_of_different_releases(rule: CompositionRule) -> CompositionRule:
    """Of different releases only the one that costs most is counted."""

    def compose(parts: Parts) -> Interval:
        most = max(parts, key=lambda part: part[0].upper)
        return rule.compose([part for part in parts if part[0] == most[0]])

    return _composing(rule, compose)


def lower_ends_of_upper_ends(rule: CompositionRule) -> CompositionRule:
    """What all lose at least is worked out from what each loses at most."""

    def compose(parts: Parts) -> Interval:
        found, most = rule.compose(parts), rule.compose([(_upper_end(value), count) for value, count in parts])
        return Interval(most.lower, max(found.upper, most.lower))

    return _composing(rule, compose)


def _upper_end(value: Interval) -> Interval:
    return Interval(value.upper, value.upper)


def weights_squared(rule: CompositionRule) -> CompositionRule | None:
    """The weights by which a running total is kept are squares."""
    if not isinstance(rule, Summable):
        return None
    return changed(rule, weight=lambda self, value: rule.weight(value) ** 2)


def definition_misspelt(rule: CompositionRule) -> CompositionRule:
    """It speaks of a definition that nobody registers."""
    return changed(rule, divergence=rule.divergence[::-1])


def word_of_a_place_forgotten(rule: CompositionRule) -> CompositionRule:
    """It adds up at places that its definition has no words for."""
    return changed(rule, places=({"nowhere": Fraction(1)},))


def scope_exceeded(rule: CompositionRule) -> CompositionRule | None:
    """It is said to hold however releases and their budgets are chosen, which its theorem does not say."""
    return None if rule.theorem.adaptivity == "fully-adaptive" else changed(rule, adaptivity="fully-adaptive")


def _composing(rule: CompositionRule, compose: Callable[[Parts], Interval]) -> CompositionRule:
    return changed(rule, compose=lambda self, parts: compose(parts))


def _times(found: Interval, share: Fraction) -> Interval:
    return Interval(float(share) * found.lower, float(share) * found.upper)
