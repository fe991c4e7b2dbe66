"""Databases to keep ledgers in: a file, and a PostgreSQL that the tests start themselves."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ledger.cases import Place

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that lives as long as the tests do. Also works for root, as another user."""
    if sys.version_info >= (3, 13) and importlib.util.find_spec("pgserver") is None:
        pytest.skip("there is no PostgreSQL in a wheel for this Python yet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains where no runtime directory is set
        import pgserver
    directory = tempfile.mkdtemp(prefix="ledger-")
    server = pgserver.get_server(directory, cleanup_mode="stop")
    # No machine loses its power in these tests, so that nobody need wait for the disk.
    server.psql("ALTER SYSTEM SET fsync = off;")
    server.psql("SELECT pg_reload_conf();")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(params=DATABASES)
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Place]:
    """Places for new ledgers: a new file each, or a new name in one database."""
    numbers = itertools.count()
    if request.param == "sqlite":
        return lambda: Place(str(tmp_path / f"{next(numbers)}.ledger"))
    address = request.getfixturevalue("postgres")
    test = f"{request.node.name}-{id(tmp_path)}"[-180:]
    return lambda: Place(address, f"{test}-{next(numbers)}")


@pytest.fixture
def place(fresh: Callable[[], Place]) -> Place:
    """A place for one new ledger."""
    return fresh()
