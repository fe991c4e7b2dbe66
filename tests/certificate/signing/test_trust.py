"""What is signed by those whom a policy names is trusted; everything else is refused, with its reason."""

from __future__ import annotations

import base64
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from accountant import Certificate, Envelope, InvalidValue, PrivateKey, certify, sign
from accountant.certificate.signing.envelope import Signature
from accountant.certificate.signing.files import SignedFiles
from accountant.certificate.signing.policy import TrustPolicy
from accountant.certificate.signing.roles import Role
from accountant.certificate.signing.statement import read_statement
from accountant.certificate.signing.trust import trust
from accountant.errors import CertificateError, NotVerified, SigningError
from accountant.values.source import canonical
from tests.certificate.signing.conftest import Signed


def test_what_both_have_signed_is_verified(signed: Signed) -> None:
    found = signed.verified(released=[signed.released])
    assert found.verdict.value == "implied"
    assert [(item.name, item.role) for item in found.trust.signers] == [("Ada", Role.CURATOR), ("Bob", Role.CHECKER)]
    assert found.trust.notes == ()
    assert found.faults == ()


def test_subjects_are_the_files_by_the_digests_that_anybody_computes(signed: Signed) -> None:
    import hashlib

    said = read_statement(signed.envelopes[0].payload)
    files = (signed.certificate, signed.plan, signed.table, signed.released)
    assert [(item.name, item.digest) for item in said.subjects] == [
        (file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files
    ]


def test_a_statement_holds_no_number_but_text(signed: Signed) -> None:
    """Two programs read one float differently; of a text there is one reading."""

    def floats(data: object) -> list[float]:
        inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
        return [data] if isinstance(data, float) else [found for item in inside for found in floats(item)]

    data = json.loads(signed.envelopes[0].payload)
    assert floats(data) == []
    (guarantee,) = data["predicate"]["guarantees"]
    budget = Certificate.load(signed.certificate).contents.budgets[0]
    assert (guarantee["lower"], guarantee["upper"]) == (budget.guarantee.value.lower, budget.guarantee.value.upper)
    assert guarantee["limit"] == "1"
    assert data["predicate"]["result"] == "PASSED"
    assert data["predicateType"] == "privacy-accountant:attestation/v1"
    assert data["_type"] == "https://in-toto.io/Statement/v1"


def test_a_budget_that_is_exceeded_is_signed_as_failed_and_never_as_passed(signed: Signed) -> None:
    signed.plan.write_text(signed.plan.read_text("utf-8").replace('rho = "1"', 'rho = "0.01"'), "utf-8")
    certificate = certify(signed.plan)
    assert not certificate.kept
    signed.certificate.write_text(certificate.to_json(), "utf-8")
    signed.write(signed.signed("Ada", "curator"), signed.signed("Bob", "checker"))
    assert read_statement(signed.envelopes[1].payload).says["result"] == "FAILED"
    assert signed.verified().verdict.value == "implied"
    lying = json.loads(signed.envelopes[1].payload)
    lying["predicate"]["result"] = "PASSED"
    signed.write(signed.envelopes[0], signed.resigned("Bob", canonical(lying).encode()))
    assert "says something else under 'result' than the certificate" in signed.reasons()[0]


def test_a_checker_signs_nothing_that_does_not_follow(signed: Signed) -> None:
    data = json.loads(signed.certificate.read_text("utf-8"))
    data["budgets"][0]["guarantee"]["value"]["upper"] = "0.1"
    signed.certificate.write_text(canonical(data) + "\n", "utf-8")
    with pytest.raises(NotVerified, match=r"does not follow from the plan, in .* the first being") as refused:
        signed.signed("Bob", "checker")
    assert any("certificate.budgets[0]" in fault.place for fault in refused.value.differences)
    # A curator does not answer for numbers, only for what they are about.
    assert read_statement(signed.signed("Ada", "curator").payload).role is Role.CURATOR


def test_a_curator_signs_no_certificate_of_another_plan(signed: Signed) -> None:
    signed.table.write_text("of,sigma\nage,2\nregion,5\n", "utf-8")
    with pytest.raises(CertificateError, match="about another plan"):
        signed.signed("Ada", "curator")


def test_a_service_whose_signature_does_not_hold_is_not_believed(signed: Signed) -> None:
    class Broken(PrivateKey):
        def sign(self, message: bytes) -> bytes:
            return super().sign(message + b"!")

    with pytest.raises(SigningError, match="their own public key does not bear out"):
        sign(signed.certificate, signed.plan, signer=Broken(signed.keys["Ada"]._key), role="curator")
    with pytest.raises(InvalidValue, match="unknown role 'checkr'; did you mean 'checker'"):
        signed.signed("Ada", "checkr")


def test_a_signature_of_somebody_else_is_not_looked_at(signed: Signed) -> None:
    signed.write(signed.signed("Eve", "curator"), signed.envelopes[1])
    (reason,) = signed.reasons()
    assert reason == "signed by 0 of the 1 that must sign as curator @ trust.need.curator"
    stranger = signed.keys["Eve"].public.key_id
    assert f"keys that the policy does not name, and not looked at: {stranger}" in signed.verified().trust.notes[0]


def test_a_signature_in_the_name_of_another_key_is_refused(signed: Signed) -> None:
    """Eve signs, and writes Ada's name beside it."""
    forged = signed.signed("Eve", "curator")
    forged = evolve(forged, signatures=(evolve(forged.signatures[0], key_id=signed.keys["Ada"].public.key_id),))
    signed.write(forged, signed.envelopes[1])
    assert any("the signature in the name of 'Ada' does not hold" in reason for reason in signed.reasons())


def test_a_name_that_is_like_the_key_is_not_the_key(signed: Signed) -> None:
    """A digest is compared whole: one that begins or ends alike is another key."""
    first = signed.envelopes[0]
    known = first.signatures[0].key_id
    for other in (known[:-1] + ("0" if known[-1] != "0" else "1"), ("0" if known[0] != "0" else "1") + known[1:]):
        signed.write(evolve(first, signatures=(evolve(first.signatures[0], key_id=other),)), signed.envelopes[1])
        assert "signed by 0 of the 1 that must sign as curator" in signed.reasons()[0]
    for short in (known[:8], known[:63], known.upper(), ""):
        data = first.as_data()
        data["signatures"][0]["keyid"] = short
        signed.signatures.write_text(canonical(data) + "\n", "utf-8")
        assert "the whole SHA-256 of the public key" in signed.reasons()[0]


def test_a_policy_that_has_expired_is_refused_the_day_after(signed: Signed) -> None:
    today = date(2030, 6, 30)
    files = SignedFiles.read(signed.certificate, signed.plan)
    policy = TrustPolicy.read({**signed.policy_data(), "until": today})
    content = signed.signatures.read_text("utf-8")
    assert trust(files, content, policy, {}, today).trusted
    (fault,) = trust(files, content, policy, {}, today + timedelta(days=1)).faults
    assert "was to be believed until 2030-06-30" in fault.message
    assert "until 2001-01-01" in signed.reasons({"until": date(2001, 1, 1)})[0]


def test_a_key_that_has_expired_does_not_count(signed: Signed) -> None:
    policy = signed.policy_data()
    policy["key"][1]["until"] = date(2001, 1, 1)
    (reason,) = signed.reasons(policy)
    assert "signed by 0 of the 1 that must sign as checker; the key of 'Bob' was to be believed until 2001-01-01" in reason


def test_a_truncated_envelope_is_refused(signed: Signed) -> None:
    content = signed.signatures.read_bytes()
    for length in (0, 1, 100, len(content) // 2, len(content) - 2, len(content) - 1):
        signed.signatures.write_bytes(content[:length])
        assert any("cut off" in reason or "empty" in reason for reason in signed.reasons())


def test_a_swapped_payload_is_refused(signed: Signed) -> None:
    """The signature of one statement on another that the same key has signed."""
    first = signed.envelopes[0]
    other = signed.signed("Ada", "curator")
    assert other.payload != first.payload
    signed.write(evolve(first, payload=other.payload), signed.envelopes[1])
    assert any("what they signed was changed" in reason for reason in signed.reasons())


def test_a_signature_for_other_files_is_refused(signed: Signed, tmp_path: Path) -> None:
    """Everything is truly signed, and about something else."""
    other = evolve(signed, folder=tmp_path / "other")
    other.folder.mkdir()
    other.plan.write_text(signed.plan.read_text("utf-8").replace("Visits", "Other visits"), "utf-8")
    other.table.write_bytes(signed.table.read_bytes())
    other.certificate.write_text(certify(other.plan).to_json(), "utf-8")
    signed.write(other.signed("Ada", "curator"), signed.envelopes[1])
    reasons = signed.reasons()
    assert any("the certificate is not the one that was signed" in reason for reason in reasons)
    assert any("the plan is not the one that was signed" in reason for reason in reasons)


def test_a_second_signature_by_the_same_key_counts_once(signed: Signed) -> None:
    policy = signed.policy_data()
    policy["key"].append({"name": "Eve", "public": signed.keys["Eve"].public.text, "roles": ["checker"]})
    policy["need"] = {"checker": 2}
    twice = signed.signed("Bob", "checker")
    within = evolve(twice, signatures=twice.signatures * 2)
    for envelopes in ((signed.envelopes[1], twice), (within,)):
        signed.write(*envelopes)
        (reason,) = signed.reasons(policy)
        assert "signed by 1 of the 2 that must sign as checker; 'Bob' signed as checker more than once" in reason
    signed.write(twice, signed.signed("Eve", "checker"))
    assert signed.verified(policy).verdict.value == "implied"


def test_two_people_may_sign_one_envelope(signed: Signed) -> None:
    policy = signed.policy_data()
    policy["key"].append({"name": "Eve", "public": signed.keys["Eve"].public.text, "roles": ["checker"]})
    policy["need"] = {"checker": 2}
    one = signed.envelopes[1]
    eve = signed.keys["Eve"]
    both = evolve(one, signatures=(*one.signatures, Signature(eve.public.key_id, eve.sign(one.message))))
    signed.write(both)
    assert [item.name for item in signed.verified(policy).trust.signers] == ["Bob", "Eve"]


def test_nobody_signs_in_a_role_that_is_not_theirs(signed: Signed) -> None:
    signed.write(signed.signed("Bob", "curator"), signed.envelopes[1])
    (reason,) = signed.reasons()
    assert "'Bob' signed as curator, which the policy does not let them" in reason


PREDICATE_CHANGES: dict[str, tuple[Any, str]] = {
    "role": ("auditor", "unknown role 'auditor'"),
    "statements": ([], "not what a curator states"),
    "timeVerified": ("yesterday", "the time of a statement"),
    "result": ("FAILED", "something else under 'result'"),
    "guarantees": ([], "something else under 'guarantees'"),
    "specification": ({}, "something else under 'specification'"),
    "certificate": ({}, "something else under 'certificate'"),
    "verifier": ({}, "the verifier has the keys"),
}


@pytest.mark.parametrize("key", PREDICATE_CHANGES)
def test_a_statement_that_says_otherwise_is_refused_though_it_is_signed(signed: Signed, key: str) -> None:
    value, reason = PREDICATE_CHANGES[key]
    data = json.loads(signed.envelopes[0].payload)
    data["predicate"][key] = value
    signed.write(signed.resigned("Ada", canonical(data).encode()), signed.envelopes[1])
    assert reason in signed.reasons()[0]
    del data["predicate"][key]
    signed.write(signed.resigned("Ada", canonical(data).encode()), signed.envelopes[1])
    assert "the predicate has the keys" in signed.reasons()[0]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\xff", "cannot be read"),
        (b"[]", "a statement has the keys"),
        (b'{"_type":1,"_type":1}', "given twice"),
        (b'{"_type":1.5}', "numbers with fractions are text"),
        (b'{"_type":NaN}', "numbers with fractions are text"),
        (b"[" * 100_000, "cannot be read"),
        (b'{"_type":"x","predicate":{},"predicateType":"y","subject":[]}', "of another kind: its _type"),
        (
            b'{"_type":"https://in-toto.io/Statement/v1","predicate":{},"predicateType":"y","subject":[]}',
            "of another kind: its predicateType",
        ),
    ],
)
def test_what_is_signed_and_is_no_statement_is_refused(signed: Signed, payload: bytes, reason: str) -> None:
    signed.write(signed.resigned("Ada", payload), signed.envelopes[1])
    assert reason in signed.reasons()[0]


