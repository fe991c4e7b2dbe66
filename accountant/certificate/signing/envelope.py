"""Envelopes: bytes, what kind of bytes they are, and signatures over both (DSSE, Dead Simple Signing Envelope)."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen

from accountant.certificate.signing.keys import Signer
from accountant.display.brief import Brief
from accountant.errors import AccountantError, Fault, SigningError
from accountant.fields import expect
from accountant.values.hygiene import shortened
from accountant.values.source import canonical, unique_keys

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""What is in an envelope: a statement of in-toto."""
MOST_ENVELOPES, MOST_SIGNATURES = 256, 64
"""In one file, and in one envelope: far more than anybody needs, few enough to look at each."""
_KEY_ID = re.compile(r"[0-9a-f]{64}")


@frozen
class Signature(Brief):
    """A signature, and whose it says that it is: a hint, until the key has been asked."""

    key_id: str
    value: bytes = field(repr=False)


@frozen
class Envelope(Brief):
    """A signed payload. Its JSON is canonical: one envelope, one line."""

    payload: bytes = field(repr=False)
    signatures: tuple[Signature, ...]
    payload_type: str = PAYLOAD_TYPE

    @classmethod
    def signed(cls, payload: bytes, signer: Signer) -> Envelope:
        """A payload signed by somebody, whose signature is checked before it is believed."""
        expect(Signer, signer, "load one with load_key, or write a class that derives from it")
        message = encoded(PAYLOAD_TYPE, payload)
        value, public = signer.sign(message), signer.public
        if not isinstance(value, bytes) or not public.verifies(value, message):
            raise SigningError("whoever was asked to sign gave a signature that their own public key does not bear out")
        return cls(payload, (Signature(public.key_id, value),))

    @classmethod
    def of(cls, data: object) -> Envelope:
        """The envelope in plain data, such as another program makes; what is missing, more or ambiguous is refused."""
        table = _table(data, {"payload", "payloadType", "signatures"}, "an envelope")
        signatures = table["signatures"]
        if not isinstance(signatures, list) or not signatures:
            raise SigningError("an envelope has a list of at least one signature")
        if len(signatures) > MOST_SIGNATURES:
            raise SigningError(f"more than {MOST_SIGNATURES} signatures on one envelope")
        if not isinstance(table["payloadType"], str):
            raise SigningError("the payload type of an envelope is text")
        return cls(_decoded(table["payload"], "payload"), tuple(map(_signature, signatures)), table["payloadType"])

    @classmethod
    def parse(cls, content: str) -> Envelope:
        """The envelope in a line of canonical JSON: whatever else would be read as the same is refused."""
        try:
            data = json.loads(content, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            reason = shortened(str(error))
            raise SigningError(f"cannot be parsed as JSON, so that it is damaged or cut off: {reason}") from error
        found = cls.of(data)
        if content != found.to_json():
            raise SigningError("not the canonical JSON of an envelope: it was written by others, or changed")
        return found

    @property
    def message(self) -> bytes:
        """What is signed."""
        return encoded(self.payload_type, self.payload)

    def as_data(self) -> dict[str, Any]:
        """The envelope as plain data, named as DSSE does."""
        signatures = [{"keyid": item.key_id, "sig": _text(item.value)} for item in self.signatures]
        return {"payload": _text(self.payload), "payloadType": self.payload_type, "signatures": signatures}

    def to_json(self) -> str:
        """The envelope as a line of canonical JSON, without the end of the line."""
        return canonical(self.as_data())


def encoded(payload_type: str, payload: bytes) -> bytes:
    """What a signature is over: the kind and the bytes, each after its length, so that nothing can be read in two ways."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def written(envelopes: tuple[Envelope, ...]) -> str:
    """Envelopes as a file has them: one on each line."""
    return "".join(f"{item.to_json()}\n" for item in envelopes)


def parsed(content: str) -> Iterator[Envelope | Fault]:
    """What each line of a file has: an envelope, or what is wrong with it."""
    *lines, rest = content.split("\n")
    if not lines and not rest:
        yield Fault("the file is empty: nobody has signed", "envelope")
        return
    if len(lines) > MOST_ENVELOPES:
        yield Fault(f"more than {MOST_ENVELOPES} envelopes in one file", "envelope")
        return
    for index, line in enumerate(lines):
        try:
            yield Envelope.parse(line)
        except AccountantError as error:
            yield Fault(str(error), f"envelope[{index}]")
    if rest:
        yield Fault("the last line has no end, so that it is cut off", f"envelope[{len(lines)}]")


def _table(data: object, keys: set[str], what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise SigningError(f"{what} is an object of JSON")
    if set(data) != keys:
        raise SigningError(f"{what} has the keys {', '.join(sorted(keys))} and no others")
    return data


def _signature(data: object) -> Signature:
    table = _table(data, {"keyid", "sig"}, "a signature")
    if not isinstance(table["keyid"], str) or not _KEY_ID.fullmatch(table["keyid"]):
        raise SigningError("a signature names its key by the whole SHA-256 of the public key, 64 hexadecimal digits")
    return Signature(table["keyid"], _decoded(table["sig"], "signature"))


def _decoded(text: object, what: str) -> bytes:
    """Bytes from base64 in its one standard form: other spellings of the same bytes are refused."""
    try:
        found = base64.b64decode(text.encode("ascii"), validate=True) if isinstance(text, str) else None
    except (binascii.Error, UnicodeEncodeError):
        found = None
    if found is None or _text(found) != text:
        raise SigningError(f"the {what} of an envelope is not standard base64")
    return found


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
