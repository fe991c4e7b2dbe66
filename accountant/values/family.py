"""Family: one kind of thing that plugins register, as a token that carries its type; and what such things are made of."""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import attrs
from attrs import frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, suggest

T = TypeVar("T")
PREFIX = "accountant_"


@frozen(eq=False)
class Family(Brief, Generic[T]):
    """One kind of thing that plugins register. For a type checker, what is found by a token has the token's type.

    `hook` offers the items, `word` is what one of them is called, `base` what each must be: an instance of it, or with
    `classes` a class derived from it. `named_by` is the attribute that holds an item's name, `cites` those that hold what
    it rests on, of the family that is `cited`: that is registered with it, as often as it is cited.
    """

    hook: str
    word: str
    base: type | tuple[type, ...]
    classes: bool = False
    named_by: str = "name"
    cites: tuple[str, ...] = ()
    cited: bool = False

    @property
    def name(self) -> str:
        """What the family is called where plugins are listed."""
        return self.hook.removeprefix(PREFIX)

    def accepts(self, item: object) -> bool:
        """Whether an item is what the hook asks for."""
        if self.classes:
            return isinstance(item, type) and issubclass(item, self.base)
        return isinstance(item, self.base)

    def identify(self, item: T) -> str:
        """The name of an item."""
        return str(getattr(item, self.named_by))


class Named:
    """What has no parameters, and is told apart by its class."""

    name: ClassVar[str]

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __str__(self) -> str:
        return self.name


class Kind(ABCMeta):
    """The class of mechanisms, queries and samplings.

    A parameter by a name that the kind does not have is an InvalidValue, with what its `instead` says, or the nearest name.
    """

    if not TYPE_CHECKING:

        def __call__(cls, *values: Any, **named: Any) -> Any:
            try:
                return super().__call__(*values, **named)
            except TypeError:
                known = [member.alias or member.name for member in attrs.fields(cls)] if attrs.has(cls) else list(named)
                for name in named:
                    if name not in known:
                        raise InvalidValue(f"'{cls.kind}' has no parameter '{name}'{_hint(cls, name, known)}") from None
                raise


def _hint(cls: Any, name: str, known: list[str]) -> str:
    """What to write for a parameter that there is not."""
    said = cls.instead.get(name)
    return suggest(name, known) if said is None else f"; {said}"
