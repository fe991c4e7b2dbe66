"""What is released of all tables that are looked at: noise is drawn for every cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from accountant.loss import Floats
from accountant_posterior.attacks.cells.areas import CellCounts
from accountant_posterior.attacks.cells.attacker import Looked
from accountant_posterior.attacks.cells.weights import Places


@frozen(eq=False)
class Released:
    """Noisy counts of all tables that are looked at, as they might be released; one for each time."""

    looked: tuple[Looked, ...]
    groups: tuple[Places, ...]
    counts: tuple[NDArray[np.int64], ...]
    noise: tuple[Floats, ...]

    @classmethod
    def of(cls, cells: CellCounts, looked: Sequence[Looked], generator: Generator) -> Released:
        """Draw noise for every cell of every table."""
        each = [table for table in looked for _ in range(table.times)]
        groups = [cells.grouped(table.columns)[0] for table in each]
        counts = [cells.margin(table.level, table.columns) for table in each]
        noise = [table.noise.draw(generator, count.shape) for table, count in zip(each, counts, strict=True)]
        return cls(tuple(each), tuple(groups), tuple(counts), tuple(noise))

    def of_level(self, level: int) -> list[int]:
        """Which of them are of a level."""
        return [place for place, table in enumerate(self.looked) if table.level == level]

    def noisy(self, place: int) -> Floats:
        """The noisy counts of one of them."""
        return self.counts[place] + self.noise[place]

    def noisy_of(self, place: int, areas: Places, group: int) -> Floats:
        """Those of some areas and one group alone."""
        seen: Floats = self.counts[place][areas, group] + self.noise[place][areas, group]
        return seen
