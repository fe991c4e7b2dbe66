"""What a plugin supplies to add a report or a renderer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.report.document import Document

if TYPE_CHECKING:
    from accountant.certificate import Certificate


@frozen
class Report(ABC):
    """A document made from a certificate, so that it can say nothing that was not certified."""

    name: ClassVar[str]
    meaning: ClassVar[str]

    @abstractmethod
    def build(self, certificate: Certificate) -> Document:
        """The document. Numbers are taken as the certificate prints them: rounded outward."""


@frozen
class Renderer(ABC):
    """A way to write a document down."""

    name: ClassVar[str]

    @abstractmethod
    def render(self, document: Document) -> str:
        """The document as text."""