def test_a_statement_of_another_kind_of_payload_is_refused(signed: Signed) -> None:
    signed.write(signed.resigned("Ada", signed.envelopes[0].payload, "text/plain"), signed.envelopes[1])
    assert "its payload type is not 'application/vnd.in-toto+json'" in signed.reasons()[0]


def _without(part: str, envelope: Envelope) -> bytes:
    data = json.loads(envelope.payload)
    data["subject"] = [item for item in data["subject"] if item["annotations"]["part"] != part]
    return canonical(data).encode()


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("certificate", "a statement is about one certificate"),
        ("plan", "a statement is about one plan"),
        ("table", "the plan reads the table 'visits.csv', which was not signed"),
    ],
)
def test_a_statement_without_a_subject_is_refused(signed: Signed, part: str, reason: str) -> None:
    signed.write(signed.resigned("Ada", _without(part, signed.envelopes[0])), signed.envelopes[1])
    assert reason in signed.reasons()[0]


def test_a_statement_with_a_subject_too_many_is_refused(signed: Signed) -> None:
    data = json.loads(signed.envelopes[0].payload)
    table = next(item for item in data["subject"] if item["annotations"]["part"] == "table")
    for more, reason in (
        (table, "two subjects of a statement are called the same"),
        ({**table, "name": "more.csv"}, "'more.csv' was signed, and the plan does not read it"),
        ({**table, "digest": {"sha256": "0" * 63}}, "64 hexadecimal digits"),
        ({**table, "digest": {"sha1": "0" * 40}}, "the digest of a subject has the keys sha256"),
        ({**table, "annotations": {"part": "plan"}}, "about one plan"),
        ({**table, "annotations": {"part": "else"}}, "is one of: certificate, plan, table, released"),
    ):
        changed = canonical({**data, "subject": [*data["subject"], more]}).encode()
        signed.write(signed.resigned("Ada", changed), signed.envelopes[1])
        assert reason in signed.reasons()[0]


