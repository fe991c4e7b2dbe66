"""Signing: somebody states in a role what they answer for, after it was checked as far as it can be."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from accountant.certificate.signing.envelope import Envelope
from accountant.certificate.signing.files import SignedFiles, released_digests
from accountant.certificate.signing.keys import Signer
from accountant.certificate.signing.roles import Role
from accountant.certificate.signing.statement import read_statement, statement
from accountant.certificate.verification import verify
from accountant.errors import CertificateError, InvalidValue, NotVerified, suggest
from accountant.registry.registry import Registry, default_registry


def sign(
    certificate: str | Path,
    plan: str | Path,
    *,
    signer: Signer,
    role: str | Role,
    released: Iterable[str | Path] = (),
    registry: Registry | None = None,
) -> Envelope:
    """What somebody states about a certificate, its plan and what was released, signed.

    A *curator* states that the plan describes what is run, a *checker* that the numbers were recomputed.

    Guarantee: the certificate is about the plan; for a checker, it was recomputed just now from the bytes that are signed,
    and `NotVerified` is raised where it does not follow.
    """
    known, meant = registry or default_registry(), role_of(role)
    files = SignedFiles.read(certificate, plan)
    found = files.plan(known)
    if meant is Role.CHECKER:
        differences = verify(files.certificate, found, registry=known).differences
        if differences:
            raise NotVerified(differences)
    elif files.certificate.contents.plan_digest != found.digest:
        raise CertificateError("the certificate is about another plan: its digest differs; certify the plan again")
    payload = statement(files, meant, released_digests(released), known).payload()
    read_statement(payload)  # nobody signs what nobody could read
    return Envelope.signed(payload, signer)


def role_of(given: str | Role) -> Role:
    """The role that is meant."""
    if isinstance(given, Role):
        return given
    known = [role.value for role in Role]
    if given not in known:
        raise InvalidValue(f"unknown role {given!r}{suggest(str(given), known)}")
    return Role(given)
