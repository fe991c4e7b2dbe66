"""Batches: the releases that one request asks for, and the specification they were described under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.theorems import GROUP
from accountant.analysis.compared import steps_between
from accountant.display.brief import Brief
from accountant.errors import Fault, LedgerError, PlanError
from accountant.ledger.terms import Terms
from accountant.plan.reader import read_plan
from accountant.plan.writer import release_data, specification_data
from accountant.promise.guarantee import Verdict
from accountant.promise.specification import Specification
from accountant.promise.theorem import Theorem
from accountant.registry.registry import Registry
from accountant.release.release import Release
from accountant.values.hygiene import unusable


def _releases(value: Release | Sequence[Release]) -> tuple[Release, ...]:
    return (value,) if isinstance(value, Release) else tuple(value)


@frozen
class Batch(Brief):
    """Releases that are priced, reserved and settled together.

    `specification` is what they were described under, where that is not the ledger's own: which neighbours a claim
    speaks of cannot be seen from the claim.
    """

    releases: tuple[Release, ...] = field(converter=_releases)
    specification: Specification | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the releases."""
        return tuple(release.name for release in self.releases)

    def as_data(self) -> dict[str, Any]:
        """The batch as plain data."""
        stated = self.specification_data
        data: dict[str, Any] = {"releases": [release_data(release) for release in self.releases]}
        return data if stated is None else {**data, "specification": stated}

    @property
    def specification_data(self) -> dict[str, Any] | None:
        """The specification as plain data, where it is not the ledger's own."""
        if self.specification is None:
            return None
        return specification_data(self.specification)


def read_batch(data: object, terms: Terms, *, registry: Registry | None = None, folder: Path | None = None) -> Batch:
    """The batch in plain data: a plan, whose budgets are left aside, with or without a specification of its own.

    Tables of releases lie in `folder`.
    """
    faults = tuple(unusable(data, "batch"))
    if faults:
        raise PlanError(faults)
    if not isinstance(data, Mapping):
        raise PlanError((Fault(f"expected a table, got {data!r}", "batch"),))
    table = dict(data)
    if "release" not in table and table.keys() & {"name", "mechanism"}:
        table = {"release": [table]}
    plan = read_plan(table, registry=registry, folder=folder, specification=terms.plan.specification)
    return Batch(plan.releases, evolve(plan.specification, budgets=()) if "specification" in table else None)


@frozen
class Passage:
    """How a promise about one set of neighbours becomes one about another: so many units differ, by these theorems."""

    group: int = 1
    theorem: Theorem | None = None

    def as_data(self) -> dict[str, Any]:
        """The bridge as plain data; nothing where there is none."""
        return {} if self.theorem is None else {"bridge": {"group": self.group, "theorem": self.theorem.name}}


@frozen
class Priced:
    """A batch whose releases have become losses, and the bridge to the ledger's specification."""

    batch: Batch
    account: Account
    bridge: Passage

    @classmethod
    def of(cls, batch: Batch, terms: Terms, registry: Registry) -> Priced:
        """A batch priced. One under other neighbours, units or invariants is refused unless a theorem bridges them.

        Guarantee: the price is what the releases cost against the ledger's own attacker, whomever they were described
        against.
        """
        if not batch.releases:
            raise LedgerError("nothing was asked for; give at least one release")
        promised = evolve(terms.plan.specification, budgets=())
        stated = batch.specification or promised
        bridge = bridge_between(stated, promised)
        faced = evolve(stated, attacker=promised.attacker)
        plan = evolve(terms.plan, title="request", specification=faced, releases=batch.releases)
        found = account(plan, registry=registry)
        if why := found.one_step_only:
            raise PlanError((Fault(why, "release"),))
        return cls(batch, found, bridge)


def bridge_between(stated: Specification, promised: Specification) -> Passage:
    """How releases under one specification may be charged to another: as far as the first is known to imply the second."""
    reasons, steps = steps_between(stated, promised, {})
    doubts = [reason.words for reason in reasons if reason.verdict is not Verdict.IMPLIED]
    if doubts:
        sides = f"the releases speak of {_described(stated)}, the ledger of {_described(promised)}"
        raise PlanError(tuple(Fault(f"{sides}: {words}", "specification") for words in doubts))
    apart = steps.within(promised.neighbours.group)
    return Passage(apart, GROUP if apart > 1 else None)


def _described(specification: Specification) -> str:
    """Who is compared with whom, in few words."""
    neighbours = specification.neighbours
    size = "" if neighbours.group == 1 else f" in groups of {neighbours.group}"
    differing = "" if neighbours.attributes is None else f" by {', '.join(sorted(neighbours.attributes))}"
    fixed = ", ".join(f"'{invariant.name}'" for invariant in specification.invariants)
    given = f" that agree on {fixed}" if fixed else ""
    compared = f"'{neighbours.relation.name}' neighbours of unit {neighbours.unit}{size}{differing}"
    known = " for an insider" if specification.attacker == "insider" else ""
    return f"{compared} in '{specification.domain}'{given}{known}"
