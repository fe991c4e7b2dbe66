"""Operations on finite mechanisms: composition, repetition, post-processing and mixture."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

from accountant.errors import InvalidValue
from accountant.finite.mechanism import FiniteMechanism, exact_law
from accountant.numbers.exact import ExactLike, exact, plain

Channel = Callable[[Any], Mapping[Any, ExactLike]]


def compose(*mechanisms: FiniteMechanism) -> FiniteMechanism:
    """All mechanisms run on the same dataset with independent coins; the output is the tuple of outputs.

    Definition: P((a, b, ...) | x) = P(a | x) P(b | x) ...
    """
    if not mechanisms:
        raise InvalidValue("nothing to compose: give at least one mechanism")
    for other in mechanisms[1:]:
        _require_same_datasets(mechanisms[0], other)
    return FiniteMechanism.tabulate(
        mechanisms[0].datasets,
        lambda dataset: {
            tuple(output for output, _ in outcome): math.prod((p for _, p in outcome), start=Fraction(1))
            for outcome in itertools.product(*(mechanism.law(dataset).items() for mechanism in mechanisms))
        },
    )


def repeat(mechanism: FiniteMechanism, count: int) -> FiniteMechanism:
    """One mechanism run `count` times with independent coins.

    Guarantee: equals `compose` of `count` copies; zero times releases nothing, the empty tuple.
    """
    if count < 0:
        raise InvalidValue(f"a mechanism cannot run {count} times")
    if count == 0:
        return FiniteMechanism.tabulate(mechanism.datasets, lambda dataset: {(): 1})
    return compose(*[mechanism] * count)


def compose_adaptively(first: FiniteMechanism, second: Callable[[Any], FiniteMechanism]) -> FiniteMechanism:
    """The first mechanism, then the one that `second` chooses from its output; both outputs are shown.

    Definition: P((a, b) | x) = P(a | x) P_second(a)(b | x).
    """
    chosen = {output: second(output) for output in first.outputs}
    for other in chosen.values():
        _require_same_datasets(first, other)
    return FiniteMechanism.tabulate(
        first.datasets,
        lambda dataset: {
            (output, later): p * r
            for output, p in first.law(dataset).items()
            for later, r in chosen[output].law(dataset).items()
        },
    )


def post_process(mechanism: FiniteMechanism, channel: Channel) -> FiniteMechanism:
    """The output sent through a channel: a law on new outputs for each output, which sees nothing else.

    Definition: P(b | x) = sum over a of P(a | x) channel(a)(b). Rows of the channel must sum to exactly 1.
    """
    rows = {output: exact_law(channel(output), f"output {output!r}") for output in mechanism.outputs}

    def law(dataset: Hashable) -> Mapping[Hashable, Fraction]:
        total: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for output, p in mechanism.law(dataset).items():
            for later, r in rows[output].items():
                total[later] += p * r
        return total

    return FiniteMechanism.tabulate(mechanism.datasets, law)


def relabel(mechanism: FiniteMechanism, function: Callable[[Any], Hashable]) -> FiniteMechanism:
    """The output sent through a function: post-processing without coins."""
    return post_process(mechanism, lambda output: {function(output): 1})


def mix(left: FiniteMechanism, right: FiniteMechanism, weight: ExactLike) -> FiniteMechanism:
    """The left mechanism with probability `weight`, else the right one; which of them ran is not shown.

    Definition: P(a | x) = weight P_left(a | x) + (1 - weight) P_right(a | x).
    """
    share = exact(weight)
    if not 0 <= share <= 1:
        raise InvalidValue(f"the weight of a mixture must lie between 0 and 1, got {plain(share)}")
    _require_same_datasets(left, right)

    def law(dataset: Hashable) -> Mapping[Hashable, Fraction]:
        total: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for part, mechanism in ((share, left), (1 - share, right)):
            for output, p in mechanism.law(dataset).items():
                total[output] += part * p
        return total

    return FiniteMechanism.tabulate(left.datasets, law)


def _require_same_datasets(left: FiniteMechanism, right: FiniteMechanism) -> None:
    difference = set(left.datasets) ^ set(right.datasets)
    if difference:
        named = ", ".join(sorted(map(repr, difference)))
        raise InvalidValue(f"mechanisms must be defined on the same datasets; only one of them has {named}")
