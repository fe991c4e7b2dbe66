"""What a loss says in one form agrees with what it says in all others: laws of the test kit, on a loss for every file.

They ask for no reference, and a file that is wrong in one form only is found out by the others.
"""

from __future__ import annotations

import pytest

from accountant.loss import PrivacyLoss
from accountant.testing.laws import LOSS_LAWS
from tests.loss.coarse_settings import SETTINGS, Setting

pytestmark = pytest.mark.slow

LOSSES = {name: one for name, one in SETTINGS.items() if isinstance(one.make(), PrivacyLoss)}


def shown(one: object) -> str | None:
    """A loss is named after the files that take part in it."""
    return f"{one.files} {one.before}".strip() if isinstance(one, Setting) else None


@pytest.mark.parametrize("law", LOSS_LAWS)
@pytest.mark.parametrize("one", LOSSES.values(), ids=shown)
def test_a_loss_keeps_a_law(one: Setting, law: str) -> None:
    LOSS_LAWS[law](one.make())
