"""Synthetic records to swap: nothing here is anybody's data."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

COLUMNS = ("region", "size", "block", "tenure", "age")


def households(many: int, seed: int = 1, blocks: int = 40) -> list[tuple[str, ...]]:
    """So many households in three regions, of one to four people, in blocks."""
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(3, many), generator.choice(4, many, p=[0.4, 0.3, 0.2, 0.1]), generator.choice(blocks, many)]
    drawn += [generator.choice(2, many), generator.choice(70, many)]
    names = (
        lambda code: "NSW"[code],
        lambda code: str(code + 1),
        lambda code: f"block {code}",
        lambda code: ("own", "rent")[code],
        lambda code: str(code + 20),
    )
    return [tuple(name(int(code)) for name, code in zip(names, row, strict=True)) for row in zip(*drawn, strict=True)]


def write(path: Path, rows: Iterable[Sequence[str]], columns: Sequence[str] = COLUMNS) -> Path:
    """A CSV or Parquet file of texts."""
    rows = list(rows)
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *rows])
        return path
    import pyarrow
    from pyarrow import parquet

    table = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    whole = [int(size) for size in table["size"]] if "size" in table else []
    parquet.write_table(pyarrow.table({**table, **({"size": whole} if whole else {})}), path)
    return path


def read(path: Path) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)]
