"""Reports: what an account says, as a document, and renderers that turn documents into text."""

from accountant.report.document import (
    Aside,
    Block,
    Callout,
    Code,
    Definitions,
    Document,
    Figure,
    Items,
    KeyFigure,
    KeyFigures,
    Listing,
    Paragraph,
    Section,
    Strong,
    Words,
    plain_words,
)
from accountant.report.figure import Axis, Bar, Bars, Curves, Frequencies, Frequency, Series
from accountant.report.interface import Renderer, Report
from accountant.report.table import Table

__all__ = [
    "Aside",
    "Axis",
    "Bar",
    "Bars",
    "Block",
    "Callout",
    "Code",
    "Curves",
    "Definitions",
    "Document",
    "Figure",
    "Frequencies",
    "Frequency",
    "Items",
    "KeyFigure",
    "KeyFigures",
    "Listing",
    "Paragraph",
    "Renderer",
    "Report",
    "Section",
    "Series",
    "Strong",
    "Table",
    "Words",
    "plain_words",
]
