"""What all tests stand on: long arithmetic of known precision, single threads, bytecode that started programs share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import mpmath
import pytest

# Tests run on every core already: sums that are shared out among threads would only wait for one another. This is read when
# the first array is made, and by programs that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Programs that tests start compile each module once and not every time, beside the cache instead of the sources."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ["PYTHONPYCACHEPREFIX"] = str(config.rootpath / ".pytest_cache" / "bytecode")


@pytest.fixture(scope="module", autouse=True)
def digits() -> Iterator[None]:
    """Long arithmetic has fifty digits, whatever precision modules that were loaded before a test asked for.

    Tests that need more have a fixture of this name nearer to them.
    """
    with mpmath.workdps(50):
        yield
