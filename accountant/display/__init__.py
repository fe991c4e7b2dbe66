"""How values show themselves: in a line, in a paragraph, in a notebook."""

from __future__ import annotations

LONGEST = 200
"""So many characters a `repr` has at most."""
ELLIPSIS = "…"


def cut(text: str, longest: int) -> str:
    """A text that loses its middle where it is too long."""
    if len(text) <= longest:
        return text
    kept = longest - len(ELLIPSIS)
    return text[: kept - kept // 3] + ELLIPSIS + text[len(text) - kept // 3 :]
