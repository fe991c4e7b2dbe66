"""Invariant: a statistic that is published exactly."""

from __future__ import annotations

import json

from attrs import evolve, field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import about, names, optional_text, text


def _answer(value: bool) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"expected true or false, got {value!r}")
    return value


@frozen
class Invariant(Brief):
    """A statistic published exactly: only datasets that agree on it are compared.

    Where `counts_by` is given, the statistic is how many units have each combination of those attributes, and what it
    determines is known. Otherwise it is only known by its name.
    """

    name: str = field(converter=text, metadata=about("what is published exactly"))
    counts_by: frozenset[str] | None = field(
        default=None,
        converter=names,
        metadata=about("the attributes by whose combinations units are counted; an empty list for the total"),
    )
    of: str | None = field(
        default=None,
        converter=optional_text,
        metadata=about("what is counted, where that is not the unit of the plan"),
    )
    fixed: bool = field(
        default=False,
        converter=_answer,
        metadata=about(
            "whether all datasets of the domain have the same, such as zeros of impossible cells", {"type": "boolean"}
        ),
    )

    def __attrs_post_init__(self) -> None:
        if self.of is not None and self.counts_by is None:
            raise InvalidValue(f"'{self.name}' counts {self.of}; say by which attributes with 'counts_by'")

    def written(self) -> str:
        """The invariant as a plan in TOML writes it."""
        if self.counts_by is None and not self.fixed:
            return _quoted(self.name)
        keys = {"name": _quoted(self.name)}
        if self.counts_by is not None:
            keys["counts_by"] = f"[{', '.join(map(_quoted, sorted(self.counts_by)))}]"
        if self.of is not None:
            keys["of"] = _quoted(self.of)
        if self.fixed:
            keys["fixed"] = "true"
        return f"{{ {', '.join(f'{key} = {value}' for key, value in keys.items())} }}"

    def counting(self, unit: str) -> Invariant:
        """The same with what it counts said, which is the unit of its specification where nothing else is."""
        return self if self.counts_by is None or self.of is not None else evolve(self, of=unit)

    def determines(self, other: Invariant) -> bool:
        """Whether this statistic is known to fix the other: the same by its name, or a table of which it is a margin."""
        if self == other:
            return True
        if other.counts_by is None:
            return self.name == other.name
        return self.counts_by is not None and self.of == other.of and other.counts_by <= self.counts_by


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
