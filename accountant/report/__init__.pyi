from accountant.report.document import (
    Aside as Aside,
)
from accountant.report.document import (
    Block as Block,
)
from accountant.report.document import (
    Callout as Callout,
)
from accountant.report.document import (
    Code as Code,
)
from accountant.report.document import (
    Definitions as Definitions,
)
from accountant.report.document import (
    Document as Document,
)
from accountant.report.document import (
    Figure as Figure,
)
from accountant.report.document import (
    Items as Items,
)
from accountant.report.document import (
    KeyFigure as KeyFigure,
)
from accountant.report.document import (
    KeyFigures as KeyFigures,
)
from accountant.report.document import (
    Listing as Listing,
)
from accountant.report.document import (
    Paragraph as Paragraph,
)
from accountant.report.document import (
    Section as Section,
)
from accountant.report.document import (
    Strong as Strong,
)
from accountant.report.document import (
    Words as Words,
)
from accountant.report.document import (
    plain_words as plain_words,
)
from accountant.report.figure import (
    Axis as Axis,
)
from accountant.report.figure import (
    Bar as Bar,
)
from accountant.report.figure import (
    Bars as Bars,
)
from accountant.report.figure import (
    Curves as Curves,
)
from accountant.report.figure import (
    Frequencies as Frequencies,
)
from accountant.report.figure import (
    Frequency as Frequency,
)
from accountant.report.figure import (
    Series as Series,
)
from accountant.report.interface import (
    Renderer as Renderer,
)
from accountant.report.interface import (
    Report as Report,
)
from accountant.report.render.html import HtmlRenderer as HtmlRenderer
from accountant.report.render.json_data import JsonRenderer as JsonRenderer
from accountant.report.render.markdown import MarkdownRenderer as MarkdownRenderer
from accountant.report.render.text import TextRenderer as TextRenderer
from accountant.report.summary import Summary as Summary
from accountant.report.table import Table as Table
