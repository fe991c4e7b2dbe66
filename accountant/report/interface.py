"""What a plugin supplies to add a report or a renderer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from accountant.errors import InvalidValue, suggest
from accountant.values.family import Family, Named

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.certificate import Certificate
    from accountant.report.document import Document


class Report(Named, ABC):
    """A document about a plan for one kind of reader."""

    meaning: ClassVar[str]
    usual: ClassVar[bool] = False
    """Whether it is written where nobody asks for another one."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it is written in."""
        return ("en",)

    def check_language(self, language: str) -> None:
        """Raise InvalidValue, with those there are, for a language in which it is not written."""
        if language not in self.languages:
            known = ", ".join(f"'{name}'" for name in self.languages)
            raise InvalidValue(
                f"the report '{self.name}' is not written in '{language}'{suggest(language, self.languages)}; in {known}"
            )

    @abstractmethod
    def build(self, certificate: Certificate, account: Account) -> Document:
        """The document.

        The certificate says what was certified; the account it was made from answers whatever else a reader may ask.
        Every number is rounded outward.
        """


class Renderer(Named, ABC):
    """A way to write a document down."""

    suffix: ClassVar[str] = ".txt"
    """How the names of files of this kind end."""
    usual: ClassVar[bool] = False
    """Whether documents are written so where nobody asks for another way."""

    @abstractmethod
    def render(self, document: Document) -> str:
        """The document as text."""


REPORTS: Family[Report] = Family("accountant_reports", "report", Report)


RENDERERS: Family[Renderer] = Family("accountant_renderers", "renderer", Renderer)
