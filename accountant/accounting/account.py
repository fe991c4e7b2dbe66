"""Account: a plan's privacy loss, read through any definition."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property

from attrs import evolve, field, frozen

from accountant.accounting.formulas import FormulaValue, by_formulas
from accountant.accounting.routes import Routes, bound
from accountant.accounting.scopes import whereabouts, worst, worst_formulas
from accountant.errors import Fault, InvalidValue, PlanError, ReadingError, ShiftError
from accountant.loss import NO_LOSS, PrivacyLoss, compose
from accountant.numbers.exact import ExactLike, exact
from accountant.numbers.interval import Interval, float_above, larger
from accountant.plan.plan import Plan
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, CompositionRule, Divergence
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import ADD_REMOVE, Neighbours, Relation
from accountant.promise.specification import Budget, Scenario
from accountant.promise.universe import Closest, closest
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import SAMPLED_CLAIM, Claim, rests_on_claims
from accountant.release.mechanism import Mechanism
from accountant.release.query import Query, Shift
from accountant.release.release import Release

_FEW = 100


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
    moved: bool = False
    """Whether the unit is in the scope of the release in one dataset only."""
    arrives: bool = False
    """Whether that is the second dataset."""

    @property
    def key(self) -> Hashable:
        """All that what is lost each time depends on, and how it is explained."""
        release = self.release
        kind = None if release.query is None else release.query.kind
        return release.mechanism, kind, self.shift, release.sampling, release.scope, self.moved, self.arrives

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What is lost each time."""
        base, sampling = self.base, self.release.sampling
        lost = base if sampling is None or base == NO_LOSS else sampling.loss(self.between, self.neighbours)
        return lost.reverse() if self.arrives else lost

    @cached_property
    def base(self) -> PrivacyLoss:
        """What the mechanism would lose if it saw every record."""
        return NO_LOSS if self.shift.is_zero else self.mechanism.loss(self.shift)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, with what is claimed of one unit turned into what follows for a group of them."""
        mechanism, group = self.release.mechanism, self.neighbours.group
        if group == 1 or not rests_on_claims(mechanism):
            return mechanism
        return mechanism.replaced(lambda part: part.between(group) if isinstance(part, Claim) else part)

    def between(self, relation: Relation) -> PrivacyLoss:
        """What the mechanism loses between datasets related in any way, whichever attributes of a record differ."""
        if relation == self.neighbours.relation and self.neighbours.attributes is None:
            return self.base
        mechanism, query = self.release.mechanism, self.release.query
        self._known_between(relation)
        shift = _shift(query, Neighbours(relation, self.neighbours.unit, group=self.neighbours.group))
        return NO_LOSS if shift.is_zero else mechanism.loss(shift)

    def _known_between(self, relation: Relation) -> None:
        """Refuse other neighbours than the plan's where what is stated speaks about those only."""
        mechanism, query = self.release.mechanism, self.release.query
        _check(mechanism, relation)
        own = f"between the plan's own neighbours only, but any '{relation.name}' neighbours matter here"
        if rests_on_claims(mechanism):
            raise ShiftError(f"what is claimed holds {own}")
        if query is not None and query.stated:
            raise ShiftError(f"the shift is stated {own}; use a query that derives it, such as 'count' or 'sum'")
        if query is None:
            for _, part in mechanism.nested():
                if not part.any_relation and relation.name not in (part.relations or ()):
                    raise ShiftError(f"what '{part.kind}' states holds {own}")

    @cached_property
    def claim(self) -> Claim | None:
        """What is claimed of the release between these neighbours, if that is all that is known of what it loses.

        A definition that is closed under post-processing makes the same claim of what is done to the output.
        """
        if self.shift.is_zero:
            return None
        mechanism = self.mechanism.unprocessed()
        if not isinstance(mechanism, Claim):
            return None
        return mechanism if mechanism is self.mechanism or mechanism.divergence.properties.post_processing else None

    @cached_property
    def staying(self) -> Entry:
        """What the release loses where the unit is in its scope in both datasets."""
        return evolve(self, release=evolve(self.release, scope=None))

    @cached_property
    def leaving(self) -> Entry:
        """What the release loses where the unit is in its scope in the first dataset only."""
        self._known_between(ADD_REMOVE)
        neighbours = Neighbours(ADD_REMOVE, self.neighbours.unit)
        entry = Entry(evolve(self.release, scope=None), _shift(self.release.query, neighbours), neighbours)
        _built(entry)
        _sampled(entry)
        return evolve(entry, moved=True)

    @cached_property
    def arriving(self) -> Entry:
        """What the release loses where the unit is in its scope in the second dataset only."""
        return evolve(self.leaving, arrives=True)

    @property
    def compared(self) -> str:
        """Which datasets the release is compared between, in words."""
        if not self.moved:
            return str(self.neighbours)
        unit = self.neighbours.unit
        return f"datasets without and with the {unit}" if self.arrives else f"datasets with and without the {unit}"

    def cost(self, divergence: Divergence, at: Mapping[str, Fraction]) -> Interval:
        """The value of a definition's first reading for one time: as claimed, or measured."""
        mechanism = self.claim
        stated = mechanism.stated(at) if mechanism is not None and mechanism.divergence == divergence else None
        return divergence.measure(self.loss, at) if stated is None else stated


