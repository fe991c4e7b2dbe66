"""Kinds of engine: what a plugin registers, and how an address finds the engine that it stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from accountant.errors import InvalidValue
from accountant.registry.registry import default_registry
from accountant.values.family import Family

if TYPE_CHECKING:
    from accountant.engines.engine import Engine
    from accountant.registry.registry import Registry


class EngineKind(ABC):
    """A kind of engine, and the addresses at which there are engines of it: its name, and what begins as it says."""

    name: ClassVar[str]
    meaning: ClassVar[str]
    """What it is and what it needs, in a line."""
    begins: ClassVar[tuple[str, ...]] = ()
    """How its further addresses begin."""
    alone: ClassVar[str]
    """An address at which it runs on this machine with nothing beside it; the laws try it there."""
    usual: ClassVar[bool] = False
    """Whether it is taken where nobody names another."""

    @abstractmethod
    def at(self, address: str) -> Engine:
        """The engine at an address; InvalidValue says what is missing, in bounded time."""

    def has(self, address: str) -> bool:
        """Whether an address is one of this kind's."""
        return address == self.name or address.startswith(self.begins)

    @property
    def starts(self) -> tuple[str, ...]:
        """What to begin an address with."""
        return self.begins or (self.name,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __str__(self) -> str:
        return self.name


ENGINES: Family[EngineKind] = Family("accountant_engines", "engine", EngineKind)


def engine_at(address: str | None = None, registry: Registry | None = None) -> Engine:
    """The engine that an address stands for, whichever plugin brings it; without an address the usual one."""
    kinds = (registry or default_registry())[ENGINES].values()
    able = [kind for kind in kinds if (kind.usual if address is None else kind.has(address))]
    said = "no address" if address is None else f"'{address}'"
    if len(able) > 1:
        names = " or ".join(f"'{kind}'" for kind in able)
        raise InvalidValue(f"{said} may mean the engine {names}; disable the plugin of one")
    if not able:
        known = ", ".join(start for kind in kinds for start in kind.starts)
        raise InvalidValue(f"{said} is no engine; addresses begin with {known or 'nothing: install a plugin that has one'}")
    return able[0].at(able[0].name if address is None else address)
