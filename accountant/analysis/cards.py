"""What analyses say of guarantees."""

from __future__ import annotations

from accountant.promise.guarantee import Guarantee


def guarantee_row(found: Guarantee) -> tuple[str, str]:
    """What is read, and its value."""
    return f"{found.divergence} {found.name}{found.at_words}", found.value.shown(6)
