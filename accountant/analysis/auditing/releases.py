"""Audits of the releases of a plan."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction
from typing import Literal

from attrs import evolve, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.arithmetic import in_range
from accountant.accounting.entry import Entry
from accountant.analysis.auditing.auditor import Auditor, Finding
from accountant.analysis.auditing.simulation import Simulated, SimulatedSampling
from accountant.display.brief import Rich
from accountant.display.card import Card, Label, Tone
from accountant.errors import Fault, GridTooLarge, InvalidValue, PlanError, suggest
from accountant.fields import names
from accountant.loss import PrivacyLoss
from accountant.numbers.exact import ExactLike
from accountant.numbers.interval import Interval, larger
from accountant.plan.given import PlanLike, plan_of
from accountant.plan.plan import Plan
from accountant.progress import steps
from accountant.registry.registry import Registry
from accountant.release.claim import Claim
from accountant.release.release import Release

_TONES: dict[str, Tone] = {"refuted": "bad", "consistent": "neutral", "not audited": "doubtful"}


@frozen
class Audit(Rich):
    """What an audit says of one release, run once."""

    release: Release
    claimed: Interval | None = None
    """The epsilon of the account at the same delta; None where nothing was audited."""
    found: Finding | None = None
    remark: str | None = None
    """What was left out, and why."""

    @property
    def verdict(self) -> Literal["consistent", "refuted", "not audited"]:
        """Refuted if the mechanism loses more than the account says; consistent proves nothing."""
        if self.found is None or self.claimed is None:
            return "not audited"
        return "refuted" if self.found.epsilon > self.claimed.upper else "consistent"

    def _card(self) -> Card:
        """What runs of a release prove, beside what the account says."""
        facts = [("account", f"epsilon {self.claimed}")] if self.claimed is not None else []
        if self.found is not None:
            (likely, unlikely), runs = self.found.seen, self.found.runs
            facts += [
                ("found", f"epsilon is at least {self.found.epsilon:.6g}"),
                ("event", f"{self.found.event}: {likely:,} and {unlikely:,} times in {runs:,} runs on either side"),
            ]
        facts += [] if self.remark is None else [("remark", self.remark)]
        seen = ": no contradiction was seen, which proves nothing" if self.verdict == "consistent" else ""
        return Card(f"'{self.release.name}'{seen}", Label(self.verdict, _TONES[self.verdict]), tuple(facts))


def audit(
    plan: PlanLike,
    *,
    releases: Collection[str] | None = None,
    delta: ExactLike = "1e-6",
    samples: ExactLike = 10**6,
    confidence: ExactLike = "0.999",
    seed: ExactLike = 0,
    registry: Registry | None = None,
) -> tuple[Audit, ...]:
    """An audit of the named releases, or of all. Each is run as if once, many times over, on the worst answers it may see.

    Guarantee: with the confidence, all bounds hold together. Equal arguments, equal results.
    """
    auditor = Auditor(delta, samples, confidence, seed)
    found = plan_of(plan, registry=registry)
    chosen = _chosen(found, names(releases))
    whole = account(found, registry=registry)
    entries = [
        (index, _worst(whole.alone(entry), auditor.delta)) for index, entry in enumerate(whole.entries) if index in chosen
    ]
    able = sum(_obstacle(entry) is None for _, entry in entries)
    each = evolve(auditor, confidence=1 - (1 - auditor.confidence) / max(1, able))
    return tuple(_audit(each, entry, index) for index, entry in steps(entries))


def _chosen(plan: Plan, named: Collection[str] | None) -> frozenset[int]:
    known = {release.name: index for index, release in enumerate(plan.releases)}
    unknown = sorted(set(named or ()) - set(known))
    if unknown:
        raise PlanError(tuple(Fault(f"no release is called '{name}'{suggest(name, known)}", "release") for name in unknown))
    return frozenset(known.values() if named is None else (known[name] for name in named))


def _worst(alone: Account, delta: Fraction) -> Entry:
    """The one release of an account, where the unit is in the worst place for it."""
    entries = [case.entries[0] for case in alone.whereabouts or (alone,)]
    return entries[0] if len(entries) == 1 else max(entries, key=lambda entry: claimed_epsilon(entry.loss, delta).upper)


def _obstacle(entry: Entry) -> str | None:
    """Why a release cannot be audited, if it cannot."""
    if entry.faced.is_zero:
        return "the query does not move between neighbours"
    if isinstance(entry.release.mechanism, Claim):
        return "only a claim is known of it, and nothing to run"
    if not isinstance(entry.release.mechanism, Simulated):
        return f"'{entry.release.mechanism.kind}' does not say how to run it"
    return None


def _audit(auditor: Auditor, entry: Entry, index: int) -> Audit:
    release, obstacle, remark = entry.release, _obstacle(entry), None
    if obstacle is not None:
        return Audit(release, remark=obstacle)
    # Somebody who knows the draw compares the mechanism on two samples, as if these were all records.
    mechanism, sampling, loss = release.mechanism, None if entry.insider else release.sampling, entry.loss
    if sampling is not None and not isinstance(sampling, SimulatedSampling):
        remark = f"'{sampling.kind}' does not say how to draw a sample, so the mechanism is audited on all records"
        sampling, loss = None, entry.base
    assert isinstance(mechanism, Simulated)
    try:
        with in_range():
            found = auditor.examine(mechanism, entry.faced, sampling=sampling, stream=index)
            return Audit(release, claimed_epsilon(loss, auditor.delta), found, remark)
    except InvalidValue as error:
        raise PlanError((Fault(str(error), f"release[{index}].mechanism"),)) from error


def claimed_epsilon(loss: PrivacyLoss, delta: Fraction) -> Interval:
    """The epsilon of a loss at a delta in the worse direction."""
    back = loss.reverse()
    try:
        return larger(
            side.epsilon(delta) if delta else side.supremum() for side in ([loss] if back is loss else [loss, back])
        )
    except GridTooLarge:
        return Interval(0.0, math.inf)
