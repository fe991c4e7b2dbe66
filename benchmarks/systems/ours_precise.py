"""accountant itself, asked for much more precision than it gives by default."""

from __future__ import annotations

from systems.base import System
from systems.ours import Accountant


def system() -> System:
    return Accountant(1e-7)
