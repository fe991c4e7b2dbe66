"""Documents as one self-contained HTML file: nothing fetched, figures drawn in place, and a script only to explore."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from attrs import define, field

from accountant.errors import AccountantError
from accountant.report import Bars, Curves, Document, Edition, Explorer, Figure, Section, Table, making, say
from accountant.report.document import walked
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
            page = _environment().get_template("page.html").render(document=document, page=_Page.of(document))
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
    environment.filters["kind"] = lambda item: type(item).__name__.lower()
    environment.filters["numeric"] = _numeric
    environment.filters["unbroken"] = lambda cell: any(len(word) > _LONGEST_WORD for word in cell.split())
    environment.globals["say"] = say
    environment.filters["sections"] = lambda blocks: [block for block in blocks if isinstance(block, Section)]
    return environment


@define
class _Page:
    """What the template asks for while one page is written: numbers of figures, and their drawings."""

    css: str
    script: str = ""
    _styled: bool = True
    _figures: int = field(default=0, init=False)
    _tables: int = field(default=0, init=False)

    @classmethod
    def of(cls, document: Document) -> _Page:
        """A page with a script and its style only where there is something to explore."""
        css = (_TEMPLATES / "page.css").read_text("utf-8")
        inside = list(walked(document.blocks))
        if not any(isinstance(block, Explorer) for block in inside):
            return cls(css)
        own = (_TEMPLATES / "explorer.css").read_text("utf-8")
        styled = any(isinstance(block, Curves) for block in inside)
        return cls(css + own, (_TEMPLATES / "explorer.js").read_text("utf-8"), styled)

    @property
    def policy(self) -> str:
        """What the page may do: nothing but what is written in it. Curves bring styles with every part."""
        styles = "'unsafe-inline'" if self._styled else _hashed(f"\n{self.css}")
        scripts = f"script-src {_hashed(self.script)}; base-uri 'none'; form-action 'none'; " if self.script else ""
        return f"default-src 'none'; {scripts}style-src {styles}; img-src data:"

    def explorer(self, explorer: Explorer) -> str:
        """What the script looks up, as JSON that cannot end the element it stands in."""
        from markupsafe import Markup

        plain = attrs.asdict(explorer, filter=lambda part, _: part.name != "table")
        data = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return Markup(data.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))

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


def _hashed(text: str) -> str:
    """By what a policy knows a script or a style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _numeric(table: Table) -> list[bool]:
    """Which columns hold numbers, and so are read from their last digit."""
    return [
        number > 0 and all(_NUMERIC.fullmatch(row[number]) for row in table.rows if number < len(row))
        for number in range(len(table.columns))
    ]
