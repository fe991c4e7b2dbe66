"""Names that this package exported before they got another door or another name. They work for one
more version, with a warning.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from typing import Any

_DOORS = {
    "plugin": (
        "Adaptivity",
        "Additive",
        "CompositionRule",
        "ConformanceCase",
        "Contrasted",
        "Conversion",
        "Divergence",
        "Mechanism",
        "MechanismCase",
        "ParameterCase",
        "Properties",
        "Public",
        "Query",
        "Reading",
        "Relation",
        "Renderer",
        "Report",
        "RiskProfile",
        "Sampling",
        "Scored",
        "Shift",
        "Simulated",
        "SimulatedSampling",
        "Summable",
        "hookimpl",
    ),
    "numbers": ("float_above", "float_below", "larger", "log_of"),
    "report": ("Document", "Paragraph", "Table"),
}
_RENAMED = {"Apart": "Reach", "Published": "FormulaValue"}


def known(name: str) -> bool:
    """Whether this package exported a name that has another door or another name now."""
    return name in _RENAMED or any(name in names for names in _DOORS.values())


def moved(name: str) -> object:
    """The value of a name that moved to another door."""
    for door, names in _DOORS.items():
        if name in names:
            where = f"accountant.{door}"
            warnings.warn(f"accountant.{name} moved; import it from {where}", DeprecationWarning, stacklevel=3)
            return getattr(importlib.import_module(where), name)
    if name in _RENAMED:
        new = _RENAMED[name]
        warnings.warn(f"accountant.{name} is called accountant.{new} now", DeprecationWarning, stacklevel=3)
        return getattr(importlib.import_module("accountant"), new)
    raise AttributeError(f"module 'accountant' has no attribute '{name}'")


def renamed(owner: object, name: str, names: Mapping[str, str]) -> Any:
    """An attribute of a value by the name that it had before."""
    if name not in names:
        raise AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")
    new = names[name]
    warnings.warn(f"{type(owner).__name__}.{name} is called {new} now", DeprecationWarning, stacklevel=3)
    return getattr(owner, new)
