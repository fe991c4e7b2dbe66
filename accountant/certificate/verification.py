"""Verification: whether a certificate follows from a plan, recomputed part by part.

Another platform or library may compute other last digits. A certificate is therefore not compared digit by digit where it
states numbers: what is recomputed here must show each.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import evolve, frozen

from accountant.certificate.certificate import Certificate
from accountant.certificate.certify import certify
from accountant.certificate.contents import Contents
from accountant.certificate.loaded import loaded_differences, plugin_differences as plugin_differences, unchecked
from accountant.certificate.recomputed import KnownEnds, Recomputed, held, narrowed, recomputed, unsupported
from accountant.certificate.seal import changed, readable
from accountant.display.brief import Rich
from accountant.display.card import Card, CardRows
from accountant.errors import AccountantError, Fault
from accountant.fields import expect
from accountant.loss.readings.precision import FINEST_PRECISION
from accountant.numbers.exact import exact, plain
from accountant.plan.given import PlanLike, plan_of
from accountant.plan.plan import Plan
from accountant.promise.cards import verdict_label
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry, default_registry

_ROUNDS = 2
"""How often more precision is asked for, ten times as much each time."""


@frozen
class Verification(Rich):
    """Whether a certificate follows from a plan, every place where it does not, and how it was verified."""

    verdict: Verdict
    differences: tuple[Fault, ...]
    equal: int = 0
    """How many certified numbers were recomputed digit by digit."""
    better: tuple[str, ...] = ()
    """The places of numbers with other digits than were recomputed here, which shows them all the same."""
    refined: tuple[str, ...] = ()
    """Those of them that took more precision than the plan asks for."""
    precision: Fraction | None = None
    """How much that was."""
    unchecked: tuple[Fault, ...] = ()
    """Plugins that were loaded only where the certificate was written, or only here; nothing rests on them."""

    @property
    def how(self) -> str:
        """How a certificate that follows was verified."""
        if not self.better:
            return "digit by digit"
        many = len(self.better)
        finer = f", {len(self.refined):,} of them at the precision {plain(self.precision)}" if self.precision else ""
        return (
            f"{self.equal:,} {'number' if self.equal == 1 else 'numbers'} digit by digit; {many:,} "
            f"{'differs' if many == 1 else 'differ'} from what is recomputed here, which is at least as good{finer}"
        )

    def _card(self) -> Card:
        """Whether a certificate follows from its plan, and where it does not."""
        label = verdict_label(self.verdict.value)
        if self.verdict is Verdict.IMPLIED:
            said = "every digit of it" if not self.better else self.how
            title = f"the certificate follows from the plan, {said}; what it decides stands in the certificate"
            return Card(title, label, tuple(("note", fault.message) for fault in self.unchecked))
        rows = tuple((item.place, item.message) for item in self.differences)
        differ = "1 place differs" if len(rows) == 1 else f"{len(rows):,} places differ"
        title = f"the certificate does not follow from the plan: {differ}"
        return Card(title, label, (), (CardRows(("place", "difference"), rows),))


def verify(certificate: Certificate, plan: PlanLike, *, registry: Registry | None = None) -> Verification:
    """Recompute a certificate from its plan and compare every part.

    Guarantee: implied only if the certificate is as it was written, the plan and the plugins behind the numbers are the
    same, all that is no number is equal, and what was recomputed shows every number: an upper end that is not below, a
    lower end that is not above what is found here. Where that takes more precision than the plan asks for, more is asked
    for.
    """
    expect(Certificate, certificate, "read one with Certificate.load")
    known = registry or default_registry()
    refused = plugin_differences(certificate, known)
    if refused:
        return Verification(Verdict.REFUTED, refused)
    asked = plan_of(plan, registry=known)
    found = certify(asked, registry=known)
    stated = readable(Contents, certificate.data)
    if stated is None:
        return Verification(Verdict.REFUTED, tuple(changed(certificate.data, found.data)))
    faults, numbers = _compared(stated, found.contents, known)
    other = [item for item in numbers if not item.equal]
    best = {item.place: KnownEnds.of(item.found) for item in other}
    waiting = [item for item in other if item.fault() is None and any(item.unshown(best[item.place]))]
    precision = None if faults else _refine(waiting, best, asked, found.contents, known)
    faults += [fault for item in waiting for fault in item.unshown(best[item.place], precision)]
    if not faults and certificate.misspelt is not None:
        faults = [Fault(certificate.misspelt, "certificate")]
    return Verification(
        Verdict.REFUTED if faults else Verdict.IMPLIED,
        tuple(faults),
        len(numbers) - len(other),
        tuple(item.place for item in other),
        tuple(item.place for item in waiting),
        precision,
        tuple(unchecked(stated, known)),
    )


def _compared(stated: Contents, found: Contents, registry: Registry) -> tuple[list[Fault], list[Recomputed]]:
    """What contradicts what was recomputed, whatever the precision, and all numbers of both."""
    items = list(recomputed("certificate", _without_loaded(stated), _without_loaded(found)))
    numbers = [item for item in items if isinstance(item, Recomputed)]
    faults = [*(item for item in items if isinstance(item, Fault)), *loaded_differences(stated, registry)]
    faults += [fault for item in numbers if not item.equal and (fault := item.fault()) is not None]
    return faults or [*unsupported(held(stated), held(found))], numbers


def _without_loaded(says: Contents) -> Contents:
    """All but what is loaded here and there, which may differ."""
    return evolve(says, loaded=())


def _refine(
    waiting: Sequence[Recomputed], best: dict[str, KnownEnds], plan: Plan, found: Contents, registry: Registry
) -> Fraction | None:
    """Ask for more precision until everything is shown, or nothing more is gained; how much was asked for, if any was."""
    asked = None
    # Less than is there already would gain nothing.
    precision = min([plan.precision, *(best[item.place].precision for item in waiting)])
    for _ in range(_ROUNDS):
        if not any(fault for item in waiting for fault in item.unshown(best[item.place])):
            break
        precision = max(precision / 10, exact(str(FINEST_PRECISION)))
        try:
            finer = certify(evolve(plan, precision=precision), registry=registry).contents
        except AccountantError:
            break
        asked, before = precision, dict(best)
        for place, enclosure in narrowed("certificate", found, finer):
            if place in best:
                best[place] = best[place].together(enclosure)
        if best == before:
            break
    return asked
