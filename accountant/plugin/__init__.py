"""The authors' door: the hooks, and everything that a plugin needs."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
