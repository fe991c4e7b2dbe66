"""Composition: losses add, laws convolve."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from attrs import field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.engine.atom_route import AtomProduct
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.direct_route import Direct
from accountant.loss.engine.gathering import gathered
from accountant.loss.engine.grid_route import Gridded
from accountant.loss.engine.power_route import AtomPower
from accountant.loss.engine.rival_parts import bad_at_once, rivalled
from accountant.loss.engine.route_choice import MANY, Ways, enclosed
from accountant.loss.families.atomic import AtomicLoss
from accountant.loss.families.finite import NO_LOSS, TOTAL_LOSS, FiniteLoss
from accountant.loss.families.gaussian import GaussianLoss
from accountant.loss.families.rivals import Event, RivalledLoss
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.precision import DEFAULT_PRECISION
from accountant.loss.readings.renyi_supremum import certified_supremum
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, expm1, log1p, raised

_LARGEST_PRODUCT = 256
_SEVERAL = 64
_FEW_MASSES = 512


def compose(parts: Iterable[tuple[PrivacyLoss, int]]) -> PrivacyLoss:
    """The loss of all parts together, each taken `count` times; adaptive choice within the fixed pairs is allowed.

    Families that are closed under composition stay exact: Gaussian, and finite losses while they are small.
    """
    return ComposedLoss.of(gathered(parts)).simplest()


def _tuple(parts: Iterable[tuple[PrivacyLoss, int]]) -> tuple[tuple[PrivacyLoss, int], ...]:
    return tuple(parts)


@frozen
class ComposedLoss(PrivacyLoss):
    """The loss of several releases together, read to a relative precision."""

    parts: tuple[tuple[PrivacyLoss, int], ...] = field(converter=_tuple)
    precision: float = DEFAULT_PRECISION
    rough: bool = field(default=False, repr=False)
    """Whether no more than that precision is aimed at, though it is less than usual."""
    _contours: list[Contour | None] = field(factory=list, init=False, eq=False, repr=False)
    _suprema: list[Interval] = field(factory=list, init=False, eq=False, repr=False)
    _infinites: list[Interval] = field(factory=list, init=False, eq=False, repr=False)
    _grids: list[Gridded] = field(factory=list, init=False, eq=False, repr=False)
    _products: list[AtomicLoss | None] = field(factory=list, init=False, eq=False, repr=False)
    _directs: list[Direct | None] = field(factory=list, init=False, eq=False, repr=False)
    _brackets: list[BracketLoss | None] = field(factory=list, init=False, eq=False, repr=False)
    _flats: list[BracketLoss | None] = field(factory=list, init=False, eq=False, repr=False)
    _reversed: list[ComposedLoss] = field(factory=list, init=False, eq=False, repr=False)
    _epsilons: dict[Fraction, Interval] = field(factory=dict, init=False, eq=False, repr=False)
    _deltas: dict[float, Interval] = field(factory=dict, init=False, eq=False, repr=False)

    @classmethod
    def of(cls, parts: Iterable[tuple[PrivacyLoss, int]]) -> ComposedLoss:
        """A composed loss of parts that are already gathered."""
        return cls(parts)

    def simplest(self) -> PrivacyLoss:
        """The same loss in the simplest family that holds it exactly."""
        if not self.parts:
            return NO_LOSS
        if any(loss.__class__ is FiniteLoss and loss == TOTAL_LOSS for loss, _ in self.parts):
            return TOTAL_LOSS
        if len(self.parts) == 1 and self.parts[0][1] == 1:
            return self.parts[0][0]
        from accountant.loss.derived.mixture import expanded

        return self._finite_product() or expanded(self.parts) or self

    def _finite_product(self) -> FiniteLoss | None:
        product, total = NO_LOSS, 0
        for loss, count in self.parts:
            total += count
            if not isinstance(loss, FiniteLoss) or total > _LARGEST_PRODUCT:
                return None
            for _ in range(count):
                product = product.times(loss)
                if len(product.atoms) > _LARGEST_PRODUCT:
                    return None
        return product

    def reverse(self) -> PrivacyLoss:
        reversed_parts = [(loss.reverse(), count) for loss, count in self.parts]
        if all(back is loss for (back, _), (loss, _) in zip(reversed_parts, self.parts, strict=True)):
            return self
        back = ComposedLoss(reversed_parts, self.precision)
        back._reversed.append(self)
        return back

    def sharpened(self, precision: float) -> PrivacyLoss:
        sharp = ComposedLoss(self.parts, precision)
        sharp._contours.append(self._contour)
        sharp._infinites.append(self.infinite_formula())
        return sharp

    def roughly(self, precision: float) -> PrivacyLoss:
        rough = ComposedLoss(self.parts, precision, rough=True)
        rough._contours.append(self._contour)
        rough._infinites.append(self.infinite_formula())
        return rough

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        return self.parts

    def unsampled(self) -> PrivacyLoss:
        whole = [(loss.unsampled(), count) for loss, count in self.parts]
        if all(all_records is loss for (all_records, _), (loss, _) in zip(whole, self.parts, strict=True)):
            return self
        return compose(whole)

    def bracketed(self) -> bool:
        return self._bracket is not None

    def window(self, log_tail: float) -> tuple[float, float]:
        windows = [(loss.window(log_tail), count) for loss, count in self.parts]
        return sum(w[0] * n for w, n in windows), sum(w[1] * n for w, n in windows)

    def cells(self, edges: Floats) -> Cells:
        raise GridTooLarge("a composed loss is taken apart before it is put on a grid")

    def supremum_formula(self) -> Interval:
        if not self._suprema:
            self._suprema.append(self._largest())
        return self._suprema[0]

    def _largest(self) -> Interval:
        """The sum of all suprema, none of which is negative; one that is known to be infinite is enough."""
        total = Interval.of(0)
        for loss, count in self.parts:
            if total.lower == math.inf:
                break
            total += loss.supremum().times(count)
        return total

    def log_moment_formula(self, order: float) -> Interval:
        return _log_moment(self.parts, order)

    def concentration_formula(self) -> Interval:
        """At most the sum, which is reached where at most one part has a Renyi divergence not proportional to the order.

        Gaussian parts add the same to Renyi(a)/a at every order, so they stay out of the search for the supremum.
        """
        total, others = Interval.of(0), []
        for loss, count in self.parts:
            total += loss.concentration().times(count)
            if count and not isinstance(loss, GaussianLoss):
                others.append((loss, count))
        if len(others) <= 1 or self._all_reach(total):
            return total
        fixed = Interval.of(
            sum((n * loss.mu_squared for loss, n in self.parts if isinstance(loss, GaussianLoss)), Fraction(0)) / 2
        )
        # So many copies of everything have so many times what one of each has.
        copies = math.gcd(*(count for _, count in others))
        found = _supremum(tuple((loss, count // copies) for loss, count in others)).times(copies) + fixed
        return Interval(min(found.lower, total.upper), min(found.upper, total.upper))

    def _all_reach(self, total: Interval) -> bool:
        """Whether the sum is known to be reached at order 2, as it is where all parts are discrete Gaussian."""
        reached = self.log_moment_formula(1.0).exact
        return reached is not None and total.exact is not None and reached == 2 * total.exact

    def concentration_beyond(self, order: float) -> float:
        total = sum(loss.concentration_beyond(order) * count for loss, count in self.parts)
        return raised(total, 1.0 + len(self.parts))

    def infinite_formula(self) -> Interval:
        """The chance that any part loses everything."""
        if not self._infinites:
            self._infinites.append(self._lost())
        return self._infinites[0]

    def _lost(self) -> Interval:
        known = ((loss.infinite(), count) for loss, count in self.parts)
        masses = [(mass, count) for mass, count in known if mass.upper > 0.0]
        if not masses:
            return Interval.of(0)
        lower, upper = (_chance([(getattr(mass, end), count) for mass, count in masses]) for end in ("lower", "upper"))
        return Interval(max(0.0, lower.lower), min(1.0, upper.upper))

    @property
    def _contour(self) -> Contour | None:
        if not self._contours:
            self._contours.append(Contour.of(self.parts, self.infinite()))
        return self._contours[0]

    @property
    def _grid(self) -> Gridded:
        if not self._grids:
            self._grids.append(Gridded(self.parts))
        return self._grids[0]

    @property
    def _bracket(self) -> BracketLoss | None:
        """Both sides, where some part is known only from both: each is read where it is best read itself."""
        if not self._brackets:
            self._brackets.append(self._split())
        return self._brackets[0]

    def _split(self) -> BracketLoss | None:
        """What upper and lower ends are read from, where these are two losses.

        Of so many copies that a grid is coarse, losses that are a little wider but have moments serve better.
        """
        found = self._flattened if self.copies >= MANY else None
        if found is not None:
            return found
        above, below = sides(self)
        if above is self:
            return None
        above, below = self._shared(self._alike(above)), self._alike(below)
        return ComposedRivals(above, below, parts=self.parts) if rivalled(self.parts) else BracketLoss(above, below)

    def _shared(self, above: PrivacyLoss) -> PrivacyLoss:
        """The loss above as the exchanged releases have it, where that is the same: what was read of it is known."""
        known = [back._bracket.above for back in self._reversed if back._brackets and back._bracket is not None]
        return next((same for same in known if same == above), above)

    @property
    def copies(self) -> int:
        """How many losses there are in all."""
        return sum(count for _, count in self.parts)

    @property
    def _flattened(self) -> BracketLoss | None:
        """Losses that are a little wider on either side but have moments, where there are many and they have none."""
        if not self._flats:
            self._flats.append(self._flatten())
        return self._flats[0]

    def _flatten(self) -> BracketLoss | None:
        if self._contour is not None or self.copies < _SEVERAL:
            return None
        above, below = (
            compose((loss.with_moments(upper=upper), count) for loss, count in self.parts) for upper in (True, False)
        )
        # Of fewer copies a grid is fine: lines of as many masses as laws without atoms have cost more and say no more.
        most = _FEW_MASSES if self.copies < MANY else math.inf
        lines = [end._contour for end in (above, below) if isinstance(end, ComposedLoss)]
        if any(line is None or line.work > most for line in lines):
            return None
        return BracketLoss(self._shared(self._alike(above)), self._alike(below))

    def _alike(self, side: PrivacyLoss) -> PrivacyLoss:
        """The same loss, read as precisely as this one."""
        return side.roughly(self.precision) if self.rough else side.sharpened(self.precision)

    @property
    def enumerated(self) -> AtomicLoss | None:
        """All values with their chances, where they are few enough."""
        if not self._products:
            self._products.append(AtomProduct.of(self.parts) or AtomPower.of(self.parts))
        return self._products[0]

    @property
    def _direct(self) -> Direct | None:
        """The sum mass by mass, where no grid holds all losses exactly."""
        if not self._directs:
            grid = self._grid
            self._directs.append(None if grid.exact else Direct.of(grid._sides(True), grid._sides(False)))
        return self._directs[0]

    # Readings, by whichever route is precise enough ---------------------------------------------------------------------

    def _enclosed(self, ways: Ways, known: Interval | None = None) -> Interval:
        return enclosed(self, ways, known)

    def delta_formula(self, epsilon: float) -> Interval:
        if epsilon >= self.supremum().upper:
            return self.infinite()
        if self._bracket is not None:
            return self._bracket.delta_formula(epsilon)
        if epsilon not in self._deltas:
            ways = Ways(
                few=lambda product: product.delta(epsilon),
                fast=lambda contour, precision: contour.delta(epsilon, precision),
                direct=lambda direct: direct.delta(epsilon),
                slow=self._grid.delta(epsilon),
                wider=lambda side: side._delta_at(epsilon),
            )
            self._deltas[epsilon] = self._enclosed(ways)
        return self._deltas[epsilon]

    def _delta_between(self, left: float, right: float) -> Interval | None:
        if right >= self.supremum().upper:
            return None
        if self._bracket is not None:
            return self._bracket.delta_within(left, right)
        if self._contour is None:
            return None
        if self.enumerated is not None or self._grid.exact:
            return None
        found = self._contour.delta(left, DEFAULT_PRECISION, right - left)
        return None if found is None or self._grid.delta(left).excess(found, self.precision) > 1.0 else found

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self._epsilon_up_to(target, least, math.inf)

    def _epsilon_up_to(self, target: Fraction, least: float, most: float) -> Interval:
        if self.infinite().at_most(target) is False:
            return Interval.infinite()
        if self._bracket is not None:
            return self._bracket._epsilon_at(target, least)
        if target in self._epsilons:
            return self._epsilons[target]
        ways = Ways(
            few=lambda product: product.epsilon(target),
            fast=lambda contour, precision: contour.epsilon(target, precision, least, patient=False),
            direct=lambda direct: direct.epsilon(target),
            slow=self._grid.epsilon(target, least),
            wider=lambda side: side._epsilon_at(target, least),
            patient=lambda contour, precision, known: contour.epsilon(target, precision, least, known),
        )
        found = self._enclosed(ways, Interval(0.0, most))
        if least == 0.0:
            self._epsilons[target] = found
        return found

    def _tradeoff_at(self, level: Fraction) -> Interval:
        if self._bracket is not None:
            return self._bracket._tradeoff_at(level)
        ways = Ways(
            few=lambda product: product.tradeoff(level),
            fast=lambda contour, precision: contour.tradeoff(level, precision),
            direct=None,
            slow=self._grid.tradeoff(level, self.infinite()),
            wider=lambda side: side._tradeoff_at(level),
        )
        return self._enclosed(ways)


@frozen
class ComposedRivals(RivalledLoss):
    """Several releases, some of which may have losses that are bad at one place or another."""

    parts: tuple[tuple[PrivacyLoss, int], ...] = ()

    def log_moment_formula(self, order: float) -> Interval:
        return _log_moment(self.parts, order)

    def rivals(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        """Each such part bad at the same place."""
        return tuple(compose(parts) for parts in bad_at_once(self.parts, chance, at))


def _log_moment(parts: tuple[tuple[PrivacyLoss, int], ...], order: float) -> Interval:
    """The log moment of several losses together, which is the sum of theirs."""
    return sum((loss._log_moment_at(order).times(count) for loss, count in parts), Interval.of(0))


@lru_cache(maxsize=256)
def _supremum(parts: tuple[tuple[PrivacyLoss, int], ...]) -> Interval:
    """sup over orders of Renyi(a)/a, at most the sum over the parts; asked for again and again while searching."""
    most = sum((loss.concentration().times(count) for loss, count in parts), Interval.of(0)).upper
    return certified_supremum(ComposedLoss.of(parts), most)


def sides(loss: PrivacyLoss) -> tuple[PrivacyLoss, PrivacyLoss]:
    """The losses that upper and lower ends are taken from, part by part: the same object where both are the loss itself."""
    if not isinstance(loss, ComposedLoss):
        return loss.dominating(), loss.dominated()
    if not any(isinstance(part, ComposedLoss) or part.bracketed() for part, _ in loss.parts):
        return loss, loss
    parts = [(sides(part), part, count) for part, count in loss.parts]
    if all(above is part and below is part for (above, below), part, _ in parts):
        return loss, loss
    return compose((ends[0], count) for ends, _, count in parts), compose((ends[1], count) for ends, _, count in parts)


def _chance(masses: list[tuple[float, int]]) -> Ball:
    """The chance that any of independent events happens, each tried `count` times."""
    if any(mass >= 1.0 and count for mass, count in masses):
        return Ball(1.0)
    log_escape = sum((log1p(Ball(-mass)) * min(count, 2**1000) for mass, count in masses if mass), Ball(0.0))
    return -expm1(log_escape)
