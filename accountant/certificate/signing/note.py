"""Notes: text with lines of signatures below it, as transparency logs exchange it.

Reference: C2SP signed-note, https://c2sp.org/signed-note; and for those who sign what others signed before,
https://c2sp.org/tlog-cosignature, version 1.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from enum import IntEnum

from attrs import evolve, frozen

from accountant.certificate.signing.keys import PublicKey, Signer
from accountant.display.brief import Brief
from accountant.errors import SigningError

_LARGEST = 1 << 20
"""No note of more bytes is read."""
_MOST = 64
"""No note with more signatures is read."""
_LONGEST_NAME = 200
_DASH = "—"
_ID, _MOMENT = 4, 8
_LATEST = 2**63 - 1
_KEY = re.compile(r"([^+\s]+)\+([0-9a-f]{8})\+(\S+)")


class SignatureKind(IntEnum):
    """What a signature in a note signs, by the byte that its key is named with."""

    NOTE = 1
    """The text."""
    COSIGNATURE = 4
    """The text and the moment at which it was seen."""


def base64_text(content: bytes) -> str:
    """Bytes as a note writes them."""
    return base64.b64encode(content).decode("ascii")


def base64_bytes(text: str, what: str) -> bytes:
    """The bytes that a note writes so. Guarantee: no two texts give the same bytes."""
    try:
        content = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise SigningError(f"{what} is not written in base64") from error
    if base64_text(content) != text:
        raise SigningError(f"{what} is not written in base64 as everybody writes it")
    return content


def _name(name: str) -> str:
    if not name or len(name) > _LONGEST_NAME or not name.isprintable() or "+" in name or any(c.isspace() for c in name):
        raise SigningError(
            f"{name[:60]!r} cannot name a key: give something like 'example.org/survey', without spaces and plus signs"
        )
    return name


@frozen
class NoteKey(Brief):
    """A key that signatures in notes are checked with, under the name that it signs with where that is known."""

    public: PublicKey
    name: str | None = None

    @classmethod
    def parse(cls, text: str, kind: SignatureKind) -> NoteKey:
        """The key in a line of base64 or PEM, as `accountant keys` writes it, or in a line `name+id+key`."""
        found = _KEY.fullmatch(text.strip())
        if found is None:
            return cls(PublicKey.parse(text))
        name, key_id, rest = _name(found[1]), found[2], base64_bytes(found[3], "the key")
        if rest[:1] != bytes([kind]):
            raise SigningError(f"the key of '{name}' is not for signatures of this kind, which is {int(kind)}")
        key = cls(PublicKey(rest[1:]), name)
        if key_hash(name, kind, key.public).hex() != key_id:
            raise SigningError(f"the key of '{name}' was changed: it does not have the id {key_id}")
        return key

    def owns(self, signature: NoteSignature, kind: SignatureKind) -> bool:
        """Whether a signature says that it was made with this key. Whether it was is another question."""
        named = self.name in (None, signature.name)
        return named and signature.key_id == key_hash(signature.name, kind, self.public)


def key_hash(name: str, kind: SignatureKind, public: PublicKey) -> bytes:
    """By what a note tells keys apart: four bytes, which prove nothing."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public.raw).digest()[:_ID]


def key_text(name: str, kind: SignatureKind, public: PublicKey) -> str:
    """A key in a line, as other programs that read notes want it."""
    return f"{_name(name)}+{key_hash(name, kind, public).hex()}+{base64_text(bytes([kind]) + public.raw)}"


@frozen
class NoteSignature(Brief):
    """One line of signature: who says so, and what follows the four bytes that name the key."""

    name: str
    key_id: bytes
    content: bytes

    @classmethod
    def parse(cls, line: str) -> NoteSignature:
        """The signature in a line."""
        dash, _, rest = line.partition(" ")
        name, _, written = rest.partition(" ")
        if dash != _DASH or not written:
            raise SigningError("a line of signature is a dash, a name and base64")
        content = base64_bytes(written, f"the signature of '{_name(name)}'")
        if len(content) <= _ID:
            raise SigningError(f"the signature of '{name}' is too short")
        return cls(name, content[:_ID], content[_ID:])

    @property
    def line(self) -> str:
        """The signature as it is written."""
        return f"{_DASH} {self.name} {base64_text(self.key_id + self.content)}\n"

    @property
    def moment(self) -> int:
        """When a cosignature says that it was made, in seconds since 1970."""
        return int.from_bytes(self.content[:_MOMENT], "big")

    def signs(self, text: str, kind: SignatureKind, public: PublicKey) -> bool:
        """Whether the owner of a key signed the text."""
        if kind is SignatureKind.NOTE:
            return public.verifies(self.content, text.encode())
        if not 0 < self.moment <= _LATEST:
            return False
        return public.verifies(self.content[_MOMENT:], _seen(text, self.moment))


def _seen(text: str, moment: int) -> bytes:
    return f"cosignature/v1\ntime {moment}\n{text}".encode()


def signed(text: str, name: str, signer: Signer) -> NoteSignature:
    """The signature of a text."""
    return NoteSignature(_name(name), key_hash(name, SignatureKind.NOTE, signer.public), signer.sign(text.encode()))


def cosigned(text: str, name: str, signer: Signer, moment: int) -> NoteSignature:
    """The signature of a text that was seen at a moment, in seconds since 1970."""
    if not 0 < moment <= _LATEST:
        raise SigningError("a cosignature says when it was made, in seconds since 1970")
    content = moment.to_bytes(_MOMENT, "big") + signer.sign(_seen(text, moment))
    return NoteSignature(_name(name), key_hash(name, SignatureKind.COSIGNATURE, signer.public), content)


@frozen
class Note(Brief):
    """A text and those who signed it. Guarantee: a note is written in one way, and reads as it is written."""

    text: str
    signatures: tuple[NoteSignature, ...]

    @classmethod
    def parse(cls, content: bytes) -> Note:
        """The note in a file. Nothing is known of its signatures yet."""
        if len(content) > _LARGEST:
            raise SigningError(f"a note has at most {_LARGEST:,} bytes, not {len(content):,}")
        try:
            whole = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SigningError("it is no signed note: it is not text in UTF-8") from error
        text, gap, lines = whole.rpartition("\n\n")
        if not gap or not text or not lines.endswith("\n"):
            raise SigningError("it is no signed note: that is text, an empty line, and lines of signatures")
        if any(not c.isprintable() and c != "\n" for c in whole):
            raise SigningError("it is no signed note: it has control characters")
        written = lines[:-1].split("\n")
        if len(written) > _MOST:
            raise SigningError(f"a note has at most {_MOST} signatures, not {len(written)}")
        found = cls(text + "\n", tuple(NoteSignature.parse(line) for line in written))
        if len({(signature.name, signature.key_id) for signature in found.signatures}) != len(written):
            raise SigningError("one key signed twice")
        return found

    @property
    def content(self) -> str:
        """The note as it is written."""
        return self.text + "\n" + "".join(signature.line for signature in self.signatures)

    def with_signature(self, signature: NoteSignature) -> Note:
        """The note with one more signature; in place of an earlier one by the same key."""
        kept = [other for other in self.signatures if (other.name, other.key_id) != (signature.name, signature.key_id)]
        return evolve(self, signatures=(*kept, signature))
