"""The conformance kit, shipped for third parties: laws, strategies and a pytest plugin.

It needs the extra `privacy-accountant[testing]`. The shortest way to use it is `pytest --accountant-plugin NAME`.
"""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
