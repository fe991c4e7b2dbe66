"""Reports: what an account says, as a document, and renderers that turn documents into text."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