def account(plan: Plan, *, registry: Registry | None = None) -> Account:
    """The account of a plan. Every release that cannot be accounted for is reported in one PlanError."""
    return _account(plan, _entries(plan), registry or default_registry())


def _account(plan: Plan, entries: tuple[Entry, ...], registry: Registry) -> Account:
    try:
        found = whereabouts(entries)
    except InvalidValue as error:
        first = next(index for index, entry in enumerate(entries) if entry.release.scope is not None)
        raise PlanError((Fault(str(error), f"release[{first}].scope"),)) from error
    apart = (
        Account(
            evolve(plan, title=case.words, releases=tuple(entry.release for entry in case.entries)), case.entries, registry
        )
        for case in found
    )
    return Account(plan, entries, registry, tuple(apart))


def _entries(plan: Plan, first: int = 0) -> tuple[Entry, ...]:
    """The entries of a plan's releases from the first that is not known yet."""
    faults: list[Fault] = []
    entries: list[Entry] = []
    neighbours = plan.specification.neighbours
    # Where a release like it was accounted for, nothing has to be tried again.
    seen: set[Hashable] = set()
    insider = plan.specification.attacker == "insider"
    for index, stated in enumerate(plan.releases[first:], start=first):
        # Who knows the sample is not kept from anything by it.
        release = evolve(stated, sampling=None) if insider and stated.sampling is not None else stated
        part = "mechanism"
        try:
            with _in_range():
                entry = Entry(release, _shift(release.query, neighbours), neighbours)
                if entry.key not in seen:
                    for _, mechanism in release.mechanism.nested():
                        mechanism.check_declared(plan.specification.invariants)
                    if neighbours.group > 1 and (why := _one_step(release, plan.specification.invariants)):
                        raise InvalidValue(why)
                    _built(entry)
                    part = "sampling"
                    _sampled(entry)
                    part = "scope"
                    _scoped(entry)
                    seen.add(entry.key)
            entries.append(entry)
        except (InvalidValue, ShiftError) as error:
            faults.append(Fault(str(error), f"release[{index}].{part}"))
    if faults:
        raise PlanError(tuple(faults))
    return tuple(entries)


def _built(entry: Entry) -> None:
    """Refuse a mechanism that cannot serve its query or its neighbours; claims wait until they are needed."""
    _check(entry.release.mechanism, entry.neighbours.relation)
    if entry.claim is None:
        entry.base  # noqa: B018


def _together(entries: list[Entry]) -> Entry:
    """Entries that only differ in the names of their releases, as one."""
    first = entries[0]
    if len(entries) == 1:
        return first
    name = f"{first.release.name} (and {len(entries) - 1:,} like it)"
    return evolve(first, release=evolve(first.release, name=name, times=sum(entry.release.times for entry in entries)))


def _one_step(release: Release, invariants: tuple[Invariant, ...]) -> str | None:
    """Why a release is known between its neighbours only, and what to say instead."""
    known = _stated(release)
    if not invariants or known is None:
        return None
    how, remedy = known
    return (
        f"what is {how} of '{release.name}' holds between neighbours that agree on '{invariants[0].name}', and datasets "
        f"farther apart need not be connected by such; {remedy}"
    )


