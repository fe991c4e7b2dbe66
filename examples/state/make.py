"""Write the people of a made-up state: `python examples/state/make.py 20000 people.parquet`, or `.csv`.

Nothing here is anybody's data. A county has 5 tracts, a tract 4 block groups, a group 10 blocks; there are as many counties
as the number of people asks for, 5,000 to each. Blocks differ in size and in who lives there, and few kinds of people are
common. The same numbers are drawn every time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import csv, parquet

_RACES = ("white", "black", "asian", "native", "islander", "other")
_SHARES = (0.62, 0.17, 0.1, 0.03, 0.02, 0.06)


def main(people: int, path: Path) -> None:
    """Write so many people."""
    generator = np.random.default_rng(20260101)
    counties = -(-people // 5000)
    sizes = generator.gamma(0.7, 1.0, counties * 200)
    block = generator.choice(len(sizes), people, p=sizes / sizes.sum())
    mixed = generator.dirichlet(np.array(_SHARES) * 4.0, len(sizes)).cumsum(axis=1)
    race = (generator.random(people)[:, np.newaxis] > mixed[block]).sum(axis=1).clip(max=len(_RACES) - 1)
    county, rest = np.divmod(np.arange(len(sizes)), 200)
    tract, rest = np.divmod(rest, 40)
    group, own = np.divmod(rest, 10)
    places = {
        "county": (county,),
        "tract": (county, tract),
        "group": (county, tract, group),
        "block": (county, tract, group, own),
    }
    columns = {
        **{name: _named(codes).take(pyarrow.array(block)) for name, codes in places.items()},
        "race": np.array(_RACES)[race],
        "hispanic": np.where(generator.random(people) < 0.18, "yes", "no"),
        "adult": np.where(generator.random(people) < 0.77, "yes", "no"),
    }
    write = csv.write_csv if path.suffix == ".csv" else parquet.write_table
    write(pyarrow.table(columns), path)


def _named(codes: tuple[np.ndarray, ...]) -> pyarrow.Array:
    """The name of each block, or of what it lies in."""
    return pyarrow.array(["-".join(map(str, parts)) for parts in zip(*codes, strict=True)])


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
