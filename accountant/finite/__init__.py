"""The exact oracle: mechanisms on tiny finite domains, read by enumeration in rationals.

Every rule of the product is tested against it, so it shares nothing with the numerical engine except the
logarithm taken at the very end and the type of a finite loss.
"""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
