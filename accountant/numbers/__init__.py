"""Exact numbers and intervals: the type of everything that goes in and of everything that is computed."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
