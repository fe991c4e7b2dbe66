"""The loss of a mechanism that is drawn from several by chances that do not depend on the data.

Let part i be the pair (P_i, Q_i), drawn with chance c_i under both laws. If it is known which part was drawn, the loss is
that part's, and the law of the loss is the mixture of the parts' laws: masses, moments and deltas are weighted sums. If it
is not known, the pair is a post-processing of this one. See docs/reference/mechanisms/mixture.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant.errors import InvalidValue
from accountant.loss.derived.masses import Masses
from accountant.loss.derived.mixture_moments import MixtureMoments, Share, shares_of
from accountant.loss.engine.composition import ComposedLoss, compose
from accountant.loss.engine.grid_choice import common_step
from accountant.loss.families.finite import NO_LOSS, FiniteLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.inversion import crossing
from accountant.loss.readings.moments import Moments
from accountant.loss.readings.renyi_supremum import certified_supremum
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.interval import Interval, float_above, float_below, larger
from accountant.numbers.logarithm import log_of
from accountant.numbers.rounding import TINY, Ball, Balls, expm1, log1p, log_of_sum

Parts = Iterable[tuple[ExactLike, PrivacyLoss]]
_MOST_TERMS = 128


def _parts(parts: Parts) -> tuple[tuple[Fraction, PrivacyLoss], ...]:
    known = tuple((exact(chance), loss) for chance, loss in parts)
    total = sum((chance for chance, _ in known), Fraction(0))
    if total != 1 or any(chance <= 0 for chance, _ in known):
        raise InvalidValue(f"the chances of a mixture must be above 0 and sum to 1, got a sum of {plain(total)}")
    return known


@frozen
class MixtureLoss(PrivacyLoss):
    """The loss of one of several pairs, each drawn with its chance under both laws; which one is known."""

    parts: tuple[tuple[Fraction, PrivacyLoss], ...] = field(converter=_parts)
    _shares: list[tuple[Share, ...] | None] = field(factory=list, init=False, eq=False, repr=False)

    @classmethod
    def of(cls, parts: Parts) -> PrivacyLoss:
        """The loss of a mixture, in the simplest family that holds it exactly: finite parts become one."""
        chances: dict[PrivacyLoss, Fraction] = {}
        for chance, loss in _parts(parts):
            for share, part in loss.parts if isinstance(loss, MixtureLoss) else ((Fraction(1), loss),):
                chances[part] = chances.get(part, Fraction(0)) + chance * share
        finite = [(chance, loss) for loss, chance in chances.items() if isinstance(loss, FiniteLoss)]
        total = sum((chance for chance, _ in finite), Fraction(0))
        mixed = [(chance, loss) for loss, chance in chances.items() if not isinstance(loss, FiniteLoss)]
        if finite:
            atoms = ((chance / total * p, chance / total * q) for chance, loss in finite for p, q in loss.atoms)
            mixed.append((total, FiniteLoss(atoms)))
        return mixed[0][1] if len(mixed) == 1 else cls(mixed)

    def _each(self, change: Callable[[PrivacyLoss], PrivacyLoss]) -> PrivacyLoss:
        """The same mixture of other losses; this one where nothing changes."""
        changed = [(chance, change(loss)) for chance, loss in self.parts]
        same = all(new is old for (_, new), (_, old) in zip(changed, self.parts, strict=True))
        return self if same else MixtureLoss(changed)

    def reverse(self) -> PrivacyLoss:
        return self._each(lambda loss: loss.reverse())

    def dominating(self) -> PrivacyLoss:
        return self._each(lambda loss: loss.dominating())

    def dominated(self) -> PrivacyLoss:
        return self._each(lambda loss: loss.dominated())

    def drawn_from(self) -> tuple[tuple[Fraction, PrivacyLoss], ...]:
        return self.parts

    def sharpened(self, precision: float) -> PrivacyLoss:
        return self._each(lambda loss: loss.sharpened(precision))

    # Where to put a grid -----------------------------------------------------------------------------------------------

    def step(self) -> Fraction | None:
        """That of the parts that have one."""
        return common_step([step for _, loss in self.parts if (step := loss.step()) is not None])

    def lattice(self) -> Fraction | None:
        steps = [loss.lattice() for _, loss in self.parts if loss != NO_LOSS]
        known = [step for step in steps if step is not None]
        return common_step(known) if len(known) == len(steps) else None

    def window(self, log_tail: float) -> tuple[float, float]:
        windows = [loss.window(min(log_tail - _log(chance), -1.0)) for chance, loss in self.parts]
        return min(low for low, _ in windows), max(high for _, high in windows)

    def anchor(self) -> float:
        return max(self.parts, key=lambda part: part[0])[1].anchor()

    # Readings ----------------------------------------------------------------------------------------------------------

    def delta_formula(self, epsilon: float) -> Interval:
        return _weighted((chance, loss._delta_at(epsilon)) for chance, loss in self.parts)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """Composed parts are slow to read: the search starts where the worst of them alone would end, and is cut short."""
        precisions = [loss.precision for _, loss in self.parts if loss.precision is not None]
        if not precisions or self.infinite().at_most(target) is False:
            return super()._epsilon_at(target, least)
        seen: dict[float, Interval] = {}

        def read(epsilon: float) -> Interval:
            if epsilon not in seen:
                seen[epsilon] = self.delta_formula(epsilon)
            return seen[epsilon]

        if least > 0.0 and read(least).at_most(target):
            return Interval(0.0, least)
        # One part with its chance alone is at most the whole.
        starts = [loss.epsilon(target / chance).lower for chance, loss in self.parts if target < chance]
        guess = _solved(lambda epsilon: read(epsilon).upper, target, max([1e-9, *starts]))
        return crossing(
            lambda epsilon: read(epsilon).upper, lambda epsilon: read(epsilon).lower, target, guess, 0.1 * min(precisions)
        )

    def infinite_formula(self) -> Interval:
        return _weighted((chance, loss.infinite()) for chance, loss in self.parts)

    def supremum_formula(self) -> Interval:
        return larger(loss.supremum() for _, loss in self.parts)

    def log_moment_formula(self, order: float) -> Interval:
        moments = [(chance, loss._log_moment_at(order)) for chance, loss in self.parts]
        low = _log_mean([(chance, moment.lower) for chance, moment in moments])
        high = _log_mean([(chance, moment.upper) for chance, moment in moments])
        return Interval(max(0.0, low.lower), max(0.0, high.upper))

    def concentration_formula(self) -> Interval:
        """At most the worst part's, because a mean of moments is at most the largest."""
        return certified_supremum(self, max(loss.concentration().upper for _, loss in self.parts))

    def concentration_beyond(self, order: float) -> float:
        return max(min(loss.concentration().upper, loss.concentration_beyond(order)) for _, loss in self.parts)

    def analytic(self) -> type[Moments] | None:
        return None if self.shares() is None else MixtureMoments

    def shares(self) -> tuple[Share, ...] | None:
        """The parts as far as they are finite, with what is known of their moments; None where that is not enough."""
        if not self._shares:
            self._shares.append(shares_of(self.parts, self.infinite()))
        return self._shares[0]

    def cells(self, edges: Floats) -> Cells:
        cells = [loss.cells(edges) for _, loss in self.parts]
        masses = [Masses.of(part) for part in cells]
        chances = [Ball.of(chance) for chance, _ in self.parts]

        def mixed(rows: Iterable[Balls]) -> Balls:
            weighted = (row * chance for row, chance in zip(rows, chances, strict=True))
            return sum(weighted, Balls(np.zeros(edges.size + 1)))

        whole = Masses(*(mixed(getattr(part, name) for part in masses) for name in ("p", "q", "gap")))
        return whole.cells(self.infinite_formula(), max(part.slack for part in cells))


