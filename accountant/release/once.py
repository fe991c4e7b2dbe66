"""Once: what the parts of a release were asked is not asked again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar, cast

T = TypeVar("T")


def once(question: Callable[..., T], *values: Hashable) -> T:
    """What a method of a part answers about these values: asked once of each part, and again only after it raised.

    Guarantee: as if it were asked each time, because parts of releases do not change and answer by what they are. So a plan
    may be checked where it is read, for the place of every fault, and wherever it is accounted for, however it was made.
    """
    return cast(T, _answer(question, *values))


@lru_cache(maxsize=2**13)
def _answer(question: Callable[..., Any], *values: Hashable) -> Any:
    # A bound method is the same as another if it is bound to the very same part.
    return question(*values)
