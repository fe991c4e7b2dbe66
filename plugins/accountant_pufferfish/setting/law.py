"""Law: a probability law on finitely many outcomes, in exact numbers."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import ExactLike, exact
from accountant.finite import exact_law

Event = Callable[[Any], bool]


def _chances(value: Mapping[Any, ExactLike]) -> Mapping[Hashable, Fraction]:
    if not isinstance(value, Mapping):
        raise InvalidValue(f"expected a table of probabilities, got {value!r}; give one such as {{0: '1/3', 1: '2/3'}}")
    return exact_law(value, "a law")


@frozen(eq=False, repr=False)
class Law(Mapping[Hashable, Fraction]):
    """A probability law on finitely many outcomes: a table {outcome: probability}.

    Guarantee: the probabilities are positive and sum to exactly 1. An outcome that never happens has probability 0 and is
    not listed. Laws are equal when all their probabilities are, whatever their order.
    """

    chances: Mapping[Hashable, Fraction] = field(converter=_chances)

    @classmethod
    def point(cls, outcome: Hashable) -> Law:
        """The law that is certain of one outcome."""
        return cls({outcome: 1})

    @classmethod
    def uniform(cls, outcomes: Iterable[Hashable]) -> Law:
        """All of several outcomes equally likely; one that is listed twice counts once."""
        return cls.weighted(dict.fromkeys(outcomes, 1))

    @classmethod
    def weighted(cls, weights: Mapping[Any, ExactLike]) -> Law:
        """Outcomes in proportion to weights that are not negative."""
        masses = {outcome: exact(weight) for outcome, weight in weights.items()}
        total = sum(masses.values(), Fraction(0))
        if total <= 0:
            raise InvalidValue("the weights of a law must have a positive sum; give at least one outcome that can happen")
        return cls({outcome: mass / total for outcome, mass in masses.items()})

    @classmethod
    def records(cls, laws: Iterable[Mapping[Any, ExactLike]]) -> Law:
        """Datasets, as tuples, of independent records with a law each."""
        tables = [Law(law).items() for law in laws]
        return cls(
            {
                tuple(value for value, _ in outcome): math.prod((mass for _, mass in outcome), start=Fraction(1))
                for outcome in itertools.product(*tables)
            }
        )

    @classmethod
    def mixture(cls, parts: Iterable[tuple[ExactLike, Mapping[Any, ExactLike]]]) -> Law:
        """One of several laws, drawn with the probability that comes with it."""
        masses: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for weight, law in parts:
            share = exact(weight)
            if share < 0:
                raise InvalidValue(f"the weight of a part of a mixture cannot be negative, got {weight}")
            for outcome, mass in Law(law).items():
                masses[outcome] += share * mass
        return cls(masses)

    def probability(self, event: Event) -> Fraction:
        """The probability that an event holds."""
        return sum((mass for outcome, mass in self.items() if event(outcome)), Fraction(0))

    def given(self, event: Event) -> Law:
        """The law given that an event holds, which must be possible."""
        kept = {outcome: mass for outcome, mass in self.items() if event(outcome)}
        if not kept:
            raise InvalidValue("the event has probability 0 under this law, so there is no law given it")
        return Law.weighted(kept)

    def mapped(self, function: Callable[[Any], Hashable]) -> Law:
        """The law of a function of the outcome."""
        masses: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for outcome, mass in self.items():
            masses[function(outcome)] += mass
        return Law(masses)

    def through(self, channel: Callable[[Any], Mapping[Any, ExactLike]]) -> Law:
        """The law of what a channel makes of the outcome; the channel has a law for each.

        Definition: P(y) = sum over x of P(x) channel(x)(y), what is seen by somebody who does not know the outcome.
        """
        return Law.mixture((mass, channel(outcome)) for outcome, mass in self.items())

    def __getitem__(self, outcome: Hashable) -> Fraction:
        return self.chances.get(outcome, Fraction(0))

    def __contains__(self, outcome: object) -> bool:
        return outcome in self.chances

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.chances)

    def __len__(self) -> int:
        return len(self.chances)

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return f"Law({{{', '.join(f'{outcome!r}: {mass}' for outcome, mass in self.items())}}})"
