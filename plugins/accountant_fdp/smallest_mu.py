"""The smallest mu of Gaussian differential privacy that a loss satisfies.

Tests of a mechanism reach points (level, power). The mechanism satisfies mu exactly when every such point lies under the
curve of Gaussian noise, power = Phi(mu - z(level)) with z the upper normal quantile: when z(level) - z(power) <= mu.

From above: each y >= 1 gives the line power <= delta(log y) + y level, in both directions. The curve is concave, so if
all corners between neighbouring lines lie under it, so does everything under the lines. Two ends are left.

- A finite supremum s gives the line power <= e^s level, which passes through the origin.
- Where all but Gaussian noise of mu loses at most s, power <= e^s Phi(mu - z(level)).
- Otherwise let every Renyi divergence of order a be at most a rho. The points reached then satisfy
  sqrt(2 log 1/level) - sqrt(2 log 1/power) <= sqrt(2 rho), and where power has the quantile z > 0, this implies
  z(level) - z(power) <= sqrt(2 rho) (1 + log(sqrt(2 pi) (z + 1/z))/z^2).

From below: mu satisfies delta_mu(epsilon) >= delta(epsilon) at every epsilon, and mu^2 >= 2 rho. The proofs are in the
documentation, explanation/tests-and-tails.
"""

from __future__ import annotations

import heapq
import itertools
import math
from fractions import Fraction
from functools import lru_cache, reduce
from typing import TypeAlias

from attrs import frozen

from accountant import GridTooLarge, Interval
from accountant.loss import (
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    RivalledLoss,
    delta_of_moments,
    directions,
    enclosed,
    sides,
)
from accountant.numbers import larger
from accountant.numbers.rounding import Ball, exp, log, sqrt
from accountant_fdp.corners import Corners
from accountant_fdp.normal import root, tail_quantile

_PRECISION = 2.0**-12
_CLOSE = 1.02
_LARGEST, _SMALLEST = 600.0, 2.0**-30
_FEW, _MANY = 12, 64
_ROOT_OF_CIRCLE = sqrt(Ball.rounded(2.0 * math.pi, 2.0))
_FAR, _NEGLIGIBLE = Fraction(1, 2**400), Fraction(1, 2**880)
"""Deltas of which moments say enough at first, and those that need not be known."""
_THIN, _WIDE = Fraction(1, 2**13), 4.0
"""Deltas of which two figures are enough, and a mu for which that is so of all."""
_DEEP = 600.0
_ROUGH, _FINEST, _ROUGHEST = 1e-3, 1e-4, 5e-3
"""How precisely small deltas are read: by so much of mu, but no finer and no less finely than this."""
_NEARER = 2
"""How often places around the worst one are tried that was found."""
_HOPELESS = 1.25
"""So far above what is known otherwise, after half of the steps, a search will not say more."""


_TESTS = (1e-5, 0.05, 0.1, 0.3, 0.4)
"""Levels of tests for which a single claim is tried to be as bad as it may be."""


@lru_cache(maxsize=1024)
def smallest_mu(loss: PrivacyLoss) -> Interval:
    """The smallest mu that the loss satisfies; both directions have the same.

    Guarantee: the interval contains it; the upper end is infinite where no bound is known.
    """
    if isinstance(loss, GaussianLoss):
        return root(loss.mu_squared)
    if sides(loss) != (loss, loss):
        return _bracketed(loss)
    if loss.infinite().lower > 0.0 or loss.reverse().infinite().lower > 0.0:
        return Interval.infinite()
    if isinstance(loss, FiniteLoss):
        return _exact_corners(loss)
    ways = directions(loss)
    upper = min(_pure_bound(ways), _sum_bound(loss), _whole_bound(loss))
    lower = max(_least(way.concentration().lower) for way in ways)
    if upper <= (1.0 if loss.precision is None else 1.0 + _PRECISION if _quick(loss) else _CLOSE) * lower:
        return Interval(min(lower, upper), upper)
    counted = _counted(loss)
    if counted is not None:
        lower, upper = max(lower, counted.lower), min(upper, counted.upper)
        if upper <= _CLOSE * lower:
            return Interval(min(lower, upper), upper)
    try:
        searches = [_Search.of(way, lower, upper) for way in ways]
    except GridTooLarge:
        return Interval(min(lower, upper), upper)
    upper = min(upper, max(search.upper for search in searches))
    return Interval(min(upper, max([lower, *(search.lower for search in searches)])), upper)


