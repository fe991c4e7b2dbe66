"""The names that the plugin offers in Python: imported by nobody until one of them is asked for."""

from __future__ import annotations

from accountant_invariants.published import published_epsilon
from accountant_invariants.stratum import Stratum
from accountant_invariants.swap.audit import Audited, Auditing, Check, audit
from accountant_invariants.swap.design import Design, Swapped
from accountant_invariants.swap.draws import Draws
from accountant_invariants.swap.microdata import Column, Microdata
from accountant_invariants.swap.picture import picture
from accountant_invariants.swapping import Swapping

__all__ = [
    "Audited",
    "Auditing",
    "Check",
    "Column",
    "Design",
    "Draws",
    "Microdata",
    "Stratum",
    "Swapped",
    "Swapping",
    "audit",
    "picture",
    "published_epsilon",
]
