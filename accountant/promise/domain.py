"""Domain: which datasets a promise speaks about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, suggest
from accountant.fields import about, names, text

EVERYTHING = "all datasets"


@frozen
class Domain(Brief):
    """Which datasets a promise speaks about, in words, and all attributes that a record has.

    Where `attributes` is None they are not declared: a record may have any, and a misspelt one cannot be told from another.
    """

    name: str = field(
        default=EVERYTHING, converter=text, metadata=about("which datasets the promise speaks about, in words")
    )
    attributes: frozenset[str] | None = field(
        default=None,
        converter=names,
        metadata=about("all attributes that a record has; where they are given, no other may be named anywhere"),
    )

    def __attrs_post_init__(self) -> None:
        if self.attributes is not None and not self.attributes:
            raise InvalidValue("a record has at least one attribute; leave 'attributes' out to declare none")

    def undeclared(self, attributes: Iterable[str] | None) -> Iterator[str]:
        """What is wrong with each attribute that no record has, and which may be meant."""
        known = self.attributes
        if known is None or attributes is None:
            return
        for attribute in sorted(attributes):
            if attribute not in known:
                yield f"'{attribute}' is not an attribute that the domain declares{suggest(attribute, known)}"

    @property
    def everything(self) -> bool:
        """Whether the promise speaks about all datasets of such records."""
        return self.name == EVERYTHING

    def covers(self, other: Domain) -> bool:
        """Whether all datasets of another domain are known to be in this one."""
        return (self.everything or self.name == other.name) and self.attributes in (None, other.attributes)

    @property
    def described(self) -> str:
        """The name, and what records have where it is declared."""
        return self.name if self.attributes is None else f"{self.name} (attributes: {', '.join(sorted(self.attributes))})"

    def __str__(self) -> str:
        return self.name


def domain(value: str | Domain) -> Domain:
    """A domain; a text is its name."""
    return value if isinstance(value, Domain) else Domain(value)
