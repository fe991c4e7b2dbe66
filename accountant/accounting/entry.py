"""Entry: one release of an account, and what refuses one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from attrs import evolve, frozen

from accountant.accounting.arithmetic import in_range
from accountant.display.brief import Brief
from accountant.errors import Fault, InvalidValue, PlanError, PluginFailure, ShiftError
from accountant.fields import shown
from accountant.loss import NO_LOSS, BracketLoss, PrivacyLoss, both_orders
from accountant.numbers.interval import Interval
from accountant.plan.plan import Plan
from accountant.progress import nearer, working_on
from accountant.promise.divergence import Divergence
from accountant.promise.neighbours import ADD_REMOVE, Neighbours, Relation
from accountant.promise.universe import Universe
from accountant.registry.blame import owner_of
from accountant.release.claim import SAMPLED_CLAIM, Claim, rests_on_claims
from accountant.release.inside import shift_inside
from accountant.release.once import once
from accountant.release.query import STILL as UNMOVED, Query, Shift
from accountant.release.release import Mechanism, Release
from accountant.release.sampling import Between


@frozen
class Entry(Brief):
    """One release of an account: how far its query moves, and what it loses each time."""

    _leading: ClassVar[tuple[str, ...]] = ("release",)

    release: Release
    shift: Shift
    neighbours: Neighbours
    moved: bool = False
    """Whether the unit is in the scope of the release in one dataset only."""
    arrives: bool = False
    """Whether that is the second dataset."""
    insider: bool = False
    """Whether it is compared by somebody who knows who was sampled."""
    inside: bool = False
    """Whether what is published exactly keeps the query from moving as far as between all neighbours."""

    @property
    def key(self) -> Hashable:
        """All that what is lost each time depends on, and how it is explained."""
        release = self.release
        # How far the query moves between these neighbours is not all: samples and scopes compare others too. Of its
        # attributes only matters whether there are any, and what a record then adds.
        query = release.query
        asked = (
            None if query is None else (evolve(query, attributes=None), query.attributes == frozenset(), query.records())
        )
        seen = release.sampling, release.scope, self.moved, self.arrives, self.insider, self.inside
        return release.mechanism, asked, self.shift, *seen

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What is lost each time."""
        base, sampling = self.base, self.release.sampling
        if sampling is None or base == NO_LOSS:
            lost = base
        else:
            lost = self._between_samples() if self.insider else sampling.loss(self._compared(), self.neighbours)
        return lost.reverse() if self.arrives else lost

    def _between_samples(self) -> PrivacyLoss:
        """What the mechanism loses between the two samples that somebody who knows the draw compares."""
        if self.samples == self.neighbours:
            return self.base
        if self.samples is None:
            return NO_LOSS
        # Which of two other records is in which sample does not follow from which dataset is the first.
        return both_orders(self._lost_between(self.samples))

    @cached_property
    def samples(self) -> Neighbours | None:
        """How the samples of neighbours differ for somebody who knows the draw; None where they never do."""
        sampling = self.release.sampling
        return self.neighbours if sampling is None else sampling.between_samples(self.neighbours)

    @cached_property
    def faced(self) -> Shift:
        """How far the query moves between what is compared: datasets, or samples where it is known who was drawn."""
        if not self.insider or self.shift.is_zero or self.samples == self.neighbours:
            return self.shift
        return UNMOVED if self.samples is None else _shift(self.release.query, self.samples)

    @cached_property
    def base(self) -> PrivacyLoss:
        """What the mechanism would lose if it saw every record."""
        return NO_LOSS if self.shift.is_zero else _lost(self.mechanism, self.shift)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, with what is claimed of one unit turned into what follows for a group of them."""
        mechanism, group = self.release.mechanism, self.neighbours.group
        if group == 1 or not rests_on_claims(mechanism):
            return mechanism
        return mechanism.replaced(lambda part: part.between(group) if isinstance(part, Claim) else part)

    def _compared(self) -> Between:
        """What the mechanism loses between samples, and how."""
        query = self.release.query
        return Between(self.between, None if query is None else query.records(), self.release.mechanism.added_noise())

    def between(self, relation: Relation) -> PrivacyLoss:
        """What the mechanism loses between datasets related in any way, whichever attributes of a record differ."""
        if relation == self.neighbours.relation and self.neighbours.attributes is None:
            return self.base
        return self._lost_between(evolve(self.neighbours, relation=relation, attributes=None))

    def _lost_between(self, neighbours: Neighbours) -> PrivacyLoss:
        """What the mechanism loses between other neighbours than the plan's."""
        self._known_between(neighbours.relation)
        shift = _shift(self.release.query, neighbours)
        return NO_LOSS if shift.is_zero else _lost(self.release.mechanism, shift)

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
        neighbours = evolve(self.neighbours, relation=ADD_REMOVE, attributes=None, group=1)
        shift = _shift(self.release.query, neighbours)
        entry = Entry(evolve(self.release, scope=None), shift, neighbours, insider=self.insider)
        _built(entry)
        _sampled(entry)
        return evolve(entry, moved=True)

    @cached_property
    def arriving(self) -> Entry:
        """What the release loses where the unit is in its scope in the second dataset only."""
        return evolve(self.leaving, arrives=True)

    @property
    def compared(self) -> str:
        """Which datasets, or samples where it is known who was drawn, the release is compared between, in words."""
        if self.insider and self.samples is None:
            return "samples that never differ"
        if self.insider and self.samples is not None and self.samples.relation != self.neighbours.relation:
            return f"samples that are '{self.samples.relation.name}' neighbours"
        if not self.moved:
            return self.neighbours.compared
        unit = self.neighbours.unit
        return f"datasets without and with the {unit}" if self.arrives else f"datasets with and without the {unit}"

    def stated(self, divergence: Divergence, at: Mapping[str, Fraction]) -> Interval | None:
        """The value of a definition's first reading for one time that is claimed, None where nothing is."""
        mechanism = self.claim
        return mechanism.stated(at) if mechanism is not None and mechanism.divergence == divergence else None


