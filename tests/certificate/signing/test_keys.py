"""Keys: one form each, told apart by all of their digest, and no secret shown."""

from __future__ import annotations

import base64
import hashlib

import pytest

from accountant.certificate.signing.keys import PrivateKey, PublicKey
from accountant.errors import SigningError

PRIME = 2**255 - 19
SQUARE = -121665 * pow(121666, -1, PRIME) % PRIME


def test_signatures_are_those_of_rfc_8032() -> None:
    """Section 7.1, TEST 2."""
    key = PrivateKey.of_seed(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
    assert key.public.raw.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    expected = (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert key.sign(b"\x72").hex() == expected
    assert key.public.verifies(bytes.fromhex(expected), b"\x72")


def test_a_signature_holds_for_one_key_and_one_message() -> None:
    key, other = PrivateKey.new(), PrivateKey.new()
    signature = key.sign(b"said")
    assert key.public.verifies(signature, b"said")
    assert not key.public.verifies(signature, b"not said")
    assert not other.public.verifies(signature, b"said")
    assert not key.public.verifies(signature[:-1], b"said")
    assert not key.public.verifies(b"", b"said")


def test_a_signature_cannot_be_written_in_a_second_way() -> None:
    """The number in a signature plus the order of the group would give another one for the same message."""
    key = PrivateKey.new()
    signature = key.sign(b"said")
    order = 2**252 + 27742317777372353535851937790883648493
    number = int.from_bytes(signature[32:], "little") + order
    assert number < 2**256
    assert not key.public.verifies(signature[:32] + number.to_bytes(32, "little"), b"said")


def test_the_id_is_the_digest_that_other_programs_compute() -> None:
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    key = PrivateKey.new().public
    loaded = serialization.load_pem_public_key(key.pem.encode())
    der = loaded.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert der == key.der
    assert key.key_id == hashlib.sha256(der).hexdigest()
    assert PublicKey.parse(key.pem) == PublicKey.parse(key.text) == key


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not an Ed25519 public key"),
        ("é", "a line of base64"),
        ("MCow$", "a line of base64"),
        (base64.b64encode(b"x" * 44).decode(), "not an Ed25519 public key"),
        (base64.b64encode(bytes.fromhex("302a300506032b6570032100") + b"x" * 31).decode(), "32 bytes"),
        (base64.b64encode(bytes.fromhex("302a300506032b6570032100") + b"x" * 33).decode(), "32 bytes"),
        (base64.b64encode(bytes.fromhex("302a300506032b6570032100") + bytes(32)).decode(), "degenerate"),
    ],
)
def test_what_is_no_key_is_refused(text: str, reason: str) -> None:
    with pytest.raises(SigningError, match=reason):
        PublicKey.parse(text)


def test_a_key_has_one_spelling() -> None:
    """The last character of this base64 has two bits that say nothing."""
    text = PrivateKey.new().public.text
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    twin = text[:-2] + alphabet[alphabet.index(text[-2]) ^ 1] + "="
    assert base64.b64decode(twin) == base64.b64decode(text)
    with pytest.raises(SigningError, match="in one way"):
        PublicKey.parse(twin)


def _added(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    (a, b), (c, d) = left, right
    product = SQUARE * a * b * c * d
    return (
        (a * d + b * c) * pow(1 + product, -1, PRIME) % PRIME,
        (b * d + a * c) * pow(1 - product, -1, PRIME) % PRIME,
    )


def _small_points() -> set[tuple[int, int]]:
    """All points whose order divides eight: some point times the odd part of the order of the whole curve."""
    odd = 2**252 + 27742317777372353535851937790883648493
    for second in range(2, 50):
        square = (second**2 - 1) * pow(SQUARE * second**2 + 1, -1, PRIME) % PRIME
        root = pow(square, (PRIME + 3) // 8, PRIME)
        root = root if root * root % PRIME == square else root * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
        if root * root % PRIME != square:
            continue
        point, total, left = (root, second), (0, 1), odd
        while left:
            total, point, left = (_added(total, point) if left & 1 else total), _added(point, point), left >> 1
        found, at = {(0, 1)}, total
        while at not in found:
            found.add(at)
            at = _added(at, total)
        if len(found) == 8:
            return found
    raise AssertionError


def test_points_that_anybody_can_sign_for_are_no_keys() -> None:
    small = _small_points()
    assert len(small) == 8
    for first, second in small:
        for spelling in {second, second + PRIME} if second + PRIME < 2**255 else {second}:
            for sign in (first & 1, 1 - (first & 1)):
                with pytest.raises(SigningError, match="degenerate"):
                    PublicKey((spelling | sign << 255).to_bytes(32, "little"))


def test_a_point_has_no_second_spelling() -> None:
    """Nineteen second coordinates fit into the bytes once more after the prime was added."""
    for second in range(19):
        with pytest.raises(SigningError, match="degenerate"):
            PublicKey((second + PRIME).to_bytes(32, "little"))


def test_a_private_key_does_not_show_itself() -> None:
    key = PrivateKey.new()
    shown = f"{key!r} {key}"
    assert key.public.key_id in shown
    assert key.seed().hex() not in shown
    assert base64.b64encode(key.seed()).decode() not in shown
