"""The report and the renderers that every installation has; how each is written is loaded when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from accountant.report.interface import Renderer, Report
from accountant.values.hygiene import harmless

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.certificate import Certificate
    from accountant.report.document import Document


class Summary(Report):
    """One table: a row for each release, the total, the budget and whether it is kept."""

    name: ClassVar[str] = "summary"
    meaning: ClassVar[str] = "what each release costs alone, what all cost together, and whether the budgets are kept"

    @property
    def languages(self) -> tuple[str, ...]:
        from accountant.report.messages import languages

        return languages()

    def build(self, certificate: Certificate, account: Account) -> Document:
        from accountant.report.summary import build

        return build(certificate, account)


class HtmlRenderer(Renderer):
    """A page for people: readable on paper, on a phone, in the dark, and by those who hear it read out."""

    name: ClassVar[str] = "html"
    usual: ClassVar[bool] = True
    suffix: ClassVar[str] = ".html"

    def render(self, document: Document) -> str:
        from accountant.report.render.html import render

        return harmless(render(document))


class MarkdownRenderer(Renderer):
    """Markdown with tables, as code forges and wikis read it. A figure is what it says in words, and its table."""

    name: ClassVar[str] = "markdown"
    suffix: ClassVar[str] = ".md"

    def render(self, document: Document) -> str:
        from accountant.report.render.markdown import render

        return harmless(render(document))


class JsonRenderer(Renderer):
    """The document itself as JSON: every part with its kind, the numbers behind figures included."""

    name: ClassVar[str] = "json"
    suffix: ClassVar[str] = ".json"

    def render(self, document: Document) -> str:
        from accountant.report.render.json_data import render

        return harmless(render(document))


class TextRenderer(Renderer):
    """Plain text for a terminal or a file, without colours. A figure is what it says in words, and its table."""

    name: ClassVar[str] = "text"
    suffix: ClassVar[str] = ".txt"

    def render(self, document: Document) -> str:
        from accountant.report.render.text import render

        return harmless(render(document))
