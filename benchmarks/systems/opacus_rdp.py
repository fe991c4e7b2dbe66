"""Opacus with Renyi divergences: upper ends only."""

from __future__ import annotations

from systems.base import System
from systems.opacus_prv import _RDP, Opacus


def system() -> System:
    return Opacus(_RDP)
