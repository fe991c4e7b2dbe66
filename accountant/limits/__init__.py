"""Limits: how much time and memory a piece of work may take, and the worker that is ended where it takes more."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
