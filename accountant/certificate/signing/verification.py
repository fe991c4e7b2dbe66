"""Verification of what is signed: first who says so, then whether it is so."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from accountant.certificate.signing.files import SignedFiles, Stored, released_digests
from accountant.certificate.signing.policy import TrustPolicy
from accountant.certificate.signing.trust import Trust, trust
from accountant.certificate.verification import Verification, verify
from accountant.display.brief import Rich
from accountant.display.card import Card, CardRows
from accountant.errors import Fault
from accountant.promise.cards import verdict_label
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry, default_registry

ENDING = ".intoto.jsonl"
"""How the name of a file with signatures ends."""


@frozen
class SignedVerification(Rich):
    """Whether a certificate was signed by whom a policy names, and follows from its plan."""

    trust: Trust
    verification: Verification | None
    """Whether the certificate follows; None where nothing was recomputed, since it is not trusted."""

    @property
    def verdict(self) -> Verdict:
        """Implied only where the signatures are those that the policy needs, and the certificate follows from the plan."""
        return Verdict.REFUTED if self.verification is None else self.verification.verdict

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything for which it is refused."""
        return self.trust.faults if self.verification is None else self.verification.differences

    def _card(self) -> Card:
        """Who signed, and for what it is refused."""
        label = verdict_label(self.verdict.value)
        facts = (
            *((f"signed as {item.role}", f"{item.name}, at {item.time} by their own word") for item in self.trust.signers),
            *(("note", note) for note in self.trust.notes),
        )
        if self.verdict is Verdict.IMPLIED:
            said = "the certificate is signed by those whom the policy needs, and follows from the plan"
            return Card(said, label, facts)
        said = "the signatures are not those that the policy needs"
        title = said if self.verification is None else "the certificate is signed, and does not follow from the plan"
        rows = tuple((item.place, item.message) for item in self.faults)
        return Card(title, label, facts, (CardRows(("place", "reason"), rows),))


def verify_signed(
    certificate: str | Path,
    plan: str | Path,
    policy: TrustPolicy | str | Path,
    *,
    signatures: str | Path | None = None,
    released: Iterable[str | Path] = (),
    registry: Registry | None = None,
) -> SignedVerification:
    """Check who signed a certificate and its plan, and then recompute it.

    Signatures lie beside the certificate unless another file is named. Released files are held to what was signed as
    released.

    Guarantee: implied only if the files are, byte for byte, those that as many people signed as the policy needs, and the
    certificate follows from the plan. What is recomputed are the bytes whose signatures were checked.
    """
    believed = policy if isinstance(policy, TrustPolicy) else TrustPolicy.load(policy)
    files, found = checked(certificate, plan, believed, signatures, released)
    if not found.trusted:
        return SignedVerification(found, None)
    known = registry or default_registry()
    return SignedVerification(found, verify(files.certificate, files.plan(known), registry=known))


def checked(
    certificate: str | Path,
    plan: str | Path,
    policy: TrustPolicy,
    signatures: str | Path | None,
    released: Iterable[str | Path],
) -> tuple[SignedFiles, Trust]:
    """The files, each read once, and whether they are trusted."""
    files = SignedFiles.read(certificate, plan)
    envelopes = Stored.read(signatures_beside(certificate) if signatures is None else signatures)
    try:
        content = envelopes.content.decode()
    except UnicodeDecodeError as error:
        fault = Fault(f"the signatures are damaged: {error.reason} in byte {error.start:,}", "envelope")
        return files, Trust((), (fault,), ())
    return files, trust(files, content, policy, released_digests(released))


def signatures_beside(certificate: str | Path) -> Path:
    """The file beside a certificate that its signatures are in: x.certificate.json has x.certificate.intoto.jsonl."""
    path = Path(certificate)
    return path.with_name(path.name.removesuffix(".json") + ENDING)
