"""The sparse vector technique."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Relation, Shift
from accountant_selection.monotone import about_monotone, check_relation, check_shift, flag

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

_HUGE = 100
SPARSE_VECTOR = Theorem(
    "sparse-vector-loss",
    "Answers above or below a threshold until c are above, with Laplace noise once on the threshold and anew on each "
    "query, lose at most move/threshold_scale + 2 c move/query_scale; half of the second term if all queries move one way.",
    "accountant",
    "explanation/choosing-one-of-many",
    (
        "the noise on the threshold is drawn once and never shown",
        "fresh noise on every query, also after an answer above",
        "only above or below is released, and nothing after the last answer above",
    ),
    assurance="proved-here",
)


@frozen
class SparseVector(Mechanism):
    """Whether each query of a stream lies above a threshold, until so many do.

    Definition: the threshold gets Laplace noise once, every query gets Laplace noise of its own, and the stream ends after
    `cutoff` answers above. How many answers below there are does not matter.
    """

    kind: ClassVar[str] = "sparse-vector"
    theorem: ClassVar[Theorem] = SPARSE_VECTOR

    threshold_scale: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the scale of the noise on the threshold")
    )
    query_scale: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the scale of the noise on each query")
    )
    cutoff: int = field(
        converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("how many answers above end the stream")
    )
    monotone: bool = field(default=False, converter=flag, metadata=about_monotone("queries"))

    def check(self, relation: Relation) -> None:
        if self.monotone:
            check_relation(self.kind, relation)

    def scaled(self, factor: Fraction) -> SparseVector:
        return SparseVector(self.threshold_scale * factor, self.query_scale * factor, self.cutoff, self.monotone)

    def loss(self, shift: Shift) -> PrivacyLoss:
        """At most the worst case of its pure epsilon; at least what odd and even positions of the answers above tell.

        Where nearly all answers are below, the odds of each answer above to fall on an odd position change by a factor of
        e^apart between neighbours, whatever the threshold is. Of one release, some streams lose more where it matters.
        """
        from accountant_selection.stream_loss import StreamLoss
        from accountant_selection.stream_points import Streams

        if self.monotone:
            check_shift(self.kind, shift)
        apart = shift.linf * (1 if self.monotone else 2) / self.query_scale
        above = losses.ResponseLoss(shift.linf / self.threshold_scale + self.cutoff * apart)
        # One answer above that gives everything away is as good as several.
        told = 1 if apart > _HUGE else self.cutoff
        below = losses.compose([(losses.ResponseLoss(apart / 2), told)])
        if not shift.linf:
            return StreamLoss(above, below)
        threshold, query = self.threshold_scale / shift.linf, self.query_scale / shift.linf
        return StreamLoss(above, below, None, Streams(threshold, query, self.cutoff, self.monotone))
