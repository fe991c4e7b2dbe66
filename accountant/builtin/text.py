"""Documents as plain text."""

from __future__ import annotations

import io
from typing import ClassVar

from attrs import frozen

from accountant.report import Document, Renderer, Table

_WIDTH = 110


@frozen
class TextRenderer(Renderer):
    """Plain text for a terminal or a file, without colours."""

    name: ClassVar[str] = "text"

    def render(self, document: Document) -> str:
        from rich.console import Console
        from rich.table import Table as Grid

        output = io.StringIO()
        console = Console(file=output, width=_WIDTH, color_system=None, highlight=False, markup=False, emoji=False)
        console.print(document.title)
        console.print("=" * min(_WIDTH, len(document.title)))
        for block in document.blocks:
            console.print()
            if isinstance(block, Table):
                grid = Grid(title=block.title, title_justify="left")
                for column in block.columns:
                    grid.add_column(column, overflow="fold")
                for row in block.rows:
                    grid.add_row(*row)
                console.print(grid)
            else:
                console.print(block.text)
        return "\n".join(line.rstrip() for line in output.getvalue().splitlines()) + "\n"
