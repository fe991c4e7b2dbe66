"""Sealed: certificates of other formats, written as those of plans are and verified against what was recomputed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from attrs import frozen

from accountant.certificate.recomputed import Held, KnownEnds, Recomputed, recomputed, unsupported
from accountant.certificate.seal import FORMAT_KEY, changed, not_canonical, parsed, readable, sealed, text_in, text_of
from accountant.certificate.verification import Verification
from accountant.errors import CertificateError, Fault
from accountant.promise.guarantee import Verdict
from accountant.values.source import LARGEST_FILE

T = TypeVar("T")


def write_sealed(form: str, contents: object) -> str:
    """The text of a certificate of some format, whose contents are frozen values as those of a plan's certificate are.

    What would be too large to be read back is refused.
    """
    text = text_of(sealed(form, contents))
    if len(text.encode()) > LARGEST_FILE:
        raise CertificateError(f"the certificate would be larger than {LARGEST_FILE:,} bytes, which nobody could verify")
    return text


@frozen
class Sealed:
    """A certificate of some format as it stands in a file, whatever it says."""

    form: str
    _content: str
    _data: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path, form: str) -> Sealed:
        """The certificate in a file; what is not of the format is refused."""
        content = text_in(path)
        try:
            data = parsed(content)
        except CertificateError as error:
            raise CertificateError(f"{path}: {error}") from error
        if not isinstance(data, dict) or data.get(FORMAT_KEY) != form:
            raise CertificateError(f"{path}: not a certificate of the format '{form}'; name a file that was written as one")
        return cls(form, content, data)

    def verified(self, found: T, held: Callable[[T], Iterable[Held]]) -> Verification:
        """Whether the certificate says what was found; `held` gives every number that a verdict is on.

        Guarantee: implied only if the file is as it was written, all that is no number is equal, and what was found shows
        every number: an upper end that is not below, a lower end that is not above.
        """
        stated = readable(type(found), self._data)
        if stated is None:
            return Verification(Verdict.REFUTED, tuple(changed(self._data, sealed(self.form, found))))
        compared = list(recomputed("certificate", stated, found))
        faults = [item for item in compared if isinstance(item, Fault)]
        numbers = [item for item in compared if isinstance(item, Recomputed)]
        other = [item for item in numbers if not item.equal]
        faults += [fault for item in other for fault in _wrong(item)]
        faults = faults or [*unsupported(held(stated), held(found))]
        if not faults and (misspelt := not_canonical(self._content, self._data)) is not None:
            faults = [Fault(misspelt, "certificate")]
        verdict = Verdict.REFUTED if faults else Verdict.IMPLIED
        return Verification(verdict, tuple(faults), len(numbers) - len(other), tuple(item.place for item in other))


def _wrong(item: Recomputed) -> Iterable[Fault]:
    """Why a number is not taken as it is stated: it cannot be true, or what was found does not show it."""
    refuted = item.fault()
    return item.unshown(KnownEnds.of(item.found)) if refuted is None else (refuted,)
