"""Keys on disk: encrypted with a passphrase, as PKCS #8 in PEM, which other programs read."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
from pathlib import Path

from accountant.certificate.signing.keys import PrivateKey, PublicKey, needed
from accountant.errors import PlanError, SigningError
from accountant.values.source import file_text

SHORTEST = 12
"""Characters that a passphrase has at least."""
_ROUNDS = 600_000
"""Rounds of PBKDF2 with SHA-256. The package that signs takes 2,048 and cannot be told otherwise: too few by now."""
_SECRET = re.compile(r"\s*-----BEGIN (?P<kind>[A-Z ]*PRIVATE KEY)-----")

_PBES2, _PBKDF2 = bytes.fromhex("06092a864886f70d01050d"), bytes.fromhex("06092a864886f70d01050c")
_HMAC_SHA256, _AES256_CBC = bytes.fromhex("06082a864886f70d02090500"), bytes.fromhex("060960864801650304012a")
_UNENCRYPTED = bytes.fromhex("302e020100300506032b657004220420")
"""How an Ed25519 private key begins in PKCS #8 (RFC 8410); the seed follows."""


def sealed(key: PrivateKey, passphrase: str) -> str:
    """A key encrypted with a passphrase: PBES2 of RFC 8018 with PBKDF2 and AES-256."""
    if len(passphrase) < SHORTEST:
        raise SigningError(f"a passphrase has at least {SHORTEST} characters: a few words that nobody would guess")
    salt, start = secrets.token_bytes(16), secrets.token_bytes(16)
    derived = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), salt, _ROUNDS, 32)
    ciphers = needed("hazmat.primitives.ciphers")
    cipher = ciphers.Cipher(ciphers.algorithms.AES(derived), ciphers.modes.CBC(start)).encryptor()
    plain = _UNENCRYPTED + key.seed()
    hidden = cipher.update(plain + bytes([16]) * 16) + cipher.finalize()
    rounds = _ROUNDS.to_bytes(3, "big")
    derivation = _der(0x30, _PBKDF2, _der(0x30, _der(0x04, salt), _der(0x02, rounds), _der(0x30, _HMAC_SHA256)))
    encryption = _der(0x30, _AES256_CBC, _der(0x04, start))
    whole = _der(0x30, _der(0x30, _PBES2, _der(0x30, derivation, encryption)), _der(0x04, hidden))
    lines = re.findall(".{1,64}", base64.b64encode(whole).decode("ascii"))
    return "\n".join(["-----BEGIN ENCRYPTED PRIVATE KEY-----", *lines, "-----END ENCRYPTED PRIVATE KEY-----", ""])


def _der(tag: int, *parts: bytes) -> bytes:
    """A value in the distinguished encoding of ASN.1, of less than 256 bytes."""
    content = b"".join(parts)
    length = bytes([len(content)]) if len(content) < 128 else bytes([0x81, len(content)])
    return bytes([tag]) + length + content


def opened(pem: str, passphrase: str | None) -> PrivateKey:
    """The key in a PEM text. One that is not encrypted is refused: whoever reads the file could sign."""
    found = _SECRET.match(pem)
    if found is None:
        raise SigningError("this is no private key in PEM; 'accountant keys new' makes one")
    if found["kind"] != "ENCRYPTED PRIVATE KEY":
        raise SigningError(
            "the private key is not encrypted as PKCS #8; 'openssl pkcs8 -topk8' encrypts it with a passphrase"
        )
    if not passphrase:
        raise SigningError("the private key is encrypted, and no passphrase is given")
    unsupported = needed("exceptions").UnsupportedAlgorithm
    try:
        key = needed("hazmat.primitives.serialization").load_pem_private_key(pem.encode(), passphrase.encode())
    except (ValueError, TypeError, unsupported) as error:
        raise SigningError("the private key cannot be opened: the passphrase is wrong, or the file is damaged") from error
    if not isinstance(key, needed("hazmat.primitives.asymmetric.ed25519").Ed25519PrivateKey):
        raise SigningError("the private key is not an Ed25519 key; 'accountant keys new' makes one")
    return PrivateKey(key)


def save_key(key: PrivateKey, path: Path, passphrase: str) -> Path:
    """Write a key that only its owner can read, and beside it the public one, whose path is returned.

    Nothing is overwritten: a file that is there already is refused.
    """
    public = path.with_suffix(".pub")
    if public == path:
        raise SigningError(f"{path} is a name of a public key; call the private one otherwise, such as {path.stem}.key")
    content = sealed(key, passphrase)
    _create(path, content, 0o600)
    try:
        _create(public, key.public.pem, 0o644)
    except SigningError:
        path.unlink()
        raise
    return public


def _create(path: Path, content: str, mode: int) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="ascii") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError as error:
        raise SigningError(f"cannot write {path}: it is there already, and keys are never overwritten") from error
    except (OSError, ValueError) as error:
        raise SigningError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def load_key(path: str | Path, passphrase: str | None) -> PrivateKey:
    """The private key in a file."""
    try:
        return opened(_text(path), passphrase)
    except SigningError as error:
        raise SigningError(f"{path}: {error}") from error


def load_public_key(path: str | Path) -> PublicKey:
    """The public key in a file. The private one, which its owner alone needs, is not taken for it."""
    content = _text(path)
    try:
        if is_secret(content):
            raise SigningError("this is a private key; the public one is in the file beside it whose name ends in .pub")
        return PublicKey.parse(content)
    except SigningError as error:
        raise SigningError(f"{path}: {error}") from error


def is_secret(pem: str) -> bool:
    """Whether a text is a private key."""
    return _SECRET.match(pem) is not None


def _text(path: str | Path) -> str:
    try:
        return file_text(Path(path))
    except PlanError as error:
        raise SigningError(str(error.faults[0].message) + f": {path}") from error
