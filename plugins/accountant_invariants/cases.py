"""Conformance cases: small strata, with the exact chances of every output by going through all selections and orders."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, Shift
from accountant_invariants.swapping import Swapping

_PARTS = ["block"], ["race"], ["age"]


def cases() -> Iterable[ConformanceCase]:
    """Each version, between datasets that differ in two records."""
    two = Shift.along([1, 1])
    third, quarter, most = Fraction(1, 3), Fraction(1, 4), Fraction(3, 5)
    yield MechanismCase(
        "swapping, permute three",
        Swapping(third, [3, 2, 1], *_PARTS, "permute"),
        two,
        (_pair("abc", third, False), _pair("aab", third, False), _pair("ab", third, False)),
    )
    yield MechanismCase(
        "swapping, permute values that come again",
        Swapping(third, [4, 3, 2], *_PARTS, "permute", rarest=[[2, 2], [1, 2], [2]]),
        two,
        (_pair("aabb", third, False), _pair("aab", third, False)),
    )
    yield MechanismCase(
        "swapping, derange two", Swapping(quarter, [2], *_PARTS, "derange"), two, (_pair("ab", quarter, True),)
    )
    yield MechanismCase(
        "swapping, derange three and keep one",
        Swapping(most, [3], *_PARTS, "derange", "keep"),
        two,
        (_pair("abc", most, True, keep=True),),
    )


def _pair(values: str, rate: Fraction, derange: bool, keep: bool = False) -> FiniteLoss:
    """The outputs before and after the first value and the last are exchanged."""
    before = _law(values, rate, derange, keep)
    after = _law(values[-1] + values[1:-1] + values[0], rate, derange, keep)
    none = Fraction(0)
    return FiniteLoss((before.get(output, none), after.get(output, none)) for output in {**before, **after})


def _law(values: str, rate: Fraction, derange: bool, keep: bool) -> dict[tuple[str, ...], Fraction]:
    chances: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for selected in itertools.product((False, True), repeat=len(values)):
        places = [place for place, chosen in enumerate(selected) if chosen]
        orders = [order for order in itertools.permutations(places) if not derange or _moves_all(order, places)]
        if keep and len(places) == 1:
            orders = [tuple(places)]
        for order in orders:
            output = list(values)
            for place, source in zip(places, order, strict=True):
                output[place] = values[source]
            chance = rate ** len(places) * (1 - rate) ** (len(values) - len(places))
            chances[tuple(output)] += chance / len(orders)
    # Where nobody can be deranged the selection is drawn again.
    total = sum(chances.values())
    return {output: chance / total for output, chance in chances.items()}


def _moves_all(order: Sequence[int], places: Sequence[int]) -> bool:
    return all(source != place for source, place in zip(order, places, strict=True))
