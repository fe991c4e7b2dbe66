"""Ways to release county counts beside a public total, compared at the same budget on synthetic data.

Public: last month's cases and deaths of every county, this month's cases altogether, and that no county has more deaths
than cases. Secret: the county and the fate of any one case. Another county and another fate move two counts of cases and
two of deaths by 1, a distance of 4 in all; different cases are taken to be independent given what is public.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant_pufferfish.inference import CongenialCounts, Contraction, Counts, projected

DISTANCE = 4
EPSILONS = (0.5, 2.0, 8.0)
ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)
READING_ALPHA = 1.0
SMALLEST = 10
FLOOR = 0.5


@frozen
class Month:
    """The counts of a month, from the largest county to the smallest, and those of the month before."""

    name: str
    previous: Counts
    current: Counts

    @property
    def total(self) -> int:
        """The public number of cases."""
        return int(sum(self.current.cases))

    def shapes(self, alpha: float) -> list[float]:
        """The prior's weight of every county: last month's cases, with a floor for counties that had none."""
        return [alpha * max(float(cases), FLOOR) for cases in self.previous.cases]


def load(path: Path, month: int, name: str) -> Month:
    """A month of the table and the one before."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for wanted in (month - 1, month):
        chosen = [row for row in rows if int(row["month"]) == wanted]
        found.append(Counts([int(row["cases"]) for row in chosen], [int(row["deaths"]) for row in chosen]))
    return Month(name, *found)


def geometric(scale: float, cells: int, generator: Generator) -> list[int]:
    """Geometric noise for each of some cells: the difference of two counts of whole steps."""
    steps = np.floor(scale * generator.standard_exponential((2, cells))).astype(int)
    return list((steps[0] - steps[1]).tolist())


def noised(counts: Counts, epsilon: float, generator: Generator) -> Counts:
    """Cases and deaths with noise of scale 4/epsilon: they are at a distance of 4."""
    cells = len(counts.cases)
    cases, deaths = (geometric(DISTANCE / epsilon, cells, generator) for _ in range(2))
    return plus(counts, cases, deaths)


def noised_apart(counts: Counts, epsilon: float, generator: Generator) -> Counts:
    """Survivors and deaths with noise of scale 2/epsilon, added up to cases: no case is in two cells, a distance of 2."""
    cells = len(counts.cases)
    survivors, deaths = (geometric(DISTANCE / 2 / epsilon, cells, generator) for _ in range(2))
    return plus(counts, [a + b for a, b in zip(survivors, deaths, strict=True)], deaths)


def plus(counts: Counts, cases: list[int], deaths: list[int]) -> Counts:
    """Counts with something added."""
    return Counts(
        [count + extra for count, extra in zip(counts.cases, cases, strict=True)],
        [count + extra for count, extra in zip(counts.deaths, deaths, strict=True)],
    )


def read(noisy: Counts, month: Month, epsilon: float, generator: Generator) -> Counts:
    """The posterior median of every count, given the noisy counts and what is public."""
    shapes = month.shapes(READING_ALPHA)
    draws = CongenialCounts(noisy, month.total, epsilon / DISTANCE, shapes).draw(generator, 21)
    return Counts(
        np.median([draw.cases for draw in draws], axis=0).astype(int).tolist(),
        np.median([draw.deaths for draw in draws], axis=0).astype(int).tolist(),
    )


def methods(
    month: Month, epsilon: float, size: int, reads: int, generator: Generator
) -> Iterator[tuple[str, list[Counts]]]:
    """What each method publishes, or lets its readers estimate, several times over."""
    noisy = [noised(month.current, epsilon, generator) for _ in range(size)]
    yield "noise", noisy
    yield "noise, projected", [projected(counts, month.total) for counts in noisy]
    yield "noise, read beside the total", [read(counts, month, epsilon, generator) for counts in noisy[:reads]]
    apart = [noised_apart(month.current, epsilon, generator) for _ in range(size)]
    yield "noise on disjoint counts", apart
    yield "the same, projected", [projected(counts, month.total) for counts in apart]
    # Since counts cannot fall below 0, the normalising sum depends on the data and only half the rate is certified.
    certified = epsilon / (2 * DISTANCE)
    yield "congenial", CongenialCounts(month.current, month.total, certified).draw(generator, size)
    for alpha in ALPHAS:
        mechanism = CongenialCounts(month.current, month.total, certified, month.shapes(alpha))
        yield f"congenial, alpha {alpha:g}", mechanism.draw(generator, size)
    printed = CongenialCounts(month.current, month.total, 2 * certified, month.shapes(READING_ALPHA))
    yield f"alpha {READING_ALPHA:g} at twice the rate (*)", printed.draw(generator, size)


