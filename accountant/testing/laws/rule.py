"""Laws of composition rules: how parameters add up without a look at the losses behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from accountant.errors import InvalidValue
from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.divergence import CompositionRule, Divergence, Summable
from accountant.testing.counterexamples import broken, delta, described, measured, meet, method, safe, show
from accountant.testing.places import few_epsilons, points
from accountant.values.writing import at_words


def rule_counts_repetition(rule: CompositionRule, definition: Divergence, pair: FiniteLoss, count: int) -> None:
    """A rule gives a parameter `count` times what it gives that parameter written out `count` times."""
    for words, value in _primary(definition, pair):
        counted, repeated = rule.compose([(value, count)]), rule.compose([(value, 1)] * count)
        if not meet(counted, repeated):
            broken(
                f"the rule '{rule.name}' must count repetition",
                value=f"{words} = {value}",
                **{f"{count}_times": counted, f"written_out_{count}_times": repeated},
                look_at=method(rule, "compose"),
            )


def rule_ignores_order(rule: CompositionRule, definition: Divergence, first: FiniteLoss, second: FiniteLoss) -> None:
    """A rule does not look at the order of its parts."""
    for (words, left), (_, right) in zip(_primary(definition, first), _primary(definition, second), strict=True):
        one, other = rule.compose([(left, 1), (right, 2)]), rule.compose([(right, 2), (left, 1)])
        if not meet(one, other):
            broken(
                f"the rule '{rule.name}' must not look at the order",
                value=words,
                parts=f"{left} once, {right} twice",
                in_one_order=one,
                in_the_other=other,
                look_at=method(rule, "compose"),
            )


def rule_never_undercuts(
    rule: CompositionRule, definition: Divergence, first: FiniteLoss, second: FiniteLoss, count: int
) -> None:
    """What a rule gives is never below the parameter of the exact product of finite pairs."""
    product = first
    for _ in range(count):
        product = product.times(second)
    parts = zip(_primary(definition, first), _primary(definition, second), _primary(definition, product), strict=True)
    for (words, left), (_, right), (_, exact_value) in parts:
        bound = rule.compose([(left, 1), (right, count)])
        if bound.upper < exact_value.lower:
            broken(
                f"the rule '{rule.name}' must not undercut the exact product",
                first=show(first),
                second=f"{show(second)}, {count} times",
                value=words,
                by_the_rule=bound,
                by_the_product=exact_value,
                look_at=method(rule, "compose"),
            )


def rule_never_undercuts_different(rule: CompositionRule, definition: Divergence, pairs: Sequence[FiniteLoss]) -> None:
    """What a rule gives for many different releases is not below the parameter of the exact product of them all.

    The last of them happens twice.
    """
    product = pairs[-1]
    for pair in pairs:
        product = product.times(pair)
    counts = [*[1] * (len(pairs) - 1), 2]
    values = [list(_primary(definition, pair)) for pair in pairs]
    for place, (words, exact_value) in enumerate(_primary(definition, product)):
        bound = rule.compose([(each[place][1], count) for each, count in zip(values, counts, strict=True)])
        if bound.upper < exact_value.lower:
            broken(
                f"the rule '{rule.name}' must not undercut the exact product of {len(pairs)} different releases",
                releases=f"{'; '.join(map(show, pairs))}, which happens twice",
                value=words,
                by_the_rule=bound,
                by_the_product=exact_value,
                look_at=method(rule, "compose"),
            )


def rule_never_undercuts_many(rule: CompositionRule, definition: Divergence, pair: FiniteLoss, count: int) -> None:
    """What a rule gives for many releases is never below the parameter of all of them together."""
    together = compose([(pair, count)])
    for (words, value), (_, whole) in zip(_primary(definition, pair), _primary(definition, together), strict=True):
        bound = rule.compose([(value, count)])
        if bound.upper < whole.lower:
            broken(
                f"the rule '{rule.name}' must not undercut many releases",
                release=f"{show(pair)}, {count:,} times",
                value=words,
                by_the_rule=bound,
                by_all_together=whole,
                look_at=method(rule, "compose"),
            )


def rule_keeps_what_is_tiny(rule: CompositionRule, definition: Divergence) -> None:
    """What a rule gives for one release of any value, however small, is not below that value."""
    for reading, at in points(definition):
        for size in _TINY if reading == definition.primary else ():
            if _parameter(definition, {**at, reading.value: size}) is None:
                continue
            bound = rule.compose([(Interval.of(size), 1)])
            if bound.upper < size:
                broken(
                    f"the rule '{rule.name}' must not lose what is small",
                    value=f"{reading.value}{at_words(at)} = {plain(size)}, once",
                    by_the_rule=bound,
                    look_at=method(rule, "compose"),
                )


_TINY = tuple(Fraction(1, 10**power) for power in (1, 3, 6, 7, 9, 12, 30))


def rule_reads_upper_ends(rule: CompositionRule, definition: Divergence, first: FiniteLoss, second: FiniteLoss) -> None:
    """What is known from two sides is composed from both: what may be as much as its upper end counts as that, and what
    may be as little as its lower end leaves a lower end that is no higher.
    """
    for (words, low), (_, high) in zip(_primary(definition, first), _primary(definition, second), strict=True):
        less, more = sorted((low, high), key=lambda value: value.upper)
        if more.upper == float("inf") or less.lower > more.upper:
            continue
        wide, told = Interval(less.lower, more.upper), Interval.of(Fraction(more.upper))
        bottom = Interval.of(Fraction(less.lower))
        for parts in ([(wide, 2)], [(wide, 1), (less, 1)]):
            bound = rule.compose(parts)
            least = rule.compose([(told if value is wide else value, count) for value, count in parts])
            if bound.upper < least.lower:
                broken(
                    f"the rule '{rule.name}' must count a value that is known from two sides as its upper end",
                    value=f"{words} between {wide.lower:.6g} and {wide.upper:.6g}",
                    by_the_rule=bound,
                    by_the_rule_for_the_upper_end=least,
                    look_at=method(rule, "compose"),
                )
            most = rule.compose([(bottom if value is wide else value, count) for value, count in parts])
            if bound.lower > most.upper:
                broken(
                    f"the rule '{rule.name}' must count a value that is known from two sides as no more than its lower end "
                    "where it says what all lose at least",
                    value=f"{words} between {wide.lower:.6g} and {wide.upper:.6g}",
                    by_the_rule=bound,
                    by_the_rule_for_the_lower_end=most,
                    look_at=method(rule, "compose"),
                )


def merging_loses_nothing(rule: CompositionRule, definition: Divergence, first: FiniteLoss, second: FiniteLoss) -> None:
    """Where a rule says that claims may be added up first, the worst case of the sum loses no more than they do together.

    Upper ends hold anyway; but lower ends are those of the sum then, and must be attained by releases that keep the parts.
    """
    if not rule.merges:
        return
    for reading, at in points(definition):
        values = [safe(measured(definition, pair, at)) for pair in (first, second)]
        if reading != definition.primary or None in values:
            continue
        sums = rule.compose([(Interval.of(value or 0), count) for value, count in zip(values, (1, 2), strict=True)])
        if math.isinf(sums.lower):
            continue
        # What a rule rounds up is not held against it.
        total = sums.exact if sums.exact is not None else Fraction(sums.lower)
        made = [_parameter(definition, {**at, reading.value: value}) for value in (*values, total)]
        if None in made:
            continue
        one, other, sum_of_both = map(definition.worst_case, made)
        together = compose([(one, 1), (other, 2)])
        for point in few_epsilons(together):
            said, attained = delta(sum_of_both, point), delta(together, point)
            if said.lower > attained.upper:
                broken(
                    f"the rule '{rule.name}' loses where claims are added up first, and must not say that it merges",
                    parts=f"{described(definition, made[0])} once, {described(definition, made[1])} twice",
                    sum=described(definition, made[2]),
                    at_epsilon=plain(point),
                    delta_of_all_together=attained,
                    delta_of_the_sum=said,
                    look_at="'merges', which is False for such rules",
                )


def _parameter(definition: Divergence, values: dict[str, Any]) -> Any | None:
    try:
        return definition.parameter(**values)
    except InvalidValue:
        return None


def weights_add_up(rule: CompositionRule, definition: Divergence, first: FiniteLoss, second: FiniteLoss) -> None:
    """The weights of a rule that sums them lead to what it composes: a running total may be added to."""
    if not isinstance(rule, Summable):
        return
    for (words, left), (_, right) in zip(_primary(definition, first), _primary(definition, second), strict=True):
        if left.exact is None or right.exact is None:
            ends = [Fraction(value.upper) for value in (left, right) if value.upper != float("inf")]
            if len(ends) < 2:
                continue
            left, right = map(Interval.of, ends)
        values = [value.exact for value in (left, right) if value.exact is not None]
        summed, composed = rule.value(sum(map(rule.weight, values), Fraction(0))), rule.compose([(left, 1), (right, 1)])
        if not meet(summed, composed):
            broken(
                f"the weights of the rule '{rule.name}' must lead to what it composes",
                values=f"{words} of {left} and {right}",
                by_the_sum_of_weights=summed,
                by_the_rule=composed,
                look_at="'weight' and 'value'",
            )


def _primary(definition: Divergence, loss: PrivacyLoss) -> Iterator[tuple[str, Interval]]:
    first = definition.primary
    for reading, at in points(definition):
        if reading == first:
            yield reading.value + at_words(at), measured(definition, loss, at)
