"""Scenarios: the laws that the data may have, as far as anybody is considered to believe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import ExactLike, text
from accountant_pufferfish.setting.law import Law


def _named(laws: Mapping[str, Mapping[Any, ExactLike]]) -> tuple[tuple[str, Law], ...]:
    return tuple((text(name), law if isinstance(law, Law) else Law(law)) for name, law in laws.items())


@frozen
class Scenarios:
    """A set of laws of the data, before anything is published.

    `complete` says whether `laws` are all of them. What is found by going through some laws only bounds the worst of a
    larger set from below, and can never certify anything; a larger set needs a bound that somebody proved, see `Certified`.
    """

    name: str = field(converter=text)
    laws: tuple[tuple[str, Law], ...] = field(converter=_named, repr=False)
    complete: bool = True

    @classmethod
    def listed(cls, laws: Mapping[str, Mapping[Any, ExactLike]]) -> Scenarios:
        """The laws of this list and no others: what follows is exact."""
        if not laws:
            raise InvalidValue("expected at least one scenario; without any, nothing is promised to anybody")
        return cls(", ".join(laws), laws)

    @classmethod
    def sampled(cls, name: str, laws: Mapping[str, Mapping[Any, ExactLike]]) -> Scenarios:
        """A larger set, of which only some laws are at hand, perhaps none: what is computed from them is a lower bound."""
        return cls(name, laws, complete=False)

    def __str__(self) -> str:
        return self.name
