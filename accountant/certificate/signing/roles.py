"""Roles: who signs, and what exactly each states by it."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """Whoever knows what is run, and whoever knows what it costs."""

    CURATOR = "curator"
    CHECKER = "checker"

    def __str__(self) -> str:
        return self.value

    @property
    def statements(self) -> list[dict[str, str]]:
        """What somebody in this role states, as signed statements have it."""
        layer, text = _STATED[self]
        return [{"layer": layer, "by": self.value, "text": text}]


_STATED = {
    Role.CURATOR: ("plan", "the plan describes what is run"),
    Role.CHECKER: ("numbers", "the numbers of the certificate were recomputed from the plan"),
}
