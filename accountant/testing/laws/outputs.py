"""Laws of a mechanism and its outputs, as its oracle says them: one line of mathematics, from which pairs are built."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from accountant.loss import PrivacyLoss, compose
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.plugin.cases import MechanismCase
from accountant.plugin.oracles import MechanismOracle
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.testing.claims import claimed
from accountant.testing.counterexamples import broken, delta, has_formula, meet, method, reverse_of, show
from accountant.testing.digits import apart, at_least
from accountant.testing.moves import Move, WholeMove
from accountant.testing.output_pairs import OutputPair
from accountant.testing.outputs import output_pair, product_pair
from accountant.testing.places import epsilons, few_epsilons
from accountant.testing.reproduced import plan_with, written

_MERGED = {1: 10**9, 2: 12, 3: 6, 5: 3, 20: 2}
_FEW = 4
_APIECE = "each coordinate is treated on its own; one that draws once for all of them has an oracle with 'moves'"
_ORDERS, _FEW_PAIRS, _FEW_OUTCOMES = (2, 5), 12, 6


def outputs_never_beat_the_claim(oracle: MechanismOracle, mechanism: Mechanism, move: Move, times: int = 1) -> bool:
    """What the outputs tell about two answers, in either order, is at most what is claimed of a shift that allows them.

    Several coordinates are independent, and so are several releases. Whether anything was compared: a mechanism may refuse
    a shift, and two answers may look alike.
    """
    claim = _claimed(mechanism, move.shift, times)
    if claim is None or not (isinstance(move, WholeMove) or _speaks_of(mechanism, move)):
        return False
    pair = pair_of(oracle, mechanism, move, times)
    orders = {"P to Q": pair, "Q to P": pair.exchanged()}
    back = reverse_of(claim)
    sides = {"loss": claim} if back is claim else {"loss": claim, "reverse": back}
    for name, side in sides.items():
        for direction, ordered in orders.items():
            found = _worst(side, ordered)
            if found is not None:
                _tell(mechanism, move, times, ordered, direction, found, name, claim)
    return pair.least_delta(Fraction(0)) > 0


def _speaks_of(mechanism: Mechanism, move: Move) -> bool:
    """Whether a mechanism takes such answers: by its query, or by telling apart how many of them change."""
    if mechanism.asks_query:
        return claimed(mechanism, move.itself) is not None
    one = claimed(mechanism, Shift.along([1]))
    several = claimed(mechanism, move.shift)
    if len(move.before) == 1 or one is None or several is None:
        return True
    return not meet(delta(one, Fraction(0)), delta(several, Fraction(0)))


def pair_of(oracle: MechanismOracle, mechanism: Mechanism, move: Move, times: int = 1) -> OutputPair:
    """The two laws of the output of some releases, before and after a move."""
    alone = [
        output_pair(oracle, mechanism, before, after) for before, after in zip(move.before, move.after, strict=True)
    ] * times
    return product_pair(alone, _MERGED.get(len(alone), 5))


def _claimed(mechanism: Mechanism, shift: Shift, times: int) -> PrivacyLoss | None:
    alone = claimed(mechanism, shift)
    return alone if times == 1 or alone is None else compose([(alone, times)])


def _points(side: PrivacyLoss, pair: OutputPair) -> tuple[Fraction, ...]:
    """All places where the pair tells much; some of them where the claim is slow to read."""
    points = pair.epsilons()
    if side.precision is None and has_formula(side):
        return points
    return points if len(points) <= _FEW else tuple(points[len(points) * k // _FEW] for k in range(_FEW))


def _worst(side: PrivacyLoss, pair: OutputPair) -> tuple[Fraction, Interval, Interval] | None:
    """Where the claim falls shortest of a pair: epsilon, what is claimed there, what the pair loses."""
    violations = []
    for point in _points(side, pair):
        least, allowed = pair.least_delta(point), delta(side, point)
        if least > _upper(allowed):
            violations.append((least - _upper(allowed), point, allowed, at_least(least)))
    return max(violations)[1:] if violations else None


def _upper(value: Interval) -> Fraction:
    if value.exact is not None:
        return value.exact
    # What is unknown for want of memory is certainly a probability.
    return Fraction(min(value.upper, 1.0))


def _tell(
    mechanism: Mechanism,
    move: Move,
    times: int,
    pair: OutputPair,
    direction: str,
    found: tuple[Fraction, Interval, Interval],
    name: str,
    claim: PrivacyLoss,
) -> None:
    point, allowed, lost = found
    few, more = apart(allowed, lost)
    releases = {"releases": times} if times > 1 else {}
    several = len(move.shift.coordinates or ()) > 1 and not isinstance(move, WholeMove)
    apiece = {"taken_for_granted": _APIECE} if several else {}
    broken(
        "the outputs of the mechanism tell more than it claims",
        mechanism=written(mechanism),
        shift=f"the query moves {move.shift}",
        answers=move,
        **releases,
        outputs=pair,
        direction=direction,
        at_epsilon=plain(point),
        delta_of_the_outputs=f"at least {more}",
        delta_that_is_claimed=few,
        claimed_loss=show(claim),
        look_at=method(mechanism, "loss") if name == "loss" else method(claim, "reverse"),
        **apiece,
        **plan_with(mechanism, move.shift, times),
    )


def attained_losses_are_those_of_outputs(oracle: MechanismOracle, mechanism: Mechanism, move: Move) -> None:
    """Where a mechanism says which losses its worst moves attain, the outputs of such a move have one of these."""
    if not move.exact:
        return
    if claimed(mechanism, move.shift) is None or not mechanism.attained(move.shift):
        return
    attained = mechanism.attained(move.shift)
    pair = pair_of(oracle, mechanism, move)
    complete = oracle.law is not None and len(move.before) == 1
    if any(_agrees(ordered, loss, complete) for loss in attained for ordered in (pair, pair.exchanged())):
        return
    broken(
        "the outputs of a worst move have none of the losses that are said to be attained",
        mechanism=written(mechanism),
        shift=f"the query moves {move.shift}",
        answers=move,
        outputs=pair,
        attained="; ".join(show(loss) for loss in attained),
        look_at=method(mechanism, "attained"),
        **plan_with(mechanism, move.shift, 1),
    )


def attained_losses_stay_within_the_claim(case: MechanismCase) -> None:
    """A loss that is said to be attained is at most the one that is claimed, in either direction."""
    claim = claimed(case.mechanism, case.shift)
    for loss in () if claim is None else case.mechanism.attained(case.shift):
        if claim is None or loss == claim:
            continue
        for above, below in ((claim, loss), (claim.reverse(), loss.reverse())):
            for point in few_epsilons(below) if below.precision is not None else epsilons(below):
                allowed, found = delta(above, point), delta(below, point)
                if found.lower > allowed.upper:
                    few, more = apart(allowed, found)
                    broken(
                        "a loss that is said to be attained is more than what is claimed",
                        mechanism=written(case.mechanism),
                        shift=f"the query moves {case.shift}",
                        attained=show(loss),
                        at_epsilon=plain(point),
                        delta_that_is_attained=more,
                        delta_that_is_claimed=few,
                        look_at=method(case.mechanism, "attained"),
                        **plan_with(case.mechanism, case.shift),
                    )


def _agrees(pair: OutputPair, loss: PrivacyLoss, complete: bool) -> bool:
    """Whether a pair can have a loss, in both directions. Where outputs are taken together it may seem to lose less."""
    for side, ordered in ((loss, pair), (reverse_of(loss), pair.exchanged())):
        for point in _points(side, ordered):
            stated = delta(side, point)
            if ordered.least_delta(point) > _upper(stated):
                return False
            if complete and ordered.most_delta(point) < Fraction(stated.lower):
                return False
    return True


def lower_ends_are_reached(oracle: MechanismOracle, mechanism: Mechanism, shift: Shift, moves: Iterable[Move]) -> None:
    """Where a claim is known from both sides, or said to be attained, some answers that a shift allows are as far apart as
    the lower end: by delta, by the Renyi divergence, and twice.

    What is done to outputs may be undone: there the lower end is that of the mechanism inside, which is tried itself.
    """
    claim = claimed(mechanism, shift)
    if claim is None or oracle.law is None or not (claim.bracketed() or mechanism.attained(shift)):
        return
    if mechanism.unprocessed() != mechanism:
        return
    pairs = [pair_of(oracle, mechanism, move) for move in moves if _allows(mechanism, shift, move)]
    orders = [ordered for pair in pairs for ordered in (pair, pair.exchanged())]
    _require_delta(mechanism, shift, claim, orders, 1)
    for order in _ORDERS:
        found = max(pair.most_renyi(order) for pair in orders)
        if claim.renyi(order).lower > found:
            _unreached(mechanism, shift, f"Renyi divergence of order {order}", claim.renyi(order).lower, found)
    few = list(dict.fromkeys(orders))
    if len(few) <= _FEW_PAIRS and all(len(pair.outcomes) <= _FEW_OUTCOMES for pair in few):
        twice = [one.times(other) for one, other in itertools.combinations_with_replacement(few, 2)]
        _require_delta(mechanism, shift, compose([(claim, 2)]), twice, 2)


def some_listed_move_comes_near(oracle: MechanismOracle, mechanism: Mechanism, moves: Sequence[Move]) -> None:
    """Of the moves that an author lists some are half as far apart as is said at least: the others would not notice."""
    known = [(move, claimed(mechanism, move.shift)) for move in moves]
    apart_at_least = [(move, delta(claim, Fraction(0)).lower) for move, claim in known if claim is not None]
    pairs = [(move, stated, pair_of(oracle, mechanism, move).most_delta(Fraction(0))) for move, stated in apart_at_least]
    if pairs and all(found < Fraction(stated) / 2 for _, stated, found in pairs):
        move, stated, found = max(pairs, key=lambda each: each[2])
        _unreached(mechanism, move.shift, "delta at epsilon = 0", f"at least {stated:.6g}", f"{float(found):.6g}")


def _allows(mechanism: Mechanism, shift: Shift, move: Move) -> bool:
    """Whether a shift says that answers may differ so."""
    farthest = shift.coordinates
    return not mechanism.asks_query or (farthest is not None and move.itself.linf <= abs(farthest[0]))


def _require_delta(mechanism: Mechanism, shift: Shift, claim: PrivacyLoss, orders: list[OutputPair], times: int) -> None:
    for point in dict.fromkeys(point for pair in orders for point in _points(claim, pair)):
        stated, found = delta(claim, point), max(pair.most_delta(point) for pair in orders)
        if Fraction(stated.lower) > found:
            releases = "" if times == 1 else f" of {times} releases"
            few, more = apart(at_least(found), stated)
            _unreached(mechanism, shift, f"delta{releases} at epsilon = {plain(point)}", more, few)


def _unreached(mechanism: Mechanism, shift: Shift, reading: str, stated: object, found: object) -> None:
    broken(
        "no two answers are as far apart as the lower end says",
        mechanism=written(mechanism),
        shift=f"the query moves {shift}",
        reading=reading,
        stated=stated,
        of_the_outputs=f"at most {found}",
        look_at=method(mechanism, "loss"),
        remedy="take the lower end from outputs that there are, or leave it at 0: BracketLoss(above, NO_LOSS)",
    )


def require_evidence(oracle: MechanismOracle, compared: int) -> None:
    """An oracle says something: some two answers that the mechanism accepts have outputs that differ."""
    if not compared:
        broken(
            f"the oracle of '{oracle.item}' is no evidence: no two answers were tried whose outputs differ",
            look_at="MechanismOracle",
            remedy="let 'law' or 'tail' depend on the answer, list 'answers' that the mechanism accepts, or draw other "
            "parameters by 'instances'",
        )
