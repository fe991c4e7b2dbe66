"""Design: swapping laid out for given records, checked as a whole before anything is touched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from accountant import Fault, Interval, InvalidValue, Plan, PlanError, fields, read_plan
from accountant.numbers import ExactLike, plain
from accountant_invariants.stratum import Stratum
from accountant_invariants.swap.draws import Draws
from accountant_invariants.swap.microdata import Microdata
from accountant_invariants.swap.moving import sources
from accountant_invariants.swap.strata import Strata, combined
from accountant_invariants.swapping import TARGETED, Swapping
from accountant_invariants.versions import Single, Version

_MOST_STRATA = 500_000
_SHOWN = 3


@frozen(eq=False)
class Design:
    """Swapping of given records: the mechanism, and who is in which stratum.

    The sizes of strata follow from the counts that swapping publishes exactly. So do the strata in which nothing can
    differ, because all records agree on what is swapped or on all the rest.
    """

    microdata: Microdata
    mechanism: Swapping
    strata: Strata

    @classmethod
    def of(
        cls,
        microdata: Microdata,
        *,
        swap: Collection[str],
        rate: ExactLike,
        version: Version,
        stratify: Collection[str] = (),
        single: Single = "redraw",
    ) -> Design:
        """The design for records; PlanError tells all that is wrong with it."""
        _checked(microdata, (*_columns(microdata, stratify, swap), *_rated(microdata, rate), *_missing(microdata)))
        strata = Strata.of(microdata, stratify)
        rest = set(microdata.columns) - {*stratify, *swap}
        _checked(microdata, _alike(microdata, strata, swap, rest))
        try:
            mechanism = Swapping(rate, strata.sizes.tolist(), stratify, swap, rest, version, single)
            sizes, rarest = zip(*_kinds(microdata, strata, mechanism), strict=True)
            mechanism = evolve(mechanism, strata=sizes)
            sharper = evolve(mechanism, rarest=rarest)
            mechanism = sharper if sharper.epsilon.upper < mechanism.epsilon.upper else mechanism
        except InvalidValue as error:
            raise PlanError((_fault(microdata, str(error), "records"),)) from error
        _checked(microdata, _unbounded(mechanism))
        return cls(microdata, mechanism, strata)

    @classmethod
    def by(cls, mechanism: Swapping, microdata: Microdata) -> Design:
        """The design that a plan states; the records must be those that it was made for."""
        stated = mechanism.stratify | mechanism.swap | mechanism.rest
        strange = sorted(stated ^ set(microdata.columns))
        _checked(microdata, (_strange(name, name in stated) for name in strange))
        _checked(microdata, (*_missing(microdata), *_unbounded(mechanism)))
        strata = Strata.of(microdata, mechanism.stratify)
        if sorted(strata.sizes.tolist()) != sorted(mechanism.strata):
            raise PlanError((_fault(microdata, _other_sizes(strata, mechanism), "strata"),))
        if mechanism.rarest is not None:
            kinds = _kinds(microdata, strata, mechanism)
            if kinds != sorted(zip(mechanism.strata, mechanism.rarest, strict=True), reverse=True):
                raise PlanError((_fault(microdata, _OTHER_VALUES, "rarest"),))
        return cls(microdata, mechanism, strata)

    @cached_property
    def swapped_values(self) -> NDArray[np.int64]:
        """Which combination of swapped values each record has."""
        return combined(self.microdata, self.mechanism.swap)

    @cached_property
    def alike(self) -> NDArray[np.bool_]:
        """The strata in which no other dataset is comparable: all records agree on what is swapped, or on the rest."""
        rest = combined(self.microdata, self.mechanism.rest)
        fewest = np.minimum(self.strata.different(self.swapped_values), self.strata.different(rest))
        return np.equal(fewest, 1)

    @cached_property
    def repeated(self) -> NDArray[np.bool_]:
        """The strata in which some combination of swapped values comes more than once."""
        return self.strata.different(self.swapped_values) < self.strata.sizes

    @cached_property
    def epsilon(self) -> Interval:
        """The budget for each record in which datasets differ that have the tables of these records.

        Guarantee: two-sided. The lower end is that of strata in which nothing comes twice, where it is attained. Where
        values come again less may be lost, and how much less is not known.
        """
        return self._attained(lambda mechanism: mechanism.epsilon)

    @cached_property
    def pair(self) -> Interval:
        """The same for two records that exchange their values."""
        return self._attained(lambda mechanism: mechanism.pair)

    def _attained(self, read: Callable[[Swapping], Interval]) -> Interval:
        rest = combined(self.microdata, self.mechanism.rest)
        sizes = self.strata.sizes
        distinct = ~self.repeated & (self.strata.different(rest) == sizes) & (sizes > 1)
        stated = read(self.mechanism)
        if not distinct.any():
            return Interval(0.0, stated.upper)
        attained = read(evolve(self.mechanism, strata=tuple(sizes[distinct].tolist()), rarest=None))
        return Interval(min(attained.lower, stated.upper), stated.upper)

    def run(self, draws: Draws | None = None) -> Swapped:
        """Swap the records, with the system's randomness unless told otherwise."""
        chosen = Draws.of() if draws is None else draws
        return Swapped(self, sources(self.strata, self.mechanism, chosen), chosen.seed)

    def plan(self, title: str, unit: str, epsilon: ExactLike | None = None) -> Plan:
        """A plan that promises what swapping does, between datasets that differ in two records; with a budget if given."""
        mechanism = self.mechanism
        parts = {part: sorted(getattr(mechanism, part)) for part in ("stratify", "swap", "rest")}
        stated: dict[str, Any] = {"kind": mechanism.kind, "rate": plain(mechanism.rate), "strata": [*mechanism.strata]}
        further: dict[str, Any] = {} if mechanism.single == "redraw" else {"single": mechanism.single}
        if mechanism.rarest is not None:
            further["rarest"] = [[*counts] for counts in mechanism.rarest]
        asked = {"reading": [{"divergence": "pure"}]} if epsilon is None else {}
        budget = [] if epsilon is None else [{"divergence": "pure", "epsilon": plain(fields.exact(epsilon))}]
        return read_plan(
            {
                "title": title,
                "specification": {
                    "domain": {"attributes": sorted(self.microdata.columns)},
                    "unit": unit,
                    "neighbours": "replace-one",
                    "group": 2,
                    "invariants": [
                        {"name": known.name, "counts_by": sorted(known.counts_by or ())} for known in mechanism.publishes()
                    ],
                },
                "budget": budget,
                **asked,
                "release": [
                    {"name": "swapped records", "mechanism": {**stated, **parts, "version": mechanism.version, **further}}
                ],
            }
        )