def errors(month: Month, released: list[Counts]) -> tuple[float, float, float]:
    """The mean total error of cases and of deaths, and the mean relative error of cases in the smallest counties."""
    truth = np.array([month.current.cases, month.current.deaths], dtype=float)
    found = np.array([[counts.cases, counts.deaths] for counts in released], dtype=float)
    away = np.abs(found - truth)
    cases, deaths = away.sum(axis=2).mean(axis=0)
    relative = away[:, 0, -SMALLEST:] / np.maximum(truth[0, -SMALLEST:], 1.0)
    return float(cases), float(deaths), float(relative.mean())


def contracted(noisy: list[Counts], shown: list[Counts], group: slice) -> tuple[float, float, float]:
    """How many of a hundred counties of a group projection contracts: cases to 0, deaths to 0, cases to deaths."""
    pairs = zip(noisy, shown, strict=True)
    shares = [Contraction.between(part(before, group), part(after, group)).shares for before, after in pairs]
    zeros, dead, rates = (100 * float(sum(share)) / len(shares) for share in zip(*shares, strict=True))
    return zeros, dead, rates


def part(counts: Counts, group: slice) -> Counts:
    """Some of the counties."""
    return Counts(counts.cases[group], counts.deaths[group])


Row = dict[str, list[tuple[float, float, float]]]


def compared(month: Month, size: int, reads: int, seed: int) -> tuple[Row, Row]:
    """The errors of every method, and what projection contracts in which counties, for each budget in turn."""
    third = len(month.current.cases) // 3
    groups = {"smallest third of counties": slice(-third, None), "other counties": slice(None, -third)}
    loss: Row = {}
    contraction: Row = {}
    for place, epsilon in enumerate(EPSILONS):
        released = dict(methods(month, epsilon, size, reads, np.random.default_rng([seed, place])))
        for name, found in released.items():
            loss.setdefault(name, []).append(errors(month, found))
        for name, group in groups.items():
            shares = contracted(released["noise"], released["noise, projected"], group)
            contraction.setdefault(name, []).append(shares)
    return loss, contraction


def show(titles: tuple[str, str, str], rows: Row, digits: tuple[int, int, int]) -> None:
    """Print a table: for each of three measures a column per budget."""
    print(f"{'':30}" + "".join(f"{title:>24}" for title in titles))
    for name, row in rows.items():
        print(f"{name:30}" + "".join(f"{found[kind]:8.{digits[kind]}f}" for kind in range(3) for found in row))


def main() -> None:
    """Print the comparison for a quiet and a busy month."""
    path = Path(__file__).with_name("counties.csv")
    print("Synthetic counts of 67 counties. Columns are for epsilon", *(f"{epsilon:g}" for epsilon in EPSILONS))
    for month in (load(path, 9, "quiet month"), load(path, 11, "busy month")):
        loss, contraction = compared(month, size=30, reads=6, seed=1)
        print(f"\n{month.name}: {month.total} cases, {sum(month.current.deaths)} deaths\n")
        show(("error of cases", "error of deaths", "relative error, small"), loss, (0, 0, 2))
        print()
        show(("% of cases put to 0", "% of deaths put to 0", "% of cases = deaths"), contraction, (1, 1, 1))
    print("\n(*) may lose twice the budget: the scale as first published, which forgets the normalising sum")


if __name__ == "__main__":
    main()