def _stated(release: Release) -> tuple[str, str] | None:
    """Whether a plan says of a release what holds between its neighbours and no others, and what to say instead."""
    if rests_on_claims(release.mechanism):
        return "claimed", "state the mechanism instead"
    if release.query is not None:
        return ("stated", "use a query that derives its shift, such as 'count' or 'sum'") if release.query.stated else None
    own = [part.kind for _, part in release.mechanism.nested() if not part.any_relation and part.relations is None]
    return ("stated", f"give '{own[0]}' a query that derives its shift, such as 'count' or 'sum'") if own else None


def _check(mechanism: Mechanism, relation: Relation) -> None:
    """Refuse neighbours that a mechanism, or one that it is made of, does not cover."""
    for _, part in mechanism.nested():
        part.check(relation)


def _shift(query: Query | None, neighbours: Neighbours) -> Shift:
    """How far a query moves; without one, every unit that differs gives one answer that moves by one."""
    return Shift.along([1] * neighbours.group) if query is None else query.shift(neighbours)


def _sampled(entry: Entry) -> None:
    """Refuse a sampling that is not accounted for, whatever the release costs."""
    sampling = entry.release.sampling
    if sampling is None:
        return
    if rests_on_claims(entry.release.mechanism):
        raise InvalidValue(SAMPLED_CLAIM)
    sampling.check(entry.neighbours)
    sampling.check_group(entry.neighbours)
    entry.loss  # noqa: B018


def _scoped(entry: Entry) -> None:
    """Refuse a scope if it is not known what the release loses wherever a unit may be."""
    scope, neighbours = entry.release.scope, entry.neighbours
    if scope is None:
        return
    scope.check(neighbours)
    if entry.release.mechanism.all_published():
        raise InvalidValue(
            f"'{entry.release.mechanism.kind}' publishes counts of the records that it sees exactly, and invariants do "
            f"not speak of one {scope.partition} only; apply it to all records"
        )
    if scope.may_change(neighbours):
        try:
            entry.leaving  # noqa: B018
        except (InvalidValue, ShiftError) as error:
            raise ShiftError(
                f"a {neighbours.unit} may leave the part '{scope.part}' for another, and {error}; single out attributes "
                f"without '{scope.partition}', or promise 'add-remove' neighbours"
            ) from error


def _exact_words(at: Mapping[str, ExactLike] | None, words: Mapping[str, ExactLike]) -> dict[str, Fraction]:
    return {name: exact(value) for name, value in {**(at or {}), **words}.items()}


