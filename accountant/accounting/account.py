"""Account: a plan's privacy loss, read through any definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from accountant._moved import renamed
from accountant.accounting.arithmetic import in_range
from accountant.accounting.below import below
from accountant.accounting.composed import Composed
from accountant.accounting.costless import costless
from accountant.accounting.crosswise import concluded
from accountant.accounting.entry import Entry, entries_of, one_step_only
from accountant.accounting.farther import GroupRules, unbounded
from accountant.accounting.formulas import FormulaValue, by_formulas
from accountant.accounting.lens import Lens, answering, exact_words
from accountant.accounting.members import Members, seen_by
from accountant.accounting.routes import Routes
from accountant.accounting.scopes import whereabouts, worst, worst_formulas
from accountant.accounting.width import close, known_twice
from accountant.display.brief import Rich
from accountant.display.card import Card
from accountant.errors import AccountantError, Fault, InvalidValue, PlanError, ReadingError
from accountant.fields import expect, shown, whole
from accountant.loss import PrivacyLoss
from accountant.numbers.exact import ExactLike
from accountant.numbers.interval import Interval, larger
from accountant.plan.given import PlanLike, plan_of
from accountant.plan.joined import joined
from accountant.plan.pieces import release_of
from accountant.plan.plan import Plan
from accountant.progress import steps, working_on
from accountant.promise.among import vacuous
from accountant.promise.cohort import Cohort
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES, Divergence
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.specification import Budget, Scenario
from accountant.promise.universe import Closest
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import rests_on_claims
from accountant.release.release import Mechanism, Release
from accountant.values.reading import Reader
from accountant.values.writing import listed

if TYPE_CHECKING:
    from accountant.accounting.curve import Curve

_PARTED = "the neighbours that lose more may differ in what is published exactly, or not be there at all"
_BUDGET = 'give one as Budget.of("approx", epsilon="1", delta="1e-6")'


def account(
    plan: PlanLike | Account,
    *,
    neighbours: str | Relation | Neighbours | None = None,
    registry: Registry | None = None,
) -> Account:
    """The account of a plan, of the file or the plain data of one, or of releases between neighbours.

    Every release that cannot be accounted for is reported in one PlanError.
    """
    if isinstance(plan, Account):
        if neighbours is None and registry in (None, plan.registry):
            return plan
        plan = plan.plan
    found = plan_of(plan, neighbours=neighbours, registry=registry)
    whole = Account.of(found, entries_of(found), registry or default_registry())
    _check_cohorts(whole)
    return whole


def _check_cohorts(whole: Account) -> None:
    """Refuse budgets of cohorts that releases can say nothing of."""
    reader = Reader()
    for index, budget in enumerate(whole.plan.specification.budgets):
        if budget.cohort is not None:
            reader.attempt(f"budget[{index}].cohort", whole.among, budget.cohort)
    if reader.faults:
        raise PlanError(tuple(reader.faults))


@frozen
class Account(Rich):
    """A plan whose releases have become losses."""

    plan: Plan
    composed: Composed
    whereabouts: tuple[Account, ...] = ()
    """Where releases have scopes: an account without scopes for each place where a unit may be. The worst one counts."""
    _members: Members | None = None
    """The units that it is about, where it is not about all."""
    _within: dict[Scenario, Account] = field(factory=dict, init=False, eq=False, repr=False)
    _among: dict[Cohort, Account] = field(factory=dict, init=False, eq=False, repr=False)

    @classmethod
    def of(cls, plan: Plan, entries: tuple[Entry, ...], registry: Registry, members: Members | None = None) -> Account:
        """The account of a plan whose releases have become entries."""
        try:
            found = whereabouts(entries)
        except InvalidValue as error:
            first = next(index for index, entry in enumerate(entries) if entry.release.scope is not None)
            raise PlanError((Fault(str(error), f"release[{first}].scope"),)) from error
        apart = (
            cls(
                evolve(plan, title=case.words, releases=tuple(entry.release for entry in case.entries)),
                Composed(case.entries, registry, plan.precision),
                members=members,
            )
            for case in found
        )
        return cls(plan, Composed(entries, registry, plan.precision), tuple(apart), members)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The releases, each with how far its query moves and what it loses."""
        return self.composed.entries

    @property
    def distinct(self) -> tuple[Entry, ...]:
        """The entries; of many, those that only differ in the names of their releases taken together."""
        return self.composed.distinct

    @property
    def registry(self) -> Registry:
        """The definitions, rules and formulas that the account is read by."""
        return self.composed.registry

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
        return self.composed.loss

    def adding(self, *releases: Release | Mechanism) -> Account:
        """The account with further releases. What was computed for the earlier ones serves again."""
        names = {release.name for release in self.plan.releases}
        known = len(names)
        further = tuple(map(release_of, releases))
        for index, release in enumerate(further, start=known):
            if release.name in names:
                raise PlanError((Fault(f"a release is called '{release.name}' already", f"release[{index}].name"),))
            names.add(release.name)
        plan = evolve(self.plan, releases=(*self.plan.releases, *further))
        return Account.of(plan, (*self.entries, *entries_of(plan, known)), self.registry)

    def __add__(self, other: object) -> Account:
        """The account of all releases of both, which must be promised between the same datasets."""
        if not isinstance(other, Account):
            raise InvalidValue(
                f"an account and {shown(other)} do not add up; add an account, or use Account.adding(release)"
            )
        if other.registry != self.registry:
            raise InvalidValue("accounts that are read by different registries do not add up; make both with the same one")
        plan = joined(self.plan, other.plan)
        further = plan.releases[len(self.entries) :]
        named = (evolve(entry, release=release) for entry, release in zip(other.entries, further, strict=True))
        return Account.of(plan, (*self.entries, *named), self.registry)

    def __radd__(self, other: object) -> Account:
        """What `sum` asks for: it starts from 0."""
        return self if isinstance(other, int) and other == 0 else self + other

    def __mul__(self, times: int) -> Account:
        """The account of every release so many times as often."""
        number = whole(times)
        if number < 1:
            raise InvalidValue(f"an account is taken at least once, got {number}")
        repeated = tuple(release.repeated(number) for release in self.plan.releases)
        entries = (evolve(entry, release=release) for entry, release in zip(self.entries, repeated, strict=True))
        return Account.of(evolve(self.plan, releases=repeated), tuple(entries), self.registry)

    __rmul__ = __mul__

    def within(self, scenario: Scenario) -> Account:
        """The account of the plan as a scenario supposes it, made once."""
        expect(Scenario, scenario, "give one as Scenario(name, attributes)")
        if scenario not in self._within:
            self._within[scenario] = account(self.plan.within(scenario), registry=self.registry)
        return self._within[scenario]

    def learned(
        self, scenario: Scenario, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike
    ) -> Guarantee | None:
        """The value of a definition in a scenario, between the closest datasets that differ as it asks; None if none do."""
        inside = self.within(scenario)
        least = inside.closest.least
        place = _exact_words(at, words)
        return None if least is None else inside.measure_between(max(least, scenario.records), divergence, place)

    def among(self, cohort: Cohort) -> Account:
        """The account of the same releases between datasets that differ in units of a cohort only, made once."""
        expect(Cohort, cohort, 'give one as Cohort("tier", values=["gold"])')
        if cohort not in self._among:
            entries, members = seen_by(self.entries, cohort)
            plan = evolve(self.plan, releases=tuple(entry.release for entry in entries))
            self._among[cohort] = Account.of(plan, entries, self.registry, members)
        return self._among[cohort]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return renamed(self, name, {"apart": "between", "cases": "whereabouts", "published": "by_formulas"})

    @property
    def closest(self) -> Closest:
        """How far apart the closest datasets are that agree on everything published exactly."""
        return self.plan.specification.universe.closest

    @property
    def one_step_only(self) -> str | None:
        """Why what is known between neighbours says nothing farther: the way there may leave the universe."""
        universe = self.plan.specification.universe
        return next(filter(None, (one_step_only(release, universe) for release in self.plan.releases)), None)

    def between(self, units: int, budget: Budget) -> Interval:
        """What holds in a budget's definition between datasets that differ in so many units."""
        expect(Budget, budget, _BUDGET)
        whom = self if budget.cohort is None else self.among(budget.cohort)
        return whom.measure_between(units, budget.divergence.name, budget.at).value

    def measure_between(
        self, units: int, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike
    ) -> Guarantee:
        """The value of a definition between datasets that differ in so many units.

        By the losses where the mechanisms say what a group loses, otherwise by rules for groups; without a bound where
        what is known between neighbours says nothing farther. Where something is published exactly, datasets at which
        the losses are attained need not be compared, so that there is no lower end.
        """
        specification, place, units = self.plan.specification, _exact_words(at, words), whole(units)
        if units <= specification.neighbours.group:
            return self.measure(divergence, place)
        if why := self.one_step_only:
            return unbounded(self.measure(divergence, place), units, why)
        neighbours = evolve(specification.neighbours, group=units)
        plan = evolve(self.plan.bare, specification=evolve(specification, neighbours=neighbours))
        try:
            found = account(plan, registry=self.registry).measure(divergence, place)
            found = found if self._members is None else self._members.stated(found)
        except PlanError:
            steps = specification.steps(units)
            found = GroupRules(self.measure, self.registry, steps).least(divergence, place) or unbounded(
                self.measure(divergence, place), units, f"no rule for groups covers {steps:,} steps"
            )
        if not specification.universe.changing:
            return found
        return evolve(found, value=Interval(0.0, found.value.upper))

    def measure(self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike) -> Guarantee:
        """The value of a definition that all releases together satisfy.

        The reading words are given by name: `measure("approx", delta="1e-6")`.
        """
        if self.whereabouts:
            return worst([(case.plan.title, case.measure(divergence, at, **words)) for case in steps(self.whereabouts)])
        definition: Divergence = self.registry.find(DIVERGENCES, divergence)
        reading_at = _exact_words(at, words)
        name = definition.reading(reading_at).value
        working_on(f"the {name} of {self.composed.named}")
        with in_range():
            routes = Routes(self.composed, definition, reading_at)
            value, evidence, derivation = routes.tightest()
        if self._inside:
            # Which datasets attain what the others lose is not known to be compared.
            value = Interval(0.0, value.upper)
        found = Guarantee(
            specification=self.plan.specification,
            divergence=divergence,
            at=reading_at,
            name=name,
            value=value,
            evidence=evidence,
            derivation=derivation,
            may_fail=definition.properties.failure and "delta" in reading_at,
            remark=routes.remark,
            compared=self._compared,
        )
        return found if self._members is None else self._members.stated(found)

    @cached_property
    def _below(self) -> Plan | None:
        return below(self.plan)

    @cached_property
    def _compared(self) -> bool:
        """Whether some neighbours are known to be compared between which every release loses what it loses at all."""
        known = self._below
        if known is None or len(known.releases) < len(self.plan.releases):
            return False
        if known is self.plan:
            return True
        try:
            lost = account(known, registry=self.registry).entries
        except AccountantError:
            return False
        return all(one.loss == other.loss for one, other in zip(lost, self.entries, strict=True))

    @property
    def _inside(self) -> bool:
        """Whether only what is lost inside the universe is counted, and not all neighbours are in one."""
        promised = self.plan.specification
        return any(entry.inside for entry in self.entries) or (promised.inside and bool(promised.universe.changing))

    def at_most(self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike) -> float:
        """The upper end of `measure` alone, which is quicker where a loss is known from both sides only."""
        if self.whereabouts:
            return max(case.at_most(divergence, at, **words) for case in self.whereabouts)
        with in_range():
            return Routes(self.composed, self.registry.find(DIVERGENCES, divergence), _exact_words(at, words)).least_upper()

    def at_least(self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike) -> float:
        """A lower end of `measure` alone, which is quicker where a loss is known from both sides only, and may be lower."""
        if self.whereabouts:
            return max(case.at_least(divergence, at, **words) for case in self.whereabouts)
        if self._inside or (self._members is not None and not self._members.attained):
            return 0.0
        with in_range():
            return Routes(
                self.composed, self.registry.find(DIVERGENCES, divergence), _exact_words(at, words)
            ).greatest_lower()

    def lens(self, divergence: str | Divergence) -> Lens:
        """The account seen through one definition: `lens("fdp").power(level="0.05")`."""
        name = divergence.name if isinstance(divergence, Divergence) else divergence
        return Lens(self.registry.find(DIVERGENCES, name), lambda at: self.measure(name, at))

    def epsilon(self, *, delta: ExactLike) -> Interval:
        """The epsilon at a delta, in the definition that is usually meant by these words."""
        return self.lens(answering(self.registry, "epsilon", "delta")).epsilon(delta=delta)

    def delta(self, *, epsilon: ExactLike) -> Interval:
        """The delta at an epsilon, in the definition that is usually meant by these words."""
        return self.lens(answering(self.registry, "delta", "epsilon")).delta(epsilon=epsilon)

    def by_formulas(
        self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike
    ) -> tuple[FormulaValue, ...]:
        """What formulas from the literature give for the same releases, beside `measure`."""
        if self.whereabouts:
            return worst_formulas([case.by_formulas(divergence, at, **words) for case in self.whereabouts])
        definition: Divergence = self.registry.find(DIVERGENCES, divergence)
        with in_range():
            return by_formulas(self.composed, definition, _exact_words(at, words))

    def cost(self, entry: Entry, definition: Divergence, at: Mapping[str, Fraction]) -> Interval:
        """What one release costs on its own, all its times together."""
        found = self._cost(entry, definition, at)
        return found if self._members is None or self._members.attained else Interval(0.0, found.upper)

    def _cost(self, entry: Entry, definition: Divergence, at: Mapping[str, Fraction]) -> Interval:
        alone = self.alone(entry)
        if alone.whereabouts:
            return larger(case.cost(case.entries[0], definition, at) for case in alone.whereabouts)
        if not at:
            for rule in self.registry[COMPOSITION_RULES].values():
                if rule.divergence == definition.name:
                    with in_range():
                        return rule.compose([(self.composed.cost(entry, definition, {}), entry.release.times)])
        return alone.measure(definition.name, at).value

    def alone(self, entry: Entry) -> Account:
        """The account of one release on its own."""
        expect(Entry, entry, "give one of the account's entries")
        plan = evolve(self.plan, title=entry.release.name, releases=(entry.release,))
        return Account.of(plan, (entry,), self.registry, self._members)

    def check(self, budget: Budget) -> tuple[Guarantee, Verdict]:
        """The guarantee in a budget's own definition, and whether it keeps the budget.

        Releases that derive what they lose keep it between all neighbours, whatever is published exactly, and so between
        all datasets that are compared, by the definition's rule for as many steps as they are apart. What is claimed or
        stated between neighbours that are compared reaches no farther than steps inside the universe do. A budget of a
        cohort is asked of what its units lose.
        """
        expect(Budget, budget, _BUDGET)
        if budget.cohort is not None:
            return self.among(budget.cohort).check(budget.of_everybody)
        guarantee = self.measure(budget.divergence.name, budget.at)
        cohort = None if self._members is None else self._members.cohort
        if vacuous(self.plan.specification, cohort):
            return guarantee, Verdict.VACUOUS
        if why := self.one_step_only or self._beyond_rule(budget):
            return evolve(guarantee, remark=why), Verdict.UNKNOWN
        verdict = Verdict.of(guarantee.value.at_most(budget.limit))
        if verdict is Verdict.UNKNOWN:
            guarantee, verdict = self._by_other_words(guarantee, budget)
        if verdict is Verdict.REFUTED and (why := self._only_claimed(budget)):
            return evolve(guarantee, remark=why), Verdict.UNKNOWN
        if verdict is not Verdict.IMPLIED and (known := self._below) is not self.plan:
            return self._known_from_below(guarantee, verdict, known, budget)
        return guarantee, verdict

    def _known_from_below(
        self, guarantee: Guarantee, verdict: Verdict, known: Plan | None, budget: Budget
    ) -> tuple[Guarantee, Verdict]:
        """A budget that is not shown to be kept: exceeded is what is surely lost between datasets that are compared."""
        lost = 0.0 if known is None else self._lost_at_least(known, budget)
        value = Interval(min(lost, guarantee.value.upper), guarantee.value.upper)
        if value.at_most(budget.limit) is False:
            return evolve(guarantee, value=value), Verdict.REFUTED
        why = guarantee.remark if verdict is Verdict.UNKNOWN else _PARTED
        return evolve(guarantee, value=value, remark=why), Verdict.UNKNOWN

    def _lost_at_least(self, plan: Plan, budget: Budget) -> float:
        try:
            found = account(plan, registry=self.registry).measure(budget.divergence.name, budget.at)
        except AccountantError:
            return 0.0
        return (found if self._members is None else self._members.stated(found)).value.lower

    def _by_other_words(self, guarantee: Guarantee, budget: Budget) -> tuple[Guarantee, Verdict]:
        """The same budget by its other words: epsilon at delta is at most a limit exactly where delta at that limit is."""
        definition, values = budget.divergence, budget.divergence.values(budget.parameter)
        if known_twice(self.composed) and not close(guarantee.value, budget.limit, self.plan.precision):
            # Both ends are as precise as the other reading's would be, and the limit is between them.
            return guarantee, Verdict.UNKNOWN
        for reading in definition.readings[1:]:
            if {*reading.at, reading.value} != set(values):
                continue
            other = self.measure(definition.name, {word: values[word] for word in reading.at})
            verdict = Verdict.of(other.value.at_most(values[reading.value]))
            if verdict is not Verdict.UNKNOWN:
                return concluded(guarantee, other, budget.limit, verdict), verdict
        return guarantee, Verdict.UNKNOWN

    def _only_claimed(self, budget: Budget) -> str | None:
        """Why a budget that is passed may be kept: a claim says how much is lost at most, never that it is lost."""
        claimed = [release.name for release in self.plan.releases if rests_on_claims(release.mechanism)]
        known = tuple(release for release in self.plan.releases if not rests_on_claims(release.mechanism))
        if not claimed:
            return None
        rest = evolve(self.plan.bare, releases=known)
        if known and account(rest, registry=self.registry).check(budget)[1] is Verdict.REFUTED:
            return None
        return f"what is claimed of {listed(claimed)} permits more, and may lose less"

    def _beyond_rule(self, budget: Budget) -> str | None:
        """Why a budget says nothing between the closest datasets: they are more steps apart than it has a rule for."""
        promised, least = self.plan.specification, self.closest.least
        if least is None or budget.after(promised.steps(least)) is not None:
            return None
        return f"{budget} has no rule for datasets {promised.steps(least):,} steps apart, and the closest are so far apart"

    def curve(self, divergence: str, over: str | None = None, *, places: Iterable[ExactLike] | None = None) -> Curve:
        """A value of a definition over one of its words, from both ends at each place: `curve("approx")`.

        The word is that of the definition's first reading, or `over`; places are those that the definition suggests where
        none are given.
        """
        from accountant.accounting.curve import curve_of

        definition: Divergence = self.registry.find(DIVERGENCES, divergence)
        return curve_of(self.plan, definition, self.measure, over, places)

    def _card(self) -> Card:
        """What its plan says, after the releases that cost nothing: a zero may be a slip of the pen."""
        reasons: dict[str, list[str]] = {}
        for entry in self.distinct:
            if (why := costless(entry)) is not None:
                reasons.setdefault(why, []).append(entry.release.name)
        zeros = tuple(("check", f"{listed(names)}: costs nothing, since {why}") for why, names in reasons.items())
        card = self.plan._card()
        return evolve(card, facts=(*zeros, *card.facts))

    def _headline(self) -> str:
        return self.plan._headline()


def _exact_words(at: Mapping[str, ExactLike] | None, words: Mapping[str, ExactLike]) -> dict[str, Fraction]:
    if at is not None:
        expect(Mapping, at, 'give the words by name: measure("approx", delta="1e-6")')
    return exact_words({**(at or {}), **words})
