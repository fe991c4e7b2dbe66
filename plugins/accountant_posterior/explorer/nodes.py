"""Both ends of every value at every node, for one supposition: so many releases, so much noise, so many records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from attrs import evolve, frozen

from accountant import Interval, InvalidValue
from accountant.numbers import float_above, float_below
from accountant_posterior.explorer.axes import FAILURES, LEVELS, gain_node, per_cent
from accountant_posterior.reports.view import View, alike, repeated
from accountant_posterior.semantics.semantics import Semantics

_READ = tuple(per_cent(node) for node in ("1", "5", "20"))
"""Levels at which the largest power is read from below too."""
_ANYTHING = Interval(0.0, 1.0)


@frozen
class Nodes:
    """What one supposition allows: values at the nodes of dials, in their order."""

    guess: Interval
    power: tuple[Interval, ...]
    gain: tuple[int, ...]
    """For each failure the node of the bound on the log of a factor between odds."""
    epsilon: tuple[Interval, ...]
    """For each failure the epsilon of approximate differential privacy with that delta."""


def supposing(view: View, times: int, noise: Fraction) -> View:
    """A view of the same releases with other noise, so many times."""
    if noise != 1:
        from accountant import account

        plan = view.account.plan
        releases = tuple(
            release if (scaled := release.mechanism.scaled(noise)) is None else evolve(release, mechanism=scaled)
            for release in plan.releases
        )
        view = evolve(view, account=account(evolve(plan, releases=releases), registry=view.account.registry))
    return view if times == 1 else repeated(view, times)


def nodes_of(view: View, dependence: int) -> Nodes:
    """The values of a view, for attackers in whose model so many records change with the secret."""
    if view.settled:
        return _nothing()
    seen = view if dependence == 1 else alike(view, dependence)
    if seen is None:
        return _by_rule(view, dependence)
    gains = (seen.always if not failure else seen.spread(failure) for failure in _failures())
    account = seen.account
    return Nodes(
        seen.guess,
        tuple(_powers(seen)),
        tuple(gain_node(gain.upper) for gain in gains),
        tuple(seen.always if not delta else account.measure("approx", delta=delta).value for delta in _failures()),
    )


def _failures() -> Iterator[Fraction]:
    return map(per_cent, FAILURES)


def _nothing() -> Nodes:
    powers = tuple(Interval(float_below(per_cent(level)), 1.0) for level in LEVELS)
    none = Interval(0.0, math.inf)
    return Nodes(_ANYTHING, powers, tuple(gain_node(math.inf) for _ in FAILURES), tuple(none for _ in FAILURES))


def _by_rule(view: View, dependence: int) -> Nodes:
    """Where releases do not say what several records cost together: only what adds up without chances."""
    try:
        reach = Semantics(view.account, dependence=dependence).gain().larger
    except InvalidValue:
        reach = Interval(0.0, math.inf)
    gains = tuple(gain_node(reach.upper) for _ in FAILURES)
    return evolve(_nothing(), gain=gains, epsilon=tuple(Interval(0.0, reach.upper) for _ in FAILURES))


def _powers(view: View) -> Iterator[Interval]:
    """The largest power at each level: never above what the view allows, never below what is read nearby.

    A test that has some power at a level has, by a coin, at least its share of it at a lower level, and the rest of the way
    to 1 in proportion at a higher one.
    """
    read = [(level, Fraction(view.account.at_least("fdp", level=level))) for level in _READ]
    for node in LEVELS:
        level = per_cent(node)
        least = level
        for at, power in read:
            mixed = power * level / at if level <= at else power + (1 - power) * (level - at) / (1 - at)
            least = max(least, mixed)
        upper = float_above(view.power(level))
        yield Interval(min(float_below(least), upper), upper)
