"""Setting: what a promise is relative to: the laws of the data, the pairs of secrets, and what is public."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction

from attrs import evolve, field, frozen

from accountant import InvalidValue, Theorem
from accountant.fields import exact, several
from accountant_pufferfish.distance.wasserstein import transport
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.metric import Metric
from accountant_pufferfish.setting.public_variable import NOTHING, PublicVariable
from accountant_pufferfish.setting.scenarios import Scenarios
from accountant_pufferfish.setting.secret import SecretPair


@frozen
class LivePair:
    """A pair of secrets that stays open in one scenario, given what was published: it is live.

    `law` is that of the data given the published value. A pair is live where both secrets have positive probability; they
    exclude each other, so that neither is certain then.
    """

    scenario: str
    value: Hashable
    law: Law = field(repr=False)
    pair: SecretPair

    @property
    def first(self) -> Law:
        """The law of the data given the first secret."""
        return self.law.given(self.pair.first)

    @property
    def second(self) -> Law:
        """The law of the data given the second secret."""
        return self.law.given(self.pair.second)

    def apart(self, metric: Metric) -> Fraction | None:
        """The Wasserstein distance of order infinity between the two laws; None where it is infinite."""
        return transport(self.first, self.second, metric.between).distance


@frozen
class Certified:
    """A proved upper bound on the distance of order infinity, over all laws of a set and all their live pairs."""

    metric: Metric
    radius: Fraction = field(converter=exact)
    theorem: Theorem


@frozen
class Setting:
    """Who may believe what, which secrets are at stake, and what is public.

    Definition: for every scenario, every value of the public variable that it allows and every pair of secrets that is live
    under the scenario given that value, the output is compared under the two secrets. Whether a pair is live is asked of
    each scenario by itself: one that is certain of a secret takes no pair away from the others.
    """

    scenarios: Scenarios
    pairs: tuple[SecretPair, ...] = field(converter=several, repr=lambda pairs: f"{len(pairs)} pairs")
    public: PublicVariable = NOTHING
    values: tuple[Hashable, ...] | None = None
    """The published values considered; None: all that some scenario allows."""
    certified: Certified | None = None
    """How far apart the data can be, where somebody proved it for scenarios that cannot all be listed."""

    def __attrs_post_init__(self) -> None:
        for _, law in self.scenarios.laws:
            for pair in self.pairs:
                pair.check_disjoint(law)

    def at(self, value: Hashable) -> Setting:
        """The same setting once a value has been published."""
        return evolve(self, values=(value,))

    def possible_values(self) -> tuple[Hashable, ...]:
        """The values considered, or all that some scenario allows."""
        if self.values is not None:
            return self.values
        return tuple(dict.fromkeys(value for _, law in self.scenarios.laws for value in self.public.law(law)))

    def given(self, value: Hashable) -> Iterator[tuple[str, Law]]:
        """The scenarios that allow a published value, each with its law of the data given it."""
        for name, law in self.scenarios.laws:
            if self.public.possible(value, law):
                yield name, self.public.given(value, law)

    def comparisons(self) -> Iterator[LivePair]:
        """Every live pair, in every scenario, for every value considered."""
        for value in self.possible_values():
            for name, law in self.given(value):
                yield from (LivePair(name, value, law, pair) for pair in self.pairs if is_live(pair, law))

    def literal_comparisons(self) -> Iterator[LivePair]:
        """The live pairs by the letter of the published definition, for comparison only.

        There, a pair counts if it is live under all scenarios given the value, so that a single scenario which is certain
        of a secret removes it for everybody: what is then found can be far too small.
        """
        for value in self.possible_values():
            laws = list(self.given(value))
            kept = [pair for pair in self.pairs if all(is_live(pair, law) for _, law in laws)]
            yield from (LivePair(name, value, law, pair) for name, law in laws for pair in kept)

    def universes(self) -> Iterator[tuple[Hashable, tuple[Hashable, ...]]]:
        """For every value considered, the datasets that some scenario holds possible given it."""
        for value in self.possible_values():
            yield value, tuple(dict.fromkeys(dataset for _, law in self.given(value) for dataset in law))

    def radius(self, metric: Metric) -> Fraction | None:
        """The largest distance of order infinity over all live pairs, or a proved bound on it; None where it is infinite.

        Guarantee: never below the truth. Refused where only some of the scenarios are known and nobody proved a bound, or
        where a law that is known contradicts the bound.
        """
        proved = self.certified is not None and self.certified.metric == metric
        if not proved and not self.scenarios.complete:
            raise InvalidValue(
                f"of '{self.scenarios}' only some laws are known, which bounds the distance from below and certifies "
                f"nothing; list all of them, or give a proved bound in {metric}"
            )
        found = _largest(comparison.apart(metric) for comparison in self.comparisons())
        if self.certified is None or not proved:
            return found
        if found is None or found > self.certified.radius:
            distance = "infinitely far" if found is None else str(found)
            raise InvalidValue(
                f"the data can be {distance} apart in {metric} under laws of '{self.scenarios}', more than the bound of "
                f"{self.certified.radius} that is said to be proved; leave those laws out, or give a bound that holds"
            )
        return self.certified.radius


def is_live(pair: SecretPair, law: Law) -> bool:
    """Whether a law leaves both secrets of a pair possible."""
    return any(map(pair.first, law)) and any(map(pair.second, law))


def _largest(distances: Iterable[Fraction | None]) -> Fraction | None:
    found = list(distances)
    return None if None in found else max((d for d in found if d is not None), default=Fraction(0))