@lru_cache(maxsize=1024)
def _least_mu(loss: PrivacyLoss) -> Interval:
    """From below alone. Where deltas are slow to read, a few of them say nearly as much as a search would."""
    if loss.precision is None or isinstance(loss, GaussianLoss) or sides(loss) != (loss, loss):
        return smallest_mu(loss)
    if loss.infinite().lower > 0.0 or loss.reverse().infinite().lower > 0.0:
        return Interval.infinite()
    lower, ways = 0.0, directions(loss)
    for way in ways:
        lower = max(lower, _least(way.concentration().lower))
    if _known_mu(loss).upper <= _CLOSE * lower:
        return Interval(lower, math.inf)
    try:
        for way in ways:
            lower = _highest(way, lower)
    except GridTooLarge:
        pass
    return Interval(lower, math.inf)


def _highest(loss: PrivacyLoss, least: float) -> float:
    """The mu that Gaussian noise needs at some epsilons, more of them around the one where it needs most."""
    rough, best, found = _roughly(loss, least), least, list[tuple[float, float]]()
    loss = rough if least > _WIDE else loss
    last = Fraction(1)
    for epsilon in _first(loss, slow=True):
        cut = _Cut.at(rough if last < _THIN else loss, epsilon)
        found.append((_improved(0.0, cut), epsilon))
        last = cut.delta
        if last < _FAR:
            break
    for _ in range(_NEARER):
        best = max(best, *(mu for mu, _ in found))
        place = max(range(len(found)), key=lambda k: found[k][0])
        around = [found[k][1] for k in (place - 1, place, place + 1) if 0 <= k < len(found)]
        more = [0.5 * (left + right) for left, right in itertools.pairwise(around)]
        found += [(_improved(0.0, _Cut.at(rough, epsilon)), epsilon) for epsilon in more]
        found.sort(key=lambda one: one[1])
    return max(best, *(mu for mu, _ in found))


def _roughly(loss: PrivacyLoss, least: float) -> PrivacyLoss:
    """The loss as small deltas are read of it: normal quantiles change by a fraction of what logarithms of tails do."""
    return loss.roughly(min(max(_ROUGH * least, _FINEST), _ROUGHEST))


def _bracketed(loss: PrivacyLoss) -> Interval:
    """Each end from its own side; but what dominates may have a tail that the loss itself cannot have."""
    found = enclosed(smallest_mu, loss, *(_TESTS if loss.precision is None else ()), least=_least_mu)
    if found.upper < math.inf or loss.infinite().lower > 0.0:
        return found
    alone, plain = loss.precision is None, loss.alone() if isinstance(loss, RivalledLoss) else loss
    upper = max(_Search.of(way).upper for way in {plain, plain.reverse()}) if alone else _sum_bound(loss)
    return Interval(min(found.lower, upper), upper)


def _quantile_gap(level: Fraction, power: Fraction) -> Interval:
    """z(level) - z(power), the mu of the Gaussian curve through a point; 0 under the line of guessing."""
    if power <= level:
        return Interval.of(0)
    left, right = tail_quantile(level), tail_quantile(power)
    if math.inf in (left.lower, -right.upper):
        return Interval.infinite()
    gap = left - right
    return Interval(max(0.0, gap.lower), gap.upper)


def _exact_corners(loss: FiniteLoss) -> Interval:
    """On finitely many outcomes the points reached are a polygon: its largest gap of quantiles is mu itself."""
    steps = itertools.accumulate(loss.atoms, lambda total, atom: (total[0] + atom[0], total[1] + atom[1]))
    return larger([Interval.of(0), *(_quantile_gap(level, power) for power, level in steps if level < 1)])


