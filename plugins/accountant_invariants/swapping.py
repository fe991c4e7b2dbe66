"""Swapping: records that exchange the values of some attributes within strata, as in the censuses of the United States."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import Attribute, evolve, field, frozen

from accountant import Interval, InvalidValue, Invariant, ShiftError, Theorem, fields, loss as losses
from accountant.numbers import larger
from accountant.plugin import Mechanism, Shift
from accountant_invariants.versions import Single, Version

if TYPE_CHECKING:
    from accountant import Cohort
    from accountant.loss import PrivacyLoss
    from accountant_invariants.stratum import Stratum

SWAPPING = Theorem(
    "swapping-loss",
    "Between datasets that agree on the two tables that swapping keeps, chances differ by at most a factor of e^epsilon "
    "for each record in which they differ; in a stratum, the pair of two exchanged values dominates those that differ in "
    "two records.",
    "accountant",
    "explanation/swapping",
    (
        "only datasets that agree on the counts by what stratifies and what is swapped, and by what stratifies and the "
        "rest, are compared",
        "records are selected independently, with the same chance, and the strata have the stated sizes",
    ),
    "proved-here",
    relations=("replace-one",),
    exactly=("both tables that swapping keeps",),
)

TARGETED = (
    "'rate' is one number for all, and rare records cannot be selected more often: who is rare depends on the values that "
    "are swapped, so that the selection itself tells datasets apart, and no budget is known; stratify by fewer attributes, "
    "or raise the rate"
)
_LARGEST = 10**10
_LARGEST_EXCHANGE = 10**6
"""The largest stratum whose permutations are counted one number of moved records at a time."""
_MOST_RECORDS = 50_000
_NAMES = {"type": "array", "items": {"type": "string", "pattern": r"\S"}}
_Validator = Callable[[object, "Attribute[str] | None", object], None]


def _sizes(value: Iterable[object]) -> tuple[int, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list of sizes, got {value!r}; give whole numbers such as [12, 7, 7]")
    sizes = tuple(fields.whole(size) for size in value)  # type: ignore[arg-type]
    for place, size in enumerate(sizes, start=1):
        if not 1 <= size <= _LARGEST:
            raise InvalidValue(f"size {place}: a stratum has 1 to {_LARGEST:,} records, got {size}")
    if not sizes:
        raise InvalidValue("expected at least one stratum; give the sizes of all, such as [12, 7, 7]")
    if max(sizes) == 1:
        raise InvalidValue(
            "every stratum has one record, so nothing can be swapped and no two datasets are compared: nothing is "
            "promised; stratify by fewer attributes"
        )
    return sizes


def _rarest(value: Iterable[object] | None) -> tuple[tuple[int, ...], ...] | None:
    """For each stratum one to three counts, the smallest first."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list of counts for each stratum, got {value!r}; such as [[1, 1, 2], [3, 4]]")
    found = []
    for place, counts in enumerate(value, start=1):
        if isinstance(counts, (str, bytes, Mapping)) or not isinstance(counts, Iterable):
            raise InvalidValue(f"stratum {place}: expected a list of counts, got {counts!r}; such as [1, 1, 2]")
        told = tuple(fields.whole(count) for count in counts)
        if not 1 <= len(told) <= 3 or min(told) < 1 or list(told) != sorted(told):
            raise InvalidValue(
                f"stratum {place}: expected one to three counts from 1 on, the smallest first, got {[*told]}"
            )
        found.append(told)
    return tuple(found)


def _attributes(value: Iterable[str] | None) -> frozenset[str]:
    found = fields.names(value)
    if found is None:
        raise InvalidValue("expected a list of names")
    return found


def _one_of(*words: str) -> _Validator:
    def check(instance: object, attribute: Attribute[str] | None, value: object) -> None:
        if value not in words:
            raise InvalidValue(f"expected {' or '.join(repr(word) for word in words)}, got {value!r}")

    return check


