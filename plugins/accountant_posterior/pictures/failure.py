"""Delta over epsilon, as approximate and as probabilistically bounded differential privacy read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture, read
from accountant_posterior.pictures.rivals import AS_CLAIM, AS_NOISE, Rivals, titled
from accountant_posterior.pictures.spoken import spoken_of
from accountant_posterior.reports.view import View
from accountant_posterior.semantics.probabilistic import concentrated_chance

if TYPE_CHECKING:
    from accountant import Account, Interval

WORDS = ("epsilon", "delta")
_MANY = 48
_RAREST = ("1e-8", "1e-6", "1e-4", "0.01", "0.1")
_TITLES = {"approx": "Approximate differential privacy", "pbdp": "Probabilistically bounded differential privacy"}
_MEANS = (
    "Delta of approximate differential privacy is how much more often than e^epsilon times as often an event may happen; "
    "delta of the probabilistically bounded kind is the chance that whatever is made of the output is more than e^epsilon "
    "times as likely with one value as with another."
)


def epsilons(account: Account) -> list[Fraction]:
    """Places from 0 to where hardly anything is left."""
    ends = (account.measure("approx", delta=delta).value.upper for delta in _RAREST)
    farthest = next((end for end in ends if 0.0 < end < math.inf), 1.0)
    return [Fraction(math.ceil(1000 * farthest * step / _MANY), 1000) for step in range(_MANY + 1)]


def panel(view: View, divergence: str) -> Panel:
    """One definition: these releases, Gaussian noise, and every mechanism with the same rho."""
    account, rivals = view.account, Rivals.of(view.account)
    places = epsilons(account)
    lines = [DrawnLine("these releases, exactly", account.curve(divergence, "epsilon", places=places))]
    if rivals is not None:
        gaussian = read(account, divergence, WORDS, places, rivals.reader(rivals.gaussian, divergence, "epsilon"), "falls")
        moments = read(account, divergence, WORDS, places, _by_rho(rivals, divergence), "falls")
        lines += [DrawnLine(AS_NOISE, gaussian, "comparison"), DrawnLine(AS_CLAIM, moments)]
    return Panel(titled(_TITLES[divergence], rivals), "epsilon", "delta", tuple(lines))


def _by_rho(rivals: Rivals, divergence: str) -> Callable[[Fraction], Interval]:
    """What rho alone says: of the bounded kind by the moments, as the literature states it."""
    if divergence == "pbdp":
        return lambda place: concentrated_chance(rivals.rho, place)
    return rivals.reader(rivals.worst, divergence, "epsilon")


def picture(view: View) -> Picture:
    """Both definitions side by side."""
    panels = tuple(panel(view, divergence) for divergence in _TITLES)
    return Picture("failure", "What is left to chance at each epsilon", (_MEANS, *spoken_of([view])), panels)