def entries_of(plan: Plan, first: int = 0) -> tuple[Entry, ...]:
    """The entries of a plan's releases from the first that is not known yet."""
    faults: list[Fault] = []
    entries: list[Entry] = []
    neighbours = plan.specification.neighbours
    # Where a release like it was accounted for, nothing has to be tried again.
    seen: set[Hashable] = set()
    insider = plan.specification.attacker == "insider"
    for index, release in enumerate(plan.releases[first:], start=first):
        working_on(f"the release '{release.name}'")
        nearer(0.5 / (len(plan.releases) - first))
        for part, attributes in release.mentions():
            undeclared = plan.specification.domain.undeclared(attributes)
            faults += (Fault(why, f"release[{index}].{part}", release.name) for why in undeclared)
        part = "mechanism"
        try:
            with in_range():
                entry = Entry(release, _shift(release.query, neighbours), neighbours, insider=insider)
                inside = plan.specification.inside and not entry.shift.is_zero
                if inside and (less := shift_inside(release, plan.specification.universe)) is not None:
                    entry = evolve(entry, shift=less, inside=True)
                if entry.key not in seen:
                    for _, mechanism in release.mechanism.nested():
                        once(mechanism.check_declared, plan.specification.invariants)
                    if neighbours.group > 1 and (why := one_step_only(release, plan.specification.universe)):
                        raise InvalidValue(why)
                    _built(entry)
                    part = "sampling"
                    _sampled(entry)
                    part = "scope"
                    _scoped(entry)
                    seen.add(entry.key)
            entries.append(entry)
        except (InvalidValue, ShiftError) as error:
            faults.append(Fault(str(error), f"release[{index}].{part}", release.name))
    if faults:
        raise PlanError(tuple(faults))
    return tuple(entries)


def _lost(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
    """What a mechanism loses: at most by how far the query moves, and at least by a move that there is."""
    above = _said(mechanism, shift)
    return above if shift.least is None else BracketLoss(above, _said(mechanism, shift.least))


def _said(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
    """What a mechanism says that it loses, which must be a loss."""
    found: object = mechanism.loss(shift)
    if isinstance(found, PrivacyLoss):
        return found
    owner = owner_of(type(mechanism).__module__)
    by = "" if owner is None else f" of {owner}"
    raise PluginFailure(f"the mechanism '{mechanism.kind}'{by} returned {shown(found)} as its loss, which is none")


def _built(entry: Entry) -> None:
    """Refuse a mechanism that cannot serve its query or its neighbours; claims wait until they are needed."""
    _check(entry.release.mechanism, entry.neighbours.relation)
    if entry.claim is None:
        entry.base  # noqa: B018


def one_step_only(release: Release, universe: Universe) -> str | None:
    """Why what is known of a release between neighbours does not reach all that is compared, and what to say instead."""
    if universe.single_steps or (known := _stated(release)) is None:
        return None
    how, remedy = known
    fixed = universe.changing[0].name
    return (
        f"what is {how} of '{release.name}' holds between neighbours that agree on '{fixed}', and datasets "
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
        once(part.check, relation)


def _shift(query: Query | None, neighbours: Neighbours) -> Shift:
    """How far a query moves; without one, every unit that differs gives one answer that moves by one."""
    return Shift.along([1] * neighbours.group) if query is None else once(query.shift, neighbours)


def _sampled(entry: Entry) -> None:
    """Refuse a sampling that is not accounted for, whatever the release costs."""
    sampling = entry.release.sampling
    if sampling is None:
        return
    if rests_on_claims(entry.release.mechanism):
        raise InvalidValue(SAMPLED_CLAIM)
    _plain(entry, "sampling")
    once(sampling.check, entry.neighbours)
    if not entry.insider:
        once(sampling.check_group, entry.neighbours)
    entry.loss  # noqa: B018


def _plain(entry: Entry, what: str) -> None:
    """Refuse a query of other entities where it is not known what they see."""
    if entry.release.query is not None:
        entry.release.query.check_plain(entry.neighbours, what)


def _scoped(entry: Entry) -> None:
    """Refuse a scope if it is not known what the release loses wherever a unit may be."""
    scope, neighbours = entry.release.scope, entry.neighbours
    if scope is None:
        return
    _plain(entry, "a scope")
    once(scope.check, neighbours)
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
