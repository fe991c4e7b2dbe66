"""Account: a plan's privacy loss, read through any definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property

from attrs import evolve, field, frozen

from accountant.builtin.mechanisms import SAMPLED_CLAIM, Claim
from accountant.divergence import CompositionRule, Divergence
from accountant.errors import Fault, InvalidValue, PlanError, ShiftError
from accountant.exact import ExactLike, exact
from accountant.guarantee import Guarantee, Verdict
from accountant.interval import Interval
from accountant.loss import NO_LOSS, PrivacyLoss, compose
from accountant.neighbours import Neighbours, Relation
from accountant.plan import Plan
from accountant.query import Shift
from accountant.registry import Registry, default_registry
from accountant.release import Release
from accountant.routes import Routes, bound
from accountant.specification import Budget

_ONE = Shift.along([1])


@contextmanager
def _in_range() -> Iterator[None]:
    """Refuse parameters that are sound but that doubles cannot hold."""
    try:
        yield
    except ArithmeticError as error:
        raise InvalidValue(
            f"a parameter or a count is too large or too small for double arithmetic ({error}); nothing was concluded"
        ) from error


@frozen
class Entry:
    """One release of an account: how far its query moves, and what it loses each time."""

    release: Release
    shift: Shift
    neighbours: Neighbours

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What is lost each time."""
        base, sampling = self.base, self.release.sampling
        return base if sampling is None or base == NO_LOSS else sampling.loss(self.between, self.neighbours)

    @cached_property
    def base(self) -> PrivacyLoss:
        """What the mechanism would lose if it saw every record."""
        return NO_LOSS if self.shift.is_zero else self.release.mechanism.loss(self.shift)

    def between(self, relation: Relation) -> PrivacyLoss:
        """What the mechanism loses between datasets related in any way, whichever attributes of a record differ."""
        if relation == self.neighbours.relation and self.neighbours.attributes is None:
            return self.base
        mechanism, query = self.release.mechanism, self.release.query
        mechanism.check(relation)
        if query is None:
            return mechanism.loss(_ONE)
        if query.stated:
            raise ShiftError(
                f"this sampling needs to know how far the query moves between any '{relation.name}' neighbours, but the "
                "plan states that between its own only; use a query that derives it, such as 'count', 'histogram' or 'sum'"
            )
        shift = query.shift(Neighbours(relation, self.neighbours.unit))
        return NO_LOSS if shift.is_zero else mechanism.loss(shift)

    @property
    def claim(self) -> Claim | None:
        """The claim behind the release, if that is all that is known of what it loses."""
        mechanism = self.release.mechanism
        return mechanism if isinstance(mechanism, Claim) and not self.shift.is_zero else None

    def cost(self, divergence: Divergence, at: Mapping[str, Fraction]) -> Interval:
        """The value of a definition's first reading for one time: as claimed, or measured."""
        mechanism = self.claim
        stated = mechanism.stated(at) if mechanism is not None and mechanism.divergence == divergence else None
        return divergence.measure(self.loss, at) if stated is None else stated


def account(plan: Plan, *, registry: Registry | None = None) -> Account:
    """The account of a plan. Every release that cannot be accounted for is reported in one PlanError."""
    return Account(plan, _entries(plan), registry or default_registry())


def _entries(plan: Plan, first: int = 0) -> tuple[Entry, ...]:
    """The entries of a plan's releases from the first that is not known yet."""
    faults: list[Fault] = []
    entries: list[Entry] = []
    for index, release in enumerate(plan.releases[first:], start=first):
        part = "mechanism"
        try:
            with _in_range():
                entry = _entry(release, plan)
                part = "sampling"
                _sampled(entry)
            entries.append(entry)
        except (InvalidValue, ShiftError) as error:
            faults.append(Fault(str(error), f"release[{index}].{part}"))
    if faults:
        raise PlanError(tuple(faults))
    return tuple(entries)


def _entry(release: Release, plan: Plan) -> Entry:
    neighbours = plan.specification.neighbours
    release.mechanism.check(neighbours.relation)
    entry = Entry(release, _ONE if release.query is None else release.query.shift(neighbours), neighbours)
    if entry.claim is None:
        # Built now, so that a mechanism that cannot serve its query is refused here; claims wait until they are needed.
        entry.base  # noqa: B018
    return entry


