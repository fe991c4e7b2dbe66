"""What is taken from a composed loss before it is read along a line, where a line through all of it would be long.

Of rare losses, one large one may weigh as much as all others together. Then large ones are cut and read apart
(`contour_cut`), or the case in which no rare loss is seen is split from the others (`contour_seen`). Where to do so depends
on the epsilon that is looked for, which moments tell roughly and every reading more closely. Any place is sound.
"""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import evolve, field, frozen

from accountant.loss.engine.contour_cut import CutLosses
from accountant.loss.engine.contour_law import ContourLaw
from accountant.loss.engine.contour_seen import SeenLosses
from accountant.loss.readings.precision import narrower
from accountant.numbers.interval import Interval

_SPLITS = 3
_CUTS, _CLOSE = 6, 0.8
_ROOMS = (14.0, 4.0)
_SMOOTH = 0.75


@frozen(eq=False)
class Contour(ContourLaw):
    """A composed loss whose parts are all analytic, in whatever parts are best read along a line."""

    _epsilons: dict[tuple[Fraction, float, float, Interval | None, bool], Interval | None] = field(factory=dict, init=False)

    def epsilon(
        self,
        target: Fraction,
        precision: float,
        least: float = 0.0,
        known: Interval | None = None,
        *,
        patient: bool = True,
    ) -> Interval | None:
        """The smallest epsilon with delta at most the target, or None where the sum would be too long or overflow.

        Where it is seen not to exceed `least`, nothing more is said. Whoever asks for more precision later, and so for less
        on the way there, is answered at once. Who is not patient gets what a short line says; who is may say what is known.
        """
        key = (target, precision, least, known, patient or self._thorough is self)
        if key not in self._epsilons:
            self._epsilons[key] = self._found_epsilon(target, precision, least, known, patient)
        return self._epsilons[key]

    def _found_epsilon(
        self, target: Fraction, precision: float, least: float, known: Interval | None, patient: bool
    ) -> Interval | None:
        spare = target - Fraction(self.leak.upper)
        if spare <= 0:
            return None
        log_target = math.log(spare.numerator) - math.log(spare.denominator)
        whole = self.trimmed(log_target, precision)
        # Where the line would be long, it is first tried without the case in which no rare loss is seen.
        short = whole._hasty._epsilon(target, log_target, precision, least)
        found = _narrowed(known, short)
        if not patient or whole._thorough is whole:
            return found
        whole = whole._thorough
        # Where one tilt serves all that is felt, losses that are seen are read alone, and otherwise large ones apart.
        regular = whole._regular(log_target)
        reads = (whole._seen_epsilon, whole._cut_epsilon) if known is None else (whole._cut_epsilon, whole._seen_epsilon)
        for read in reads if regular else (whole._cut_epsilon,):
            if not _sharp(found, precision):
                found = _narrowed(found, read(found, target, log_target, precision))
        if not _sharp(found, precision) and (regular or (short is None and found == known)):
            found = _narrowed(found, whole._epsilon(target, log_target, precision, least))
        return found

    def _seen_epsilon(
        self, found: Interval | None, target: Fraction, log_target: float, precision: float
    ) -> Interval | None:
        """Where delta meets a target, from the sum where some rare loss is seen; with what was found before."""
        for _ in range(_SPLITS):
            part = self._split(self._most(log_target) if found is None else found.upper, log_target, precision)
            more = None if part is None else part._epsilon(target, log_target, precision, 0.0)
            if more is None or (found is not None and more.lower <= found.lower and found.upper <= more.upper):
                break
            found = narrower(found, more)
            if _sharp(found, precision):
                break
        return found

    def _cut_epsilon(
        self, found: Interval | None, target: Fraction, log_target: float, precision: float
    ) -> Interval | None:
        """The same from the sum where no loss is large, the others apart; or where some is seen, near the same epsilon."""
        for _ in range(_SPLITS):
            before = found
            near = self._near(math.inf if found is None else found.upper, log_target, precision)
            if near is None:
                break
            part, epsilon = near
            found = _narrowed(found, part._epsilon_near(target, log_target, precision, epsilon))
            if found == before:
                split = self._split(epsilon, log_target, precision)
                more = None if split is None else split._epsilon_near(target, log_target, precision, epsilon)
                found = _narrowed(found, more)
            if found == before or _sharp(found, precision):
                break
        return found

    def _regular(self, log_target: float) -> bool:
        """Whether a little more tilt moves a reading but little: otherwise one large loss is as good as all others."""
        below = self._saddle(self._steps_to(log_target)[1])
        return below is not None and below.log_delta <= _SMOOTH * log_target

    def _near(self, most: float, log_target: float, precision: float) -> tuple[Contour, float] | None:
        """The law without large losses, cut about where a target is met, as far as moments tell that; and that epsilon."""
        epsilon, found = min(self._most(log_target), most), None
        for _ in range(_CUTS):
            part = self._cut(epsilon, log_target, precision)
            if part is None:
                break
            assert part.cut is not None
            before = epsilon
            epsilon = min(max(part._most(log_target), part.cut.meets(log_target, before)), before)
            found = part, epsilon
            if not epsilon < _CLOSE * before:
                break
        return found

    def _epsilon_near(self, target: Fraction, log_target: float, precision: float, epsilon: float) -> Interval | None:
        """Where delta meets a target, about at an epsilon: on a line with as little tilt as doubles allow.

        The less tilt, the less is felt of many large losses at once, and the shorter the period may be.
        """
        best: Interval | None = None
        for room in _ROOMS:
            saddle = self._least_tilt(epsilon, min(room + log_target, 0.5 * log_target))
            if saddle is None:
                continue
            best = self._met(best, saddle.aimed(epsilon, log_target), target, precision, epsilon)
            if best is not None and best.width <= precision * best.upper:
                break
        return best

    def _cut(self, epsilon: float, log_delta: float, precision: float) -> Contour | None:
        """The law of the sum where no loss is so large that it alone decides near an epsilon."""
        if self.reverse is None or epsilon == math.inf:
            return None
        cut = CutLosses.of(self.families, self.reverse, epsilon, log_delta, precision)
        return None if cut is None else evolve(self, families=cut[0], cut=cut[1])

    def _split(self, epsilon: float, log_delta: float, precision: float) -> Contour | None:
        """The law of the sum where some rare loss is seen, if what is left of it is not felt near an epsilon."""
        seen = None if self.seen is not None else SeenLosses.of(self.families, epsilon, log_delta, precision)
        return None if seen is None else evolve(self, seen=seen)


def _narrowed(found: Interval | None, more: Interval | None) -> Interval | None:
    """What two readings know together, either of which may be missing."""
    return found if more is None else narrower(found, more)


def _sharp(found: Interval | None, precision: float) -> bool:
    return found is not None and found.width <= precision * found.upper
