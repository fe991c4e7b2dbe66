"""Opacus' accountants without PyTorch.

The package imports PyTorch when it is imported, its accountants compute with NumPy and SciPy alone. So the two packages
around them are given as bare names with their true directories, and the optimiser that accountants can be hooked to, which
nothing here does, as an empty class. What computes is Opacus' own code.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any


def accountants() -> tuple[Any, Any]:
    """PRVAccountant and RDPAccountant."""
    spec = find_spec("opacus")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    place = Path(spec.submodule_search_locations[0])
    for name, directory in (("opacus", place), ("opacus.accountants", place / "accountants")):
        package = ModuleType(name)
        package.__path__ = [str(directory)]
        sys.modules[name] = package
    optimizers: Any = ModuleType("opacus.optimizers")
    optimizers.DPOptimizer = object
    sys.modules["opacus.optimizers"] = optimizers
    from opacus.accountants.prv import PRVAccountant  # type: ignore[import-not-found]
    from opacus.accountants.rdp import RDPAccountant  # type: ignore[import-not-found]

    return PRVAccountant, RDPAccountant
