"""Write what was released of made-up rents: `python examples/rents/make.py released.toml`.

Nothing here is anybody's data: 400 flats of about 70 square metres, whose rent is 100 and 11 for each of them, 120 more or
less, with the noise of `rents.toml`. Floating-point noise is for examples only: never release data so.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

SIZE, SIGMA = 400, 20_000


def main(path: Path) -> None:
    """Write the noisy sums, row by row of the upper half."""
    generator = np.random.default_rng(5)
    metres = np.clip(generator.normal(70, 20, SIZE), 20, 120)
    rent = np.clip(100 + 11 * metres + generator.normal(0, 120, SIZE), 0, 2000)
    columns = np.array([np.ones(SIZE), metres, rent])
    sums = (columns @ columns.T)[np.triu_indices(3)] + generator.normal(0, SIGMA, 6)
    path.write_text(f"rents = [{', '.join(f'{value:.0f}' for value in sums)}]\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
