"""Rounding in one place: values and arrays that carry a bound on their error."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
