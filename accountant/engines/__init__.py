"""Engines: what counts tables that are too large for lists of Python, in this process or on a cluster, by their address."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