def _counted(loss: PrivacyLoss) -> Interval | None:
    """The same where all values are known up to rounding. Tests that are rarer than doubles tell are bounded by moments."""
    back = loss.reverse()
    if not isinstance(loss, ComposedLoss) or not isinstance(back, ComposedLoss):
        return None
    if loss.enumerated is None or back.enumerated is None:
        return None
    corners = Corners.of(loss.enumerated.atoms, back.enumerated.atoms)
    if corners is None:
        return None
    ends = [(loss, corners.power), (back, corners.kept)]
    beyond = [_rare_tests(way, power) for way, power in ends if power is not None]
    return Interval(corners.mu.lower, max([corners.mu.upper, *beyond]))


def _pure_bound(ways: list[PrivacyLoss]) -> float:
    """The mu of randomised response with the largest loss, which dominates."""
    largest = max(way.supremum().upper for way in ways)
    if largest > _LARGEST:
        return math.inf
    return 2.0 * tail_quantile(1 / (1 + _factor(largest))).upper


def _factor(epsilon: float) -> Fraction:
    """e^epsilon, rounded up."""
    return Fraction(exp(Ball(epsilon)).upper) if epsilon else Fraction(1)


def _sum_bound(loss: PrivacyLoss) -> float:
    """Squares of mu add up over the parts of a composition."""
    if loss.precision is None:
        return math.inf
    # A part that is slow to read costs as much as the whole, and its own search hardly narrows the sum.
    parts = [
        ((smallest_mu if part.precision is None else _known_mu)(part).upper, count) for part, count in loss.taken_apart()
    ]
    if any(math.isinf(mu) for mu, _ in parts):
        return math.inf
    return root(sum((Fraction(mu) ** 2 * count for mu, count in parts), Fraction(0))).upper


def _known_mu(loss: PrivacyLoss) -> Interval:
    """From above, by what is known without a search."""
    above, _ = sides(loss)
    apart = _sum_bound(above) if above.taken_apart() != ((above, 1),) else math.inf
    return Interval(0.0, min(_pure_bound([above, above.reverse()]), _whole_bound(above), apart))


def _whole_bound(loss: PrivacyLoss) -> float:
    """The mu of the same release on all records, which dominates, where that is Gaussian noise."""
    whole = loss.unsampled()
    return root(whole.mu_squared).upper if isinstance(whole, GaussianLoss) else math.inf


def _least(rho: float) -> float:
    """sqrt(2 rho), rounded down."""
    return max(0.0, sqrt(Ball(rho) * 2.0).lower) if 0.0 < rho < math.inf else rho


@frozen
class _Cut:
    """power <= delta + factor level for every test, in exact numbers; and delta's lower end at the same epsilon."""

    epsilon: float
    factor: Fraction
    delta: Fraction
    least: float
    rough: bool = False

    @classmethod
    def at(cls, loss: PrivacyLoss, epsilon: float) -> _Cut:
        value = loss.delta(epsilon)
        return cls(epsilon, _factor(epsilon), Fraction(value.upper), value.lower)

    @classmethod
    def by_moments(cls, loss: PrivacyLoss, epsilon: float) -> _Cut:
        """The same from above only, by what moments say."""
        return cls(epsilon, _factor(epsilon), Fraction(delta_of_moments(loss, epsilon)), 0.0, rough=True)

    def corner(self, steeper: _Cut) -> tuple[Fraction, Fraction]:
        """Level and power where the lines of both meet."""
        level = (self.delta - steeper.delta) / (steeper.factor - self.factor)
        return level, self.delta + self.factor * level

    def gap(self, steeper: _Cut) -> float:
        """What mu must be for the curve to pass above the corner."""
        level, power = self.corner(steeper)
        if level <= 0:
            return 0.0 if power <= 0 else math.inf
        return _quantile_gap(level, power).upper if power < 1 else math.inf


_Stretch: TypeAlias = tuple[float, float, _Cut, _Cut]
"""What mu must be at most for a stretch between two cuts, below 0, and where it begins."""


