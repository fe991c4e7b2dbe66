"""Reports: what an account says, as a document, and renderers that turn documents into text."""

from accountant.report.document import Document, Paragraph, Table
from accountant.report.interface import Renderer, Report

__all__ = ["Document", "Paragraph", "Renderer", "Report", "Table"]
