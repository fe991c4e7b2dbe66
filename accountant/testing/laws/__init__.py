"""The laws: plain functions that raise AssertionError with a small counterexample.

Each theme has its own module; `tables` names the laws of mechanisms and losses by what they speak about.
`accountant.testing.families` puts laws and what they are tried on together.
"""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
