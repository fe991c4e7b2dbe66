"""A certificate with a plan, a table and a released file, signed by two people, and a policy that believes them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, frozen

from accountant import Envelope, PrivateKey, SignedVerification, TrustPolicy, certify, sign, verify_signed
from accountant.certificate.signing.envelope import Signature, written

PLAN = """
title = "Visits"

[specification]
neighbours = "add-remove"

[[budget]]
divergence = "zcdp"
rho = "1"

[[table]]
file = "visits.csv"
name = "visits by {of}"
query = { kind = "count", attributes = ["{of}"] }
mechanism = { kind = "gaussian", sigma = "{sigma}" }
"""
TABLE = "of,sigma\nage,2\nregion,4\n"


@frozen
class Signed:
    """Files that were signed, who signed them, and how to ask whether they are trusted."""

    folder: Path
    keys: Mapping[str, PrivateKey]

    @property
    def plan(self) -> Path:
        return self.folder / "visits.toml"

    @property
    def certificate(self) -> Path:
        return self.folder / "visits.certificate.json"

    @property
    def table(self) -> Path:
        return self.folder / "visits.csv"

    @property
    def released(self) -> Path:
        return self.folder / "published.csv"

    @property
    def signatures(self) -> Path:
        return self.folder / "visits.certificate.intoto.jsonl"

    @property
    def envelopes(self) -> tuple[Envelope, ...]:
        return tuple(map(Envelope.parse, self.signatures.read_text("utf-8").splitlines()))

    def write(self, *envelopes: Envelope) -> None:
        self.signatures.write_text(written(envelopes), "utf-8")

    def signed(self, name: str, role: str, **options: Any) -> Envelope:
        return sign(self.certificate, self.plan, signer=self.keys[name], role=role, **options)

    def resigned(self, name: str, payload: bytes, payload_type: str | None = None) -> Envelope:
        """An envelope over any payload at all, truly signed."""
        whole = Envelope(payload, ()) if payload_type is None else Envelope(payload, (), payload_type)
        key = self.keys[name]
        return evolve(whole, signatures=(Signature(key.public.key_id, key.sign(whole.message)),))

    def policy_data(self) -> dict[str, Any]:
        roles = {"Ada": ["curator"], "Bob": ["checker"]}
        keys = [{"name": name, "public": self.keys[name].public.text, "roles": roles[name]} for name in roles]
        return {"until": date.max, "key": keys, "need": {"curator": 1, "checker": 1}}

    def verified(self, policy: Mapping[str, Any] | None = None, **options: Any) -> SignedVerification:
        believed = TrustPolicy.read({**self.policy_data(), **(policy or {})})
        return verify_signed(self.certificate, self.plan, believed, **options)

    def reasons(self, policy: Mapping[str, Any] | None = None, **options: Any) -> list[str]:
        """Why the files are refused."""
        found = self.verified(policy, **options)
        assert found.verdict.value == "refuted"
        assert found.verification is None, "nothing is recomputed that is not signed"
        assert found.faults
        return [str(fault) for fault in found.faults]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Signed:
    """Files that tests read only."""
    made = Signed(tmp_path_factory.mktemp("signed"), {name: PrivateKey.new() for name in ("Ada", "Bob", "Eve")})
    made.plan.write_text(PLAN, "utf-8")
    made.table.write_text(TABLE, "utf-8")
    made.released.write_text("age,visits\n40,12\n", "utf-8")
    made.certificate.write_text(certify(made.plan).to_json(), "utf-8")
    made.write(made.signed("Ada", "curator", released=[made.released]), made.signed("Bob", "checker"))
    return made


@pytest.fixture
def signed(once: Signed, tmp_path: Path) -> Signed:
    """Files that a test may change."""
    folder = tmp_path / "signed"
    shutil.copytree(once.folder, folder)
    return evolve(once, folder=folder)
