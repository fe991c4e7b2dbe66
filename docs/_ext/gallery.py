"""The gallery: figures and reports made from the examples while the documentation is built.

A page asks for them with `<!-- gallery: figures -->` and `<!-- gallery: reports -->`. `python docs/_ext/gallery.py` draws
the figures that the front pages show, once for light pages and once for dark ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from attrs import frozen

import accountant as ac
from accountant.plugin import RENDERERS, REPORTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from sphinx.application import Sphinx

mpl.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "docs" / "_static"
PLANS = ("survey", "census-2020")
THEMES = {"": "default", "-dark": "dark_background"}


@frozen
class Drawn:
    """A figure, what it shows, and how it is drawn."""

    name: str
    title: str
    draw: Callable[[Figure], None]

    def write(self, directory: Path) -> None:
        """Draw it for light and for dark pages, without anything that changes from day to day."""
        for suffix, theme in THEMES.items():
            with plt.style.context(theme), mpl.rc_context({"svg.hashsalt": self.name, "svg.fonttype": "none"}):
                figure = plt.figure(figsize=(7.2, 3.8), layout="constrained")
                self.draw(figure)
                figure.savefig(directory / f"{self.name}{suffix}.svg", transparent=True, metadata={"Date": None})
                plt.close(figure)
