"""The search over epsilons for the smallest mu of one direction of a loss: where delta is read, and how closely.

Two neighbouring lines say of the mu between them about (1 + h^2/8) times what they say at their own places, which are h mu
apart. So the worst stretch is divided into as many pieces as it takes, and what moments show to be less is not read at
all. How closely delta is read depends on its place: a share of delta is felt by mu the less the smaller it is.
"""

from __future__ import annotations

import heapq
import itertools
import math
from functools import reduce
from typing import TypeAlias

from attrs import field, frozen

from accountant.loss import PrivacyLoss
from accountant_fdp.cuts import Cut, factor_of, falling
from accountant_fdp.rare_tests import LARGEST, rare_tests

PRECISION, _CLOSE = 2.0**-14, 1.02
_FEW, _SOME, _MANY, _MOST = 12, 320, 1500, 4096
"""How many places are read: where each takes long, where some do, where none does; and how many are thought of at all."""
_PIECES = 12
_NEAR = 2.0**-6
"""Pieces that are shorter than so many mu are no shorter than it takes."""
_NEGLIGIBLE = 2.0**-880
"""A delta that need not be known."""
_DEEP, _LAST = 600.0, 2.0**-6
_LEVELS = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3)
"""How precisely a loss may be read: so that places next to each other are read alike."""
_SHARE = 2.5e-4
_WIDE, _ROUGH, _ROUGHEST = 4.0, 1e-2, 5e-2
"""From this mu on no delta is read more precisely than by so much of mu, or by that."""
_NEARER = 2
"""How often places around the worst one are tried that was found."""
_HOPELESS = 1.25
"""So far above what is known otherwise, after half of the steps, a search will not say more."""

_Stretch: TypeAlias = tuple[float, float, Cut, Cut]
"""What mu must be at most for a stretch between two cuts, below 0, and where it begins."""


@frozen
class Deltas:
    """Delta of one direction of a loss, as closely as mu asks for it."""

    loss: PrivacyLoss
    scale: float
    """A mu that is needed; 0 where none is known."""
    _rough: dict[float, PrivacyLoss] = field(factory=dict, init=False)

    @property
    def slow(self) -> bool:
        return self.loss.precision is not None

    def at(self, epsilon: float) -> Cut:
        """What delta says at an epsilon."""
        return Cut.at(self._close_enough(epsilon), epsilon)

    def beside(self, epsilon: float, mu: float) -> Cut:
        """The same by moments, where these show that a mu is enough there."""
        if self.slow:
            cut = Cut.by_moments(self.loss, epsilon)
            if cut.within(enough(self.loss) * mu):
                return cut
        return self.at(epsilon)

    def _close_enough(self, epsilon: float) -> PrivacyLoss:
        if not self.slow or not self.scale:
            return self.loss
        place = max(0.0, epsilon / self.scale - 0.5 * self.scale)
        asked = _SHARE * (1.0 + place * place)
        if self.scale > _WIDE:
            asked = max(asked, min(_ROUGH * self.scale, _ROUGHEST))
        level = next((level for level in _LEVELS if level <= asked), None)
        if level is None:
            return self.loss
        if level not in self._rough:
            self._rough[level] = self.loss.roughly(level)
        return self._rough[level]


@frozen
class Search:
    """What a search over epsilons found for one direction of a loss."""

    lower: float
    upper: float

    @classmethod
    def of(cls, loss: PrivacyLoss, least: float = 0.0, most: float = math.inf) -> Search:
        """What is found where mu is known to lie between two ends, which only say how hard to look."""
        reader = Deltas(loss, least)
        if reader.slow and _ends_too_soon(reader, most):
            return cls(0.0, math.inf)
        cuts = _first_cuts(reader)
        best = reduce(_improved, cuts, least)
        heap = [_stretch(left, right) for left, right in itertools.pairwise(cuts)]
        tail, ending = _tail_bound(loss, cuts, most), _ending(loss, cuts)
        if ending is not None:
            # Tests beyond the last corner are those of a last stretch, and what is known of them holds there.
            heap.append(_stretch(*ending, -tail))
            tail = 0.0
        heapq.heapify(heap)
        best = _refined(reader, heap, best, tail, most)
        return cls(best if best > least else 0.0, max(tail, -heap[0][0] if heap else 0.0))


def _refined(reader: Deltas, heap: list[_Stretch], best: float, tail: float, most: float) -> float:
    """The mu that is needed, after the worst stretches were divided again and again, as often as is worth it."""
    allowed = effort(reader.loss)
    read = thought = 0
    while heap and read < allowed and thought < _MOST:
        goal = max(best, tail)
        if -heap[0][0] <= goal * (1.0 + PRECISION):
            break
        if reader.slow and 2 * read >= allowed and -heap[0][0] > _HOPELESS * most:
            break
        cuts = _divided(reader, heap[0], goal, at_most=min(_PIECES, allowed - read + 1))
        if len(cuts) < 3:
            break
        bound = heapq.heappop(heap)[0]
        for left, right in itertools.pairwise(cuts):
            # A corner between close lines is badly known; what held for all of the stretch holds for each piece.
            heapq.heappush(heap, _stretch(left, right, bound))
        new = cuts[1:-1]
        read, thought = read + sum(not cut.rough for cut in new), thought + len(new)
        best = reduce(_improved, new, best)
    return best