def _sampled(entry: Entry) -> None:
    """Refuse a sampling that is not accounted for, whatever the release costs."""
    sampling = entry.release.sampling
    if sampling is None:
        return
    if isinstance(entry.release.mechanism, Claim):
        raise InvalidValue(SAMPLED_CLAIM)
    sampling.check(entry.neighbours)
    entry.loss  # noqa: B018


@frozen
class Account:
    """A plan whose releases have become losses."""

    plan: Plan
    entries: tuple[Entry, ...]
    registry: Registry
    _loss: list[PrivacyLoss] = field(factory=list, init=False, eq=False, repr=False)

    @property
    def loss(self) -> PrivacyLoss:
        """The loss of all releases together: the product of their pairs, with claims that merge added up first."""
        if not self._loss:
            parts = [(entry.loss, entry.release.times) for entry in self.entries if not self._merging(entry)]
            whole = compose([*parts, *self._merged_claims()])
            self._loss.append(whole.sharpened(float(self.plan.precision)))
        return self._loss[0]

    def adding(self, *releases: Release) -> Account:
        """The account with further releases. What was computed for the earlier ones serves again."""
        names = {release.name for release in self.plan.releases}
        known = len(names)
        for index, release in enumerate(releases, start=known):
            if release.name in names:
                raise PlanError((Fault(f"a release is called '{release.name}' already", f"release[{index}].name"),))
            names.add(release.name)
        plan = evolve(self.plan, releases=(*self.plan.releases, *releases))
        return Account(plan, (*self.entries, *_entries(plan, known)), self.registry)

    def _merging(self, entry: Entry) -> CompositionRule | None:
        if entry.claim is None:
            return None
        name, rules = entry.claim.divergence.name, self.registry.composition_rules.values()
        return next((rule for rule in rules if rule.merges and rule.divergence == name), None)

    def _merged_claims(self) -> list[tuple[PrivacyLoss, int]]:
        groups: dict[str, tuple[CompositionRule, list[tuple[Interval, int]]]] = {}
        for entry in self.entries:
            rule = self._merging(entry)
            if rule is not None:
                divergence = self.registry.divergences[rule.divergence]
                part = (entry.cost(divergence, {}), entry.release.times)
                groups.setdefault(rule.name, (rule, []))[1].append(part)
        return [(self.converted(rule, [({}, rule.compose(parts))]), 1) for rule, parts in groups.values()]

    def converted(self, rule: CompositionRule, sums: Sequence[tuple[Mapping[str, Fraction], Interval]]) -> PrivacyLoss:
        divergence = self.registry.divergences[rule.divergence]
        name = divergence.readings[0].value
        return divergence.worst_case_of([divergence.parameter(**place, **{name: bound(value)}) for place, value in sums])

    def measure(self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike) -> Guarantee:
        """The value of a definition that all releases together satisfy.

        The reading words are given by name: `measure("approx", delta="1e-6")`.
        """
        definition: Divergence = self.registry.find("divergences", divergence)
        reading_at = {name: exact(value) for name, value in {**(at or {}), **words}.items()}
        name = definition.reading(reading_at).value
        with _in_range():
            routes = Routes(self, definition, reading_at)
            value, evidence, steps = routes.tightest()
        may_fail = definition.properties.failure and "delta" in reading_at
        return Guarantee(
            self.plan.specification, divergence, reading_at, name, value, evidence, steps, may_fail, routes.remark
        )

    def cost(self, entry: Entry, definition: Divergence, at: Mapping[str, Fraction]) -> Interval:
        """What one release costs on its own, all its times together."""
        if not at:
            for rule in self.registry.composition_rules.values():
                if rule.divergence == definition.name:
                    with _in_range():
                        return rule.compose([(entry.cost(definition, {}), entry.release.times)])
        return (
            Account(evolve(self.plan, title=entry.release.name, releases=(entry.release,)), (entry,), self.registry)
            .measure(definition.name, at)
            .value
        )

    def check(self, budget: Budget) -> tuple[Guarantee, Verdict]:
        """The guarantee in a budget's own definition, and whether it keeps the budget."""
        primary = budget.divergence.readings[0]
        values = budget.divergence.values(budget.parameter)
        guarantee = self.measure(budget.divergence.name, {word: values[word] for word in primary.at})
        attributes = self.plan.specification.neighbours.attributes
        if attributes is not None and not attributes:
            return guarantee, Verdict.VACUOUS
        return guarantee, Verdict.of(guarantee.value.at_most(values[primary.value]))


__all__ = ["Account", "Entry", "account"]
