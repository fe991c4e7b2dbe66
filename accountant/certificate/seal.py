"""Seal: a certificate's bytes are one line of canonical JSON, and one of its keys is the digest of all others.

It finds slips: a digit retyped, a line cut off, a file laid out anew. It is no signature: who forges can seal what is
forged, and whether that follows from a plan is for recomputation to say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from accountant.values.hygiene import shortened
from accountant.values.source import canonical

SEAL = "seal"
"""The key of the digest of all else."""
BYTE_ORDER_MARK = "\ufeff"
_REMEDY = "take the file as it was written, or certify the plan again"
_SHOWN = 40


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
        expected = canonical(data) + "\n"
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
