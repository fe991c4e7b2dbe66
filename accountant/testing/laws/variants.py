"""Laws of mechanisms that stand beside another one: the same with other noise, more often, or with its output changed."""

from __future__ import annotations

import itertools
from fractions import Fraction

from accountant.loss import compose
from accountant.numbers.exact import plain
from accountant.plugin.cases import MechanismCase
from accountant.testing import claims
from accountant.testing.claims import loss_of
from accountant.testing.counterexamples import broken, delta, method, show
from accountant.testing.digits import apart
from accountant.testing.laws.mechanism import telling
from accountant.testing.places import few_epsilons
from accountant.testing.reproduced import plan_with, written

_COUNTS = (1, 10, 11, 100, 1000)


def more_noise_never_costs_more(case: MechanismCase) -> None:
    """With twice the noise a mechanism costs no more, and with half of it no less; calibration relies on it."""
    own = claims.claimed(case.mechanism, case.shift)
    for factor in (Fraction(2), Fraction(1, 2)):
        other = case.mechanism.scaled(factor)
        changed = None if other is None else claims.claimed(other, case.shift)
        if own is None or other is None or changed is None:
            continue
        if other == case.mechanism:
            broken(
                "a mechanism with more noise must not be the same; where there is no noise to scale, return None",
                mechanism=written(case.mechanism),
                times_the_noise=plain(factor),
                look_at=method(case.mechanism, "scaled"),
            )
        quiet, loud = (own, changed) if factor > 1 else (changed, own)
        # At other epsilons noise on whole numbers may lose more with more noise.
        much, little = delta(quiet, Fraction(0)), delta(loud, Fraction(0))
        if little.lower > much.upper:
            few, many = apart(much, little)
            broken(
                "more noise must not cost more",
                mechanism=written(case.mechanism),
                shift=f"the query moves {case.shift}",
                **{f"with {plain(factor)} times the noise": written(other)},
                at_epsilon=0,
                delta_with_more_noise=many,
                delta_with_less_noise=few,
                look_at=method(case.mechanism, "scaled"),
            )


def changed_outputs_cost_no_more(case: MechanismCase) -> None:
    """Where a mechanism says that it merely changes the output of another one, that one loses no less."""
    inner = case.mechanism.unprocessed()
    whole, own = claims.claimed(inner, case.shift), claims.claimed(case.mechanism, case.shift)
    if inner == case.mechanism or whole is None or own is None:
        return
    for point in telling(own, whole, 2):
        before, after = delta(whole, point), delta(own, point)
        if after.lower > before.upper:
            few, many = apart(before, after)
            broken(
                "a mechanism must not lose more than the one whose output it is said to change merely",
                mechanism=written(case.mechanism),
                said_to_change_the_output_of=written(inner),
                shift=f"the query moves {case.shift}",
                at_epsilon=plain(point),
                delta_of_the_mechanism=many,
                delta_of_that_one=few,
                look_at=method(case.mechanism, "unprocessed"),
                **plan_with(case.mechanism, case.shift),
            )


def one_more_release_never_costs_less(case: MechanismCase) -> None:
    """More releases never cost less than fewer of them, up to a thousand."""
    loss = loss_of(case)
    # A thousand releases of a loss whose moments are known are quick to read; others stop at a hundred.
    counts = _COUNTS if loss.analytic() is not None else _COUNTS[:-1]
    counted = [(count, compose([(loss, count)])) for count in counts]
    for (few, less), (many, more) in itertools.pairwise(counted):
        for point in few_epsilons(less)[:1]:
            before, after = delta(less, point), delta(more, point)
            if before.lower > after.upper:
                low, high = apart(after, before)
                broken(
                    "more releases must not cost less",
                    mechanism=written(case.mechanism),
                    loss=show(loss),
                    at_epsilon=plain(point),
                    **{f"delta of {few}": high, f"delta of {many}": low},
                    look_at=f"{method(loss, 'cells')}, {method(loss, 'repeated')}",
                    **plan_with(case.mechanism, case.shift, many),
                )
