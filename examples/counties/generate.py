"""Makes counties.csv: two years of monthly cases and deaths in 67 counties that do not exist.

The numbers are synthetic. They imitate what matters in surveillance data: a few counties hold most people, the level rises
and falls in waves, every county has a rate of its own that drifts from month to month, and few cases are deaths. Only
uniform and normal numbers of the standard library are used, so that every version of Python writes the same file.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from random import Random

SEED = 20_220_405
COUNTIES = 67
MONTHS = 24
DEADLY = 0.02


def poisson(mean: float, random: Random) -> int:
    """A Poisson number: how many exponential steps fit into the mean."""
    count, place = -1, 0.0
    while place <= mean:
        place -= math.log1p(-random.random())
        count += 1
    return count


def rows() -> list[tuple[int, str, int, int, int]]:
    """Month, county, population, cases and deaths."""
    random = Random(SEED)
    populations = sorted((round(math.exp(random.gauss(8.6, 1.2))) for _ in range(COUNTIES)), reverse=True)
    levels = [random.gauss(0.0, 0.3) for _ in range(COUNTIES)]
    found = []
    for month in range(1, MONTHS + 1):
        wave = 0.0022 * math.exp(0.9 * math.sin(2 * math.pi * month / 11) + 0.03 * (month - 12))
        for county, population in enumerate(populations):
            levels[county] = 0.8 * levels[county] + random.gauss(0.0, 0.2)
            cases = poisson(population * wave * math.exp(levels[county]), random)
            deaths = sum(random.random() < DEADLY for _ in range(cases))
            found.append((month, f"county-{county + 1:02d}", population, cases, deaths))
    return found


def write(path: Path) -> None:
    """Write the table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("month", "county", "population", "cases", "deaths"))
        writer.writerows(rows())


if __name__ == "__main__":
    write(Path(__file__).with_name("counties.csv"))
