"""Certificate: what is promised to units that take part by design, sealed so that others recompute it from plan and events.

It says how many units take part in what, and what each of these loses at most. Who they are is not in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from accountant import InvalidValue, Plan, Verdict
from accountant.certificate import Enclosure, Held, Sealed, Verification, enclosure, write_sealed
from accountant.engines import files_of, refused
from accountant.numbers import plain
from accountant_scale.individuals.answer import named
from accountant_scale.individuals.classes import terms
from accountant_scale.individuals.own import Participation
from accountant_scale.individuals.reading import Value
from accountant_scale.individuals.run import Individuals, unchanged

FORMAT = "accountant-individuals/1"
STATED = "who takes part was fixed without looking at the data"

_GRAVEST = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.VACUOUS, Verdict.IMPLIED)


@frozen
class CertifiedEvents:
    """The table of events: how many files it is made of, and the digest of what is in them."""

    files: int
    digest: str

    @classmethod
    def of(cls, found: Individuals) -> CertifiedEvents:
        """The events that were counted; refused if they have changed since."""
        try:
            digests = [_digest(path) for path in files_of(found.events).paths]
            unchanged(found.events, found.state)
        except OSError as error:
            raise refused(f"'{found.events}' cannot be read any more: {error.strerror}", "events") from error
        together = hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()
        return cls(len(digests), f"sha256:{digests[0] if len(digests) == 1 else together}")


@frozen
class CertifiedPart:
    """How often a unit takes part in releases of one class, which the first of them in the plan stands for."""

    release: str
    times: int


@frozen
class CertifiedLoss(Enclosure):
    """A reading of a signature; the verdict where it is that of a budget."""

    verdict: Verdict | None

    @classmethod
    def of(cls, value: Value) -> CertifiedLoss:
        """A value that was read."""
        ends = enclosure(value.value)
        return cls(ends.lower, ends.upper, ends.exact, Verdict(value.verdict) if value.verdict else None)


@frozen
class CertifiedSignature:
    """One signature: what its units take part in, how many they are, and each reading of it."""

    parts: tuple[CertifiedPart, ...]
    units: int
    losses: tuple[CertifiedLoss, ...]


@frozen
class CertifiedSpread:
    """A budget or question: the largest reading over all units and, of a budget, whether all of them keep it."""

    reading: str
    limit: str | None
    worst: Enclosure
    verdict: Verdict | None
    beyond: int | None
    """How many units are not shown to keep the budget."""


@frozen(kw_only=True)
class UnitContents:
    """All that a certificate of units says."""

    title: str
    plan_digest: str
    between: str
    conditions: tuple[str, ...]
    stated: str
    """What nobody can recompute, and the curator answers for."""
    events: CertifiedEvents
    units: int
    readings: tuple[CertifiedSpread, ...]
    signatures: tuple[CertifiedSignature, ...]

    @classmethod
    def of(cls, plan: Plan, found: Individuals) -> UnitContents:
        """What was found by design, under a plan as it was written."""
        certifiable(found.participation)
        return cls(
            title=plan.title,
            plan_digest=plan.digest,
            between=found.plan.comparison.between,
            conditions=tuple(found.plan.comparison.conditions),
            stated=STATED,
            events=CertifiedEvents.of(found),
            units=found.units,
            readings=tuple(_spreads(found)),
            signatures=tuple(_signatures(found)),
        )

    def held(self) -> Iterator[Held]:
        """Every number that a verdict is on."""
        for index, spread in enumerate(self.readings):
            if spread.limit is not None:
                yield Held(f"certificate.readings[{index}]", spread.worst, spread.limit)
                for number, signature in enumerate(self.signatures):
                    place = f"certificate.signatures[{number}].losses[{index}]"
                    yield Held(place, signature.losses[index], spread.limit)

    def to_json(self) -> str:
        """The certificate as canonical JSON, ending in a newline."""
        return write_sealed(FORMAT, self)

    def verifies(self, stated: Sealed) -> Verification:
        """Whether a certificate says what was found here."""
        return stated.verified(self, UnitContents.held)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def certifiable(participation: Participation) -> None:
    """Refuse, before anything is counted, to certify losses that depend on the data."""
    if participation == "data":
        raise InvalidValue(
            "who takes part depends on the data, so that these losses are confidential, and a certificate would publish "
            "them; only where it was fixed without looking at the data are they a promise: '--participation design' says so"
        )


def _spreads(found: Individuals) -> Iterator[CertifiedSpread]:
    budgets = found.plan.specification.budgets
    limits = [*(plain(budget.limit) for budget in budgets), *(None for _ in found.plan.questions)]
    for (reading, spread), limit in zip(named(found), limits, strict=True):
        verdicts = {Verdict(word) for word, _ in spread.verdicts}
        gravest = next((verdict for verdict in _GRAVEST if verdict in verdicts), None)
        beyond = None if limit is None else spread.beyond
        yield CertifiedSpread(reading, limit, enclosure(spread.worst), gravest, beyond)


def _signatures(found: Individuals) -> Iterator[CertifiedSignature]:
    first = found.classes.firsts()
    for read in found.signatures:
        yield CertifiedSignature(
            tuple(CertifiedPart(first[name], times) for name, times in terms(read.signature)),
            read.units,
            tuple(map(CertifiedLoss.of, read.values)),
        )
