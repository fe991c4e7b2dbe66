"""Recomputed: what a certificate says in numbers, and whether other numbers for the same show it.

A certified interval says two things: the truth is not below its lower end, and not above its upper one. Whoever encloses
the same truth in an interval that lies inside shows both, whatever digits were computed elsewhere. All that is not an end
of an interval is either equal or wrong.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import attrs
from attrs import frozen

from accountant.certificate.contents import CertifiedStep, Contents, Enclosure
from accountant.certificate.data import THE_REST, write
from accountant.certificate.differences import differences
from accountant.certificate.findings import DIGITS
from accountant.errors import CertificateError, Fault, InvalidValue
from accountant.numbers.exact import exact, plain
from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Verdict

Number = Fraction | float
"""A finite number, or infinity."""


@frozen
class Recomputed:
    """An interval that a certificate states, beside the one that was found for the same."""

    place: str
    stated: Enclosure
    found: Enclosure

    @property
    def equal(self) -> bool:
        """Whether every digit is the same."""
        return self.stated == self.found

    def fault(self) -> Fault | None:
        """Why nothing can show what is stated: it is of another kind than what was found, or refuted by it."""
        said, found = self.stated, self.found
        if said.exact != found.exact:
            return Fault(f"says {said.exact}, recomputed {found.exact}", f"{self.place}.exact")
        for name in ("lower", "upper"):
            text, here = getattr(said, name), getattr(found, name)
            if text != here and (found.exact is not None or not _spelt(text) or _says_nothing(text) or _says_nothing(here)):
                return Fault(f"says {text}, recomputed {here}", f"{self.place}.{name}")
        if number(said.upper) < max(number(found.lower), number(said.lower)):
            return Fault(f"says {said.upper} or less, recomputed {found.lower} or more", f"{self.place}.upper")
        if number(said.lower) > number(found.upper):
            return Fault(f"says {said.lower} or more, recomputed {found.upper} or less", f"{self.place}.lower")
        return None

    def unshown(self, known: KnownEnds, precision: Fraction | None = None) -> Iterator[Fault]:
        """The ends that what is known does not show, with the precision that was tried."""
        (low, high), tried = known.ends, "" if precision is None else f" at the precision {plain(precision)}"
        if number(low) < number(self.stated.lower):
            yield Fault(f"says {self.stated.lower} or more, recomputed {low} or more{tried}", f"{self.place}.lower")
        if number(high) > number(self.stated.upper):
            yield Fault(f"says {self.stated.upper} or less, recomputed {high} or less{tried}", f"{self.place}.upper")


@frozen
class KnownEnds:
    """What was found so far for one place: every enclosure of it holds, and so does what they say together."""

    ends: tuple[str, str]

    @classmethod
    def of(cls, found: Enclosure) -> KnownEnds:
        """What one enclosure says."""
        return cls((found.lower, found.upper))

    def together(self, found: Enclosure) -> KnownEnds:
        """What this and one more enclosure say; refused where no number is in both, since then one of them is wrong."""
        low, high = max(self.ends[0], found.lower, key=number), min(self.ends[1], found.upper, key=number)
        if number(low) > number(high):
            raise CertificateError(f"two computations contradict each other: at least {low}, and at most {high}")
        return KnownEnds((low, high))

    @property
    def precision(self) -> Fraction:
        """A power of ten that the relative distance of the ends is not below; that of ten figures where they are equal."""
        low, high = (float(number(end)) for end in self.ends)
        width = (high - low) / high if 0 < high < math.inf else 1.0
        return Fraction(10) ** math.floor(math.log10(max(width, 10.0**-DIGITS)))


def number(text: str) -> Number:
    """An end of a certified interval."""
    return math.inf if text == "inf" else exact(text)


def _spelt(text: str) -> bool:
    """Whether an end is written as certificates write it: there is one way to write each."""
    try:
        return text == "inf" or Interval.of(text).rounded(DIGITS) == (text, text)
    except (InvalidValue, OverflowError):
        return False


def _says_nothing(text: str) -> bool:
    """Whether an end is no bound: last digits do not make one of it."""
    return text == "inf" or number(text) <= 0


def recomputed(place: str, stated: Any, found: Any) -> Iterator[Recomputed | Fault]:
    """Every interval in what is stated beside the one that was found, and every difference in all that is no interval."""
    if isinstance(found, Enclosure) and type(stated) is type(found):
        yield Recomputed(place, stated, found)
    elif isinstance(found, tuple) and isinstance(stated, tuple):
        if len(stated) != len(found):
            yield Fault(f"has {len(stated)} items, recomputed {len(found)}", place)
        for index, (left, right) in enumerate(zip(stated, found, strict=False)):
            yield from recomputed(f"{place}[{index}]", left, right)
        return
    elif not (attrs.has(type(found)) and type(stated) is type(found)):
        yield from _plain(place, stated, found)
        return
    for member in attrs.fields(type(found)):
        if isinstance(found, Enclosure) and member.name in _ENDS:
            continue
        inside = place if THE_REST in member.metadata else f"{place}.{member.name}"
        yield from recomputed(inside, getattr(stated, member.name), getattr(found, member.name))


_ENDS = ("lower", "upper", "exact")


def _plain(place: str, stated: Any, found: Any) -> Iterator[Fault]:
    if (stated is None) is not (found is None):
        yield Fault("missing" if stated is None else "should not be there", place)
    else:
        yield from differences(place, write(stated), write(found))


def narrowed(place: str, found: Any, finer: Any) -> Iterator[tuple[str, Enclosure]]:
    """The intervals of a finer computation by the places of a coarser one, where both are of the same.

    Steps of a derivation are the same where they state the same by the same theorem, whatever their number.
    """
    if isinstance(found, Enclosure) and type(finer) is type(found):
        if attrs.evolve(finer, lower=found.lower, upper=found.upper, exact=found.exact) == found:
            yield place, finer
    elif isinstance(found, tuple) and isinstance(finer, tuple):
        for index, left, right in _paired(found, finer):
            yield from narrowed(f"{place}[{index}]", left, right)
    elif attrs.has(type(found)) and type(finer) is type(found):
        for member in attrs.fields(type(found)):
            yield from narrowed(f"{place}.{member.name}", getattr(found, member.name), getattr(finer, member.name))


def _paired(found: tuple[Any, ...], finer: tuple[Any, ...]) -> Iterator[tuple[int, Any, Any]]:
    if not (found and isinstance(found[0], CertifiedStep)):
        if len(found) == len(finer):
            yield from ((index, left, right) for index, (left, right) in enumerate(zip(found, finer, strict=True)))
        return
    ours, theirs = _by_meaning(found), _by_meaning(finer)
    for meaning, places in ours.items():
        # Where one of two is missing, nobody can say which.
        if len(places) == len(theirs[meaning]):
            yield from ((left, found[left], finer[right]) for left, right in zip(places, theirs[meaning], strict=True))


def _by_meaning(steps: tuple[CertifiedStep, ...]) -> defaultdict[tuple[str, str], list[int]]:
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for index, step in enumerate(steps):
        places[step.statement, step.theorem.name].append(index)
    return places


@frozen
class Held:
    """A certified number that is held to a limit, an interval or a number; the verdict on it stands at a place."""

    place: str
    value: Enclosure
    limit: Enclosure | str


def unsupported(stated: Iterable[Held], found: Iterable[Held]) -> Iterator[Fault]:
    """Verdicts that are right and that the certificate's own numbers do not show any more.

    Both say the same in all that is no end of an interval.
    """
    for said, known in zip(stated, found, strict=True):
        value, limit, here, same = map(_value, (said.value, said.limit, known.value, known.limit))
        kept = here.upper_is_at_most(same) and not value.upper_is_at_most(limit)
        if kept or (here.lower_is_above(same) and not value.lower_is_above(limit)):
            yield Fault("is not what the numbers of the certificate show", f"{said.place}.verdict")


@frozen
class _Value:
    lower: Number
    upper: Number

    def upper_is_at_most(self, limit: _Value) -> bool:
        return self.upper <= limit.lower

    def lower_is_above(self, limit: _Value) -> bool:
        return self.lower > limit.upper


def held(says: Contents) -> Iterator[Held]:
    """Everything that a certificate decides by comparing what was found with what was asked for."""
    for index, budget in enumerate(says.budgets):
        yield Held(f"certificate.budgets[{index}]", budget.guarantee.value, budget.limit)
    for index, known in enumerate(says.public):
        for place, relative in enumerate(known.budgets):
            if relative.guarantee is not None and relative.verdict is not Verdict.VACUOUS:
                value = relative.guarantee.value
                yield Held(f"certificate.public[{index}].budgets[{place}]", value, str(relative.parameter[value.name]))
    for index, risk in enumerate(says.risks):
        yield Held(f"certificate.risks[{index}]", risk.found.value, risk.admissible)


def _value(found: Enclosure | str) -> _Value:
    if isinstance(found, str):
        return _Value(number(found), number(found))
    return _Value(number(found.lower), number(found.upper)) if found.exact is None else _value(found.exact)