@frozen
class _Search:
    """What a search over epsilons found for one direction of a loss."""

    lower: float
    upper: float

    @classmethod
    def of(cls, loss: PrivacyLoss, least: float = 0.0, most: float = math.inf) -> _Search:
        """What is found where mu is known to lie between two ends, which only say how hard to look."""
        slow = loss.precision is not None
        rough = _roughly(loss, least) if slow else loss
        loss = rough if least > _WIDE else loss
        if slow and _ends_too_soon(loss, rough, most):
            return cls(0.0, math.inf)
        cuts = _falling(_first_cuts(loss, rough, slow=slow))
        best = reduce(_improved, cuts, 0.0)
        heap = [(-left.gap(right), left.epsilon, left, right) for left, right in itertools.pairwise(cuts)]
        tail, ending = _tail_bound(loss, cuts), _ending(loss, cuts)
        if ending is not None and (not slow or ending[0].gap(ending[1]) <= tail):
            left, right = ending
            heap.append((-left.gap(right), left.epsilon, left, right))
            tail = 0.0
        heapq.heapify(heap)
        steps = _FEW if slow and not _quick(loss) else _MANY
        for step in range(steps):
            if not heap or -heap[0][0] <= max(best, tail) * (1.0 + _PRECISION):
                break
            if slow and 2 * step >= steps and -heap[0][0] > _HOPELESS * most:
                break
            new = _read_at_the_worst(loss, rough, heap)
            if not new:
                break
            best = reduce(_improved, new, best)
        return cls(best, max(tail, -heap[0][0] if heap else 0.0))


def _read_at_the_worst(loss: PrivacyLoss, rough: PrivacyLoss, heap: list[_Stretch]) -> tuple[_Cut, ...]:
    """What was read to know the worst stretch better; its halves take its place. Nothing where no more can be read."""
    bound, _, left, right = heap[0]
    if left.rough or right.rough:
        # Where moments are all that is known of the worst place, delta itself may say more.
        left, right = (_Cut.at(rough, cut.epsilon) if cut.rough else cut for cut in (left, right))
        sharper = -left.gap(right) if right.factor > left.factor and left.delta > right.delta else bound
        heapq.heapreplace(heap, (max(bound, sharper), left.epsilon, left, right))
        return left, right
    middle = _Cut.at(rough if left.delta < _THIN else loss, 0.5 * (left.epsilon + right.epsilon))
    if not left.factor < middle.factor < right.factor or not left.delta > middle.delta > right.delta:
        return ()
    # A corner between close lines is badly known; what held for all of the stretch holds for each half.
    heapq.heapreplace(heap, (max(bound, -left.gap(middle)), left.epsilon, left, middle))
    heapq.heappush(heap, (max(bound, -middle.gap(right)), middle.epsilon, middle, right))
    return (middle,)


def _quick(loss: PrivacyLoss) -> bool:
    """Whether delta is quickly read: along lines, and neither on samples nor of lattices beside something else."""
    parts = [part for part, _ in loss.taken_apart()]
    return all(
        part.analytic() is not None and part.unsampled() is part and (len(parts) == 1 or part.lattice() is None)
        for part in parts
    )


def _first(loss: PrivacyLoss, *, slow: bool) -> list[float]:
    """Epsilons to begin with: on the loss's own scale, until delta is negligible."""
    reach = min(max(loss.window(-25.0 if slow else -250.0)[1], 2.0**-40), loss.supremum().upper, _LARGEST)
    if slow and (rho := loss.concentration().upper) < math.inf:
        # Many copies never lose as much as each may: about so far moments fall as deep as is looked.
        reach = min(reach, rho + 2.0 * math.sqrt(_DEEP * rho))
    count = _FEW if slow else 2 * _FEW
    return [reach * (k / count) ** 1.5 for k in range(count + 1)]


def _ends_too_soon(loss: PrivacyLoss, rough: PrivacyLoss, most: float) -> bool:
    """Whether doubles hold no epsilons beyond which moments say more than is known."""
    *_, before, last = _first(loss, slow=True)
    if last < _LARGEST:
        return False
    cuts = _falling([_Cut.at(rough, epsilon) for epsilon in (before, last)])
    return len(cuts) < 2 or _tail_bound(loss, cuts) >= most


