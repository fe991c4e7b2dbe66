"""What doubles can hold, and what is said of parameters that they cannot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from accountant.errors import InvalidValue, PluginFailure
from accountant.registry.blame import culprit


@contextmanager
def in_range() -> Iterator[None]:
    """Refuse parameters that are sound but that doubles cannot hold. What fails in a plugin of others is that plugin's."""
    try:
        yield
    except ArithmeticError as error:
        if (plugin := culprit(error)) is not None:
            raise PluginFailure(f"{plugin} failed: {type(error).__name__}: {error}") from error
        raise InvalidValue(
            f"a parameter or a count is too large or too small for double arithmetic ({error}); nothing was concluded"
        ) from error