@pytest.mark.parametrize("name", ["certificate", "plan", "table"])
def test_a_file_that_changed_is_refused(signed: Signed, name: str) -> None:
    """Also where it means the same: what is signed are bytes."""
    file: Path = getattr(signed, name)
    file.write_bytes(file.read_bytes() + b"\n")
    assert any(f"the {name}" in reason and "the one that was signed" in reason for reason in signed.reasons())


def test_a_table_that_is_missing_or_no_file_is_refused(signed: Signed) -> None:
    signed.table.unlink()
    assert any("visits.csv cannot be read" in reason for reason in signed.reasons())
    signed.table.mkdir()
    assert any("is not a file whose bytes are stored" in reason for reason in signed.reasons())


def test_a_pipe_is_no_file_that_could_be_signed(signed: Signed) -> None:
    import os

    signed.table.unlink()
    os.mkfifo(signed.table)
    assert any("is not a file whose bytes are stored" in reason for reason in signed.reasons())


def test_a_released_file_that_changed_is_refused(signed: Signed) -> None:
    signed.released.write_text("age,visits\n40,13\n", "utf-8")
    (first, second) = signed.reasons(released=[signed.released])
    assert "not the file that 'Ada' signed" in first
    assert "signed as released by 0 of the 1 that must sign as curator" in second