def _first_cuts(loss: PrivacyLoss, rough: PrivacyLoss, *, slow: bool) -> list[_Cut]:
    """Cuts to begin with. Where a reading takes long, those far out are by moments, and end where nothing is left."""
    cuts: list[_Cut] = []
    for epsilon in _first(loss, slow=slow):
        last = cuts[-1].delta if slow and cuts else Fraction(1)
        if last < _NEGLIGIBLE:
            break
        cuts.append(_Cut.by_moments(loss, epsilon) if last < _FAR else _Cut.at(rough if last < _THIN else loss, epsilon))
    return cuts


def _falling(cuts: list[_Cut]) -> list[_Cut]:
    """The first cut, and those whose delta falls and is certainly positive, or known by moments."""
    kept = cuts[:1]
    for cut in cuts[1:]:
        if (cut.least > 0.0 or cut.rough) and cut.delta < kept[-1].delta and cut.factor > kept[-1].factor:
            kept.append(cut)
    return kept


def _ending(loss: PrivacyLoss, cuts: list[_Cut]) -> tuple[_Cut, _Cut] | None:
    """The last cut and the one through the origin, where the loss has a largest value."""
    top = loss.supremum().upper
    if top > _LARGEST:
        return None
    end = _Cut(top, max(_factor(top), cuts[-1].factor), Fraction(0), 0.0)
    return (cuts[-1], end) if end.factor > cuts[-1].factor else None


def _tail_bound(loss: PrivacyLoss, cuts: list[_Cut]) -> float:
    """What mu must be for tests of less level than the last corner."""
    if cuts[0].delta == 0:
        return 0.0
    if len(cuts) < 2:
        return math.inf
    return _rare_tests(loss, cuts[-2].corner(cuts[-1])[1])


def _rare_tests(loss: PrivacyLoss, power: Fraction) -> float:
    """What mu must be for tests of no more than some power."""
    bounds, z, rho = [_noise_and_rest(loss, power)], tail_quantile(power).lower, loss.concentration().upper
    if rho < math.inf and z > 0.0:
        place = Ball(z)
        excess = log((1.0 / place + place) * _ROOT_OF_CIRCLE) / (place * place)
        bounds.append((sqrt(Ball(rho) * 2.0) * (excess + 1.0)).upper if rho else 0.0)
    return min(bounds)


def _noise_and_rest(loss: PrivacyLoss, power: Fraction) -> float:
    """What mu must be for tests of no more than some power, where all but Gaussian noise loses at most s together.

    Such a test of level x has a power of at most e^s Phi(mu - z(x)), mu that of the noise, so that z(x) is at most
    mu + z(e^-s power). What that is above z(power) falls with the power, because the hazard of the normal law rises.
    """
    squares, most = Fraction(0), Fraction(0)
    for part, count in loss.taken_apart():
        noise, top = part.unsampled(), part.supremum().upper
        if isinstance(noise, GaussianLoss):
            squares += noise.mu_squared * count
        elif top > _LARGEST:
            return math.inf
        else:
            most += Fraction(top) * count
    if most > _LARGEST or not 0 < power < 1:
        return math.inf
    shrunk = power * Fraction(max(0.0, exp(-Ball.of(most)).lower))
    return (Ball.of(root(squares)) + Ball.of(tail_quantile(shrunk)) - Ball.of(tail_quantile(power))).upper


def _improved(mu: float, cut: _Cut) -> float:
    """The mu given, or a larger one that Gaussian noise must exceed to lose as much as delta at the cut's epsilon."""
    if _gaussian(mu * (1.0 + _PRECISION) + _SMALLEST, cut.epsilon) >= cut.least:
        return mu
    low, high = mu, 2.0 * mu + _SMALLEST
    while high < 2.0**20 and _gaussian(high, cut.epsilon) < cut.least:
        low, high = high, 2.0 * high
    while high - low > 2.0**-20 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _gaussian(middle, cut.epsilon) < cut.least else (low, middle)
    return low


def _gaussian(mu: float, epsilon: float) -> float:
    """Delta of Gaussian noise, rounded up."""
    return GaussianLoss(Fraction(mu) ** 2).delta(epsilon).upper
