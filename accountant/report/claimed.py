"""What follows where a limit is passed by what is claimed: a claim says how much is lost at most, never that it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from accountant.promise.guarantee import Verdict
from accountant.release.claim import rests_on_claims

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.promise.specification import Budget


def surely_exceeded(account: Account, budget: Budget) -> bool:
    """Whether the releases that are known by their mechanisms exceed a budget already, whatever those claimed of lose."""
    from accountant.accounting.account import account as account_of

    known = tuple(release for release in account.plan.releases if not rests_on_claims(release.mechanism))
    if not known:
        return False
    rest = account_of(evolve(account.plan.bare, releases=known), registry=account.registry)
    return rest.check(budget)[1] is Verdict.REFUTED


def not_shown(account: Account) -> tuple[bool, ...]:
    """For each budget of the plan, whether it is passed by what is claimed only: for all we know, it may be kept."""
    if not account.plan.comparison.claimed:
        return (False,) * len(account.plan.specification.budgets)
    return tuple(
        account.check(budget)[1] is Verdict.REFUTED and not surely_exceeded(account, budget)
        for budget in account.plan.specification.budgets
    )
