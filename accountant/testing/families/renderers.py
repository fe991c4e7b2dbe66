"""What is tried of a renderer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from accountant.report.interface import RENDERERS, Renderer
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = RENDERERS


def trials(kit: Kit, name: str, renderer: Renderer) -> Iterator[Trial]:
    """It keeps the words of every block."""
    subject = f"renderer {name}"
    keeps = partial(laws.renderer_keeps_every_word, renderer)
    yield Trial("renderers keep every word", kit.plugin, subject, keeps, subject)