@frozen(eq=False)
class Swapped:
    """What swapping did: for each record the number of the one whose values it received. For those who hold the records."""

    design: Design
    sources: NDArray[np.int64]
    seed: int | None

    @cached_property
    def microdata(self) -> Microdata:
        """The records to be published, sorted: in the order in which they came, it might show who moved."""
        return self.design.microdata.reordered(sorted(self.design.mechanism.swap), self.sources).sorted()

    @property
    def moved(self) -> int:
        """How many records received the values of another one."""
        return int(np.count_nonzero(self.sources != np.arange(len(self.sources))))

    @cached_property
    def changed(self) -> NDArray[np.bool_]:
        """The records whose values are other ones now: those who received the same as they had look as before."""
        values = self.design.swapped_values
        return np.not_equal(values, values[self.sources])


_OTHER_VALUES = (
    "values come as often in other strata, or other values do: the plan was made for other records, and its budget is not "
    "that of these; make the plan from these records"
)


def _kinds(microdata: Microdata, strata: Strata, mechanism: Swapping) -> list[tuple[int, tuple[int, ...]]]:
    """The size of each stratum and how often its rarest values come, the largest stratum first.

    Of the two parts that one counts by which less is lost: what holds for either holds.
    """
    sides = [strata.rarest(combined(microdata, names)) for names in (mechanism.swap, mechanism.rest)]
    found = list(zip(strata.sizes.tolist(), *sides, strict=True))
    chosen = {kind: (kind[0], min(kind[1:], key=partial(_lost, mechanism, kind[0]))) for kind in set(found)}
    return sorted((chosen[kind] for kind in found), reverse=True)