@frozen
class Account:
    """A plan whose releases have become losses."""

    plan: Plan
    entries: tuple[Entry, ...]
    registry: Registry
    whereabouts: tuple[Account, ...] = ()
    """Where releases have scopes: an account without scopes for each place where a unit may be. The worst one counts."""
    _loss: list[PrivacyLoss] = field(factory=list, init=False, eq=False, repr=False)

    @property
    def loss(self) -> PrivacyLoss:
        """The loss of all releases together: the product of their pairs, with claims that merge added up first."""
        if len(self.whereabouts) == 1:
            return self.whereabouts[0].loss
        if self.whereabouts:
            raise ReadingError(
                f"no single loss stands for {len(self.whereabouts):,} cases of where a unit may be; measure the account, "
                "or read the losses of its cases"
            )
        if not self._loss:
            parts = [(entry.loss, entry.release.times) for entry in self.distinct if not self._merging(entry)]
            whole = compose([*parts, *self._merged_claims()])
            self._loss.append(whole.sharpened(float(self.plan.precision)))
        return self._loss[0]

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

    def adding(self, *releases: Release) -> Account:
        """The account with further releases. What was computed for the earlier ones serves again."""
        names = {release.name for release in self.plan.releases}
        known = len(names)
        for index, release in enumerate(releases, start=known):
            if release.name in names:
                raise PlanError((Fault(f"a release is called '{release.name}' already", f"release[{index}].name"),))
            names.add(release.name)
        plan = evolve(self.plan, releases=(*self.plan.releases, *releases))
        return _account(plan, (*self.entries, *_entries(plan, known)), self.registry)

    def within(self, scenario: Scenario) -> Account:
        """The account of the same releases between units that differ in the attributes of a scenario only."""
        return account(self.plan.within(scenario), registry=self.registry)

    @property
    def closest(self) -> Closest:
        """How far apart the closest datasets are that agree on everything published exactly."""
        return closest(self.plan.specification.invariants, self.plan.specification.neighbours)

    @property
    def one_step_only(self) -> str | None:
        """Why what is known between neighbours says nothing farther: the way there may leave the universe."""
        invariants = self.plan.specification.invariants
        return next(filter(None, (_one_step(release, invariants) for release in self.plan.releases)), None)

    def between(self, units: int, budget: Budget) -> Interval:
        """What holds in a budget's definition between datasets that differ in so many units.

        By the losses where the mechanisms say what a group loses, otherwise by the definition's own rule for groups;
        without a bound where what is known between neighbours says nothing farther.
        """
        if units > 1 and self.one_step_only:
            return Interval(0.0, float("inf"))
        specification = self.plan.specification
        neighbours = evolve(specification.neighbours, group=units)
        plan = evolve(self.plan.bare, specification=evolve(specification, neighbours=neighbours))
        try:
            return account(plan, registry=self.registry).check(budget)[0].value
        except PlanError:
            guarantee = self.check(budget)[0]
        if guarantee.value.upper == float("inf"):
            return guarantee.value
        grown = budget.divergence.group(
            budget.divergence.parameter(**guarantee.at, **{guarantee.name: bound(guarantee.value)}), units
        )
        first = budget.divergence.readings[0].value
        return Interval.infinite() if grown is None else Interval(0.0, float_above(budget.divergence.values(grown)[first]))

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
                part = (entry.cost(divergence, {}), entry.release.times)
                groups.setdefault(rule.name, (rule, []))[1].append(part)
        return [(self.converted(rule, [({}, rule.compose(parts))]), 1) for rule, parts in groups.values()]

    def converted(self, rule: CompositionRule, sums: Sequence[tuple[Mapping[str, Fraction], Interval]]) -> PrivacyLoss:
        divergence = self.registry[DIVERGENCES][rule.divergence]
        name = divergence.readings[0].value
        return divergence.worst_case_of([divergence.parameter(**place, **{name: bound(value)}) for place, value in sums])

    def measure(self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike) -> Guarantee:
        """The value of a definition that all releases together satisfy.

        The reading words are given by name: `measure("approx", delta="1e-6")`.
        """
        if self.whereabouts:
            return worst([(case.plan.title, case.measure(divergence, at, **words)) for case in self.whereabouts])
        definition: Divergence = self.registry.find(DIVERGENCES, divergence)
        reading_at = _exact_words(at, words)
        name = definition.reading(reading_at).value
        with _in_range():
            routes = Routes(self, definition, reading_at)
            value, evidence, steps = routes.tightest()
        may_fail = definition.properties.failure and "delta" in reading_at
        return Guarantee(
            self.plan.specification, divergence, reading_at, name, value, evidence, steps, may_fail, routes.remark
        )

    def by_formulas(
        self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike
    ) -> tuple[FormulaValue, ...]:
        """What formulas from the literature give for the same releases, beside `measure`."""
        if self.whereabouts:
            return worst_formulas([case.by_formulas(divergence, at, **words) for case in self.whereabouts])
        definition: Divergence = self.registry.find(DIVERGENCES, divergence)
        with _in_range():
            return by_formulas(self, definition, _exact_words(at, words))

    def cost(self, entry: Entry, definition: Divergence, at: Mapping[str, Fraction]) -> Interval:
        """What one release costs on its own, all its times together."""
        alone = self.alone(entry)
        if alone.whereabouts:
            return larger(case.cost(case.entries[0], definition, at) for case in alone.whereabouts)
        if not at:
            for rule in self.registry[COMPOSITION_RULES].values():
                if rule.divergence == definition.name:
                    with _in_range():
                        return rule.compose([(entry.cost(definition, {}), entry.release.times)])
        return alone.measure(definition.name, at).value

    def alone(self, entry: Entry) -> Account:
        """The account of one release on its own."""
        plan = evolve(self.plan, title=entry.release.name, releases=(entry.release,))
        return _account(plan, (entry,), self.registry)

    def check(self, budget: Budget) -> tuple[Guarantee, Verdict]:
        """The guarantee in a budget's own definition, and whether it keeps the budget."""
        primary = budget.divergence.readings[0]
        values = budget.divergence.values(budget.parameter)
        guarantee = self.measure(budget.divergence.name, {word: values[word] for word in primary.at})
        if self.closest.vacuous:
            return guarantee, Verdict.VACUOUS
        return guarantee, Verdict.of(guarantee.value.at_most(values[primary.value]))


__all__ = ["Account", "Entry", "account"]
