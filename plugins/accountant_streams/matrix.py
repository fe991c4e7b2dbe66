"""Matrix mechanisms: given combinations of a stream of answers, each with Gaussian noise."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import Attribute, field, frozen

from accountant import InvalidValue, Theorem, fields
from accountant.plugin import Shift
from accountant_streams.stream import ASSUMPTIONS, Ends, Stream

if TYPE_CHECKING:
    from accountant_streams.patterns import Numbers

Rows = tuple[tuple[Fraction, ...], ...]

MATRIX = Theorem(
    "matrix-stream-loss",
    "Combinations C x of a stream x with Gaussian noise of standard deviation sigma have a Gaussian loss with mu at most "
    "|d| S/sigma, d the shift of one step in the L2 norm and S^2 the largest sum of |(C'C)_ij| over steps i and j of a "
    "participation pattern; at least the largest s'C'Cs over patterns and signs s is attained.",
    "accountant",
    "explanation/streams",
    ASSUMPTIONS,
    "proved-here",
)

_MOST_ENTRIES = 2**20
_LONGEST_DENOMINATOR = 4096
# Just above pi/2: what contributions in many directions can gain over contributions along one line.
_DIRECTIONS = Fraction(355, 226)


def _check_strategy(instance: object, attribute: Attribute[Any] | None, rows: Rows) -> None:
    if not rows or not rows[0]:
        raise InvalidValue("a strategy needs at least one row and one step; give rows such as [[1, 0], [1, 1]]")
    for index, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InvalidValue(
                f"row {index} has another length than row 1 ({len(row)} and {len(rows[0])}); "
                "give every step a number in every row, 0 where it does not enter"
            )
    if len(rows) * len(rows[0]) > _MOST_ENTRIES:
        raise InvalidValue(f"a strategy of {len(rows)} rows and {len(rows[0])} steps is too large to account for exactly")
    if _denominator(rows).bit_length() > _LONGEST_DENOMINATOR:
        raise InvalidValue("the entries have no common denominator of a usable size; write them as decimals")


def _denominator(rows: Rows) -> int:
    common = 1
    for value in {entry.denominator for row in rows for entry in row}:
        common = math.lcm(common, value)
        if common.bit_length() > _LONGEST_DENOMINATOR:
            break
    return common


@frozen
class Matrix(Stream):
    """Combinations of a stream of answers, written out as a matrix, each with Gaussian noise.

    Definition: the rows of C x + z, and whatever is computed from them; column t of C holds the weights of the answer at
    step t, and z has independent N(0, sigma^2) in every row and coordinate.
    """

    kind: ClassVar[str] = "matrix"
    theorem: ClassVar[Theorem] = MATRIX

    strategy: Rows = field(
        converter=fields.exact_table,
        validator=_check_strategy,
        metadata=fields.about("the matrix C: one row for every published combination, one column for every step"),
    )

    def sensitivity_squared(self) -> Ends:
        return _sensitivity_squared(self.strategy, self.participations, self.separation)

    def moved_squared(self, shift: Shift) -> Ends:
        one_sided = shift.one_sided and (shift.single or _any_cell(shift))
        return _sensitivity_squared(self.strategy, self.participations, self.separation, shift.single, one_sided)


def _any_cell(shift: Shift) -> bool:
    """Whether a step moves one cell of the answer, and may move any."""
    return shift.placed is None and shift.coordinates is not None and len(shift.coordinates) == 1


@lru_cache(maxsize=16)
def _sensitivity_squared(
    rows: Rows, participations: int, separation: int, single: bool = False, one_sided: bool = False
) -> Ends:
    """Both ends for a strategy. Calibration asks for the same strategy again and again.

    A `single` number has only signs, and where it is `one_sided` only one. More numbers have directions; where any one of
    them rises, and no other, steps move alike or have nothing in common.
    """
    denominator = _denominator(rows)
    columns = list(zip(*([int(entry * denominator) for entry in row] for row in rows), strict=True))
    participations = min(participations, -(-len(columns) // separation))
    unit = Fraction(1, denominator**2)
    if participations == 1:
        largest = max(sum(map(mul, column, column)) for column in columns)
        return Ends(largest * unit, largest * unit)
    from accountant_streams.patterns import enclosed, raised

    gram = _gram(columns, participations, separation)
    along = aligned = (raised if one_sided else enclosed)(gram, participations, separation)
    if not single and (gram < 0).any():
        aligned = enclosed(gram * (gram > 0) if one_sided else abs(gram), participations, separation)
    if one_sided and not single:
        # Steps may also count in a cell of their own each, where they do not meet.
        apart = enclosed(_alone(gram), participations, separation)
        return Ends(max(along[0], apart[0]) * unit, aligned[1] * unit)
    if single:
        return Ends(along[0] * unit, along[1] * unit)
    return Ends(along[0] * unit, min(aligned[1] * unit, along[1] * unit * _DIRECTIONS))


def _alone(gram: Numbers) -> Numbers:
    """The inner products of columns with themselves only."""
    kept = gram * 0
    for step, norm in enumerate(gram.diagonal()):
        kept[step, step] = norm
    return kept


def _gram(columns: list[tuple[int, ...]], participations: int, separation: int) -> Numbers:
    """The inner products of columns that one pattern may contain, and zeros."""
    from accountant_streams.patterns import zeros

    steps = range(len(columns))
    norms = [sum(map(mul, column, column)) for column in columns]
    found = zeros(len(columns), participations, max(norms))
    ranges = [_range(column) for column in columns]
    for i in steps:
        found[i, i] = norms[i]
        for j in steps[i + separation :]:
            low, high = max(ranges[i][0], ranges[j][0]), min(ranges[i][1], ranges[j][1])
            found[i, j] = found[j, i] = sum(map(mul, columns[i][low:high], columns[j][low:high]))
    return found


def _range(column: tuple[int, ...]) -> tuple[int, int]:
    """The rows from the first to the last that is not zero."""
    places = [place for place, entry in enumerate(column) if entry]
    return (places[0], places[-1] + 1) if places else (0, 0)
