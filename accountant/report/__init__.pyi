from accountant.promise.statement import (
    Quantity as Quantity,
    Statement as Statement,
)
from accountant.report.certified import (
    asked as asked,
    of_whom as of_whom,
    stated as stated,
)
from accountant.report.colophon import (
    checking as checking,
    imprint as imprint,
    others as others,
)
from accountant.report.compared import (
    between as between,
    conditions as conditions,
)
from accountant.report.document import (
    Aside as Aside,
    Block as Block,
    Callout as Callout,
    Definitions as Definitions,
    Document as Document,
    Figure as Figure,
    Items as Items,
    KeyFigure as KeyFigure,
    KeyFigures as KeyFigures,
    Listing as Listing,
    Paragraph as Paragraph,
    Section as Section,
    plain_words as plain_words,
)
from accountant.report.editions import (
    Edition as Edition,
    edition as edition,
    making as making,
)
from accountant.report.explorer import (
    Chart as Chart,
    Choice as Choice,
    Dial as Dial,
    Explorer as Explorer,
    Grid as Grid,
    Sentence as Sentence,
    Wish as Wish,
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
from accountant.report.layers import standing as standing
from accountant.report.marks import (
    Code as Code,
    Link as Link,
    Strong as Strong,
    Words as Words,
)
from accountant.report.messages import (
    Catalogue as Catalogue,
    catalogue as catalogue,
    in_a_row as in_a_row,
    languages as languages,
    say as say,
    spoken as spoken,
    words as words,
)
from accountant.report.noise import accuracy as accuracy
from accountant.report.promises import comparison as comparison
from accountant.report.references import (
    Reference as Reference,
    bibliography as bibliography,
    reference as reference,
)
from accountant.report.table import Table as Table
from accountant.report.translated import (
    term as term,
    told as told,
)
