from accountant.promise.statement import (
    Quantity as Quantity,
    Statement as Statement,
)
from accountant.report.certified import stated as stated
from accountant.report.document import (
    Aside as Aside,
    Block as Block,
    Callout as Callout,
    Code as Code,
    Definitions as Definitions,
    Document as Document,
    Figure as Figure,
    Items as Items,
    KeyFigure as KeyFigure,
    KeyFigures as KeyFigures,
    Listing as Listing,
    Paragraph as Paragraph,
    Section as Section,
    Strong as Strong,
    Words as Words,
    plain_words as plain_words,
)
from accountant.report.figure import (
    Axis as Axis,
    Bar as Bar,
    Bars as Bars,
    Curves as Curves,
    Frequencies as Frequencies,
    Frequency as Frequency,
    Series as Series,
)
from accountant.report.interface import (
    Renderer as Renderer,
    Report as Report,
)
from accountant.report.kinds import (
    HtmlRenderer as HtmlRenderer,
    JsonRenderer as JsonRenderer,
    MarkdownRenderer as MarkdownRenderer,
    Summary as Summary,
    TextRenderer as TextRenderer,
)
from accountant.report.table import Table as Table
