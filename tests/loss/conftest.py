"""Long arithmetic, and two ways to a reading: whatever the engine prefers, and the grid alone."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest

from accountant.loss.engine.atom_route import AtomProduct
from accountant.loss.engine.contour_route import Contour
from tests.loss.references import PLACES


@pytest.fixture(scope="module", autouse=True)
def digits() -> Iterator[None]:
    """References for losses are computed with many places."""
    with mpmath.workdps(PLACES):
        yield


@pytest.fixture
def grid_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closed routes leave the grid as the only way to read a composition."""
    monkeypatch.setattr(Contour, "of", lambda parts, leak: None)
    monkeypatch.setattr(AtomProduct, "of", lambda parts: None)


@pytest.fixture(params=["preferred", "grid"])
def route(request: pytest.FixtureRequest) -> str:
    """Runs a test twice: with the engine's own choice of route, and with the grid alone."""
    if request.param == "grid":
        request.getfixturevalue("grid_only")
    return str(request.param)
