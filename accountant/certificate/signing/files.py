"""Files: what is signed, by the bytes as they are stored."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO

from attrs import frozen

from accountant.certificate.certificate import Certificate
from accountant.errors import CertificateError, PlanError, SigningError
from accountant.plan.plan import Plan
from accountant.plan.reader import load_plan
from accountant.registry.registry import Registry
from accountant.values.source import Written, decoded

_CHUNK = 2**20
_LARGEST = 64 * 2**20


@frozen
class Stored:
    """A file that was read once: what is read from it is what its digest is of, whatever becomes of the file."""

    path: Path
    content: bytes

    @classmethod
    def read(cls, path: str | Path) -> Stored:
        """The file at a path."""
        with _opened(Path(path)) as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise SigningError(f"{path} is larger than {_LARGEST:,} bytes")
        return cls(Path(path), content)

    @property
    def digest(self) -> str:
        """The SHA-256 of its bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def text(self) -> str:
        """Its bytes as text."""
        return decoded(io.BytesIO(self.content), str(self.path))


@frozen(slots=False)
class SignedFiles:
    """A certificate and its plan as they are stored, which statements are about."""

    stored_certificate: Stored
    stored_plan: Stored

    @classmethod
    def read(cls, certificate: str | Path, plan: str | Path) -> SignedFiles:
        """Both files, each read once."""
        return cls(Stored.read(certificate), Stored.read(plan))

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate."""
        try:
            return Certificate.parse(self.stored_certificate.text)
        except PlanError as error:
            raise CertificateError(f"the certificate {error}") from error
        except CertificateError as error:
            raise CertificateError(f"{self.stored_certificate.path}: {error}") from error

    @cached_property
    def written(self) -> Written:
        """The text of the plan."""
        path = self.stored_plan.path
        language = "json" if path.suffix.lower() == ".json" else "toml"
        return Written(self.stored_plan.text, language, str(path), path.parent)  # type: ignore[arg-type]

    def plan(self, registry: Registry) -> Plan:
        """The plan, with the rows of its tables."""
        return load_plan(self.written, registry=registry)

    @cached_property
    def tables(self) -> Mapping[str, str]:
        """The digest of every table of the plan, by the name that the plan has for it."""
        return {name: digest_of(self.stored_plan.path.parent / name) for name in table_names(self.written.data())}


def table_names(plan: object) -> Iterator[str]:
    """The files that a plan takes its rows from, each once, in its order."""
    tables = plan.get("table") if isinstance(plan, Mapping) else None
    named = [item.get("file") for item in tables if isinstance(item, Mapping)] if isinstance(tables, list) else []
    return iter(dict.fromkeys(name for name in named if isinstance(name, str)))


def released_digests(paths: Iterable[str | Path]) -> dict[str, str]:
    """The digest of every released file, by its name without the folder; two of one name are refused."""
    found: dict[str, str] = {}
    for path in map(Path, paths):
        if path.name in found:
            raise SigningError(f"two released files are called '{path.name}'; they are told apart by their names")
        found[path.name] = digest_of(path)
    return found


def digest_of(path: Path) -> str:
    """The SHA-256 of a file of any size."""
    found = hashlib.sha256()
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _opened(path: Path) -> IO[bytes]:
    """A regular file, open for reading; a pipe or a device has no bytes that are stored."""
    try:
        # Opening a pipe to which nobody writes would wait for ever.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise SigningError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise SigningError(f"{path} is not a file whose bytes are stored")
    return os.fdopen(number, "rb")