def test_a_released_file_that_nobody_signed_is_refused(signed: Signed) -> None:
    other = signed.folder / "other.csv"
    other.write_bytes(signed.released.read_bytes())
    (reason,) = signed.reasons(released=[other])
    assert "signed as released by 0 of the 1 that must sign as curator @ released 'other.csv'" in reason


def test_a_released_file_that_was_not_looked_at_is_named(signed: Signed) -> None:
    found = signed.verified()
    assert found.verdict.value == "implied"
    assert found.trust.notes == ("signed as released and not looked at: published.csv",)


def test_a_checker_does_not_answer_for_what_was_released(signed: Signed) -> None:
    """Whoever knows what is run does, and as many of them as the policy needs."""
    signed.write(signed.signed("Ada", "curator"), signed.signed("Bob", "checker", released=[signed.released]))
    (reason,) = signed.reasons(released=[signed.released])
    assert "by 0 of the 1 that must sign as curator" in reason
    assert signed.verified({"need": {"checker": 1}}, released=[signed.released]).verdict.value == "implied"


def test_two_released_files_of_one_name_are_refused(signed: Signed, tmp_path: Path) -> None:
    twin = tmp_path / signed.released.name
    twin.write_text("other", "utf-8")
    with pytest.raises(SigningError, match=r"two released files are called 'published\.csv'"):
        signed.signed("Ada", "curator", released=[signed.released, twin])


def test_what_an_unknown_key_signed_is_not_even_read(signed: Signed) -> None:
    signed.write(signed.resigned("Eve", b"[" * 100_000), *signed.envelopes)
    assert signed.verified().verdict.value == "implied"


