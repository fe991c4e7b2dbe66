"""Another implementation of envelopes verifies ours, and we verify what it makes."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope as TheirEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from accountant import Envelope, PrivateKey, PublicKey
from accountant.certificate.signing.envelope import PAYLOAD_TYPE
from tests.certificate.signing.conftest import Signed


def their_key(key: PublicKey) -> SSlibKey:
    return SSlibKey(key.key_id, "ed25519", "ed25519", {"public": key.raw.hex()})


def their_signer(key: PrivateKey) -> CryptoSigner:
    return CryptoSigner(Ed25519PrivateKey.from_private_bytes(key.seed()), their_key(key.public))


def test_it_verifies_our_envelopes(signed: Signed) -> None:
    for line, name in zip(signed.signatures.read_text("utf-8").splitlines(), ("Ada", "Bob"), strict=True):
        theirs = TheirEnvelope.from_dict(json.loads(line))
        key = their_key(signed.keys[name].public)
        assert theirs.verify([key], threshold=1) == {key.keyid: key}


def test_it_refuses_what_we_refuse(signed: Signed) -> None:
    theirs = TheirEnvelope.from_dict(json.loads(signed.signatures.read_text("utf-8").splitlines()[0]))
    with pytest.raises(VerificationError):
        theirs.verify([their_key(signed.keys["Bob"].public)], threshold=1)
    theirs.payload += b" "
    with pytest.raises(VerificationError):
        theirs.verify([their_key(signed.keys["Ada"].public)], threshold=1)


def test_it_signs_what_we_verify(signed: Signed) -> None:
    ours = signed.envelopes
    made = []
    for envelope, name in zip(ours, ("Ada", "Bob"), strict=True):
        theirs = TheirEnvelope(envelope.payload, PAYLOAD_TYPE, {})
        theirs.sign(their_signer(signed.keys[name]))
        made.append(Envelope.of(theirs.to_dict()))
    assert tuple(made) == ours, "the same statement, signed with the same key, is the same envelope"
    signed.write(*made)
    assert signed.verified().verdict.value == "implied"


def test_a_threshold_that_it_met_is_one_that_we_count(signed: Signed) -> None:
    theirs = TheirEnvelope(signed.envelopes[1].payload, PAYLOAD_TYPE, {})
    for name in ("Bob", "Eve"):
        theirs.sign(their_signer(signed.keys[name]))
    assert len(theirs.verify([their_key(signed.keys[name].public) for name in ("Bob", "Eve")], threshold=2)) == 2
    signed.write(Envelope.of(theirs.to_dict()))
    policy = signed.policy_data()
    policy["key"].append({"name": "Eve", "public": signed.keys["Eve"].public.text, "roles": ["checker"]})
    assert signed.verified({**policy, "need": {"checker": 2}}).verdict.value == "implied"


def test_what_it_signs_over_is_what_we_sign_over(signed: Signed) -> None:
    for envelope in signed.envelopes:
        assert TheirEnvelope(envelope.payload, envelope.payload_type, {}).pae() == envelope.message