def _divided(reader: Deltas, stretch: _Stretch, goal: float, at_most: int) -> list[Cut]:
    """The ends of a stretch and as many cuts between them as it takes to know it well enough."""
    bound, _, left, right = stretch
    excess = (-bound - goal) / (goal * PRECISION) if goal > 0.0 and bound > -math.inf else 4.0
    # Pieces of a quarter of the length are known sixteen times as well.
    pieces = max(2, min(at_most, math.ceil(math.sqrt(min(excess, 1e4)))))
    length = (right.epsilon - left.epsilon) / pieces
    if left.rough and length < _NEAR * goal:
        # So close to each other lines say what the curve says that they touch: moments are not enough here.
        left = reader.at(left.epsilon)
    cuts = [left]
    for epsilon in (left.epsilon + k * length for k in range(1, pieces)):
        cut = reader.beside(epsilon, goal)
        # What moments say next to a place where delta was read is no news.
        cuts = falling([*cuts, reader.at(epsilon) if cut.rough and cut.delta >= cuts[-1].delta else cut])
    if right.rough and right.delta >= cuts[-1].delta:
        right = reader.at(right.epsilon)
    while len(cuts) > 1 and not (cuts[-1].factor < right.factor and cuts[-1].delta > right.delta):
        cuts.pop()
    return [*cuts, right]


def _stretch(left: Cut, right: Cut, known: float = -math.inf) -> _Stretch:
    return max(known, -left.gap(right)), left.epsilon, left, right


def effort(loss: PrivacyLoss) -> int:
    """How many deltas may be read: many along lines, fewer on samples or of lattices beside something else, else few."""
    if loss.precision is None:
        return _MANY
    parts = [part for part, _ in loss.taken_apart()]
    if any(part.analytic() is None for part in parts):
        return _FEW
    plain = all(part.unsampled() is part and (len(parts) == 1 or part.lattice() is None) for part in parts)
    return _MANY if plain else _SOME


def enough(loss: PrivacyLoss) -> float:
    """Ends as near to each other as this, as a ratio, are worth no search."""
    return 1.0 if loss.precision is None else _CLOSE if effort(loss) == _FEW else 1.0 + PRECISION


def highest(loss: PrivacyLoss, least: float) -> float:
    """The mu that Gaussian noise needs at some epsilons, more of them around the one where it needs most."""
    reader, best, found = Deltas(loss, least), least, list[tuple[float, float]]()
    for epsilon in _first(loss):
        cut = reader.at(epsilon)
        found.append((cut.improved(0.0), epsilon))
        if cut.delta < _FAR:
            break
    for _ in range(_NEARER):
        best = max(best, *(mu for mu, _ in found))
        place = max(range(len(found)), key=lambda k: found[k][0])
        around = [found[k][1] for k in (place - 1, place, place + 1) if 0 <= k < len(found)]
        more = [0.5 * (left + right) for left, right in itertools.pairwise(around)]
        found += [(reader.at(epsilon).improved(0.0), epsilon) for epsilon in more]
        found.sort(key=lambda one: one[1])
    return max(best, *(mu for mu, _ in found))


_FAR = 2.0**-400
"""A delta so small that no mu is larger there than before."""


def _first(loss: PrivacyLoss) -> list[float]:
    """Epsilons to begin with: on the loss's own scale, until delta is negligible."""
    slow = loss.precision is not None
    reach = min(max(loss.window(-250.0)[1], 2.0**-40), loss.supremum().upper, LARGEST)
    if slow and (rho := loss.concentration().upper) < math.inf:
        # Many copies never lose as much as each may: about so far moments fall as deep as is looked.
        reach = min(reach, rho + 2.0 * math.sqrt(_DEEP * rho))
    count = _FEW if slow else 2 * _FEW
    # What is beyond the last corner is known the better the farther out that lies.
    return sorted([reach * (1.0 - _LAST), *(reach * (k / count) ** 1.5 for k in range(count + 1))])


def _ends_too_soon(reader: Deltas, most: float) -> bool:
    """Whether doubles hold no epsilons beyond which moments say more than is known."""
    *_, before, last = _first(reader.loss)
    if last < LARGEST:
        return False
    cuts = falling(reader.at(epsilon) for epsilon in (before, last))
    return len(cuts) < 2 or _tail_bound(reader.loss, cuts, math.inf) >= most


def _first_cuts(reader: Deltas) -> list[Cut]:
    """Cuts to begin with, which end where nothing is left."""
    cuts: list[Cut] = []
    for epsilon in _first(reader.loss):
        if reader.slow and cuts and cuts[-1].delta < _NEGLIGIBLE:
            break
        cuts.append(reader.beside(epsilon, reader.scale))
    return falling(cuts)


def _ending(loss: PrivacyLoss, cuts: list[Cut]) -> tuple[Cut, Cut] | None:
    """The last cut and the one through the origin, where the loss has a largest value."""
    top = loss.supremum().upper
    if top > LARGEST:
        return None
    end = Cut(top, max(factor_of(top), cuts[-1].factor), cuts[-1].delta * 0, 0.0)
    return (cuts[-1], end) if end.factor > cuts[-1].factor else None


def _tail_bound(loss: PrivacyLoss, cuts: list[Cut], most: float) -> float:
    """What mu must be for tests of less level than the last corner."""
    if cuts[0].delta == 0:
        return 0.0
    if len(cuts) < 2:
        return math.inf
    return rare_tests(loss, cuts[-2].corner(cuts[-1])[1], most)


def _improved(mu: float, cut: Cut) -> float:
    return cut.improved(mu)
