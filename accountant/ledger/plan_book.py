"""The book of a fixed plan: the product of the pairs of all releases, read as a whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction

from attrs import define, evolve, field

from accountant.accounting.account import Account, account
from accountant.errors import LedgerError
from accountant.ledger.batch import Priced
from accountant.ledger.book import Book, budget_line, remembered
from accountant.ledger.entries import Charge, added
from accountant.ledger.lines import Line
from accountant.ledger.terms import Terms
from accountant.ledger.theorems import VOUCHED
from accountant.numbers.exact import ExactLike
from accountant.numbers.interval import upper_fraction
from accountant.plan.reader import read_plan
from accountant.plan.writer import release_data
from accountant.promise.guarantee import Guarantee, Step, Verdict
from accountant.promise.specification import Budget
from accountant.registry.registry import Registry
from accountant.values.source import canonical

_MANY = 64


@define
class PlanBook(Book):
    """How often each release is made. The product of all their pairs is read as a whole."""

    terms: Terms
    registry: Registry
    _accounts: dict[str, Account] = field(factory=dict)

    def charge(self, priced: Priced, total: Charge) -> dict[str, Fraction]:
        if priced.bridge.group > 1:
            raise LedgerError(
                "a fixed plan composes losses, and what is promised between other neighbours is only known as a parameter; "
                "describe the releases under the ledger's own neighbours, or use a fully adaptive ledger"
            )
        whole: dict[str, Fraction] = {}
        for release in priced.batch.releases:
            content = release_data(evolve(release, name="release", times=1))
            item = canonical(content)
            whole[item] = whole.get(item, Fraction(0)) + release.times
        return whole

    def account(self, total: Charge) -> Account:
        """The account of all releases in a sum of charges."""
        used = {item: amount for item, amount in total.items() if amount}
        content = canonical({item: str(amount) for item, amount in used.items()})
        whole: Account = remembered(self._accounts, content, lambda: self._composed(used), _MANY)
        return whole

    def _composed(self, used: Charge) -> Account:
        releases = [
            {**json.loads(item), "name": f"release {index}", "times": str(amount)}
            for index, (item, amount) in enumerate(sorted(used.items()), start=1)
        ]
        promised = self.terms.plan.specification
        made = read_plan({"release": releases}, registry=self.registry, may_be_empty=True, specification=promised)
        return account(evolve(self.terms.plan, releases=made.releases), registry=self.registry)

    def keeps(self, total: Charge) -> bool:
        whole = self.account(total)
        return all(whole.check(budget)[1] is Verdict.IMPLIED for budget in self.terms.plan.specification.budgets)

    def lines(self, spent: Charge, reserved: Charge, asked: Charge | None) -> tuple[Line, ...]:
        sums = [spent, added(spent, reserved)]
        if asked is not None:
            sums.append(added(sums[1], asked))
        accounts = [self.account(total) for total in sums]
        found = []
        for budget in self.terms.plan.specification.budgets:
            fits = asked is not None and accounts[-1].check(budget)[1] is Verdict.IMPLIED
            found.append(budget_line(budget, [_bounded(whole, budget) for whole in accounts], fits))
        return tuple(found)

    def measure(self, spent: Charge, divergence: str, at: Mapping[str, ExactLike]) -> Guarantee:
        guarantee = self.account(spent).measure(divergence, at)
        vouched = Step("the releases and their parameters were fixed in advance", VOUCHED)
        return evolve(guarantee, derivation=(vouched, *(_later(step) for step in guarantee.derivation)))


def _later(step: Step) -> Step:
    return evolve(step, uses=tuple(use + 1 for use in step.uses))


def _bounded(whole: Account, budget: Budget) -> Fraction | None:
    value = whole.check(budget)[0].value
    return upper_fraction(value) if value.upper < float("inf") else None
