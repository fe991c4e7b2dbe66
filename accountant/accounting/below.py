"""Below: what is known to be lost between datasets that are compared, so that a budget is exceeded.

What mechanisms lose belongs to neighbours that move a query as far as any. These may differ in what is published exactly,
so that nothing is promised between them; and of queries about other entities than the unit only an upper bound of how far
they move is always known. What is left then are fewer neighbours and fewer releases: these lose no more than all of them.
"""

from __future__ import annotations

from attrs import evolve

from accountant.plan.plan import Plan
from accountant.promise.alone import alone
from accountant.promise.effect import Effect
from accountant.promise.neighbours import Neighbours
from accountant.promise.specification import Specification
from accountant.release.release import Release


def below(plan: Plan) -> Plan | None:
    """The plan between neighbours that are compared, with the releases that are known to move as far as is said.

    The plan itself where nothing has to be left out; None where nothing is left.
    """
    promised = alone(plan.specification, plan.attributes)
    if promised is None:
        promised = plan.specification
        releases = tuple(release for release in plan.releases if _about_compared(release, promised))
    else:
        releases = tuple(release for release in plan.releases if _reached(release, promised.neighbours))
    if promised is plan.specification and len(releases) == len(plan.releases):
        return plan
    return evolve(plan.bare, specification=promised, releases=releases) if releases else None


def _reached(release: Release, neighbours: Neighbours) -> bool:
    """Whether some neighbours move the query as far as it is said to move: not by what all in its scope have alike."""
    query, scope = release.query, release.scope
    if query is None:
        return _exchanged(release, neighbours)
    if query.stated:
        return True
    if scope is not None and query.attributes == frozenset((scope.partition,)):
        return False
    return Effect(neighbours, query.of or neighbours.unit, query.attributes).reached


def _exchanged(release: Release, neighbours: Neighbours) -> bool:
    """Whether units may differ in what a mechanism exchanges, which is what the tables that it publishes do not share."""
    tables = [known.counts_by for known in release.mechanism.publishes() if known.counts_by is not None]
    apart = neighbours.attributes
    return not tables or apart is None or bool(apart & (frozenset.union(*tables) - frozenset.intersection(*tables)))


def _about_compared(release: Release, promised: Specification) -> bool:
    """Whether a mechanism speaks of datasets that agree on tables which it publishes, and these fix all that may change."""
    unit, changing = promised.neighbours.unit, promised.universe.changing
    shown = [known.counting(unit) for known in release.mechanism.publishes() if known.counts_by is not None]
    exact = [known.counting(unit) for known in promised.invariants if known.fixed or known in changing]
    return release.query is None and all(any(table.determines(known) for table in shown) for known in exact)
