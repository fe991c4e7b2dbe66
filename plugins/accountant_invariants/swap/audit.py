"""Audit: whether swapped records are what the account speaks of, as far as the records show it.

What must hold for certain is compared: both tables, and whatever else stays. What is left to chance is tested: how many
records look different against runs of the same design, and which permutations small strata show against their exact law.
Both p-values are those of Monte Carlo tests, which are valid for any number of runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from accountant import Fault, PlanError, fields
from accountant.numbers import plain
from accountant_invariants.stratum import Stratum
from accountant_invariants.swap.design import Design
from accountant_invariants.swap.draws import Draws
from accountant_invariants.swap.microdata import Microdata
from accountant_invariants.swap.moving import sources
from accountant_invariants.swap.strata import combined

_LARGEST_LISTED = 4
"""The largest strata whose permutations are counted one by one: there are 24 of four records."""
_MOST_DRAWN = 200_000_000
_FIRST, _ENOUGH = 20, 20


@frozen
class Check:
    """One thing that was looked at: what must hold, what was found, and how likely so much is if all is as promised.

    `chance` is None where nothing is left to chance. `least` is the least that so many runs can show: where that is more
    than a refutation takes, nothing is decided.
    """

    name: str
    verdict: str
    found: str
    chance: Fraction | None = None
    least: Fraction = Fraction(0)


@frozen
class Auditing:
    """How much is run and how sure a refutation must be; all tests together are wrong at most with the rest."""

    samples: int = field(default=20_000, converter=fields.whole, validator=fields.at_least(1))
    confidence: Fraction = field(
        default=Fraction(999, 1000), converter=fields.exact, validator=[fields.above(0), fields.below(1)]
    )
    seed: int = field(default=0, converter=fields.whole, validator=fields.at_least(0))


@frozen(eq=False)
class Audited:
    """What was found in swapped records."""

    checks: tuple[Check, ...]

    @property
    def verdict(self) -> str:
        """`refuted` if anything is not as promised, `not decided` if runs were too few to see it, else `consistent`."""
        found = {check.verdict for check in self.checks}
        return next((verdict for verdict in ("refuted", "not decided") if verdict in found), "consistent")


def audit(design: Design, published: Microdata, auditing: Auditing | None = None) -> Audited:
    """Hold swapped records to the design; PlanError where they cannot be compared with the records they were made of."""
    settings = Auditing() if auditing is None else auditing
    _comparable(design, published)
    kept = tuple(_kept(design, published))
    if any(check.verdict == "refuted" for check in kept):
        return Audited(kept)
    tested = tuple(_Tests(design, published, settings).all())
    return Audited((*kept, *_judged(tested, settings)))


def _comparable(design: Design, published: Microdata) -> None:
    """Refuse files that hold something else than the same columns of as many records."""
    names, others = list(design.microdata.columns), list(published.columns)
    faults = []
    if sorted(names) != sorted(others):
        faults.append(f"the columns are {', '.join(others)}, and those of the records {', '.join(names)}")
    if published.size != design.microdata.size:
        faults.append(f"there are {published.size:,} records, and {design.microdata.size:,} were to be swapped")
    if faults:
        raise PlanError(tuple(Fault(message, "swapped", file=str(published.path)) for message in faults))


def _kept(design: Design, published: Microdata) -> Iterator[Check]:
    """Whether both tables are as they were."""
    for invariant in design.mechanism.publishes():
        names = sorted(invariant.counts_by or ())
        wrong = _cells_that_differ(design.microdata, published, names)
        found = "as they were" if not wrong else f"{wrong:,} cells are not as they were"
        yield Check(invariant.name, "refuted" if wrong else "holds", found)


def _cells_that_differ(first: Microdata, second: Microdata, names: Collection[str]) -> int:
    """In how many cells two files have other counts."""
    labels = combined(_side_by_side(first, second, names), names)
    counts = [np.bincount(part, minlength=int(labels.max()) + 1) for part in np.split(labels, [first.size])]
    return int(np.count_nonzero(counts[0] != counts[1]))


def _side_by_side(first: Microdata, second: Microdata, names: Collection[str]) -> Microdata:
    """The records of two files one after the other, their values numbered alike."""
    columns = {}
    for name in names:
        one, other = first.columns[name], second.columns[name]
        known = {value: place for place, value in enumerate(one.values)}
        renamed = np.array([known.setdefault(value, len(known)) for value in other.values] or [0], dtype=np.int64)
        again = np.array([known[value] for value in one.values] or [0], dtype=np.int64)
        codes = np.concatenate([again[one.codes], renamed[other.codes]])
        columns[name] = evolve(one, values=tuple(known), codes=codes)
    return evolve(first, columns=columns, size=first.size + second.size, table=None)


def _judged(checks: tuple[Check, ...], settings: Auditing) -> Iterator[Check]:
    """Each test at its share of the chance to be wrong."""
    share = (1 - settings.confidence) / max(1, len(checks))
    for check in checks:
        assert check.chance is not None
        undecided = "consistent" if check.least <= share else "not decided"
        yield evolve(check, verdict="refuted" if check.chance <= share else undecided)


@frozen(eq=False)
class _Tests:
    """What is left to chance in one file."""

    design: Design
    published: Microdata
    settings: Auditing

    def all(self) -> Iterator[Check]:
        if np.any(~self.design.alike):
            yield self._rate()
        for size in range(2, _LARGEST_LISTED + 1):
            shown = self._shown(size)
            if len(shown):
                yield self._permutations(size, shown)

    @cached_property
    def whole(self) -> Microdata:
        """The records of both files one after the other."""
        return _side_by_side(self.design.microdata, self.published, list(self.design.microdata.columns))

    def _both(self, names: Collection[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What the records of both files have in some attributes, numbered alike."""
        first, second = np.split(combined(self.whole, names), [self.published.size])
        return first, second

    @cached_property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What stays with each record, in both files."""
        return self._both(self.design.mechanism.stratify | self.design.mechanism.rest)

    @cached_property
    def values(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which swapped values each record has, in both files."""
        return self._both(self.design.mechanism.swap)

    def _rate(self) -> Check:
        """How many records look different, against runs of the design.

        What counts is how far that is from the mean of a few runs. Others are run until some are as far, or as many as
        may be: the p-value of such a sequential test is their share.
        """
        (before, after), (had, has) = self.places, self.values
        seen = _left(before, had, after, has)
        most = max(1, min(self.settings.samples, _MOST_DRAWN // self.published.size))
        draws = Draws.of(self.settings.seed)
        ran = [self._looking_different(draws) for _ in range(_FIRST)]
        middle = Fraction(sum(ran), len(ran))
        runs = as_far = 0
        while runs < most and as_far < _ENOUGH:
            ran.append(self._looking_different(draws))
            runs += 1
            as_far += abs(ran[-1] - middle) >= abs(seen - middle)
        chance = Fraction(as_far, runs) if as_far == _ENOUGH else Fraction(as_far + 1, runs + 1)
        found = f"{seen:,} look different; {min(ran):,} to {max(ran):,} did in {len(ran):,} runs"
        name = f"records that look different, at a rate of {plain(self.design.mechanism.rate)}"
        return Check(name, "", found, chance, Fraction(1, most + 1))

    def _looking_different(self, draws: Draws) -> int:
        own, values = self.places[0], self.values[0]
        received = values[sources(self.design.strata, self.design.mechanism, draws)]
        other = np.flatnonzero(values != received)
        return _left(own[other], values[other], own[other], received[other])

    def _shown(self, size: int) -> NDArray[np.int64]:
        """The permutations of all strata of a size whose values differ, by their places in the list of all.

        What stays with the records must differ too: then it says whose values each record received.
        """
        strata, (before, after), (had, has) = self.design.strata, self.places, self.values
        told = (strata.sizes == size) & ~self.design.repeated & (strata.different(before) == size)
        rows = np.flatnonzero(told[strata.labels])
        rows = rows[np.argsort(strata.labels[rows], kind="stable")]
        where = np.empty(int(after.max()) + 1, dtype=np.int64)
        where[after] = np.arange(len(after))
        first, second = (found.reshape(-1, size) for found in (had[rows], has[where[before[rows]]]))
        received = np.argmax(second[:, :, None] == first[:, None, :], axis=2)
        orders = np.array(list(itertools.permutations(range(size))), dtype=np.int64)
        return np.asarray(np.argmax(np.all(received[:, None, :] == orders[None], axis=2), axis=1), dtype=np.int64)

    def _permutations(self, size: int, shown: NDArray[np.int64]) -> Check:
        """Which permutations strata of a size show, against their exact law."""
        mechanism = self.design.mechanism
        law = Stratum(size, mechanism.rate, mechanism.version, mechanism.single).permutations()
        chances = np.array([float(chance) for chance in law.values()])
        counts = np.bincount(shown, minlength=len(law))
        generator = np.random.default_rng((self.settings.seed, size))
        ran = generator.multinomial(len(shown), chances / chances.sum(), size=self.settings.samples)
        surprise = _surprise(counts[None], chances)[0]
        chance = Fraction(1 + int(np.count_nonzero(_surprise(ran, chances) >= surprise)), 1 + self.settings.samples)
        stayed, expected = int(counts[0]), len(shown) * chances[0]
        found = f"{len(shown):,} strata of different records; {stayed:,} stayed as they were, {expected:,.1f} expected"
        return Check(f"permutations of {size} records", "", found, chance, Fraction(1, 1 + self.settings.samples))


def _left(places: NDArray[np.int64], had: NDArray[np.int64], others: NDArray[np.int64], has: NDArray[np.int64]) -> int:
    """How many records are in other cells of the whole table than before, at least: whatever their order."""
    if not len(places):
        return 0
    many = int(max(had.max(), has.max())) + 1
    _, cells = np.unique(np.concatenate([places * many + had, others * many + has]), return_inverse=True)
    first, second = np.split(cells.reshape(-1), [len(places)])
    change = np.bincount(first, minlength=int(cells.max()) + 1) - np.bincount(second, minlength=int(cells.max()) + 1)
    return int(np.maximum(change, 0).sum())


def _surprise(counts: NDArray[np.int64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far counts are from what chances expect, as a likelihood ratio; infinite where the impossible was seen."""
    expected = counts.sum(axis=1, keepdims=True) * chances
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(counts / expected), 0.0)
    return np.asarray(np.round(terms.sum(axis=1), 9), dtype=np.float64)
