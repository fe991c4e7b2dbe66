"""Planted errors are looked for as usual: that one is caught is the test, and not how small its counterexample becomes."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen
from hypothesis import Phase

from accountant.testing import Depth


@frozen
class Quick(Depth):
    """The usual examples, none of which is made small: here it matters which law complains and not what it says."""

    phases: ClassVar[tuple[Phase, ...]] = (Phase.generate,)


QUICK = Quick()
