"""What is tried of a theorem."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from accountant.promise.theorem import THEOREMS, Theorem
from accountant.registry.discovery import BUILTIN
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = THEOREMS


def trials(kit: Kit, name: str, theorem: Theorem) -> Iterator[Trial]:
    """It says why it holds."""
    plugins = kit.registry.plugins
    why = partial(laws.theorem_says_why, theorem, plugins[kit.plugin], plugins[BUILTIN], kit.registry.file(kit.plugin))
    yield Trial("theorems say why they hold", kit.plugin, f"theorem {name}", why, f"theorem {name}")
