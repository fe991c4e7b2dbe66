"""Seal: a certificate's bytes are one line of canonical JSON, and one of its keys is the digest of all others.

It finds slips: a digit retyped, a line cut off, a file laid out anew. It is no signature: who forges can seal what is
forged, and whether that follows from a plan is for recomputation to say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from accountant.certificate.data import read, write
from accountant.certificate.differences import differences
from accountant.errors import CertificateError, Fault, PlanError
from accountant.values.hygiene import shortened
from accountant.values.source import canonical, file_text, unique_keys

T = TypeVar("T")

FORMAT_KEY = "format"
"""The key of what kind of certificate it is, and of which version."""
SEAL = "seal"
"""The key of the digest of all else."""
BYTE_ORDER_MARK = "\ufeff"
_REMEDY = "take the file as it was written, or certify the plan again"
_SHOWN = 40


def sealed(form: str, contents: object) -> dict[str, Any]:
    """All that a certificate of some format says, as plain data with its seal."""
    data = {FORMAT_KEY: form, **write(contents)}
    return {**data, SEAL: seal_of(data)}


def text_of(data: Mapping[str, Any]) -> str:
    """The bytes of a certificate: canonical JSON, ending in a newline."""
    return canonical(data) + "\n"


def text_in(path: Path) -> str:
    """The text of a certificate's file, with the byte order mark that it should not begin with."""
    try:
        return _marked(path) + file_text(path)
    except PlanError as error:
        raise CertificateError(f"the certificate {error}") from error


def parsed(content: str) -> Any:
    """The plain data in the text of a certificate."""
    try:
        return json.loads(content.removeprefix(BYTE_ORDER_MARK), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"the certificate cannot be parsed: {error}") from error


def contents_of(kind: type[T], data: Mapping[str, Any]) -> T:
    """What a certificate says, as values; a malformed one is refused."""
    return read(kind, _said(data), "certificate")


def readable(kind: type[T], data: Mapping[str, Any]) -> T | None:
    """What a certificate says as values, if it is as it was written and they say all of it."""
    try:
        contents = contents_of(kind, data)
    except CertificateError:
        return None
    return contents if write(contents) == _said(data) and broken_seal(data) is None else None


def changed(stated: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Fault]:
    """Where a certificate that is not as it was written, or not one at all, differs from the one that was found."""
    said, here = ({key: item for key, item in data.items() if key != SEAL} for data in (stated, found))
    where = list(differences("certificate", said, here))
    yield from where
    if not where:
        yield Fault(broken_seal(stated) or "is not as certificates are written", f"certificate.{SEAL}")


def _said(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in (FORMAT_KEY, SEAL)}


def _marked(path: Path) -> str:
    """The byte order mark that a file begins with, which reading takes away."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return BYTE_ORDER_MARK if file.read(3) == BYTE_ORDER_MARK.encode() else ""
    except (OSError, ValueError):
        # Reading it says why it cannot be read.
        return ""


def seal_of(data: Mapping[str, Any]) -> str:
    """The digest of all that a certificate says under other keys."""
    others = {key: value for key, value in data.items() if key != SEAL}
    return "sha256:" + hashlib.sha256(canonical(others).encode("utf-8", "surrogatepass")).hexdigest()


def broken_seal(data: Mapping[str, Any]) -> str | None:
    """Why a certificate is not as it was written; None where it is sealed."""
    try:
        expected = seal_of(data)
    except (ValueError, TypeError, RecursionError):
        return f"it holds what certificates are never made of; {_REMEDY}"
    if data.get(SEAL) == expected:
        return None
    return f"the certificate was changed after it was written: the digest of all that it says is {expected}; {_REMEDY}"


def not_canonical(content: str, data: Mapping[str, Any]) -> str | None:
    """Why a text is not the canonical bytes of what it says; None where it is."""
    if content.startswith(BYTE_ORDER_MARK):
        return f"the file begins with a byte order mark, which no certificate does; {_REMEDY}"
    try:
        expected = text_of(data)
    except (ValueError, RecursionError):
        return f"it holds what canonical JSON has no form for; {_REMEDY}"
    if content == expected:
        return None
    place = next(
        (at for at, (left, right) in enumerate(zip(content, expected, strict=False)) if left != right),
        min(len(content), len(expected)),
    )
    found = shortened(repr(content[place : place + _SHOWN]) if content[place:] else "the end", 2 * _SHOWN)
    return (
        f"the bytes are not canonical, keys sorted, no spaces, one line: from character {place + 1:,} on there is {found}, "
        f"and there should be {shortened(repr(expected[place : place + _SHOWN]), 2 * _SHOWN)}; {_REMEDY}"
    )
