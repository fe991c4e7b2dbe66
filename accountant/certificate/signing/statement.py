"""Statements: what somebody signs, as in-toto writes it (Statement v1) with a predicate of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Literal

from attrs import field, frozen

from accountant.certificate.certificate import Certificate
from accountant.certificate.signing.files import SignedFiles
from accountant.certificate.signing.roles import Role
from accountant.display.brief import Brief
from accountant.errors import SigningError, suggest
from accountant.registry.registry import Registry
from accountant.values.hygiene import shortened
from accountant.values.source import canonical, unique_keys

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "privacy-accountant:attestation/v1"
"""What our statements say, and in which version: a name of our own, since a meaning that changes needs another one."""
_DISTRIBUTION = "privacy-accountant"
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_KEYS = frozenset(
    {"role", "result", "timeVerified", "verifier", "certificate", "specification", "guarantees", "statements"}
)

Part = Literal["certificate", "plan", "table", "released"]
PARTS: tuple[Part, ...] = ("certificate", "plan", "table", "released")


@frozen
class Subject(Brief):
    """A file that a statement is about: which part it plays, what it is called, and the SHA-256 of its bytes."""

    part: Part
    name: str
    digest: str


@frozen
class SignedStatement(Brief):
    """What somebody states about files, in a role, at a time that is no more than their claim."""

    role: Role
    subjects: tuple[Subject, ...]
    time: str
    verifier: Mapping[str, Any] = field(repr=False)
    """Which program with which plugins the statement was made with."""
    says: Mapping[str, Any] = field(repr=False)
    """What the certificate says, as far as statements repeat it."""

    def payload(self) -> bytes:
        """The statement as canonical JSON. Numbers are text."""
        subjects = [
            {"name": item.name, "digest": {"sha256": item.digest}, "annotations": {"part": item.part}}
            for item in self.subjects
        ]
        predicate = {
            **self.says,
            "role": self.role.value,
            "statements": self.role.statements,
            "timeVerified": self.time,
            "verifier": self.verifier,
        }
        whole = {
            "_type": STATEMENT_TYPE,
            "subject": subjects,
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
        return canonical(whole).encode()

    def of_part(self, part: Part) -> dict[str, str]:
        """The digests of all subjects that play a part, by their names."""
        return {item.name: item.digest for item in self.subjects if item.part == part}


def statement(files: SignedFiles, role: Role, released: Mapping[str, str], registry: Registry) -> SignedStatement:
    """What somebody in a role states about a certificate, its plan, its tables and what was released."""
    named = {
        "certificate": {files.stored_certificate.path.name: files.stored_certificate.digest},
        "plan": {files.stored_plan.path.name: files.stored_plan.digest},
        "table": files.tables,
        "released": released,
    }
    subjects = tuple(Subject(part, name, digest) for part in PARTS for name, digest in named[part].items())
    now = datetime.now(UTC).strftime(_TIME)
    return SignedStatement(role, subjects, now, _verifier(registry), repeated(files.certificate))


def _verifier(registry: Registry) -> dict[str, Any]:
    """This program: its version, and every plugin with the digest of its files."""
    plugins = [
        {"name": item.name, "distribution": item.distribution, "version": item.version, "digest": item.digest}
        for item in registry.plugins.values()
    ]
    return {"id": _DISTRIBUTION, "version": version(_DISTRIBUTION), "plugins": plugins}


def repeated(certificate: Certificate) -> dict[str, Any]:
    """What statements repeat of a certificate, for whoever decides without reading it.

    Guarantee: PASSED only where every budget is kept and every risk tolerated.
    """
    says = certificate.contents
    return {
        "result": "PASSED" if certificate.kept else "FAILED",
        "certificate": {
            "title": says.title,
            "planDigest": says.plan_digest,
            "verdicts": [verdict.value for verdict in says.verdicts],
        },
        "specification": says.specification,
        "guarantees": [
            {
                "divergence": budget.divergence,
                "at": dict(budget.guarantee.at),
                "parameter": budget.guarantee.value.name,
                "lower": budget.guarantee.value.lower,
                "upper": budget.guarantee.value.upper,
                "limit": budget.limit,
                "verdict": budget.verdict.value,
                **({} if budget.guarantee.cohort is None else {"cohort": dict(budget.guarantee.cohort.stated)}),
            }
            for budget in says.budgets
        ],
    }


def read_statement(payload: bytes) -> SignedStatement:
    """The statement in a payload; refused with the reason where it is none of ours.

    Ask whether its signature holds first: what nobody signed is not worth reading.
    """
    try:
        data = json.loads(payload.decode(), object_pairs_hook=unique_keys, parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError) as error:
        raise SigningError(f"the signed statement cannot be read: {shortened(str(error))}") from error
    table = _keys(data, {"_type", "predicateType", "subject", "predicate"}, "a statement")
    for key, wanted in (("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)):
        if table[key] != wanted:
            raise SigningError(f"what is signed is of another kind: its {key} is not '{wanted}'")
    said = dict(_keys(table["predicate"], _KEYS, "the predicate"))
    role, stated = _role(said.pop("role")), said.pop("statements")
    if stated != role.statements:
        raise SigningError(f"what is signed is not what a {role} states")
    time, verifier = said.pop("timeVerified"), said.pop("verifier")
    if not _is_time(time):
        raise SigningError("the time of a statement is written as 2030-01-31T12:00:00Z")
    _keys(verifier, {"id", "version", "plugins"}, "the verifier")
    return SignedStatement(role, tuple(_subjects(table["subject"])), time, verifier, said)


def _no_float(text: str) -> float:
    raise ValueError(f"it has the number {text[:40]}; numbers with fractions are text in statements")


def _keys(data: object, keys: set[str] | frozenset[str], what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or set(data) != keys:
        raise SigningError(f"{what} has the keys {', '.join(sorted(keys))} and no others")
    return data


def _role(given: object) -> Role:
    known = [role.value for role in Role]
    if not isinstance(given, str) or given not in known:
        shown = shortened(given, 80) if isinstance(given, str) else "something else"
        raise SigningError(f"unknown role '{shown}'{suggest(shown, known)}")
    return Role(given)


def _is_time(given: object) -> bool:
    try:
        return isinstance(given, str) and datetime.strptime(given, _TIME).strftime(_TIME) == given
    except ValueError:
        return False


def _subjects(data: object) -> Iterator[Subject]:
    """The subjects: one certificate, one plan, and tables and released files that are called differently."""
    if not isinstance(data, list):
        raise SigningError("the subjects of a statement are a list")
    found: list[Subject] = []
    for item in data:
        table = _keys(item, {"name", "digest", "annotations"}, "a subject")
        digest = _keys(table["digest"], {"sha256"}, "the digest of a subject")["sha256"]
        part = _keys(table["annotations"], {"part"}, "what is noted of a subject")["part"]
        if part not in PARTS or not isinstance(table["name"], str):
            raise SigningError(f"a subject has a name and is one of: {', '.join(PARTS)}")
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise SigningError("the digest of a subject is a SHA-256, 64 hexadecimal digits")
        found.append(Subject(part, table["name"], digest))
    for single in ("certificate", "plan"):
        if sum(item.part == single for item in found) != 1:
            raise SigningError(f"a statement is about one {single}")
    if len({(item.part, item.name) for item in found}) < len(found):
        raise SigningError("two subjects of a statement are called the same")
    return iter(found)
