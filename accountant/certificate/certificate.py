"""Certificate: what was promised, proved and by whose code, so that a stranger can check it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from accountant._moved import renamed
from accountant.accounting.account import Account, account
from accountant.certificate.cards import contents_card
from accountant.certificate.contents import Contents
from accountant.certificate.data import read, write
from accountant.certificate.seal import BYTE_ORDER_MARK, SEAL, not_canonical, seal_of
from accountant.display.brief import Rich
from accountant.display.card import Card, Label
from accountant.errors import CertificateError, PlanError
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry
from accountant.values.hygiene import shortened
from accountant.values.source import canonical, file_text, unique_keys

FORMAT = "accountant-certificate/2"
_FAMILY = FORMAT.rpartition("/")[0]


def is_certificate(data: object) -> bool:
    """Whether plain data says that it is a certificate, of whatever version."""
    said = data.get("format") if isinstance(data, Mapping) else None
    return isinstance(said, str) and said.rpartition("/")[0] == _FAMILY


@frozen
class Certificate(Rich):
    """A plan's account in full. Its JSON is canonical: equal certificates, equal bytes.

    One that was read keeps what it was read from, whatever that says, so that verification can name every place where it is
    wrong. What it says is read when it is asked for, and refused then if it cannot be.
    """

    data: Mapping[str, Any] = field()
    """All that it says, as plain data."""
    _account: Account | None = field(default=None, kw_only=True, eq=False, repr=False)
    _contents: Contents | None = field(default=None, kw_only=True, eq=False, repr=False)
    _written: str | None = field(default=None, kw_only=True, eq=False, repr=False)

    @data.validator
    def _check(self, _: object, data: object) -> None:
        if isinstance(data, Mapping) and data.get("format") == FORMAT:
            return
        if isinstance(data, Mapping) and is_certificate(data):
            raise CertificateError(
                f"a certificate of the format '{shortened(data['format'])}', and this version reads '{FORMAT}'; verify it "
                "with the version that wrote it, or certify its plan again"
            )
        raise CertificateError(f"not a certificate of the format '{FORMAT}'; write one with 'accountant certify'")

    @classmethod
    def of(cls, contents: Contents, account: Account) -> Certificate:
        """The certificate that says what was found, with the account that it was found in."""
        data = {"format": FORMAT, **write(contents)}
        return cls({**data, SEAL: seal_of(data)}, account=account, contents=contents)

    @classmethod
    def parse(cls, content: str) -> Certificate:
        """The certificate in a JSON text."""
        try:
            return cls(json.loads(content.removeprefix(BYTE_ORDER_MARK), object_pairs_hook=unique_keys), written=content)
        except (ValueError, RecursionError) as error:
            raise CertificateError(f"the certificate cannot be parsed: {error}") from error

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """The certificate in a file."""
        try:
            content = _marked(Path(path)) + file_text(Path(path))
        except PlanError as error:
            raise CertificateError(f"the certificate {error}") from error
        try:
            return cls.parse(content)
        except CertificateError as error:
            raise CertificateError(f"{path}: {error}") from error

    def to_json(self) -> str:
        """The certificate as canonical JSON, ending in a newline."""
        return canonical(self.data) + "\n"

    @property
    def misspelt(self) -> str | None:
        """Why what the certificate was read from is not its canonical bytes; None where it is, or where it was not read."""
        return None if self._written is None else not_canonical(self._written, self.data)

    @cached_property
    def contents(self) -> Contents:
        """What the certificate says, as values; a malformed one is refused."""
        if self._contents is not None:
            return self._contents
        return read(
            Contents, {key: value for key, value in self.data.items() if key not in ("format", SEAL)}, "certificate"
        )

    @cached_property
    def account(self) -> Account:
        """The account that the certificate was made from; of one that was read, that of the plan that it is about.

        It is neither written nor compared: an account read anew need not bear a certificate out, which `verify` tells.
        """
        return self._account if self._account is not None else account(self.plan())

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts in the order of the plan: of its budgets, of those relative to public information, of its risks."""
        return self.contents.verdicts

    @property
    def kept(self) -> bool:
        """Whether every budget is kept, and every risk tolerated; nothing is kept where nothing was asked."""
        return bool(self.verdicts) and all(verdict is Verdict.IMPLIED for verdict in self.verdicts)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return renamed(self, name, {"holds": "kept"})

    def plan(self, *, registry: Registry | None = None) -> Plan:
        """The plan that the certificate is about, read from what it says of it.

        Guarantee: the plan has the certificate's digest; a certificate whose parts do not give such a plan is refused.
        """
        try:
            contents = self.contents
        except CertificateError as error:
            raise CertificateError(f"the certificate does not say which plan it is about: {error}") from error
        try:
            plan = read_plan(contents.plan_data(), registry=registry)
        except PlanError as error:
            raise CertificateError(f"the plan in the certificate cannot be read: {error}") from error
        if plan.digest != contents.plan_digest:
            raise CertificateError("the plan in the certificate is not the one that was certified: its digest differs")
        return plan

    def _card(self) -> Card:
        """Whether all is kept; of one that cannot be read, why."""
        try:
            return contents_card(self.contents)
        except CertificateError as error:
            return Card(f"a certificate that cannot be read: {error}", Label("malformed", "bad"))


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
