"""What a type checker knows: an item found by a family's token has the family's type. Checked by mypy, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_type

from accountant import default_registry
from accountant.plugin import DIVERGENCES, MECHANISMS, REPORTS, Divergence, Mechanism, Report

registry = default_registry()
assert_type(registry.find(MECHANISMS, "laplace"), type[Mechanism])
assert_type(registry.find(DIVERGENCES, "approx"), Divergence)
assert_type(registry[REPORTS], Mapping[str, Report])
