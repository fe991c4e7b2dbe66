"""Family: one kind of thing that plugins register, as a token that carries its type."""

from __future__ import annotations

from typing import Generic, TypeVar

from attrs import frozen

from accountant.display.brief import Brief

T = TypeVar("T")
PREFIX = "accountant_"


@frozen(eq=False)
class Family(Brief, Generic[T]):
    """One kind of thing that plugins register. For a type checker, what is found by a token has the token's type.

    `hook` offers the items, `word` is what one of them is called, `base` what each must be: an instance of it, or with
    `classes` a class derived from it. `named_by` is the attribute that holds an item's name, `cites` those that hold the
    theorems it rests on: they are registered with it.
    """

    hook: str
    word: str
    base: type | tuple[type, ...]
    classes: bool = False
    named_by: str = "name"
    cites: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the family is called where plugins are listed."""
        return self.hook.removeprefix(PREFIX)

    def accepts(self, item: object) -> bool:
        """Whether an item is what the hook asks for."""
        if self.classes:
            return isinstance(item, type) and issubclass(item, self.base)
        return isinstance(item, self.base)

    def known(self, name: str) -> T:
        """The item that some installed plugin registered under a name; an error that suggests the nearest one otherwise."""
        from accountant.registry.registry import default_registry

        return default_registry().find(self, name)

    def identify(self, item: T) -> str:
        """The name of an item."""
        return str(getattr(item, self.named_by))