def expanded(parts: Sequence[tuple[PrivacyLoss, int]]) -> PrivacyLoss | None:
    """A composition of mixtures as a mixture of compositions, where a mixture has composed parts and there are few draws.

    Those have atoms beside densities, which a grid holds less well together than apart.
    """
    mixtures = [
        (loss, n) for loss, n in parts if isinstance(loss, MixtureLoss) and any(_composed(x) for _, x in loss.parts)
    ]
    if not mixtures or math.prod(math.comb(n + len(loss.parts) - 1, n) for loss, n in mixtures) > _MOST_TERMS:
        return None
    terms = [(Fraction(1), [part for part in parts if part not in mixtures])]
    for loss, count in mixtures:
        terms = [
            (chance * share, [*known, *drawn]) for chance, known in terms for share, drawn in _draws(loss.parts, count)
        ]
    return MixtureLoss.of((chance, compose(drawn)) for chance, drawn in terms)


def _draws(
    parts: Sequence[tuple[Fraction, PrivacyLoss]], count: int
) -> Iterator[tuple[Fraction, list[tuple[PrivacyLoss, int]]]]:
    """How often each part may be drawn in so many draws, and the chance of that."""
    (chance, loss), *others = parts
    if not others:
        yield chance**count, [(loss, count)]
        return
    for times in range(count + 1):
        for share, drawn in _draws(others, count - times):
            yield math.comb(count, times) * chance**times * share, [(loss, times), *drawn]


def _solved(delta: Callable[[float], float], target: Fraction, start: float) -> float:
    """About where a falling curve meets a target: a few secant steps along its logarithm."""
    here, slope = start, -1.0
    height = math.log(max(delta(here), TINY)) - _log(target)
    for _ in range(4):
        other = max(here - height / slope, 1e-9)
        at_other = math.log(max(delta(other), TINY)) - _log(target)
        if other == here or not (at_other - height) / (other - here) < 0.0:
            break
        slope = (at_other - height) / (other - here)
        here, height = other, at_other
    return here


def _composed(loss: PrivacyLoss) -> bool:
    return isinstance(loss, ComposedLoss) and loss.simplest() is loss


def _weighted(values: Iterable[tuple[Fraction, Interval]]) -> Interval:
    """The weighted sum of chances."""
    known = list(values)
    sums = [(chance, value.exact) for chance, value in known if value.exact is not None]
    if len(sums) == len(known):
        return Interval.of(sum((chance * value for chance, value in sums), Fraction(0)))
    lower, upper = (
        sum((chance * Fraction(getattr(value, end)) for chance, value in known), Fraction(0)) for end in ("lower", "upper")
    )
    return Interval(float_below(lower), float_above(upper))


def _log(chance: Fraction) -> float:
    return math.log(chance.numerator) - math.log(chance.denominator)


def _log_mean(moments: list[tuple[Fraction, float]]) -> Ball:
    """The logarithm of the weighted mean of e^k for k >= 0."""
    top = max(value for _, value in moments)
    if top == math.inf:
        return Ball(math.inf)
    if top < 1.0:
        # Around order 0 the moment is close to 1, so only what it is more than 1 is added up.
        return log1p(sum((Ball.of(chance) * expm1(Ball(moment)) for chance, moment in moments), Ball(0.0)))
    return log_of_sum(Balls.of([Ball.of(log_of(chance)) + moment for chance, moment in moments]))
