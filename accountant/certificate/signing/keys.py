"""Keys: what a signature is checked with, and whoever can make one."""

from __future__ import annotations

import base64
import binascii
import hashlib
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any

from attrs import field, frozen

from accountant.errors import SigningError

_PREFIX = bytes.fromhex("302a300506032b6570032100")
"""How an Ed25519 key begins where X.509 writes it, a SubjectPublicKeyInfo (RFC 8410)."""
_RAW, _SIGNATURE = 32, 64
_PRIME = 2**255 - 19
_SMALL = frozenset(
    {
        0,
        1,
        _PRIME - 1,
        int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
        int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
    }
)
"""Second coordinates of the points of order 1, 2, 4 and 8: anybody can sign for a key that is one of them."""


def needed(module: str) -> Any:
    """A module of the package that signs, which is imported only when something is signed or checked."""
    try:
        return import_module(f"cryptography.{module}")
    except ImportError as error:
        raise SigningError(
            "signing and checking signatures needs the package 'cryptography': run "
            "\"pip install 'privacy-accountant[signing]'\""
        ) from error


@frozen(repr=False)
class PublicKey:
    """An Ed25519 key that signatures are checked with.

    Guarantee: one key has one form. Points that anybody can sign for, and second spellings of a point, are refused.
    """

    raw: bytes = field()
    """The key as RFC 8032 writes it, 32 bytes."""

    @raw.validator
    def _check(self, _: object, raw: object) -> None:
        if not isinstance(raw, bytes) or len(raw) != _RAW:
            raise SigningError(f"a public key has {_RAW} bytes")
        second = int.from_bytes(raw, "little") & (2**255 - 1)
        if second >= _PRIME or second in _SMALL:
            raise SigningError("this is no public key that anybody's signature could be told by: it is a degenerate point")

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """The key in a line of base64, as `text` writes it, or in PEM."""
        lines = [line for line in text.strip().splitlines() if not line.startswith("-----")]
        try:
            der = base64.b64decode("".join(lines).encode("ascii"), validate=True)
        except (binascii.Error, UnicodeEncodeError) as error:
            raise SigningError("a public key is a line of base64; 'accountant keys show' prints it") from error
        if not der.startswith(_PREFIX):
            raise SigningError("this is not an Ed25519 public key; 'accountant keys show' prints one")
        found = cls(der[len(_PREFIX) :])
        if "".join(lines) != found.text:
            raise SigningError("a public key is written in one way; 'accountant keys show' prints it")
        return found

    @property
    def der(self) -> bytes:
        """The key as X.509 writes it, which says that it is an Ed25519 key."""
        return _PREFIX + self.raw

    @property
    def text(self) -> str:
        """The key as a line of base64, as a policy has it."""
        return base64.b64encode(self.der).decode("ascii")

    @property
    def pem(self) -> str:
        """The key as other programs read it."""
        return f"-----BEGIN PUBLIC KEY-----\n{self.text}\n-----END PUBLIC KEY-----\n"

    @property
    def key_id(self) -> str:
        """The SHA-256 of the key as X.509 writes it, in full."""
        return hashlib.sha256(self.der).hexdigest()

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether the owner of the key signed the message."""
        if len(signature) != _SIGNATURE:
            return False
        invalid = needed("exceptions").InvalidSignature
        try:
            needed("hazmat.primitives.asymmetric.ed25519").Ed25519PublicKey.from_public_bytes(self.raw).verify(
                signature, message
            )
        except (invalid, ValueError):
            return False
        return True

    def __repr__(self) -> str:
        return f"PublicKey.parse('{self.text}')"


class Signer(ABC):
    """Whoever can sign: a key on disk, or a service that keeps one and never hands it out."""

    @property
    @abstractmethod
    def public(self) -> PublicKey:
        """The key that its signatures are checked with."""

    @abstractmethod
    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of a message, 64 bytes."""


class PrivateKey(Signer):
    """A key in the memory of this process. What it is is neither shown nor compared."""

    def __init__(self, key: Any) -> None:
        self._key = key

    @classmethod
    def new(cls) -> PrivateKey:
        """A fresh key."""
        return cls(needed("hazmat.primitives.asymmetric.ed25519").Ed25519PrivateKey.generate())

    @classmethod
    def of_seed(cls, seed: bytes) -> PrivateKey:
        """The key of a seed of 32 bytes, as RFC 8032 writes private keys."""
        if not isinstance(seed, bytes) or len(seed) != _RAW:
            raise SigningError(f"the seed of a private key has {_RAW} bytes")
        return cls(needed("hazmat.primitives.asymmetric.ed25519").Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def public(self) -> PublicKey:
        return PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        signature: bytes = self._key.sign(message)
        return signature

    def seed(self) -> bytes:
        """The secret itself, for whoever encrypts it."""
        raw: bytes = self._key.private_bytes_raw()
        return raw

    def __repr__(self) -> str:
        return f"PrivateKey of {self.public.key_id}"
