"""Write households to swap: `python examples/swapping/make.py 400 households.csv`.

Nothing here is anybody's data. Regions, sizes and blocks are drawn with a fixed seed; who rents depends on the block a
little, and the age of who answers on the size.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

COLUMNS = ("region", "size", "block", "tenure", "age")


def rows(many: int, seed: int = 20) -> list[tuple[str, ...]]:
    """So many households."""
    drawn = random.Random(seed)
    found = []
    for _ in range(many):
        region, size, block = drawn.choice("NSW"), drawn.choice((1, 1, 1, 2, 2, 2, 3, 3, 4)), drawn.randrange(12)
        tenure = "rent" if drawn.random() < 0.2 + 0.04 * block else "own"
        age = drawn.choice(("under 30", "30 to 64", "65 and over")[: 3 if size < 3 else 2])
        found.append((region, str(size), f"{region}{block:02d}", tenure, age))
    return found


def main(many: int, path: Path) -> None:
    """Write them as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows(many)])


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
