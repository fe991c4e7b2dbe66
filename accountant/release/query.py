"""Query: what a release computes, and how far that moves between neighbours."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import evolve, field, frozen

from accountant.display.brief import Brief
from accountant.errors import ShiftError
from accountant.fields import about, names, optional_text
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.promise.neighbours import Neighbours
from accountant.promise.theorem import Theorem
from accountant.values.family import Family, Kind

if TYPE_CHECKING:
    from accountant.promise.effect import Effect


@frozen
class Shift(Brief):
    """How far a query moves between the worst neighbours.

    `coordinates` is the worst move up to renaming of output cells and the sign of the whole, None where only norms are
    known. `placed` is the same move in the order of the answer, zeros included, where the query says it: only noise that
    is not independent asks. The squared L2 norm is kept instead of the norm because it is rational. The L1 norm is None
    where nothing bounds it, as for answers of any number of coordinates that are short in the L2 norm: `in_l1` says so, and
    `l1` refuses.

    `one_sided` says that of any two neighbours the same one has at least as much in every coordinate of every such answer.
    `unit` is how far a single unit moves where several differ, `units` of them: each may move the answer in the same way.

    `least` is a move that there is where no neighbours need reach the norms: what is lost is then between the two.

    `gathered` is known where several moves are possible and all are whole: each of them shares out what a coordinate of
    `gathered` moves among some coordinates of its own, or moves less. Noise that is log-concave loses most by it. It is
    itself possible where it has the norms of the shift.
    """

    _l1: Fraction | None
    l2_squared: Fraction
    linf: Fraction
    coordinates: tuple[Fraction, ...] | None = None
    placed: tuple[Fraction, ...] | None = None
    gathered: tuple[Fraction, ...] | None = None
    least: Shift | None = field(default=None, kw_only=True)
    one_sided: bool = field(default=False, eq=False, kw_only=True)
    unit: Shift | None = field(default=None, eq=False, kw_only=True)
    units: int = field(default=1, eq=False, kw_only=True)

    @classmethod
    def along(cls, coordinates: Iterable[ExactLike]) -> Shift:
        """The shift by a known vector; zero coordinates do not matter and are dropped."""
        moved = tuple(sorted((exact(value) for value in coordinates if exact(value)), key=lambda v: (-abs(v), -v)))
        sizes = [abs(value) for value in moved]
        return cls(
            sum(sizes, Fraction(0)),
            l2_squared=sum((size * size for size in sizes), Fraction(0)),
            linf=max(sizes, default=Fraction(0)),
            coordinates=moved,
        )

    @classmethod
    def at(cls, coordinates: Iterable[ExactLike]) -> Shift:
        """The shift by a known vector whose coordinates are those of the answer, in order."""
        placed = tuple(exact(value) for value in coordinates)
        return evolve(cls.along(placed), placed=placed)

    @classmethod
    def worst(cls, shifts: Iterable[Shift]) -> Shift:
        """The worst of several possible moves: one of them if all are the same up to sign, else only norms."""
        options = list(shifts)
        moves = {None if s.coordinates is None else _unsigned(s.coordinates) for s in options}
        if len(moves) == 1 and None not in moves:
            opposite = {
                option.placed and max(option.placed, tuple(-value for value in option.placed)) for option in options
            }
            return options[0] if len(opposite) == 1 else evolve(options[0], placed=None)
        known = [s.in_l1 for s in options]
        most = None if None in known else max(size for size in known if size is not None)
        return cls(
            most,
            max(s.l2_squared for s in options),
            max(s.linf for s in options),
            gathered=(most,) if most is not None and all(option.whole for option in options) else None,
            least=_longest(s.least or s for s in options) if any(s.least for s in options) else None,
        )

    def times(self, count: int) -> Shift:
        """The worst of so many such moves together, which may or may not hit the same coordinates."""
        if count == 1:
            return self
        most = None if self._l1 is None else self._l1 * count
        return Shift(
            most,
            self.l2_squared * count**2,
            self.linf * count,
            gathered=(most,) if most is not None and self.whole else None,
            least=self.least,
        )

    @property
    def in_l1(self) -> Fraction | None:
        """The L1 norm, None where nothing bounds it."""
        return self._l1

    @property
    def l1(self) -> Fraction:
        """The L1 norm; a ShiftError where nothing bounds it."""
        if self._l1 is None:
            raise ShiftError(
                "how far the query moves is known in the L2 norm only; use noise that needs no more, such as 'gaussian', "
                "or state the move of every coordinate as a 'vector'"
            )
        return self._l1

    @property
    def whole(self) -> bool:
        """Whether all moves are known to be by whole numbers. Norms alone do not tell."""
        known = self.gathered if self.coordinates is None else self.coordinates
        return known is not None and all(move.denominator == 1 for move in known)

    @property
    def heaviest(self) -> tuple[Fraction, ...] | None:
        """The possible move by which log-concave noise loses most, where one is known."""
        if self.coordinates is not None or self.gathered is None:
            return self.coordinates
        known = Shift.along(self.gathered)
        same = (known.in_l1, known.l2_squared, known.linf) == (self.in_l1, self.l2_squared, self.linf)
        return self.gathered if same else None

    @property
    def single(self) -> bool:
        """Whether the answer is known to be one number."""
        return self.placed is not None and len(self.placed) == 1

    @property
    def is_zero(self) -> bool:
        """Whether the query does not move at all."""
        return self.linf == 0

    def __str__(self) -> str:
        if self.is_zero:
            return "not at all"
        if self._l1 is None:
            return f"by at most {_root(self.l2_squared)} in the L2 norm"
        if self.coordinates is None:
            return f"by at most {plain(self.l1)} in the L1 norm and {plain(self.linf)} in any coordinate"
        return f"by ({', '.join(plain(value) for value in self.coordinates)})"


def _root(square: Fraction) -> str:
    """The square root of a number, written exactly."""
    over, under = math.isqrt(square.numerator), math.isqrt(square.denominator)
    return plain(Fraction(over, under)) if Fraction(over, under) ** 2 == square else f"sqrt({plain(square)})"


def _longest(shifts: Iterable[Shift]) -> Shift:
    """One of several moves, the longest: the largest norms of different ones are those of none of them."""
    return max(shifts, key=lambda shift: (shift.l2_squared, shift.linf))


def _unsigned(coordinates: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """One of a move and its opposite, the same whichever is given."""
    return max(tuple(sorted(coordinates)), tuple(sorted(-value for value in coordinates)))


STILL = Shift.along(())


@frozen
class Records(Brief):
    """What one record may add to an answer that is the sum of what its records add, whatever the others add.

    `vectors` are the extremes, up to renaming of output cells; `all_of_them` says that a record adds one of these and
    nothing between them.
    """

    vectors: tuple[tuple[Fraction, ...], ...]
    all_of_them: bool

    @property
    def ends(self) -> tuple[Fraction, Fraction] | None:
        """The least and the most that a record adds, where the answer is one number."""
        if any(len(vector) != 1 for vector in self.vectors):
            return None
        values = [vector[0] for vector in self.vectors]
        return min(values), max(values)

    @property
    def one_in_a_cell(self) -> bool:
        """Whether each record adds one to a cell of its own choice, among two or more."""
        ones = all(sorted(vector) == [0] * (len(vector) - 1) + [1] for vector in self.vectors)
        return ones and len(self.vectors) > 1 and len(set(self.vectors)) == len(self.vectors)


@frozen
class Query(Brief, metaclass=Kind):
    """What a release computes.

    `attributes` are those the answer depends on; None means that it may depend on everything.
    """

    kind: ClassVar[str]
    theorem: ClassVar[Theorem]
    instead: ClassVar[Mapping[str, str]] = {}
    """What to write for parameters that people expect here and that there are not, by name."""
    stated: ClassVar[bool] = False
    """Whether the plan says how far the query moves: then that holds between the plan's neighbours and no others."""

    attributes: frozenset[str] | None = field(
        default=None,
        converter=names,
        kw_only=True,
        metadata=about("the attributes of a record that the answer depends on; all when left out"),
    )
    of: str | None = field(
        default=None,
        converter=optional_text,
        kw_only=True,
        metadata=about("whose records it looks at, where these are not units but entities that the plan declares"),
    )

    def shift(self, neighbours: Neighbours) -> Shift:
        """The worst move between neighbours; zero when none of the attributes that may differ is involved."""
        seen = neighbours if self.stated else self._change(neighbours).seen
        if seen is None or not seen.affects(self.attributes):
            return STILL
        shift = self._shift(seen)
        if neighbours.group == 1 or self.stated:
            return shift
        return evolve(shift, unit=self._shift(evolve(seen, group=1)), units=neighbours.group)

    def _change(self, neighbours: Neighbours) -> Effect:
        """What a step does to the records that the query looks at."""
        from accountant.promise.effect import Effect

        return Effect(neighbours, self.of or neighbours.unit, self.attributes)

    def check_plain(self, neighbours: Neighbours, what: str) -> None:
        """Refuse what is only known where one unit is one record: a ShiftError with what to do."""
        if not self.stated and not self._change(neighbours).plain:
            raise ShiftError(
                f"the {self.kind} looks at more than the record of one {neighbours.unit}, and {what} is accounted for "
                "where a unit is one record; leave one of both out"
            )

    def records(self) -> Records | None:
        """What one record may add to the answer; None where the answer is no sum over records, or it is not said."""
        return None

    @abstractmethod
    def _shift(self, neighbours: Neighbours) -> Shift:
        """The worst move, given that some attribute involved may differ."""


QUERIES: Family[type[Query]] = Family(
    "accountant_queries", "query", Query, classes=True, named_by="kind", cites=("theorem",)
)
