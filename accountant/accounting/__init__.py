"""Accounts: releases become losses, losses are composed, definitions read them."""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