def _lost(mechanism: Swapping, size: int, rarest: tuple[int, ...]) -> tuple[float, float]:
    """What a stratum loses at most by how often its rarest values come, for each record and for two; alike ones nothing."""
    stratum = Stratum(size, mechanism.rate, mechanism.version, mechanism.single, rarest)
    if len(rarest) == 1 or mechanism.rate in (0, 1):
        return 0.0, 0.0
    return stratum.epsilon.upper, stratum.reach(2).upper


def _fault(microdata: Microdata, message: str, place: str) -> Fault:
    return Fault(message, place, file=str(microdata.path))


def _checked(microdata: Microdata, faults: Collection[Fault] | Iterator[Fault]) -> None:
    found = tuple(_fault(microdata, fault.message, fault.place) for fault in faults)
    if found:
        raise PlanError(found)


def _columns(microdata: Microdata, stratify: Collection[str], swap: Collection[str]) -> Iterator[Fault]:
    known = ", ".join(microdata.columns)
    for place, names in (("stratify", stratify), ("swap", swap)):
        for name in sorted(set(names) - set(microdata.columns)):
            yield Fault(f"there is no column '{name}'; the columns are {known}", place)


def _rated(microdata: Microdata, rate: ExactLike) -> Iterator[Fault]:
    if isinstance(rate, str) and rate in microdata.columns:
        yield Fault(f"'{rate}' is a column: {TARGETED}", "rate")
        return
    try:
        if not 0 <= fields.exact(rate) <= 1:
            yield Fault(f"a chance is a number from 0 to 1, got {rate}", "rate")
    except InvalidValue as error:
        yield Fault(str(error), "rate")


def _unbounded(mechanism: Swapping) -> Iterator[Fault]:
    if mechanism.epsilon.upper == float("inf"):
        why = "nobody is swapped" if mechanism.rate == 0 else "a value that is in place again tells datasets apart"
        yield Fault(f"at a rate of {plain(mechanism.rate)} nothing is promised: {why}", "rate")


def _missing(microdata: Microdata) -> Iterator[Fault]:
    if not microdata.size:
        yield Fault("there are no records", "records")
    for name, column in microdata.columns.items():
        rows = column.missing
        if len(rows):
            first, records = ", ".join(f"{row + 1:,}" for row in rows[:_SHOWN]), "record" if len(rows) == 1 else "records"
            more = ", ..." if len(rows) > _SHOWN else ""
            yield Fault(
                f"{len(rows):,} {records} without a value (record {first}{more}); write what is not known as a value of "
                "its own, such as 'unknown', or leave these records out",
                name,
            )


def _alike(microdata: Microdata, strata: Strata, swap: Collection[str], rest: Collection[str]) -> Iterator[Fault]:
    if len(strata.sizes) > _MOST_STRATA:
        yield Fault(f"there are {len(strata.sizes):,} strata, more than {_MOST_STRATA:,}; stratify by less", "stratify")
    elif swap and rest and strata.sizes.max() > 1:
        differ = [strata.different(combined(microdata, names)) > 1 for names in (swap, rest)]
        if not np.any(differ[0] & differ[1]):
            yield Fault(
                "in no stratum do records differ both in what is swapped and in the rest: nothing can be swapped, and "
                "nothing is promised; stratify by fewer attributes",
                "stratify",
            )


def _strange(name: str, stated: bool) -> Fault:
    told = "the plan names it, and the records have no such column" if stated else "the plan names no such column"
    return Fault(f"'{name}': {told}; make the plan from these records", "records")


def _other_sizes(strata: Strata, mechanism: Swapping) -> str:
    return (
        f"the records make {len(strata.sizes):,} strata, the largest of {int(strata.sizes.max()):,}, and the plan states "
        f"{len(mechanism.strata):,}, the largest of {max(mechanism.strata):,}: it was made for other records, and its "
        "budget is not that of these; make the plan from these records"
    )
