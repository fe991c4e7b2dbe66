"""Theorem: a citable rule used in a derivation."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from accountant.fields import about, text
from accountant.values.family import Family

Assurance = Literal["proved-here", "published", "claimed"]


@frozen
class Theorem:
    """One rule that a derivation may use.

    `key` is an entry of docs/references.bib for published rules; rules proved in this documentation use the key
    `accountant`. `assurance` says why anyone should believe it.
    """

    name: str = field(converter=text, metadata=about("unique identifier, such as 'gaussian-privacy-loss'"))
    statement: str = field(converter=text, metadata=about("what holds, in one sentence"))
    key: str = field(converter=text, metadata=about("key of the reference"))
    locator: str = field(converter=text, metadata=about("where in the reference"))
    assumptions: tuple[str, ...] = ()
    assurance: Assurance = "published"


THEOREMS: Family[Theorem] = Family("accountant_theorems", "theorem", Theorem)
