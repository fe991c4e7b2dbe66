"""Once: what was found of an object, for whoever asks again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Once:
    """What was found of some objects at some places, as long as few others are asked of.

    An object is known by being the very same: those that only equal it are asked themselves, since a law may be about that.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[int, tuple[object, dict[Hashable, Any]]] = OrderedDict()

    def find(self, owner: object, place: Hashable, find: Callable[[], T]) -> T:
        """What is found there, or was."""
        _, found = self._known.setdefault(id(owner), (owner, {}))
        self._known.move_to_end(id(owner))
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        if place not in found:
            found[place] = find()
        return cast(T, found[place])
