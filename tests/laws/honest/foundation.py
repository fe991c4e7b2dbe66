"""A theorem that only derivations mention: what is published after a release costs nothing."""

from __future__ import annotations

from collections.abc import Iterable

from accountant.plugin import Theorem, hookimpl

AFTERWARDS = Theorem(
    "afterwards", "What is computed from outputs alone costs nothing.", "dwork2014algorithmic", "Proposition 2.1"
)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (AFTERWARDS,)
