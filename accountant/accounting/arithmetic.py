"""What doubles can hold, and what is said of parameters that they cannot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from accountant.errors import InvalidValue


@contextmanager
def in_range() -> Iterator[None]:
    """Refuse parameters that are sound but that doubles cannot hold."""
    try:
        yield
    except ArithmeticError as error:
        raise InvalidValue(
            f"a parameter or a count is too large or too small for double arithmetic ({error}); nothing was concluded"
        ) from error
