"""View: an account as someone sees it who wants to learn one thing about one unit: whether it is there, or some values.

Against the strong adversary throughout: everything about everybody else is known, and everything about the target but
what is at stake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import Factory, evolve, field, frozen

from accountant import Interval, Scenario
from accountant.numbers import log_of
from accountant.numbers.rounding import down, up
from accountant.plugin import DIVERGENCES, MECHANISMS, NEIGHBOURS
from accountant.report import in_a_row, say, spoken
from accountant_posterior.reports.wording import most, of_100
from accountant_posterior.semantics.adversary import check_usual
from accountant_posterior.semantics.evidence import LossEvidence
from accountant_posterior.semantics.odds import updated
from accountant_posterior.semantics.probabilistic import from_bounded

if TYPE_CHECKING:
    from accountant import Account, Neighbours, Release
    from accountant.loss import PrivacyLoss
    from accountant.plugin import ComparedPairs, Divergence
    from accountant_posterior.reports.cuts import Cuts


_CUTS, _FEWER_CUTS = 96, 16
_CODE = 2
_NEAR, _FAR = ("0.001", "0.01", "0.1"), ("1e-9", "1e-6", "1e-4", "0.01", "0.1")


@frozen(eq=False)
class View:
    """What can be learned about one topic.

    All readings come from one loss that dominates the account's: the hull of its (epsilon, delta) curve through some
    points, upper ends. So every number holds, curves cost little, and what one says never contradicts another.
    """

    label: str
    """What it is called in tables and figures: by the name that the plan gives it, if it gives one."""
    topic: str
    """What is asked about, with everything that the numbers leave out."""
    account: Account
    comparison: ComparedPairs
    attributes: frozenset[str] | None = None
    name: str | None = None
    apart: str = ""
    """What the numbers leave out, in a sentence of its own, where `short` does not say it."""
    short: str = field(default=Factory(lambda self: self.topic, takes_self=True))
    """What is asked about in a few words, beside which `apart` must stand."""
    _spreads: dict[Fraction, Interval] = field(factory=dict, init=False, repr=False)

    @cached_property
    def settled(self) -> bool:
        """Whether what is published exactly gives the answer to whoever knows all other units."""
        least = self.account.closest.least
        return least is None or least > self.account.plan.specification.neighbours.group

    @cached_property
    def loss(self) -> PrivacyLoss:
        """A loss that dominates that of all releases together, wherever a unit may be."""
        from accountant.loss import NO_LOSS, TOTAL_LOSS

        if self.settled:
            return TOTAL_LOSS
        return NO_LOSS if self.cuts is None else self.cuts.loss

    @cached_property
    def cuts(self) -> Cuts | None:
        """Points of the (epsilon, delta) curve, upper ends; None where nothing is open, or nothing is lost."""
        from accountant.loss import sides
        from accountant_posterior.reports.cuts import Cuts

        if self.settled or self.guess.exact == Fraction(1, 2):
            return None
        # Where a loss is known from both sides only, a reading takes long and a finer hull would hardly be any tighter.
        known = all(above is below for above, below in map(sides, self._losses))
        number = _CUTS if known else _FEWER_CUTS
        near, far = self._epsilon(_NEAR), self._epsilon(_FAR)
        # Most of them where the loss mostly is, the others in its tail.
        close = 2 * number // 3
        ends = [near * step / close for step in range(close)]
        ends += [near + (far - near) * step / (number - close) for step in range(number - close + 1)]
        places = [Fraction(math.ceil(1024 * end), 1024) for end in ends]
        return Cuts({float(place): self.account.at_most("approx", epsilon=place) for place in places})

    @property
    def _losses(self) -> list[PrivacyLoss]:
        """The loss of all releases for each place where a unit may be."""
        return [case.loss for case in self.account.whereabouts or (self.account,)]

    def _epsilon(self, deltas: Sequence[str]) -> float:
        """The epsilon at the first of some deltas that has a finite one."""
        found = (self.account.at_most("approx", delta=delta) for delta in deltas)
        return next((epsilon for epsilon in found if epsilon < math.inf), 0.0)

    def definition(self, name: str) -> Divergence:
        """A privacy definition by its name."""
        definition: Divergence = self.account.registry.find(DIVERGENCES, name)
        return definition

    @cached_property
    def guess(self) -> Interval:
        """How often the best guess about an even question is right: (1 + delta(0))/2."""
        if self.settled:
            return Interval.of(1)
        gain = self.account.measure("approx", epsilon=0).value
        if gain.exact is not None:
            return Interval.of((1 + gain.exact) / 2)
        return Interval(down(0.5 + 0.5 * gain.lower), min(1.0, up(0.5 + 0.5 * gain.upper)))

    def slack(self, epsilon: Fraction) -> float:
        """delta at epsilon."""
        return self.definition("approx").measure(self.loss, {"epsilon": epsilon}).upper

    def power(self, level: Fraction) -> Fraction:
        """The largest power of a test at a level."""
        return most(
            self.definition("fdp").measure(self.loss, {"level": level}) if self.cuts is None else self.cuts.power(level)
        )

    def exceeding(self, times: Fraction) -> float:
        """How often at most the odds grow by more than a factor, when what they speak for is the truth."""
        epsilon = max(0.0, log_of(times).lower)
        if self.cuts is not None:
            return self.cuts.exceeding(epsilon).upper
        return self.definition("pbdp").measure(self.loss, {"epsilon": Fraction(epsilon)}).upper

    def rarely_beyond(self, failure: Fraction) -> float:
        """The log of a factor that the odds exceed, towards the truth, with at most some probability."""
        return self._gain(failure).upper

    def _gain(self, power: Fraction) -> Interval:
        """The log of the largest factor between the power and the level of a test."""
        if self.cuts is None:
            return self.definition("pbdp").measure(self.loss, {"delta": power})
        return self.cuts.gain(power)

    @cached_property
    def always(self) -> Interval:
        """The log of a factor by which the odds never move more, in either direction."""
        return Interval.infinite() if self.settled else self.account.measure("pure").value

    def never_fails(self, failure: Fraction) -> bool:
        """Whether what holds but with some probability holds always."""
        return self.always.upper < math.inf and self.spread(failure).upper >= self.always.upper

    def spread(self, failure: Fraction) -> Interval:
        """The log of a factor by which the odds move in either direction, but with some probability."""
        if failure not in self._spreads:
            found = from_bounded(self._gain, failure)
            self._spreads[failure] = min(found, self.always, key=lambda reach: reach.upper)
        return self._spreads[failure]

    def belief(self, prior: Fraction, failure: Fraction) -> Interval:
        """Between which ends a belief stays, but with some probability."""
        reach = self.spread(failure).upper
        if reach == 0:
            return Interval.of(prior)
        return Interval(
            updated(prior, Interval(-reach, -reach)).lower,
            updated(prior, Interval(reach, reach)).upper,
        )


def repeated(whole: View, times: int) -> View:
    """What can be learned if everything is released so many times, with fresh noise, from the same data."""
    from accountant import account

    releases = tuple(evolve(release, times=times * release.times) for release in whole.account.plan.releases)
    plan = evolve(whole.account.plan, releases=releases)
    return evolve(whole, label=str(times), account=account(plan, registry=whole.account.registry))


def alike(whole: View, units: int) -> View | None:
    """What can be learned about so many units that are known to be alike; None where that is not known."""
    found = LossEvidence(whole.account).grouped(units)
    if found is None:
        return None
    own = whole.comparison.neighbours
    grown = evolve(whole.comparison, neighbours=evolve(own, group=units * own.group))
    return evolve(whole, label=str(units), account=found, comparison=grown)


def insider(whole: View) -> View | None:
    """What can be learned by those who know who was sampled; None where everybody may."""
    from accountant import account

    if not whole.comparison.hidden_sample:
        return None
    plan = whole.account.plan.against("insider")
    known = evolve(whole.comparison, hidden_sample=False)
    return evolve(whole, account=account(plan, registry=whole.account.registry), comparison=known)


@frozen
class Target:
    """Whom a report speaks of: one unit that stands for any other."""

    neighbours: Neighbours

    @property
    def is_person(self) -> bool:
        """Whether the unit is a person, who may be given a name."""
        return self.neighbours.unit == "person" and self.neighbours.group == 1

    @property
    def introduced(self) -> str:
        """The target when it is first spoken of."""
        return self._said("introduced")

    @property
    def name(self) -> str:
        """What the target is called."""
        return self._said("name")

    @property
    def owner(self) -> str:
        """Whose something is."""
        return self._said("owner")

    @property
    def several(self) -> str:
        """A number of such targets."""
        return self._said("several")

    @property
    def others(self) -> str:
        """All other units."""
        return self._said("others")

    @property
    def unit(self) -> str:
        """One unit, whatever the group."""
        return spoken().unit(self.neighbours.unit)

    @property
    def units(self) -> str:
        """Several units, whatever the group."""
        return spoken().unit(self.neighbours.unit, 2)

    def _said(self, word: str) -> str:
        kind = "person" if self.is_person else "group" if self.neighbours.group > 1 else "unit"
        parts = {"unit": self.unit, "units": self.units, "group": self.neighbours.group}
        return say(f"target.{kind}.{word}", **parts)


def views(whole: Account) -> tuple[View, ...]:
    """The whole account, what it says of values where neighbours only differ in who is there, and scenarios.

    Those that suppose other releases, or another attacker, than there are stand in tables only.
    """
    check_usual(whole.plan.specification.neighbours)
    about = ((scenario, scenario.attributes) for scenario in whole.plan.scenarios if scenario.plain)
    named = (_about(whole, scenario, attributes) for scenario, attributes in about if attributes is not None)
    return (_everything(whole), *_values(whole), *named)


def _everything(whole: Account) -> View:
    neighbours, compared = whole.plan.specification.neighbours, whole.plan.comparison
    target = Target(neighbours)
    if not neighbours.relation.edits:
        topic = say("topic.presence", name=target.name)
        return View(say("label.presence"), topic, whole, compared)
    if neighbours.attributes is not None:
        words = in_a_row(sorted(neighbours.attributes)) or say("label.nothing")
        if not neighbours.attributes:
            return View(words, words, whole, compared, neighbours.attributes)
        return View(words, attributes=neighbours.attributes, **_asked(whole, neighbours.attributes))
    parts = {"name": target.name, "owner": target.owner}
    short = say("topic.anything", **parts)
    if whole.plan.specification.invariants:
        topic = say("topic.anything_open", **parts)
        return View(say("label.open"), topic, whole, compared, apart=say("topic.exact_apart"), short=short)
    return View(say("label.record"), short, whole, compared)


def _values(whole: Account) -> tuple[View, ...]:
    """Two values of a record, which are two steps apart between neighbours that add or remove one."""
    neighbours, evidence = whole.plan.specification.neighbours, LossEvidence(whole)
    relation = whole.registry[NEIGHBOURS].get("replace-one")
    if not neighbours.relation.by_presence or relation is None:
        return ()
    between = evidence.replaced(1) or evidence.grouped(2)
    if between is None:
        return ()
    compared = evolve(whole.plan.comparison, neighbours=evolve(neighbours, relation=relation))
    topic = say("topic.values", owner=Target(neighbours).owner)
    return (View(say("label.values"), topic, between, compared),)


def _about(whole: Account, scenario: Scenario, attributes: frozenset[str]) -> View:
    """What an author calls by a name of their own, with the attributes that it stands for where the name is another.

    Letters and numbers of one or two characters are codes: they stand behind what they stand for.
    """
    listed = in_a_row(sorted(attributes))
    alike = scenario.name.casefold() == listed.casefold()
    kind = "label.code" if len(scenario.name) <= _CODE else "label.scenario"
    label = scenario.name if alike else say(kind, name=scenario.name, attributes=listed)
    inside = whole.within(scenario)
    return View(label, attributes=attributes, name=scenario.name, **_asked(inside, attributes))


def _asked(account: Account, attributes: frozenset[str]) -> dict[str, Any]:
    """What is asked about some attributes, and what that leaves out where it is not known which answers are ruled out."""
    owner = Target(account.plan.specification.neighbours).owner
    short = say("topic.attributes", owner=owner, names=in_a_row(sorted(attributes)), count=len(attributes))
    said = {"account": account, "comparison": account.plan.comparison, "short": short}
    universe = account.plan.specification.universe
    if not universe.undeclared and not universe.coupled:
        return {**said, "topic": short}
    return {**said, "topic": say("topic.attributes_open", topic=short), "apart": say("topic.exact_apart")}


def without_noise(view: View) -> Interval | None:
    """How often guesses could be right if the same were published exactly; None where that is not known.

    What is only claimed is no table and adds to it: beside claims the number is only known where tables say it all.
    """
    from accountant import account

    exact = view.account.registry[MECHANISMS].get("non-private")
    if exact is None or view.settled:
        return None
    plan = view.account.plan.bare
    if any(_gives_away(release, plan.specification.neighbours) for release in plan.releases):
        return Interval.of(1)
    releases = tuple(evolve(release, mechanism=exact()) for release in plan.releases if release.query is not None)
    if not releases:
        return None
    found = evolve(view, account=account(evolve(plan, releases=releases), registry=view.account.registry)).guess
    return found if len(releases) == len(plan.releases) or found.lower >= 1 else None


def _gives_away(release: Release, neighbours: Neighbours) -> bool:
    """Whether a table of all records that were published exactly would tell neighbours apart."""
    query = release.query
    return release.sampling is None and release.scope is None and query is not None and not query.shift(neighbours).is_zero


def headline(seen: tuple[View, ...], limit: int = 3) -> tuple[View, ...]:
    """The few that tell most: everything, and scenarios of few attributes from what is learned best to what is least."""
    whole, *others = seen
    few = min((len(view.attributes or ()) for view in others), default=0)
    told = {of_100(whole.guess)}
    picked: list[View] = []
    for view in sorted(others, key=lambda view: -view.guess.upper):
        if view.comparison.neighbours.relation != whole.comparison.neighbours.relation:
            picked.append(view)
        elif len(view.attributes or ()) == few and of_100(view.guess) not in told:
            told.add(of_100(view.guess))
            picked.append(view)
    room = limit - 1
    if len(picked) > room:
        picked = [picked[round(step * (len(picked) - 1) / max(1, room - 1))] for step in range(room)]
    return (whole, *picked)


def why_not_told(view: View, seen: tuple[View, ...], told: tuple[View, ...]) -> str | None:
    """Why a view is not among the few that tell most; None for one that is."""
    if view in told:
        return None
    few = min(len(other.attributes or ()) for other in seen[1:])
    if len(view.attributes or ()) > few:
        return say("drawn.more_attributes")
    for other in told:
        if of_100(other.guess) == of_100(view.guess):
            return say("drawn.as_many", label=other.label)
    return say("drawn.between")
