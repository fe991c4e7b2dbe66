"""Conformance cases: small strata, with the exact chances of every output by going through all selections and orders."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, MechanismOracle, Shift
from accountant_invariants.swapping import Swapping

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

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
        "swapping, derange values that come again",
        Swapping(third, [4, 3, 2], *_PARTS, "derange", rarest=[[2, 2], [1, 2], [2]]),
        two,
        (_pair("aabb", third, True), _pair("aab", third, True)),
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
    yield MechanismOracle(Swapping.kind, law=_swapped, moves=_exchanged, instances=_small)


def _swapped(mechanism: Swapping, values: str) -> dict[Hashable, Fraction]:
    """The values of a stratum after swapping, by going through all selections and orders."""
    law = _law(values, mechanism.rate, mechanism.version == "derange", mechanism.single == "keep")
    return dict(law.items())


def _exchanged(mechanism: Swapping) -> Iterable[tuple[str, str, Shift]]:
    """Two or more records of a stratum that have each other's values."""
    for size in sorted(set(mechanism.strata) - {1}):
        values = "abcd"[:size]
        for same in {values, "a" + values[1:-1].replace("b", "a") + values[-1]}:
            yield same, same[-1] + same[1:-1] + same[0], Shift.along([1, 1])
        if size > 2:
            yield values, values[1:] + values[0], Shift.along([1] * size)


def _small() -> SearchStrategy[Any]:
    """Strata that are small enough to go through."""
    from hypothesis import strategies as st

    rates = st.fractions(0, 1, max_denominator=12)
    strata = st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda sizes: max(sizes) > 1)
    permuted = st.builds(Swapping, rates, strata, *map(st.just, _PARTS), st.just("permute"))
    singles = st.sampled_from(["redraw", "keep"])
    return permuted | st.builds(Swapping, rates, strata, *map(st.just, _PARTS), st.just("derange"), singles)


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
