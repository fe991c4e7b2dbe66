"""A mechanism given as a table of exact probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant.errors import InvalidValue
from accountant.fields import about, exact_table
from accountant.numbers.exact import ExactLike, plain
from accountant.promise.theorem import Theorem
from accountant.release.query import Shift
from accountant.release.release import Mechanism

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.finite.mechanism import FiniteMechanism
    from accountant.loss import Floats, PrivacyLoss

FINITE_TABLE = Theorem(
    name="finite-table",
    statement=(
        "When each row is the exact law of the output given one answer of the query, the concave hull of the "
        "most powerful tests between all pairs of rows belongs to the smallest pair that dominates them."
    ),
    key="accountant",
    locator="explanation/one-loss",
    assurance="proved-here",
)

_LARGEST = 2**15
_MOST_CONTRASTS = 64
_SHAPE = 'give rows such as [["2/3", "1/3"], ["1/3", "2/3"]]'


def probability_rows(value: Iterable[Iterable[ExactLike]]) -> tuple[tuple[Fraction, ...], ...]:
    """A list of at least two rows of exact probabilities, equally long, each summing to exactly 1."""
    rows = exact_table(value) or ()
    for index, row in enumerate(rows, start=1):
        _check(row, index)
    if len(rows) < 2:
        raise InvalidValue(f"a table needs at least two rows, one per answer of the query, got {len(rows)}; {_SHAPE}")
    if len(rows) ** 2 * len(rows[0]) > _LARGEST:
        raise InvalidValue(f"a table of {len(rows)} rows and {len(rows[0])} columns is too large to compare exactly")
    for index, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InvalidValue(
                f"row {index} has another length than row 1 ({len(row)} and {len(rows[0])}); "
                "give every output a probability in every row, 0 where it cannot happen"
            )
    return rows


def _check(row: tuple[Fraction, ...], index: int) -> None:
    for place, number in enumerate(row, start=1):
        if number < 0:
            raise InvalidValue(f"row {index}, entry {place}: a probability cannot be negative, got {plain(number)}")
    total = sum(row, Fraction(0))
    if total != 1:
        raise InvalidValue(f"row {index}: probabilities must sum to exactly 1, got {plain(total)}; write thirds as '1/3'")


def rows_loss(rows: Iterable[tuple[Fraction, ...]]) -> PrivacyLoss:
    """The loss of laws on the same outputs any two of which may be compared, in either order."""
    from accountant.finite.domination import one_of
    from accountant.finite.pair import Pair

    return one_of(Pair(zip(first, second, strict=True)) for first, second in combinations(rows, 2))


@frozen
class TableMechanism(Mechanism):
    """A mechanism whose output law is written out for each answer of its query.

    Definition: row i holds the probabilities of the outputs when the query has its i-th answer.
    Guarantee: the loss dominates any two rows in both directions, exactly, and lower ends belong to two rows. The table
    does not say which answers are neighbours, so all are compared and the shift of the query is not used.
    """

    kind: ClassVar[str] = "table"
    theorem: ClassVar[Theorem] = FINITE_TABLE
    needs_query: ClassVar[bool] = False

    rows: tuple[tuple[Fraction, ...], ...] = field(
        converter=probability_rows,
        metadata=about(
            "one row per answer of the query: the exact probabilities of the outputs",
            schema={"type": "array", "minItems": 2, "items": {"type": "array", "items": {"type": ["string", "number"]}}},
        ),
    )

    @classmethod
    def of(cls, mechanism: FiniteMechanism) -> TableMechanism:
        """The table of a finite mechanism, one row per dataset and one column per output."""
        outputs, none = mechanism.outputs, Fraction(0)
        return cls([[law.get(output, none) for output in outputs] for law in mechanism.laws.values()])

    @property
    def mechanism(self) -> FiniteMechanism:
        """The same table with rows and columns numbered from 1."""
        from accountant.finite.mechanism import FiniteMechanism

        return FiniteMechanism({index: dict(enumerate(row, start=1)) for index, row in enumerate(self.rows, start=1)})

    def loss(self, shift: Shift) -> PrivacyLoss:
        return rows_loss(self.rows)

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        from accountant.loss import FiniteLoss

        return tuple(FiniteLoss(zip(first, second, strict=True)) for first, second in permutations(self.rows, 2))

    def contrasts(self, shift: Shift) -> list[tuple[Floats, Floats]]:
        """The rows that are farthest apart in total variation, two by two, by their numbers from 0."""
        import numpy as np

        rows = self._floats()
        pairs = sorted(permutations(range(len(rows)), 2), key=lambda pair: -np.sum(abs(rows[pair[0]] - rows[pair[1]])))
        return [(np.array([float(left)]), np.array([float(right)])) for left, right in pairs[:_MOST_CONTRASTS]]

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        import numpy as np

        sums = np.cumsum(self._floats(), axis=1)
        sums /= sums[:, -1:]  # exactly 1 from the last output on that can happen
        places, outputs = generator.random(len(answers)), np.empty(len(answers))
        for row in np.unique(answers[:, 0]):
            here = answers[:, 0] == row
            outputs[here] = np.searchsorted(sums[int(row)], places[here], "right")
        return outputs

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        import numpy as np

        rows = self._floats()
        ratios: Floats = (np.log(rows[int(second[0])]) - np.log(rows[int(first[0])]))[outputs[:, 0].astype(int)]
        return ratios

    def _floats(self) -> Floats:
        import numpy as np

        return np.array([[float(chance) for chance in row] for row in self.rows])
