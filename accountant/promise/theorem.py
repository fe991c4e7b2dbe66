"""Theorem: a citable rule used in a derivation."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

from attrs import Attribute, field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, suggest
from accountant.fields import about, text
from accountant.values.family import Family

Assurance = Literal["proved-here", "published", "claimed"]
Adaptivity = Literal["independent", "adaptive", "fully-adaptive"]


def _word(instance: object, attribute: Attribute[Any], value: object) -> None:
    known = get_args(Assurance if attribute.name == "assurance" else Adaptivity)
    if value is not None and value not in known:
        words = ", ".join(f"'{word}'" for word in known)
        raise InvalidValue(f"'{attribute.name}' is one of {words}, got {value!r}{suggest(str(value), known)}")


@frozen
class Theorem(Brief):
    """One rule that a derivation may use.

    `key` is an entry of accountant/report/references.bib for published rules; rules proved in this documentation use the
    key `accountant`. `assurance` says why anyone should believe it.

    The scope is what its proof covers; what cites it may declare as much and no more. `relations` are the neighbour
    relations by name, `adaptivity` how releases may be chosen, `exactly` what the output shows exactly whatever the data.
    Left out, it covers all relations, is not about several releases, and nothing is shown exactly.
    """

    _leading: ClassVar[tuple[str, ...]] = ("name", "key", "locator")

    name: str = field(converter=text, metadata=about("unique identifier, such as 'gaussian-privacy-loss'"))
    statement: str = field(converter=text, metadata=about("what holds, in one sentence"))
    key: str = field(converter=text, metadata=about("key of the reference"))
    locator: str = field(converter=text, metadata=about("where in the reference"))
    assumptions: tuple[str, ...] = ()
    assurance: Assurance = field(default="published", validator=_word)
    relations: tuple[str, ...] | None = None
    adaptivity: Adaptivity | None = field(default=None, validator=_word)
    exactly: tuple[str, ...] = ()


THEOREMS: Family[Theorem] = Family("accountant_theorems", "theorem", Theorem, cited=True)

CLAIM = Theorem(
    "claimed-parameter",
    "The release satisfies the stated parameter because its provider says so.",
    "accountant",
    "explanation/one-loss",
    assurance="claimed",
)
"""By which a claim is believed: it says how much is lost at most, never that it is lost."""
