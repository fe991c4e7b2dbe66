"""Brief and Rich: value classes whose `repr` fits on a screen whatever they hold, and those that say more elsewhere."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Set as AbstractSet
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from accountant.display import ELLIPSIS, LONGEST, cut
from accountant.numbers.exact import plain

if TYPE_CHECKING:
    from accountant.display.card import Card

_SHORTEST_TEXT = 12


class Brief:
    """An attrs class whose `repr` has at most `LONGEST` characters, and is how Python makes the value where that fits.

    A class that says how it is shown keeps its own. What tells two values apart is `full`, and never `repr`.
    """

    __slots__ = ()

    _leading: ClassVar[tuple[str, ...]] = ()
    """The fields that stand for all in a line, where some say it better than the first ones that fit."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:

            def __repr__(self: Brief) -> str:  # noqa: N807
                return self._in_a_line()

            # attrs writes a `repr` of all fields unless the class itself has one; each class gets a function of its own.
            cls.__repr__ = __repr__  # type: ignore[assignment]

    def _in_a_line(self) -> str:
        """What `repr` says."""
        return brief(self)

    def __str__(self) -> str:
        """One field a line."""
        lines = [f"  {member.name}: {_said(item)}" for member, item in _told(self)]
        return "\n".join([type(self).__name__, *lines])


class Rich(Brief):
    """A value that says of itself what is on a card, in every place where values are shown."""

    __slots__ = ()

    @abstractmethod
    def _card(self) -> Card:
        """What the value says. Nothing is computed for it that takes long, and nothing raises."""

    def _headline(self) -> str:
        """The verdict and the title; a class whose card is long says it without making the rest."""
        return self._card().headline

    def _in_a_line(self) -> str:
        """The headline."""
        name = type(self).__name__
        return f"<{name}: {cut(self._headline(), LONGEST - len(name) - 4)}>"

    def __str__(self) -> str:
        """A few lines that say what the value is."""
        return self._card().paragraph()

    def _repr_html_(self) -> str:
        """The value in a notebook."""
        from accountant.display.html import page_part

        return page_part(self._card())


@attrs.frozen
class Detail:
    """How much is written: how deep values are opened, how many of several, and how long a text."""

    depth: int
    most: int
    longest: int


_DETAILS = (Detail(3, 8, 120), Detail(3, 6, 60), Detail(2, 4, 40), Detail(2, 2, 24), Detail(1, 2, 16), Detail(0, 1, 12))


def brief(value: object) -> str:
    """A value of an attrs class in one line: as much of it as fits."""
    for detail in _DETAILS:
        written = _made(value, detail)
        if len(written) <= LONGEST:
            return written
    return cut(written, LONGEST)


def full(value: object) -> str:
    """A value with everything that it is made of: two that differ in a field are written differently.

    As attrs writes it: fields that are left out of `repr` are left out here.
    """
    if attrs.has(type(value)):
        inside = (
            f"{member.name}={member.repr(item) if callable(member.repr) else full(item)}" for member, item in _shown(value)
        )
        return f"{type(value).__name__}({', '.join(inside)})"
    if type(value) is tuple or type(value) is list:
        opening, closing = "()" if type(value) is tuple else "[]"
        return f"{opening}{', '.join(map(full, value))}{',' if opening == '(' and len(value) == 1 else ''}{closing}"
    if type(value) is dict:
        return f"{{{', '.join(f'{full(key)}: {full(item)}' for key, item in value.items())}}}"
    return repr(value)


def _told(value: object) -> list[tuple[attrs.Attribute[Any], object]]:
    """The fields that a reader needs: those that are shown at all and are not what they are if nothing is said."""
    return [(member, item) for member, item in _shown(value) if not _usual(member.default, item)]


def _shown(value: Any) -> list[tuple[attrs.Attribute[Any], Any]]:
    return [(member, getattr(value, member.name)) for member in attrs.fields(type(value)) if member.repr is not False]


def _usual(default: object, item: object) -> bool:
    if hasattr(default, "factory"):
        return isinstance(item, (tuple, list, dict)) and not item
    return item is default or (type(item) is type(default) and bool(item == default))


def _made(value: object, detail: Detail) -> str:
    told, leading = _told(value), value._leading if isinstance(value, Brief) else ()
    chosen = [(member, item) for member, item in told if member.name in leading] if leading else told
    inside = [f"{member.alias}={_written(item, detail)}" for member, item in chosen]
    return f"{type(value).__name__}({', '.join([*inside, *([ELLIPSIS] if len(chosen) < len(told) else [])])})"


def _written(item: object, detail: Detail) -> str:
    """What a field holds."""
    if isinstance(item, Fraction):
        return repr(cut(plain(item), max(detail.longest, _SHORTEST_TEXT)))
    if isinstance(item, Enum):
        return f"{type(item).__name__}.{item.name}"
    if isinstance(item, type):
        return item.__name__
    if isinstance(item, Mapping):
        several = (f"{_written(key, detail)}: {_written(known, detail)}" for key, known in item.items())
        return f"{{{_several(several, len(item), detail)}}}"
    if isinstance(item, AbstractSet):
        return f"{{{_several((_written(known, detail) for known in sorted(item, key=str)), len(item), detail)}}}"
    if isinstance(item, (tuple, list)):
        several = (_written(known, detail) for known in item)
        return f"({_several(several, len(item), detail)})"
    return _single(item, detail)


def _single(item: object, detail: Detail) -> str:
    if attrs.has(type(item)):
        if not detail.depth:
            return _closed(item)
        if _by_fields(type(item)):
            return _made(item, attrs.evolve(detail, depth=detail.depth - 1))
        return cut(repr(item), detail.longest)
    if isinstance(item, str):
        return repr(cut(item, detail.longest))
    if callable(item):
        return str(getattr(item, "__name__", type(item).__name__))
    return cut(repr(item), detail.longest)


def _closed(item: object) -> str:
    """A value that is not opened: by the first of its leading fields, where it has any."""
    leading = item._leading if isinstance(item, Brief) else ()
    named = getattr(item, leading[0]) if leading else None
    inside = f"{cut(named, _SHORTEST_TEXT)!r}, {ELLIPSIS}" if isinstance(named, str) else ELLIPSIS
    return f"{type(item).__name__}({inside})"


def _by_fields(cls: type[Any]) -> bool:
    """Whether values of an attrs class are shown by their fields, and do not say in words of their own what they are."""
    if issubclass(cls, Brief):
        return cls._in_a_line is Brief._in_a_line
    return getattr(cls.__repr__, "__code__", brief.__code__).co_filename.startswith("<attrs generated")


def _several(written: Iterable[str], count: int, detail: Detail) -> str:
    shown = [text for text, _ in zip(written, range(detail.most), strict=False)]
    if count > detail.most:
        shown.append(f"{ELLIPSIS} {count - detail.most:,} more")
    return ", ".join(shown) + ("," if count == 1 else "")


def _said(item: object) -> str:
    """What a field holds, in a line of a paragraph."""
    if isinstance(item, Fraction):
        return cut(plain(item), LONGEST)
    return cut(item if isinstance(item, str) else _written(item, _DETAILS[1]), LONGEST)
