"""What public information leaves possible, written down for a few units that say 0 or 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from accountant.plugin import Oracle, PublicOracle
from accountant_pufferfish.facts.blocks import Blocks, Independent, Units
from accountant_pufferfish.facts.known_counts import KnownCounts
from accountant_pufferfish.facts.known_total import KnownTotal
from accountant_pufferfish.facts.listed import Listed, ListedLaw
from accountant_pufferfish.facts.shared_rate import SharedRate

Law = dict[tuple[Any, ...], Fraction]
Scenario = Mapping[str, Law]
_RATES = (Fraction(1, 3), Fraction(3, 4), Fraction(1, 5))


def oracles() -> Iterable[Oracle]:
    """Of every kind; the secret is what one unit says, or whether it is there."""
    yield PublicOracle(Independent.kind, lambda public: [_block(public, 1)], _independent)
    yield PublicOracle(Blocks.kind, lambda public: [_block(public, public.size)], _blocks)
    yield PublicOracle(KnownTotal.kind, _known_total, _totals)
    yield PublicOracle(KnownCounts.kind, _known_counts, _counts)
    yield PublicOracle(SharedRate.kind, _shared_rate, _shared)
    yield PublicOracle(Listed.kind, _listed, _lists)


def _block(public: Units, size: int) -> Scenario:
    """The first unit and all others of its block say the same; one further unit has its own mind."""

    def law(first: int | None) -> Law:
        block = (first, *([0 if first is None else first] * (size - 1)))
        return {(*block, further): chance for further, chance in enumerate((1 - _RATES[0], _RATES[0]))}

    values = {"the first says 0": law(0), "the first says 1": law(1)}
    if public.secrets == "values":
        return values
    return {"the first is there": law(1), "the first is not there": law(None)}


def _known_total(public: KnownTotal) -> Iterator[Scenario]:
    """Units with chances of their own, given how many said yes."""
    chances = {
        answers: math.prod(rate if yes else 1 - rate for yes, rate in zip(answers, _RATES, strict=False))
        for answers in itertools.product((0, 1), repeat=public.records)
        if sum(answers) == public.total
    }
    yield _by_unit({answers: Fraction(chance) for answers, chance in chances.items()})


def _known_counts(public: KnownCounts) -> Iterator[Scenario]:
    values = [value for value, count in enumerate(public.counts) for _ in range(count)]
    yield _by_unit(dict.fromkeys(itertools.permutations(values), Fraction(1)))


def _shared_rate(public: SharedRate) -> Iterator[Scenario]:
    laws = {}
    for first, rate in enumerate((public.rate_if_zero, public.rate_if_one)):
        law: Law = {}
        for others in itertools.product((0, 1), repeat=public.records - 1):
            chance = math.prod((rate if yes else 1 - rate for yes in others), start=Fraction(1))
            if chance:
                law[first, *others] = chance
        laws[f"the first says {first}"] = law
    yield laws


def _listed(public: Listed) -> Iterator[Scenario]:
    for law in public.laws:
        possible = {data: chance for data, chance in zip(public.datasets, law.given, strict=True) if chance}
        yield from (_by_unit(possible, unit) for unit in range(len(public.datasets[0])))


def _by_unit(law: Law, unit: int = 0) -> Scenario:
    """The law given what a unit says, for everything that it may say."""
    found: dict[str, Law] = {}
    for dataset, chance in law.items():
        found.setdefault(f"unit {unit + 1} says {dataset[unit]}", {})[dataset] = chance
    return {secret: {data: chance / sum(part.values()) for data, chance in part.items()} for secret, part in found.items()}


# Small instances ------------------------------------------------------------------------------------------------------


def _independent() -> Any:
    from hypothesis import strategies as st

    return st.builds(Independent, name=st.just("known"), secrets=st.sampled_from(("values", "presence")))


def _blocks() -> Any:
    from hypothesis import strategies as st

    secrets = st.sampled_from(("values", "presence"))
    return st.builds(Blocks, name=st.just("known"), secrets=secrets, size=st.integers(1, 4))


def _totals() -> Any:
    from hypothesis import strategies as st

    sizes = st.integers(1, 3).flatmap(lambda records: st.tuples(st.just(records), st.integers(0, records)))
    return sizes.map(lambda size: KnownTotal(name="known", records=size[0], total=size[1]))


def _counts() -> Any:
    from hypothesis import strategies as st

    counts = st.lists(st.integers(0, 2), min_size=1, max_size=3).filter(lambda found: 0 < sum(found) <= 4)
    return st.builds(KnownCounts, name=st.just("known"), counts=counts)


def _shared() -> Any:
    from hypothesis import strategies as st

    rate = st.sampled_from((Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)))
    return st.builds(SharedRate, name=st.just("known"), records=st.integers(1, 4), rate_if_zero=rate, rate_if_one=rate)


def _lists() -> Any:
    from hypothesis import strategies as st

    datasets = st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=2, max_size=5, unique=True)

    def listed(chosen: list[tuple[str, ...]]) -> Listed:
        alike = [Fraction(1, len(chosen))] * len(chosen)
        return Listed(name="known", value="any of these", datasets=chosen, laws=[ListedLaw("alike", alike)])

    return datasets.map(listed)
