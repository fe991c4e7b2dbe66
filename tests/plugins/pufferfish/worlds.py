"""Small worlds: bits, randomised response, random laws and mechanisms, and the worst Bayes factor from joint laws."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from accountant.finite import FiniteMechanism, sequences
from accountant_pufferfish import Law, PublicVariable, Scenarios, SecretPair, Setting, bounded_pairs

TOTAL = PublicVariable("total", sum)
RATE = Fraction(3, 5)


def bits(length: int) -> tuple[tuple[int, ...], ...]:
    return sequences((0, 1), length)


def answer(truth: int, rate: Fraction) -> dict[int, Fraction]:
    """A bit that is told truly with a probability."""
    return {truth: rate, 1 - truth: 1 - rate}


def responses(length: int, rate: Fraction = RATE) -> FiniteMechanism:
    """Randomised response to every bit of a dataset."""
    return FiniteMechanism.tabulate(bits(length), lambda dataset: Law.records([answer(bit, rate) for bit in dataset]))


def reported(length: int, statistic: Callable[[Any], int], rate: Fraction) -> FiniteMechanism:
    """Randomised response to one bit that is computed from the dataset."""
    return FiniteMechanism.tabulate(bits(length), lambda dataset: answer(statistic(dataset), rate))


def exactly(datasets: Sequence[Any], statistic: Callable[[Any], Any]) -> FiniteMechanism:
    """A statistic published as it is."""
    return FiniteMechanism.tabulate(datasets, lambda dataset: {statistic(dataset): 1})


def fair_bits(length: int, public: PublicVariable | None = None) -> Setting:
    """All bits fair and independent, every bit a secret."""
    scenarios = Scenarios.listed({"fair": Law.uniform(bits(length))})
    pairs = bounded_pairs(length, (0, 1))
    return Setting(scenarios, pairs) if public is None else Setting(scenarios, pairs, public)


def worst_by_joint(
    law: Mapping[Any, Fraction], pair: SecretPair, mechanism: FiniteMechanism, likelihood: Callable[[Any], Fraction]
) -> Fraction | float | None:
    """The worst Bayes factor from the joint law of data, public value and output; None for a pair that is not live."""
    joint: defaultdict[Any, Fraction] = defaultdict(Fraction)
    for dataset, mass in law.items():
        for output, chance in mechanism.law(dataset).items():
            joint[dataset, output] += mass * likelihood(dataset) * chance
    first = {key: mass for key, mass in joint.items() if pair.first(key[0]) and mass}
    second = {key: mass for key, mass in joint.items() if pair.second(key[0]) and mass}
    if not first or not second:
        return None
    prior = sum(first.values()) / sum(second.values())
    worst: Fraction | float = Fraction(1)
    for output in {key[1] for key in (*first, *second)}:
        yes = sum((mass for key, mass in first.items() if key[1] == output), Fraction(0))
        no = sum((mass for key, mass in second.items() if key[1] == output), Fraction(0))
        if not yes or not no:
            return math.inf
        change = yes / no / prior
        worst = max(worst, change, 1 / change)
    return worst


weights = st.integers(0, 4)


@st.composite
def laws(draw: st.DrawFn, datasets: Sequence[Any]) -> Law:
    """A law with small weights, some of them zero."""
    chosen = draw(st.lists(weights, min_size=len(datasets), max_size=len(datasets)).filter(any))
    return Law.weighted(dict(zip(datasets, chosen, strict=True)))


@st.composite
def mechanisms(draw: st.DrawFn, datasets: Sequence[Any], least: int = 0) -> FiniteMechanism:
    """A mechanism with two or three outputs; with `least` above 0 every output can always happen."""
    outputs = draw(st.integers(2, 3))
    row = st.lists(st.integers(least, 4), min_size=outputs, max_size=outputs).filter(any)
    return FiniteMechanism({dataset: Law.weighted(dict(enumerate(draw(row)))) for dataset in datasets})


@st.composite
def settings_of_bits(draw: st.DrawFn, length: int = 2, public: PublicVariable | None = None) -> Setting:
    """One to three random laws of bits, every bit a secret, with or without a public total."""
    found = {f"law {place}": draw(laws(bits(length))) for place in range(draw(st.integers(1, 3)))}
    pairs = bounded_pairs(length, (0, 1))
    shown = draw(st.sampled_from([None, TOTAL])) if public is None else public
    return Setting(Scenarios.listed(found), pairs) if shown is None else Setting(Scenarios.listed(found), pairs, shown)
