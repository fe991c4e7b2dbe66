"""Laws of every mechanism."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from accountant.errors import AccountantError
from accountant.loss import NO_LOSS, FiniteLoss, PrivacyLoss, compose
from accountant.numbers.exact import plain
from accountant.numbers.logarithm import log_of
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.plugin.cases import MechanismCase
from accountant.promise.neighbours import NEIGHBOURS, Neighbours
from accountant.promise.specification import Specification
from accountant.registry.registry import Registry
from accountant.release.query import Shift
from accountant.release.release import Mechanism, Release
from accountant.release.stated import Vector
from accountant.testing import claims
from accountant.testing.claims import loss_of
from accountant.testing.counterexamples import broken, delta, has_formula, meet, method, reverse_of, show
from accountant.testing.digits import apart
from accountant.testing.moves import norms
from accountant.testing.places import epsilons, few_epsilons
from accountant.testing.reproduced import plan_with, written

_REPETITIONS, _MANY, _SHORT = 3, 30, 1000
_EITHER_ORDER = "a shift does not say which of two neighbours has more: dominate the pair in both orders"
_EITHER_SIGN = "a move and its opposite must cost the same: a shift does not say which of two neighbours has more"
_JUST_BELOW, _RARE = 1 - 2.0**-20, Fraction(1, 2**20)


def exact_pairs_never_beat_the_claim(case: MechanismCase) -> None:
    """The claimed loss is at least that of every exact pair of the mechanism, in both directions; and so repeated."""
    claimed = loss_of(case)
    for pair in case.pairs:
        _require_domination("an exact pair of the mechanism beats its claimed loss", case, claimed, pair)
    _require_repeated(case)


def _require_repeated(case: MechanismCase) -> None:
    """The claimed loss of several releases is at least that of the exact product of their pairs."""
    claimed = compose([(loss_of(case), _REPETITIONS)])
    for pair in case.pairs:
        product = _coarse(pair)
        for _ in range(_REPETITIONS - 1):
            product = product.times(_coarse(pair))
        statement = f"the exact product of {_REPETITIONS} releases beats their claimed loss"
        _require_domination(statement, case, claimed, product)
    if case.pairs:
        _require_many(case, _two_outcomes(max(case.pairs, key=lambda pair: delta(pair, Fraction(0)).upper)))


def _two_outcomes(pair: FiniteLoss) -> FiniteLoss:
    """Whether P is more likely than Q, in chances of few digits that tell a little less: products stay small."""
    likely = [(p, q) for p, q in pair.atoms if p > q]
    low = Fraction(math.floor(sum(p for p, _ in likely) * _SHORT), _SHORT)
    high = Fraction(math.ceil(sum(q for _, q in likely) * _SHORT), _SHORT)
    return FiniteLoss([(low, high), (1 - low, 1 - high)]) if low > high else NO_LOSS


def _require_many(case: MechanismCase, pair: FiniteLoss) -> None:
    """The claimed loss of many releases is at least that of many pairs of two outcomes, which are quick to read."""
    claimed, product = (compose([(loss, _MANY)]) for loss in (loss_of(case), pair))
    for point in few_epsilons(product):
        allowed, found = delta(claimed, point), delta(product, point)
        if found.lower > allowed.upper:
            few, many = apart(allowed, found)
            broken(
                f"exact pairs of {_MANY} releases beat their claimed loss",
                mechanism=written(case.mechanism),
                shift=f"the query moves {case.shift}",
                each_pair=show(pair),
                at_epsilon=plain(point),
                delta_of_the_pairs=many,
                delta_that_is_claimed=few,
                look_at=f"{method(case.mechanism, 'loss')}, {method(loss_of(case), 'cells')}",
                **plan_with(case.mechanism, case.shift, _MANY),
            )


def _coarse(pair: FiniteLoss, most: int = 6) -> FiniteLoss:
    """The pair after merging neighbouring outcomes: a post-processing that keeps its products small."""
    atoms, groups = pair.atoms, min(most, len(pair.atoms))
    bounds = [len(atoms) * k // groups for k in range(groups + 1)]
    return FiniteLoss(
        (sum(p for p, _ in atoms[low:high]), sum(q for _, q in atoms[low:high])) for low, high in itertools.pairwise(bounds)
    )


def _require_domination(statement: str, case: MechanismCase, claimed: PrivacyLoss, pair: FiniteLoss) -> None:
    """Compare at many epsilons, the pair in both orders, and show where the claim falls shortest.

    A shift does not tell which of two neighbours has more, so that either order may be what is compared.
    """
    violations = []
    back = reverse_of(claimed)
    sides = {"loss": claimed} if back is claimed else {"loss": claimed, "reverse": back}
    orders = {"P to Q": pair, "Q to P": pair.reverse()}
    for (name, above), (direction, below) in itertools.product(sides.items(), orders.items()):
        for point in _places(below, above):
            allowed, found = delta(above, point), delta(below, point)
            if found.lower > allowed.upper:
                own = (name == "reverse") == (direction == "Q to P")
                violations.append((own, found.lower - allowed.upper, name, direction, point, found, allowed))
    if violations:
        # What the pair itself shows is told before what its exchange does.
        own, _, name, direction, point, found, allowed = max(violations, key=lambda violation: violation[:2])
        claims, loses = apart(allowed, found)
        inverse = name == "reverse" and not any(violation[2] == "loss" for violation in violations)
        broken(
            statement,
            mechanism=written(case.mechanism),
            shift=f"the query moves {case.shift}",
            exact_pair=show(pair),
            direction=direction,
            at_epsilon=plain(point),
            delta_of_the_pair=loses,
            delta_that_is_claimed=claims,
            claimed_loss=show(claimed),
            look_at=method(claimed, "reverse") if inverse else method(case.mechanism, "loss"),
            **({} if own else {"remedy": _EITHER_ORDER}),
            **plan_with(case.mechanism, case.shift),
        )


def _places(pair: FiniteLoss | PrivacyLoss, claimed: PrivacyLoss) -> tuple[Fraction, ...]:
    """Where a pair is compared with a claim: on its own scale, and beyond all losses where some of it shows everything."""
    points = (*epsilons(pair), *_just_below_the_largest(pair))
    if pair.infinite().upper <= 0.0:
        return points
    far = max(points[-1], *(Fraction(loss.window(-8.0)[1]) for loss in (pair, claimed)))
    return (*points, Fraction(round(2 * far) + 10))


def _just_below_the_largest(pair: FiniteLoss | PrivacyLoss) -> Iterator[Fraction]:
    """An epsilon just below the largest loss of an exact pair, if that is not rare: a claim that ends too early does so."""
    if isinstance(pair, FiniteLoss):
        ratio, p = max(((p / q, p) for p, q in pair.atoms if p and q), default=(Fraction(0), Fraction(0)))
        largest = log_of(ratio).lower if ratio > 1 and p > _RARE else 0.0
        if largest > 0.0:
            yield Fraction(f"{largest * _JUST_BELOW:.9g}")


def larger_shifts_never_cost_less(case: MechanismCase) -> None:
    """A query that moves further, or in more coordinates, never costs less; a mechanism may refuse it instead.

    So a shift bounds every smaller move: by another share, in fewer coordinates, or unequal in them. Noise that is not
    independent is left out: there a smaller move may cost more. Which of two neighbours has more is not said, so that the
    opposite move costs the same.
    """
    _require_order(case, case.shift, _larger(case.shift), "a larger shift must not cost less")
    for few, more in _one_further_coordinate(case.shift):
        _require_order(case, few, [more], "a further coordinate must not make a shift cost less")
    for smaller in _smaller(case.shift):
        _require_order(case, smaller, [case.shift], "a shift must bound smaller moves")
    _require_cost(case)
    for opposite in _opposite(case.shift):
        _require_order(case, case.shift, [opposite], _EITHER_SIGN, excused=False)
        _require_order(case, opposite, [case.shift], _EITHER_SIGN, excused=False)


_SHARES = tuple(Fraction(1, part) for part in (2, 10, 10**4, 10**9))


def _require_cost(case: MechanismCase) -> None:
    """What costs something where the query moves does so where it moves less: a part of a move is not rounded away."""
    whole = claims.claimed(case.mechanism, case.shift)
    if case.shift.coordinates is None or whole is None or not delta(whole, Fraction(0)).lower:
        return
    for share in _SHARES:
        part = Shift.along([share * move for move in case.shift.coordinates])
        little = claims.claimed(case.mechanism, part)
        if little is not None and not delta(little, Fraction(0)).upper:
            broken(
                "a query that moves less must still cost something, or be refused",
                mechanism=written(case.mechanism),
                **{f"delta at epsilon 0 where the query moves {part}": 0},
                look_at=method(case.mechanism, "loss"),
                remedy="raise a ShiftError for moves that the theorem does not cover",
                **plan_with(case.mechanism, part),
            )


def norms_dominate_coordinates(case: MechanismCase) -> None:
    """Where only norms of a shift are known it costs no less than where the coordinates are."""
    if case.shift.coordinates is not None:
        known = norms(case.shift.coordinates)
        _require_order(case, case.shift, [known], "a shift known by its norms must cost no less", most=2)
    # Of the first the L2 norm is smaller, and the words are the same: whoever keeps what was found must keep both.
    for moves in ((2, 1, 1), (2, 2)):
        less = Shift.along(moves)
        _require_order(case, less, [norms(less.coordinates or ())], "a shift known by its norms must cost no less")


def _require_order(
    case: MechanismCase, less: Shift, more: Iterable[Shift], statement: str, most: int = 1, excused: bool = True
) -> None:
    """The lower ends at one shift are nowhere above the upper ends at others, in either direction.

    Where losses are slow to read they are read at so many places. Noise that is not independent may be excused.
    """
    mechanism = case.mechanism
    small = claims.claimed(mechanism, less)
    if small is None:
        return
    for shift in more:
        large = claims.claimed(mechanism, shift)
        if large is None:
            continue
        for name, low, high in (("loss", small, large), ("reverse", reverse_of(small), reverse_of(large))):
            if name == "reverse" and low is small and high is large:
                continue
            for point in telling(low, high, most):
                before, after = delta(low, point), delta(high, point)
                if before.lower > after.upper and not (excused and _dependent(mechanism, (less, shift))):
                    few, many = apart(after, before)
                    broken(
                        statement,
                        mechanism=written(mechanism),
                        at_epsilon=plain(point),
                        **{f"delta where the query moves {less}": many, f"delta where it moves {shift}": few},
                        look_at=method(mechanism, "loss") if name == "loss" else method(high, "reverse"),
                        **plan_with(mechanism, less),
                    )


def telling(low: PrivacyLoss, high: PrivacyLoss, most: int) -> tuple[Fraction, ...]:
    """Where two losses are compared: at few places where either is slow to read."""
    slow = any(loss.precision is not None or not has_formula(loss) for loss in (low, high))
    return few_epsilons(low)[:most] if slow else epsilons(low)


def _dependent(mechanism: Mechanism, shifts: Iterable[Shift]) -> bool:
    """Whether it matters where the coordinates of a move are, or which of them rise together: noise is not independent."""
    for moves in {shift.coordinates for shift in shifts} | {(Fraction(1), Fraction(1))}:
        if moves is None or len(moves) < 2:
            continue
        turned = [*moves[:-1], -moves[-1]]
        others = [Shift.along(moves), Shift.at(moves), Shift.along(turned), Shift.at(turned)]
        known = [loss for loss in (claims.claimed(mechanism, other) for other in others) if loss is not None]
        values = [delta(loss, Fraction(0)) for loss in known]
        if any(not meet(values[0], value) for value in values[1:]):
            return True
    return False


def _larger(shift: Shift) -> Iterator[Shift]:
    if shift.coordinates is None:
        gathered = None if shift.gathered is None else tuple(2 * move for move in shift.gathered)
        yield Shift(2 * shift.l1, 4 * shift.l2_squared, 2 * shift.linf, gathered=gathered)
    else:
        yield Shift.along([2 * move for move in shift.coordinates])
        yield Shift.along([2 * shift.coordinates[0] + (1 if shift.coordinates[0] > 0 else -1), *shift.coordinates[1:]])
        yield Shift.along([*shift.coordinates, shift.coordinates[0]])
        yield Shift.along([shift.coordinates[0] * Fraction(3, 2), *shift.coordinates[1:]])


def _one_further_coordinate(shift: Shift) -> Iterator[tuple[Shift, Shift]]:
    """A far move alone, and beside a coordinate that moves less: no mean over coordinates bounds both."""
    if shift.coordinates is not None and shift.placed is None:
        near = shift.coordinates[0]
        yield Shift.along([3 * near]), Shift.along([3 * near, near])


def _opposite(shift: Shift) -> Iterator[Shift]:
    if shift.coordinates is not None and shift.placed is None:
        yield Shift.along([-move for move in shift.coordinates])


def _smaller(shift: Shift) -> Iterator[Shift]:
    moves = shift.coordinates
    if moves is None:
        return
    for share in (Fraction(1, 2), Fraction(2, 3)):
        yield Shift.along([share * move for move in moves])
    if abs(moves[0]) > 1:
        yield Shift.along([moves[0] - (1 if moves[0] > 0 else -1), *moves[1:]])
    if len(moves) > 1:
        yield Shift.along(moves[:-1])
        yield Shift.along([*moves[:-1], moves[-1] / 2])


def written_and_read_is_equal(case: MechanismCase, registry: Registry) -> None:
    """A plan with the mechanism survives being written as JSON and read again, and keeps its digest."""
    coordinates = case.shift.coordinates or (Fraction(1),)
    query = Vector(shift=coordinates) if case.mechanism.asks_query else None
    covered = case.mechanism.relations
    relation = next(known for name, known in registry[NEIGHBOURS].items() if covered is None or name in covered)
    specification = Specification(Neighbours(relation), case.mechanism.all_published())
    plan = Plan("law", specification, (Release(case.name, case.mechanism, query, times=2),))
    require_plan_survives(plan, registry)


def require_plan_survives(plan: Plan, registry: Registry) -> None:
    """A plan written as JSON and read again is equal, and so is its digest."""
    written = json.dumps(plan.as_data())
    try:
        back = read_plan(json.loads(written), registry=registry)
    except AccountantError as error:
        raise AssertionError(f"a plan must be readable after it is written\n    {error}\n    written: {written}") from error
    if back != plan or back.digest != plan.digest:
        broken("a plan must survive being written and read", written=written, read=json.dumps(back.as_data()))
