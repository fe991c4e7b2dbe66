"""Certificate: what was promised, proved and by whose code, so that a stranger can check it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import field, frozen

from accountant.accounting.account import Account, account
from accountant.certificate.cards import contents_card
from accountant.certificate.contents import Contents
from accountant.certificate.data import read, write
from accountant.display.brief import Rich
from accountant.display.card import Card, Label
from accountant.errors import CertificateError, PlanError
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry
from accountant.values.source import canonical, file_text, unique_keys

FORMAT = "accountant-certificate/1"


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

    @data.validator
    def _check(self, _: object, data: object) -> None:
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise CertificateError(f"not a certificate of the format '{FORMAT}'; write one with 'accountant certify'")

    @classmethod
    def of(cls, contents: Contents, account: Account) -> Certificate:
        """The certificate that says what was found, with the account that it was found in."""
        return cls({"format": FORMAT, **write(contents)}, account=account, contents=contents)

    @classmethod
    def parse(cls, content: str) -> Certificate:
        """The certificate in a JSON text."""
        try:
            return cls(json.loads(content, object_pairs_hook=unique_keys))
        except (ValueError, RecursionError) as error:
            raise CertificateError(f"the certificate cannot be parsed: {error}") from error

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """The certificate in a file."""
        try:
            content = file_text(Path(path))
        except PlanError as error:
            raise CertificateError(f"the certificate {error}") from error
        try:
            return cls.parse(content)
        except CertificateError as error:
            raise CertificateError(f"{path}: {error}") from error

    def to_json(self) -> str:
        """The certificate as canonical JSON, ending in a newline."""
        return canonical(self.data) + "\n"

    @cached_property
    def contents(self) -> Contents:
        """What the certificate says, as values; a malformed one is refused."""
        if self._contents is not None:
            return self._contents
        return read(Contents, {key: value for key, value in self.data.items() if key != "format"}, "certificate")

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

    holds = kept

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