def test_a_signature_that_is_there_and_wrong_is_refused_whatever_else_holds(signed: Signed) -> None:
    damaged = evolve(signed.envelopes[0], signatures=(evolve(signed.envelopes[0].signatures[0], value=bytes(64)),))
    signed.write(*signed.envelopes, damaged)
    (reason,) = signed.reasons()
    assert reason.endswith("@ envelope[2].signatures[0]")


def test_signed_and_wrong_is_still_refused(signed: Signed) -> None:
    """Signatures say who, never whether: the numbers are recomputed all the same."""
    data = json.loads(signed.certificate.read_text("utf-8"))
    data["budgets"][0]["guarantee"]["value"]["upper"] = "0.1"
    signed.certificate.write_text(canonical(data) + "\n", "utf-8")
    signed.write(signed.signed("Ada", "curator"))
    found = signed.verified({"need": {"curator": 1}})
    assert found.trust.trusted
    assert found.verdict.value == "refuted"
    assert any("certificate.budgets[0]" in fault.place for fault in found.faults)


def test_what_is_recomputed_is_what_was_checked(signed: Signed) -> None:
    """Files that are exchanged after they were read change nothing."""
    files = SignedFiles.read(signed.certificate, signed.plan)
    digest = files.certificate.contents.plan_digest
    signed.plan.write_text("changed", "utf-8")
    signed.certificate.write_text("changed", "utf-8")
    policy = TrustPolicy.read(signed.policy_data())
    assert trust(files, signed.signatures.read_text("utf-8"), policy, {}).trusted
    from accountant import default_registry

    assert files.plan(default_registry()).digest == digest


def test_signatures_are_bounded_in_number(signed: Signed) -> None:
    one = signed.envelopes[0]
    signed.signatures.write_text((one.to_json() + "\n") * 257, "utf-8")
    assert "more than 256 envelopes" in signed.reasons()[0]
    signed.write(evolve(one, signatures=one.signatures * 65))
    assert "more than 64 signatures" in signed.reasons()[0]


def test_base64_has_one_spelling(signed: Signed) -> None:
    first = signed.envelopes[0].as_data()
    sound = first["signatures"][0]["sig"]
    spare = sound[:-3] + chr(ord(sound[-3]) + 1) + "=="  # of this character two bits count, and four say nothing
    assert base64.b64decode(spare) == base64.b64decode(sound)
    for spelling in (spare, sound.rstrip("="), sound + "\n", base64.urlsafe_b64encode(b"\xff" * 64).decode(), "é", 7, None):
        data = {**first, "signatures": [{**first["signatures"][0], "sig": spelling}]}
        with pytest.raises(SigningError, match="not standard base64"):
            Envelope.of(data)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"payload":"","payload":"","payloadType":"x","signatures":[]}', "given twice"),
        ("[]", "an object of JSON"),
        ('{"payload":"","payloadType":"x"}', "has the keys payload, payloadType, signatures"),
        ('{"payload":"","payloadType":"x","signatures":[]}', "at least one signature"),
        ('{"payload":"","payloadType":"x","signatures":[7]}', "a signature is an object of JSON"),
        ("{" * 100_000, "cannot be parsed"),
        ('{"payload":' + "1" * 10_000 + "}", "cannot be parsed"),
    ],
)
def test_what_is_no_envelope_is_refused(content: str, reason: str) -> None:
    with pytest.raises(SigningError, match=reason):
        Envelope.parse(content)


def test_an_envelope_is_read_in_its_one_form(signed: Signed) -> None:
    line = signed.envelopes[0].to_json()
    for other in (f" {line}", line.replace(":", ": ", 1), line + " ", json.dumps(json.loads(line), indent=1)):
        assert Envelope.of(json.loads(other)) == signed.envelopes[0], "it would be read as the same"
        with pytest.raises(SigningError, match="not the canonical JSON"):
            Envelope.parse(other)


def test_an_envelope_says_nothing_that_nobody_signed(signed: Signed) -> None:
    """A key more would be shown by some program or other, and is covered by no signature."""
    data = signed.envelopes[0].as_data()
    with pytest.raises(SigningError, match=r"an envelope has the keys .* and no others"):
        Envelope.of({**data, "remark": "all is well"})
    with pytest.raises(SigningError, match=r"a signature has the keys .* and no others"):
        Envelope.of({**data, "signatures": [{**data["signatures"][0], "cert": ""}]})
