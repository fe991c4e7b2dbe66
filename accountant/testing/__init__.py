"""The conformance kit, shipped for third parties: laws, strategies and a pytest plugin.

It needs the extra `privacy-accountant[testing]`. The shortest way to use it is `pytest --accountant-plugin NAME`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant._lazy import lazy

if TYPE_CHECKING:
    from accountant.testing.examples import search
    from accountant.testing.trial import Trial, trials

__all__ = ["Trial", "search", "trials"]

__getattr__, __dir__ = lazy(__name__, {"examples": ("search",), "trial": ("Trial", "trials")})