@frozen
class Swapping(Mechanism):
    """Records that agree on some attributes exchange their values of others at random.

    Definition: in each stratum, the records that agree on `stratify`, each record is selected with chance `rate`. The
    values of `swap` of those selected are permuted: at random, or so that none stays in place. The whole table is published
    after that, so the counts by `stratify` and `swap`, and by `stratify` and `rest`, are as they were.
    Guarantee: the loss dominates every pair of datasets that agree on these counts and differ in as many records as the
    shift moves.
    """

    kind: ClassVar[str] = "swapping"
    theorem: ClassVar[Theorem] = SWAPPING
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)
    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("rates", "risk", "target", "targeted", "targeting", "unique", "uniqueness"), TARGETED
    )

    rate: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("the chance that a record is selected"),
    )
    strata: tuple[int, ...] = field(
        converter=_sizes,
        metadata=fields.about(
            "the number of records in each stratum",
            schema={"type": "array", "minItems": 1, "items": {"type": ["integer", "string"]}},
        ),
    )
    stratify: frozenset[str] = field(
        converter=_attributes,
        metadata=fields.about("the attributes on which records of a stratum agree; an empty list for one stratum", _NAMES),
    )
    swap: frozenset[str] = field(
        converter=_attributes, metadata=fields.about("the attributes whose values are exchanged", _NAMES)
    )
    rest: frozenset[str] = field(
        converter=_attributes, metadata=fields.about("all other attributes, whose values stay with the record", _NAMES)
    )
    version: Version = field(
        validator=_one_of("permute", "derange"),
        metadata=fields.about(
            "'permute' for any permutation of the records selected, 'derange' for those that leave none in place",
            schema={"type": "string", "enum": ["permute", "derange"]},
        ),
    )
    single: Single = field(
        default="redraw",
        validator=_one_of("redraw", "keep"),
        metadata=fields.about(
            "what happens when just one record is to be deranged: 'redraw' the selection, or 'keep' the record in place",
            schema={"type": "string", "enum": ["redraw", "keep"]},
        ),
    )

    rarest: tuple[tuple[int, ...], ...] | None = field(
        default=None,
        converter=_rarest,
        metadata=fields.about(
            "for each stratum how often the three rarest values come, of what is swapped or of the rest, all where there "
            "are fewer; left out, values may all be distinct",
            schema={"type": "array", "items": {"type": "array", "items": {"type": ["integer", "string"]}}},
        ),
    )

    def __attrs_post_init__(self) -> None:
        self._check_rarest()
        groups = {"stratify": self.stratify, "swap": self.swap, "rest": self.rest}
        for name in ("swap", "rest"):
            if not groups[name]:
                raise InvalidValue(f"'{name}' has no attributes, so swapping changes nothing that is published")
        for first, second in itertools.combinations(groups, 2):
            if shared := sorted(groups[first] & groups[second]):
                raise InvalidValue(f"'{shared[0]}' is in '{first}' and in '{second}'; each attribute has one part")
        if self.version == "permute" and self.single != "redraw":
            raise InvalidValue("a single record can be permuted; leave 'single' out, it is about deranging")

    def _check_rarest(self) -> None:
        if self.rarest is None:
            return
        if len(self.rarest) != len(self.strata):
            raise InvalidValue(f"'rarest' speaks of {len(self.rarest):,} strata, and there are {len(self.strata):,}")
        for place, (size, counts) in enumerate(zip(self.strata, self.rarest, strict=True), start=1):
            if sum(counts) > size or (len(counts) < 3 and sum(counts) != size):
                raise InvalidValue(
                    f"stratum {place}: {size:,} records have values that come {[*counts]} times; name the three rarest, or "
                    "all where there are fewer"
                )
        if all(len(counts) == 1 for counts in self.rarest):
            raise InvalidValue("in every stratum all values are equal: nothing can be swapped, and nothing is promised")

    def publishes(self) -> tuple[Invariant, ...]:
        """The two tables that swapping keeps."""
        kept = (self.stratify | self.swap, self.stratify | self.rest)
        return tuple(Invariant(f"counts by {', '.join(sorted(names))}", names) for names in kept)

    def among(self, cohort: Cohort) -> Mechanism | None:
        """The same in those strata only that have as many records as the cells of the cohort; None if it names others."""
        if cohort.values is not None or cohort.by != self.stratify:
            return None
        kept = [place for place, size in enumerate(self.strata) if size > 1 and cohort.holds(size)]
        if not kept:
            raise InvalidValue(f"no stratum of two records or more has {cohort.size}, so that no two datasets are compared")
        rarest = None if self.rarest is None else [self.rarest[place] for place in kept]
        return evolve(self, strata=[self.strata[place] for place in kept], rarest=rarest)

    @property
    def epsilons(self) -> dict[int, Interval]:
        """The budget for each record in which datasets differ, by the size of the stratum that they differ in."""
        found: dict[int, Interval] = {}
        for stratum in self._strata():
            found[stratum.size] = larger((stratum.epsilon, found.get(stratum.size, Interval.of(0))))
        return found

    @property
    def epsilon(self) -> Interval:
        """The budget for each record in which datasets differ, in the worst stratum."""
        return larger(self.epsilons.values())

    @property
    def apiece(self) -> Interval:
        """The same, for certificates."""
        return self.epsilon

    @property
    def pair(self) -> Interval:
        """The budget for two records that exchange their values: what the closest datasets that are compared differ in."""
        if self.rate in (0, 1):
            return self.epsilon
        return larger(stratum.reach(2) for stratum in self._strata())

    def _strata(self) -> list[Stratum]:
        """One stratum of each kind in which datasets can differ, from the smallest to the largest."""
        from accountant_invariants.stratum import Stratum

        if self.rarest is None:
            sizes = sorted(set(self.strata) - {1})
            return [Stratum(size, self.rate, self.version, self.single) for size in sizes]
        kinds = sorted({(size, counts) for size, counts in zip(self.strata, self.rarest, strict=True) if len(counts) > 1})
        return [Stratum(size, self.rate, self.version, self.single, counts) for size, counts in kinds]

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.l1 < 2:
            raise ShiftError(
                "datasets that agree on the tables that swapping keeps differ in at least two records; "
                "set group = 2 in the specification"
            )
        units = math.floor(shift.l1)
        if self.rate == 0:
            return losses.TOTAL_LOSS
        if self.rate == 1:
            return losses.NO_LOSS if self.version == "permute" else self._everyone(units)
        return self._two() if units == 2 else self._several(units)

    def _everyone(self, units: int) -> PrivacyLoss:
        """All records are deranged: whoever is in place again shows that the dataset was another one."""
        smallest = self._strata()[0].size
        low, high = (losses.FiniteLoss([(m, 0), (0, m), (1 - m, 1 - m)]) for m in _revealed(smallest))
        if self.rarest is not None:
            return losses.BracketLoss(high if units == 2 else losses.TOTAL_LOSS, losses.NO_LOSS)
        if units == 2 and low == high:
            return low
        return losses.BracketLoss(high if units == 2 else losses.TOTAL_LOSS, low)

    def _two(self) -> PrivacyLoss:
        """Datasets that differ in two records: two values of one stratum are exchanged."""
        from accountant_invariants.exchange import ExchangeLoss, LargestLoss, envelope

        strata = self._strata()
        if strata[-1].size > _LARGEST_EXCHANGE:
            return self._two_of_many(strata)
        if self.rarest is not None:
            # Distinct values lose more, whichever is read; the largest loss is known better.
            distinct = evolve(self, strata=tuple(stratum.size for stratum in strata), rarest=None)
            return LargestLoss(distinct._two(), losses.NO_LOSS, largest=self.pair)
        if len(strata) == 1 or self.version == "permute":
            # Who permutes a larger stratum can forget a record, and has permuted a smaller one.
            return ExchangeLoss(strata[-1])
        worst = max(strata, key=lambda stratum: stratum.reach(2).upper)
        if sum(stratum.size for stratum in strata) <= _MOST_RECORDS:
            return losses.BracketLoss(envelope(strata), ExchangeLoss(worst))
        return losses.BracketLoss(self._most(2), ExchangeLoss(worst))

    def _two_of_many(self, strata: list[Stratum]) -> PrivacyLoss:
        """The same where a stratum is too large to be counted through: its largest loss is known, from above all of it."""
        from accountant_invariants.exchange import LargestLoss

        worst = max(strata, key=lambda stratum: stratum.reach(2).upper)
        return LargestLoss(self._most(2), self._least(worst), largest=self.pair)

    def _least(self, stratum: Stratum) -> PrivacyLoss:
        """What an exchange in a stratum loses at least; where values come again that is not known."""
        from accountant_invariants.exchange import ExchangeLoss

        if stratum.rarest is not None:
            return losses.NO_LOSS
        if stratum.size <= _LARGEST_EXCHANGE:
            return ExchangeLoss(stratum)
        # A smaller stratum loses no more where records are permuted; of deranging that is not known.
        return ExchangeLoss(evolve(stratum, size=_MOST_RECORDS)) if self.version == "permute" else losses.NO_LOSS

    def _several(self, units: int) -> PrivacyLoss:
        """Datasets that differ in more: at worst all of them in one stratum, at least two in each of several."""
        left, numbers, exchanges = units // 2, Counter(self.strata), []
        for stratum in sorted(self._strata(), key=lambda stratum: -stratum.reach(2).upper):
            taken = min(left, numbers[stratum.size])
            left -= taken
            if taken:
                exchanges.append((self._least(stratum), taken))
        return losses.BracketLoss(self._most(units), losses.compose(exchanges))

    def _most(self, units: int) -> PrivacyLoss:
        """The worst case. Two or three records that differ are in one stratum."""
        most = larger(stratum.reach(units) for stratum in self._strata()) if units <= 3 else self.epsilon.times(units)
        return losses.ResponseLoss(Fraction(most.upper))


def _revealed(size: int) -> tuple[Fraction, Fraction]:
    """The chance that a derangement, after two values are exchanged, is none: 1/(b - 1) + d_(b-1)/d_b."""
    from accountant_invariants.derangements import derangements_over

    if size == 2:
        return Fraction(1), Fraction(1)
    low, high = derangements_over(size)
    return Fraction(1, size - 1) + 1 / high, Fraction(1, size - 1) + 1 / low
