"""Difference: what changed from one plan to another, and what that does to what they cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from attrs import evolve, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.relative import relative
from accountant.analysis.changes import Change, changes, reordered
from accountant.analysis.comparison import worst
from accountant.analysis.implication import Implication, implies
from accountant.display.brief import Brief, Rich
from accountant.display.card import Card, CardRows, Folded
from accountant.errors import AccountantError, Fault, PlanError
from accountant.numbers.interval import Interval
from accountant.plan.plan import Plan
from accountant.plan.writer import release_data
from accountant.promise.cards import BUDGETS, verdict_label
from accountant.promise.cohort import Cohort
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.specification import Budget, Specification
from accountant.registry.registry import Registry, default_registry
from accountant.values.source import canonical
from accountant.values.writing import at_words, in_words, kind_data


@frozen
class Spent(Brief):
    """What a plan comes to in one reading; where it has a budget there, its limit and whether that is kept."""

    guarantee: Guarantee
    limit: Fraction | None = None
    verdict: Verdict | None = None


@frozen
class CostChange(Brief):
    """One reading of both plans; None where a plan cannot be read so.

    `growth` is by how much the value grows, None where that is not known or means nothing. Guarantee: it contains the
    second value minus the first.
    """

    reading: str
    before: Spent | None
    after: Spent | None
    growth: Interval | None


@frozen
class Decided(Brief):
    """Something that a plan decides, and the verdict in each plan that asks for it."""

    subject: str
    before: Verdict | None
    after: Verdict | None


@frozen
class PlanDifference(Rich):
    """Two plans side by side.

    `verdicts` are the worst of each plan, None where it decides nothing. Where the plans promise something about different
    datasets or units, their numbers are not comparable: `promises` then says whether the first promise implies the second,
    and the second the first, where both have budgets.
    """

    before: Plan
    after: Plan
    changes: tuple[Change, ...]
    reordered: bool
    decisions: tuple[Decided, ...]
    costs: tuple[CostChange, ...]
    comparable: bool
    promises: tuple[Implication, Implication] | None

    @property
    def verdicts(self) -> tuple[Verdict | None, Verdict | None]:
        """The worst verdict of each plan."""
        found = [[getattr(item, side) for item in self.decisions] for side in ("before", "after")]
        known = [[verdict for verdict in side if verdict is not None] for side in found]
        first, second = (worst(side) if side else None for side in known)
        return first, second

    @property
    def kept(self) -> bool:
        """Whether the second plan keeps every budget, of which it has at least one, and tolerates every risk."""
        return self.verdicts[1] is Verdict.IMPLIED

    @property
    def incomparable(self) -> tuple[Change, ...]:
        """Why numbers are not comparable: in what the specifications differ."""
        return () if self.comparable else tuple(change for change in self.changes if change.part == "specification")

    def _card(self) -> Card:
        """What the second plan comes to, what each reading was and is, and what changed."""
        verdict = self.verdicts[1]
        count = len(self.changes)
        title = f"'{self.before.title}' to '{self.after.title}', {count:,} {'change' if count == 1 else 'changes'}"
        apart = "" if self.comparable else "what is promised differs, so that numbers before and after are not comparable"
        costs = tuple((cost.reading, _shown(cost.before), _shown(cost.after)) for cost in self.costs)
        return Card(
            title,
            None if verdict is None else verdict_label(verdict.value, BUDGETS),
            (("note", apart),) if apart else (),
            (
                *((CardRows(("reading", "before", "after"), costs),) if costs else ()),
                Folded("changes", tuple(f"{change.place}: {change.word}" for change in self.changes)),
            ),
        )


def difference(before: Plan | Account, after: Plan | Account, *, registry: Registry | None = None) -> PlanDifference:
    """What changed from one plan to another, and what that does to what they cost. All numbers are computed here."""
    known = registry or default_registry()
    old, new = (item if isinstance(item, Account) else account(item, registry=known) for item in (before, after))
    first, second = old.plan.specification, new.plan.specification
    comparable = _between_whom(first) == _between_whom(second)
    promises = None
    if not comparable and first.budgets and second.budgets:
        promises = implies(first, second, registry=known), implies(second, first, registry=known)
    return PlanDifference(
        old.plan,
        new.plan,
        changes(old.plan, new.plan, known),
        reordered(old.plan, new.plan, known),
        tuple(_decided(_worst_of(_verdicts(old, "old")), _worst_of(_verdicts(new, "new")))),
        tuple(_costs(old, new, comparable)),
        comparable,
        promises,
    )


def _shown(spent: Spent | None) -> str:
    return "" if spent is None else spent.guarantee.value.shown(6)


def _between_whom(promised: Specification) -> Specification:
    """All that two numbers must share to be compared: everything but the budgets, in any order."""
    invariants = sorted(promised.invariants, key=lambda known: known.written())
    return evolve(promised, budgets=(), invariants=tuple(invariants))


def _verdicts(whole: Account, which: str) -> Iterator[tuple[str, Verdict]]:
    """Everything that a certificate of the plan would decide: budgets, relative ones and risks, by what they are called."""
    for budget in whole.plan.specification.budgets:
        yield _subject(budget), whole.check(budget)[1]
    for known in whole.plan.knowledge:
        for budget in known.budgets:
            yield f"{_subject(budget)} relative to '{known.public.name}'", relative(whole, known.public, budget).verdict
    for index, risk in enumerate(whole.plan.risks):
        label = f"risk {in_words(kind_data(risk))}"
        try:
            yield label, risk.assess(whole).verdict
        except AccountantError as error:
            raise PlanError((Fault(f"{label}: {error}", f"risk[{index}] of the {which} plan"),)) from error


def _worst_of(decided: Iterable[tuple[str, Verdict]]) -> dict[str, Verdict]:
    """What is decided of each subject; of several that are called the same, the worst."""
    found: dict[str, Verdict] = {}
    for subject, verdict in decided:
        found[subject] = worst([verdict, found.get(subject, verdict)])
    return found


def _subject(budget: Budget) -> str:
    """A budget with its limit: where that changes, something else is decided."""
    return f"{budget.divergence.name} {budget.how_much}"


def _decided(before: Mapping[str, Verdict], after: Mapping[str, Verdict]) -> Iterator[Decided]:
    for subject in dict.fromkeys((*before, *after)):
        yield Decided(subject, before.get(subject), after.get(subject))


Place = tuple[str, tuple[tuple[str, Fraction], ...], Cohort | None]
"""A definition by its name, the words at which it is read, and of whom."""


def _costs(before: Account, after: Account, comparable: bool) -> Iterator[CostChange]:
    """The reading of every budget of either plan, in both of them."""
    sides = [(whole, _by_place(whole)) for whole in (before, after)]
    same = _released(before) == _released(after)
    for place in dict.fromkeys(place for _, budgets in sides for place in budgets):
        name, at, cohort = place
        first, second = (_spent(whole, place, budgets.get(place)) for whole, budgets in sides)
        definition = next(budgets[place] for _, budgets in sides if place in budgets).divergence
        whom = "" if cohort is None else f" for {cohort}"
        label = f"{name} {definition.primary.value}{at_words(dict(at))}{whom}"
        yield CostChange(label, first, second, _growth(first, second, same) if comparable else None)


def _released(whole: Account) -> Counter[str]:
    """All that the value of a reading depends on between the same datasets: what is released, whatever it is called."""
    return Counter(canonical({**release_data(release), "name": ""}) for release in whole.plan.releases)


def _by_place(whole: Account) -> dict[Place, Budget]:
    """The budgets of a plan by where they are read; of several at one place the smallest counts."""
    found: dict[Place, Budget] = {}
    for budget in whole.plan.specification.budgets:
        place = budget.divergence.name, tuple(sorted(budget.at.items())), budget.cohort
        if place not in found or budget.limit < found[place].limit:
            found[place] = budget
    return found


def _spent(whole: Account, place: Place, budget: Budget | None) -> Spent | None:
    if budget is not None:
        guarantee, verdict = whole.check(budget)
        return Spent(guarantee, budget.limit, verdict)
    name, at, cohort = place
    try:
        return Spent((whole if cohort is None else whole.among(cohort)).measure(name, dict(at)))
    except AccountantError:
        return None  # only the other plan asks for this reading


def _growth(before: Spent | None, after: Spent | None, same: bool) -> Interval | None:
    """The second value minus the first, rounded outward; None where no datasets are compared or one may be infinite.

    Of the same releases it is 0, however little is known of the value.
    """
    if before is None or after is None or Verdict.VACUOUS in (before.verdict, after.verdict):
        return None
    if same:
        return Interval.of(0)
    first, second = before.guarantee.value, after.guarantee.value
    if math.inf in (first.upper, second.upper):
        return None
    opposite = None if first.exact is None else -first.exact
    return second + Interval(-first.upper, -first.lower, opposite)
