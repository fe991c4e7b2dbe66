"""Where a ceiling on posterior risk decides: a largest ratio and a tolerated posterior, on a box of priors.

The tolerance is max{a/(p q), r}: no posterior up to a matters, and beyond it none may exceed r times its prior. Among
priors with the same product p q the surest of membership is the most dangerous, so the lower edge in q and the upper edge
in p decide. Along each the largest admissible epsilon falls while the posterior a is what is tolerated, and is monotone
after that, so that one point of each edge decides. Proofs are in docs/explanation/risk-profiles.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from attrs import frozen

from accountant import Interval, InvalidValue
from accountant_posterior.risk.bounds import Attackers, largest_epsilon
from accountant_posterior.semantics.odds import written

Range = tuple[Fraction, Fraction]
EVERY: Range = (Fraction(0), Fraction(1))


@frozen
class Corner:
    """A prior at which a profile may decide, and the ratio tolerated there. A prior of 0 stands for a limit."""

    membership: Fraction
    disclosure: Fraction
    ratio: Fraction


@frozen
class Binding:
    """The largest admissible epsilon, and the prior that decides it; None where nothing is asked."""

    epsilon: Interval
    corner: Corner | None = None


@frozen
class Box:
    """Priors between two probabilities of membership and two of disclosure. A lower end of 0 is a limit."""

    membership: Range = EVERY
    disclosure: Range = EVERY

    def holds(self, membership: Fraction, disclosure: Fraction) -> bool:
        """Whether the box contains a prior."""
        sides = (self.membership, membership), (self.disclosure, disclosure)
        return all(low <= value <= high and value > 0 for (low, high), value in sides)

    def seen(self, view: Attackers) -> Box | None:
        """The part of the box that a view asks about."""
        if not self.holds(view.membership or self.membership[1], view.disclosure or self.disclosure[1]):
            return None
        sides = [
            side if sure is None else (sure, sure)
            for side, sure in ((self.membership, view.membership), (self.disclosure, view.disclosure))
        ]
        return Box(*sides)


def corners(box: Box, ratio: Fraction, posterior: Fraction = Fraction(0)) -> Iterator[Corner]:
    """The two priors of a box of which one decides, whichever view it is seen in."""
    (least, most), (lowest, highest) = box.membership, box.disclosure
    if lowest or not posterior:
        membership = _within(posterior / (lowest * ratio), box.membership) if lowest else least
        yield Corner(membership, lowest, _tolerated(membership * lowest, ratio, posterior))
    disclosure = _within(posterior / (most * ratio), (lowest, highest))
    yield Corner(most, disclosure, _tolerated(most * disclosure, ratio, posterior))


def binding(found: Iterable[Corner], steps: int) -> Binding:
    """The corner that admits least."""
    admitted = [Binding(largest_epsilon(at.membership, at.disclosure, at.ratio, steps), at) for at in found]
    least = min(admitted, key=lambda item: (item.epsilon.lower, item.epsilon.upper), default=None)
    if least is None or least.epsilon.lower == float("inf"):
        return Binding(Interval.infinite())
    upper = min(item.epsilon.upper for item in admitted)
    return least if least.epsilon.upper == upper else Binding(Interval(least.epsilon.lower, upper), least.corner)


def _tolerated(prior: Fraction, ratio: Fraction, posterior: Fraction) -> Fraction:
    return max(posterior / prior, ratio) if prior else ratio


def _within(value: Fraction, ends: Range) -> Fraction:
    return min(max(value, ends[0]), ends[1])


def range_of(low: Fraction, high: Fraction, name: str) -> Range:
    """Two ends of a range of probabilities, or an error that names them."""
    if not 0 <= low <= high <= 1 or not high:
        raise InvalidValue(
            f"{name} must run between two probabilities, the second above 0, got {written(low)} and {written(high)}"
        )
    return low, high
