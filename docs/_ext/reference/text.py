"""What all parts of the reference share: what is registered, and text as Markdown."""

from __future__ import annotations

import importlib.metadata
import re
from functools import cache

from accountant import Registry, Theorem
from accountant.registry.discovery import GROUP

BUNDLED = tuple(
    point.name for point in importlib.metadata.distribution("privacy-accountant").entry_points if point.group == GROUP
)


@cache
def registry() -> Registry:
    """What is registered by the distribution itself; plugins that happen to be installed beside it are left out."""
    return Registry.load(allowed=BUNDLED)


def plain_text(text: str) -> str:
    """Text whose mathematical signs Markdown would otherwise take for its own."""
    return re.sub(r"([*_|<>$\[\]])", r"\\\1", text)


def paragraphs(text: str) -> str:
    """A docstring as Markdown; code between backticks stays as it is."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else plain_text(piece) for piece in pieces)


def cited(theorem: Theorem) -> str:
    """A theorem by its name, linked to where it stands."""
    return f"[{theorem.name}](#theorem-{theorem.name})"
