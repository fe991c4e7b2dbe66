"""Planted errors are looked for as usual: that one is caught is the test, and not how small its counterexample becomes."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen
from hypothesis import Phase

from accountant.limits import Limits
from accountant.testing import Depth


@frozen
class Quick(Depth):
    """The usual examples, none of which is made small: here it matters which law complains and not what it says.

    What never ends is not waited for as long.
    """

    phases: ClassVar[tuple[Phase, ...]] = (Phase.generate,)
    patience: ClassVar[Limits] = Limits(within="3s", memory="2GB")


QUICK = Quick()
