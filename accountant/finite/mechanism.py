"""FiniteMechanism: a law on finitely many outputs for each of finitely many datasets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from accountant.errors import AccountantError, InvalidValue
from accountant.numbers.exact import ExactLike, exact, plain

if TYPE_CHECKING:
    from accountant.finite.pair import Pair

Law = Mapping[Hashable, Fraction]


def exact_law(law: Mapping[Any, ExactLike], owner: str) -> Law:
    """A law on outputs in exact numbers; outputs that never happen are dropped.

    Guarantee: the probabilities are positive and sum to exactly 1. `owner` says in errors whose law it is.
    """
    probabilities: dict[Hashable, Fraction] = {}
    for output, value in law.items():
        try:
            number = exact(value)
        except AccountantError as error:
            raise InvalidValue(f"the probability of {output!r} for {owner}: {error}") from None
        if number < 0:
            raise InvalidValue(f"the probability of {output!r} for {owner} is negative: {plain(number)}")
        if number:
            probabilities[output] = number
    total = sum(probabilities.values(), Fraction(0))
    if total != 1:
        raise InvalidValue(f"the probabilities for {owner} must sum to 1, got {plain(total)}")
    return MappingProxyType(probabilities)


def _laws(laws: Mapping[Any, Mapping[Any, ExactLike]]) -> Mapping[Hashable, Law]:
    if not laws:
        raise InvalidValue("a mechanism needs a law for at least one dataset")
    return MappingProxyType({dataset: exact_law(law, f"dataset {dataset!r}") for dataset, law in laws.items()})


@frozen
class FiniteMechanism:
    """A mechanism as a table {dataset: {output: probability}}.

    Guarantee: every row sums to exactly 1. Two mechanisms are equal when all their laws are, whatever their
    order.
    """

    laws: Mapping[Hashable, Law] = field(converter=_laws, hash=False)

    @classmethod
    def tabulate(cls, datasets: Iterable[Hashable], law: Callable[[Any], Mapping[Any, ExactLike]]) -> FiniteMechanism:
        """The mechanism whose law on each dataset is given by a function."""
        return cls({dataset: law(dataset) for dataset in datasets})

    @property
    def datasets(self) -> tuple[Hashable, ...]:
        """The datasets that have a law."""
        return tuple(self.laws)

    @property
    def outputs(self) -> tuple[Hashable, ...]:
        """The outputs that can happen, in order of first appearance."""
        return tuple(dict.fromkeys(output for law in self.laws.values() for output in law))

    def law(self, dataset: Hashable) -> Law:
        """The law of the output for one dataset."""
        if dataset not in self.laws:
            raise InvalidValue(f"the mechanism has no law for dataset {dataset!r}")
        return self.laws[dataset]

    def pair(self, left: Hashable, right: Hashable) -> Pair:
        """The laws of two datasets side by side."""
        from accountant.finite.pair import Pair

        first, second = self.law(left), self.law(right)
        none = Fraction(0)
        return Pair((first.get(output, none), second.get(output, none)) for output in {**first, **second})
