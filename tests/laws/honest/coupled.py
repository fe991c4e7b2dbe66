"""How total variation adds up: two releases that are each the same but with chance t are both the same with (1 - t)(1 - t).

Couple every release so that it differs between two neighbours with a chance of its own distance only, as can always be
done, and independently of the others. All are then the same with the product of the chances of being the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar

from attrs import frozen

from accountant import Interval
from accountant.plugin import Adaptivity, CompositionRule, Theorem, hookimpl
from tests.laws.honest import proved

COUPLED = Theorem(**proved(__name__, "couplings-multiply", "Releases are the same with the product of their chances."))


@frozen
class CouplingsMultiply(CompositionRule):
    """Chances of being the same multiply."""

    name: ClassVar[str] = "couplings-multiply"
    divergence: ClassVar[str] = "total-variation"
    adaptivity: ClassVar[Adaptivity] = "adaptive"
    theorem: ClassVar[Theorem] = COUPLED
    merges: ClassVar[bool] = False
    title: ClassVar[str | None] = "chances of being the same multiply"

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        least = most = 1.0
        for value, count in parts:
            for _ in range(count):
                # The same with at least what the upper end leaves, rounded down, and at most what the lower one does.
                least = math.nextafter(least * math.nextafter(1.0 - min(value.upper, 1.0), 0.0), 0.0)
                most = math.nextafter(most * math.nextafter(1.0 - min(value.lower, 1.0), 1.0), 1.0)
        return Interval(max(0.0, math.nextafter(1.0 - most, -1.0)), min(1.0, math.nextafter(1.0 - least, 2.0)))


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (CouplingsMultiply(),)
