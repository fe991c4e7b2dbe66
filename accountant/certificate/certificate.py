"""Certificate: what was promised, proved and by whose code, so that a stranger can check it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from accountant._moved import renamed
from accountant.accounting.account import Account, account
from accountant.certificate.cards import contents_card
from accountant.certificate.contents import Contents
from accountant.certificate.seal import FORMAT_KEY, SEAL, contents_of, not_canonical, parsed, sealed, text_in, text_of
from accountant.display.brief import Rich
from accountant.display.card import Card, Label
from accountant.errors import CertificateError, PlanError
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry
from accountant.values.hygiene import shortened

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
        if isinstance(data, Mapping) and isinstance(data.get(FORMAT_KEY), str) and SEAL in data:
            raise CertificateError(
                f"a certificate of the format '{shortened(data[FORMAT_KEY])}', and not of a plan: what wrote it "
                "verifies it, and whoever signs the plan's certificate signs it too where it is named with '--released'"
            )
        raise CertificateError(f"not a certificate of the format '{FORMAT}'; write one with 'accountant certify'")

    @classmethod
    def of(cls, contents: Contents, account: Account) -> Certificate:
        """The certificate that says what was found, with the account that it was found in."""
        return cls(sealed(FORMAT, contents), account=account, contents=contents)

    @classmethod
    def parse(cls, content: str) -> Certificate:
        """The certificate in a JSON text."""
        return cls(parsed(content), written=content)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """The certificate in a file."""
        content = text_in(Path(path))
        try:
            return cls.parse(content)
        except CertificateError as error:
            raise CertificateError(f"{path}: {error}") from error

    def to_json(self) -> str:
        """The certificate as canonical JSON, ending in a newline."""
        return text_of(self.data)

    @property
    def misspelt(self) -> str | None:
        """Why what the certificate was read from is not its canonical bytes; None where it is, or where it was not read."""
        return None if self._written is None else not_canonical(self._written, self.data)

    @cached_property
    def contents(self) -> Contents:
        """What the certificate says, as values; a malformed one is refused."""
        return contents_of(Contents, self.data) if self._contents is None else self._contents

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
