"""Keys on disk: encrypted, readable by other programs, and refused each with its reason."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from accountant.certificate.signing.disk import load_key, load_public_key, opened, save_key, sealed
from accountant.certificate.signing.keys import PrivateKey
from accountant.errors import SigningError
from tests.programs import program

PASSPHRASE = "five words nobody would guess"


@pytest.fixture(scope="module")
def key() -> PrivateKey:
    return PrivateKey.new()


@pytest.fixture(scope="module")
def pem(key: PrivateKey) -> str:
    return sealed(key, PASSPHRASE)


def test_an_encrypted_key_is_read_back_and_by_others(key: PrivateKey, pem: str) -> None:
    assert opened(pem, PASSPHRASE).seed() == key.seed()
    other = load_pem_private_key(pem.encode(), PASSPHRASE.encode())
    assert isinstance(other, Ed25519PrivateKey)
    assert other.private_bytes_raw() == key.seed()


def test_openssl_reads_an_encrypted_key_and_says_how_it_is_encrypted(key: PrivateKey, pem: str, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(pem)
    public = subprocess.run(
        [program("openssl", package="openssl"), "pkey", "-in", file, "-passin", f"pass:{PASSPHRASE}", "-pubout"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert public.stdout == key.public.pem
    structure = subprocess.run(
        [program("openssl", package="openssl"), "asn1parse", "-in", file], capture_output=True, check=True, text=True
    ).stdout
    assert "0927C0" in structure  # 600,000
    assert "aes-256-cbc" in structure
    assert "hmacWithSHA256" in structure


def test_a_key_that_another_program_encrypted_is_read(key: PrivateKey) -> None:
    other = Ed25519PrivateKey.from_private_bytes(key.seed())
    written = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"short"))
    assert opened(written.decode(), "short").public == key.public


def test_an_encrypted_key_without_its_passphrase_is_refused(pem: str) -> None:
    for missing in (None, ""):
        with pytest.raises(SigningError, match="no passphrase is given"):
            opened(pem, missing)


def test_an_encrypted_key_with_a_wrong_passphrase_is_refused(pem: str) -> None:
    with pytest.raises(SigningError, match="the passphrase is wrong") as refused:
        opened(pem, "a passphrase of somebody else")
    assert "somebody else" not in str(refused.value)


def test_a_key_that_lies_open_is_refused(key: PrivateKey) -> None:
    other = Ed25519PrivateKey.from_private_bytes(key.seed())
    for form in (PrivateFormat.PKCS8, PrivateFormat.OpenSSH):
        with pytest.raises(SigningError, match="is not encrypted"):
            opened(other.private_bytes(Encoding.PEM, form, NoEncryption()).decode(), PASSPHRASE)


def test_a_key_of_another_kind_is_refused() -> None:
    other = generate_private_key(SECP256R1())
    written = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(PASSPHRASE.encode()))
    with pytest.raises(SigningError, match="not an Ed25519 key"):
        opened(written.decode(), PASSPHRASE)


def test_a_damaged_key_and_what_is_no_key_are_refused(pem: str) -> None:
    lines = pem.splitlines()
    with pytest.raises(SigningError, match="cannot be opened"):
        opened("\n".join([lines[0], lines[2], lines[-1]]), PASSPHRASE)
    with pytest.raises(SigningError, match="no private key"):
        opened("hello", PASSPHRASE)


def test_a_short_passphrase_is_refused(key: PrivateKey) -> None:
    with pytest.raises(SigningError, match="at least 12 characters"):
        sealed(key, "eleven char")


def test_a_saved_key_is_its_owners_and_is_never_overwritten(key: PrivateKey, tmp_path: Path) -> None:
    path = tmp_path / "ada.key"
    public = save_key(key, path, PASSPHRASE)
    assert public == tmp_path / "ada.pub"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_public_key(public) == load_key(path, PASSPHRASE).public == key.public
    before = path.read_bytes()
    with pytest.raises(SigningError, match="never overwritten"):
        save_key(PrivateKey.new(), path, PASSPHRASE)
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(SigningError, match=r"ada\.pub: it is there already"):
        save_key(PrivateKey.new(), path, PASSPHRASE)
    assert not path.exists()


def test_a_private_key_is_not_taken_for_the_public_one(pem: str, tmp_path: Path) -> None:
    path = tmp_path / "ada.pub"
    path.write_text(pem)
    with pytest.raises(SigningError, match="this is a private key"):
        load_public_key(path)


def test_a_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SigningError, match=r"cannot be read.*none\.key"):
        load_key(tmp_path / "none.key", PASSPHRASE)
    with pytest.raises(SigningError, match="is a name of a public key"):
        save_key(PrivateKey.new(), tmp_path / "a.pub", PASSPHRASE)
