"""Composed: the entries of an account as one loss, and what their parameters add up to."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from attrs import evolve, field, frozen

from accountant.accounting.entry import Entry
from accountant.accounting.first_steps import FirstSteps
from accountant.accounting.readings import Readings
from accountant.display.brief import Brief
from accountant.loss import PrivacyLoss, compose, sides
from accountant.numbers.interval import Interval, upper_fraction
from accountant.progress import working_on
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, CompositionRule, Divergence
from accountant.registry.registry import Registry

Place = Mapping[str, Fraction]

_FEW, _NAMED = 100, 3


@frozen
class Composed(Brief):
    """Releases taken together, as if each saw every unit: all that definitions are read from."""

    _leading: ClassVar[tuple[str, ...]] = ("entries",)

    entries: tuple[Entry, ...]
    registry: Registry
    precision: Fraction
    """The relative width to which the loss is read."""
    readings: Readings = field(factory=Readings, eq=False, repr=False)
    _sums: dict[str, PrivacyLoss | None] = field(factory=dict, init=False, eq=False, repr=False)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The loss of all releases together: the product of their pairs, with claims that merge added up first."""
        parts = [(entry.loss, entry.release.times) for entry in self.distinct if not self._merging(entry)]
        return compose([*parts, *self._merged_claims()]).sharpened(float(self.precision))

    @cached_property
    def distinct(self) -> tuple[Entry, ...]:
        """The entries; of many, those that only differ in the names of their releases taken together.

        Few are kept as they are, so that a derivation speaks of each.
        """
        if len(self.entries) <= _FEW:
            return self.entries
        alike: dict[Hashable, list[Entry]] = {}
        for entry in self.entries:
            alike.setdefault(entry.key, []).append(entry)
        return tuple(_together(entries) for entries in alike.values())

    @property
    def named(self) -> str:
        """The releases by name; of many, the first few."""
        names = [f"'{entry.release.name}'" for entry in self.entries[:_NAMED]]
        more = len(self.entries) - len(names)
        if len(self.entries) == 1:
            return f"the release {names[0]}"
        return f"the releases {', '.join(names)}{f' and {more:,} more' if more else ''}"

    @cached_property
    def first_steps(self) -> FirstSteps:
        """What the releases lose, each on its own, as steps of a derivation."""
        return FirstSteps.of(self.distinct)

    def cost(self, entry: Entry, definition: Divergence, at: Place) -> Interval:
        """The value of a definition's first reading for one time of a release: claimed, or measured once for all alike."""
        working_on(f"the release '{entry.release.name}'")
        stated = entry.stated(definition, at)
        return self.readings.measure(definition, entry.loss, at) if stated is None else stated

    def places(self, definition: Divergence) -> list[Place]:
        """The words at which claims of a definition state its value."""
        claims = [entry.claim for entry in self.distinct]
        return [
            {word: definition.values(point)[word] for word in definition.primary.at}
            for claim in claims
            if claim is not None and claim.divergence == definition
            for point in claim.points
        ]

    def _merging(self, entry: Entry) -> CompositionRule | None:
        if entry.claim is None:
            return None
        name, rules = entry.claim.divergence.name, self.registry[COMPOSITION_RULES].values()
        return next((rule for rule in rules if rule.merges and rule.divergence == name), None)

    def _merged_claims(self) -> list[tuple[PrivacyLoss, int]]:
        groups: dict[str, tuple[CompositionRule, list[tuple[Interval, int]]]] = {}
        for entry in self.distinct:
            rule = self._merging(entry)
            if rule is not None:
                divergence = self.registry[DIVERGENCES][rule.divergence]
                part = (self.cost(entry, divergence, {}), entry.release.times)
                groups.setdefault(rule.name, (rule, []))[1].append(part)
        return [(self.converted(rule, [({}, rule.compose(parts))]), 1) for rule, parts in groups.values()]

    def worst_sum(self, rule: CompositionRule, places: Sequence[Place]) -> PrivacyLoss | None:
        """What dominates the largest loss that the totals of a rule permit; None where no total is finite. Made once."""
        if rule.name not in self._sums:
            divergence = self.registry[DIVERGENCES][rule.divergence]
            parts = [
                (place, [(entry.cost(divergence, place), entry.release.times) for entry in self.distinct])
                for place in places
            ]
            sums = [(place, rule.compose(costs)) for place, costs in parts]
            finite = [(place, total) for place, total in sums if total.upper < float("inf")]
            self._sums[rule.name] = sides(self.converted(rule, finite))[0] if finite else None
        return self._sums[rule.name]

    def converted(self, rule: CompositionRule, sums: Sequence[tuple[Place, Interval]]) -> PrivacyLoss:
        """The largest loss that the totals of a rule permit, each at its place."""
        divergence = self.registry[DIVERGENCES][rule.divergence]
        name = divergence.primary.value
        return divergence.worst_case_of(
            [divergence.parameter(**place, **{name: upper_fraction(value)}) for place, value in sums]
        )


def _together(entries: list[Entry]) -> Entry:
    """Entries that only differ in the names of their releases, as one."""
    first = entries[0]
    if len(entries) == 1:
        return first
    name = f"{first.release.name} (and {len(entries) - 1:,} like it)"
    return evolve(first, release=evolve(first.release, name=name, times=sum(entry.release.times for entry in entries)))
