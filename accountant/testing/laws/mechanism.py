"""Laws of every mechanism."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from fractions import Fraction

from accountant.errors import AccountantError, ShiftError
from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.numbers.exact import plain
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.plugin.cases import MechanismCase
from accountant.promise.neighbours import NEIGHBOURS, Neighbours
from accountant.promise.specification import Specification
from accountant.registry.registry import Registry
from accountant.release.query import Shift
from accountant.release.release import Release
from accountant.release.stated import Vector
from accountant.testing.counterexamples import broken, delta, show
from accountant.testing.places import epsilons
from accountant.values.writing import in_words, kind_data

_REPETITIONS = 3


def exact_pairs_never_beat_the_claim(case: MechanismCase) -> None:
    """The claimed loss is at least that of every exact pair of the mechanism, in both directions."""
    claimed = case.mechanism.loss(case.shift)
    for pair in case.pairs:
        _require_domination("an exact pair of the mechanism beats its claimed loss", case, claimed, pair)


def repeated_pairs_never_beat_the_claim(case: MechanismCase) -> None:
    """The claimed loss of several releases is at least that of the exact product of their pairs."""
    claimed = compose([(case.mechanism.loss(case.shift), _REPETITIONS)])
    for pair in case.pairs:
        product = _coarse(pair)
        for _ in range(_REPETITIONS - 1):
            product = product.times(_coarse(pair))
        statement = f"the exact product of {_REPETITIONS} releases beats their claimed loss"
        _require_domination(statement, case, claimed, product)


def _coarse(pair: FiniteLoss, most: int = 6) -> FiniteLoss:
    """The pair after merging neighbouring outcomes: a post-processing that keeps its products small."""
    atoms, groups = pair.atoms, min(most, len(pair.atoms))
    bounds = [len(atoms) * k // groups for k in range(groups + 1)]
    return FiniteLoss(
        (sum(p for p, _ in atoms[low:high]), sum(q for _, q in atoms[low:high])) for low, high in itertools.pairwise(bounds)
    )


def _require_domination(statement: str, case: MechanismCase, claimed: PrivacyLoss, pair: FiniteLoss) -> None:
    """Compare at many epsilons and show the one at which the claim falls shortest."""
    violations = []
    for direction, above, below in (("P to Q", claimed, pair), ("Q to P", claimed.reverse(), pair.reverse())):
        for point in epsilons(below):
            allowed, found = delta(above, point), delta(below, point)
            if found.lower > allowed.upper:
                violations.append((found.lower - allowed.upper, direction, point, found, allowed))
    if violations:
        _, direction, point, found, allowed = max(violations, key=lambda violation: violation[0])
        broken(
            statement,
            mechanism=written(case),
            shift=f"the query moves {case.shift}",
            exact_pair=show(pair),
            direction=direction,
            at_epsilon=plain(point),
            delta_of_the_pair=found,
            delta_that_is_claimed=allowed,
        )


def written(case: MechanismCase) -> str:
    """The mechanism as a plan writes it."""
    parameters = kind_data(case.mechanism)
    inside = ", ".join(f"{name} = {in_words(value)}" for name, value in parameters.items() if name != "kind")
    return f"{case.mechanism.kind} ({inside})" if inside else case.mechanism.kind


def larger_shifts_never_cost_less(case: MechanismCase) -> None:
    """A query that moves further, or in more coordinates, never costs less; a mechanism may refuse it instead."""
    small = case.mechanism.loss(case.shift)
    for shift in _larger(case.shift):
        try:
            large = case.mechanism.loss(shift)
        except ShiftError:
            continue
        for point in epsilons(small):
            before, after = delta(small, point), delta(large, point)
            if before.lower > after.upper:
                broken(
                    "a larger shift must not cost less",
                    mechanism=written(case),
                    at_epsilon=plain(point),
                    **{f"moving {case.shift}": before, f"moving {shift}": after},
                )


def _larger(shift: Shift) -> Iterator[Shift]:
    if shift.coordinates is None:
        gathered = None if shift.gathered is None else tuple(2 * move for move in shift.gathered)
        yield Shift(2 * shift.l1, 4 * shift.l2_squared, 2 * shift.linf, gathered=gathered)
    else:
        yield Shift.along([2 * move for move in shift.coordinates])
        yield Shift.along([*shift.coordinates, shift.coordinates[0]])


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
