"""Documents as one self-contained HTML file: no scripts, nothing fetched, figures drawn in place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

from accountant.errors import AccountantError
from accountant.report import Bars, Curves, Document, Edition, Figure, Section, Table, making, say
from accountant.report.render.dots import dots
from accountant.report.render.drawing import DASHES, NARROW, WIDE, draw

if TYPE_CHECKING:
    from jinja2 import Environment

_LONGEST_WORD = 40
_TEMPLATES = Path(__file__).with_name("templates")
_NUMBER = r"[-+]?\d[\d.,\u00a0]*(e-?\d+)?(\u00a0?%)?"
_NUMERIC = re.compile(rf"{_NUMBER}(\s\w{{1,3}}\s{_NUMBER})?|infinite|infinito|")


def render(document: Document) -> str:
    """The document as text."""
    try:
        with making(Edition(document.language)):
            page = _environment().get_template("page.html").render(document=document, page=_Page())
    except ImportError as error:
        raise AccountantError(
            f"a report in HTML needs jinja2 and matplotlib, and '{error.name}' is not installed; install them with "
            "\"pip install 'privacy-accountant[reports]'\", or ask for --format markdown"
        ) from error
    return page.strip() + "\n"


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["css"] = (_TEMPLATES / "page.css").read_text("utf-8")
    environment.filters["kind"] = lambda item: type(item).__name__.lower()
    environment.filters["numeric"] = _numeric
    environment.filters["unbroken"] = lambda cell: any(len(word) > _LONGEST_WORD for word in cell.split())
    environment.globals["say"] = say
    environment.filters["sections"] = lambda blocks: [block for block in blocks if isinstance(block, Section)]
    return environment


@define
class _Page:
    """What the template asks for while one page is written: numbers of figures, and their drawings."""

    _figures: int = field(default=0, init=False)
    _tables: int = field(default=0, init=False)

    def figure(self, figure: Figure) -> dict[str, Any]:
        """The number of the next figure and what it is made of."""
        from markupsafe import Markup

        self._figures += 1
        identity = f"figure-{self._figures}"
        parts: dict[str, Any] = {"number": self._figures, "identity": identity}
        match figure:
            case Curves():
                drawings = [(width.name, draw(figure, width, f"{identity}-{width.name}")) for width in (WIDE, NARROW)]
                return {**parts, "dashes": DASHES, "drawings": [(name, Markup(svg)) for name, svg in drawings]}
            case Bars():
                longest = figure.axis.end or max((bar.length for bar in figure.bars), default=0.0)
                scale = 100.0 / longest if longest else 0.0
                reference = None if figure.reference is None else round(figure.reference[0] * scale, 2)
                return {**parts, "lengths": [round(bar.length * scale, 2) for bar in figure.bars], "reference": reference}
            case _:
                return {**parts, "dots": [dots(item.count, figure.usual) for item in figure.frequencies]}

    def table(self) -> str:
        """A name for the next table."""
        self._tables += 1
        return f"table-{self._tables}"


def _numeric(table: Table) -> list[bool]:
    """Which columns hold numbers, and so are read from their last digit."""
    return [
        number > 0 and all(_NUMERIC.fullmatch(row[number]) for row in table.rows if number < len(row))
        for number in range(len(table.columns))
    ]
