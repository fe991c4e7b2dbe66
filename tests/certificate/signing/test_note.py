"""Notes are what other programs write and read, and nothing that was changed is taken for one."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from accountant import SigningError
from accountant.certificate.signing.keys import PrivateKey, PublicKey
from accountant.certificate.signing.note import Note, NoteKey, SignatureKind, cosigned, key_hash, key_text, signed

# The example of golang.org/x/mod/sumdb/note, key included.
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
NOTE = f"{TEXT}\n{LINE}"


def test_the_published_example_is_read_written_and_signed_byte_for_byte() -> None:
    note, signer = Note.parse(NOTE.encode()), PrivateKey.of_seed(SEED)
    assert (note.text, note.content) == (TEXT, NOTE)
    assert Note(TEXT, (signed(TEXT, "PeterNeumann", signer),)).content == NOTE
    key = NoteKey.parse(KEY, SignatureKind.NOTE)
    assert key == NoteKey(signer.public, "PeterNeumann")
    assert key_text("PeterNeumann", SignatureKind.NOTE, signer.public) == KEY
    (signature,) = note.signatures
    assert key.owns(signature, SignatureKind.NOTE)
    assert signature.signs(TEXT, SignatureKind.NOTE, key.public)
    assert not signature.signs(TEXT + " ", SignatureKind.NOTE, key.public)


def test_a_cosignature_is_what_the_specification_says() -> None:
    """Made here with nothing but the package that signs, from the page of C2SP."""
    text, moment, name = (
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        1679315147,
        "w1",
    )
    raw = Ed25519PrivateKey.from_private_bytes(SEED)
    public = raw.public_key().public_bytes_raw()
    message = f"cosignature/v1\ntime 1679315147\n{text}".encode()
    key_id = hashlib.sha256(b"w1\n\x04" + public).digest()[:4]
    line = f"— w1 {base64.b64encode(key_id + moment.to_bytes(8, 'big') + raw.sign(message)).decode()}\n"
    made = cosigned(text, name, PrivateKey.of_seed(SEED), moment)
    assert made.line == line
    (found,) = Note.parse(f"{text}\n{line}".encode()).signatures
    assert found.moment == moment
    assert found.signs(text, SignatureKind.COSIGNATURE, PublicKey(public))
    assert not found.signs(text, SignatureKind.NOTE, PublicKey(public))
    assert key_hash(name, SignatureKind.NOTE, PublicKey(public)) != key_id


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TEXT, "no signed note"),
        (f"{TEXT}\n", "no signed note"),
        (f"\n{LINE}", "no signed note"),
        (NOTE[:-1], "no signed note"),
        (NOTE.replace("you", "y\rou"), "control characters"),
        (NOTE.replace("you", "y\u202eou"), "control characters"),
        (NOTE.replace("AM=", "AN="), "as everybody writes it"),
        (NOTE.replace("AM=", "A"), "not written in base64"),
        (NOTE.replace("—", "-"), "a dash, a name"),
        (NOTE.replace("PeterNeumann", "Peter+Neumann"), "cannot name a key"),
        (NOTE.replace("PeterNeumann", "Peter\u2003Neumann"), "control characters"),
        (NOTE + LINE, "signed twice"),
        (f"{TEXT}\n— a AAAA\n", "too short"),
        (TEXT + "\n" + LINE * 65, "at most 64"),
    ],
)
def test_what_is_no_note_is_refused(content: str, message: str) -> None:
    with pytest.raises(SigningError, match=message):
        Note.parse(content.encode())


def test_what_is_not_text_or_too_long_is_refused() -> None:
    for content in (b"\xff\n\n" + LINE.encode(), b"x" * (1 << 21)):
        with pytest.raises(SigningError, match="note"):
            Note.parse(content)


def test_a_key_in_a_line_is_for_one_kind_of_signature_and_bound_to_its_name() -> None:
    with pytest.raises(SigningError, match="kind"):
        NoteKey.parse(KEY, SignatureKind.COSIGNATURE)
    with pytest.raises(SigningError, match="was changed"):
        NoteKey.parse(KEY.replace("Peter", "Petra"), SignatureKind.NOTE)
    (signature,) = Note.parse(NOTE.encode()).signatures
    public = PrivateKey.of_seed(SEED).public
    assert not NoteKey(public, "Petra").owns(signature, SignatureKind.NOTE)
    assert NoteKey(public).owns(signature, SignatureKind.NOTE)
    assert (
        NoteKey.parse(public.pem, SignatureKind.NOTE) == NoteKey.parse(public.text, SignatureKind.NOTE) == NoteKey(public)
    )


def test_who_signs_again_takes_the_place_of_the_earlier_signature() -> None:
    signer = PrivateKey.of_seed(SEED)
    note = Note.parse(NOTE.encode())
    once = note.with_signature(cosigned(TEXT, "w", signer, 5))
    twice = once.with_signature(cosigned(TEXT, "w", signer, 6))
    assert [item.name for item in twice.signatures] == ["PeterNeumann", "w"]
    assert twice.signatures[1].moment == 6
    for moment in (0, -1, 2**63):
        with pytest.raises(SigningError, match="when it was made"):
            cosigned(TEXT, "w", signer, moment)
